"""Judges task 15: the newest eligible versions are planned and restored, and the rest is warned of."""

import json
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace

SECONDS, MOSTLY, HALF = 60.0, 0.85, 0.5
ZONE = {"TZ": "XST+07:30"}  # seven and a half hours behind UTC
LIMIT = 1 << 20
PLAN, WARNINGS, RESTORED = "restore_plan.csv", "warnings.csv", "restored"
UNSAFE, NONE = "unsafe_member", "no_eligible_version"
VERSION = ["path", "archive", "member", "member_timestamp", "size", "bytes"]
FIELDS = {PLAN: VERSION[:-1], WARNINGS: ["path", "reason"], RESTORED: ["path", "bytes"]}
TAR, ZIP, GZ = "snapshot-01.tar", "snapshot-02.zip", "snapshot-03.tar.gz"
RENAMED = {TAR: "daily-9.tar", ZIP: "daily-10.zip", GZ: "Weekly.1.tar.gz"}
OTHER_PATHS = ["tie/two.txt", "tie/tar-and-zip.txt", "docs/report.txt", "docs-old/report.txt", "Zeta.txt"]
OTHER = {"cutoff": "2025-04-26T00:00:00Z", "paths": ["config/app.ini", *OTHER_PATHS, "notes/dot.txt"]}
NOTHING = {"cutoff": "2025-05-01T12:00:00Z", "paths": ["config/app.ini"]}

type Row = dict[str, str]
type Result = dict[str, list[Row]]  # of both CSV files and, with bytes as Latin-1, of the restored files
type RegularFile = tuple[str, datetime, bytes]  # stored name, time, content

ANCHORS = {
    ("config/app.ini", TAR, "2025-04-28T06:00:00Z"),
    ("cutoff/fraction.txt", GZ, "2025-05-01T12:00:00Z"),
    ("notes/dot.txt", GZ, "2025-04-30T09:30:00Z"),
}
EDGE_CONTENT = "kept/older.txt as of 04-01T08:00:00 in snapshot-01.tar\n"
EDGE_KEPT = ["kept/older.txt", TAR, "kept/older.txt", "2025-04-01T08:00:00Z", "55", EDGE_CONTENT]
EDGE_UNSAFE = ["kept/inner.txt", "requested.txt", "srv/absolute.txt", "srv/in-tar.txt"]
EDGE_NONE = ["late.txt", "link.txt"]


@dataclass
class Work:
    """The results of the inputs, and of other folders: the same archives, then none over that and anew."""

    main: Result
    others: list[Result | Exception]
    slips: Sequence[str] = ()


def expect(fixture: Fixture) -> Work:
    """Calculate the results from the pristine inputs, where every name is safe."""
    archives = {name: list(regular_files(fixture.file(f"inputs/{name}"))) for name in RENAMED}
    main = restore(archives, fixture.json("inputs/restore_request.json"))
    found = {(row["path"], row["archive"], row["member_timestamp"]) for row in main[PLAN]}
    if missed := ANCHORS - found:
        raise judging.JudgeError(f"the calculation misses the anchors {sorted(missed)}")
    elsewhere = restore({new: archives[name] for name, new in RENAMED.items()}, OTHER)
    return Work(main, [elsewhere, restore({}, NOTHING), restore({}, NOTHING)])


def regular_files(path: Path) -> Iterator[RegularFile]:
    """The regular files of an archive in its order."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if not entry.filename.endswith("/") and entry.external_attr >> 28 in (0o00, 0o10):
                    yield entry.filename, datetime(*entry.date_time, tzinfo=UTC), archive.read(entry)
    else:
        with tarfile.open(path) as archive:
            for entry in archive:
                if entry.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and (file := archive.extractfile(entry)):
                    yield entry.name, datetime.fromtimestamp(entry.mtime // 1, UTC), file.read()


def restore(archives: Mapping[str, list[RegularFile]], request: Mapping[str, Any]) -> Result:
    """From the last archive to the first, what comes later replaces what is no newer."""
    newest: dict[str, Row] = {}
    for archive in sorted(archives, reverse=True):
        for name, time, content in archives[archive]:
            path = "/".join(part for part in name.split("/") if part not in ("", "."))
            moment, before = f"{time:%Y-%m-%dT%H:%M:%SZ}", newest.get(path, {}).get("member_timestamp", "")
            if path in request["paths"] and before <= moment <= request["cutoff"]:
                values = (path, archive, name, moment, str(len(content)), content.decode("latin-1"))
                newest[path] = dict(zip(VERSION, values, strict=True))
    lost = set(request["paths"]) - set(newest)
    return result([newest[path] for path in sorted(newest)], dict.fromkeys(lost, NONE))


def result(restored: list[Row], reasons: Row) -> Result:
    warnings = [{"path": path, "reason": reasons[path]} for path in sorted(reasons)]
    return {PLAN: restored, WARNINGS: warnings, RESTORED: restored}


def solve(fixture: Fixture) -> Work:
    """Run the command on the inputs, on the same archives elsewhere, and on none with two output folders."""
    workspace = fixture.workspace()
    (workspace.root / "output/other").mkdir()
    main, slips = run(workspace), [*workspace.outputs.slips]
    lay(workspace, "branch/incoming", RENAMED, OTHER)
    lay(workspace, "branch/empty", {}, NOTHING)
    (workspace.root / "branch/empty/folder.tar").mkdir()
    others = [
        judging.tried(lambda: run(workspace, "branch/incoming", "output/other")),
        judging.tried(lambda: run(workspace, "branch/empty", "output/other")),
        judging.tried(lambda: run(workspace, "branch/empty", "output/branch/new")),
    ]
    return Work(main, others, slips)


def lay(workspace: Workspace, path: str, names: Mapping[str, str], request: Mapping[str, Any]) -> None:
    """Write archives of the inputs under other names, and a request."""
    folder = workspace.root / path
    folder.mkdir(parents=True)
    (folder / "restore_request.json").write_text(json.dumps(request), "utf-8")
    for name, new in names.items():
        (folder / new).write_bytes(workspace.fixture.file(f"inputs/{name}").read_bytes())


def run(workspace: Workspace, inputs: str = "inputs", output: str = "output") -> Result:
    workspace.python("-m", "solution.restore_plan", inputs, "--output", output, seconds=SECONDS, env=ZONE)
    outputs, folder = workspace.outputs, f"{output}/{RESTORED}"
    contents = {path: outputs.content(f"{folder}/{path}", LIMIT) for path in outputs.files(folder)}
    rows = {name: outputs.csv(f"{output}/{name}", FIELDS[name]) for name in (PLAN, WARNINGS)}
    return rows | {RESTORED: [{"path": path, "bytes": contents[path].decode("latin-1")} for path in contents]}


def same(actual: Result, expected: Result, *parts: str) -> None:
    for part in parts or FIELDS:
        rows, fields = (actual[part], expected[part]), FIELDS[part]
        comparing.same_rows(part, *rows, key=["path"], fields=fields, may_be_empty=True)


@judging.core
def most_files_are_restored(actual: Work, expected: Work) -> None:
    """Of 100 files 85 come from the right archive in the plan, and as many have the right bytes."""
    most(actual.main, expected.main, MOSTLY)


@judging.core
def most_files_of_another_folder_are_restored(actual: Work, expected: Work) -> None:
    """With other folders half of the files come from the right archive, and as many have the right bytes."""
    most(judging.made(actual.others[0]), judging.made(expected.others[0]), HALF)


def most(actual: Result, expected: Result, share: float) -> None:
    for part, fields in ((PLAN, ["path", "archive"]), (RESTORED, ["path", "bytes"])):
        pairs = [{tuple(row[name] for name in fields) for row in one[part]} for one in (actual, expected)]
        right, most = len(pairs[0] & pairs[1]), max(map(len, pairs))
        comparing.require(right >= share * most, f"{part}: {right} are right of {most} found or expected")


def plan_is_exact(actual: Work, expected: Work) -> None:
    """restore_plan.csv has the newest eligible version of each path, in order."""
    same(actual.main, expected.main, PLAN)


def restored_files_are_exact(actual: Work, expected: Work) -> None:
    """restored/ holds the chosen files, byte for byte, and no others."""
    same(actual.main, expected.main, RESTORED)


def warnings_are_exact(actual: Work, expected: Work) -> None:
    """warnings.csv lists the paths without an eligible version, in order."""
    same(actual.main, expected.main, WARNINGS)


def lines_end_as_stated(actual: Work, expected: Work) -> None:
    """Both CSV files use LF and end with a newline."""
    comparing.lines_end_with_lf(actual.slips)


def other_folders_are_followed(actual: Work, expected: Work) -> None:
    """Other archives are restored elsewhere; a later run without archives leaves none of it, and one makes a
    new output folder.
    """
    for found, wanted in zip(actual.others, expected.others, strict=True):
        same(judging.made(found), judging.made(wanted))


def edge(fixture: Fixture) -> None:
    """Unsafe candidates are reported where there is no eligible version, and nothing is written for them."""
    workspace = fixture.workspace()
    reasons = dict.fromkeys(EDGE_UNSAFE, UNSAFE) | dict.fromkeys(EDGE_NONE, NONE)
    same(run(workspace), result([dict(zip(VERSION, EDGE_KEPT, strict=True))], reasons))
    names = {Path(path).name for path in reasons}
    escaped = [path for path in workspace.outputs.files("output") if Path(path).name in names]
    comparing.require(not escaped, f"written for unsafe members: {comparing.listed(escaped)}")


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.restore_plan"),
        expect=expect,
        solve=solve,
        checks=[
            most_files_are_restored,
            most_files_of_another_folder_are_restored,
            plan_is_exact,
            restored_files_are_exact,
            warnings_are_exact,
            lines_end_as_stated,
            other_folders_are_followed,
        ],
        edge=edge,
    )
