"""Running a candidate's work: a clean workspace plus copies of what it made, in the jail, with a note when a
run goes wrong.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypedDict, Unpack

from benchlib import cache, jail
from benchlib.layout import copy_work, lay_tree, make_folders
from benchlib.names import FixtureName, Scale
from benchlib.readers import Outputs
from benchlib.runs import PYTHON, CommandFailed, Run, at_work, ended, shown
from benchlib.servers import Server
from benchlib.task import Task, TaskError

__all__ = ["CommandFailed", "Fixture", "Workspace"]

RUN_SECONDS = 120.0
"""Limit of a run that states no other: generous for the small tasks."""

BOUNDED = ("/bin/sh", "-c", 'ulimit -v "$0"; exec "$@"')
"""Begins a command that has fewer KiB of address space, the next word, than the jail allows."""


class Options(TypedDict, total=False):
    """What a run may be given besides its command."""

    stdin: bytes
    env: Mapping[str, str]
    cwd: str
    """Relative to the workspace."""
    services: Sequence[jail.Service]
    """Loopback servers of the fixture, beside the candidate for this run."""


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
        self,
        *command: str,
        seconds: float = RUN_SECONDS,
        address_space_bytes: int | None = None,
        check: bool = True,
        **options: Unpack[Options],
    ) -> Run:
        """Run a command in the jail with the workspace at /workspace; with `check`, anything but exit 0
        raises `CommandFailed`.

        `seconds` is the stated generous limit of this run, `address_space_bytes` one of each process, for a
        task that states it; the jail's own otherwise.
        """
        bounds = () if address_space_bytes is None else (*BOUNDED, str(address_space_bytes // 1024))
        with _services_of_the_task():
            done = self.fixture.session.run(
                [*bounds, *command],
                workspace=self.root,
                editable=self.fixture.task.editable,
                seconds=seconds,
                **options,
            )
        run = ended(command, done, seconds)
        if check and not run.succeeded:
            raise CommandFailed(run.says())
        return run

    def python(
        self,
        *arguments: str,
        seconds: float = RUN_SECONDS,
        address_space_bytes: int | None = None,
        check: bool = True,
        **options: Unpack[Options],
    ) -> Run:
        """`run` with Python 3.12 in front: `workspace.python("-m", "solution.reconcile", "--bank", …)`."""
        command = (*PYTHON, *arguments)
        return self.run(
            *command, seconds=seconds, address_space_bytes=address_space_bytes, check=check, **options
        )

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
            with _services_of_the_task(), at_work():
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
            yield Server(served, shown(command), seconds)


@dataclass(frozen=True)
class Fixture:
    """One fixture a candidate is judged on: pristine files to calculate from, and fresh workspaces to run
    in.
    """

    name: FixtureName
    task: Task
    scale: Scale
    judged: Path
    """The workspace under judgement; only `artifacts` are copied from it."""
    artifacts: tuple[str, ...]
    folder: Path
    """Where workspaces are made; removed by its owner."""
    session: jail.Session
    """The jail of all runs in workspaces of that folder; closed by its owner."""
    trees: dict[str, Path] = field(default_factory=dict)

    def small(self) -> "Fixture":
        """The same fixture with less filler, for whatever does not depend on size."""
        return replace(self, scale="small", trees={})

    def find(self) -> None:
        """Find the files ahead, if they are made: to make them would disturb whoever is at work."""
        if cache.is_made(self.task, self.name, self.scale):
            self.clean(self.task.stages[0])

    def clean(self, stage: str) -> Path:
        """Read-only tree of one stage's files."""
        if stage not in self.trees or not self.trees[stage].is_dir():
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
