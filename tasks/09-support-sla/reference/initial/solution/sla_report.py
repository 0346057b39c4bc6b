"""Report first responses, resolutions and breached targets of support tickets."""

import argparse
import csv
import json
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

FIELDS = [
    "ticket_id",
    "priority",
    "created_at",
    "first_response_minutes",
    "resolution_minutes",
    "first_response_breached",
    "resolution_breached",
    "status",
]


class Event(NamedTuple):
    timestamp: str
    event_id: str
    type: str
    priority: str | None

    @property
    def time(self):
        return datetime.fromisoformat(self.timestamp)


def read_tickets(path):
    tickets = {}
    seen = set()
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            record = json.loads(line)
            event = Event(record["timestamp"], record["event_id"], record["type"], record.get("priority"))
            if event.event_id in seen:
                continue
            seen.add(event.event_id)
            tickets.setdefault(record["ticket_id"], []).append(event)
    return tickets


def first_response(events, created):
    for event in events:
        if event.type == "agent_reply" and event.time > created.time:
            return seconds_between(created.time, event.time)
    return None


def final_resolution(events):
    resolved = [event.time for event in events if event.type == "resolved"]
    reopened = [event.time for event in events if event.type == "reopened"]
    if not resolved:
        return None
    if reopened and max(reopened) >= max(resolved):
        return None
    return max(resolved)


def waiting_intervals(events):
    since = None
    for event in events:
        if event.type == "waiting_customer" and since is None:
            since = event.time
        elif event.type == "customer_reply" and since is not None:
            yield since, event.time
            since = None


def resolution_time(events, created):
    end = final_resolution(events)
    if end is None:
        return None
    total = seconds_between(created.time, end)
    for since, until in waiting_intervals(events):
        part = seconds_between(max(since, created.time), min(until, end))
        total -= max(part, 0)
    return total


def seconds_between(start, end):
    return int((end - start).total_seconds())


def is_breached(seconds, target_minutes):
    return seconds is None or seconds > target_minutes * 60


def minutes(seconds):
    return "" if seconds is None else seconds // 60


def report(ticket_id, events, targets):
    events = sorted(events, key=lambda event: (event.timestamp, event.event_id))
    created = next(event for event in events if event.type == "created")
    target = targets[created.priority]
    response = first_response(events, created)
    resolution = resolution_time(events, created)
    return {
        "ticket_id": ticket_id,
        "priority": created.priority,
        "created_at": created.timestamp,
        "first_response_minutes": minutes(response),
        "resolution_minutes": minutes(resolution),
        "first_response_breached": is_breached(response, target["first_response_minutes"]),
        "resolution_breached": is_breached(resolution, target["resolution_minutes"]),
        "status": "open" if resolution is None else "resolved",
    }


def summarize(rows, targets):
    by_priority = {
        priority: {"first_response_breaches": 0, "resolution_breaches": 0, "tickets": 0}
        for priority in sorted(targets)
    }
    for row in rows:
        counts = by_priority[row["priority"]]
        counts["first_response_breaches"] += row["first_response_breached"]
        counts["resolution_breaches"] += row["resolution_breached"]
        counts["tickets"] += 1
    return {"by_priority": by_priority, "total_tickets": len(rows)}


def write_tickets(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            flags = {name: str(row[name]).lower() for name in FIELDS if name.endswith("_breached")}
            writer.writerow(row | flags)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("events", type=Path)
    parser.add_argument("targets", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    targets = json.loads(args.targets.read_text(encoding="utf-8"))
    tickets = read_tickets(args.events)
    rows = [report(ticket_id, tickets[ticket_id], targets) for ticket_id in sorted(tickets)]
    args.output.mkdir(parents=True, exist_ok=True)
    write_tickets(args.output / "tickets.csv", rows)
    summary = json.dumps(summarize(rows, targets), indent=2, ensure_ascii=False)
    (args.output / "summary.json").write_text(summary + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
