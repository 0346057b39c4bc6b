"""Generated files of task 08: a long trip with its places and connection rules, then updates and
alternatives.

Trips are written in lines. `@ DATE` sets the day; times are of that day, `08:00+1` of the next:

    TYPE ID ORIGIN START DESTINATION END [key=value…]             a segment
    update ID REVISION [key=value…]                               an update
    offer ID REPLACES PRICE ORIGIN START DESTINATION END […]      an alternative

Zones are those of the places unless a key says otherwise; `-` is the empty text.
"""

import random
import sys
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Row = dict[str, object]
type Trip = tuple[list[Row], list[Row], list[Row]]  # segments, updates, alternatives

PLACES = {
    "Europe/London": "LHR:London LGW:London QQS:London EUS:London LON:London "
    "MAN:Manchester EDI:Edinburgh GLA:Glasgow",
    "Europe/Paris": "CDG:Paris ORY:Paris XPG:Paris PAR:Paris",
    "Europe/Amsterdam": "AMS:Amsterdam",
    "Europe/Berlin": "FRA:Frankfurt",
    "Europe/Zurich": "ZRH:Zürich",
    "America/New_York": "JFK:New_York EWR:New_York NYP:New_York NYC:New_York BOS:Boston",
    "America/Los_Angeles": "LAX:Los_Angeles",
    "Asia/Tokyo": "HND:Tokyo",
    "Asia/Kolkata": "DEL:Delhi",
    "Australia/Sydney": "SYD:Sydney",
    "Australia/Adelaide": "ADL:Adelaide",
}
AIRPORTS = [
    (code, zone, city.replace("_", " "))
    for zone, places in PLACES.items()
    for code, city in (place.split(":") for place in places.split())
]
ZONES = {code: zone for code, zone, _ in AIRPORTS}
RULES = {
    "airport_change_minutes": 90,
    "minimum_connection_minutes": {
        "flight>flight": 45,
        "flight>train": 30,
        "train>flight": 40,
        "train>train": 20,
    },
}
START = "2025-03-01"
FILLER_FROM = date(2025, 5, 12)
OVERSEAS = ["JFK", "BOS"]
TARGETS = ["MAN", "EDI", "GLA", *OVERSEAS]
KEYS = {
    "start": "start_local",
    "end": "end_local",
    "from": "start_timezone",
    "to": "end_timezone",
    "ref": "booking_ref",
}
OFFER = "alternative_id replaces_segment_id start_local end_local start_timezone end_timezone".split()

ANCHORS = Path(__file__).with_name("days.txt").read_text("utf-8")
EDGE = """
@ 2025-03-01
hotel H-EDGE LON 18:00 LON 08:00+1
@ 2025-03-02
train T-EDGE LON 08:00 MAN 09:00
"""


def parse(text: str) -> Trip:
    """Segments, updates and alternatives, each in the order of their lines."""
    segments, updates, offers, day = [], [], [], date.min
    for line in filter(None, (line.partition("  #")[0].split() for line in text.splitlines())):
        values = {key: "" if value == "-" else value for key, value in map(split, line) if value}
        words = [word for word in line if "=" not in word]
        kind, name = words[:2]
        for key in ("start", "end"):
            if key in values:
                values[key] = local(day, values[key])
        values = {KEYS.get(key, key): value for key, value in values.items()}
        if kind == "@":
            day = date.fromisoformat(name)
        elif kind == "update":
            updates.append({"segment_id": name, "revision": int(words[2]), **values})
        else:
            origin, start, destination, end = words[-4:]
            row: Row = {
                "start_local": local(day, start),
                "end_local": local(day, end),
                "start_timezone": ZONES[origin],
                "end_timezone": ZONES[destination],
                "origin": origin,
                "destination": destination,
            }
            if kind == "offer":
                known = {"alternative_id": name, "replaces_segment_id": words[2]}
                offers.append({**known, **row, **values, "price": words[3]})
            else:
                known = {"segment_id": name, "type": kind, "revision": int(values.pop("rev", "1"))}
                segments.append({**known, **row, "booking_ref": f"BK-{name}", **values})
    return segments, updates, offers


def split(word: str) -> tuple[str, str]:
    key, _, value = word.partition("=")
    return key, value


def local(day: date, text: str) -> str:
    clock, _, later = text.partition("+")
    return f"{day + timedelta(days=int(later or 0))}T{clock}"


def filler(rng: random.Random, weeks: int) -> Trip:
    """Weeks that fly out by a hub and come back by train; starts have odd minutes and ends even ones, so
    that nothing touches.
    """
    lines: list[str] = []
    for number in range(weeks):
        monday = FILLER_FROM + timedelta(weeks=number)
        target = rng.choice(TARGETS)
        lines += [f"@ {monday}", *journey(rng, f"W{number:02}", target)]
        for day, letter in enumerate("ABCDEFG"):
            place = "LON" if day > 3 else target.replace("JFK", "NYC")
            lines.append(f"@ {monday + timedelta(days=day)}")
            lines += stay(rng, f"W{number:02}{letter}", place, last=number == weeks - 1 and day == 6)
    return parse("\n".join(lines))


def journey(rng: random.Random, week: str, target: str) -> list[str]:
    """Monday's two flights and Friday's return, and what may become of them."""
    hub, other = rng.sample(["CDG", "AMS", "FRA", "ZRH"], 2)
    there = 15 if target in OVERSEAS else 13
    arrival, gap = 600 + 2 * rng.randrange(15), 2 * rng.randrange(15, 45) + 1
    zones = rng.choice(["", " from=-", " to=-", " from=- to=-"])
    lines = [
        f"flight {week}-F1 LHR 07:{odd(rng)} {hub} {clock(arrival)}{zones}",
        f"flight {week}-F2 {hub} {clock(arrival + gap)} {target} {there}:{even(rng)}{zones}",
        f"train {week}-T3 {target} 16:{odd(rng)}+4 {rng.choice(['LHR', 'QQS'])} 20:{even(rng)}+4",
    ]
    if target in OVERSEAS:
        lines[2] = f"flight {week}-F3 {target} 18:{odd(rng)}+4 {rng.choice(['LHR', 'LGW'])} 06:{even(rng)}+5"
    late = arrival + 2 * rng.randrange(10, 45)
    fate = rng.choice(["late", "late", "cancelled", "nothing"])
    if fate == "late":
        lines.append(f"update {week}-F1 2 end={clock(late)}")
    if fate == "cancelled":
        lines.append(f"update {week}-F2 2 status=cancelled")
    for letter in "ABC"[: rng.randrange(4)]:
        origin = rng.choice([hub, hub, hub, other])
        start = clock(late + 2 * rng.randrange(15, 60) + 1)
        place = f"{origin} {start} {target} {there + 1}:{even(rng)}"
        lines.append(
            f"offer {week}-{letter} {week}-F2 {rng.randrange(40, 400)}.{rng.randrange(100):02} {place}"
        )
    return lines


def stay(rng: random.Random, day: str, place: str, last: bool) -> list[str]:
    """A day's activities and its hotel, which the last night of the trip does not have."""
    lines = []
    for number in range(rng.randrange(4)):
        hour = rng.randrange(9, 16)
        reference = rng.choice(["", "", "", f" ref=GRP-{day[:3]}"])
        times = f"{place} {hour:02}:{odd(rng)} {place} {hour + rng.randrange(1, 3):02}:{even(rng)}"
        zones = rng.choice(["", "", " from=- to=-"])
        lines.append(f"activity {day}{number} {times}{reference}{zones}")
        if rng.random() < 0.3:
            revision = rng.randrange(1, 4)
            change = rng.choice(["status=cancelled", f"ref=CHG-{day}", "status=confirmed gate=7"])
            lines.append(f"update {day}{number} {revision} {change}")
    if not last and rng.random() < 0.8:
        lines.append(f"hotel {day}H {place} 21:{odd(rng)} {place} 06:{even(rng)}+1")
    return lines


def odd(rng: random.Random) -> str:
    return f"{2 * rng.randrange(15) + 1:02}"


def even(rng: random.Random) -> str:
    return f"{2 * rng.randrange(15, 30):02}"


def clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def trip(build: seeding.Build) -> Trip:
    """Anchors in their order, with filler strewn between them."""
    if build.fixture == "edge":
        return parse(EDGE)
    rng = build.rng_of("initial")
    lists = parse(ANCHORS)
    for rows, more in zip(lists, filler(rng, weeks(build)), strict=True):
        for row in more:
            rows.insert(rng.randint(0, len(rows)), row)
    return lists


def weeks(build: seeding.Build) -> int:
    return build.size(full=30, small=2)


def write_initial(build: seeding.Build) -> None:
    """The trip, its places and its connection rules."""
    segments, _, _ = trip(build)
    inputs = build.out / "inputs"
    end = date(2025, 3, 2) if build.fixture == "edge" else FILLER_FROM + timedelta(weeks=weeks(build))
    whole = {"trip_start_date": START, "trip_end_date": f"{end}", "segments": segments}
    fixtures.write_json(inputs / "itinerary.json", whole)
    fixtures.write_json(inputs / "connection_rules.json", RULES)
    fixtures.write_csv(inputs / "airports.csv", ["code", "timezone", "city"], AIRPORTS)


def write_updates(build: seeding.Build) -> None:
    """Updates and alternatives; the edge has none."""
    _, updates, offers = trip(build)
    fixtures.write_json(build.out / "inputs/updates.json", updates)
    header = [*OFFER, "origin", "destination", "price"]
    rows = ([row[name] for name in header] for row in offers)
    fixtures.write_csv(build.out / "inputs/alternatives.csv", header, rows)


if __name__ == "__main__":
    seeding.main(8, {"initial": write_initial, "updates": write_updates})
