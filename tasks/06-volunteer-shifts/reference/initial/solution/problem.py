"""The inputs: who can work when and where, and which shifts exclude each other."""

import csv
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

SHORTEST_WAY = timedelta(minutes=30)


@dataclass(frozen=True)
class Volunteer:
    id: str
    skills: frozenset[str]
    preferred: frozenset[str]
    max_shifts: int
    rows: tuple[tuple[datetime, datetime], ...]


@dataclass(frozen=True)
class Shift:
    id: str
    start: datetime
    end: datetime
    location: str
    skill: str
    seats: int


@dataclass(frozen=True)
class Problem:
    volunteers: dict[str, Volunteer]
    shifts: list[Shift]
    """In plain string order of their ids."""
    minutes: dict[tuple[str, str], int]

    def eligible(self, shift: Shift) -> list[str]:
        """Ids of the volunteers who have the skill and one row that contains the shift, in string order."""
        return [
            volunteer.id
            for volunteer in sorted(self.volunteers.values(), key=lambda volunteer: volunteer.id)
            if shift.skill in volunteer.skills
            and any(start <= shift.start and shift.end <= end for start, end in volunteer.rows)
        ]

    def compatible(self, one: Shift, other: Shift) -> bool:
        """Whether one volunteer can do both."""
        first, second = sorted((one, other), key=lambda shift: (shift.start, shift.end))
        gap = second.start - first.end
        if first.location == second.location:
            return gap >= timedelta(0)
        listed = timedelta(minutes=self.minutes.get((first.location, second.location), 0))
        return gap >= max(SHORTEST_WAY, listed)


def read_problem(folder: Path) -> Problem:
    rows: dict[str, list[tuple[datetime, datetime]]] = {}
    for row in read_rows(folder / "availability.csv"):
        rows.setdefault(row["volunteer_id"], []).append((moment(row["start"]), moment(row["end"])))
    volunteers = {
        row["volunteer_id"]: Volunteer(
            row["volunteer_id"],
            words(row["skills"]),
            words(row["preferred_locations"]),
            int(row["max_shifts"]),
            tuple(rows.get(row["volunteer_id"], ())),
        )
        for row in read_rows(folder / "volunteers.csv")
    }
    shifts = [
        Shift(
            row["shift_id"],
            moment(row["start"]),
            moment(row["end"]),
            row["location"],
            row["required_skill"],
            int(row["seats"]),
        )
        for row in read_rows(folder / "shifts.csv")
    ]
    minutes = {
        (row["from_location"], row["to_location"]): int(row["minutes"])
        for row in read_rows(folder / "travel_times.csv")
    }
    return Problem(volunteers, sorted(shifts, key=lambda shift: shift.id), minutes)


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def words(text: str) -> frozenset[str]:
    return frozenset(word for word in text.split(";") if word)
