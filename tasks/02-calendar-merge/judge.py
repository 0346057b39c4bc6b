"""Judges task 02: revisions, UTC times and collisions, before the late calendar comes and with it."""

import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace
from benchlib.readers import Unreadable, utf8

SECONDS = 60.0
MOSTLY = 0.66
PAIR = ["uid_a", "uid_b"]
ONCE = ("UID", "SEQUENCE", "DTSTART", "DTEND", "SUMMARY")
NO_LOCATION = "no LOCATION"
LINE = re.compile(r'([^:;"\r\n]+)((?:;[^=:;"\r\n]+=(?:"[^"\r\n]*"|[^";:\r\n])*)*):([^\r\n]*)')
OUTPUT_LIMIT = 1 << 20

LONE = "03-personal.ics"
OTHER_LATE = b"""BEGIN:VCALENDAR
X-WR-TIMEZONE:Asia/Tokyo
BEGIN:VEVENT
UID:night-watch
SEQUENCE:0
DTSTART:20251102T180000
DTEND:20251102T190000
SUMMARY:Late elsewhere
END:VEVENT
END:VCALENDAR
""".replace(b"\n", b"\r\n")

type Row = dict[str, str]

ALL_DAY = {
    "team-day-23h": ("20250309T050000Z", "20250310T040000Z"),
    "team-day-aug": ("20250802T040000Z", "20250803T040000Z"),
    "rooms-day-1": ("20250801T070000Z", "20250802T070000Z"),
    "rooms-day-2": ("20250802T070000Z", "20250803T070000Z"),
    "personal-day-25h": ("20251025T230000Z", "20251027T000000Z"),
    "retreat": ("20250504T230000Z", "20250507T230000Z"),
    "guest-day": ("20250601T183000Z", "20250602T183000Z"),
    "winter-day": ("20251226T000000Z", "20251227T000000Z"),
}
TIMED = {
    "winter-floating": ("20250115T140000Z", "20250115T150000Z"),
    "summer-floating": ("20250715T130000Z", "20250715T140000Z"),
    "rooms-floating": ("20250210T163000Z", "20250210T173000Z"),
    "london-floating": ("20250710T080000Z", "20250710T090000Z"),
    "zone-of-winner": ("20250411T090000Z", "20250411T100000Z"),
    "event-charlie": ("20250311T130000Z", "20250311T140000Z"),
    "guest-floating": ("20250512T043000Z", "20250512T053000Z"),
    "flight": ("20250620T220000Z", "20250621T051500Z"),
    "kolkata": ("20250505T043000Z", "20250505T050000Z"),
    "spring-span": ("20250330T003000Z", "20250330T023000Z"),
    "dst-span": ("20251102T053000Z", "20251102T093000Z"),
    "room-change": ("20250716T140000Z", "20250716T150000Z"),
}


@dataclass
class Merge:
    """What one run makes: events in order, pairs in order, slips of form."""

    events: list[Row]
    pairs: list[Row]
    slips: list[str] = field(default_factory=list)


@dataclass
class Work:
    """The runs over one workspace; a run that failed is kept as its reason."""

    first: Merge | Exception
    second: Merge | Exception
    third: Merge | Exception

    @property
    def before(self) -> Merge:
        """Without the late calendar."""
        return judging.made(self.first)

    @property
    def after(self) -> Merge:
        """With the late calendar."""
        return judging.made(self.second)

    @property
    def elsewhere(self) -> Merge:
        """One calendar in another folder, with another late calendar beside it."""
        return judging.made(self.third)


@dataclass
class Expected:
    """What is right before the late calendar came, after it, and for one calendar alone."""

    before: Merge
    after: Merge
    elsewhere: Merge


def expect(fixture: Fixture) -> Expected:
    """Calculate both results from the pristine calendars; they must agree with the values above."""
    folder = fixture.file("inputs/calendars", upto="initial")
    calendars = sorted(path for path in folder.glob("*.ics"))
    before, after = calculate(calendars), calculate([*calendars, fixture.file("inputs/late_changes.ics")])
    times = {event["UID"]: (event["DTSTART"], event["DTEND"]) for event in after.events}
    if wrong := [uid for uid, anchor in (ALL_DAY | TIMED).items() if times.get(uid) != anchor]:
        raise judging.JudgeError(f"the calculation misses the anchors {wrong}")
    return Expected(
        before, after, combined([*records_of((folder / LONE).read_bytes()), *records_of(OTHER_LATE)])
    )


def calculate(calendars: list[Path]) -> Merge:
    """The result for calendars in read order."""
    return combined([record for path in calendars for record in records_of(path.read_bytes())])


def combined(records: list[tuple[Row, str]]) -> Merge:
    """The result for records in read order."""
    records.sort(key=lambda record: int(record[0]["SEQUENCE"]))
    last = {row["UID"]: (row, status) for row, status in records}
    retained = [row for row, status in last.values() if status != "CANCELLED"]
    events = sorted(retained, key=lambda row: (row["DTSTART"], row["UID"]))
    pairs = sorted(
        sorted((one["UID"], other["UID"]))
        for one, other in combinations(events, 2)
        if one["DTSTART"] < other["DTEND"] and other["DTSTART"] < one["DTEND"]
    )
    return Merge(events, [dict(zip(PAIR, pair, strict=True)) for pair in pairs])


def records_of(calendar: bytes) -> Iterator[tuple[Row, str]]:
    """Each record of a pristine calendar as it would be written, and its status."""
    unfolded = re.sub(rb"\r\n[ \t]", b"", calendar)
    text = marked(unfolded.decode("utf-8"))
    head, *blocks = re.split(r"(?i)BEGIN:VEVENT\r\n", text)
    zone = ZoneInfo(re.findall(r"(?i)X-WR-TIMEZONE[^:\r\n]*:(.+)\r\n", head)[0])
    for block in blocks:
        lines = {name.upper(): (parameters, value) for name, parameters, value in LINE.findall(block)}
        row = {name: lines[name][1] for name in ("UID", "SEQUENCE", "SUMMARY")}
        row |= {name: utc_text(*lines[name], zone) for name in ("DTSTART", "DTEND")}
        row["LOCATION"] = f"LOCATION:{lines['LOCATION'][1]}" if "LOCATION" in lines else NO_LOCATION
        yield row, lines.get("STATUS", ("", ""))[1].upper()


def marked(text: str) -> str:
    """`text` with marks for lone CR and lone LF, which end no line; an LF at its end stays."""
    return re.sub(r"(?<!\r)\n(?!\Z)", "␊", re.sub(r"\r(?!\n)", "␍", text))


def utc_text(parameters: str, value: str, zone: ZoneInfo) -> str:
    if value.endswith("Z"):
        return value
    if named := re.search(r'(?i);TZID="?([^";]+)', re.sub(r'="[^"]*;[^"]*"', "=", parameters)):
        zone = ZoneInfo(named[1])
    return f"{datetime.fromisoformat(value).replace(tzinfo=zone).astimezone(UTC):%Y%m%dT%H%M%SZ}"


def solve(fixture: Fixture) -> Work:
    """Run the command before the late calendar comes, again over the same workspace when it is there, and for
    one calendar in a folder elsewhere that has its own late calendar.
    """
    workspace = fixture.workspace(upto="initial")
    first = judging.tried(lambda: merge(workspace))
    workspace.add_stage("late-changes")
    second = judging.tried(lambda: merge(workspace))
    if isinstance(first, Exception) and isinstance(second, Exception):
        raise first
    shutil.copytree(workspace.root / "inputs/calendars", workspace.root / "branch/visits")
    for path in (workspace.root / "branch/visits").glob("*.ics"):
        if path.name != LONE:
            path.unlink()
    (workspace.root / "branch/visits/folder.ics").mkdir()
    (workspace.root / "branch/late_changes.ics").write_bytes(OTHER_LATE)
    places = "output/branch/new/all.ics", "output/pairs/new/found.csv"
    third = judging.tried(lambda: merge(workspace, "branch/visits/", *places))
    return Work(first, second, third)


def merge(
    workspace: Workspace,
    folder: str = "inputs/calendars",
    merged: str = "output/merged.ics",
    conflicts: str = "output/conflicts.csv",
) -> Merge:
    """Run the command and read its two outputs."""
    workspace.python("-m", "solution.calendar_merge", folder, merged, conflicts, seconds=SECONDS)
    workspace.outputs.slips.clear()
    pairs = workspace.outputs.csv(conflicts, PAIR, limit=OUTPUT_LIMIT)
    events, slips = read_merged(workspace.outputs.content(merged, limit=OUTPUT_LIMIT), merged)
    return Merge(events, pairs, slips + workspace.outputs.slips)


def read_merged(data: bytes, path: str) -> tuple[list[Row], list[str]]:
    """Events of the merged calendar, and what is not as asked although it can be read."""
    exact = marked(utf8(data, path))
    text = exact if "\r\n" in exact else utf8(data, path)  # line ends that are all LF are read, and noted
    text = re.sub(r"\r?\n[ \t]", "", text).replace("\r\n", "\n")
    head, *parts = f"\n{text}".split("\nBEGIN:VEVENT\n")
    cut = [f"\n{part}\n".partition("\nEND:VEVENT\n") for part in parts]
    frame = "\n".join([head, *(after for _, _, after in cut)]).strip("\n").split("\n")
    if frame[0] != "BEGIN:VCALENDAR" or frame[-1] != "END:VCALENDAR" or not all(end for _, end, _ in cut):
        raise Unreadable(f"{path}: must be one VCALENDAR of whole VEVENTs from the first line to the last")
    blocks = [read_lines(block, path) for block in [*(block for block, _, _ in cut), "\n".join(frame[1:-1])]]
    if any(line[0] in ("BEGIN", "END") for block in blocks for line in block):
        raise Unreadable(f"{path}: only VEVENT components are asked for, one after the other")
    *events, calendar = blocks
    slips: list[str] = []
    if not re.fullmatch(r"(?:[^\r\n]+\r\n)+", exact):
        slips.append(f"{path}: every line must end with CR LF, and none may be empty")
    if calendar.count(("VERSION", "", "2.0")) != 1 or [line[0] for line in calendar].count("PRODID") != 1:
        slips.append(f"{path}: the calendar must have one VERSION:2.0 and one PRODID")
    return [read_event(event, path, slips) for event in events], slips


def read_lines(text: str, path: str) -> list[tuple[str, str, str]]:
    """Name, parameters and value of unfolded lines."""
    lines = [line for line in text.split("\n") if line]
    if wrong := [line for line in lines if not LINE.fullmatch(line)]:
        raise Unreadable(f"{path}: not a content line: {comparing.shown(wrong[0])}")
    return LINE.findall("\n".join(lines))


def read_event(lines: list[tuple[str, str, str]], path: str, slips: list[str]) -> Row:
    """The properties of one event that are asked for, empty where missing."""
    ours = [line for line in lines if line[0] in (*ONCE, "LOCATION")]
    row = dict.fromkeys(ONCE, "") | {name: value for name, _, value in ours}
    counts = Counter(name for name, _, _ in ours)
    if any(counts[name] != 1 for name in ONCE) or counts["LOCATION"] > 1:
        slips.append(f"{path}: {row['UID']}: must have {', '.join(ONCE)} once each, LOCATION at most once")
    if any(parameters for _, parameters, _ in ours):
        slips.append(f"{path}: {row['UID']}: a property that is asked for has parameters")
    row["LOCATION"] = f"LOCATION:{row['LOCATION']}" if "LOCATION" in row else NO_LOCATION
    return row


def both(actual: Work, expected: Expected) -> Iterator[tuple[str, Merge, Merge]]:
    """What was found and what is wanted, before the late calendar and with it."""
    yield "before the late calendar", actual.before, expected.before
    yield "with the late calendar", actual.after, expected.after


def mostly(what: str, actual: list[Row], expected: list[Row]) -> None:
    """Two in three rows are right, and few are there that should not be."""
    right, most = sum(row in actual for row in expected), max(len(actual), len(expected))
    note = f"{right} of {len(actual)} {what} are right, {len(expected)} were expected"
    comparing.require(right >= MOSTLY * most, note)


@judging.core
def most_events_are_right(actual: Work, expected: Expected) -> None:
    """Before the late calendar at least two in three events are right."""
    mostly("events", actual.before.events, expected.before.events)


@judging.core
def most_conflicts_are_right(actual: Work, expected: Expected) -> None:
    """Before the late calendar at least two in three conflicts are right."""
    mostly("conflicts", actual.before.pairs, expected.before.pairs)


@judging.core
def most_of_one_calendar_is_right(actual: Work, expected: Expected) -> None:
    """At least two in three events of one calendar and a late one, both elsewhere, are right."""
    mostly("events", actual.elsewhere.events, expected.elsewhere.events)


def text_is_unfolded_and_kept(actual: Work, expected: Expected) -> None:
    """SUMMARY and LOCATION of the events that are there are the winner's, unfolded, otherwise untouched."""
    for when, found, wanted in both(actual, expected):
        texts = {row["UID"]: (row["SUMMARY"], row["LOCATION"]) for row in found.events}
        there = [row for row in wanted.events if row["UID"] in texts]
        comparing.require(len(there) >= MOSTLY * len(wanted.events), f"{when}: most events are missing")
        for row in there:
            comparing.same(f"{when}, {row['UID']}", texts[row["UID"]], (row["SUMMARY"], row["LOCATION"]))


def highest_sequence_wins(actual: Work, expected: Expected) -> None:
    """The highest SEQUENCE of each UID is there unless it is cancelled, and nothing else."""
    for when, found, wanted in both(actual, expected):
        rows, right = ({(row["UID"], row["SEQUENCE"]) for row in merge.events} for merge in (found, wanted))
        note = f"{when}: missing {sorted(right - rows)[:4]}, unexpected {sorted(rows - right)[:4]}"
        comparing.require(rows == right, note)


def all_day_events_are_local_days(actual: Work, expected: Expected) -> None:
    """All-day events occupy local days of their file's zone, also of 23 and 25 hours."""
    for when, found, _ in both(actual, expected):
        times = {row["UID"]: (row["DTSTART"], row["DTEND"]) for row in found.events}
        for uid, right in ALL_DAY.items():
            comparing.same(f"{when}, {uid}", times.get(uid), right)


def calendar_is_canonical(actual: Work, expected: Expected) -> None:
    """Events have exact UTC times and stand in order; both files have the form that is asked for."""
    for when, found, wanted in both(actual, expected):
        comparing.same_rows(when, found.events, wanted.events, key=["UID"], fields=["DTSTART", "DTEND"])
        comparing.require(not found.slips, f"{when}: {comparing.listed(found.slips)}")


def conflicts_are_exact(actual: Work, expected: Expected) -> None:
    """conflicts.csv lists exactly the pairs that overlap, in order."""
    for when, found, wanted in both(actual, expected):
        comparing.same_rows(when, found.pairs, wanted.pairs, key=PAIR)


def arguments_are_followed(actual: Work, expected: Expected) -> None:
    """A folder elsewhere, with its own late calendar beside it, gives its own result in new folders."""
    found, wanted = actual.elsewhere, expected.elsewhere
    comparing.same_rows("elsewhere", found.events, wanted.events, key=["UID"])
    comparing.same_rows("elsewhere", found.pairs, wanted.pairs, key=PAIR)


def edge(fixture: Fixture) -> None:
    """A folded SUMMARY keeps the blank before its fold; events that touch do not conflict."""
    found = merge(fixture.workspace())
    first = ("edge-folded", "20300115T100000Z", "20300115T110000Z")
    second = ("edge-touching", "20300115T110000Z", "20300115T120000Z")
    times = [(row["UID"], row["DTSTART"], row["DTEND"]) for row in found.events]
    comparing.same("the edge's events", times, [first, second])
    comparing.same("its SUMMARY", found.events[0]["SUMMARY"], "Quarterly planning details continue here")
    comparing.same("its conflicts", found.pairs, [])


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.calendar_merge"),
        expect=expect,
        solve=solve,
        checks=[
            most_events_are_right,
            most_conflicts_are_right,
            most_of_one_calendar_is_right,
            text_is_unfolded_and_kept,
            highest_sequence_wins,
            all_day_events_are_local_days,
            calendar_is_canonical,
            conflicts_are_exact,
            arguments_are_followed,
        ],
        edge=edge,
    )
