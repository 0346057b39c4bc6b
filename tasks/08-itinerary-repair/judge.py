"""Judges task 08: times, issues, revisions and rebookings, before the updates come and with them."""

import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace
from benchlib.readers import Json

SECONDS = 60.0
OUTPUT_LIMIT = 4 << 20
MOSTLY = 0.66
MINUTES = len("2025-03-01T09:00")
TIMES = "start_local end_local start_timezone end_timezone start_utc end_utc".split()
PLACES = ["origin", "destination"]
TIMELINE = ["segment_id", "type", "revision", *TIMES, *PLACES, "booking_ref", "selected_alternative_id"]
REVISED = TIMELINE[:-1]
REBOOK = ["original_segment_id", "alternative_id"]
OTHER_RULES = {
    "airport_change_minutes": 75,
    "minimum_connection_minutes": {
        "train>train": 12,
        "train>flight": 51,
        "flight>train": 61,
        "flight>flight": 62,
    },
}

type Row = dict[str, str]

UTC_TIMES = {
    "Z1": ("2025-03-02T11:00:00Z", "2025-03-02T19:00:00Z"),
    "Z2": ("2025-03-03T15:00:00Z", "2025-03-03T17:40:00Z"),
    "Z4": ("2025-03-09T08:00:00Z", "2025-03-09T17:05:00Z"),
    "Z7": ("2025-03-15T23:30:00Z", "2025-03-16T12:30:00Z"),
    "D02": ("2025-03-30T01:10:00Z", "2025-03-30T02:25:00Z"),
    "V12": ("2025-04-25T08:00:00Z", "2025-04-25T09:00:00Z"),
    "V13": ("2025-04-25T09:20:00Z", "2025-04-25T10:10:00Z"),
    "V22": ("2025-04-25T16:00:00Z", "2025-04-25T17:00:00Z"),
}
REBOOKED = """
    OUT1=OUT1-B R02=R02-C R06=R06-B R08=R08-10 R12=R12-B R17=R17-B R22=R22-A R23=R23-B R26=R26-B
    R27=R27-B R29=R29-A R31=R31-B R33=R33-B R38=R38-A R40=R40-B R42=R42-B R44=R44-A R45=R45-B
    R48=R48-B R50=R50-A R55=R55-A R49=R49-A R00=R00-A R58=R58-A R61=R61-A ca=ca-Z
"""
SHORT = """
    C02|C03 C05|C06 C06|C07 C09|C10 C10|C11 C13|C14 C17|C18 C18B|C18C C19|C20 CT10|CT9 C24|C23
    D01|D02 R23|R24 R34|R35 R9|R10 R59|R58 R58|R60 R61|R62 R63|R64
"""


@dataclass
class Plan:
    """The outputs of one run, as expected or as found."""

    timeline: list[Row]
    issues: Json
    rebook: list[Row]
    slips: list[str] = field(default_factory=list)


@dataclass
class Expected:
    """What is right before the updates came, with them, and with other rules, without and with updates."""

    before: Plan
    after: Plan
    elsewhere: list[Plan]


@dataclass
class Work:
    """The two runs over one workspace; a run that failed is kept as its reason."""

    workspace: Workspace
    first: Plan | Exception
    second: Plan | Exception

    @property
    def before(self) -> Plan:
        """Without updates."""
        return judging.made(self.first)

    @property
    def after(self) -> Plan:
        """With the updates."""
        return judging.made(self.second)


def expect(fixture: Fixture) -> Expected:
    """Calculate the results from the pristine inputs; they must agree with the values above."""
    trip, rules = fixture.json("inputs/itinerary.json"), fixture.json("inputs/connection_rules.json")
    zones = {row["code"]: row["timezone"] for row in fixture.csv("inputs/airports.csv")}
    segments, updates = trip["segments"], fixture.json("inputs/updates.json")
    original = {one["segment_id"]: placed(one, zones) for one in segments}
    revised = {one["segment_id"]: placed(revise(one, updates), zones) for one in segments}
    offers = [placed(row, zones) for row in fixture.csv("inputs/alternatives.csv")]
    before = plan(original, {}, rules, trip)
    kept = {key: row for key, row in revised.items() if row["status"] != "cancelled"}
    elsewhere = [plan(segments, {}, OTHER_RULES, trip) for segments in (original, kept)]
    choices = rebook(revised, offers, rules, pairs(before.issues, "insufficient_connection"))
    final = {key: row for key, row in revised.items() if row["status"] != "cancelled"}
    after = plan(final, choices, rules, trip)
    times = {row["segment_id"]: (row["start_utc"], row["end_utc"]) for row in after.timeline}
    chosen = {f"{key}={offer['alternative_id']}" for key, offer in choices.items()}
    short = pairs(after.issues, "insufficient_connection")
    wrong = [key for key, right in UTC_TIMES.items() if times.get(key) != right]
    for anchors, found in ((set(REBOOKED.split()), chosen), (set(SHORT.split()), short)):
        wrong += sorted(anchors ^ {one for one in found if not one.startswith("W")})
    if wrong:
        raise judging.JudgeError(f"the calculation misses the anchors {wrong}")
    return Expected(before, after, elsewhere)


def revise(segment: Row, updates: list[Row]) -> Row:
    """The segment with the values of its highest revision."""
    newer = [one for one in updates if one["segment_id"] == segment["segment_id"]]
    return segment | max([segment, *reversed(newer)], key=lambda one: int(one["revision"]))


def placed(row: Row, zones: Row) -> Row:
    """Any row of the inputs with its zones and UTC times, all values as text."""
    result = {"status": ""} | {key: str(value) for key, value in row.items()}
    for end, place in zip(("start", "end"), PLACES, strict=True):
        zone = row[f"{end}_timezone"] or zones[row[place]]
        moment = datetime.fromisoformat(row[f"{end}_local"]).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        result |= {f"{end}_timezone": zone, f"{end}_utc": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}
    return result


def in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row["start_utc"], row["segment_id"]))


def transports(rows: Iterable[Row]) -> list[Row]:
    return [row for row in in_order(rows) if row["type"] in ("flight", "train")]


def spare(first: Row, second: Row, kind: str, rules: dict[str, Any]) -> float:
    """Minutes left of a connection to a transport of this type, negative when it is insufficient."""
    start, end = datetime.fromisoformat(second["start_utc"]), datetime.fromisoformat(first["end_utc"])
    change = rules["airport_change_minutes"] if first["destination"] != second["origin"] else 0
    needed = rules["minimum_connection_minutes"][f"{first['type']}>{kind}"] + change
    return (start - end).total_seconds() / 60 - needed


def rebook(
    revised: dict[str, Row], offers: list[Row], rules: dict[str, Any], short: set[str]
) -> dict[str, Row]:
    """The alternative of each transport that is rebooked; `short` were insufficient pairs before."""
    chosen: dict[str, Row] = {}
    last: Row | None = None
    for row in transports(revised.values()):
        key, kind, cancelled = row["segment_id"], row["type"], row["status"] == "cancelled"
        reached = last and (spare(last, row, kind, rules) >= 0 or f"{last['segment_id']}|{key}" in short)
        if reached and not cancelled:
            last = row
            continue
        here = last["destination"] if last else row["origin"]
        fitting = [one for one in offers if one["replaces_segment_id"] == key and one["origin"] == here]
        fitting = [one for one in fitting if not last or spare(last, one, kind, rules) >= 0]
        if fitting and (last or cancelled):
            best = min(
                fitting, key=lambda one: (one["end_utc"], Decimal(one["price"]), one["alternative_id"])
            )
            chosen[key] = best | {"segment_id": key, "type": kind}
        last = chosen.get(key, last if cancelled else row)
    for key, offer in chosen.items():
        revised[key] |= {name: offer[name] for name in [*TIMES, *PLACES]} | {"status": "rebooked"}
    return chosen


def plan(
    segments: dict[str, Row], choices: dict[str, Row], rules: dict[str, Any], trip: dict[str, Any]
) -> Plan:
    """All outputs for the segments that are left."""
    rows = in_order(segments.values())
    selected = {key: offer["alternative_id"] for key, offer in choices.items()}
    timeline = [row | {"selected_alternative_id": selected.get(row["segment_id"], "")} for row in rows]
    found: list[tuple[str, list[str], str]] = []
    for index, row in enumerate(rows):
        for other in rows[index + 1 :]:
            if other["start_utc"] >= row["end_utc"]:
                break
            found.append(("overlap", sorted([row["segment_id"], other["segment_id"]]), ""))
    same_reference = defaultdict(list)
    for row in rows:
        same_reference[row["booking_ref"]].append(row["segment_id"])
    for reference, ids in same_reference.items():
        found += [("duplicate_booking", list(pair), "") for pair in combinations(sorted(ids), 2) if reference]
    for one, other in pairwise(transports(rows)):
        ids = [one["segment_id"], other["segment_id"]]
        found += [("insufficient_connection", ids, "")] * (spare(one, other, other["type"], rules) < 0)
        found += [("airport_change", ids, "")] * (one["destination"] != other["origin"])
    hotels = [(row["start_local"], row["end_local"]) for row in rows if row["type"] == "hotel"]
    night, end = (date.fromisoformat(trip[name]) for name in ("trip_start_date", "trip_end_date"))
    while night < end:
        name, night = f"{night}", night + timedelta(days=1)
        if not any(arrival < f"{night}T00:00" < departure for arrival, departure in hotels):
            found.append(("night_without_lodging", [], name))
    found.sort(key=lambda issue: (issue[0], "|".join(issue[1]), issue[2]))
    issues: list[Json] = [
        ({"night": name} if name else {}) | {"segment_ids": [*ids], "type": kind} for kind, ids, name in found
    ]
    rebooked = [dict(zip(REBOOK, (key, selected[key]), strict=True)) for key in sorted(selected)]
    return Plan([{name: row[name] for name in TIMELINE} for row in timeline], {"issues": issues}, rebooked)


def pairs(issues: Any, kind: str) -> set[str]:
    """The issues of one type, each as its ids and its night in one text."""
    items = [one for one in issues["issues"] if one["type"] == kind]
    return {"|".join(one["segment_ids"]) + (one.get("night") or "") for one in items}


def solve(fixture: Fixture) -> Work:
    """Run the command before the updates come, and again over the same workspace when they are there."""
    workspace = fixture.workspace(upto="initial")
    first = judging.tried(lambda: run(workspace, with_rebook=False))
    workspace.add_stage("updates")
    second = judging.tried(lambda: run(workspace))
    if isinstance(first, Exception) and isinstance(second, Exception):
        raise first
    return Work(workspace, first, second)


def run(
    workspace: Workspace, inputs: str = "inputs", output: str = "output", with_rebook: bool = True
) -> Plan:
    """Run the command and read its outputs."""
    workspace.python("-m", "solution.itinerary_check", inputs, "--output", output, seconds=SECONDS)
    outputs = workspace.outputs
    outputs.slips.clear()
    timeline = outputs.csv(f"{output}/timeline.csv", TIMELINE, limit=OUTPUT_LIMIT)
    issues = outputs.json(f"{output}/issues.json", limit=OUTPUT_LIMIT)
    rebooked = outputs.csv(f"{output}/rebook.csv", REBOOK, limit=OUTPUT_LIMIT) if with_rebook else []
    return Plan(timeline, issues, rebooked, [*outputs.slips])


def share(found: Collection[object], right: Collection[object]) -> float:
    """How much of what is right is there, less when much else is."""
    return len({*found} & {*right}) / max(len(found), len(right))


def best_of(actual: Work, expected: Expected, measure: Any) -> float:
    """The better of both runs."""
    runs = ((actual.first, expected.before), (actual.second, expected.after))
    return max(measure(found, wanted) for found, wanted in runs if isinstance(found, Plan))


@judging.core
def most_times_are_right(actual: Work, expected: Expected) -> None:
    """In one of the two runs at least two in three segments have the right times in UTC."""

    def minutes(row: Row) -> tuple[str, str, str]:
        return row["segment_id"], row["start_utc"][:MINUTES], row["end_utc"][:MINUTES]

    def measure(found: Plan, wanted: Plan) -> float:
        return share(*(list(map(minutes, one.timeline)) for one in (found, wanted)))

    right = best_of(actual, expected, measure)
    comparing.require(right >= MOSTLY, f"{right:.0%} of the segments have the right times")


@judging.core
def most_kinds_of_issues_are_right(actual: Work, expected: Expected) -> None:
    """In one of the two runs at least two in three issues are right for three of the five types."""

    def measure(found: Plan, wanted: Plan) -> float:
        kinds = {one["type"] for one in listed(wanted)}
        shares = (share(pairs(found.issues, kind), pairs(wanted.issues, kind)) for kind in kinds)
        return sum(one >= MOSTLY for one in shares)

    right = best_of(actual, expected, measure)
    comparing.require(right >= 3, f"{right} of 5 types of issues are mostly right")


def listed(plan: Plan) -> list[Any]:
    assert isinstance(plan.issues, dict) and isinstance(plan.issues["issues"], list)
    return plan.issues["issues"]


def timeline_is_exact(actual: Work, expected: Expected) -> None:
    """Before the updates every segment has its local and its UTC times, in order."""
    comparing.same_rows("timeline.csv", actual.before.timeline, expected.before.timeline, key=["segment_id"])


def issues_are_exact(actual: Work, expected: Expected) -> None:
    """Before the updates issues.json lists exactly the issues, in order."""
    comparing.same_json("issues.json", actual.before.issues, expected.before.issues, ordered_keys=True)


def highest_revision_is_applied(actual: Work, expected: Expected) -> None:
    """With the updates every segment that is not rebooked has the values of its highest revision."""
    rebooked = {row["original_segment_id"] for row in expected.after.rebook}
    plans = (actual.after, expected.after)
    found, wanted = ([row for row in one.timeline if row["segment_id"] not in rebooked] for one in plans)
    comparing.same_rows("timeline.csv with updates", found, wanted, key=["segment_id"], fields=REVISED)


def alternatives_are_exact(actual: Work, expected: Expected) -> None:
    """rebook.csv has exactly the segments that are rebooked, each with its best alternative, in order."""
    comparing.same_rows("rebook.csv", actual.after.rebook, expected.after.rebook, key=["original_segment_id"])


def final_timeline_and_issues_are_exact(actual: Work, expected: Expected) -> None:
    """With the updates the timeline shows the alternatives, and the issues are those of this timeline."""
    comparing.same_rows("final timeline", actual.after.timeline, expected.after.timeline, key=["segment_id"])
    comparing.same_json("final issues", actual.after.issues, expected.after.issues, ordered_keys=True)


def lines_end_as_stated(actual: Work, expected: Expected) -> None:
    """Every output uses LF and ends with a newline."""
    comparing.lines_end_with_lf(actual.before.slips + actual.after.slips)


def arguments_are_followed(actual: Work, expected: Expected) -> None:
    """Another folder with other minutes gives its own result, without updates and with only updates."""
    workspace, branch = actual.workspace, actual.workspace.root / "branch/incoming"
    branch.mkdir(parents=True)
    (branch / "connection_rules.json").write_text(json.dumps(OTHER_RULES), "utf-8")
    more = (["itinerary.json", "airports.csv"], ["updates.json"])
    for names, wanted in zip(more, expected.elsewhere, strict=True):
        for name in names:
            (branch / name).write_text(workspace.fixture.text(f"inputs/{name}"), "utf-8", newline="")
        found, what = run(workspace, "branch/incoming", "output/branch/new"), f"branch with {names[0]}"
        comparing.same_rows(f"{what}: timeline", found.timeline, wanted.timeline, key=["segment_id"])
        comparing.same_json(f"{what}: issues", found.issues, wanted.issues)
        comparing.same_rows(f"{what}: rebook.csv", found.rebook, [], key=REBOOK, may_be_empty=True)


def edge(fixture: Fixture) -> None:
    """A hotel whose check-out is exactly the departure of a train does not overlap it."""
    found = run(fixture.workspace())
    times = [(row["segment_id"], row["start_utc"], row["end_utc"]) for row in found.timeline]
    hotel = ("H-EDGE", "2025-03-01T18:00:00Z", "2025-03-02T08:00:00Z")
    comparing.same(
        "the edge's times", times, [hotel, ("T-EDGE", "2025-03-02T08:00:00Z", "2025-03-02T09:00:00Z")]
    )
    comparing.same_json("the edge's issues", found.issues, {"issues": []})


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.itinerary_check"),
        expect=expect,
        solve=solve,
        checks=[
            most_times_are_right,
            most_kinds_of_issues_are_right,
            timeline_is_exact,
            issues_are_exact,
            highest_revision_is_applied,
            alternatives_are_exact,
            final_timeline_and_issues_are_exact,
            lines_end_as_stated,
            arguments_are_followed,
        ],
        edge=edge,
    )
