"""What the rules of task 06 say of a schedule: who may do which shift, what it is worth, which is the best."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations, product
from typing import Any

SCHEDULE = ["shift_id", "seat", "volunteer_id"]
UNFILLED = ["shift_id", "seat", "required_skill", "reason"]
LAST = "\U0010ffff"  # an unfilled seat comes after every id

type Row = dict[str, str]
type Tables = dict[str, list[Row]]
"""Rows of the four CSV files by their names without .csv."""
type Staff = tuple[str, ...]
"""Volunteers of a shift in seat order, LAST for each unfilled seat."""
type Workload = tuple[str, ...]
"""Shifts of one volunteer, or of several one after another."""
type Seats = list[tuple[str, Staff]]
"""By shift id: two lists over the same shifts compare as the lexical order says."""


@dataclass
class Result:
    """What one run wrote, or should have."""

    schedule: list[Row]
    unfilled: list[Row]
    summary: Any
    slips: list[str] = field(default_factory=list)
    failure: str = ""


@dataclass
class Rota:
    """The inputs of one stage, and how its schedules are valued."""

    volunteers: dict[str, Row]
    shifts: dict[str, Row]
    windows: list[Row]
    legs: dict[tuple[str, str], int]
    absent: set[str] = field(default_factory=set)
    baseline: Seats = field(default_factory=list)
    policy: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.eligible = {name: self._eligible(shift) for name, shift in self.shifts.items()}
        self.clashing = {pair for pair in combinations(sorted(self.shifts), 2) if self._clash(*pair)}
        most = max(int(row["max_shifts"]) for row in self.volunteers.values())
        self.bands = range(most + 1 if self.policy else 1)
        chances = Counter(name for names in self.eligible.values() for name in names)
        least = self.policy.get("eligible_shift_minimum")
        self.group = {name for name in chances if least is not None and chances[name] >= least}

    def _eligible(self, shift: Row) -> list[str]:
        there = {
            row["volunteer_id"]
            for row in self.windows
            if row["start"] <= shift["start"] and row["end"] >= shift["end"]
        }
        skilled = {
            name
            for name, row in self.volunteers.items()
            if shift["required_skill"] in row["skills"].split(";")
        }
        return sorted((there & skilled) - self.absent)

    def _clash(self, one: str, other: str) -> bool:
        early, late = sorted((self.shifts[one], self.shifts[other]), key=lambda row: row["start"])
        way = (early["location"], late["location"])
        needed = 0 if way[0] == way[1] else max(30, self.legs.get(way, 30))
        gap = datetime.fromisoformat(late["start"]) - datetime.fromisoformat(early["end"])
        return gap.total_seconds() < 60 * needed

    def likes(self, name: str, shift: str) -> bool:
        return self.shifts[shift]["location"] in self.volunteers[name]["preferred_locations"].split(";")

    def outside(self, counts: Counter[str], band: int, names: Iterable[str]) -> list[str]:
        allowed = range(band, band + self.policy.get("max_count_difference", 0) + 1)
        return sorted(name for name in names if name in self.group and counts[name] not in allowed)

    def values(self, seats: Seats) -> list[int]:
        """The values of a schedule in the order of LEVELS."""
        work = list(pairs(seats))
        counts = Counter(name for _, name in work)
        every = [counts[name] for name in self.volunteers]
        return [
            len(work),
            len({shift for shift, _ in work}),
            min(len(self.outside(counts, band, self.group)) for band in self.bands),
            len(set(pairs(self.baseline)) - set(work)),
            sum(self.likes(name, shift) for shift, name in work),
            max(every) - min(every),
        ]


def pairs(seats: Seats) -> Iterator[tuple[str, str]]:
    """Every (shift, volunteer)."""
    return ((shift, name) for shift, staff in seats for name in staff if name != LAST)


def rota_of(tables: Tables) -> Rota:
    return Rota(
        volunteers={row["volunteer_id"]: row for row in tables["volunteers"]},
        shifts={row["shift_id"]: row for row in tables["shifts"]},
        windows=tables["availability"],
        legs={
            (row["from_location"], row["to_location"]): int(row["minutes"]) for row in tables["travel_times"]
        },
    )


def best(rota: Rota) -> Seats:
    """Merge the groups of shifts one by one, keeping for each (least and greatest count, exceptions by band)
    the best (changes, preference, lexical order) so far: nothing else of a group matters for the others.
    """
    idle = set(rota.volunteers) - {name for names in rota.eligible.values() for name in names}
    extremes = (0, 0) if idle else (sys.maxsize, 0)
    merged: dict[tuple[Any, ...], tuple[int, int, Seats]] = {
        (*extremes, *(0 for _ in rota.bands)): (0, 0, [])
    }
    for shifts, names in groups(rota):
        found: dict[tuple[Any, ...], tuple[int, int, Seats]] = {}
        for key, value in fullest(rota, shifts, names):
            found[key] = min(value, found.get(key, value))
        both: dict[tuple[Any, ...], tuple[int, int, Seats]] = {}
        for (one, so_far), (other, more) in product(merged.items(), found.items()):
            sums = (a + b for a, b in zip(one[2:], other[2:], strict=True))
            key = (min(one[0], other[0]), max(one[1], other[1]), *sums)
            value = (so_far[0] + more[0], so_far[1] + more[1], sorted(so_far[2] + more[2]))
            both[key] = min(value, both.get(key, value))
        merged = both
    key = min(merged, key=lambda k: (min(k[2:]), *merged[k][:2], k[1] - k[0], merged[k][2]))
    return merged[key][2]


def groups(rota: Rota) -> list[tuple[list[str], set[str]]]:
    """Shifts connected by possible volunteers, and these volunteers."""
    found: list[tuple[list[str], set[str]]] = []
    for shift, eligible in rota.eligible.items():
        linked = [group for group in found if group[1] & set(eligible)]
        shifts = sorted([shift, *(name for group in linked for name in group[0])])
        found = [group for group in found if group not in linked]
        found.append((shifts, set(eligible).union(*(group[1] for group in linked))))
    return found


def fullest(
    rota: Rota, shifts: list[str], names: set[str]
) -> list[tuple[tuple[Any, ...], tuple[int, int, Seats]]]:
    """The group's schedules with most filled seats and then most covered shifts, as `best` merges them."""
    found = []
    for chosen in teams(rota, shifts, sorted(names)):
        taken = Counter(shift for work in chosen for shift in work)
        found.append((taken.total(), len(taken), chosen))
    most = max(entry[:2] for entry in found)
    result = []
    for _, _, chosen in (entry for entry in found if entry[:2] == most):
        load = dict(zip(sorted(names), chosen, strict=True))
        seats: Seats = []
        for shift in shifts:
            staff = [name for name in load if shift in load[name]]
            seats.append((shift, (*staff, *[LAST] * (int(rota.shifts[shift]["seats"]) - len(staff)))))
        counts = Counter({name: len(work) for name, work in load.items()})
        outside = (len(rota.outside(counts, band, names)) for band in rota.bands)
        key = (min(counts.values(), default=sys.maxsize), max(counts.values(), default=0), *outside)
        here = {pair for pair in pairs(rota.baseline) if pair[0] in shifts}
        points = sum(rota.likes(name, shift) for shift, name in pairs(seats))
        result.append((key, (len(here - set(pairs(seats))), -points, seats)))
    return result


def teams(rota: Rota, shifts: list[str], names: list[str]) -> Iterator[tuple[Workload, ...]]:
    """What each volunteer may do beside the others: all choices with most filled seats, some with fewer."""
    options = [sorted(workloads(rota, name, shifts), key=len, reverse=True) for name in names]
    possible = [sum(len(works[0]) for works in options[index:]) for index in range(len(options) + 1)]
    most = 0

    def extend(chosen: tuple[Workload, ...], taken: Workload) -> Iterator[tuple[Workload, ...]]:
        nonlocal most
        if len(taken) + possible[len(chosen)] < most:
            return
        if len(chosen) == len(options):
            most = len(taken)
            yield chosen
            return
        for work in options[len(chosen)]:
            if all(taken.count(shift) < int(rota.shifts[shift]["seats"]) for shift in work):
                yield from extend((*chosen, work), taken + work)

    return extend((), ())


def workloads(rota: Rota, name: str, shifts: list[str]) -> Iterator[Workload]:
    """Every set of shifts that one volunteer may do."""
    able = [shift for shift in shifts if name in rota.eligible[shift]]
    for size in range(min(len(able), int(rota.volunteers[name]["max_shifts"])) + 1):
        for work in combinations(able, size):
            if rota.clashing.isdisjoint(combinations(work, 2)):
                yield work


def reported(rota: Rota, seats: Seats) -> Result:
    """The three outputs that tell of a schedule."""
    result = Result([], [], None)
    for shift, staff in seats:
        reason = "capacity_or_conflict" if rota.eligible[shift] else "no_qualified_volunteer"
        for seat, name in enumerate(staff, 1):
            if name == LAST:
                row = (shift, str(seat), rota.shifts[shift]["required_skill"], reason)
                result.unfilled.append(dict(zip(UNFILLED, row, strict=True)))
            else:
                result.schedule.append(dict(zip(SCHEDULE, (shift, str(seat), name), strict=True)))
    filled, covered, _, changes, preference, spread = rota.values(seats)
    counts = Counter(name for _, name in pairs(seats))
    band = min(rota.bands, key=lambda k: (len(rota.outside(counts, k, rota.group)), -k))
    ends = {"allowed_max": band + rota.policy.get("max_count_difference", 0), "allowed_min": band}
    result.summary = {
        "assignment_count_spread": spread,
        "changed_assignments": changes,
        "fairness_exceptions": [
            ends | {"assigned": counts[name], "volunteer_id": name}
            for name in rota.outside(counts, band, rota.group)
        ],
        "filled_seats": filled,
        "preference_score": preference,
        "required_seats": sum(len(staff) for _, staff in seats),
        "required_skill_coverage": covered,
    }
    return result
