"""Which records belong together: column errors, confirmations, request chains, and the incident itself."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from solution.records import Record, dropped_column, lines_with, log_files, parse, same_column

CHAIN_GAP = timedelta(minutes=15)
CODES = ["SCHEMA_CHANGE", "SCHEMA_APPLIED", "UNDEFINED_COLUMN"]


@dataclass(frozen=True)
class Incident:
    """The incident's change and what belongs to it; every list in the order of the timeline."""

    change: Record
    confirmations: list[Record]
    errors: list[Record]
    failures: list[Record]
    timeline: list[Record]


def find_incident(
    folder: Path, start: datetime, end: datetime, offsets_ms: Mapping[str, int]
) -> Incident | None:
    """Read the logs twice: first for changes and errors, then for the requests that met an error."""
    read = Reader(folder, start, end, offsets_ms)
    marked = read.records_with(CODES)
    changes = [
        record
        for record in marked
        if record.service == "deployment" and record.code == "SCHEMA_CHANGE" and dropped_column(record)
    ]
    changes.sort(key=lambda change: (change.instant, change.file, change.line))
    errors = {change.place: column_errors(change, marked) for change in changes}
    request_ids = sorted({error.request_id for found in errors.values() for error in found} - {""})
    chains = request_chains(read.records_with(request_ids) if request_ids else [])
    for change in changes:
        incident = incident_of(change, errors[change.place], marked, chains)
        if incident.failures:
            return incident
    return None


@dataclass(frozen=True)
class Reader:
    """The records of a folder whose instants lie in the window."""

    folder: Path
    start: datetime
    end: datetime
    offsets_ms: Mapping[str, int]

    def records_with(self, words: list[str]) -> list[Record]:
        """All records whose line holds one of the words."""
        return [
            record
            for path in log_files(self.folder)
            for number, line in lines_with(path, words)
            if (record := parse(line, path.name, number, self.offsets_ms))
            and self.start <= record.instant <= self.end
        ]


def column_errors(change: Record, records: Iterable[Record]) -> list[Record]:
    """Application records that miss the column which the change dropped."""
    return [
        record
        for record in records
        if record.service == "application" and record.code == "UNDEFINED_COLUMN" and follows(record, change)
    ]


def confirmations(change: Record, records: Iterable[Record]) -> list[Record]:
    """Database records that say the change was applied."""
    return [
        record
        for record in records
        if record.service == "database"
        and record.code == "SCHEMA_APPLIED"
        and dropped_column(record)
        and follows(record, change)
    ]


def follows(record: Record, change: Record) -> bool:
    """Whether a record is about the change's column, of its release or none, and not before it."""
    same_release = record.release_id in ("", change.release_id)
    return same_release and same_column(record) == same_column(change) and record.instant >= change.instant


def request_chains(records: Iterable[Record]) -> list[list[Record]]:
    """Access and application records of one request each, cut where a gap is too long."""
    by_id: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.service in ("access", "application") and record.request_id:
            by_id[record.request_id].append(record)
    chains: list[list[Record]] = []
    for same_id in by_id.values():
        same_id.sort(key=lambda record: record.instant)
        chains.append(same_id[:1])
        for before, record in zip(same_id, same_id[1:], strict=False):
            if record.instant - before.instant > CHAIN_GAP:
                chains.append([])
            chains[-1].append(record)
    return chains


def incident_of(
    change: Record, errors: list[Record], marked: list[Record], chains: list[list[Record]]
) -> Incident:
    """What belongs to a change."""
    places = {error.place for error in errors}
    failing = [chain for chain in chains if any(record.place in places for record in chain)]
    requests = [record for chain in failing for record in chain if record.instant >= change.instant]
    confirmed = confirmations(change, marked)
    rows = {record.place: record for record in [change, *confirmed, *errors, *requests]}
    timeline = sorted(rows.values(), key=order)
    return Incident(
        change=change,
        confirmations=sorted(confirmed, key=order),
        errors=sorted(errors, key=order),
        failures=[record for record in sorted(requests, key=order) if record.status >= 500],
        timeline=timeline,
    )


def order(record: Record) -> tuple[datetime, str, str, int]:
    return record.instant, record.service, record.file, record.line
