"""Reads log lines on standard input; prints one alert when a dropped column breaks the application."""

import json
import sys
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from solution.linking import column_errors
from solution.records import Record, dropped_column, parse, printed

WINDOW = timedelta(seconds=90)


def alert(change: Record, errors: list[Record]) -> dict[str, object]:
    """What is said of a cause and its errors."""
    column = dropped_column(change)
    return {
        "release_id": change.release_id,
        "column": column[1] if column else "",
        "causal_timestamp": printed(change.instant),
        "first_application_error_timestamp": printed(min(error.instant for error in errors)),
        "affected_request_count": len({error.request_id for error in errors} - {""}),
    }


def main() -> None:
    changes: list[Record] = []
    errors: list[Record] = []
    for number, raw in enumerate(sys.stdin.buffer, 1):
        record = parse(raw.decode("utf-8", "replace").removesuffix("\n"), "-", number, {})
        if record is None:
            continue
        if record.service == "deployment" and record.code == "SCHEMA_CHANGE" and dropped_column(record):
            changes.append(record)
        elif record.service == "application" and record.code == "UNDEFINED_COLUMN":
            errors.append(record)
    for change in sorted(changes, key=lambda change: change.instant):
        found = [error for error in column_errors(change, errors) if error.instant - change.instant <= WINDOW]
        if found:
            print(json.dumps(alert(change, found)))
            return


if __name__ == "__main__":
    main()
