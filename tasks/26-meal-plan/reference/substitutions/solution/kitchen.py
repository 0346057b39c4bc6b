"""Ingredients, recipes and students, and what a serving of a recipe holds."""

import csv
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

type Row = dict[str, str]


@dataclass(frozen=True)
class Ingredient:
    tags: frozenset[str]
    stock: Decimal
    pack: Decimal


@dataclass(frozen=True)
class Component:
    kind: str
    id: str
    quantity: Decimal


@dataclass
class Serving:
    """What one serving of a recipe holds."""

    grams: dict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    tags: set[str] = field(default_factory=set)


def read_csv(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def split_tags(text: str) -> list[str]:
    return [tag for tag in text.split(";") if tag]


def make_ingredient(
    allergens: Iterable[str], may_contain: Iterable[str], stock: str, pack: str
) -> Ingredient:
    return Ingredient(frozenset(allergens) | frozenset(may_contain), Decimal(stock), Decimal(pack))


def read_ingredients(folder: Path) -> dict[str, Ingredient]:
    return {
        row["ingredient_id"]: make_ingredient(
            split_tags(row["allergens"]), split_tags(row["may_contain"]), row["stock_g"], row["pack_size_g"]
        )
        for row in read_csv(folder / "ingredients.csv")
    }


def collect_components(rows: Iterable[Row]) -> dict[str, list[Component]]:
    recipes: dict[str, list[Component]] = {}
    for row in rows:
        component = Component(row["component_kind"], row["component_id"], Decimal(row["quantity"]))
        recipes.setdefault(row["recipe_id"], []).append(component)
    return recipes


def read_students(folder: Path) -> dict[str, set[str]]:
    return {
        row["student_id"]: set(split_tags(row["restricted_allergens"]))
        for row in read_csv(folder / "students.csv")
    }


class ComponentCycle(Exception):
    """A recipe contains itself."""


class Cookbook:
    """The recipes as they are on one day."""

    def __init__(self, ingredients: dict[str, Ingredient], recipes: dict[str, list[Component]]) -> None:
        self._ingredients = ingredients
        self._recipes = recipes
        self._known: dict[str, Serving] = {}
        self._open: set[str] = set()

    def serving(self, recipe: str) -> Serving:
        """Ingredients and allergens of one serving, nested recipes included.

        Raises `ComponentCycle` when the recipe contains itself or one that does.
        """
        if recipe in self._open:
            raise ComponentCycle(recipe)
        if recipe not in self._known:
            self._open.add(recipe)
            try:
                self._known[recipe] = self._add_up(recipe)
            finally:
                self._open.remove(recipe)
        return self._known[recipe]

    def _add_up(self, recipe: str) -> Serving:
        total = Serving()
        for component in self._recipes[recipe]:
            if component.kind == "ingredient":
                total.grams[component.id] += component.quantity
                total.tags |= self._ingredients[component.id].tags
            else:
                part = self.serving(component.id)
                for ingredient, grams in part.grams.items():
                    total.grams[ingredient] += grams * component.quantity
                total.tags |= part.tags
        return total
