"""Generated files of task 19: readings of 30 sensors, with a day of anchors in front of the filler.

An anchor is a sensor and its readings in order: `H:MM:SS value`, with an exclamation mark after the value of
a BAD row (`~` stands for no value, `_` for a blank).
"""

import heapq
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Row = tuple[str, str, str, str]

HEADER = ["timestamp", "sensor_id", "value", "status"]
SENSORS = [f"S{number}" for number in range(1, 26) if number != 20] + [
    "S7 ",
    "s7",
    "Zulauf 3",
    "zulauf 3",
    "Ölbad",
    'Tank "B", north',
]
COUNTERS = {"S2", "S4", "S8", "S9", "S11", "S14", "S15", "S16", "S19", "S7 ", "S21", "S23", "s7", "Ölbad"}
COUNTERS.add('Tank "B", north')
DAY = datetime(2024, 2, 29, tzinfo=UTC)
FILLER_STARTS = DAY + timedelta(days=1, hours=6)

# In the order in which the loggers deliver.
GAUGES = """
S1 0:00:00 10
S25 0:06:00 3
S1 0:04:59 14, 0:05:00 21, 0:09:59 30, 0:10:00 7
S3 0:03:20 1, 0:06:00 2, 0:07:50 3.5
S5 0:00:00 1, 0:02:00 999!, 0:03:00 3, 0:05:10 4, 0:06:00 ERR_17,_retry!, 0:07:00 ~!, 0:08:00 NaN!, 0:09:00 2
S6 0:00:10 9, 0:01:10 10, 0:05:10 -10, 0:06:10 -9, 0:10:10 5
S7 0:00:00 1, 0:01:00 1, 0:02:00 2, 0:05:00 1, 0:06:00 2, 0:07:00 2
S7 0:10:00 -1, 0:11:00 -1, 0:12:00 0, 0:15:00 4
S10 0:01:00 0.000002, 0:02:00 0.000003, 0:05:00 0.000003, 0:06:00 0.000004
S10 0:10:00 -0.000002, 0:11:00 -0.000003
S12 0:01:00 0.000002, 0:02:00 0.0000030000000000000000000000000000000001, 0:06:00 0.0000024, 0:07:00 0.0000034
S13 0:01:00 007.50, 0:02:00 -0010.250, 0:06:00 -0.0, 0:07:00 0.00, 0:11:00 1000, 0:12:00 1000.00, 0:16:00 -0
S13 0:21:00 0.0000001, 0:22:00 0.0000001, 0:26:00 -0.0000002, 0:27:00 -0.0000001, 0:31:00 120, 0:36:00 -0.5
S17 0:01:00 123456789012345678901234567890.5, 0:02:00 0.1, 0:03:00 -0.0000000000000000000000000000000000000003
S17 0:06:00 123456789012345678901234567890.25, 0:07:00 123456789012345678901234567890.75
S17 0:11:00 123456789012345678901234567890.000002
S17 0:12:00 123456789012345678901234567890.0000030000000000000000000000000000000001
S22 1:15:00 2, 1:30:00 3, 1:45:01 4
S18 1:15:00 2, 1:30:00 3, 1:45:01 4
S24 1:00:00 5, 1:04:00 6!, 1:17:00 5, 2:00:00 5, 2:16:30 6!, 2:19:00 5, 23:50:00 1, 24:06:40 2
"""
WIDEST = f"{'9' * 30}.{'9' * 40}"
COUNTED = f"""
S2 0:00:00 100, 0:04:00 110, 0:05:00 130, 0:09:00 999!, 0:10:00 90, 0:14:00 95, 0:31:00 105
S8 0:00:10 50, 0:01:00 60, 0:05:00 20, 0:10:00 25, 0:10:30 24.5, 0:14:59 30
S4 0:03:00 7.25, 0:06:00 8, 0:11:00 8.50, 0:16:00 08.5, 0:17:00 8.500, 0:21:00 9, 0:26:00 10
S9 0:00:00 10, 0:05:30 30, 0:06:00 4, 0:07:00 9, 0:10:00 9.5, 0:11:00 5!, 0:12:00 12, 0:13:00 ~!
S9 0:17:00 12.000, 0:23:00 0011.50, 0:23:30 011.40, 0:24:00 11.4
S11 0:20:00 5, 0:22:00 6, 0:37:00 7, 0:52:01 3, 1:20:00 9, 1:30:00 -2.5, 1:31:00 -1
S14 0:01:00 1, 0:06:00 123456789012345678901234567890.1, 0:07:00 123456789012345678901234567890.2
S14 0:11:00 123456789012345678901234567890.2000000000000000000000000000000000000001
S16 0:01:00 123456789012345678901234567890.2, 0:02:00 123456789012345678901234567890.1, 0:03:00 900000
S19 0:01:00 -{WIDEST}, 0:02:00 {WIDEST}
Ölbad 0:00:00 1, 0:04:00 5, 0:23:30 4, 0:24:00 6
Tank "B", north 0:00:00 1, 0:04:00 5, 0:23:30 4, 0:24:00 6
s7 0:00:00 1, 0:04:00 5, 0:23:30 4, 0:24:00 6
S15 0:00:00 1, 0:04:00 5, 0:23:30 4, 0:24:00 6
"""
EDGE = """
S1 0:00:00 5, 0:05:00 999!, 0:06:00 888!, 0:22:00 7
S2 0:01:00 10, 0:02:00 12, 0:07:00 13!, 0:18:00 15
"""
UNIT = 10**34
DELIVERIES = [1, 60, 600, 3600, 21600]
BROKEN = ["", "NaN", "ERR 17, retry", "-999", "9999.0", 'short "circuit"']


def write_initial(build: seeding.Build) -> None:
    """Write both inputs; in the edge two sensors have buckets with BAD rows only."""
    rows = rows_of(EDGE) if build.fixture == "edge" else everything(build)
    lines = fixtures.csv_lines(HEADER, rows)
    fixtures.write_gzip_lines(build.out / "inputs/readings.csv.gz", lines, level=3)
    names = [*reversed(SENSORS), "S0 (removed)"]
    kinds = {name: "counter" if name in COUNTERS else "gauge" for name in names}
    fixtures.write_json(build.out / "inputs/sensors.json", kinds)


def everything(build: seeding.Build) -> Iterator[Row]:
    """Anchors, sensor after sensor, then filler as it is delivered: sensors in turn, some hours late."""
    anchors = [*rows_of(GAUGES), *rows_of(COUNTED)]
    yield from anchors
    left = build.size(full=1_200_000, small=1000, full_twin=120_000) - len(anchors)
    counts = [left // len(SENSORS) + (place < left % len(SENSORS)) for place in range(len(SENSORS))]
    streams = [
        delivered(place, readings(build, random.Random(build.rng.getrandbits(64)), name, count))
        for place, (name, count) in enumerate(zip(SENSORS, counts, strict=True))
    ]
    for _, _, _, row in heapq.merge(*streams):
        yield row


def rows_of(anchors: str) -> Iterator[Row]:
    for line in anchors.strip().splitlines():
        name = next(name for name in SENSORS if line.startswith(f"{name} "))
        for reading in line.removeprefix(f"{name} ").split(", "):
            time, value = reading.split(" ")
            hours, minutes, seconds = map(int, time.split(":"))
            moment = DAY + timedelta(hours=hours, minutes=minutes, seconds=seconds)
            text = value.removesuffix("!").replace("_", " ").replace("~", "")
            yield stamp(moment), name, text, "BAD" if value.endswith("!") else "GOOD"


def readings(
    build: seeding.Build, rng: random.Random, name: str, count: int
) -> Iterator[tuple[datetime, Row]]:
    """Filler of one sensor; a BAD row always follows a GOOD one in its bucket."""
    shortest, longest = build.size(full=14, small=60), build.size(full=38, small=150)
    silent, reset = (1 / build.size(full=many, small=few) for many, few in ((2000, 30), (3000, 25)))
    moment, good_bucket, total = FILLER_STARTS, -1, rng.randrange(10**6) * UNIT
    for _ in range(count):
        longer = 600 + rng.randrange(2400) if rng.random() < silent else 0
        moment += timedelta(seconds=longer + rng.randint(shortest, longest))
        bucket = int(moment.timestamp()) // 300
        if bucket == good_bucket and rng.random() < 0.03:
            yield moment, (stamp(moment), name, rng.choice(BROKEN), "BAD")
            continue
        good_bucket = bucket
        if name in COUNTERS:
            total = rng.randrange(UNIT) if rng.random() < reset else total + increment(rng)
            value = f"{total // UNIT}.{total % UNIT:034}"
        else:
            value = f"{rng.randint(-20, 95)}.{rng.getrandbits(115)}"
        yield moment, (stamp(moment), name, value, "GOOD")


def increment(rng: random.Random) -> int:
    return 0 if rng.random() < 0.02 else rng.getrandbits(118)


def delivered(place: int, found: Iterator[tuple[datetime, Row]]) -> Iterator[tuple[float, int, int, Row]]:
    """The same readings with the time at which the sensor's logger delivers them in front."""
    period = DELIVERIES[place % len(DELIVERIES)]
    for number, (moment, row) in enumerate(found):
        yield -(-moment.timestamp() // period) * period, place, number, row


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    seeding.main(19, {"initial": write_initial})
