"""First process of a jail: starts what its owner asks for, watches the bounds, ends all by its end.

    python3.12 -E -S warden.py CONTROL_FD [STDIN_FD STDOUT_FD STDERR_FD]

CONTROL_FD is a stream socket to the owner, one JSON object a line in each direction. The owner asks:

    {"do": "limit", "processes": N, "resident_bytes": N, "file_bytes": N, "address_space_bytes": N or null}
    {"do": "forward", "port": N, "socket": PATH}             127.0.0.1:N leads to that unix socket
    {"do": "start", "id": ID, "argv": [...], "env": {...}, "last": BOOL, "sweeps": BOOL}
                          with three descriptors attached, or the three of the command line: the standard
                          streams, which the program finds as 4, 5 and 6; the end of a `last` program ends
                          the jail, the end of one that `sweeps` (optional) ends all processes but this one
    {"do": "serve", "id": ID, "argv": [...], "env": {...}}   a service, whose output is reported
    {"do": "signal", "id": ID, "signal": N}
    {"do": "connect", "id": ID, "port": N}                   answered with a connected socket attached
    {"do": "end"}                                            as does the end of the control stream

and is told:

    {"event": "ready", "pid_namespace": INODE}               {"event": "forwarding", "port": N}
    {"event": "output", "id": ID, "stream": "stdout", "text": TEXT}
    {"event": "exit", "id": ID, "code": N}                   128 + N for signal N
    {"event": "swept", "id": ID, "left": N, "reusable": BOOL}    how many processes its end has left
    {"event": "connected", "id": ID, "error": TEXT or null}
    {"event": "failed", "id": ID, "error": TEXT}             a request could not be carried out
    {"event": "end", "by": null or "processes" or "resident_bytes", "detail": TEXT}

As process 1 nothing inside can kill it; its end, whatever the cause, is the end of every process of the jail.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import sys
import time

TYPE_CHECKING = False  # importing typing to learn that takes a fifth of the time until a jail is open
if TYPE_CHECKING:
    from typing import Any, NoReturn

TICK_MS = 20
THREADS_A_PROCESS = 8
"""How many threads the jail may have for each process that it may have."""
MEMORY_EVERY_SECONDS = 0.1
OWNER_READS_WITHIN_SECONDS = 10.0
CONNECT_SECONDS = 2.0
LAST_WORDS_SECONDS = 0.5
SWEEP_SECONDS = 2.0
SWEEP_AGAIN_SECONDS = 0.001
SERVICE_OUTPUT_BYTES = 32 * 1024 * 1024
CHUNK = 65536
PAGE = resource.getpagesize()
FILTERS = {7: "/run/rw30/filter", 8: "/run/rw30/host-filter"}
"""System-call filters, by the stream at which a launcher finds them open."""
STREAMS = (4, 5, 6)
"""Where a started program finds its standard streams; 0 to 2 stay with the launcher for its own errors."""


class Warden:
    def __init__(self, control: socket.socket, inherited: list[int]) -> None:
        self.control = control
        self.inherited = inherited
        self.received: list[int] = []
        self.unread = b""
        self.programs: dict[int, str] = {}
        self.last: str | None = None
        self.sweeper: str | None = None
        self.idle = True
        self.own_state = own_state()
        self.outputs: dict[int, tuple[str, str]] = {}
        self.output_left: dict[str, int] = {}
        self.processes: int | None = None
        self.resident_bytes: int | None = None
        self.memory_due = 0.0
        self.poll = select.poll()

    def report(self, descriptors: tuple[int, ...] = (), **event: Any) -> None:
        """One line to the owner; without an owner that reads there is nothing left to do."""
        line = json.dumps(event).encode() + b"\n"
        try:
            if descriptors:
                socket.send_fds(self.control, [line[:1]], list(descriptors))
                line = line[1:]
            self.control.sendall(line)
        except OSError:
            os._exit(1)

    def end(self, by: str | None = None, detail: str = "") -> NoReturn:
        until = time.monotonic() + (LAST_WORDS_SECONDS if by is None else 0)
        for descriptor in list(self.outputs):
            while time.monotonic() < until and self.read_output(descriptor):
                pass
        self.report(event="end", by=by, detail=detail)
        os._exit(0)

    def run(self) -> NoReturn:
        wakeup, wakeup_end = os.pipe()
        for descriptor in (wakeup, wakeup_end):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(wakeup_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        self.poll.register(wakeup, select.POLLIN)
        self.poll.register(self.control, select.POLLIN)
        self.report(event="ready", pid_namespace=os.stat("/proc/self/ns/pid").st_ino)
        while True:
            for descriptor, _ in self.poll.poll(None if self.idle else TICK_MS):
                if descriptor == wakeup:
                    os.read(wakeup, CHUNK)
                elif descriptor == self.control.fileno():
                    self.listen()
                elif descriptor in self.outputs:
                    self.read_output(descriptor)
            self.watch()
            self.reap()

    def listen(self) -> None:
        data, descriptors, _, _ = socket.recv_fds(self.control, CHUNK, 12)
        self.received += map(above_streams, descriptors)
        if not data:
            os._exit(0)
        *lines, self.unread = (self.unread + data).split(b"\n")
        for line in lines:
            self.obey(json.loads(line))

    def obey(self, request: dict[str, Any]) -> None:
        try:
            match request["do"]:
                case "limit":
                    self.limit(request)
                case "forward":
                    forward(request["port"], request["socket"])
                    self.report(event="forwarding", port=request["port"])
                case "start":
                    self.start(request)
                case "serve":
                    self.serve(request)
                case "signal":
                    self.signal(request["id"], request["signal"])
                case "connect":
                    self.connect(request["id"], request["port"])
                case _:
                    self.end()
        except (OSError, ValueError) as error:
            self.report(event="failed", id=request.get("id"), error=f"{request['do']}: {error}")

    def limit(self, request: dict[str, Any]) -> None:
        self.processes = request["processes"]
        self.resident_bytes = request["resident_bytes"]
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for kind, value in (
            (resource.RLIMIT_FSIZE, request["file_bytes"]),
            (resource.RLIMIT_AS, request["address_space_bytes"]),
        ):
            if value is not None:
                resource.setrlimit(kind, (value, value))
        self.own_state = own_state()

    def spawn(self, request: dict[str, Any], actions: list[tuple[Any, ...]]) -> None:
        argv: list[str] = request["argv"]
        pid = os.posix_spawn(
            argv[0],
            argv,
            request["env"],
            file_actions=[
                *actions,
                *((os.POSIX_SPAWN_OPEN, stream, path, os.O_RDONLY, 0) for stream, path in FILTERS.items()),
            ],
            setsid=True,
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
        self.programs[pid] = request["id"]
        self.idle = False

    def start(self, request: dict[str, Any]) -> None:
        streams, rest = (self.received[:3], self.received[3:]) if self.received else (self.inherited, [])
        self.received = rest
        try:
            self.spawn(
                request,
                [(os.POSIX_SPAWN_DUP2, mine, its) for mine, its in zip(streams, STREAMS, strict=True)],
            )
        finally:
            for descriptor in streams:
                os.close(descriptor)
        if request["last"]:
            self.last = request["id"]
        if request.get("sweeps"):
            self.sweeper = request["id"]

    def serve(self, request: dict[str, Any]) -> None:
        nothing = above_streams(os.open("/dev/null", os.O_RDONLY))
        ends = [above_streams(end) for pair in (os.pipe(), os.pipe()) for end in pair]
        sources, sinks = ends[0::2], ends[1::2]
        actions = [
            (os.POSIX_SPAWN_DUP2, mine, its) for mine, its in zip((nothing, *sinks), STREAMS, strict=True)
        ]
        self.spawn(request, actions)
        for descriptor in (nothing, *sinks):
            os.close(descriptor)
        self.output_left[request["id"]] = SERVICE_OUTPUT_BYTES
        for descriptor, stream in zip(sources, ("stdout", "stderr"), strict=True):
            os.set_blocking(descriptor, False)
            self.outputs[descriptor] = (request["id"], stream)
            self.poll.register(descriptor, select.POLLIN)

    def read_output(self, descriptor: int) -> bool:
        """Passes on what a service wrote; false when there is nothing more for now."""
        service, stream = self.outputs[descriptor]
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self.poll.unregister(descriptor)
            del self.outputs[descriptor]
            os.close(descriptor)
            return False
        kept = data[: self.output_left[service]]
        self.output_left[service] -= len(kept)
        if kept:
            self.report(
                event="output", id=service, stream=stream, text=kept.decode("utf-8", "surrogateescape")
            )
        return True

    def signal(self, program: str, number: int) -> None:
        """Signals the program itself, which is the one child of its launcher."""
        for launcher, name in self.programs.items():
            if name == program:
                for pid in children_of(launcher) or [launcher]:
                    os.kill(pid, number)

    def connect(self, request: str, port: int) -> None:
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=CONNECT_SECONDS)
        except OSError as error:
            self.report(event="connected", id=request, error=str(error))
            return
        connection.setblocking(True)
        self.report((connection.fileno(),), event="connected", id=request, error=None)
        connection.close()

    def reap(self) -> bool:
        """Collects ended processes, orphans included; true when none is left. Ends the jail with its last
        program, and sweeps after one that asked for it."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            program = self.programs.pop(pid, None)
            if program is not None:
                code = os.waitstatus_to_exitcode(status)
                self.report(event="exit", id=program, code=code if code >= 0 else 128 - code)
                if program == self.last:
                    self.end()
                if program == self.sweeper:
                    self.sweep(program)

    def sweep(self, program: str) -> None:
        """Ends every process but this one, and says so. Whatever loses its parent becomes a child of this
        process, so that nobody is left when it has no child; a fork cannot outrun a signal to all."""
        self.sweeper = None
        until = time.monotonic() + SWEEP_SECONDS
        while True:
            kill_others()
            if self.reap():
                break
            if time.monotonic() > until:
                self.end()
            time.sleep(SWEEP_AGAIN_SECONDS)
        left = len(others())
        self.idle = left == 0
        self.report(event="swept", id=program, left=left, reusable=own_state() == self.own_state)

    def watch(self) -> None:
        """Ends the jail when it has more processes or holds more memory than it may."""
        pids = others()
        if self.processes is not None:
            if len(pids) > self.processes:
                self.end("processes", f"{len(pids)} processes, {self.processes} are allowed")
            running, allowed = sum(map(threads, pids)), self.processes * THREADS_A_PROCESS
            if running > allowed:
                self.end("processes", f"{running} threads of {len(pids)} processes, {allowed} are allowed")
        now = time.monotonic()
        if self.resident_bytes is None or now < self.memory_due:
            return
        held = sum(map(resident, pids))
        if held > self.resident_bytes:
            held = sum(map(own_share, pids))
            if held > self.resident_bytes:
                self.end("resident_bytes", f"{held} bytes of memory, {self.resident_bytes} are allowed")
        self.memory_due = now + MEMORY_EVERY_SECONDS


def others() -> list[str]:
    """Every process of the jail but this one."""
    return [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def own_state() -> tuple[object, ...]:
    """What programs can change of this process, having the same user, and what the next one would inherit."""
    kinds = sorted(getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))
    limits = [resource.getrlimit(kind) for kind in kinds]
    return limits, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), os.sched_getaffinity(0)


def threads(pid: str) -> int:
    """How many threads a process has, its first included: each takes a number of the machine's."""
    try:
        return os.stat(f"/proc/{pid}/task").st_nlink - 2
    except OSError:
        return 1


def resident(pid: str) -> int:
    """Bytes in memory, pages shared with other processes included: quick, and never too low."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def own_share(pid: str) -> int:
    """Bytes in memory, a shared page divided among those who share it: slower, and exact in sum."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith(b"Pss:"))
    except (StopIteration, ProcessLookupError, FileNotFoundError):
        return 0
    except OSError:
        return resident(pid)


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError):
                continue
            if parent == pid:
                found.append(int(name))
    return found


def kill_others() -> None:
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return  # there are none


def above_streams(descriptor: int) -> int:
    """The same open file under a number that no standard stream is placed on, closed on exec."""
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


def forward(port: int, path: str) -> None:
    """Listens on 127.0.0.1:port and joins each connection with one to the unix socket at `path`."""
    import threading

    listener = socket.create_server(("127.0.0.1", port), backlog=64)

    def accept() -> None:
        while True:
            inner, _ = listener.accept()
            threading.Thread(target=join, args=(inner,), daemon=True).start()

    def join(inner: socket.socket) -> None:
        outer = socket.socket(socket.AF_UNIX)
        try:
            outer.connect(path)
        except OSError:
            inner.close()
            return
        inner.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        back = threading.Thread(target=pump, args=(outer, inner), daemon=True)
        back.start()
        pump(inner, outer)
        back.join()
        inner.close()
        outer.close()

    threading.Thread(target=accept, daemon=True).start()


def pump(source: socket.socket, sink: socket.socket) -> None:
    """Copies until the source ends, then says so to the sink; a sink that is gone ends the source too."""
    try:
        while data := source.recv(CHUNK):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for side in (source, sink):
            shut(side)


def shut(side: socket.socket) -> None:
    try:
        side.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it was shut


def main() -> NoReturn:
    control, *inherited = (above_streams(int(argument)) for argument in sys.argv[1:])
    owner = socket.socket(fileno=control)
    owner.settimeout(OWNER_READS_WITHIN_SECONDS)
    Warden(owner, inherited).run()


if __name__ == "__main__":
    main()
