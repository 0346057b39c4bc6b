"""Generated files of task 09: the event export of a support desk and its targets.

An anchor is a ticket id, a priority and its events in their order, each a word of EVENTS and the minutes (or
minutes:seconds) since the creation; `created 0` stands in front where it is not written. `#9` sets the end of
an event's id; `_` in a ticket id is a blank.
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

TARGETS = {"P2": (60, 480), "P10": (30, 120), "P1": (15, 240), "P4": (5, 45), "P3": (240, 1440)}
WITH_TICKETS = ["P1", "P2", "P3", "P10"]

EVENTS = {
    "created": "created",
    "agent": "agent_reply",
    "bot": "bot_reply",
    "waits": "waiting_customer",
    "customer": "customer_reply",
    "resolved": "resolved",
    "reopened": "reopened",
}

FIRST_RESPONSES = """
T-1 P1 agent 14:59, resolved 100
T-2 P1 agent 0:59, resolved 0:59
T-3 P1 bot 3, agent 20, resolved 60
T-4 P1 bot 3, bot 9, resolved 60
T-5 P1 bot 14:59, agent 15, resolved 60
T-6 P1 resolved 100
T-7 P1 created 0, agent 0, agent 20, resolved 100
T-8 P1 agent 0#0, created 0#1, resolved 100
T-9 P1 agent -5, created 0, resolved 100
T-10 P1 agent -5, created 0, agent 12, agent 40, resolved 100
T-11 P1 agent 0:01, resolved 100
T-12 P1 resolved 10, agent 14, reopened 20, agent 50, resolved 60
T-13 P1 resolved 30, agent 50
T-14 P1 waits 2, customer 12, agent 20, resolved 60
T-15 P1 agent 10:40, resolved 100:40
"""

WAITING = """
T-21 P1 agent 5, waits 20, customer 80, resolved 290
T-22 P1 agent 5, waits 20, customer 60, waits 100, customer 130, resolved 305
T-23 P1 agent 5, waits 100, resolved 250
T-24 P1 agent 5, waits 20, customer 40, waits 100, resolved 250, agent 260
T-25 P1 agent 5, waits 20, agent 40, customer 60, resolved 275
T-26 P1 agent 5, waits 20, bot 30, customer 60, resolved 275
T-27 P1 agent 5, waits 20, waits 40, customer 60, resolved 275
T-28 P1 agent 5, waits 20, waits 40, customer 60, resolved 285
T-29 P1 agent 5, customer 10, waits 20, customer 30, customer 50, resolved 245
T-30 P1 agent 5, waits 20, customer 30, customer 50, resolved 260
T-31 P1 agent 5, waits 200, resolved 250, customer 300
T-32 P1 agent 5, waits 200, resolved 300, customer 310
T-33 P1 agent 5, waits 20, resolved 50, customer 100, reopened 110, resolved 320
T-34 P1 agent 5, waits 20, resolved 50, reopened 60, customer 100, resolved 320
T-35 P1 agent 5, resolved 50, waits 60, reopened 70, customer 100, resolved 280
T-36 P1 agent 5, resolved 200, waits 300, customer 400
T-37 P1 agent 5, resolved 250, waits 300, customer 400
T-38 P1 waits -10, created 0, agent 5, customer 30, resolved 275
T-39 P1 waits -10, created 0, agent 5, customer 30, resolved 265
T-40 P1 waits -30, customer -10, created 0, agent 5, resolved 250
T-41 P1 waits -10, created 0, agent 5, waits 20, customer 50, resolved 285
T-42 P1 waits -10, created 0, agent 5, resolved 250
T-43 P1 agent 5, waits 20#10, customer 20#9, customer 60, resolved 250
T-44 P1 agent 5, waits 20, customer 50#a, waits 50#b, customer 80, resolved 290
T-45 P1 agent 5, customer 20#10, waits 20#9, customer 60, resolved 270
T-46 P1 agent 5, waits 10, customer 10:40, waits 20, customer 20:40, resolved 100:10
T-47 P1 agent 5, waits 10, customer 10:40, resolved 240:40
T-48 P1 agent 5, waits 10, customer 10:40, resolved 240:41
T-49 P1 agent 0:30, waits 1, customer 60, resolved 60
T-50 P1 agent 5, waits 200, resolved 250#a, customer 250#b
T-51 P1 agent 5, waits 20, bot 30, agent 35, waits 40, customer 60, waits 70
T-52 P1 waits -10#1, customer 0#2, created 0#3, agent 5, resolved 241
T-53 P1 waits -20, created 0, agent 5, resolved 250, customer 300
T-54 P1 agent 5, waits 20#B, customer 20#a, customer 60, resolved 250
"""

REOPENING = """
T-61 P1 agent 5, resolved 100, reopened 120, resolved 250
T-62 P1 agent 5, resolved 100, reopened 120
T-63 P1 agent 5, resolved 100, reopened 120, agent 130, customer 140
T-64 P1 agent 5, resolved 100#a, reopened 100#b
T-65 P1 agent 5, reopened 100#a, resolved 100#b
T-66 P1 agent 5, reopened 100, resolved 100:01
T-67 P1 agent 5, resolved 100, reopened 100:01
T-68 P1 agent 5, resolved 100, resolved 260
T-69 P1 agent 5, reopened 30, resolved 100
T-70 P1 agent 5, resolved 100, reopened 120, reopened 150, resolved 200
T-71 P1 agent 5, resolved 100, reopened 120, resolved 140, reopened 150
T-72 P1 agent 5, resolved 100, reopened 120, resolved 140, resolved 230
T-73 P1 agent 5
T-74 P1 bot 5
T-75 P1
T-76 P3 agent 30, resolved 2900
T-77 P3 agent 1500, resolved 1501
T-78 P3 agent 30, waits 40, customer 1490, resolved 2900
T-79 P1 waits -2000, created 0, agent 5, customer 10, resolved 245
"""

IDS = """
t-9 P1 agent 5, resolved 100
Tür-4 P2 agent 5, resolved 100
Tu\u0308r-4 P2 agent 6, resolved 101
T-200,"B" P10 agent 5, resolved 100
T-200 P2 agent 5, resolved 100
T-200_ P2 agent 6, resolved 101
T-0200 P3 agent 5, resolved 100
"""

AT = {"T-76": "2024-02-28T12:30:10", "T-78": "2023-12-31T10:00:00", "T-77": "2024-03-31T00:20:00"}

EDGE_AT = datetime(2026, 3, 1, 8, 0, 7, tzinfo=UTC)
EDGE = "resolved 120#01, waits 50#05, customer 70#03, agent 10#07, customer 50#04, waits 20#06, \
resolved 150#01, created 0#08, agent 8#07, bot 5#02"
EDGE_FILLER = ", ".join(f"bot 90#1{number:04}" for number in range(1500))
EDGE_COPIES = "created 2#08, customer 40#04, reopened 130#03"

TEXTS = [
    "Thank you, we are looking into it.",
    "The invoice shows a wrong name.",
    'Form: "type":"resolved","priority":"P1"',
    "Login fails after the new password.",
    "resolved once the serial number is known",
    "Rückfrage: die zweite Kiste fehlt 😀",
    "Chat:\u2028first line\u2028second\u0085third",
    'C:\\exports\\24 {see "created"}',
]
CHANNELS = ["mail", "chat", "web form", "phone"]
SPACED = json.JSONEncoder(ensure_ascii=True, separators=(" , ", " : "))


class Event(NamedTuple):
    """One event of a ticket; `id` is unique in the whole export."""

    at: datetime
    id: str
    word: str


type Ticket = tuple[str, str, list[Event]]  # id, priority, events in their order


def write_initial(build: seeding.Build) -> None:
    """Write the events and the targets; the edge is one ticket out of order with copies of events."""
    targets = {
        name: {"first_response_minutes": response, "resolution_minutes": resolution}
        for name, (response, resolution) in TARGETS.items()
    }
    fixtures.write_json(build.out / "inputs/sla.json", targets)
    fixtures.write_lines(build.out / "inputs/events.jsonl", lines(build))


def lines(build: seeding.Build) -> Iterator[str]:
    """The export: tickets interleaved and roughly in order of time, every ticket in its own order."""
    if build.fixture == "edge":
        for text, priority in ((EDGE, "P1"), (EDGE_FILLER, "P1"), (EDGE_COPIES, "P2")):
            for event in events_of(text, EDGE_AT, "EV-E-"):
                yield line(build, "E-1", priority, event)
        return
    placed: list[tuple[datetime, int, int]] = []
    tickets = [*anchors(), *filler(build)]
    for number, (_, _, events) in enumerate(tickets):
        place = datetime.min.replace(tzinfo=UTC)
        for index, event in enumerate(events):
            late = timedelta(minutes=build.rng.randrange(180) if build.rng.random() < 0.02 else 0)
            place = max(place, event.at + late)
            placed.append((place, number, index))
    for _, number, index in sorted(placed):
        ticket, priority, events = tickets[number]
        yield line(build, ticket, priority, events[index])


def anchors() -> Iterator[Ticket]:
    """The hand-written tickets, and for every priority both sides of both targets."""
    tickets = [one for text in (FIRST_RESPONSES, WAITING, REOPENING, IDS) for one in text.strip().split("\n")]
    for number, name in enumerate(WITH_TICKETS):
        response, resolution = TARGETS[name]
        tickets.append(f"T-8{number} {name} agent {response}, resolved {resolution}")
        tickets.append(f"T-9{number} {name} agent {response}:01, resolved {resolution}:01")
        tickets.append(f"T-10{number} {name} agent {response - 1}:59, resolved {resolution - 1}:59")
    for number, text in enumerate(tickets):
        ticket, priority, *words = text.split(" ", 2)
        start = datetime.fromisoformat(AT.get(ticket, "2024-01-08T09:00:00")).replace(tzinfo=UTC)
        if ticket not in AT:
            start += timedelta(hours=7 * number, minutes=11 * number, seconds=7 * number)
        if "created" not in text:
            words.insert(0, "created 0")
        yield ticket.replace("_", " "), priority, events_of(", ".join(words), start, f"EV-{number:03}-")


def events_of(text: str, start: datetime, prefix: str) -> list[Event]:
    """Read the events of an anchor."""
    events: list[Event] = []
    for index, part in enumerate(text.split(", "), 1):
        word, time = part.split(" ")
        time, _, end = time.partition("#")
        minutes, _, seconds = time.partition(":")
        offset = timedelta(minutes=int(minutes), seconds=int(seconds or 0))
        events.append(Event(start + offset, prefix + (end or str(index)), word))
    return events


def filler(build: seeding.Build) -> Iterator[Ticket]:
    """Ordinary tickets, so that the export has the wanted number of lines."""
    rng = build.rng
    left = build.size(full=200_000, small=700) - sum(len(events) for _, _, events in anchors())
    first = datetime(2024 if build.fixture == "main" else 2025, 1, 1, tzinfo=UTC)
    ids = iter(rng.sample(range(1_000_000, 9_999_999), left))
    tickets = iter(rng.sample(range(10_000, 99_999), min(left, 80_000)))
    while left:
        created = first + timedelta(seconds=rng.randrange(180 * 86_400))
        name = rng.choice(WITH_TICKETS)
        steps = conversation(build, name)
        if left < 16:
            steps = [(60 * minute, "bot" if minute else "created") for minute in range(left)]
        events = [Event(created + timedelta(seconds=at), f"EV-{next(ids)}", word) for at, word in steps]
        left -= len(events)
        yield f"T-{next(tickets)}", name, events


def conversation(build: seeding.Build, priority: str) -> list[tuple[int, str]]:
    """Seconds since the creation and words of one ticket, no two at the same second; at most 16."""
    rng = build.rng
    response, resolution = TARGETS[priority]
    steps: dict[int, str] = {0: "created"}
    replied = rng.randint(max(2, response // 4), response * 5 // 4)
    solved = rng.randint(resolution // 2, resolution * 5 // 4)
    if rng.random() < 0.2:
        steps[60 * rng.randint(1, replied - 1)] = "bot"
    if rng.random() < 0.5 or rng.random() < 0.94:
        steps[60 * replied + rng.choice([0] * 8 + [7, 41])] = "agent"
    for _ in range(rng.randrange(5)):
        steps.setdefault(60 * rng.randrange(replied, solved), "customer")
        steps.setdefault(60 * rng.randrange(replied, solved), "agent")
    if rng.random() < 0.22:
        since = rng.randrange(replied, solved)
        steps.setdefault(60 * since + 2, "waits")
        steps.setdefault(60 * rng.randint(since + 1, solved) + 2, "customer")
    if rng.random() < 0.96:
        steps.setdefault(60 * solved + rng.choice([0] * 8 + [19, 53]), "resolved")
        if rng.random() < 0.12:
            steps[60 * solved + 90] = "reopened"
            if rng.random() < 0.8:
                steps[60 * (solved + rng.randint(10, resolution))] = "resolved"
    return sorted(steps.items())


def line(build: seeding.Build, ticket: str, priority: str, event: Event) -> str:
    """One event as JSON, in one of the forms that exports have."""
    record = {
        "event_id": event.id,
        "ticket_id": ticket,
        "timestamp": event.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "type": EVENTS[event.word],
        "channel": build.rng.choice(CHANNELS),
        "text": build.rng.choice(TEXTS),
    }
    if event.word == "created":
        record["priority"] = priority
    form = 0 if (ticket, event.word) == ("Tür-4", "created") else build.rng.randrange(12)
    if form == 0:
        return SPACED.encode(dict(reversed(record.items())))
    if form == 1:
        return fixtures.json_line(dict(reversed(record.items()))) + " " * 7
    return fixtures.json_line(record)


if __name__ == "__main__":
    seeding.main(9, {"initial": write_initial})
