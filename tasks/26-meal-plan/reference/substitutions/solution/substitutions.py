"""Ingredients that are replaced from a date on."""

import json
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from solution.kitchen import Component, Ingredient, collect_components, make_ingredient


@dataclass(frozen=True)
class Substitution:
    date: str
    recipe: str
    ingredient: str
    replacement: Component


@dataclass
class Substitutions:
    ingredients: dict[str, Ingredient] = field(default_factory=dict)
    recipes: dict[str, list[Component]] = field(default_factory=dict)
    changes: list[Substitution] = field(default_factory=list)
    """By date, the earliest first."""

    def apply(self, recipes: dict[str, list[Component]], date: str) -> dict[str, list[Component]]:
        """The recipes as they are on a date."""
        current: dict[str, dict[str, Component]] = {}
        for change in self.changes:
            if change.date <= date:
                current.setdefault(change.recipe, {})[change.ingredient] = change.replacement
        return recipes | {name: replace(recipes[name], current[name]) for name in current}


def replace(components: list[Component], replacements: dict[str, Component]) -> list[Component]:
    """All lines of a replaced ingredient together give way to one line."""
    kept: list[Component] = []
    gone: set[str] = set()
    for component in components:
        if component.kind == "ingredient" and component.id in replacements:
            gone.add(component.id)
        else:
            kept.append(component)
    return kept + [replacements[ingredient] for ingredient in sorted(gone)]


def read_substitutions(path: Path) -> Substitutions:
    document = json.loads(path.read_text(encoding="utf-8"))
    changes = [
        Substitution(
            row["effective_date"],
            row["recipe_id"],
            row["from_ingredient_id"],
            Component(row["replacement_kind"], row["replacement_id"], Decimal(row["replacement_quantity"])),
        )
        for row in document["substitutions"]
    ]
    return Substitutions(
        ingredients={
            row["ingredient_id"]: make_ingredient(
                row["allergens"], row["may_contain"], row["stock_g"], row["pack_size_g"]
            )
            for row in document["new_ingredients"]
        },
        recipes=collect_components(document["new_components"]),
        changes=sorted(changes, key=lambda change: change.date),
    )
