"""The best schedule: all legal plans of each group of shifts, the best choice within each pair of bounds."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from solution.problem import Problem, Shift

type Schedule = dict[str, tuple[str, ...]]
"""Volunteers of each shift in seat order; seats after the last one are unfilled."""

UNFILLED = (1, "")


@dataclass(frozen=True)
class Plan:
    """A legal way to staff one group of shifts."""

    schedule: Schedule
    counts: dict[str, int]
    preference: int


def best_schedule(problem: Problem) -> Schedule:
    groups = groups_of(problem)
    choices = [best_covering(list(plans(problem, shifts))) for shifts in groups]
    grouped = {volunteer for shifts in groups for shift in shifts for volunteer in problem.eligible(shift)}
    idle = set(problem.volunteers) - grouped
    most = max((volunteer.max_shifts for volunteer in problem.volunteers.values()), default=0)
    found = []
    for low in range(1 if idle else most + 1):
        for high in range(low, most + 1):
            within = [
                [plan for plan in some if all(low <= count <= high for count in plan.counts.values())]
                for some in choices
            ]
            if all(within):
                picked = [min(some, key=lambda plan: rank(problem, plan)) for some in within]
                schedule = {shift: people for plan in picked for shift, people in plan.schedule.items()}
                preference = sum(plan.preference for plan in picked)
                found.append((-preference, high - low, sequence(problem, schedule), schedule))
    return min(found, key=lambda entry: entry[:3])[3]


def rank(problem: Problem, plan: Plan) -> tuple[object, ...]:
    return (-plan.preference, sequence(problem, plan.schedule))


def groups_of(problem: Problem) -> list[list[Shift]]:
    """Shifts that are connected by volunteers who are eligible for both."""
    groups: list[tuple[list[Shift], set[str]]] = []
    for shift in problem.shifts:
        shifts, people = [shift], set(problem.eligible(shift))
        for group in [group for group in groups if group[1] & people]:
            groups.remove(group)
            shifts, people = group[0] + shifts, group[1] | people
        groups.append((shifts, people))
    return [sorted(shifts, key=lambda shift: shift.id) for shifts, _ in groups]


def plans(problem: Problem, shifts: list[Shift]) -> Iterator[Plan]:
    """The legal plans of one group, but none with more unfilled seats than one before it."""
    eligible = {shift.id: problem.eligible(shift) for shift in shifts}
    people = sorted({volunteer for some in eligible.values() for volunteer in some})
    schedule: Schedule = {}
    fewest = sum(shift.seats for shift in shifts)

    def fits(volunteer: str, shift: Shift) -> bool:
        taken = [other for other in shifts if volunteer in schedule.get(other.id, ())]
        return len(taken) < problem.volunteers[volunteer].max_shifts and all(
            problem.compatible(other, shift) for other in taken
        )

    def extend(index: int, unfilled: int) -> Iterator[Plan]:
        nonlocal fewest
        if unfilled > fewest:
            return
        if index == len(shifts):
            fewest = unfilled
            counts = Counter(volunteer for staff in schedule.values() for volunteer in staff)
            preference = sum(
                shift.location in problem.volunteers[volunteer].preferred
                for shift in shifts
                for volunteer in schedule[shift.id]
            )
            yield Plan(dict(schedule), {volunteer: counts[volunteer] for volunteer in people}, preference)
            return
        shift = shifts[index]
        able = [volunteer for volunteer in eligible[shift.id] if fits(volunteer, shift)]
        for size in range(min(len(able), shift.seats), -1, -1):
            for staff in combinations(able, size):
                schedule[shift.id] = staff
                yield from extend(index + 1, unfilled + shift.seats - size)
        del schedule[shift.id]

    return extend(0, 0)


def best_covering(some: list[Plan]) -> list[Plan]:
    """The plans with most filled seats, then most covered shifts: no group can trade either with another."""

    def value(plan: Plan) -> tuple[int, int]:
        filled = sum(map(len, plan.schedule.values()))
        covered = sum(map(bool, plan.schedule.values()))
        return filled, covered

    best = max(map(value, some))
    return [plan for plan in some if value(plan) == best]


def sequence(problem: Problem, schedule: Schedule) -> list[tuple[int, str]]:
    """What the lexical order compares: the ids of all seats in order, an unfilled seat after every id."""
    return [
        (0, schedule[shift.id][seat]) if seat < len(schedule[shift.id]) else UNFILLED
        for shift in problem.shifts
        if shift.id in schedule
        for seat in range(shift.seats)
    ]
