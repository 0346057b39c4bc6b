"""Judges task 26: who may eat what and what has to be bought, before the substitutions come and with them."""

import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import CommandFailed, Fixture, Workspace

SECONDS, MOSTLY = 60.0, 0.6
OPTION, STUDENT = ["date", "meal", "option_id"], ["date", "meal", "option_id", "student_id"]
ELIGIBILITY, SAFE, PURCHASES = "eligibility.csv", "safe_options.csv", "purchase_list.csv"
REQUIRED = (ELIGIBILITY, SAFE, PURCHASES)
IMPACTS, ERRORS = "substitution_impacts.csv", "errors.csv"
FIELDS = {
    ELIGIBILITY: [*STUDENT, "eligible", "allergens"],
    SAFE: ["date", "meal", "student_id", "option_id"],
    PURCHASES: "ingredient_id required_g stock_g shortfall_g pack_size_g packs_to_buy purchase_g".split(),
    IMPACTS: [*STUDENT, "before_eligible", "after_eligible", "before_allergens", "after_allergens"],
    ERRORS: [*OPTION, "recipe_id", "error"],
}
BEFORE, AFTER = "before the substitutions", "with the substitutions"
LISTS = ("new_ingredients", "new_recipes", "new_components", "substitutions")

type Row = dict[str, str]
type Reports = Mapping[str, list[Row] | Exception]
"""The files of one run; one that could not be read is its reason."""
type Line = tuple[str, str, Fraction]
"""A component: kind, id, quantity."""

PURCHASED = [  # ingredient, required grams, packs
    *["flour 4040 4", "cheese 460 3", "oat_drink 1800 1", "rice_drink 600 1", "gluten_free_mix 1575 1"],
    *["spice 38.05 2", "saffron 0.7 1", "vitamin_b12 0.0000008 1", "rice 2030 4", "crème_fraîche 960 10"],
    "cod 270.37037036703703701 1",
]
ALLERGENS = {
    ("2026-09-01", "A"): "celery;peanut;soy;tree_nut;wheat",
    ("2026-09-02", "A"): "Mustard;celery;peanut;sesame;soy;wheat",
    ("2026-09-04", "B"): "celery;wheat",
    ("2026-09-11", "A"): "celery;milk;wheat",
}
CYCLES = [
    ("2026-09-02", "lunch", "A", "pizza", "component_cycle"),
    ("2026-09-02", "lunch", "C", "lunch_box", "component_cycle"),
    ("2026-09-03", "breakfast", "B", "lunch_box", "component_cycle"),
    ("2026-09-03", "lunch", "A", "stew", "component_cycle"),
]


@dataclass
class Work:
    """The two runs over one workspace, and what is not as asked in the form of their files."""

    runs: dict[str, Reports]
    slips: list[str] = field(default_factory=list)


def expect(fixture: Fixture) -> Work:
    """Calculate all reports from the pristine inputs; they must agree with the values above."""
    found = calculate(fixture)
    columns = ("ingredient_id", "required_g", "packs_to_buy")
    bought = [" ".join(row[name] for name in columns) for row in rows_of(found[AFTER], PURCHASES)]
    lunch = [row for row in rows_of(found[AFTER], ELIGIBILITY) if row["meal"] == "lunch"]
    contained = {(row["date"], row["option_id"]): row["allergens"] for row in lunch}
    missed = [anchor for anchor in PURCHASED if anchor not in bought]
    missed += [anchor for anchor in ALLERGENS.items() if anchor not in contained.items()]
    if missed:
        raise judging.JudgeError(f"the calculation misses the anchors {missed}")
    return Work(found)


def calculate(fixture: Fixture, cyclic: Collection[tuple[str, ...]] = ()) -> dict[str, Reports]:
    """Every report without and with the substitutions; options in `cyclic` are left out of both."""
    menu = [row for row in fixture.csv("inputs/menu.csv") if tuple(map(row.get, OPTION)) not in cyclic]
    menu.sort(key=lambda row: [row[name] for name in OPTION])
    before = plan(fixture, menu, dict.fromkeys(LISTS, []))
    after = plan(fixture, menu, fixture.json("inputs/substitutions.json"))
    pairs = zip(before[ELIGIBILITY], after[ELIGIBILITY], strict=True)
    impacts = [
        (*map(old.get, STUDENT), *(row[name] for name in ("eligible", "allergens") for row in (old, new)))
        for old, new in pairs
        if old["eligible"] != new["eligible"]
    ]
    changed = [dict(zip(FIELDS[IMPACTS], impact, strict=True)) for impact in impacts]
    return {BEFORE: before | {IMPACTS: [], ERRORS: []}, AFTER: after | {IMPACTS: changed, ERRORS: []}}


def plan(fixture: Fixture, menu: list[Row], change: Mapping[str, Any]) -> dict[str, list[Row]]:
    """The three reports of the first stage, with what `change` adds and replaces."""
    stock = {row["ingredient_id"]: row for row in fixture.csv("inputs/ingredients.csv")}
    tags = {name: tag_set(f"{row['allergens']};{row['may_contain']}") for name, row in stock.items()}
    for row in change["new_ingredients"]:
        stock[row["ingredient_id"]] = row
        tags[row["ingredient_id"]] = {*row["allergens"], *row["may_contain"]}
    recipes = defaultdict[str, list[Line]](list)
    for row in fixture.csv("inputs/recipe_components.csv") + change["new_components"]:
        line = (row["component_kind"], row["component_id"], Fraction(row["quantity"]))
        recipes[row["recipe_id"]].append(line)
    restricted = fixture.csv("inputs/students.csv")
    students = {row["student_id"]: tag_set(row["restricted_allergens"]) for row in restricted}
    required, eligibility = defaultdict[str, Fraction](Fraction), []
    for option in menu:
        grams = base(option["recipe_id"], as_of(option["date"], recipes, change["substitutions"]))
        for name, quantity in grams.items():
            required[name] += quantity * int(option["planned_servings"])
        contains = set[str]().union(*(tags[name] for name in grams))
        for student in sorted(students):
            eligible = "false" if students[student] & contains else "true"
            values = (*(option[name] for name in OPTION), student, eligible, ";".join(sorted(contains)))
            eligibility.append(dict(zip(FIELDS[ELIGIBILITY], values, strict=True)))
    safe = [{name: row[name] for name in FIELDS[SAFE]} for row in eligibility if row["eligible"] == "true"]
    safe.sort(key=lambda row: [row[name] for name in FIELDS[SAFE]])
    served = {(row["date"], row["student_id"]) for row in safe}
    if any((row["date"], row["student_id"]) not in served for row in eligibility):
        raise judging.JudgeError("the fixture has a student without a safe option")
    return {ELIGIBILITY: eligibility, SAFE: safe, PURCHASES: purchases(stock, required)}


def tag_set(text: str) -> set[str]:
    return {*text.split(";")} - {""}


def as_of(date: str, recipes: Mapping[str, list[Line]], changes: list[Row]) -> dict[str, list[Line]]:
    """The recipes' components on a date."""
    latest: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in sorted(changes, key=lambda row: row["effective_date"]):
        if row["effective_date"] <= date:
            latest[row["recipe_id"]][row["from_ingredient_id"]] = row
    found = dict(recipes)
    for recipe, replaced in latest.items():
        here = [name for kind, name, _ in recipes[recipe] if kind == "ingredient"]
        kept = [line for line in recipes[recipe] if line[0] == "recipe" or line[1] not in replaced]
        for row in (replaced[name] for name in {*here} & {*replaced}):
            quantity = Fraction(row["replacement_quantity"])
            kept.append((row["replacement_kind"], row["replacement_id"], quantity))
        found[recipe] = kept
    return found


def base(recipe: str, recipes: Mapping[str, list[Line]]) -> dict[str, Fraction]:
    """Grams of each ingredient in one serving, level by level."""
    grams, level = defaultdict[str, Fraction](Fraction), {recipe: Fraction(1)}
    while level:
        deeper = defaultdict[str, Fraction](Fraction)
        for name, servings in level.items():
            for kind, part, quantity in recipes[name]:
                (deeper if kind == "recipe" else grams)[part] += servings * quantity
        level = deeper
    return grams


def purchases(stock: Mapping[str, Row], required: Mapping[str, Fraction]) -> list[Row]:
    rows = []
    for name in sorted(name for name, grams in required.items() if grams):
        there, pack = (Fraction(stock[name][column]) for column in ("stock_g", "pack_size_g"))
        lacking = max(required[name] - there, Fraction(0))
        packs = ceil(lacking / pack)
        numbers = (required[name], there, lacking, pack, Fraction(packs), packs * pack)
        rows.append(dict(zip(FIELDS[PURCHASES], [name, *map(plain, numbers)], strict=True)))
    return rows


def plain(value: Fraction) -> str:
    whole, part = divmod(value * 10**30, 10**30)
    return f"{whole}.{int(part):030}".rstrip("0").rstrip(".")


def solve(fixture: Fixture) -> Work:
    """Run the command before the substitutions, then with another folder's over files left by a run."""
    workspace = fixture.workspace(upto="initial")
    for name in FIELDS:
        (workspace.root / "output" / name).write_text("left by an earlier run\n")
    before = run(workspace, "inputs", "output/made/new")
    workspace.add_stage("substitutions")
    (workspace.root / "inputs").rename(workspace.root / "kitchen")
    after = run(workspace, "kitchen", "output")
    lacking = [problem for name in REQUIRED if isinstance(problem := after[name], Exception)]
    if lacking and any(isinstance(before[name], Exception) for name in REQUIRED):
        raise lacking[0]
    return Work({BEFORE: before, AFTER: after}, workspace.outputs.slips)


def run(workspace: Workspace, inputs: str, output: str) -> Reports:
    """Run the command and read what it wrote."""
    try:
        workspace.python("-m", "solution.meal_plan", inputs, "--output", output, seconds=SECONDS)
    except CommandFailed as problem:
        return dict.fromkeys(FIELDS, problem)
    read = workspace.outputs.csv
    return {name: judging.tried(partial(read, f"{output}/{name}", header)) for name, header in FIELDS.items()}


def rows_of(reports: Reports, name: str) -> list[Row]:
    """The rows of a file; raises why it could not be read."""
    return judging.made(reports[name])


def best_share(actual: Work, expected: Work, name: str, fact: Callable[[Row], object]) -> float:
    """The better run's share of facts that are both found and right, of all found or right."""
    shares = [0.0]
    for when, reports in actual.runs.items():
        if not isinstance(reports[name], Exception):
            both = rows_of(reports, name), rows_of(expected.runs[when], name)
            found, right = ({fact(row) for row in rows} - {None} for rows in both)
            shares.append(len(found & right) / len(found | right))
    return max(shares)


def exact(actual: Work, expected: Work, name: str) -> None:
    """Both runs have exactly the expected rows, in order."""
    for when, wanted in expected.runs.items():
        same(f"{when}, {name}", name, actual.runs[when], wanted)


def same(what: str, name: str, actual: Reports, expected: Reports) -> None:
    key, empty = FIELDS[name][: 1 if name == PURCHASES else 4], name in (IMPACTS, ERRORS)
    comparing.same_rows(what, rows_of(actual, name), rows_of(expected, name), key=key, may_be_empty=empty)


@judging.core
def most_restrictions_are_found(actual: Work, expected: Work) -> None:
    """In one of the two runs three in five pairs of student and forbidden option are right."""

    def forbidden(row: Row) -> object:
        return tuple(row[name] for name in STUDENT) if row["eligible"] == "false" else None

    share = best_share(actual, expected, ELIGIBILITY, forbidden)
    comparing.require(share >= MOSTLY, f"{share:.0%} of what is or should be forbidden is right")


@judging.core
def most_requirements_are_right(actual: Work, expected: Work) -> None:
    """In one of the two runs three in five ingredients have the right required grams."""

    def required(row: Row) -> object:
        return row["ingredient_id"], f"{float(row['required_g']):.6g}"

    share = best_share(actual, expected, PURCHASES, required)
    comparing.require(share >= MOSTLY, f"{share:.0%} of what is or should be required is right")


def eligibility_is_exact(actual: Work, expected: Work) -> None:
    """Every student and option has the right allergens and verdict, in order, in both runs."""
    exact(actual, expected, ELIGIBILITY)


def safe_options_are_exact(actual: Work, expected: Work) -> None:
    """safe_options.csv lists every eligible option, in order, in both runs."""
    exact(actual, expected, SAFE)


def purchases_are_exact(actual: Work, expected: Work) -> None:
    """Every required ingredient has its exact grams, packs and purchase, in order, in both runs."""
    exact(actual, expected, PURCHASES)


def impacts_are_exact(actual: Work, expected: Work) -> None:
    """substitution_impacts.csv lists exactly the changed verdicts, none before the substitutions."""
    exact(actual, expected, IMPACTS)


def no_errors_are_reported(actual: Work, expected: Work) -> None:
    """errors.csv has just its header in both runs."""
    exact(actual, expected, ERRORS)


def lines_end_as_stated(actual: Work, expected: Work) -> None:
    """Every file uses LF and ends with a newline."""
    comparing.lines_end_with_lf(actual.slips)


def edge(fixture: Fixture) -> None:
    """Options whose recipe has become a part of itself are reported and left out; the others go on."""
    found = run(fixture.workspace(), "inputs", "output")
    errors = [tuple(row.values()) for row in rows_of(found, ERRORS)]
    comparing.same("the edge's errors.csv", errors, CYCLES)
    wanted = calculate(fixture, {row[:3] for row in CYCLES})[AFTER]
    for name in (*REQUIRED, IMPACTS):
        same(f"the edge's {name}", name, found, wanted)


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.meal_plan"),
        expect=expect,
        solve=solve,
        checks=[
            most_restrictions_are_found,
            most_requirements_are_right,
            eligibility_is_exact,
            safe_options_are_exact,
            purchases_are_exact,
            impacts_are_exact,
            no_errors_are_reported,
            lines_end_as_stated,
        ],
        edge=edge,
    )
