"""The two outputs."""

import csv
from pathlib import Path

from solution.linking import Incident
from solution.records import Record, printed

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


def write_timeline(path: Path, timeline: list[Record]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for record in timeline:
            writer.writerow(
                [
                    printed(record.instant),
                    record.timestamp,
                    record.service,
                    record.severity,
                    record.request_id,
                    record.release_id,
                    record.code,
                    record.file,
                    record.line,
                    record.fields.get("message", ""),
                ]
            )


def key_lines(incident: Incident | None) -> dict[str, str]:
    """The lines of the report that other tools read, by the words before the colon."""
    if incident is None:
        return dict.fromkeys(
            ["Causal event", "First application failure", "First user-visible failure"], "none"
        )
    return {
        "Causal event": incident.change.place,
        "First application failure": incident.errors[0].place,
        "First user-visible failure": incident.failures[0].place,
    }


def write_report(path: Path, incident: Incident | None) -> None:
    lines = ["# Incident report", ""]
    for words, value in key_lines(incident).items():
        lines += [f"{words}: {value}", ""]
    if incident:
        lines += ["## Sequence", ""]
        lines += [
            f"- {printed(record.instant)} {record.service} {record.code} ({record.place})"
            for record in incident.timeline
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
