"""Generated files of task 26: a school kitchen's recipes, menu, students and stock, and the substitutions.

Filler has ingredients and recipes of its own, so that it never changes what an anchor needs.
"""

import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

INGREDIENT = ["ingredient_id", "name", "allergens", "may_contain", "stock_g", "pack_size_g"]
COMPONENT = ["recipe_id", "component_kind", "component_id", "quantity"]
MENU = ["date", "meal", "option_id", "recipe_id", "planned_servings"]
STUDENT = ["student_id", "name", "restricted_allergens"]
NAMES = ("effective_date", "recipe_id", "from_ingredient_id", "replacement_kind", "replacement_id")
SUBSTITUTION = [*NAMES, "replacement_quantity"]
DATES = ["0831", "0901", "0902", "0904", "0911", "0903", "0907", "0908", "0909", "0910"]
ANCHOR_DATES = 5
TAGS = "celery egg fish milk mustard peanut sesame shellfish soy tree_nut wheat".split()

type Rows = list[list[str]]


def table(text: str) -> Rows:
    return [entry.split("|") for entry in re.split(" / |\n", text.strip())]


def components(text: str) -> Rows:
    """From entries `recipe: id quantity, …`, in which a component that is itself a recipe has an `@`."""
    rows: Rows = []
    for [entry] in table(text):
        recipe, parts = entry.split(": ")
        rows += [[recipe, *kind_and_id(part), grams] for part, grams in map(str.split, parts.split(", "))]
    return rows


def kind_and_id(part: str) -> tuple[str, str]:
    return ("recipe" if part.startswith("@") else "ingredient", part.removeprefix("@"))


def day(date: str) -> str:
    """The date, which may stand for one of 2026 by its month and day, such as `0831`."""
    return date if "-" in date else f"2026-{date[:2]}-{date[2:]}"


INGREDIENTS = """
flour|Wheat flour, type 550|wheat||277|1000 / cheese|Mozzarella "della casa"|milk||40.50|200
tomato|Tomatoes|||0|500 / olive_oil|Olive oil|||0|250.0 / spice|Spice mix||peanut|5|25
rice|Rice|||30|500 / beans|Beans|||640|400 / cocoa|Cocoa|milk|tree_nut;milk|0|150
pesto|Pesto from a jar|tree_nut;milk||0|190 / basil|Basil|||12|20 / cod|Cod|fish||0.00|400
prawn|Prawns|shellfish||0|250 / saffron|Saffron|||0|0.7 / egg|Eggs|egg||0|60
celery|Celery|celery||1000.25|500 / tahini|Tahini|sesame|soy;mustard|7.5|2.5
vitamin_b12|Vitamin B12|||0|0.001 / crème_fraîche|Crème fraîche|milk||0|100 / Quark|Quark|milk||0|250
milk|Milk|milk||500|1000 / oat_drink|Oat drink||wheat|1000|1000 / oats|Oats||wheat|60|500
honey|Honey|||0|500 / butter|Butter|milk||0|250 / apple|Apples|||19200|1000 / pear|Pears|||20000.50|1000
melon|Melons|||0|1000 / truffle|Truffle|||0|10
"""
RECIPES = """
soffritto: celery 20, olive_oil 5 / tomato_sauce: tomato 80, olive_oil 5, spice 1, @soffritto 0.5
pizza: flour 100, cheese 30, @tomato_sauce 0.5 / pasta: flour 80, @tomato_sauce 0.75
duo: @pizza 0.5, @pasta 0.5, @tomato_sauce 0.2 / bean_bowl: rice 100, beans 80, spice 2
porridge: oats 40, milk 150, oat_drink 50 / cookie: cocoa 12.50, oats 10 / fish_cakes: @layer_1 1, egg 20
paella: rice 90, prawn 60, saffron 0.1 / pesto: basil 6, olive_oil 4 / pesto_rice: pesto 25, rice 80
caprese: @pesto 1, tomato 120 / bread: flour 60, flour 15 / toast: @bread 1, @bread 0.5, butter 8
honey_toast: @bread 2, honey 20 / hummus: beans 40, tahini 10, vitamin_b12 0.0000004
custard: milk 100, crème_fraîche 20, Quark 12.5 / fruit_plate: apple 128, pear 128
melon_plate: melon 100.5 / truffle_pizza: @pizza 1, truffle 2 / layer_30: cod 90.12345678901234567
"""
LAYERS = [[f"layer_{number}", "recipe", f"layer_{number + 1}", "1"] for number in range(1, 30)]

OPTIONS = """
0831|lunch|A|pizza|10 / 0831|lunch|B|bean_bowl|8 / 0831|lunch|a|duo|4 / 0831|breakfast|A|porridge|12
0831|afternoon_snack|A|cookie|6
0901|lunch|A|pizza|6 / 0901|lunch|B|pasta|5 / 0901|lunch|C, small|fish_cakes|3
0902|lunch|A|pizza|6 / 0902|lunch|A10|paella|7 / 0902|lunch|A2|pesto_rice|5 / 0902|lunch|B|caprese|5
0904|lunch|A|pizza|5 / 0904|lunch|B|duo|2 / 0904|lunch|C|honey_toast|0 / 0904|lunch|D|bean_bowl|2
0904|breakfast|A|porridge|10 / 0904|breakfast|B|toast|9 / 0904|lunch|C small|toast|4
0911|lunch|A|pizza|4 / 0911|lunch|B|custard|12 / 0911|lunch|C|hummus|2 / 0911|breakfast|B|toast|2
"""

STUDENTS = """
S1|Núñez, Ana| / S2|Ben "Benny" Ode|wheat / S3|Chi|peanut / S4|Dov|tree_nut / S5|Eve|milk;egg
S6|Finn|soy / S7|Gil|fish / S8|Ha|shellfish / S7 |Ito|lupin;Fish / S10|Jo|sesame;celery
"""

NEW_INGREDIENTS = """
soy_cream|Soy cream|soy||0|250 / almond_flakes|Almonds|tree_nut||0.0|100
oat_spread|Oat spread||wheat|10|120 / sunflower|Sunflower seeds||sesame;Mustard|4|12
paprika|Paprika|||0|40 / gluten_free_mix|Gluten-free mix|||945|1000 / potato|Potatoes|||30|45
rice_drink|Rice drink|||200|1000 / chives|Chives|||0|5
"""
NEW_RECIPES = """
plant_topping: soy_cream 20, almond_flakes 10, @herb_mix 0.5, @soffritto 0.1 / herb_mix: chives 3, basil 2
"""
SUBSTITUTIONS = """
0911|pizza|cheese|cheese|25 / 0901|pizza|cheese|@plant_topping|1 / 0904|pizza|cheese|oat_spread|20
0902|plant_topping|almond_flakes|sunflower|8 / 0904|tomato_sauce|spice|paprika|1.5
0831|duo|olive_oil|butter|6 / 0901|caprese|pesto|celery|5 / 0904|porridge|milk|oat_drink|120
0904|porridge|oat_drink|rice_drink|60 / 0904|bread|flour|gluten_free_mix|70
2025-12-24|fish_cakes|egg|potato|15 / 1201|bean_bowl|beans|tahini|80 / 0902|pesto_rice|pesto|@pesto|1
0911|toast|butter|pesto|5 / 0911|custard|milk|crème_fraîche|50 / 0911|custard|Quark|crème_fraîche|10
"""

EDGE_RECIPES = """
sauce: tomato 80, spice 1 / pizza: flour 100, cheese 30, @sauce 0.5 / lunch_box: @pizza 0.5, rice 50
rice_bowl: rice 100, spice 2 / plain_rice: rice 120 / stew: tomato 50, rice 20
"""
EDGE_OPTIONS = """
0901|lunch|A|pizza|10 / 0901|lunch|B|rice_bowl|8 / 0901|lunch|C|plain_rice|4
0902|lunch|C|lunch_box|4 / 0902|lunch|A|pizza|6 / 0902|lunch|B|rice_bowl|5 / 0902|lunch|D|plain_rice|3
0903|breakfast|B|lunch_box|0 / 0903|lunch|A|stew|2 / 0903|lunch|C|plain_rice|4
0904|lunch|A|stew|3
"""
EDGE_NEW_RECIPES = """
topping: @crumble 1, tomato 5 / crumble: @pizza 0.1 / unused: @unused 1
"""
EDGE_SUBSTITUTIONS = """
0902|pizza|cheese|@topping|1 / 0902|rice_bowl|spice|paprika|2 / 0902|stew|rice|@stew|0.5
0904|stew|rice|paprika|5
"""

EDGE_INGREDIENTS = ("flour", "cheese", "tomato", "spice", "rice")


@dataclass
class Kitchen:
    """Everything the input files hold, row by row; `new_…` and `substitutions` come with the later stage."""

    ingredients: Rows
    recipes: Rows
    menu: Rows
    students: Rows
    new_ingredients: Rows
    new_recipes: Rows
    substitutions: Rows


def edge_kitchen() -> Kitchen:
    """From the second day on stew contains itself, until the last, and pizza does by way of its topping."""
    ingredients = [row for row in table(INGREDIENTS) if row[0] in EDGE_INGREDIENTS]
    return Kitchen(
        ingredients=ingredients,
        recipes=components(EDGE_RECIPES),
        menu=table(EDGE_OPTIONS),
        students=table(STUDENTS)[:5],
        new_ingredients=[row for row in table(NEW_INGREDIENTS) if row[0] == "paprika"],
        new_recipes=components(EDGE_NEW_RECIPES),
        substitutions=table(EDGE_SUBSTITUTIONS),
    )


def main_kitchen(build: seeding.Build) -> Kitchen:
    """The anchors and, beside them, filler; on every date there is fruit, which is safe for all."""
    rng = build.rng_of("initial")
    dates = DATES[: build.size(full=len(DATES), small=ANCHOR_DATES)]
    bought = [filler_ingredient(rng, f"F{number:03}") for number in range(build.size(full=120, small=6))]
    later = [filler_ingredient(rng, f"G{number:03}") for number in range(build.size(full=20, small=2))]
    dishes = [f"R{number:03}" for number in range(build.size(full=96, small=6))]
    toppings = [f"T{number:03}" for number in range(build.size(full=12, small=2))]
    recipes = [row for place in range(len(dishes)) for row in filler_recipe(rng, place, dishes, bought)]
    new_recipes = [[name, *part] for name in toppings for part in some_ingredients(rng, bought[:9] + later)]
    menu = [[date, "lunch", "fruit", "fruit_plate", "30"] for date in dates[:ANCHOR_DATES]]
    menu += [[date, "lunch", "fruit", "melon_plate", "30"] for date in dates[ANCHOR_DATES:]]
    for date in dates:
        for number in range(build.size(full=4, small=1)):
            menu.append([date, "lunch", f"D{number}", rng.choice(dishes), str(rng.randrange(20, 90))])
    students = [
        [f"P{number:03}", f"Pupil {number}", ";".join(rng.sample(TAGS, rng.choice([0, 0, 1, 1, 1, 2])))]
        for number in range(build.size(full=140, small=3))
    ]
    replaceable = [row for row in recipes if row[1] == "ingredient"]
    replacements = [f"@{name}" for name in toppings] + [row[0] for row in later]
    changes = [
        [rng.choice(dates), recipe, ingredient, rng.choice(replacements)]
        for recipe, _, ingredient, _ in rng.sample(replaceable, len(dishes) // 3)
    ]
    return Kitchen(
        ingredients=table(INGREDIENTS) + bought,
        recipes=components(RECIPES) + LAYERS + recipes,
        menu=table(OPTIONS) + menu,
        students=table(STUDENTS) + students,
        new_ingredients=table(NEW_INGREDIENTS) + later,
        new_recipes=components(NEW_RECIPES) + new_recipes,
        substitutions=table(SUBSTITUTIONS) + [[*row, "1.5" if "@" in row[3] else "24"] for row in changes],
    )


def filler_ingredient(rng: random.Random, name: str) -> list[str]:
    allergens, traces = (";".join(rng.sample(TAGS, rng.choice([0] * 9 + [1, 2]))) for _ in range(2))
    stock, pack = str(rng.randrange(0, 3000)), str(rng.randrange(1, 20) * 50)
    return [name, f"Article {name}", allergens, traces, stock, pack]


def some_ingredients(rng: random.Random, ingredients: Rows) -> Rows:
    """Two or three components; the same ingredient never twice."""
    some = rng.sample(ingredients, rng.choice([2, 3]))
    return [["ingredient", row[0], f"{rng.randrange(10, 900) / 10:.1f}"] for row in some]


def filler_recipe(rng: random.Random, place: int, dishes: list[str], ingredients: Rows) -> Rows:
    """Components of the dish at `place`: the second half of the dishes use those of the first half."""
    parts, half = some_ingredients(rng, ingredients), len(dishes) // 2
    if place >= half:
        parts.append(["recipe", dishes[rng.randrange(half)], rng.choice(["0.25", "1", "1", "1.5"])])
    return [[dishes[place], *part] for part in parts]


def kitchen(build: seeding.Build) -> Kitchen:
    return edge_kitchen() if build.fixture == "edge" else main_kitchen(build)


def recipe_names(recipes: Rows) -> Rows:
    return [[name, name.replace("_", " ").capitalize()] for name in dict.fromkeys(row[0] for row in recipes)]


def write_initial(build: seeding.Build) -> None:
    """Write the five files, the rows of each in no order."""
    data = kitchen(build)
    files = {
        "ingredients.csv": (INGREDIENT, data.ingredients),
        "recipes.csv": (["recipe_id", "name"], recipe_names(data.recipes)),
        "recipe_components.csv": (COMPONENT, data.recipes),
        "menu.csv": (MENU, [[day(row[0]), *row[1:]] for row in data.menu]),
        "students.csv": (STUDENT, data.students),
    }
    for name, (header, rows) in files.items():
        fixtures.write_csv(build.out / "inputs" / name, header, build.rng.sample(rows, len(rows)))


def write_substitutions(build: seeding.Build) -> None:
    """Write the later file; the substitutions stay in their order, which is not that of their dates."""
    data = kitchen(build)
    ingredients = [
        [*row[:2], *(row[at].split(";") if row[at] else [] for at in (2, 3)), *row[4:]]
        for row in data.new_ingredients
    ]
    changes = [[day(row[0]), *row[1:3], *kind_and_id(row[3]), row[4]] for row in data.substitutions]
    lists = {
        "new_ingredients": (INGREDIENT, ingredients),
        "new_recipes": (["recipe_id", "name"], recipe_names(data.new_recipes)),
        "new_components": (COMPONENT, build.rng.sample(data.new_recipes, len(data.new_recipes))),
        "substitutions": (SUBSTITUTION, changes),
    }
    document = {
        key: [dict(zip(names, row, strict=True)) for row in rows] for key, (names, rows) in lists.items()
    }
    fixtures.write_json(build.out / "inputs/substitutions.json", document)


if __name__ == "__main__":
    seeding.main(26, {"initial": write_initial, "substitutions": write_substitutions})
