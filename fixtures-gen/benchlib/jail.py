"""The jail: runs candidates, servers and fixture services; they see a workspace, Python and the loopback.

python3.12 -E -S fixtures-gen/benchlib/jail.py describe     what a jail is made of, as JSON
python3.12 -E -S fixtures-gen/benchlib/jail.py check        opens a jail and looks round in it
python3.12 -E -S fixtures-gen/benchlib/jail.py explain      reads what bwrap said, prints what to do about it
"""

from __future__ import annotations

import sys
from pathlib import Path

if __package__ in (None, ""):
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import json
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from benchlib import jail_layout as layout
from benchlib.jail_advice import explain
from benchlib.jail_image import JailUnavailable
from benchlib.jail_layout import Limits
from benchlib.jail_owner import GRACE_SECONDS, OpenJail, ServiceFailed
from benchlib.jail_services import Service, open_jail, service_path, start_services
from benchlib.jail_session import NOTHING, Completed, Session, completed
from benchlib.jail_streams import Command, listening_port

__all__ = [
    "Completed",
    "JailUnavailable",
    "Limits",
    "Served",
    "ServerNotReady",
    "Service",
    "ServiceFailed",
    "Session",
    "run",
    "serve",
    "service_path",
]


def run(
    command: Sequence[str],
    *,
    workspace: Path,
    editable: Sequence[str],
    stdin: bytes = b"",
    env: Mapping[str, str] = NOTHING,
    limits: Limits = Limits(),
    cwd: str = ".",
    services: Sequence[Service] = (),
) -> Completed:
    """A session of one run; see `Session.run`."""
    with Session(workspace, limits) as alone:
        return alone.run(
            command,
            workspace=workspace,
            editable=editable,
            stdin=stdin,
            env=env,
            cwd=cwd,
            services=services,
        )


class Served:
    """A server that runs in a jail. Its methods may be called until the `serve` block ends."""

    def __init__(
        self, jail: OpenJail, server: Command, port: int, ports: Mapping[str, int], limits: Limits
    ) -> None:
        self.port = port
        """The port it listens on, inside the jail."""
        self.service_ports = ports
        self._jail = jail
        self._server = server
        self._limits = limits

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] = NOTHING,
        timeout: float = 10.0,
        port: int | None = None,
        max_bytes: int = 64 * layout.MIB,
    ) -> tuple[int, dict[str, str], bytes]:
        """One HTTP request to the server, or another port inside: status, headers (lower-case names), body.

        Raises ConnectionError, TimeoutError, HTTPException; ValueError beyond `max_bytes` of body.
        """
        import http.client  # heavy (ssl), and most judges ask no server

        target = port or self.port
        connection = http.client.HTTPConnection("127.0.0.1", target, timeout=timeout)
        connection.sock = self._jail.connect(target)
        connection.sock.settimeout(timeout)
        try:
            connection.request(method, path, body=body, headers=dict(headers))
            response = connection.getresponse()
            deadline = time.monotonic() + timeout
            content = bytearray()
            while chunk := response.read1(65536):
                content += chunk
                if len(content) > max_bytes:
                    raise ValueError(f"{method} {path}: the body is longer than {max_bytes} bytes")
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{method} {path}: the body took longer than {timeout} seconds")
            return (
                response.status,
                {name.lower(): value for name, value in response.getheaders()},
                bytes(content),
            )
        finally:
            connection.close()

    def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] = NOTHING,
        cwd: str = ".",
        seconds: float | None = None,
    ) -> Completed:
        """Runs another command beside the server, in the same jail."""
        view = layout.candidate_view(self._jail.image)
        started = self._jail.start(command, view=view, stdin=stdin, env=env, cwd=cwd)
        ended_by = self._jail.wait(started, seconds or self._limits.seconds)
        if ended_by is not None:
            self._jail.signal(started, signal.SIGKILL)
        return completed(self._jail, started, ended_by, (), self.service_ports)

    def service_output(self, service: str) -> bytes:
        """What a service has printed so far."""
        return self._jail.service_output(service)

    @property
    def running(self) -> bool:
        return self._server.code is None and not self._jail.gone

    @property
    def stdout(self) -> bytes:
        return bytes(self._server.stdout.data)

    @property
    def stderr(self) -> bytes:
        return bytes(self._server.stderr.data)

    def terminate(self, seconds: float = 5.0) -> Completed:
        """Sends SIGTERM and waits; after `seconds` the server is killed, and `ended_by` is "seconds"."""
        self._jail.signal(self._server, signal.SIGTERM)
        so_far = time.monotonic() - self._server.started
        ended_by = self._jail.wait(self._server, so_far + seconds)
        if ended_by is not None:
            self._jail.signal(self._server, signal.SIGKILL)
        return completed(self._jail, self._server, ended_by, (), self.service_ports)


@contextmanager
def serve(
    command: Sequence[str],
    *,
    workspace: Path,
    editable: Sequence[str],
    env: Mapping[str, str] = NOTHING,
    limits: Limits = Limits(),
    cwd: str = ".",
    services: Sequence[Service] = (),
) -> Iterator[Served]:
    """Starts a server in a jail and waits, at most `limits.seconds`, for its line `LISTENING <port>`.

    Raises ServerNotReady when the line does not come, else as `run`. On exit the server gets SIGTERM, then
    everything is ended.
    """
    with open_jail(workspace, editable, limits, services) as jail:
        ports = start_services(jail, services, workspace)
        view = layout.candidate_view(jail.image)
        server = jail.start(command, view=view, stdin=b"", env=env, cwd=cwd)
        with jail.condition:
            jail.condition.wait_for(
                lambda: (
                    listening_port(bytes(server.stdout.data)) is not None
                    or server.code is not None
                    or jail.gone
                ),
                limits.seconds,
            )
        port = listening_port(bytes(server.stdout.data))
        if port is None:
            jail.close()
            jail.check()
            raise ServerNotReady(
                completed(
                    jail, server, jail.ended_by or (None if server.code is not None else "seconds"), (), ports
                )
            )
        served = Served(jail, server, port, ports, limits)
        try:
            yield served
        finally:
            if served.running:
                served.terminate(GRACE_SECONDS)


class ServerNotReady(Exception):
    """A server ended, or ran into its bound, before it printed its LISTENING line."""

    def __init__(self, completed: Completed) -> None:
        super().__init__(
            f"no LISTENING line; exit code {completed.returncode}, ended by {completed.ended_by}, "
            f"stderr: {completed.stderr[-1000:].decode('utf-8', 'replace')}"
        )
        self.completed = completed


def main(arguments: Sequence[str]) -> int:
    from benchlib.jail_describe import check, describe

    try:
        match arguments:
            case ["describe"]:
                print(json.dumps(describe()))
            case ["describe", tmp_bytes]:
                print(json.dumps(describe(int(tmp_bytes))))
            case ["check"]:
                print(check())
            case ["explain"]:
                print(explain(sys.stdin.read()))
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except JailUnavailable as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
