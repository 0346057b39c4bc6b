"""What task 13 expects: a targeted scan of the pristine logs, then the rules of TASK.md."""

import gzip
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from benchlib.candidate import Fixture

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
