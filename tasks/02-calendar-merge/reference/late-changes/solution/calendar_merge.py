"""Merges a folder of calendars into one in UTC and lists the pairs of events that collide."""

import argparse
import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from solution.icalendar import Event, read_events, write_calendar


def calendar_files(folder: Path) -> list[Path]:
    """Calendars in the order in which they are read: those of the folder, then the late one beside it."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.endswith(".ics"))
    late = folder.absolute().parent / "late_changes.ics"
    return [*files, late] if late.is_file() else files


def winners(records: Iterable[Event]) -> list[Event]:
    """The record of each UID that counts, cancelled ones left out, by start and UID."""
    best: dict[str, Event] = {}
    for record in records:
        known = best.get(record.uid)
        if known is None or record.sequence >= known.sequence:
            best[record.uid] = record
    retained = [event for event in best.values() if not event.cancelled]
    return sorted(retained, key=lambda event: (event.start, event.uid))


def conflicts(events: list[Event]) -> Iterator[tuple[str, str]]:
    """UID pairs of events that overlap; `events` are sorted by start."""
    for index, first in enumerate(events):
        for second in events[index + 1 :]:
            if second.start >= first.end:
                break
            yield min(first.uid, second.uid), max(first.uid, second.uid)


def write_conflicts(path: Path, pairs: Iterable[tuple[str, str]]) -> None:
    """Write the pairs in plain string order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["uid_a", "uid_b"])
        writer.writerows(sorted(pairs))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("calendars", type=Path)
    parser.add_argument("merged", type=Path)
    parser.add_argument("conflicts", type=Path)
    args = parser.parse_args()
    records = [event for path in calendar_files(args.calendars) for event in read_events(path)]
    events = winners(records)
    write_calendar(args.merged, events)
    write_conflicts(args.conflicts, conflicts(events))


if __name__ == "__main__":
    main()
