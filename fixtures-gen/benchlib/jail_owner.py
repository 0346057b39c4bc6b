"""The owner's side of a jail: starts bwrap and the warden, speaks with it, ends everything on every path."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from benchlib import jail_layout as layout
from benchlib.jail_advice import explain
from benchlib.jail_image import Image, JailUnavailable
from benchlib.jail_layout import Limits
from benchlib.jail_streams import Budget, Capture, Command, feed, listening_port

READY_SECONDS = 20.0
CONNECT_SECONDS = 10.0
GRACE_SECONDS = 2.0
"""How long an ended jail may take to vanish before it is ended the hard way."""
SWEEP_SECONDS = 5.0
"""How long the warden may take to end what a command left; it gives up, and ends the jail, before that."""
DIAGNOSTIC_BYTES = 64 * 1024
CHUNK = 65536


class ServiceFailed(Exception):
    """A service of the fixture ended before it listened: neither the candidate's fault nor the jail's."""


class OpenJail:
    """One jail. A context manager: leaving it ends every process inside.

    `open` begins to build it and returns at once; `ready` waits until it stands. Entering does both.
    """

    def __init__(self, image: Image, binds: Sequence[str], limits: Limits) -> None:
        self.limits = limits
        self.image = image
        self.ended_by: str | None = None
        self.end_detail = ""
        self.survivors = 0
        self.condition = threading.Condition()
        self._binds = list(binds)
        self._namespace: int | None = None
        self.gone = False
        self._commands: dict[str, Command] = {}
        self._service_output: dict[tuple[str, str], bytearray] = {}
        self._exits: dict[str, int] = {}
        self._swept: dict[str, tuple[int, bool]] = {}
        self._answers: dict[str, tuple[str | None, list[int]]] = {}
        self._failure: str | None = None
        self._counter = 0

    def __enter__(self) -> OpenJail:
        self.open()
        self.ready()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Starts bwrap and the warden. Whoever opens a jail closes it."""
        self._control, inner = socket.socketpair()
        try:
            arguments = [
                *layout.outer_arguments(self.image, self.limits.tmp_bytes),
                *self._binds,
                *layout.closing_arguments(self.image),
                str(inner.fileno()),
            ]
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(inner.fileno(),),
                env={"PATH": "/usr/bin:/bin"},
            )
        except BaseException:
            self._control.close()
            raise
        finally:
            inner.close()
        assert self._process.stderr is not None
        self._diagnostics = Capture(
            os.dup(self._process.stderr.fileno()), Budget(DIAGNOSTIC_BYTES, self.condition)
        )
        self._process.stderr.close()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def ready(self) -> None:
        """Waits until the jail stands and is bounded. Raises JailUnavailable; then it is closed."""
        try:
            self._await(lambda: self._namespace is not None, READY_SECONDS, "the jail did not start")
            self._ask(
                do="limit",
                processes=self.limits.processes,
                resident_bytes=self.limits.resident_bytes,
                file_bytes=self.limits.file_bytes,
                address_space_bytes=self.limits.address_space_bytes,
            )
        except BaseException:
            self.close()
            raise

    # Requests

    def start(
        self,
        command: Sequence[str],
        *,
        view: Sequence[str],
        stdin: bytes,
        env: Mapping[str, str],
        cwd: str,
        last: bool = False,
        sweeps: bool = False,
    ) -> Command:
        """Starts a command in a view; with `last`, its end ends the jail, with `sweeps`, all processes in
        it."""
        self._counter += 1
        name = f"command-{self._counter}"
        argv = layout.program(view, command, os.path.normpath(os.path.join(layout.WORKSPACE, cwd)))
        pipes = [os.pipe() for _ in range(3)]
        (stdin_inner, stdin_outer), (stdout_outer, stdout_inner), (stderr_outer, stderr_inner) = pipes
        budget = Budget(self.limits.output_bytes, self.condition)
        started = Command(name, Capture(stdout_outer, budget), Capture(stderr_outer, budget), budget)
        self._commands[name] = started
        threading.Thread(target=feed, args=(stdin_outer, stdin), daemon=True).start()
        inner_ends = [stdin_inner, stdout_inner, stderr_inner]
        try:
            self._ask(
                inner_ends,
                do="start",
                id=name,
                argv=argv,
                env={**layout.ENVIRONMENT, **env},
                last=last,
                sweeps=sweeps,
            )
        finally:
            for descriptor in inner_ends:
                os.close(descriptor)
        return started

    def serve(self, service: str, command: Sequence[str], cwd: str) -> int:
        """Starts a service and waits for its `LISTENING <port>` line. Returns the port; raises
        ServiceFailed."""
        name = f"service-{service}"
        argv = layout.program(
            layout.service_view(self.image, service),
            layout.service_command(command),
            f"{layout.SERVICES}/{service}/{cwd}",
        )
        self._ask(do="serve", id=name, argv=argv, env=layout.ENVIRONMENT)

        def port() -> int | None:
            return listening_port(bytes(self._service_output.get((name, "stdout"), b"")))

        self._await(
            lambda: port() is not None or name in self._exits,
            READY_SECONDS,
            f"service {service} did not listen",
        )
        found = port()
        if found is None:
            written = bytes(self._service_output.get((name, "stderr"), b"")).decode("utf-8", "replace")
            raise ServiceFailed(
                f"service {service} ended before it listened, exit code {self._exits[name]}: "
                + written[-2000:]
            )
        return found

    def service_output(self, service: str, stream: str = "stdout") -> bytes:
        with self.condition:
            return bytes(self._service_output.get((f"service-{service}", stream), b""))

    def connect(self, port: int) -> socket.socket:
        """A socket that is connected to 127.0.0.1:port inside the jail.

        Raises ConnectionError, also when a bound has ended the jail.
        """
        with self.condition:
            self._counter += 1
            name = f"connection-{self._counter}"
        self._ask(do="connect", id=name, port=port)
        with self.condition:
            self.condition.wait_for(lambda: name in self._answers or self.gone, CONNECT_SECONDS)
            error, descriptors = self._answers.pop(
                name, (f"the jail gave no answer (ended by {self.ended_by})", [])
            )
        if error is not None:
            raise ConnectionError(f"127.0.0.1:{port} inside the jail: {error}")
        return socket.socket(fileno=descriptors[0])

    def signal(self, command: Command, number: signal.Signals) -> None:
        self._ask(do="signal", id=command.name, signal=int(number))

    def wait(self, command: Command, seconds: float) -> str | None:
        """Waits for the command's end. Returns what ended it early: the name of a bound, or null."""
        deadline = command.started + seconds
        with self.condition:
            self.condition.wait_for(
                lambda: command.code is not None or self.gone or command.budget.exceeded,
                max(0.0, deadline - time.monotonic()),
            )
            ended_by = "output_bytes" if command.budget.exceeded else self.ended_by
            if command.code is None and ended_by is None:
                if self.gone:
                    raise JailUnavailable(f"the jail ended by itself. {self._said()}")
                ended_by = "seconds"
            if command.ended is None:
                command.ended = time.monotonic()
            return ended_by

    def swept(self, command: Command) -> bool:
        """Waits until the end of a command that `sweeps` has ended everything; false when the jail ended
        instead or cannot be used again."""
        with self.condition:
            self._commands.pop(command.name, None)
            self.condition.wait_for(lambda: command.name in self._swept or self.gone, SWEEP_SECONDS)
            left, reusable = self._swept.pop(command.name, (None, False))
            return left == 0 and reusable and self._failure is None

    def close(self) -> None:
        """Ends every process inside and waits until they are gone. Again: nothing."""
        if self._process.returncode is None:
            with suppress(OSError):
                self._control.shutdown(socket.SHUT_WR)
            if not _ends_within(self._process.pid, GRACE_SECONDS):
                self._process.kill()
            self._process.wait()
            self._listener.join(GRACE_SECONDS)
            self._control.close()
            for _, descriptors in self._answers.values():
                for descriptor in descriptors:
                    os.close(descriptor)
        self.survivors = self._count_survivors()
        said = self._diagnostics.finish().decode("utf-8", "replace")
        if self._failure is None and "bwrap: " in said:
            self._failure = said

    def check(self) -> None:
        """Raises JailUnavailable when a launcher inside reported an error of its own."""
        if self._failure is not None:
            raise JailUnavailable(explain(self._failure))

    # The warden's reports

    def _ask(self, descriptors: Sequence[int] = (), **request: Any) -> None:
        line = json.dumps(request).encode() + b"\n"
        try:
            if descriptors:
                socket.send_fds(self._control, [line[:1]], list(descriptors))
                line = line[1:]
            self._control.sendall(line)
        except OSError:
            with self.condition:
                if self.ended_by is None and self._commands == {}:
                    raise JailUnavailable(f"the jail ended by itself. {self._said()}") from None

    def _await(self, happened: Callable[[], bool], seconds: float, otherwise: str) -> None:
        with self.condition:
            self.condition.wait_for(lambda: happened() or self.gone or self._failure is not None, seconds)
            if happened():
                return
        raise JailUnavailable(f"{otherwise}. {self._said()}")

    def _said(self) -> str:
        if self.gone:
            self._process.wait(GRACE_SECONDS)
        said = (self._failure or "") + (self._diagnostics.finish() if self.gone else b"").decode(
            "utf-8", "replace"
        )
        return explain(said + (f" ended by {self.ended_by}: {self.end_detail}" if self.ended_by else ""))

    def _listen(self) -> None:
        unread = b""
        received: list[int] = []
        while True:
            try:
                data, descriptors, _, _ = socket.recv_fds(self._control, CHUNK, 4)
            except OSError:
                data, descriptors = b"", []
            received += descriptors
            *lines, unread = (unread + data).split(b"\n")
            with self.condition:
                for line in lines:
                    received = self._note(json.loads(line), received)
                self.gone = self.gone or not data
                self.condition.notify_all()
            if not data:
                return

    def _note(self, event: dict[str, Any], received: list[int]) -> list[int]:
        match event["event"]:
            case "ready":
                self._namespace = event["pid_namespace"]
            case "output":
                kept = self._service_output.setdefault((event["id"], event["stream"]), bytearray())
                kept += event["text"].encode("utf-8", "surrogateescape")
            case "exit":
                self._exits[event["id"]] = event["code"]
                if command := self._commands.get(event["id"]):
                    command.code = event["code"]
                    command.ended = time.monotonic()
            case "swept":
                self._swept[event["id"]] = (event["left"], event["reusable"])
            case "connected":
                wanted = 0 if event["error"] is not None else 1
                self._answers[event["id"]] = (event["error"], received[:wanted])
                return received[wanted:]
            case "failed":
                self._failure = f"{event['id']}: {event['error']}"
            case "end":
                self.ended_by = event["by"]
                self.end_detail = event["detail"]
        return received

    def _count_survivors(self) -> int:
        deadline = time.monotonic() + GRACE_SECONDS
        while (count := count_processes(self._namespace)) and time.monotonic() < deadline:
            time.sleep(0.01)
        return count


def count_processes(namespace: int | None) -> int:
    """Living processes of a pid namespace, by its inode number."""
    if namespace is None:
        return 0
    return sum(_namespace_of(name) == f"pid:[{namespace}]" for name in os.listdir("/proc") if name.isdigit())


def _namespace_of(pid: str) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return None


def _ends_within(pid: int, seconds: float) -> bool:
    """Waits for the end of a child that has not been reaped; Popen.wait would look only now and then."""
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)
