"""Proofs of a task: its reference reaches level 5, each near miss its stated level, its seed is
deterministic.

`tasks/NN/reference/<stage>/` holds files laid over the workspace and `commands` (a line each, run after
them);
`reference/near-misses.json` lists deviations from the finished reference:

    {"breaks": "the rule, in words", "level": 3,
     "edits": [{"file": "solution/x.py", "find": "exactly once", "replace": "…"}],   and / or
     "files": {"path": "content"}, "remove": ["path"],
     "fails": ["check name", "edge"],  all of them must be among the failed checks; no other is made
                                       where these decide
     "twin": false}
"""

import difflib
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

from benchlib import cache, forked, jail, judging
from benchlib.layout import working_folder
from benchlib.names import FIXTURES, Scale
from benchlib.task import Task, TaskError
from benchlib.workspaces import lay_stages

JUDGE_SECONDS = 1800
COMMAND_SECONDS = 600.0
REFERENCE, EMPTY, DETERMINISM, LEVELS = (
    "reference",
    "empty",
    "seed is deterministic",
    "every level has an example",
)


@dataclass(frozen=True)
class Case:
    """One thing to prove, and what is expected of the judge."""

    name: str
    level: int | None = None
    """Expected level; None for a case without a judgement."""
    fails: tuple[str, ...] = ()
    twin: bool | None = None
    """Expected `twin_passed`; None when nothing is expected."""
    edits: tuple[Mapping[str, str], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    remove: tuple[str, ...] = ()


def cases(task: Task) -> list[Case]:
    """All cases of a task. Raises `TaskError` for a near-misses.json that cannot be read."""
    path = task.directory / "reference/near-misses.json"
    try:
        near_misses = [_near_miss(entry) for entry in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TaskError(f"{path}: {error!r}") from error
    fixed = [Case(REFERENCE, level=5, twin=True), Case(EMPTY, level=0), Case(DETERMINISM), Case(LEVELS)]
    found = fixed + near_misses
    if twice := {case.name for case in found if [other.name for other in found].count(case.name) > 1}:
        raise TaskError(f"{path}: stated twice: {', '.join(sorted(twice))}")
    return found


def run(task: Task, name: str, scale: Scale, judge: CodeType | None = None) -> dict[str, Any]:
    """Make one case and judge it: the judge's object plus `problems`, what was not as stated (empty when the
    case holds). With the compiled `judge` it is run in a forked process; the reference always by its command.
    """
    known = {case.name: case for case in cases(task)}
    if name not in known:
        close = difflib.get_close_matches(name, known, 3, 0.3)
        raise TaskError(f"{task.name} has no case {name!r}; did you mean {close}?")
    case = known[name]
    with working_folder("proof") as folder:
        if case.name == DETERMINISM:
            return {"problems": _seed_differences(task, scale, folder)}
        if case.name == LEVELS:
            missing = sorted(set(range(6)) - {other.level for other in known.values()})
            return {"problems": [f"no case is stated to reach level {level}" for level in missing]}
        workspace = folder / "workspace"
        workspace.mkdir()
        if case.name != EMPTY:
            _lay_reference(task, workspace, scale, run_commands=case.name == REFERENCE)
            _deviate(case, workspace)
        code = None if case.name == REFERENCE else judge
        verdict = _judge(task, workspace, scale, _deciding(case), code)
    return verdict | {"problems": _unexpected(case, verdict)}


def _near_miss(entry: dict[str, Any]) -> Case:
    if unknown := set(entry) - {"breaks", "level", "edits", "files", "remove", "fails", "twin"}:
        raise ValueError(f"unknown keys {sorted(unknown)}")
    return Case(
        name=entry["breaks"],
        level=entry["level"],
        fails=tuple(entry.get("fails", ())),
        twin=entry.get("twin"),
        edits=tuple(entry.get("edits", ())),
        files=entry.get("files", {}),
        remove=tuple(entry.get("remove", ())),
    )


def _lay_reference(task: Task, workspace: Path, scale: Scale, *, run_commands: bool) -> None:
    for stage in task.stages:
        lay_stages(task, workspace, "main", scale, (stage,))
        source = task.directory / "reference" / stage
        for path in sorted(source.rglob("*")):
            relative = path.relative_to(source)
            if path.is_file() and relative != Path("commands") and "__pycache__" not in relative.parts:
                target = workspace / relative
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)
                shutil.copy(path, target)
        commands = source / "commands"
        if run_commands and commands.exists():
            for line in commands.read_text("utf-8").splitlines():
                _run_command(task, workspace, scale, line)


def _run_command(task: Task, workspace: Path, scale: Scale, line: str) -> None:
    done = jail.run(
        ["/bin/sh", "-c", line],
        workspace=workspace,
        editable=list(task.editable),
        limits=jail.Limits(seconds=COMMAND_SECONDS),
        services=_services(task, scale),
    )
    if done.returncode != 0:
        error = done.stderr.decode("utf-8", "replace")[-2000:]
        raise TaskError(
            f"{task.name}: reference command `{line}` exited {done.returncode} ({done.ended_by}): {error}"
        )


def _services(task: Task, scale: Scale) -> list[jail.Service]:
    """The services of scenario.json, as an attempt starts them."""
    mounts = {"task": task.directory}
    if task.services:
        mounts["fixture"] = cache.clean(task, "main", scale)[task.stages[0]]
    return [
        jail.Service(
            id=service["id"],
            command=[
                word.replace("{fixture}", jail.service_path(service["id"], "fixture"))
                for word in service["command"]
            ],
            mounts=mounts,
            cwd="task",
            url_file=service["url_file"],
        )
        for service in task.services
    ]


def _deviate(case: Case, workspace: Path) -> None:
    for path in case.remove:
        target = workspace / path
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    for path, content in case.files.items():
        target = workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, "utf-8", newline="")
    for edit in case.edits:
        target = workspace / edit["file"]
        text = target.read_text("utf-8")
        if (count := text.count(edit["find"])) != 1:
            where = f"near miss {case.name!r}, {edit['file']}"
            raise TaskError(f"{where}: {edit['find']!r} occurs {count} times, expected once")
        target.write_text(text.replace(edit["find"], edit["replace"]), "utf-8", newline="")


def _deciding(case: Case) -> tuple[str, ...]:
    """The checks that decide whether a case holds, beside the core ones; none when that takes them all. Once
    a main check that it names fails, its level follows from the core checks.
    """
    decided = case.level in (2, 3) and case.twin is None and set(case.fails) - {judging.EDGE}
    return case.fails if decided else ()


def _judge(
    task: Task, workspace: Path, scale: Scale, only: Sequence[str], code: CodeType | None
) -> dict[str, Any]:
    script = task.directory / "judge.py"
    arguments = ["--workspace", str(workspace), "--scale", scale]
    arguments += [word for name in only for word in ("--only", name)]
    if code:
        done = forked.run_script(code, script, arguments, JUDGE_SECONDS)
    else:
        command = [sys.executable, "-E", "-S", str(script), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=JUDGE_SECONDS)
    if done.returncode != 0:
        raise TaskError(f"{task.name}: judge.py exited {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def _unexpected(case: Case, verdict: dict[str, Any]) -> list[str]:
    problems = []
    if verdict["progress_level"] != case.level:
        problems.append(f"level {verdict['progress_level']}, expected {case.level}")
    names = {check["name"] for check in verdict["checks"]} | {judging.EDGE}
    if unknown := sorted(set(case.fails) - names):
        return [*problems, f"fails: no check is called {unknown}; there are {sorted(names)}"]
    failed = {check["name"] for check in verdict["checks"] if not check["passed"]}
    failed |= {judging.EDGE} if verdict["edge_check_passed"] is False else set()
    problems += [
        f"{name!r} did not fail; failed: {sorted(failed)}" for name in case.fails if name not in failed
    ]
    if case.twin is not None and verdict["twin_passed"] is not case.twin:
        problems.append(f"twin_passed is {verdict['twin_passed']}, expected {case.twin}")
    return problems


def _seed_differences(task: Task, scale: Scale, folder: Path) -> list[str]:
    """Run the seed twice in surroundings that differ in all that must not matter, and stage by stage."""
    problems = []
    surroundings: list[dict[str, Any]] = [
        {
            "cwd": folder,
            "umask": 0o077,
            "env": {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "1"},
        },
        {
            "cwd": "/",
            "umask": 0o002,
            "env": {"TZ": "America/St_Johns", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2"},
        },
    ]
    for fixture in FIXTURES:
        digests = []
        for index, process in enumerate(surroundings):
            process["env"]["PATH"] = os.environ.get("PATH", "")
            out = folder / f"{fixture}-{index}"
            cache.run_seed(task, fixture, scale, out, honour_environment=True, **process)
            digests.append(_tree_digests(out))
        single = folder / f"{fixture}-single"
        for stage in task.stages:
            cache.run_seed(task, fixture, scale, single / stage, stage=stage)
        digests.append(_tree_digests(single))
        for other in digests[1:]:
            differing = sorted(name for name in digests[0] | other if digests[0].get(name) != other.get(name))
            problems += [f"{fixture} {name}: differs from one run to the next" for name in differing]
    return problems


def _tree_digests(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): f"{path.stat().st_mode:o} {path.stat().st_mtime} "
        + hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }
