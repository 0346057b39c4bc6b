"""Judges task 06: each of the three schedules is legal and the best by every level of its objective."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

import other_folder
from benchlib import comparing, fixtures, judging
from benchlib.candidate import CommandFailed, Fixture, Workspace
from benchlib.readers import Unreadable
from rota import SCHEDULE, UNFILLED, Result, Rota, Row, Seats, Tables, best, reported, rota_of

SECONDS = 120
STAGES = ("initial", "callout", "fairness")
LEVELS = ["filled seats", "covered shifts", "exceptions", "changes", "preference", "spread"]
MOSTLY = 0.6
LATER, FOLDER, NEW_FOLDER = "later", "branch/later", "output/branch/new"
POLICIES = (other_folder.POLICY, other_folder.POLICY | {"eligible_shift_minimum": 99})

ANCHORS = {  # what a stage's summary says whatever the filler is: spread, changes, exceptions
    "initial": (3, 0, []),
    "callout": (4, 10, []),
    "fairness": (3, 12, ["V11", "V2", "V25"]),
}


@dataclass
class Work:
    """What the runs wrote: after each stage, and for the other folder."""

    fixture: Fixture
    results: dict[str, Result]


@dataclass
class Expected:
    """The inputs of each stage and of the other folder with the one right result, and the results of the
    other folder under odd names, for each policy.
    """

    stages: dict[str, tuple[Rota, Result]]
    odd_tables: Tables
    odd_results: list[Result]


def expect(fixture: Fixture) -> Expected:
    """Calculate every right result from the pristine inputs."""
    names = ("volunteers", "availability", "shifts", "travel_times")
    initial = rota_of({name: fixture.csv(f"inputs/{name}.csv") for name in names})
    absent = set(fixture.json("inputs/callout.json")["unavailable_volunteer_ids"])
    callout = replace(initial, absent=absent, baseline=best(initial))
    fairness = replace(callout, policy=fixture.json("inputs/fairness.json"))
    tables = other_folder.tables_of(fixture)
    other = rota_of(tables)
    called_out = set(other_folder.CALLED_OUT)
    later = replace(other, absent=called_out, baseline=best(other), policy=other_folder.POLICY)
    rotas = {"initial": initial, "callout": callout, "fairness": fairness, LATER: later}
    stages = {stage: (rota, reported(rota, best(rota))) for stage, rota in rotas.items()}
    for stage in STAGES:
        result = stages[stage][1]
        exceptions = [entry["volunteer_id"] for entry in result.summary["fairness_exceptions"]]
        found = (result.summary["assignment_count_spread"], result.summary["changed_assignments"], exceptions)
        if found != ANCHORS[stage]:
            raise judging.JudgeError(f"{stage}: calculated {found}, the anchors are {ANCHORS[stage]}")
    odd_tables = other_folder.with_odd_names(tables)
    odd = rota_of(odd_tables)
    odd = replace(odd, baseline=best(odd))
    policed = [replace(odd, policy=policy) for policy in POLICIES]
    return Expected(stages, odd_tables, [reported(rota, best(rota)) for rota in policed])


def solve(fixture: Fixture) -> Work:
    """Run the command after each stage in one workspace, then for the other folder in a fresh one. Only with
    all inputs a failure ends it: before that it fails the checks of its stage.
    """
    workspace = fixture.workspace(upto=STAGES[0])
    results: dict[str, Result] = {}
    for stage in STAGES:
        if results:
            workspace.add_stage(stage)
        try:
            results[stage] = run(workspace)
        except (CommandFailed, Unreadable) as error:
            if stage == STAGES[-1]:
                raise
            results[stage] = Result([], [], None, failure=str(error))
    workspace = with_later_inputs(fixture)
    try:
        results[LATER] = run(workspace, FOLDER, NEW_FOLDER)
    except (CommandFailed, Unreadable) as error:
        results[LATER] = Result([], [], None, failure=str(error))
    return Work(fixture, results)


def with_later_inputs(fixture: Fixture) -> Workspace:
    """A fresh workspace with another folder of inputs, those of all stages."""
    workspace = with_tables(fixture, other_folder.tables_of(fixture))
    folder = workspace.root / FOLDER
    fixtures.write_json(folder / "callout.json", {"unavailable_volunteer_ids": other_folder.CALLED_OUT})
    fixtures.write_json(folder / "fairness.json", other_folder.POLICY)
    return workspace


def with_tables(fixture: Fixture, tables: Tables) -> Workspace:
    workspace = fixture.workspace()
    for name, rows in tables.items():
        path = workspace.root / FOLDER / f"{name}.csv"
        fixtures.write_csv(path, list(rows[0]), (list(row.values()) for row in rows))
    return workspace


def run(workspace: Workspace, inputs: str = "inputs", output: str = "output") -> Result:
    """Run the command and read its three outputs."""
    workspace.python("-m", "solution.volunteer_schedule", inputs, "--output", output, seconds=SECONDS)
    outputs = workspace.outputs
    return Result(
        outputs.csv(f"{output}/schedule.csv", SCHEDULE),
        outputs.csv(f"{output}/unfilled.csv", UNFILLED),
        outputs.json(f"{output}/summary.json"),
        outputs.slips,
    )


@judging.core
def most_assignments_are_right(actual: Work, expected: Expected) -> None:
    """In the end at least six assignments in ten are those of the best schedule, for the task's inputs and
    for the other folder.
    """
    for stage in (STAGES[-1], LATER):
        found, wanted = assignments(actual.results[stage]), assignments(expected.stages[stage][1])
        right = len(found & wanted)
        note = f"{stage}: {right} of {len(wanted)} assignments are right, {len(found - wanted)} are wrong"
        comparing.require(right >= MOSTLY * max(len(wanted), len(found)), note)


def every_assignment_is_legal(actual: Work, expected: Expected) -> None:
    """Nobody is called out, unqualified, unavailable, in two places, short of time between shifts or above
    their maximum.
    """
    problems = [
        f"{stage}: {problem}"
        for stage, (rota, _) in expected.stages.items()
        for problem in illegal(rota, actual.results[stage].schedule)
    ]
    comparing.require(not problems, comparing.listed(problems))


def illegal(rota: Rota, rows: list[Row]) -> Iterator[str]:
    """What is wrong with the rows of a schedule, whether or not it is the best."""
    if not rows:
        yield "nobody is assigned"
    work: dict[str, list[str]] = {}
    for row in rows:
        shift, name = row["shift_id"], row["volunteer_id"]
        if name not in rota.eligible.get(shift, []):
            yield f"{name} is {'called out' if name in rota.absent else 'not eligible'} for {shift}"
        elif shift in work.get(name, []):
            yield f"{name} has two seats of {shift}"
        else:
            work.setdefault(name, []).append(shift)
    for name, shifts in work.items():
        for pair in combinations(sorted(shifts), 2):
            if pair in rota.clashing:
                yield f"{name} cannot do both {pair[0]} and {pair[1]}: too little time between them"
        if len(shifts) > int(rota.volunteers[name]["max_shifts"]):
            yield f"{name} has {len(shifts)} shifts, more than max_shifts"


def initial_schedule_is_the_best(actual: Work, expected: Expected) -> None:
    """Before the callout the schedule is the best by every level of the objective."""
    is_the_best("initial", actual, expected)


def callout_schedule_is_the_best(actual: Work, expected: Expected) -> None:
    """After the callout no more is changed than coverage demands, and the schedule is the best."""
    is_the_best("callout", actual, expected)


def fairness_schedule_is_the_best(actual: Work, expected: Expected) -> None:
    """With the fairness rule the schedule has fewest exceptions, then fewest changes, and is the best."""
    is_the_best("fairness", actual, expected)


def is_the_best(stage: str, actual: Work, expected: Expected) -> None:
    """Name the first level at which a schedule loses, then the rows that differ."""
    rota, result = expected.stages[stage]
    comparing.require(not actual.results[stage].failure, f"{stage}: {actual.results[stage].failure}")
    rows = actual.results[stage].schedule
    if rows == result.schedule:
        return
    why = "equal by every value, so the lexical order, the seats or the order of rows differ"
    try:
        found, wanted = rota.values(seats_of(rota, rows)), rota.values(seats_of(rota, result.schedule))
        lost = next((index for index in range(len(LEVELS)) if found[index] != wanted[index]), None)
        if lost is not None:
            why = f"{LEVELS[lost]} {found[lost]}, the best schedule has {wanted[lost]}"
    except KeyError as error:
        why = f"no such id: {error}"
    comparing.same_rows(f"{stage}: {why}; schedule.csv", rows, result.schedule, key=["shift_id", "seat"])


def unfilled_seats_are_reported(actual: Work, expected: Expected) -> None:
    """unfilled.csv has every unfilled seat, in order, with the reason, after each stage."""
    for stage, (_, result) in expected.stages.items():
        rows = actual.results[stage].unfilled
        comparing.same_rows(f"{stage}: unfilled.csv", rows, result.unfilled, key=["shift_id", "seat"])


def summaries_are_exact(actual: Work, expected: Expected) -> None:
    """summary.json has every value and each exception, its keys in order, after each stage."""
    for stage, (_, result) in expected.stages.items():
        summary = actual.results[stage].summary
        comparing.same_json(f"{stage}: summary.json", summary, result.summary, ordered_keys=True)


def other_folders_are_planned_anew(actual: Work, expected: Expected) -> None:
    """Inputs of another folder give their own results in a new one, where no earlier run left anything."""
    is_the_best(LATER, actual, expected)
    summary = expected.stages[LATER][1].summary
    comparing.same_json(f"{LATER}: summary.json", actual.results[LATER].summary, summary, ordered_keys=True)


def odd_names_and_missing_people_are_no_obstacle(actual: Work, expected: Expected) -> None:
    """Names may hold commas, quotes and any letters; fairness holds where no callout.json exists, and when
    nobody is in the group.
    """
    workspace = with_tables(actual.fixture, expected.odd_tables)
    for policy, right in zip(POLICIES, expected.odd_results, strict=True):
        fixtures.write_json(workspace.root / FOLDER / "fairness.json", policy)
        found = run(workspace, FOLDER, NEW_FOLDER)
        what = f"without callout.json, {policy}"
        comparing.same_rows(f"{what}: schedule.csv", found.schedule, right.schedule, key=SCHEDULE[:2])
        comparing.same_rows(f"{what}: unfilled.csv", found.unfilled, right.unfilled, key=UNFILLED[:2])
        comparing.same_json(f"{what}: summary.json", found.summary, right.summary)


def lines_end_as_stated(actual: Work, expected: Expected) -> None:
    """Every output uses LF and ends with a newline."""
    comparing.lines_end_with_lf([slip for result in actual.results.values() for slip in result.slips])


def assignments(result: Result) -> set[tuple[str, str]]:
    return {(row["shift_id"], row["volunteer_id"]) for row in result.schedule}


def seats_of(rota: Rota, rows: list[Row]) -> Seats:
    """A candidate's rows as a schedule. Raises KeyError for an unknown shift or volunteer."""
    staff: dict[str, list[str]] = {shift: [] for shift in sorted(rota.shifts)}
    for row in rows:
        staff[row["shift_id"]].append(rota.volunteers[row["volunteer_id"]]["volunteer_id"])
    return [(shift, tuple(names)) for shift, names in staff.items()]


def edge(fixture: Fixture) -> None:
    """The seat whose skill nobody has stays unfilled with its reason; the available volunteer, who is not
    qualified, is not assigned to it.
    """
    result = run(fixture.workspace())
    found = sorted((row["shift_id"], row["volunteer_id"]) for row in result.schedule)
    comparing.same("schedule.csv", found, [(f"EDGE-S{day}", "EDGE-V1") for day in (2, 3, 4)])
    unfilled = [tuple(row[name] for name in UNFILLED) for row in result.unfilled]
    comparing.same("unfilled.csv", unfilled, [("EDGE-S1", "1", "water_rescue", "no_qualified_volunteer")])


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.volunteer_schedule"),
        expect=expect,
        solve=solve,
        checks=[
            most_assignments_are_right,
            every_assignment_is_legal,
            initial_schedule_is_the_best,
            callout_schedule_is_the_best,
            fairness_schedule_is_the_best,
            unfilled_seats_are_reported,
            summaries_are_exact,
            other_folders_are_planned_anew,
            odd_names_and_missing_people_are_no_obstacle,
            lines_end_as_stated,
        ],
        edge=edge,
    )
