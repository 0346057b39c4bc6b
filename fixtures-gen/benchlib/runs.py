"""How a command of a candidate ended, with a note for a person."""

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchlib import jail

PYTHON = ("python3.12", "-E", "-S")
_TAIL_LINES = 4
_TAIL_CHARACTERS = 600


class CommandFailed(Exception):
    """A candidate's command ended wrongly; the message says which, how, and the end of what it printed."""


@dataclass(frozen=True)
class Run:
    """One command of a candidate, ended."""

    command: str
    exit: int | None
    """Exit status; None when it was ended from outside."""
    stdout: bytes
    stderr: bytes
    seconds: float
    ended_by: str | None
    """The bound that ended it (`seconds`, `processes`, …); None when it ended by itself."""
    limit_seconds: float
    services: Mapping[str, bytes] = field(default_factory=dict)
    """What each service of the fixture printed, by id."""

    @property
    def succeeded(self) -> bool:
        """Whether it exited 0 by itself."""
        return self.exit == 0 and self.ended_by is None

    def says(self) -> str:
        """How it ended, for a person."""
        if self.ended_by == "seconds":
            how = f"timed out: still running after its limit of {self.limit_seconds:g} s"
        elif self.ended_by is not None:
            how = f"was ended because it hit the bound '{self.ended_by}'"
        else:
            how = f"exited {self.exit}"
        last = tail(self.stderr) or tail(self.stdout)
        return f"`{self.command}` {how}{f'; it printed last: {last}' if last and not self.succeeded else ''}"


_ran: list[tuple[float, float]] = []
"""Begin and end of each run, on the monotonic clock."""


def spent_seconds() -> float:
    """Wall time in which the candidate ran, side by side counted once: the rest is the judge's own share."""
    spent, until = 0.0, 0.0
    for began, ended in sorted(_ran):
        spent += max(ended - max(began, until), 0.0)
        until = max(until, ended)
    return spent


@contextmanager
def at_work() -> Iterator[None]:
    """Time in which the judge waits for a server of the candidate: to start, to answer, to stop."""
    began = time.monotonic()
    try:
        yield
    finally:
        _ran.append((began, time.monotonic()))


def ended(command: Sequence[str], done: jail.Completed, seconds: float) -> Run:
    """The run that a jail completed just now; its time counts as the candidate's."""
    now = time.monotonic()
    _ran.append((now - done.seconds, now))
    return told(command, done, seconds)


def told(command: Sequence[str], done: jail.Completed, seconds: float) -> Run:
    """What a jail completed, as a run; its time is counted by others."""
    return Run(
        command=shown(command),
        exit=done.returncode,
        stdout=done.stdout,
        stderr=done.stderr,
        seconds=done.seconds,
        ended_by=done.ended_by,
        limit_seconds=seconds,
        services=done.services,
    )


def shown(command: Sequence[str]) -> str:
    """A command as a person would type it."""
    words = ["python", *command[len(PYTHON) :]] if tuple(command[: len(PYTHON)]) == PYTHON else list(command)
    words = ["…" if "\n" in word else word for word in words]
    return shlex.join(words)


def tail(output: bytes) -> str:
    """The last lines of an output, in one line."""
    lines = output[-8 * _TAIL_CHARACTERS :].decode("utf-8", "replace").strip().splitlines()
    return " | ".join(line.strip() for line in lines[-_TAIL_LINES:])[-_TAIL_CHARACTERS:]
