"""Assigns volunteers to shifts: `python -m solution.volunteer_schedule inputs --output output`."""

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from solution.problem import Problem, read_problem
from solution.search import Schedule, best_schedule


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    problem = read_problem(args.inputs)
    schedule = best_schedule(problem)
    args.output.mkdir(parents=True, exist_ok=True)
    write_schedule(args.output, problem, schedule)
    write_unfilled(args.output, problem, schedule)
    write_summary(args.output, problem, schedule)


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


def write_summary(output: Path, problem: Problem, schedule: Schedule) -> None:
    counts = Counter(volunteer for staff in schedule.values() for volunteer in staff)
    all_counts = [counts[volunteer] for volunteer in problem.volunteers]
    summary = {
        "assignment_count_spread": max(all_counts, default=0) - min(all_counts, default=0),
        "changed_assignments": 0,
        "fairness_exceptions": [],
        "filled_seats": counts.total(),
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
