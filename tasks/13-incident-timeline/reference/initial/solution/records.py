"""Log records: the four forms of a line, time stamps, and operations that drop a column."""

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)", re.ASCII)
PAIR = re.compile(r'([^ ="]+)=(?:"((?:[^"\\]|\\.)*)"|([^ "]*))(?: |$)')
FORMS = {
    "access": re.compile(r"(\S+) \| access \| (\w+) \| ?"),
    "application": re.compile(r"(\S+) \[(\w+)\] application(?: |$)"),
    "database": re.compile(r"timestamp=(\S+) service=database severity=(\w+)(?: |$)"),
}
DROP_COLUMN = re.compile(r" *ALTER +TABLE +(\S+) +DROP +COLUMN +(\S+?) *;? *", re.IGNORECASE)


@dataclass(frozen=True)
class Record:
    """One line that is a record."""

    instant: datetime
    timestamp: str
    service: str
    severity: str
    fields: Mapping[str, str]
    file: str
    line: int

    @property
    def request_id(self) -> str:
        return self.fields.get("request_id", "")

    @property
    def release_id(self) -> str:
        return self.fields.get("release_id") or self.fields.get("release") or ""

    @property
    def code(self) -> str:
        return self.fields.get("code") or self.fields.get("event") or ""

    @property
    def status(self) -> int:
        """Status of an access record; 0 without one."""
        return int(self.fields.get("status") or 0) if self.service == "access" else 0

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def log_files(folder: Path) -> list[Path]:
    """The logs of a folder."""
    return sorted(
        path for path in folder.iterdir() if path.name.endswith((".log", ".log.gz")) and path.is_file()
    )


def lines_with(path: Path, words: list[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines that hold one of the words, streamed."""
    wanted = re.compile("|".join(map(re.escape, words)).encode())
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if wanted.search(line):
                yield number, line.decode().removesuffix("\n")


def parse(line: str, file: str, number: int, offsets_ms: Mapping[str, int]) -> Record | None:
    """The record of a line, None when it is none."""
    parsed = _json_record(line) if line.startswith("{") else _text_record(line)
    if parsed is None:
        return None
    service, timestamp, severity, fields = parsed
    instant = instant_of(timestamp)
    if instant is None:
        return None
    instant -= timedelta(milliseconds=offsets_ms.get(service, 0))
    return Record(instant, timestamp, service, severity.upper(), fields, file, number)


def instant_of(timestamp: str) -> datetime | None:
    """UTC time of a time stamp, None when it names none."""
    if not TIMESTAMP.fullmatch(timestamp):
        return None
    try:
        return datetime.fromisoformat(timestamp).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def printed(instant: datetime) -> str:
    """UTC with three decimals, the rest cut off."""
    return f"{instant:%Y-%m-%dT%H:%M:%S}.{instant.microsecond // 1000:03}Z"


def dropped_column(record: Record) -> tuple[str, str] | None:
    """Table and column as the record's operation writes them, None when it drops none."""
    match = DROP_COLUMN.fullmatch(record.fields.get("operation", ""))
    return (match[1], match[2]) if match else None


def same_column(record: Record) -> tuple[str, str]:
    """Table and column that a record is about, for comparing."""
    table, column = dropped_column(record) or (
        record.fields.get("table", ""),
        record.fields.get("column", ""),
    )
    return table.casefold(), column.casefold()


def _json_record(line: str) -> tuple[str, str, str, dict[str, str]] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    if value.get("service") != "deployment":
        return None
    return "deployment", str(value.get("timestamp")), str(value.get("severity")), value


def _text_record(line: str) -> tuple[str, str, str, dict[str, str]] | None:
    for service, form in FORMS.items():
        if match := form.match(line):
            fields = _pairs(line, match.end())
            return None if fields is None else (service, match[1], match[2], fields)
    return None


def _pairs(line: str, at: int) -> dict[str, str] | None:
    fields: dict[str, str] = {}
    while at < len(line):
        pair = PAIR.match(line, at)
        if pair is None:
            return None
        quoted, bare = pair[2], pair[3]
        fields[pair[1]] = bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        at = pair.end()
    return fields
