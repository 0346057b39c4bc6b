"""Judges task 13: one incident's records out of 1.5 million, on raw and corrected clocks, its report, the
monitor.
"""

import gzip
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging, readers
from benchlib.candidate import CommandFailed, Fixture, Workspace

HEADER = [
    "timestamp_utc",
    "raw_timestamp",
    "service",
    "severity",
    "request_id",
    "release_id",
    "event_code",
    "source_file",
    "source_line",
    "message",
]
REPORT = (
    "Causal event",
    "First application failure",
    "First user-visible failure",
    "Confirmation",
    "Cause to user-visible failure",
    "Release",
    "Schema operation",
)
MOSTLY, IDENTITY = 0.75, ["raw_timestamp", "service", "request_id"]
PLACE = ["source_file", "source_line"]
WINDOW = ("2025-04-17T14:00:00Z", "2025-04-17T14:30:00Z")
EDGE_WINDOW = ("2025-04-17T14:00:00Z", "2025-04-18T14:30:00Z")
OTHER_WINDOWS = {
    "both ends are a record's instant": ("2025-04-17T16:08:02+02:00", "2025-04-17T14:24:00Z"),
    "starts after the change": ("2025-04-17T14:08:02.000001Z", "2025-04-17T14:30:00Z"),
    "holds no incident": ("2025-04-17T14:12:00Z", "2025-04-17T14:27:59.999Z"),
}
SECONDS, MONITOR_SECONDS, ADDRESS_SPACE = 300, 20, 512 * 2**20
MONITOR_CASES = json.loads(Path(__file__).with_name("monitor-cases.json").read_text("utf-8"))

ANCHORS = {
    "main": ("2025.04.17.3", "ALTER TABLE customers DROP COLUMN customer_status"),
    "twin": ("2025.04.17.6", "ALTER TABLE shipments DROP COLUMN carrier_hint"),
}
ANCHOR_ROWS, ANCHOR_DELAY, EDGE_ROWS = 48, "6000 ms", 7

TEXT_RECORD = re.compile(
    r"(?:(?P<access>\S+) \| access \| (\w+) \||(?P<application>\S+) \[(\w+)\] application"
    r"|timestamp=(?P<database>\S+) service=database severity=(\w+))"
    r'((?: [^ "=]+=(?:"(?:\\.|[^"\\])*"|[^ "]*))*)'
)
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")
DROPS = re.compile(r" *alter +table +(\S+) +drop +column +([^ ;]+) *;? *", re.IGNORECASE)

type Row = dict[str, str]
type Record = dict[str, Any]


@dataclass
class Evidence:
    """Both outputs of one run, as expected or as found."""

    rows: list[Row]
    report: list[str]
    """The report's lines that are judged."""
    fixture: Fixture
    slips: Sequence[str] = ()


# What is expected: a targeted scan of the pristine logs, then the rules of TASK.md.


def expect(fixture: Fixture) -> Evidence:
    """Calculate the finished timeline and the report's lines."""
    expected = evidence(Logs(fixture), WINDOW)
    release, operation = ANCHORS[fixture.name]
    anchors = [
        f"Cause to user-visible failure: {ANCHOR_DELAY}",
        f"Release: {release}",
        f"Schema operation: {operation}",
    ]
    if len(expected.rows) != ANCHOR_ROWS or expected.report[4:] != anchors:
        raise judging.JudgeError(f"the anchors are missed: {len(expected.rows)} rows, {expected.report}")
    return expected


class Logs:
    """Pristine logs of a fixture up to a stage, searched for words without reading every line."""

    def __init__(self, fixture: Fixture, upto: str | None = None) -> None:
        self.fixture = fixture
        stages = fixture.task.stages[: fixture.task.stages.index(upto) + 1] if upto else fixture.task.stages
        folders = [fixture.clean(stage) / "inputs" for stage in stages]
        found = [path for folder in folders for path in (folder / "logs").glob("*.log*")]
        self.contents = {
            path.name: gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            for path in found
            if path.name.endswith((".log", ".log.gz"))
        }
        clocks = [path for folder in folders if (path := folder / "clock_offsets.json").exists()]
        self.offsets = json.loads(clocks[0].read_text("utf-8"))["offsets_ms"] if clocks else {}

    def records(self, word: str) -> Iterator[Record]:
        """Records of the lines that hold `word`, whatever their time."""
        for name, content in self.contents.items():
            at, counted, line = content.find(word.encode()), 0, 1
            while at >= 0:
                start, end = content.rfind(b"\n", 0, at) + 1, content.find(b"\n", at)
                line += content.count(b"\n", counted, start)
                counted = start
                if record := self.record(content[start:end].decode()):
                    yield record | {"source_file": name, "source_line": line}
                at = content.find(word.encode(), end)

    def record(self, line: str) -> Record | None:
        """Fields of a line and its `instant`, None when it is no record."""
        fields = json_fields(line) if line.startswith("{") else text_fields(line)
        if fields is None or not STAMP.fullmatch(fields["timestamp"]):
            return None
        try:
            instant = datetime.fromisoformat(fields["timestamp"]).astimezone(UTC)
        except ValueError:
            return None
        fields["instant"] = instant - timedelta(milliseconds=self.offsets.get(fields["service"], 0))
        fields["code"] = fields.get("code") or fields.get("event", "")
        fields["release_id"] = fields.get("release_id") or fields.get("release", "")
        fields["request_id"] = fields.get("request_id", "")
        drops = DROPS.fullmatch(fields.get("operation", ""))
        fields["column_of"] = drops.groups() if drops else (fields.get("table"), fields.get("column"))
        fields["column_of"] = tuple(str(name).lower() for name in fields["column_of"])
        fields["drops"] = bool(drops)
        return fields


def json_fields(line: str) -> Record | None:
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    return fields if fields["service"] == "deployment" else None


def text_fields(line: str) -> Record | None:
    match = TEXT_RECORD.fullmatch(line)
    if match is None:
        return None
    service = next(name for name, value in match.groupdict().items() if value)
    stamp, severity, _ = (value for value in match.groups() if value is not None)
    pairs = re.findall(r' ([^ "=]+)=(?:"((?:\\.|[^"\\])*)"|([^ "]*))', match[7])
    fields = {key: re.sub(r"\\(.)", r"\1", quoted) or bare for key, quoted, bare in pairs}
    return fields | {"service": service, "timestamp": stamp, "severity": severity}


def evidence(logs: Logs, window: tuple[str, str]) -> Evidence:
    """Rows and report lines of the earliest change in the window that has a user-visible failure."""
    start, end = (datetime.fromisoformat(text) for text in window)

    def coded(records: Iterable[Record], service: str, code: str) -> list[Record]:
        return [r for r in records if (r["service"], r["code"]) == (service, code) and inside(r)]

    def inside(record: Record) -> bool:
        return start <= record["instant"] <= end

    def about(change: Record, records: list[Record]) -> list[Record]:
        return [
            record
            for record in records
            if record["column_of"] == change["column_of"]
            and record["release_id"] in ("", change["release_id"])
            and record["instant"] >= change["instant"]
        ]

    drops = [record for record in logs.records("SCHEMA_") if record["drops"]]
    changes = sorted(coded(drops, "deployment", "SCHEMA_CHANGE"), key=by_time_and_place)
    applied = coded(drops, "database", "SCHEMA_APPLIED")
    errors = coded(logs.records("UNDEFINED_COLUMN"), "application", "UNDEFINED_COLUMN")
    ids = {error["request_id"] for change in changes for error in about(change, errors)} - {""}
    requests: dict[str, list[Record]] = {identifier: [] for identifier in sorted(ids)}
    for record in logs.records(os.path.commonprefix(sorted(ids))) if ids else ():
        if record["service"] in ("access", "application") and record["request_id"] in ids and inside(record):
            requests[record["request_id"]].append(record)
    chains = [chain for found in requests.values() for chain in cut_at_gaps(found)]
    for change in changes:
        own = about(change, errors)
        failing = [record for chain in chains if any(error in chain for error in own) for record in chain]
        failing = [record for record in failing if record["instant"] >= change["instant"]]
        visible = [r for r in failing if r["service"] == "access" and int(r["status"]) >= 500]
        if visible:
            confirmed = about(change, applied)
            parts = [change, *confirmed, *own, *(record for record in failing if record not in own)]
            rows = [row_of(record) for record in sorted(parts, key=in_timeline)]
            first = min(visible, key=in_timeline)
            delay = (first["instant"] - change["instant"]) // timedelta(milliseconds=1)
            others = [min(found, key=in_timeline, default=None) for found in (own, confirmed)]
            places = [place_of(record) for record in (change, others[0], first, others[1])]
            named = (f"{delay} ms", change["release_id"], change["operation"])
            return Evidence(rows, report_lines(*places, *named), logs.fixture)
    return Evidence([], report_lines(*["none"] * len(REPORT)), logs.fixture)


def cut_at_gaps(records: list[Record]) -> list[list[Record]]:
    chains: list[list[Record]] = []
    for record in sorted(records, key=lambda record: record["instant"]):
        if not chains or record["instant"] - chains[-1][-1]["instant"] > timedelta(minutes=15):
            chains.append([])
        chains[-1].append(record)
    return chains


def by_time_and_place(record: Record) -> tuple[object, ...]:
    return record["instant"], record["source_file"], record["source_line"]


def in_timeline(record: Record) -> tuple[object, ...]:
    return record["instant"], record["service"], record["source_file"], record["source_line"]


def place_of(record: Record | None) -> str:
    return f"{record['source_file']}:{record['source_line']}" if record else "none"


def row_of(record: Record) -> Row:
    texts = {name: str(record.get(name, "")) for name in HEADER}
    return texts | {
        "timestamp_utc": record["instant"].isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "raw_timestamp": record["timestamp"],
        "severity": record["severity"].upper(),
        "event_code": record["code"],
    }


def report_lines(*values: str) -> list[str]:
    return [f"{words}: {value}" for words, value in zip(REPORT, values, strict=True)]


# What is run.


def run(
    workspace: Workspace,
    window: tuple[str, str] = WINDOW,
    logs: str = "inputs/logs",
    output: str = "output",
) -> Evidence:
    """Run the command and read both outputs."""
    start, end = window
    arguments = f"-m solution.incident {logs} --window-start {start} --window-end {end} --output {output}"
    workspace.python(*arguments.split(), seconds=SECONDS, address_space_bytes=ADDRESS_SPACE)
    outputs = workspace.outputs
    rows = outputs.csv(f"{output}/timeline.csv", HEADER)
    report = outputs.text(f"{output}/incident_report.md").split("\n")
    judged = [line.rstrip() for line in report if line.startswith(tuple(f"{words}:" for words in REPORT))]
    return Evidence(rows, judged, workspace.fixture, outputs.slips)


def solve(fixture: Fixture) -> Evidence:
    """Run the finished work; when that fails, say what the monitor does all the same."""
    try:
        return run(fixture.workspace())
    except (CommandFailed, readers.Unreadable) as error:
        problems = monitor_problems(fixture)
        verdict = comparing.listed(problems) if problems else "right in every case"
        raise CommandFailed(f"{error} (the monitor, judged by itself: {verdict})") from error


def probe(fixture: Fixture) -> None:
    """The module imports, or there is a monitor that is right."""
    try:
        judging.imports("solution.incident")(fixture)
    except CommandFailed:
        if monitor_problems(fixture):
            raise


def monitor_problems(fixture: Fixture) -> list[str]:
    """What the monitor gets wrong, a text a case."""
    workspace, problems = fixture.small().workspace(), []
    for case in MONITOR_CASES:
        lines = "".join(f"{line}\n" for line in case["lines"]).encode()
        try:
            done = workspace.python("monitor/monitor.py", stdin=lines, seconds=MONITOR_SECONDS)
            printed = readers.utf8(done.stdout, "its output").splitlines()
            alerts = [readers.parse_json(line, "its output") for line in printed]
            comparing.same_json("its output", alerts, [case["alert"]] if case["alert"] else [])
        except (CommandFailed, readers.Unreadable, comparing.Differs) as error:
            problems.append(f"{case['case']}: {error}")
    return problems


# The checks.


@judging.core
def most_of_the_incident_is_found(actual: Evidence, expected: Evidence) -> None:
    """At least three records in four are in the timeline, and it is no dump: at most twice as many rows as
    belong to it.
    """
    found = {tuple(row[name] for name in IDENTITY) for row in actual.rows}
    right = sum(tuple(row[name] for name in IDENTITY) in found for row in expected.rows)
    comparing.require(
        right >= MOSTLY * len(expected.rows) and len(actual.rows) <= 2 * len(expected.rows),
        f"{len(actual.rows)} rows with {right} of the incident's {len(expected.rows)} records",
    )


def timeline_is_exact(actual: Evidence, expected: Evidence) -> None:
    """The timeline holds exactly the incident's records, every field right, in corrected order."""
    comparing.same_rows("timeline.csv", actual.rows, expected.rows, key=PLACE)


def report_names_its_anchors(actual: Evidence, expected: Evidence) -> None:
    """The report has each of its seven lines once, with the right value."""
    same_report("incident_report.md", actual, expected)


def lines_end_as_stated(actual: Evidence, expected: Evidence) -> None:
    """Both outputs use LF and end with a newline."""
    comparing.lines_end_with_lf(actual.slips)


def earlier_states_hold(actual: Evidence, expected: Evidence) -> None:
    """Without offsets, with and without the recovered log, raw instants decide; a run replaces the last."""
    fixture = actual.fixture.small()
    workspace = fixture.workspace(upto="initial")
    same_evidence("before the recovery", run(workspace), evidence(Logs(fixture, "initial"), WINDOW))
    workspace.add_stage("recovered-db")
    same_evidence("before the offsets", run(workspace), evidence(Logs(fixture, "recovered-db"), WINDOW))


def the_window_decides(actual: Evidence, expected: Evidence) -> None:
    """Both ends belong to the window; another window may hold another incident or none. The logs and their
    offsets lie elsewhere, beside a folder that is called like a log; a new folder takes the outputs.
    """
    fixture = actual.fixture.small()
    workspace, logs, problems = fixture.workspace(), Logs(fixture), []
    (workspace.root / "inputs").rename(workspace.root / "elsewhere")
    (workspace.root / "elsewhere/logs/old.log").mkdir()
    for name, window in OTHER_WINDOWS.items():
        try:
            found = run(workspace, window, "elsewhere/logs", "output/new/deep")
            same_evidence(f"window that {name}", found, evidence(logs, window))
        except (CommandFailed, readers.Unreadable, comparing.Differs) as error:
            problems.append(str(error))
    comparing.require(not problems, comparing.listed(problems))


def same_evidence(what: str, actual: Evidence, expected: Evidence) -> None:
    comparing.same_rows(what, actual.rows, expected.rows, key=PLACE, may_be_empty=True)
    same_report(f"{what}, the report", actual, expected)


def same_report(what: str, actual: Evidence, expected: Evidence) -> None:
    found, wanted = Counter(actual.report), Counter(expected.report)
    problems = [f"no line {line!r}" for line in wanted - found]
    problems += [f"unexpected line {line!r}" for line in found - wanted]
    comparing.require(not problems, f"{what}: {comparing.listed(problems)}")


def monitor_alerts_once_for_the_pattern(actual: Evidence, expected: Evidence) -> None:
    """The monitor prints the one right alert where the pattern is, and nothing where it is not."""
    fixture = actual.fixture
    if fixture.name == "main":  # it reads no fixture: the twin would tell nothing new
        problems = monitor_problems(fixture)
        comparing.require(not problems, comparing.listed(problems))


def edge(fixture: Fixture) -> None:
    """Records with the same request id are not joined over more than 15 minutes, nor on the next day."""
    expected = evidence(Logs(fixture), EDGE_WINDOW).rows
    if len(expected) != EDGE_ROWS:
        raise judging.JudgeError(f"the edge's anchors are missed: {expected}")
    actual = run(fixture.workspace(), EDGE_WINDOW).rows
    found, wanted = (
        sorted(tuple(row[name] for name in IDENTITY) for row in rows) for rows in (actual, expected)
    )
    joined = [row for row in found if row not in wanted]
    comparing.require(not joined, f"unexpected records: {joined}")
    comparing.same("the edge's records", found, wanted)


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/", "monitor/"],
        probe=probe,
        expect=expect,
        solve=solve,
        checks=[
            most_of_the_incident_is_found,
            timeline_is_exact,
            report_names_its_anchors,
            lines_end_as_stated,
            earlier_states_hold,
            the_window_decides,
            monitor_alerts_once_for_the_pattern,
        ],
        edge=edge,
    )
