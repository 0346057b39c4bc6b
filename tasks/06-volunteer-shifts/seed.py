"""Generated files of task 06: volunteers, their availability, shifts and travel times of one month.

The shifts form small groups that share no possible volunteer. In every legal schedule that fills the most
seats, each filler volunteer has exactly two shifts, so filler moves neither the spread nor the fairness band.
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Volunteer = tuple[str, str, str, int]  # id, skills, preferred locations, most shifts
type Window = tuple[str, str, str]  # volunteer, start, end
type Shift = tuple[str, str, str, str, str, int]  # id, start, end, location, skill, seats
type Leg = tuple[str, str, int]  # from, to, minutes

VOLUNTEERS: list[Volunteer] = [
    # Drivers: V1 wants four shifts; giving some away costs points and changes, and helps spread and fairness.
    ("V1", "driver", "Bridge;Abbey;Park;Castle", 4),
    ("V15", "driver", "", 3),
    ("V16", "driver", "Quay", 3),
    # Ushers: nothing but the lexical order decides; V10 comes before V9, S10 before S2.
    ("V10", "usher", "", 3),
    ("V9", "usher", "", 3),
    # Stewards; V3 has no aid skill, but one whose name contains it.
    ("V3", "first_aid;steward", "Hall;Arena", 4),
    ("V17", "steward", "Arena", 3),
    # Translators: skilled for three shifts, available for two, so never in the fairness group.
    ("V4", "translator", "Embassy", 2),
    ("V18", "translator", "Embassy", 2),
    # Aid: V11 and V2 have one shift at most, whatever fairness asks for.
    ("V11", "aid", "Harbour;Hall", 1),
    ("V12", "aid", "Town Hall", 3),
    ("V2", "aid", "", 1),
    # Medics: V13 is called out.
    ("V13", "medic;radio", "Tent", 4),
    ("V14", "medic", "Pool", 3),
    ("V5", "medic", "Tent;Pool", 3),
    # Kitchen: V6 is called out. Counts of 3, 2 and 1 are no worse than three of 2: only the extremes count.
    ("V6", "cook;server;baker", "Kitchen", 3),
    ("V7", "server;cook", "", 3),
    ("V8", "server", "Kitchen", 3),
    # Archive: V25 can fill one of three shifts only, and all three make V25 a member of the fairness group.
    ("V25", "archive", "", 1),
    # Radio: V26 leaves S41 empty for the place V26 prefers; without V13 only S40 to S42 fill most seats.
    ("V26", "radio", "Tower", 3),
]

SHIFTS: list[Shift] = [
    # S1 and S11: 29 minutes apart. S1 and S14: too far apart although S12 and S13 lie between them.
    ("S1", "2025-06-07T07:00", "2025-06-07T07:31", "Bridge", "driver", 1),
    ("S11", "2025-06-07T08:00", "2025-06-07T09:00", "Abbey", "driver", 1),
    ("S12", "2025-06-07T09:30", "2025-06-07T10:15", "Park", "driver", 1),  # exactly 30 minutes after S11
    ("S13", "2025-06-07T10:15", "2025-06-07T11:00", "Park", "driver", 1),  # adjoins S12 in the same place
    ("S14", "2025-06-07T11:45", "2025-06-07T12:30", "Castle", "driver", 1),  # exactly the listed 45 minutes
    ("S15", "2025-06-08T09:00", "2025-06-08T11:00", "Quay", "driver", 1),
    # Each next one conflicts: 44 of 45 minutes; 25 minutes where 20 are listed; one minute of overlap.
    ("S2", "2025-06-07T08:00", "2025-06-07T09:00", "Theatre", "usher", 1),
    ("S20", "2025-06-07T09:44", "2025-06-07T10:30", "Museum", "usher", 1),
    ("S21", "2025-06-07T10:55", "2025-06-07T12:00", "Library", "usher", 1),
    ("S10", "2025-06-07T11:59", "2025-06-07T13:00", "Library", "usher", 1),
    # V3 fills two more seats in S22 and S23 or alone covers S24. S23 has seats 10 and 11.
    ("S22", "2025-06-14T09:00", "2025-06-14T11:00", "Arena", "steward", 2),
    ("S23", "2025-06-14T13:00", "2025-06-14T15:00", "Arena", "steward", 11),
    ("S24", "2025-06-14T09:30", "2025-06-14T14:00", "Gate", "steward", 1),
    ("S25", "2025-06-15T09:00", "2025-06-15T11:00", "Arena", "steward", 2),
    # Two people, three overlapping shifts: two covered beat two points, and the last seat stays unfilled.
    ("S26", "2025-06-21T09:00", "2025-06-21T11:00", "Consulate", "translator", 1),
    ("S27", "2025-06-21T10:00", "2025-06-21T11:00", "Embassy", "translator", 2),
    ("S28", "2025-06-21T10:00", "2025-06-21T12:00", "Consulate", "translator", 1),
    ("S3", "2025-06-08T09:00", "2025-06-08T11:00", "Station", "aid", 2),
    ("S4", "2025-06-09T09:00", "2025-06-09T11:00", "Hall", "aid", 1),
    ("S5", "2025-06-10T09:00", "2025-06-10T11:00", "Hall", "aid", 1),
    ("S6", "2025-06-11T10:00", "2025-06-11T11:00", "Station", "aid", 1),  # V12 has two adjoining rows only
    # After the callout V5 joins S7 in another seat; S8 and S9 show that changes outrank preference.
    ("S7", "2025-06-21T22:00", "2025-06-22T01:00", "Clinic", "medic", 2),
    ("S8", "2025-06-28T09:00", "2025-06-28T12:00", "Tent", "medic", 1),
    ("S9", "2025-06-28T09:00", "2025-06-28T12:00", "Pool", "medic", 1),
    # After the callout S16 takes somebody from S17, S18 is filled by a chain through S19, S29 has nobody.
    ("S16", "2025-06-14T10:00", "2025-06-14T12:00", "Kitchen", "server", 1),
    ("S17", "2025-06-14T10:00", "2025-06-14T12:00", "Canteen", "server", 2),
    ("S18", "2025-06-15T10:00", "2025-06-15T12:00", "Galley", "cook", 1),
    ("S19", "2025-06-15T10:00", "2025-06-15T12:00", "Terrace", "server", 1),
    ("S29", "2025-06-22T05:00", "2025-06-22T08:00", "Bakery", "baker", 1),
    ("S37", "2025-06-16T09:00", "2025-06-16T11:00", "Archive", "archive", 1),
    ("S38", "2025-06-17T09:00", "2025-06-17T11:00", "Archive", "archive", 1),
    ("S39", "2025-06-18T09:00", "2025-06-18T11:00", "Archive", "archive", 1),
    ("S40", "2025-06-19T09:00", "2025-06-19T10:00", "Studio", "radio", 1),
    ("S41", "2025-06-19T10:00", "2025-06-19T11:00", "Studio", "radio", 1),
    ("S42", "2025-06-19T11:00", "2025-06-19T12:00", "Studio", "radio", 1),
    ("S43", "2025-06-19T09:00", "2025-06-19T12:00", "Tower", "radio", 1),
]

WINDOWS: list[Window] = [
    ("V1", "2025-06-07T07:00", "2025-06-07T12:30"),
    ("V15", "2025-06-07T06:30", "2025-06-07T10:45"),
    ("V15", "2025-06-07T11:15", "2025-06-07T13:00"),
    ("V16", "2025-06-07T10:00", "2025-06-07T13:00"),
    ("V16", "2025-06-08T08:00", "2025-06-08T12:00"),
    ("V10", "2025-06-07T07:30", "2025-06-07T13:30"),
    ("V9", "2025-06-07T07:00", "2025-06-07T14:00"),
    ("V3", "2025-06-14T08:00", "2025-06-14T16:00"),
    ("V3", "2025-06-15T08:30", "2025-06-15T11:30"),
    ("V3", "2025-06-09T08:00", "2025-06-10T18:00"),
    ("V17", "2025-06-14T08:00", "2025-06-14T12:00"),
    ("V17", "2025-06-14T12:30", "2025-06-14T15:30"),
    ("V17", "2025-06-15T08:00", "2025-06-15T12:00"),
    ("V4", "2025-06-21T08:00", "2025-06-21T11:30"),
    ("V18", "2025-06-21T09:01", "2025-06-21T12:30"),
    ("V18", "2025-06-14T08:00", "2025-06-15T13:00"),
    ("V11", "2025-06-08T00:00", "2025-06-10T23:59"),
    ("V12", "2025-06-08T09:00", "2025-06-08T11:00"),
    ("V12", "2025-06-09T08:00", "2025-06-09T12:00"),
    ("V12", "2025-06-10T08:00", "2025-06-10T12:00"),
    ("V12", "2025-06-11T09:00", "2025-06-11T10:30"),
    ("V12", "2025-06-11T10:30", "2025-06-11T12:00"),
    ("V2", "2025-06-08T08:00", "2025-06-08T12:00"),
    ("V2", "2025-06-09T08:00", "2025-06-10T12:00"),
    ("V13", "2025-06-21T20:00", "2025-06-22T02:00"),
    ("V13", "2025-06-28T08:00", "2025-06-28T13:00"),
    ("V14", "2025-06-21T22:00", "2025-06-22T01:00"),
    ("V14", "2025-06-28T08:00", "2025-06-28T13:00"),
    ("V5", "2025-06-21T21:00", "2025-06-22T03:00"),
    ("V5", "2025-06-28T08:00", "2025-06-28T13:00"),
    ("V6", "2025-06-14T08:00", "2025-06-15T14:00"),
    ("V6", "2025-06-22T04:00", "2025-06-22T09:00"),
    ("V7", "2025-06-14T09:00", "2025-06-14T13:00"),
    ("V7", "2025-06-15T09:00", "2025-06-15T13:00"),
    ("V7", "2025-06-22T04:00", "2025-06-22T08:00"),
    ("V8", "2025-06-14T09:00", "2025-06-15T13:00"),
    ("V25", "2025-06-16T08:00", "2025-06-18T12:00"),
    ("V13", "2025-06-19T08:30", "2025-06-19T10:31"),  # overlaps the next row; neither contains S41
    ("V13", "2025-06-19T10:30", "2025-06-19T12:30"),
    ("V26", "2025-06-19T08:00", "2025-06-19T13:00"),
]

LEGS: list[Leg] = [
    ("Park", "Park", 15),  # counts for nothing: the place is the same
    ("Park", "Castle", 45),
    ("Castle", "Park", 70),
    ("Bridge", "Castle", 300),
    ("Theatre", "Museum", 45),
    ("Museum", "Theatre", 20),  # the other direction
    ("Museum", "Library", 20),  # 30 are needed all the same
    ("Arena", "Gate", 10),
    ("Hall", "Station", 35),
    ("Galley", "Terrace", 5),
]

CREWS = [
    ("setup", 24, ["V19", "V20", "V21"], ["S30", "S31", "S32", "S33"]),
    ("cleanup", 26, ["V22", "V23", "V24"], ["S34", "S35", "S36"]),
]


def write_initial(build: seeding.Build) -> None:
    """Volunteers, availability, shifts and travel times."""
    if build.fixture == "edge":
        volunteers, shifts, windows, legs = edge()
    else:
        volunteers, shifts, windows, legs = [*VOLUNTEERS], [*SHIFTS], [*WINDOWS], [*LEGS]
        for skill, day, people, names in CREWS[: build.size(full=2, small=1)]:
            add_crew(build.rng, skill, day, people, names, (volunteers, shifts, windows, legs))
        for rows in (volunteers, shifts, windows, legs):
            build.rng.shuffle(rows)
    folder = build.out / "inputs"
    header = ["volunteer_id", "skills", "preferred_locations", "max_shifts"]
    fixtures.write_csv(folder / "volunteers.csv", header, volunteers)
    fixtures.write_csv(folder / "availability.csv", ["volunteer_id", "start", "end"], windows)
    header = ["shift_id", "start", "end", "location", "required_skill", "seats"]
    fixtures.write_csv(folder / "shifts.csv", header, shifts)
    fixtures.write_csv(folder / "travel_times.csv", ["from_location", "to_location", "minutes"], legs)


type Tables = tuple[list[Volunteer], list[Shift], list[Window], list[Leg]]


def add_crew(
    rng: random.Random, skill: str, day: int, people: list[str], names: list[str], tables: Tables
) -> None:
    """A crew of two shifts each at most: two shifts need everybody, the others compete with the second."""
    volunteers, shifts, windows, legs = tables
    places = [f"{skill.title()} {place}" for place in rng.sample(["North", "South", "East", "West"], 3)]
    whole = [(9, 12, day, len(people)), (9, 12, day + 1, len(people))]
    for name, (begin, end, on, seats) in zip(
        names, whole + [(rng.randint(10, 12), 14, day + 1, rng.randint(1, 2)) for _ in names[2:]], strict=True
    ):
        date, minute = f"2025-06-{on}", rng.choice(["00", "15"])
        times = (f"{date}T{begin:02}:00", f"{date}T{end:02}:{minute}")
        shifts.append((name, *times, rng.choice(places), skill, seats))
        able = people if seats == len(people) else sorted(rng.sample(people, rng.randint(2, len(people))))
        window = (f"{date}T{begin - 1:02}:30", f"{date}T{end:02}:45")
        windows += [(person, *window) for person in able]
    for person in people:
        volunteers.append((person, skill, ";".join(rng.sample(places, rng.randint(0, 2))), 2))
    legs += [
        (one, other, rng.randint(20, 90))
        for one in places
        for other in places
        if one < other or rng.random() < 0.5
    ]


def edge() -> Tables:
    """Nobody has the skill that the first shift requires."""
    volunteers: list[Volunteer] = [("EDGE-V1", "first_aid", "EDGE-LOC", 3)]
    skills = ["water_rescue", "first_aid", "first_aid", "first_aid"]
    shifts: list[Shift] = [
        (f"EDGE-S{day}", f"2025-06-0{day}T09:00", f"2025-06-0{day}T11:00", "EDGE-LOC", skill, 1)
        for day, skill in enumerate(skills, 1)
    ]
    return volunteers, shifts, [("EDGE-V1", "2025-06-01T00:00", "2025-06-30T00:00")], []


def write_callout(build: seeding.Build) -> None:
    """Who is called out."""
    called_out = [] if build.fixture == "edge" else ["V13", "V6"]
    fixtures.write_json(build.out / "inputs/callout.json", {"unavailable_volunteer_ids": called_out})


def write_fairness(build: seeding.Build) -> None:
    """The fairness policy."""
    policy = {"eligible_shift_minimum": 3, "max_count_difference": 1}
    fixtures.write_json(build.out / "inputs/fairness.json", policy)


if __name__ == "__main__":
    seeding.main(6, {"initial": write_initial, "callout": write_callout, "fairness": write_fairness})
