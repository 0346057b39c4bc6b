"""Runs of a candidate, one after another, in one jail."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchlib import jail_layout as layout
from benchlib.jail_image import ensure_image
from benchlib.jail_layout import Limits
from benchlib.jail_owner import OpenJail
from benchlib.jail_services import Service, open_jail, start_services
from benchlib.jail_streams import Command

NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True)
class Completed:
    """How a command ended."""

    returncode: int | None
    """128 + N after signal N, 127 for a missing program; null when a bound ended it."""
    stdout: bytes
    stderr: bytes
    seconds: float
    ended_by: str | None
    """Name of the bound (a field of Limits) that ended it, else null."""
    survivors: int
    """Processes of the namespace that were alive after the end: 0, or the sandbox is broken."""
    services: Mapping[str, bytes] = field(default_factory=dict)
    """What each service printed on its standard output, by id."""
    service_ports: Mapping[str, int] = field(default_factory=dict)


def completed(
    jail: OpenJail,
    command: Command,
    ended_by: str | None,
    services: Sequence[Service],
    ports: Mapping[str, int],
) -> Completed:
    """How a command has ended. What holds its streams open must have ended before."""
    stdout, stderr = command.stdout.finish(), command.stderr.finish()
    if command.budget.exceeded:
        ended_by = "output_bytes"
    return Completed(
        returncode=None if ended_by is not None else command.code,
        stdout=stdout,
        stderr=stderr,
        seconds=(command.ended or time.monotonic()) - command.started,
        ended_by=ended_by,
        survivors=jail.survivors,
        services={service.id: jail.service_output(service.id) for service in services},
        service_ports=ports,
    )


class Session:
    """Runs of workspaces below one folder. A context manager: entering it begins to open the jail, which is
    opened anew by the first run after one that hit a bound, and leaving it ends the jail.

    A run finds nothing of the one before it but its editable folders: its end is the end of every process,
    and it has its own /tmp, /dev/shm, loopback and System V objects. Runs of several threads take turns.
    """

    def __init__(self, folder: Path, limits: Limits = Limits()) -> None:
        self._folder = folder.resolve(strict=True)
        self._limits = limits
        self._jail: OpenJail | None = None
        self._stands = False
        self._turn = threading.RLock()
        self.at_work = threading.Event()
        """Set when a run has started; whoever wants to know of the next one clears it."""

    def __enter__(self) -> Session:
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self,
        command: Sequence[str],
        *,
        workspace: Path,
        editable: Sequence[str],
        stdin: bytes = b"",
        env: Mapping[str, str] = NOTHING,
        cwd: str = ".",
        seconds: float | None = None,
        services: Sequence[Service] = (),
    ) -> Completed:
        """Runs a command to its end or to a bound; what it left running ends with it.

        `cwd` is relative to the workspace; `env` is added to `jail_layout.ENVIRONMENT`; `seconds` replaces
        the bound of the session. With services it has a jail of its own. Raises JailUnavailable when the jail
        itself fails, ServiceFailed when a service does, ValueError for a workspace that is not below the
        session's folder, and for an editable path that is no plain folder of the workspace.
        """
        seconds = self._limits.seconds if seconds is None else seconds
        if services:
            with open_jail(workspace, editable, self._limits, services) as jail:
                ports = start_services(jail, services, workspace)
                view = layout.candidate_view(jail.image)
                started = jail.start(command, view=view, stdin=stdin, env=env, cwd=cwd, last=True)
                self.at_work.set()
                ended_by = jail.wait(started, seconds)
            jail.check()
            return completed(jail, started, ended_by, services, ports)
        root = workspace.resolve(strict=True)
        writable = layout.editable_folders(root, editable)
        with self._turn:
            try:
                jail = self._opened()
                name = str(root.relative_to(self._folder))
                view = layout.run_view(jail.image, name, writable, self._limits.tmp_bytes)
                started = jail.start(command, view=view, stdin=stdin, env=env, cwd=cwd, sweeps=True)
                self.at_work.set()
                ended_by = jail.wait(started, seconds)
                if ended_by is not None or not jail.swept(started) or _may_not_have_started(started):
                    self.close()
                    jail.check()
            except BaseException:
                self.close()
                raise
            return completed(jail, started, ended_by, (), {})

    def close(self) -> None:
        """Ends the jail, if one is open."""
        with self._turn:
            if self._jail is not None:
                self._jail.close()
                self._jail = None

    def _opened(self) -> OpenJail:
        if self._jail is not None and self._jail.gone:
            self.close()
        jail = self._jail or self._open()
        if not self._stands:
            jail.ready()
            self._stands = True
        return jail

    def _open(self) -> OpenJail:
        jail = OpenJail(ensure_image(layout.shell_script), layout.session_binds(self._folder), self._limits)
        jail.open()
        self._jail, self._stands = jail, False
        return jail


def _may_not_have_started(command: Command) -> bool:
    """Whether it may have been the launcher that failed, which a jail tells for certain when it is closed."""
    return command.code == 1 and not command.stdout.finish() and not command.stderr.finish()
