"""Check an itinerary: one timeline in UTC and a list of what is wrong with the trip."""

import argparse
import csv
import json
from datetime import UTC, date, datetime, timedelta
from itertools import combinations, pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

from solution.rebooking import apply_updates, rebook

TRANSPORTS = ("flight", "train")
TIMELINE = [
    "segment_id",
    "type",
    "revision",
    "start_local",
    "end_local",
    "start_timezone",
    "end_timezone",
    "start_utc",
    "end_utc",
    "origin",
    "destination",
    "booking_ref",
    "selected_alternative_id",
]


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write_csv(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def with_times(segment, zones):
    """The segment with its zones filled in and its times in UTC."""
    start_zone = segment["start_timezone"] or zones[segment["origin"]]
    end_zone = segment["end_timezone"] or zones[segment["destination"]]
    return segment | {
        "start_timezone": start_zone,
        "end_timezone": end_zone,
        "start": to_utc(segment["start_local"], start_zone),
        "end": to_utc(segment["end_local"], end_zone),
    }


def to_utc(local, zone):
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def travel_order(segments):
    transports = [segment for segment in segments if segment["type"] in TRANSPORTS]
    return sorted(transports, key=lambda segment: (segment["start"], segment["segment_id"]))


def minimum(first, second, rules):
    return timedelta(minutes=rules["minimum_connection_minutes"][f"{first['type']}>{second['type']}"])


def changes_place(first, second):
    return first["destination"] != second["origin"]


def too_short(first, second, rules):
    required = minimum(first, second, rules)
    if changes_place(first, second):
        required += timedelta(minutes=rules["airport_change_minutes"])
    return second["start"] - first["end"] < required


def short_pairs(segments, rules):
    return [
        (first["segment_id"], second["segment_id"])
        for first, second in pairwise(travel_order(segments))
        if too_short(first, second, rules)
    ]


def nights_without_lodging(segments, first, last):
    hotels = [segment for segment in segments if segment["type"] == "hotel"]
    night = first
    while night < last:
        midnight = f"{night + timedelta(days=1)}T00:00"
        if not any(hotel["start_local"] < midnight < hotel["end_local"] for hotel in hotels):
            yield night.isoformat()
        night += timedelta(days=1)


def find_issues(segments, rules, trip):
    issues = []

    def add(kind, first, second):
        issues.append({"segment_ids": [first, second], "type": kind})

    by_id = sorted(segments, key=lambda segment: segment["segment_id"])
    for one, other in combinations(by_id, 2):
        if one["start"] < other["end"] and other["start"] < one["end"]:
            add("overlap", one["segment_id"], other["segment_id"])
        if one["booking_ref"] and one["booking_ref"] == other["booking_ref"]:
            add("duplicate_booking", one["segment_id"], other["segment_id"])
    for first, second in short_pairs(segments, rules):
        add("insufficient_connection", first, second)
    for first, second in pairwise(travel_order(segments)):
        if changes_place(first, second):
            add("airport_change", first["segment_id"], second["segment_id"])
    first, last = (date.fromisoformat(trip[f"trip_{end}_date"]) for end in ("start", "end"))
    for night in nights_without_lodging(segments, first, last):
        issues.append({"night": night, "segment_ids": [], "type": "night_without_lodging"})
    return sorted(
        issues, key=lambda issue: (issue["type"], "|".join(issue["segment_ids"]), issue.get("night", ""))
    )


def timeline_rows(segments):
    rows = []
    for segment in sorted(segments, key=lambda segment: (segment["start"], segment["segment_id"])):
        row = {name: segment.get(name, "") for name in TIMELINE}
        row["start_utc"] = f"{segment['start']:%Y-%m-%dT%H:%M:%SZ}"
        row["end_utc"] = f"{segment['end']:%Y-%m-%dT%H:%M:%SZ}"
        rows.append(row)
    return rows


def write_outputs(output, segments, issues):
    output.mkdir(parents=True, exist_ok=True)
    write_csv(output / "timeline.csv", TIMELINE, timeline_rows(segments))
    text = json.dumps({"issues": issues}, indent=2, ensure_ascii=False)
    (output / "issues.json").write_text(text + "\n", encoding="utf-8", newline="\n")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


def main():
    args = arguments()
    trip = read_json(args.inputs / "itinerary.json")
    rules = read_json(args.inputs / "connection_rules.json")
    zones = {row["code"]: row["timezone"] for row in read_csv(args.inputs / "airports.csv")}
    updates_path, alternatives_path = args.inputs / "updates.json", args.inputs / "alternatives.csv"
    updates = read_json(updates_path) if updates_path.exists() else []
    alternatives = read_csv(alternatives_path) if alternatives_path.exists() else []

    original = [with_times(segment, zones) for segment in trip["segments"]]
    updated = [with_times(segment, zones) for segment in apply_updates(trip["segments"], updates)]
    alternatives = [with_times(alternative, zones) for alternative in alternatives]
    already_short = short_pairs(original, rules)

    def connects(first, second):
        pair = (first["segment_id"], second["segment_id"])
        return pair in already_short or not too_short(first, second, rules)

    def needs(first, second):
        return minimum(first, second, rules)

    segments = rebook(updated, travel_order(updated), alternatives, connects, needs)
    write_outputs(args.output, segments, find_issues(segments, rules, trip))
    rebooked = [
        {"original_segment_id": segment["segment_id"], "alternative_id": segment["selected_alternative_id"]}
        for segment in sorted(segments, key=lambda segment: segment["segment_id"])
        if segment.get("selected_alternative_id")
    ]
    write_csv(args.output / "rebook.csv", ["original_segment_id", "alternative_id"], rebooked)


if __name__ == "__main__":
    main()
