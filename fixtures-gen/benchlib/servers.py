"""A candidate's server that runs in its jail, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchlib import jail
from benchlib.readers import Json, parse_json, utf8
from benchlib.runs import PYTHON, CommandFailed, Run, at_work, ended, tail, told


@dataclass(frozen=True)
class Response:
    """An HTTP response of a candidate's server."""

    status: int
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes
    what: str
    """The request, for notes."""

    def json(self) -> Json:
        """The body as one JSON document; `Unreadable` otherwise."""
        return parse_json(utf8(self.body, self.what), self.what)


@dataclass(frozen=True)
class Server:
    """A candidate's server that is running in its jail."""

    served: jail.Served
    command: str
    limit_seconds: float

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 10.0,
    ) -> Response:
        """One HTTP request. Raises `CommandFailed` when no complete response comes within `timeout`
        seconds.
        """
        what = f"{method} {path}"
        import http.client  # as heavy as rare: only for servers

        try:
            with at_work():
                status, found, content = self.served.request(method, path, body, headers or {}, timeout)
        except (OSError, http.client.HTTPException, ValueError) as error:
            state = "still runs" if self.served.running else "has ended"
            last = tail(self.served.stderr)
            said = f"; it printed last: {last}" if last else ""
            raise CommandFailed(
                f"{what}: no response ({type(error).__name__}: {error}); the server {state}{said}"
            ) from None
        return Response(status, found, content, what)

    def python(self, *arguments: str, stdin: bytes = b"", cwd: str = ".", check: bool = True) -> Run:
        """Run another Python command beside the server, in the same jail and workspace."""
        command = (*PYTHON, *arguments)
        done = self.served.run(list(command), stdin=stdin, cwd=cwd, seconds=self.limit_seconds)
        run = ended(command, done, self.limit_seconds)
        if check and not run.succeeded:
            raise CommandFailed(run.says())
        return run

    def terminate(self, seconds: float = 5.0) -> Run:
        """Ask the server to stop (SIGTERM) and wait for it; it is killed after `seconds`."""
        with at_work():
            done = self.served.terminate(seconds)
        return told((self.command,), done, seconds)
