"""Copy a supplier's catalogue from its web pages into one CSV file."""

import argparse
import csv
import sys
import time
import urllib.error
import urllib.request
from collections import deque
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

COLUMNS = ["sku", "name", "price", "currency", "stock", "revision"]
CELLS = COLUMNS[1:]
DEFAULT_PORTS = {"http": 80, "https": 443}
TIMEOUT = 30


class CatalogPage(HTMLParser):
    """Collects the rows and the pagination links of one page."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.rows = []
        self.links = []
        self.row = None
        self.cell = None
        self.in_code = False

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag in ("script", "style"):
            self.in_code = True
        elif tag == "a":
            rel = (attributes.get("rel") or "").lower().split()
            if "next" in rel and attributes.get("href"):
                self.links.append(attributes["href"])
        elif tag == "tr" and "data-sku" in attributes:
            self.row = {"sku": attributes["data-sku"]} | dict.fromkeys(CELLS, "")
        elif tag == "td" and self.row is not None:
            classes = (attributes.get("class") or "").split()
            self.cell = next((name for name in CELLS if name in classes), None)

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.in_code = False
        elif tag == "td":
            self.cell = None
        elif tag == "tr" and self.row is not None:
            for name in CELLS:
                self.row[name] = " ".join(self.row[name].split())
            self.rows.append(self.row)
            self.row = None

    def handle_data(self, data):
        if self.row is not None and self.cell is not None and not self.in_code:
            self.row[self.cell] += data


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirects)


def fetch(url):
    """Return the page's text, or None when it cannot be had."""
    for attempt in range(2):
        try:
            with opener.open(url, timeout=TIMEOUT) as response:
                return response.read().decode("utf-8") if response.status == 200 else None
        except urllib.error.HTTPError as error:
            if error.code != 429 or attempt == 1:
                break
            time.sleep(int(error.headers["Retry-After"]))
        except OSError:
            break
    return None


def origin(url):
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)


def page_url(base, href=""):
    url = urldefrag(urljoin(base, href)).url
    if not urlsplit(url).path:
        url = urlsplit(url)._replace(path="/").geturl()
    return url


def crawl(start):
    """Return the best row of each SKU and the URLs of pages that failed."""
    start = page_url(start)
    queue = deque([start])
    known = {start}
    best = {}
    failed = []
    while queue:
        url = queue.popleft()
        text = fetch(url)
        if text is None:
            failed.append(url)
            continue
        page = CatalogPage()
        page.feed(text)
        page.close()
        for row in page.rows:
            kept = best.get(row["sku"])
            if kept is None or int(row["revision"]) > int(kept["revision"]):
                best[row["sku"]] = row
        for href in page.links:
            link = page_url(url, href)
            if origin(link) == origin(start) and link not in known:
                known.add(link)
                queue.append(link)
    return best, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base-url-file", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    best, failed = crawl(args.base_url_file.read_text(encoding="utf-8").strip())
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with open(args.output, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(best[sku] for sku in sorted(best))
    for url in failed:
        print(f"failed: {url}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
