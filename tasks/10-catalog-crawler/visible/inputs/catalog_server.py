"""The supplier's web server: serves the pages of catalog_site.json on the loopback.

    python inputs/catalog_server.py [--site FILE] [--port PORT] [--stop-after TIMES]

Prints `LISTENING <port>` when it is ready (port 0 takes a free one), then one JSON line for each request that
comes in. A second server, on a port of its own, plays another web site.

In FILE, `pages` has a list of answers for each path with its query. The first request for a path gets the
first answer, the next one the second, and after the last the list begins again. In bodies and locations
{{port}} stands for the server's own port and {{other_port}} for that of the other web site.
"""

import argparse
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ANSWERING_SECONDS = 0.002
NOT_ALLOWED = {"status": 405}
NOT_FOUND = {"status": 404, "body": ["<h1>Not found</h1>"]}
STOPPED = {"status": 503, "body": ["<h1>Requested too often</h1>"]}


class Site:
    """The pages of one web site, and what has been asked of it."""

    def __init__(self, name: str, pages: dict[str, list[dict[str, Any]]], stop_after: int) -> None:
        self.name = name
        self.pages = pages
        self.stop_after = stop_after
        self.ports: dict[str, int] = {}
        self.lock = threading.Lock()
        self.asked: dict[str, int] = {}
        self.open = 0

    def begin(self, method: str, host: str, target: str) -> dict[str, Any]:
        """Log a request that has come in and choose its answer."""
        with self.lock:
            turn = self.asked.get(target, 0)
            self.asked[target] = turn + (method == "GET")
            request = {
                "site": self.name,
                "method": method,
                "url": f"http://{host}{target}",
                "at": round(time.monotonic(), 3),
                "others_open": self.open,
            }
            self.open += 1
            print(json.dumps(request), flush=True)
        if method != "GET":
            return NOT_ALLOWED
        if self.stop_after and turn >= self.stop_after:
            return STOPPED
        answers = self.pages.get(target, [NOT_FOUND])
        return answers[turn % len(answers)]

    def end(self) -> None:
        """Note that the answer to a request is about to leave."""
        with self.lock:
            self.open -= 1

    def filled_in(self, text: str) -> str:
        """`text` with the ports of this run."""
        for name, port in self.ports.items():
            text = text.replace("{{" + name + "}}", str(port))
        return text


class Server(ThreadingHTTPServer):
    """A server of one site on a free or given port."""

    daemon_threads = True

    def __init__(self, site: Site, port: int) -> None:
        self.site = site
        super().__init__(("127.0.0.1", port), Handler)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    def do_GET(self) -> None:
        assert isinstance(self.server, Server)
        site = self.server.site
        answer = site.begin(self.command, self.headers.get("Host", ""), self.path)
        time.sleep(ANSWERING_SECONDS)
        site.end()
        body = site.filled_in("\n".join(answer.get("body", []))).encode("utf-8")
        self.send_response(answer["status"])
        for name, value in answer.get("headers", {}).items():
            self.send_header(name, site.filled_in(value))
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_POST = do_OPTIONS = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        """The log is that of the site."""


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description="Serves the supplier's catalogue on the loopback.")
    parser.add_argument("--site", type=Path, default=Path(__file__).with_name("catalog_site.json"))
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--stop-after", type=int, default=0, help="requests of a page, then 503; 0: no end")
    args = parser.parse_args()
    content = json.loads(args.site.read_text("utf-8"))
    catalog = Site("catalog", content["pages"], args.stop_after)
    other = Site("other", content["other_pages"], args.stop_after)
    servers = [Server(catalog, args.port), Server(other, 0)]
    for site in (catalog, other):
        site.ports = {"port": servers[0].server_port, "other_port": servers[1].server_port}
    threading.Thread(target=servers[1].serve_forever, daemon=True).start()
    print(f"LISTENING {servers[0].server_port}", flush=True)
    servers[0].serve_forever()


if __name__ == "__main__":
    main()
