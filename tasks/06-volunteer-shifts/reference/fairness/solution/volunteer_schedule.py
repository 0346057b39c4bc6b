"""Assigns volunteers to shifts: `python -m solution.volunteer_schedule inputs --output output`."""

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from solution.problem import Problem, read_problem
from solution.search import NO_FAIRNESS, Fairness, Schedule, best_schedule, changed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    problem = read_problem(args.inputs)
    baseline = best_schedule(problem)
    remaining = problem.without(called_out(args.inputs))
    fairness = fairness_rule(args.inputs, remaining)
    schedule = best_schedule(remaining, baseline, fairness)
    args.output.mkdir(parents=True, exist_ok=True)
    write_schedule(args.output, remaining, schedule)
    write_unfilled(args.output, remaining, schedule)
    write_summary(args.output, remaining, schedule, changed(baseline, schedule), fairness)


def called_out(inputs: Path) -> frozenset[str]:
    path = inputs / "callout.json"
    if not path.exists():
        return frozenset()
    return frozenset(json.loads(path.read_text(encoding="utf-8"))["unavailable_volunteer_ids"])


def fairness_rule(inputs: Path, problem: Problem) -> Fairness:
    path = inputs / "fairness.json"
    if not path.exists():
        return NO_FAIRNESS
    policy = json.loads(path.read_text(encoding="utf-8"))
    shifts = Counter(volunteer for shift in problem.shifts for volunteer in problem.eligible(shift))
    members = frozenset(name for name in shifts if shifts[name] >= policy["eligible_shift_minimum"])
    return Fairness(members, policy["max_count_difference"])


def fairness_exceptions(fairness: Fairness, counts: Mapping[str, int]) -> list[dict[str, object]]:
    lowest = fairness.lowest(counts)
    return [
        {
            "allowed_max": lowest + fairness.difference,
            "allowed_min": lowest,
            "assigned": counts[name],
            "volunteer_id": name,
        }
        for name in fairness.outside(counts, lowest)
    ]


def write_schedule(output: Path, problem: Problem, schedule: Schedule) -> None:
    rows = [
        (shift.id, seat, volunteer)
        for shift in problem.shifts
        for seat, volunteer in enumerate(schedule[shift.id], 1)
    ]
    write_rows(output / "schedule.csv", ("shift_id", "seat", "volunteer_id"), rows)


def write_unfilled(output: Path, problem: Problem, schedule: Schedule) -> None:
    rows = []
    for shift in problem.shifts:
        reason = "capacity_or_conflict" if problem.eligible(shift) else "no_qualified_volunteer"
        for seat in range(len(schedule[shift.id]) + 1, shift.seats + 1):
            rows.append((shift.id, seat, shift.skill, reason))
    write_rows(output / "unfilled.csv", ("shift_id", "seat", "required_skill", "reason"), rows)


def write_summary(
    output: Path, problem: Problem, schedule: Schedule, changes: int, fairness: Fairness
) -> None:
    assigned = Counter(volunteer for staff in schedule.values() for volunteer in staff)
    counts = {volunteer: assigned[volunteer] for volunteer in problem.volunteers}
    summary = {
        "assignment_count_spread": max(counts.values(), default=0) - min(counts.values(), default=0),
        "changed_assignments": changes,
        "fairness_exceptions": fairness_exceptions(fairness, counts),
        "filled_seats": assigned.total(),
        "preference_score": sum(
            shift.location in problem.volunteers[volunteer].preferred
            for shift in problem.shifts
            for volunteer in schedule[shift.id]
        ),
        "required_seats": sum(shift.seats for shift in problem.shifts),
        "required_skill_coverage": sum(map(bool, schedule.values())),
    }
    text = json.dumps(summary, indent=2, sort_keys=True)
    (output / "summary.json").write_text(text + "\n", encoding="utf-8", newline="\n")


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
