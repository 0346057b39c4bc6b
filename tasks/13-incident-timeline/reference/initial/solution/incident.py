"""Command line: finds the incident in a folder of logs, writes its timeline and a report."""

import argparse
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from solution.linking import find_incident
from solution.records import instant_of
from solution.report import write_report, write_timeline


def clock_offsets(logs: Path) -> Mapping[str, int]:
    """Milliseconds by which each service's clock is ahead of UTC; nothing is known of them."""
    return {}


def instant(text: str) -> datetime:
    moment = instant_of(text)
    if moment is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time stamp")
    return moment


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the timeline of the incident in a time window.")
    parser.add_argument("logs", type=Path)
    parser.add_argument("--window-start", type=instant, required=True)
    parser.add_argument("--window-end", type=instant, required=True)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    incident = find_incident(args.logs, args.window_start, args.window_end, clock_offsets(args.logs))
    args.output.mkdir(parents=True, exist_ok=True)
    write_timeline(args.output / "timeline.csv", incident.timeline if incident else [])
    write_report(args.output / "incident_report.md", incident)


if __name__ == "__main__":
    main()
