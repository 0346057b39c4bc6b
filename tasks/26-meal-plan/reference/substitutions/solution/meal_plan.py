"""Works out which school meals are safe for whom, and what has to be bought for them."""

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from pathlib import Path

from solution.kitchen import (
    ComponentCycle,
    Cookbook,
    Ingredient,
    Row,
    collect_components,
    read_csv,
    read_ingredients,
    read_students,
)
from solution.substitutions import Substitutions, read_substitutions

OPTION = ("date", "meal", "option_id")
ELIGIBILITY = (*OPTION, "student_id", "eligible", "allergens")
SAFE_OPTIONS = ("date", "meal", "student_id", "option_id")
PURCHASES = (
    "ingredient_id",
    "required_g",
    "stock_g",
    "shortfall_g",
    "pack_size_g",
    "packs_to_buy",
    "purchase_g",
)
IMPACTS = (
    *OPTION,
    "student_id",
    "before_eligible",
    "after_eligible",
    "before_allergens",
    "after_allergens",
)
ERRORS = (*OPTION, "recipe_id", "error")


@dataclass(frozen=True)
class Verdict:
    """Whether one student may eat one option."""

    date: str
    meal: str
    option_id: str
    student_id: str
    eligible: bool
    allergens: str


@dataclass
class Plan:
    verdicts: list[Verdict]
    required: dict[str, Decimal]
    cyclic: list[Row]
    """Options whose recipe contains itself; they are in nothing else."""


def write_csv(path: Path, header: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def make_plan(menu: list[Row], students: dict[str, set[str]], cookbooks: dict[str, Cookbook]) -> Plan:
    """Judge every option for every student and add up what the menu needs."""
    plan = Plan([], defaultdict(Decimal), [])
    for option in menu:
        try:
            serving = cookbooks[option["date"]].serving(option["recipe_id"])
        except ComponentCycle:
            plan.cyclic.append(option)
            continue
        servings = Decimal(option["planned_servings"])
        for ingredient, grams in serving.grams.items():
            plan.required[ingredient] += grams * servings
        allergens = ";".join(sorted(serving.tags))
        for student, restricted in students.items():
            key = (option["date"], option["meal"], option["option_id"], student)
            plan.verdicts.append(Verdict(*key, not restricted & serving.tags, allergens))
    plan.verdicts.sort(
        key=lambda verdict: (verdict.date, verdict.meal, verdict.option_id, verdict.student_id)
    )
    return plan


def truth(value: bool) -> str:
    return "true" if value else "false"


def plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def eligibility_rows(verdicts: Iterable[Verdict]) -> Iterator[tuple[str, ...]]:
    for one in verdicts:
        yield one.date, one.meal, one.option_id, one.student_id, truth(one.eligible), one.allergens


def safe_rows(verdicts: Iterable[Verdict]) -> list[tuple[str, ...]]:
    return sorted((one.date, one.meal, one.student_id, one.option_id) for one in verdicts if one.eligible)


def purchase_rows(
    required: dict[str, Decimal], ingredients: dict[str, Ingredient]
) -> Iterator[tuple[str, ...]]:
    for name in sorted(required):
        if required[name] == 0:
            continue
        ingredient = ingredients[name]
        shortfall = max(required[name] - ingredient.stock, Decimal(0))
        packs = (shortfall / ingredient.pack).to_integral_value(ROUND_CEILING)
        numbers = (
            required[name],
            ingredient.stock,
            shortfall,
            ingredient.pack,
            packs,
            packs * ingredient.pack,
        )
        yield name, *map(plain, numbers)


def impact_rows(before: Iterable[Verdict], after: Iterable[Verdict]) -> Iterator[tuple[str, ...]]:
    earlier = {(one.date, one.meal, one.option_id, one.student_id): one for one in before}
    for new in after:
        key = (new.date, new.meal, new.option_id, new.student_id)
        old = earlier[key]
        if old.eligible != new.eligible:
            yield *key, truth(old.eligible), truth(new.eligible), old.allergens, new.allergens


def error_rows(cyclic: Iterable[Row]) -> list[tuple[str, ...]]:
    return sorted((*(row[name] for name in OPTION), row["recipe_id"], "component_cycle") for row in cyclic)


def write_reports(output: Path, original: Plan, plan: Plan, ingredients: dict[str, Ingredient]) -> None:
    output.mkdir(parents=True, exist_ok=True)
    write_csv(output / "eligibility.csv", ELIGIBILITY, eligibility_rows(plan.verdicts))
    write_csv(output / "safe_options.csv", SAFE_OPTIONS, safe_rows(plan.verdicts))
    write_csv(output / "purchase_list.csv", PURCHASES, purchase_rows(plan.required, ingredients))
    write_csv(output / "substitution_impacts.csv", IMPACTS, impact_rows(original.verdicts, plan.verdicts))
    write_csv(output / "errors.csv", ERRORS, error_rows(plan.cyclic))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    changes_file = args.inputs / "substitutions.json"
    changes = read_substitutions(changes_file) if changes_file.exists() else Substitutions()
    ingredients = read_ingredients(args.inputs) | changes.ingredients
    recipes = collect_components(read_csv(args.inputs / "recipe_components.csv")) | changes.recipes
    menu, students = read_csv(args.inputs / "menu.csv"), read_students(args.inputs)
    dates = {option["date"] for option in menu}
    unchanged = Cookbook(ingredients, recipes)
    original = make_plan(menu, students, dict.fromkeys(dates, unchanged))
    changed = {date: Cookbook(ingredients, changes.apply(recipes, date)) for date in dates}
    plan = make_plan(menu, students, changed)
    write_reports(args.output, original, plan, ingredients)


if __name__ == "__main__":
    main()
