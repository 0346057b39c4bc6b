"""Running a candidate's work: a clean workspace plus copies of what it made, in the jail, with a note when a
run goes wrong.
"""

import csv
import io
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypedDict, Unpack

from benchlib import cache, jail
from benchlib.layout import copy_work, lay_tree, make_folders
from benchlib.names import FixtureName, Scale
from benchlib.readers import Json, Outputs, parse_json, utf8
from benchlib.task import Task, TaskError

RUN_SECONDS = 120.0
"""Limit of a run that states no other: generous for the small tasks."""

PROBE_SECONDS = 30.0
PYTHON = ("python3.12", "-E", "-S")
_TAIL_LINES = 4
_TAIL_CHARACTERS = 600

_IMPORT_PROBE = """
import importlib, importlib.util, sys
name = sys.argv.pop(1)
sys.path.insert(0, "")
spec = importlib.util.find_spec(name)
if spec is not None and spec.submodule_search_locations is not None:
    name += ".__main__"
    spec = importlib.util.find_spec(name)
if spec is None or spec.loader is None:
    sys.exit(f"no module {name}")
spec.loader.get_code(name)
try:
    importlib.import_module(name)
except SystemExit:
    pass
"""


class CommandFailed(Exception):
    """A candidate's command ended wrongly; the message says which, how, and the end of what it printed."""


class Options(TypedDict, total=False):
    """What a run may be given besides its command."""

    stdin: bytes
    env: Mapping[str, str]
    cwd: str
    """Relative to the workspace."""
    services: Sequence[jail.Service]
    """Loopback servers of the fixture, beside the candidate for this run."""


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
        last = _tail(self.stderr) or _tail(self.stdout)
        return f"`{self.command}` {how}{f'; it printed last: {last}' if last and not self.succeeded else ''}"


@dataclass(frozen=True)
class Workspace:
    """One workspace of a candidate. Only its editable paths can be written by what runs in it; what runs
    leave there stays.
    """

    root: Path
    fixture: "Fixture"
    outputs: Outputs

    def add_stage(self, stage: str) -> None:
        """Lay the clean files of a later stage over it, as the runner does before the stage's message."""
        task, artifacts = self.fixture.task, self.fixture.artifacts
        lay_tree(self.fixture.clean(stage), self.root, editable=task.editable, left_out=artifacts)

    def run(
        self, *command: str, seconds: float = RUN_SECONDS, check: bool = True, **options: Unpack[Options]
    ) -> Run:
        """Run a command in the jail with the workspace at /workspace; with `check`, anything but exit 0
        raises `CommandFailed`.

        `seconds` is the stated generous limit of this run.
        """
        with _services_of_the_task():
            done = self.fixture.session.run(
                list(command),
                workspace=self.root,
                editable=self.fixture.task.editable,
                seconds=seconds,
                **options,
            )
        run = _ended(command, done, seconds)
        if check and not run.succeeded:
            raise CommandFailed(run.says())
        return run

    def python(
        self, *arguments: str, seconds: float = RUN_SECONDS, check: bool = True, **options: Unpack[Options]
    ) -> Run:
        """`run` with Python 3.12 in front: `workspace.python("-m", "solution.reconcile", "--bank", …)`."""
        return self.run(*PYTHON, *arguments, seconds=seconds, check=check, **options)

    @contextmanager
    def serve(
        self,
        *command: str,
        seconds: float = RUN_SECONDS,
        cwd: str = ".",
        services: Sequence[jail.Service] = (),
    ) -> Iterator["Server"]:
        """Start a server of the candidate that prints `LISTENING <port>`; it ends with the block. See
        `Server`.

        Raises `CommandFailed` when it does not get ready within `seconds`, which also bound each command
        beside it.
        """
        with ExitStack() as stack:
            with _services_of_the_task():
                served = stack.enter_context(
                    jail.serve(
                        list(command),
                        workspace=self.root,
                        editable=list(self.fixture.task.editable),
                        limits=jail.Limits(seconds=seconds),
                        cwd=cwd,
                        services=services,
                    )
                )
            yield Server(served, _shown(command), seconds)


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
            status, found, content = self.served.request(method, path, body, headers or {}, timeout)
        except (OSError, http.client.HTTPException, ValueError) as error:
            state = "still runs" if self.served.running else "has ended"
            last = _tail(self.served.stderr)
            said = f"; it printed last: {last}" if last else ""
            raise CommandFailed(
                f"{what}: no response ({type(error).__name__}: {error}); the server {state}{said}"
            ) from None
        return Response(status, found, content, what)

    def python(self, *arguments: str, stdin: bytes = b"", cwd: str = ".", check: bool = True) -> Run:
        """Run another Python command beside the server, in the same jail and workspace."""
        command = (*PYTHON, *arguments)
        done = self.served.run(list(command), stdin=stdin, cwd=cwd, seconds=self.limit_seconds)
        run = _ended(command, done, self.limit_seconds)
        if check and not run.succeeded:
            raise CommandFailed(run.says())
        return run

    def terminate(self, seconds: float = 5.0) -> Run:
        """Ask the server to stop (SIGTERM) and wait for it; it is killed after `seconds`."""
        return _ended((self.command,), self.served.terminate(seconds), seconds)


@dataclass(frozen=True)
class Fixture:
    """One fixture a candidate is judged on: pristine files to calculate from, and fresh workspaces to run
    in.
    """

    task: Task
    name: FixtureName
    scale: Scale
    judged: Path
    """The workspace under judgement; only `artifacts` are copied from it."""
    artifacts: tuple[str, ...]
    folder: Path
    """Where workspaces are made; removed by its owner."""
    session: jail.Session
    """The jail of all runs in workspaces of that folder; closed by its owner."""
    trees: dict[str, Path] = field(default_factory=dict)

    def clean(self, stage: str) -> Path:
        """Read-only tree of one stage's files."""
        if not self.trees:
            self.trees.update(cache.clean(self.task, self.name, self.scale))
        return self.trees[stage]

    def file(self, path: str, upto: str | None = None) -> Path:
        """The pristine file or folder `path` as the latest stage (up to `upto`) has it; `TaskError` when no
        stage has it.
        """
        for stage in reversed(self._stages(upto)):
            if (found := self.clean(stage) / path).exists():
                return found
        raise TaskError(f"{self.task.name}: no stage of the fixture {self.name} has {path}")

    def text(self, path: str) -> str:
        """Pristine UTF-8 text, line ends untouched."""
        return self.file(path).read_bytes().decode("utf-8")

    def csv(self, path: str) -> list[dict[str, str]]:
        """Rows of a pristine CSV file."""
        return list(csv.DictReader(io.StringIO(self.text(path), newline="")))

    def json(self, path: str) -> Any:
        """A pristine JSON document."""
        return json.loads(self.text(path))

    def workspace(self, upto: str | None = None, artifacts: Sequence[str] | None = None) -> Workspace:
        """A fresh workspace: clean files of the stages up to `upto` (all by default) and the candidate's
        artifacts.

        Below an artifact path lies what the candidate left and nothing else; the other editable paths start
        as the fixture has them.
        """
        root = Path(mkdtemp(prefix=f"{self.name}-", dir=self.folder))
        root.chmod(0o755)
        copied = self.artifacts if artifacts is None else tuple(artifacts)
        for stage in self._stages(upto):
            lay_tree(self.clean(stage), root, editable=self.task.editable, left_out=copied)
        for path in copied:
            copy_work(self.judged, root, path)
        make_folders(root, self.task.editable)
        return Workspace(root=root, fixture=self, outputs=Outputs(root))

    def _stages(self, upto: str | None) -> tuple[str, ...]:
        stages = self.task.stages
        return stages if upto is None else stages[: stages.index(upto) + 1]


def imports(module: str) -> Callable[[Fixture], None]:
    """A probe for level 1: `module`, or a package of this name with a `__main__`, compiles and imports in the
    jail.
    """

    def probe(fixture: Fixture) -> None:
        fixture.workspace().python("-c", _IMPORT_PROBE, module, seconds=PROBE_SECONDS)

    return probe


def serves(*command: str, cwd: str = ".", seconds: float = PROBE_SECONDS) -> Callable[[Fixture], None]:
    """A probe for level 1: the server prints its LISTENING line in a workspace with all stages."""

    def probe(fixture: Fixture) -> None:
        with fixture.workspace().serve(*command, cwd=cwd, seconds=seconds):
            pass

    return probe


_spent: list[float] = []


def spent_seconds() -> float:
    """Wall time of all runs of the candidate in this process, so that the judge's own share can be told."""
    return sum(_spent)


def _ended(command: Sequence[str], done: jail.Completed, seconds: float) -> Run:
    _spent.append(done.seconds)
    return Run(
        command=_shown(command),
        exit=done.returncode,
        stdout=done.stdout,
        stderr=done.stderr,
        seconds=done.seconds,
        ended_by=done.ended_by,
        limit_seconds=seconds,
        services=done.services,
    )


@contextmanager
def _services_of_the_task() -> Iterator[None]:
    """A fixture's service that fails is the judge's failure; a server that does not get ready is the
    candidate's.
    """
    try:
        yield
    except jail.ServerNotReady as error:
        raise CommandFailed(str(error)) from None
    except RuntimeError as error:
        raise TaskError(str(error)) from error


def _shown(command: Sequence[str]) -> str:
    words = ["python", *command[len(PYTHON) :]] if tuple(command[: len(PYTHON)]) == PYTHON else list(command)
    words = ["…" if "\n" in word else word for word in words]
    return shlex.join(words)


def _tail(output: bytes) -> str:
    lines = output[-8 * _TAIL_CHARACTERS :].decode("utf-8", "replace").strip().splitlines()
    return " | ".join(line.strip() for line in lines[-_TAIL_LINES:])[-_TAIL_CHARACTERS:]
