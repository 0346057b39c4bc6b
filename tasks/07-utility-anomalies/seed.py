"""Generated file of task 07: monthly readings of fifty meters.

In the readings of a meter, `-` is a month without a reading and `|` stands for its first six readings again.
`…` stands for the same six, in the same rhythm, back to the first month; at small scale for one reading.
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

FIRST_YEAR = 2023
LAST = 29  # 2025-06, counted from 2023-01
WINDOW = 6
METERS = 50

type Meter = tuple[str, int, str]  # id, month of its last reading, readings

QUIET = "100 101 99 100 101 99"  # median 100, MAD 1: the limit is a quarter of the median
NOISY = "60 140 80 120 90 110"  # median 100, MAD 20: the limit is three MADs
UNEVEN = "97 112 100 107 103 98"  # each value matters to the median and the MAD
TENS = "10 11 9 10 11 9"
HUGE = "400000000000 400000000001 399999999999"

ANCHORS: list[Meter] = [
    # A quarter of the median, both sides of it, high and low.
    ("METER-0101", LAST, f"… {QUIET} 125 | 125.000001 | 75 | 74.999999"),
    ("METER-0102", LAST, f"… {QUIET} 120 | 130 | 127.00005"),
    # Three MADs, both sides of it, high and low; far above a quarter.
    ("METER-0103", LAST, f"… {NOISY} 130 | 160 | 160.000001 | 40"),
    ("METER-0104", LAST, f"… {NOISY} 39.999999"),
    ("METER-0105", LAST, "… 95 105 90 120 70 130 145 | 145.5"),  # middle deviations 10 and 20
    # The seventh reading is the first that can be flagged; few readings; another span than other meters.
    ("METER-0106", LAST, "50 52 48 51 49 50 80"),
    ("METER-0107", LAST, "50 52 48 51 49 90"),
    ("METER-0108", 12, "77.5"),
    ("METER-0109", 20, "40 41 39 40 41 80 40 41 39 40 41 39 40"),
    # Gaps: the first reading after one, inside the six, over the turn of a year, beside the first and last.
    ("METER-0110", LAST, f"… {UNEVEN} - 140 103"),
    ("METER-0111", 14, "97 112 100 107 - - - 103 98 55"),  # 2023-10 to 2023-12
    ("METER-0112", 27, "60 - 61 60 59 61 - 60"),
    ("METER-0113", LAST, f"… {UNEVEN} 97 112 - 100 107 103 60"),
    ("METER-0114", 25, "80 82 78 81 79 - - 80 - 20 | -  81"),  # 2024-12 and 2025-01 among others
    # A flagged reading stays in the windows after it; zero is a reading.
    ("METER-0115", LAST, f"… {QUIET} 200 210 205 202 100"),
    ("METER-0116", LAST, "… 30 31 29 30 32 28 0 29 30 31 30 60"),
    # MAD 0: a fifth and exactly a quarter away, high and low; a vacant flat.
    ("METER-0117", LAST, "… 80 80 80 80 80 80 96 | 100 | 60 | 64"),
    ("METER-0118", LAST, "0 0 0 0 0 0 0.000000 0"),
    # More is fed in than used: medians that are negative, zero, and a negative half of the sixth decimal.
    ("SOLAR-02", LAST, "… -100 -102 -98 -100 -104 -96 -106 | -106.5 | -93 | -94"),
    ("SOLAR-01", LAST, "… -6 -4 -1 1 4 6 12 | 12.5 | -12.5"),
    ("SOLAR-03", LAST, "… -3 -2 -0.000001 0 2 3 9.5"),
    # As binary floating point, the first is above its limit, the second is not, and 0.2700005 is more.
    ("METER-0120", LAST, "… 21.1 27.8 26.6 21 30.9 32.3 40.4"),
    ("PLANT-7", LAST, f"… {HUGE} {HUGE} 500000000000.000001"),
    # Halves of the sixth decimal in median, MAD and severity; the first is beyond its limit unrounded only.
    ("METER-0121", LAST, "… 100 100.000001 98 102 97 103 75"),
    ("METER-0122", LAST, "… 97 98 99 101 102.000001 103 140"),
    ("METER-0123", LAST, "… 127 129 126 130 125 131 161"),
    # 3 MAD has a seventh decimal that decides; it does not bear rounding, nor do median and distance.
    ("METER-0129", LAST, "… 60 140 80 120.000001 90 110 160.000001 | 160.000002"),
    ("METER-0130", LAST, "… 0.000001 0.000001 0.000002 0.000003 0.000004 0.000004 0.000008"),
    # Equal as written, not before.
    ("METER-0124", LAST, f"… {QUIET} 150"),
    ("METER-0125", LAST, f"… {QUIET} 150.000001"),
    # The largest, and four of equal severity around the tenth place; gaps of ids that need care.
    ("METER-&<50>", LAST, f"… {TENS} 200"),
    ("<b>Roof</b>", LAST, f"… {TENS} 109"),
    ("R&amp;D lab", LAST, f"… {TENS} - | 90"),
    ('Kiosk "A", east', LAST, f"… {TENS} - | 80"),
    ("Zähler Ö", LAST, f"… {TENS} 70"),
    ("Za\u0308hler O\u0308", LAST, f"… {TENS} 14"),
    ("METER-0126", 28, f"… {TENS} 60"),
    ("METER-0127", 27, f"… {TENS} 55"),
    ("METER-0128", 26, f"… {TENS} 50"),
    ("Éclair", LAST, f"… {TENS} - | 40"),
    ("meter-2", LAST, f"… {TENS} - | 40"),
    ("METER-2", LAST, "… 500 510 490 505 495 500 507"),
    ("METER-9", LAST, f"… {TENS} 40 - | 40"),
    ("METER-10", LAST, f"… {TENS} - | 40"),
]

EDGE: list[Meter] = [("EDGE-MAD-0", 6, "100 100 100 100 100 100 130")]


def write_initial(build: seeding.Build) -> None:
    """Write all readings, in no order."""
    if build.fixture == "edge":
        rows = [row for meter in EDGE for row in readings(meter, 0)]
    else:
        reach_back = build.size(full=LAST + 1, small=1)
        rows = [row for meter in ANCHORS for row in readings(meter, reach_back)]
        rows += [row for meter in filler(build) for row in readings(meter, reach_back)]
        build.rng.shuffle(rows)
    fixtures.write_csv(build.out / "inputs/monthly_usage.csv", ["meter_id", "month", "kwh"], rows)


def readings(meter: Meter, reach_back: int) -> list[tuple[str, str, str]]:
    """The rows of one meter, by month."""
    name, last, text = meter
    values = text.removeprefix("… ").split()
    cycle = values[:WINDOW]
    values = [value for word in values for value in (cycle if word == "|" else [word])]
    if text.startswith("…"):
        more = min(reach_back, last + 1 - len(values))
        values = [cycle[place % WINDOW] for place in range(-more, 0)] + values
    months = range(last + 1 - len(values), last + 1)
    return [
        (name, month(number), value) for number, value in zip(months, values, strict=True) if value != "-"
    ]


def month(number: int) -> str:
    return f"{FIRST_YEAR + number // 12}-{number % 12 + 1:02}"


def filler(build: seeding.Build) -> list[Meter]:
    """Households with a yearly rhythm, up to three odd readings and up to two gaps each."""
    numbers = build.rng.sample(range(2000, 10_000), METERS - len(ANCHORS))
    return [household(build.rng, f"METER-{number}") for number in numbers[: build.size(len(numbers), 3)]]


def household(rng: random.Random, name: str) -> Meter:
    level, season = rng.randrange(90, 900), [0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    values = [
        f"{level * (1 + season[number % 12] / 60) * rng.uniform(0.95, 1.05):.3f}"
        for number in range(LAST + 1)
    ]
    for number in rng.sample(range(8, LAST + 1), rng.randrange(1, 4)):
        values[number] = f"{float(values[number]) * rng.choice([0.3, 0.5, 1.6, 2.1]):.2f}"
    for number in rng.sample(range(1, LAST), rng.randrange(3)):
        values[number] = "-"
    return name, LAST, " ".join(values)


if __name__ == "__main__":
    seeding.main(7, {"initial": write_initial})
