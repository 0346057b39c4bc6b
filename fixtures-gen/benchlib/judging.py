"""From checks to the verdict: levels 0 to 5 and the one JSON line that every judge.py prints.

A judge.py says what is expected, what is run, and its checks, and ends with `judging.main(...)`. Words:

- `expect(fixture) -> E` calculates from pristine files, beside the candidate's runs, in a thread of its own;
  an exception there is a failure of the judge.
- `solve(fixture) -> A` runs the candidate and reads every required output; an exception there (a command that
  fails, an output that cannot be read) means level 1 or 0.
- a check is `def name(actual: A, expected: E) -> None` with a docstring that says what holds; it raises to
  fail.
- `probe(fixture)` decides between level 0 and 1 when `solve` fails: `judging.imports("solution.x")`.
- `edge(fixture) -> None` is the one edge check; it runs what it needs in `fixture.workspace()`.
"""

import argparse
import gc
import json
import os
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NoReturn

from benchlib import jail
from benchlib.candidate import Fixture
from benchlib.comparing import Differs, VacuousCheck
from benchlib.layout import working_folder
from benchlib.names import FIXTURES, SCALES, FixtureName
from benchlib.probes import imports, serves
from benchlib.readers import Unreadable
from benchlib.runs import CommandFailed, spent_seconds
from benchlib.steps import made, tried
from benchlib.task import TaskError, read_task

__all__ = ["JudgeError", "core", "imports", "made", "main", "serves", "tried"]

EDGE = "edge"
"""The edge's name among the checks."""
NOTES_LIMIT = 20
NOTE_CHARACTERS_LIMIT = 600
ADDRESS_SPACE_BYTES = 4 << 30
"""Of the judge, several times what the largest task needs: what a candidate left meets it as a refusal."""
JUDGE_FAILED = 3
"""Exit status when the judge itself failed, which says nothing about the work."""

type Check[A, E] = Callable[[A, E], None]
type Edge = Callable[[Fixture], None]
type _Fixtures = dict[FixtureName, Fixture]


class JudgeError(Exception):
    """The judge itself cannot do its work."""


@dataclass(frozen=True)
class Checked:
    """One check that has been made. `note` is what holds, or what differed."""

    name: str
    passed: bool
    note: str
    core: bool


@dataclass(frozen=True)
class Judge[A, E]:
    """What a judge.py declares."""

    expect: Callable[[Fixture], E]
    solve: Callable[[Fixture], A]
    checks: Sequence[Check[A, E]]
    edge: Edge | None
    probe: Edge
    partial: bool = False

    def narrowed(self, names: Sequence[str] | None) -> "Judge[A, E]":
        """The judge that makes the core checks and the named ones only; itself for None."""
        if names is None:
            return self
        known = [_name(check) for check in self.checks] + [EDGE]
        if unknown := set(names) - set(known):
            raise JudgeError(f"--only {sorted(unknown)}: no such check; there are {known}")
        checks = [check for check in self.checks if check in _CORE or _name(check) in names]
        return replace(self, checks=checks, edge=self.edge if EDGE in names else None, partial=True)


_CORE: set[object] = set()


def core[A, E](check: Check[A, E]) -> Check[A, E]:
    """Mark a check as core: level 3 needs all of them, on the twin too, where answers that were written down
    are of no use. It must fail on outputs that hold a header only.
    """
    _CORE.add(check)
    return check


def main[A, E](
    judge_file: str,
    *,
    artifacts: Sequence[str],
    probe: Edge,
    expect: Callable[[Fixture], E],
    solve: Callable[[Fixture], A],
    checks: Sequence[Check[A, E]],
    edge: Edge,
) -> NoReturn:
    """Judge the workspace that the command line names, print the verdict as one JSON line and exit 0.

    `artifacts` are the paths copied from the judged workspace (`solution/`). When the judge itself fails,
    nothing is printed on standard output, the reason goes to standard error and the exit status is
    `JUDGE_FAILED`.

    With `--only NAME`, once or more, no check is made but the core ones and those named (`edge` among them),
    nor the twin; the verdict's status is `partial`, and its level the one if all others hold. With
    `--when-told` it loads, finds the fixtures, begins when an empty line comes on standard input,
    and ends when that ends.
    """
    gc.disable()  # a judge is over soon, and looking through the rows of a large fixture doubles its time
    parser = argparse.ArgumentParser(description="Judges a workspace and prints one JSON object.")
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--scale", choices=SCALES, default=os.environ.get("RW30_SCALE") or "full")
    parser.add_argument("--only", action="append", metavar="CHECK", help="a check's name, or `edge`")
    parser.add_argument(
        "--when-told",
        action="store_true",
        help="begin when an empty line comes on standard input, end when that ends",
    )
    args = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    if most == resource.RLIM_INFINITY or most > ADDRESS_SPACE_BYTES:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, most))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(JUDGE_FAILED))
    judge = Judge(expect, solve, checks, edge, probe)
    try:
        if args.scale not in SCALES:
            raise JudgeError(f"RW30_SCALE is {args.scale!r}; it must be full or small")
        if not any(check in _CORE for check in checks):
            raise JudgeError("no check is marked core")
        judge = judge.narrowed(args.only)
        with working_folder("judge") as folder, jail.Session(folder) as session:
            task, judged = read_task(Path(judge_file).parent), args.workspace.absolute()
            opened = (task, args.scale, judged, tuple(artifacts), folder, session)
            fixtures: _Fixtures = {name: Fixture(name, *opened) for name in FIXTURES}
            if args.when_told:
                for fixture in fixtures.values():
                    fixture.find()
                if os.read(0, 1) != b"\n":
                    raise JudgeError("standard input ended before it told the judge to begin")
                threading.Thread(target=_end_with_owner, daemon=True).start()
            if not judged.is_dir() or judged.is_symlink():
                raise JudgeError(f"--workspace {judged}: no such folder")
            verdict = _judge(judge, fixtures)
    except MemoryError:  # what fills it is what the candidate wrote: the fixtures need a fraction
        verdict = None
    except Exception as error:
        if isinstance(error, (JudgeError, VacuousCheck, TaskError, jail.JailUnavailable)):
            print(f"judge.py failed: {error}", file=sys.stderr)
        else:
            print(f"judge.py failed:\n{traceback.format_exc()}", file=sys.stderr)
        sys.exit(JUDGE_FAILED)
    verdict = verdict or _too_much(judge)
    print(f"candidate_seconds {spent_seconds():.3f}", file=sys.stderr)
    line = json.dumps(verdict, ensure_ascii=False).encode("utf-8", "backslashreplace")
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()
    sys.exit(0)


def _end_with_owner() -> None:
    """Nobody waits for the verdict any more when standard input ends."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _judge[A, E](judge: Judge[A, E], fixtures: _Fixtures) -> dict[str, object]:
    main_checks, solved = _main_checks(judge, fixtures["main"])
    notes = [solved] if solved else []
    all_passed = all(check.passed for check in main_checks)
    core_passed = not solved and _core_passed(main_checks)
    edge = twin = None
    if core_passed and not judge.partial:
        wanted = judge if all_passed else judge.narrowed([])
        twin_checks, problem = _main_checks(wanted, fixtures["twin"])
        core_passed = not problem and _core_passed(twin_checks)
        twin = not problem and all(check.passed for check in twin_checks) if all_passed else None
        failed = [problem] if problem else _notes(twin_checks)
        notes += [f"on other data of the same kind, {note}" for note in failed]
    if solved:
        level = _runs_at_all(judge, fixtures, notes)
    else:
        edge = _edge_check(judge.edge, fixtures["edge"]) if judge.edge else None
        level = 2 if not core_passed else 3 if not all_passed else 4 if edge and not edge.passed else 5
    if not solved:
        notes = _notes(main_checks) + notes
    if edge and not edge.passed:
        notes.append(f"edge: {edge.note}")
    return _verdict(judge, level, main_checks, notes, edge, twin)


def _too_much[A, E](judge: Judge[A, E]) -> dict[str, object]:
    """Of work whose outputs the judge cannot hold, wherever that showed."""
    note = f"the outputs take more memory to judge than {ADDRESS_SPACE_BYTES:,} bytes"
    return _verdict(judge, 1, _unmade(judge), [note])


def _verdict[A, E](
    judge: Judge[A, E],
    level: int,
    checks: Sequence[Checked],
    notes: Sequence[str],
    edge: Checked | None = None,
    twin: bool | None = None,
) -> dict[str, object]:
    return {
        "status": "partial" if judge.partial else "pass" if level == 5 else "fail",
        "progress_level": level,
        "main_checks_passed": sum(check.passed for check in checks),
        "main_checks_total": len(checks),
        "edge_check_passed": edge.passed if edge else False if judge.edge else None,
        "notes": _capped(notes),
        "checks": [asdict(check) for check in checks],
        "twin_passed": twin,
    }


def _unmade[A, E](judge: Judge[A, E]) -> list[Checked]:
    skipped = "not checked: there is no complete, readable output"
    return [Checked(_name(check), False, skipped, check in _CORE) for check in judge.checks]


def _core_passed(checks: Sequence[Checked]) -> bool:
    return all(check.passed for check in checks if check.core)


def _notes(checks: Sequence[Checked]) -> list[str]:
    return [f"{check.name}: {check.note}" for check in checks if not check.passed]


def _main_checks[A, E](judge: Judge[A, E], fixture: Fixture) -> tuple[list[Checked], str | None]:
    """The checks, and why the outputs could not be made or read (then no check was made)."""
    expecting = _Expecting(judge.expect, fixture)
    try:
        with _candidates_fault():
            actual = judge.solve(fixture)
    except _Refused as refused:
        expecting.result()
        return _unmade(judge), str(refused)
    expected = expecting.result()
    return [_checked(check, actual, expected) for check in judge.checks], None


class _Expecting[E]:
    """`expect` at work beside the candidate's runs, which are processes of their own. It begins with the
    first of them, as laying a workspace of thousands of files takes far longer beside a calculation.
    """

    def __init__(self, expect: Callable[[Fixture], E], fixture: Fixture) -> None:
        self._found: list[E] = []
        self._error: BaseException | None = None
        self._begin = fixture.session.at_work
        self._begin.clear()
        self._thread = threading.Thread(target=self._work, args=(expect, fixture), daemon=True)
        self._thread.start()

    def result(self) -> E:
        """What `expect` returned; raises what it raised."""
        self._begin.set()
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found[0]

    def _work(self, expect: Callable[[Fixture], E], fixture: Fixture) -> None:
        self._begin.wait()
        try:
            self._found.append(expect(fixture))
        except BaseException as error:  # raised again where the result is asked for
            self._error = error


def _checked[A, E](check: Check[A, E], actual: A, expected: E) -> Checked:
    try:
        with _candidates_fault():
            check(actual, expected)
    except _Refused as refused:
        return Checked(_name(check), False, _cut(str(refused)), check in _CORE)
    return Checked(_name(check), True, _cut(_doc(check)), check in _CORE)


def _edge_check(edge: Edge, fixture: Fixture) -> Checked:
    try:
        with _candidates_fault():
            edge(fixture)
    except _Refused as refused:
        return Checked(EDGE, False, f"{_doc(edge)} {refused}", False)
    return Checked(EDGE, True, _doc(edge), False)


def _runs_at_all[A, E](judge: Judge[A, E], fixtures: _Fixtures, notes: list[str]) -> int:
    try:
        with _candidates_fault():
            judge.probe(fixtures["main"])
    except _Refused as refused:
        notes.append(f"no runnable artifact: {refused}")
        return 0
    return 1


class _Refused(Exception):
    pass


@contextmanager
def _candidates_fault() -> Iterator[None]:
    """Turn what the candidate's work may cause into `_Refused` with a note; failures of the judge pass
    through.
    """
    try:
        yield
    except (JudgeError, VacuousCheck, TaskError, jail.JailUnavailable, OSError):
        raise
    except (Differs, Unreadable, CommandFailed) as error:
        raise _Refused(str(error)) from None
    except AssertionError as error:
        raise _Refused(str(error) or "does not hold") from None
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(at.filename).name}:{at.lineno}"
        said = f"{type(error).__name__}: {error} ({where})"
        raise _Refused(f"could not be evaluated on this output: {said}") from error


def _name(check: object) -> str:
    return str(getattr(check, "__name__", check)).replace("_", " ")


def _doc(check: object) -> str:
    return " ".join((getattr(check, "__doc__", None) or "").split())


def _cut(note: str) -> str:
    return note if len(note) <= NOTE_CHARACTERS_LIMIT else f"{note[: NOTE_CHARACTERS_LIMIT - 1]}…"


def _capped(notes: Sequence[str]) -> list[str]:
    more = len(notes) - NOTES_LIMIT
    return [_cut(note) for note in notes[:NOTES_LIMIT]] + ([f"and {more} more notes"] if more > 0 else [])
