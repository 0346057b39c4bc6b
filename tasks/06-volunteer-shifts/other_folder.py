"""Task 06's other folder: the seed's crews, and people and shifts that decide what the stages leave open."""

from benchlib.candidate import Fixture
from rota import Tables

CREWS = ("setup", "cleanup")
PEOPLE = {  # skills, preferred locations, most shifts
    # Whatever fairness asks for, these three have counts of 2, 1 and 1.
    "N1": ("crowd", "", 2),
    "N2": ("crowd", "", 1),
    "N3": ("crowd", "", 1),
    # N4 covers T3; with T1 and T2 instead, N5 would be no exception. N9 is called out: N7 or N8 follows,
    # which is as good in another band, and only N7's id comes first.
    "N4": ("tent;lamp;load", "", 3),
    "N5": ("tent;gate", "", 3),
    "N6": ("tent;lamp", "", 3),
    "N7": ("gate;sound", "", 3),
    "N8": ("sound", "", 2),
    "N9": ("sound", "Stage", 2),
    # P3 is called out: P1 and P2 share the two shifts, though P1 in both would come first.
    "P1": ("rope;boat", "", 4),
    "P2": ("boat", "", 4),
    "P3": ("boat", "Pier", 3),
    # P6 is called out: P4 likes the place and follows, though that makes the spread larger.
    "P4": ("crane;Lift", "Cabin", 4),
    "P5": ("cable;Lift", "cabin", 3),
    "P6": ("Lift;LIFT", "Cabin", 2),
    # Three of D1 to D4 are filled: by Q2, Q1, nobody, Q2. Without its gap nobody, Q1, Q2, Q2 would be first.
    "Q1": ("sail;oar", "", 1),
    "Q2": ("mast;oar", "", 2),
}
SHIFTS = {  # day and hours in July, location, skill, seats
    **{f"C{hour}": (f"1 {hour:02}:00 {hour + 1:02}:00", "North", "crowd", 1) for hour in range(5, 10)},
    **{f"G{seat}": ("2 07:00 08:00", "Gate", "gate", 1) for seat in range(4)},
    "T1": ("2 09:00 10:00", "Ring", "tent", 2),
    "T2": ("2 10:00 11:00", "Ring", "lamp", 2),
    "T3": ("2 09:00 11:00", "Yard", "load", 1),
    "T4": ("2 12:00 13:00", "Stage", "sound", 1),
    "I1": ("3 08:00 09:00", "Pier", "rope", 1),
    "I2": ("3 09:00 10:00", "Pier", "rope", 1),
    "I3": ("3 10:00 11:00", "Pier", "boat", 1),
    "I4": ("3 11:00 12:00", "Pier", "boat", 1),
    "K1": ("4 08:00 09:00", "Dock", "crane", 1),
    "K2": ("4 09:00 10:00", "Dock", "crane", 1),
    "K3": ("4 12:00 13:00", "Cabin", "Lift", 1),
    "K4": ("4 14:00 15:00", "Dock", "cable", 1),
    "K5": ("4 15:45 16:45", "Mole", "cable", 1),  # too far from K4
    "K6": ("4 18:00 19:00", "Dock", "LIFT", 1),
    "D1": ("5 08:00 09:00", "Mole", "mast", 1),
    "D2": ("5 08:00 09:00", "Mole", "sail", 1),
    "D3": ("5 08:30 09:10", "Mole", "oar", 1),
    "D4": ("5 09:40 10:30", "Dock", "mast", 1),  # not too far from D1: LEG is the other direction
}
ODD_NAMES = (("crowd", 'crowd, "north"'), ("cable", "câble"))
LEG = {"from_location": "Dock", "to_location": "Mole", "minutes": "60"}
CALLED_OUT = ["N9", "P3", "P6"]
POLICY = {"eligible_shift_minimum": 5, "max_count_difference": 0}


def tables_of(fixture: Fixture) -> Tables:
    """The seed's crews in their time, and July."""
    crews = [row for row in fixture.csv("inputs/volunteers.csv") if row["skills"] in CREWS]
    known = {row["volunteer_id"] for row in crews}
    windows = [row for row in fixture.csv("inputs/availability.csv") if row["volunteer_id"] in known]
    shifts = [row for row in fixture.csv("inputs/shifts.csv") if row["required_skill"] in CREWS]
    for name, (skills, likes, most) in PEOPLE.items():
        crews.append(dict(zip(crews[0], (name, skills, likes, str(most)), strict=True)))
        days = {time[0] for time, _, skill, _ in SHIFTS.values() if skill in skills.split(";")}
        for day in (f"2025-07-0{day}" for day in sorted(days)):
            windows.append({"volunteer_id": name, "start": f"{day}T05:00", "end": f"{day}T20:00"})
    for name, (time, location, skill, seats) in SHIFTS.items():
        day, start, end = time.split()
        hours = (f"2025-07-0{day}T{start}", f"2025-07-0{day}T{end}")
        shifts.append(dict(zip(shifts[0], (name, *hours, location, skill, str(seats)), strict=True)))
    legs = [*fixture.csv("inputs/travel_times.csv"), LEG]
    return {"volunteers": crews, "availability": windows, "shifts": shifts, "travel_times": legs}


def with_odd_names(tables: Tables) -> Tables:
    """The same tables; some skills have names with a comma, quotes and a letter beyond ASCII."""

    def renamed(value: str) -> str:
        for name, odd in ODD_NAMES:
            value = value.replace(name, odd)
        return value

    return {
        table: [{key: renamed(value) for key, value in row.items()} for row in rows]
        for table, rows in tables.items()
    }
