"""Judges task 09: first responses, resolutions and breached targets of every ticket, and their counts."""

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace

RESPONSE = ["first_response_minutes", "first_response_breached"]
RESOLUTION = ["resolution_minutes", "resolution_breached", "status"]
TICKET = ["ticket_id", "priority", "created_at"]
HEADER = [*TICKET, RESPONSE[0], RESOLUTION[0], RESPONSE[1], *RESOLUTION[1:]]
SUMMARY = ["first_response_breaches", "resolution_breaches", "tickets"]
MOSTLY = 0.7
MODULE = ("-m", "solution.sla_report")
PADDED_BYTES, ADDRESS_SPACE = 104_000_000, 96 * 2**20

type Row = dict[str, str]
type Event = tuple[str, str, str]  # time stamp, id, type: in order when sorted
type Targets = Mapping[str, Mapping[str, int]]

ANCHORS = {
    "T-8": ("", "100", "true", "false", "resolved"),
    "T-11": ("0", "100", "false", "false", "resolved"),
    "T-14": ("20", "50", "true", "false", "resolved"),
    "T-34": ("5", "240", "false", "false", "resolved"),
    "T-44": ("5", "230", "false", "false", "resolved"),
    "T-48": ("5", "240", "false", "true", "resolved"),
    "T-54": ("5", "250", "false", "true", "resolved"),
    "T-65": ("5", "", "false", "true", "open"),
    "T-91": ("60", "480", "true", "true", "resolved"),
    "T-200 ": ("6", "101", "false", "false", "resolved"),
    'T-200,"B"': ("5", "100", "false", "false", "resolved"),
}
EDGE = [("10", "70", "false", "false", "resolved")]


@dataclass
class Report:
    """Both outputs, as expected or as found."""

    rows: list[Row]
    summary: object


@dataclass
class Found(Report):
    """What a run left in its workspace."""

    workspace: Workspace
    slips: list[str] = field(default_factory=list)


# What is expected.


def expect(fixture: Fixture) -> Report:
    """Calculate both outputs from the pristine inputs."""
    found = calculate(events_lines(fixture), sla(fixture))
    values = {row["ticket_id"]: tuple(row[name] for name in HEADER[3:]) for row in found.rows}
    if wrong := {name for name, anchor in ANCHORS.items() if values.get(name) != anchor}:
        raise judging.JudgeError(f"the calculation misses the anchors {sorted(wrong)}")
    return found


def events_lines(fixture: Fixture) -> list[bytes]:
    return fixture.file("inputs/events.jsonl").read_bytes().removesuffix(b"\n").split(b"\n")


def sla(fixture: Fixture) -> Targets:
    return fixture.json("inputs/sla.json")


def calculate(lines: Iterable[bytes], targets: Targets) -> Report:
    known: set[str] = set()
    tickets: dict[str, list[Event]] = {}
    created: dict[str, Row] = {}
    for event in json.loads(b"[" + b",".join(lines) + b"]"):
        identifier, ticket, kind = event["event_id"], event["ticket_id"], event["type"]
        if identifier in known:
            continue
        known.add(identifier)
        tickets.setdefault(ticket, []).append((event["timestamp"], identifier, kind))
        if kind == "created" and created.setdefault(ticket, event) is not event:
            raise judging.JudgeError(f"{ticket} is created twice")
    rows = [row_of(created[name], sorted(tickets[name]), targets) for name in sorted(tickets)]
    counts = {name: dict.fromkeys(SUMMARY, 0) for name in sorted(targets)}
    for row in rows:
        of_priority = counts[row["priority"]]
        of_priority["first_response_breaches"] += row["first_response_breached"] == "true"
        of_priority["resolution_breaches"] += row["resolution_breached"] == "true"
        of_priority["tickets"] += 1
    return Report(rows, {"by_priority": counts, "total_tickets": len(rows)})


def row_of(created: Row, events: list[Event], targets: Targets) -> Row:
    """The row of one ticket, whose events are in order."""
    start, target = created["timestamp"], targets[created["priority"]]
    response = next((at for at, _, kind in events if kind == "agent_reply" and at > start), None)
    ends = [(at, kind == "reopened") for at, _, kind in events if kind in ("resolved", "reopened")]
    end, is_open = max(ends, default=("", True))
    times = {
        "first_response": None if response is None else seconds(start, response),
        "resolution": None if is_open else seconds(start, end) - waited(events, start, end),
    }
    row = {"ticket_id": created["ticket_id"], "priority": created["priority"], "created_at": start}
    row |= {f"{name}_minutes": "" if time is None else str(time // 60) for name, time in times.items()}
    for name, time in times.items():
        breached = time is None or time > 60 * target[f"{name}_minutes"]
        row[f"{name}_breached"] = "true" if breached else "false"
    return row | {"status": "open" if is_open else "resolved"}


def waited(events: list[Event], start: str, end: str) -> int:
    """Seconds between start and end that complete waiting intervals cover."""
    turns = [(at, kind) for at, _, kind in events if kind in ("waiting_customer", "customer_reply")]
    changes = [at for before, (at, kind) in pairwise([("", "customer_reply"), *turns]) if kind != before[1]]
    complete = zip(changes[::2], changes[1::2], strict=False)
    return sum(max(seconds(max(since, start), min(until, end)), 0) for since, until in complete)


def seconds(start: str, end: str) -> int:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)) // timedelta(seconds=1)


# What is run.


def run(
    workspace: Workspace, *files: str, output: str = "output", address_space_bytes: int | None = None
) -> Found:
    """Run the command on the two files and read both outputs."""
    command = (*MODULE, *files, "--output", output)
    workspace.python(*command, address_space_bytes=address_space_bytes)
    outputs = workspace.outputs
    rows = outputs.csv(f"{output}/tickets.csv", HEADER)
    return Found(rows, outputs.json(f"{output}/summary.json"), workspace, outputs.slips)


def solve(fixture: Fixture) -> Found:
    """Run the command on the fixture's own files."""
    return run(fixture.workspace(), "inputs/events.jsonl", "inputs/sla.json")


# The checks.


@judging.core
def most_tickets_are_right(actual: Found, expected: Report) -> None:
    """At least seven tickets in ten have a row that is right in every field."""
    found = {tuple(row.values()) for row in actual.rows}
    right = sum(tuple(row[name] for name in HEADER) in found for row in expected.rows)
    comparing.require(
        right >= MOSTLY * len(expected.rows) and len(actual.rows) <= 2 * len(expected.rows),
        f"{len(actual.rows)} rows, among them {right} of the {len(expected.rows)} right ones",
    )


def every_ticket_has_its_row(actual: Found, expected: Report) -> None:
    """tickets.csv has one row for every ticket, in order of ticket_id, with its priority and creation."""
    comparing.same_rows("tickets.csv", actual.rows, expected.rows, key=TICKET[:1], fields=TICKET)


def first_responses_are_exact(actual: Found, expected: Report) -> None:
    """Every first response time is right, and whether it breaches its target."""
    same_values(actual, expected, RESPONSE)


def resolutions_are_exact(actual: Found, expected: Report) -> None:
    """Every resolution time is right, whether it breaches its target, and the status."""
    same_values(actual, expected, RESOLUTION)


def same_values(actual: Found, expected: Report, fields: list[str]) -> None:
    """Compare fields of the tickets, in whatever order the rows are."""
    found, values = {row["ticket_id"]: row for row in actual.rows}, itemgetter(*fields)
    wrong = [
        row
        for row in expected.rows
        if (other := found.get(row["ticket_id"])) is None or values(other) != values(row)
    ]
    others = [found[row["ticket_id"]] for row in wrong if row["ticket_id"] in found]
    comparing.same_rows("tickets.csv", others, wrong, key=TICKET[:1], fields=fields, may_be_empty=True)


def summary_is_exact(actual: Found, expected: Report) -> None:
    """summary.json counts the tickets and breaches of every priority, its keys in order."""
    comparing.same_json("summary.json", actual.summary, expected.summary, ordered_keys=True)


def lines_end_as_stated(actual: Found, expected: Report) -> None:
    """Both outputs use LF and end with a newline."""
    comparing.lines_end_with_lf(actual.slips)


def other_targets_and_folders_work(actual: Found, expected: Report) -> None:
    """Targets and paths come from the command line, and missing output folders are made."""
    fixture = actual.workspace.fixture.small()
    if fixture.name == "main":  # the twin would tell nothing new
        targets = {
            name: {key: 2 * value + 1 for key, value in own.items()} for name, own in sla(fixture).items()
        }
        workspace = fixture.workspace()
        branch = workspace.root / "branch"
        branch.mkdir()
        lines = [line.replace(b"T-", b"N-") for line in events_lines(fixture)]
        (branch / "events of may.jsonl").write_bytes(b"\n".join([*lines, b""]))
        (branch / "targets.json").write_text(json.dumps(targets), "utf-8")
        files = ("branch/events of may.jsonl", "branch/targets.json")
        found = run(workspace, *files, output="output/new/report")
        same_report("with other targets", found, calculate(lines, targets))


def padded_export_is_read_in_little_memory(actual: Found, expected: Report) -> None:
    """An export that padding makes larger than 100 MB needs no more than 96 MiB of address space, and the
    files of an earlier run are replaced.
    """
    fixture = actual.workspace.fixture.small()
    if fixture.name == "main":  # the twin would tell nothing new
        lines = events_lines(fixture)
        padding = b" " * (PADDED_BYTES // len(lines)) + b"\n"
        workspace = actual.workspace
        with (workspace.root / "padded.jsonl").open("wb") as file:
            file.writelines(part for line in lines for part in (line, padding))
        found = run(workspace, "padded.jsonl", "inputs/sla.json", address_space_bytes=ADDRESS_SPACE)
        same_report("a padded export", found, calculate(lines, sla(fixture)))


def same_report(what: str, actual: Report, expected: Report) -> None:
    comparing.same_rows(f"{what}, tickets.csv", actual.rows, expected.rows, key=TICKET[:1])
    comparing.same_json(f"{what}, summary.json", actual.summary, expected.summary)


def edge(fixture: Fixture) -> None:
    """Events that are out of order are taken by time and event_id, and later lines with a known event_id
    are ignored.
    """
    expected = calculate(events_lines(fixture), sla(fixture))
    values = [tuple(row.values())[3:] for row in expected.rows]
    if values != EDGE:
        raise judging.JudgeError(f"the calculation misses the edge: {values}")
    same_report("the edge", solve(fixture), expected)


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.sla_report"),
        expect=expect,
        solve=solve,
        checks=[
            most_tickets_are_right,
            every_ticket_has_its_row,
            first_responses_are_exact,
            resolutions_are_exact,
            summary_is_exact,
            lines_end_as_stated,
            other_targets_and_folders_work,
            padded_export_is_read_in_little_memory,
        ],
        edge=edge,
    )
