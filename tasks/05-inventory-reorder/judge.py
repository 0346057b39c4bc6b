"""Judges task 05: targets, purchases and transfers, before the constraints come and with them."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace

SECONDS = 60.0
AS_OF, OTHER_AS_OF = date(2025, 6, 1), date(2025, 5, 25)
KEY = ["sku", "warehouse"]
FORECAST = ["forecast_daily", "target_qty"]
POSITION = ["on_hand", "eligible_open_po"]
ORDER = ["reorder_qty", "supplier_id", "case_pack", "order_cases"]
ARRIVAL = ["arrival_date"]
REORDER = KEY + FORECAST + POSITION + ORDER + ARRIVAL
TRANSFER = ["sku", "from_warehouse", "to_warehouse", "quantity", "cost_per_unit"]
NO_CONSTRAINTS: dict[str, Any] = {"supplier_blackouts": []}

type Row = dict[str, str]
type Place = tuple[str, str]
"""SKU and warehouse."""

ANCHORS = {  # cases, before the constraints and with them, and the later arrival
    ("SKU201", "EAST"): (16, 16, "2025-06-06"),
    ("SKU211", "EAST"): (5, 5, "2025-06-06"),
    ("SKU226", "EAST"): (4, 4, "2025-06-10"),
    ("SKU301", "EAST"): (2, 2, "2025-06-10"),
    ("SKU303", "EAST"): (5, 5, "2025-06-10"),
    ("SKU312", "NORTH"): (2, 2, "2025-06-10"),
    ("SKU310", "EAST"): (2, 2, "2025-06-10"),
    ("SKU10", "NORTH"): (2, 2, "2025-06-10"),
    ("SKU321", "WEST"): (2, 2, "2025-06-10"),
    ("SKU332", "EAST"): (2, 2, "2025-06-10"),
    ("SKU342", "EAST"): (2, 2, "2025-06-05"),
    ("SKU343", "WEST"): (2, 2, "2025-06-03"),
    ("SKU351", "EAST"): (4, 3, "2025-06-08"),
    ("SKU352", "EAST"): (5, 0, ""),
    ("SKU404", "EAST"): (1, 1, "2025-06-08"),
    ("SKU412", "EAST"): (20, 10, "2025-06-08"),
    ("SKU412", "WEST"): (0, 0, ""),
    ("SKU508", "EAST"): (9, 9, "2025-06-15"),
    ("SKU513", "EAST"): (12, 12, "2025-06-15"),
    ("SKU519", "EAST"): (20, 20, "2025-06-25"),
    ("SKU524", "EAST"): (25, 25, "2025-06-25"),
}
MOVED = {  # from, to → units
    "SKU401": {("NORTH", "EAST"): 20, ("WEST", "EAST"): 20},
    "SKU402": {("EAST", "NORTH"): 22},
    "SKU403": {("EAST", "WEST"): 13},
    "SKU404": {("WEST", "EAST"): 3},
    "SKU405": {},
    "SKU406": {("WEST", "EAST"): 11},
    "SKU407": {("WEST", "EAST"): 15},
    "SKU409": {("WEST", "EAST"): 6, ("WEST", "NORTH"): 4},
    "SKU410": {("WEST", "EAST"): 5, ("EAST", "NORTH"): 5, ("WEST", "NORTH"): 15},
    "SKU411": {("WEST", "EAST"): 5, ("EAST", "NORTH"): 2, ("WEST", "NORTH"): 18},
    "SKU412": {("WEST", "EAST"): 20, ("EAST", "WEST"): 10},
    "SKU414": {("WEST", "EAST"): 9},
    "SKU416": {("WEST", "EAST"): 8},
    "SKU417": {("WEST", "EAST"): 10, ("WEST", "NORTH"): 3},
    "SKU418": {("WEST", "EAST"): 11},
    'sku4, "Tür"': {('annex "B", Süd', "EAST"): 12, ("WEST", "EAST"): 8},
}


@dataclass
class Plan:
    """The outputs of one run, as expected or as found; transfers that could not be read are their reason."""

    reorder: list[Row]
    orders: Any
    transfers: list[Row] | Exception
    slips: list[str] = field(default_factory=list)


@dataclass
class Work:
    """One workspace, run before the constraints and again with them; a run that failed is its reason."""

    workspace: Workspace
    runs: dict[str, Plan | Exception]

    def plan(self, when: str) -> Plan:
        """The outputs of a run; raises what it failed with."""
        return judging.made(self.runs[when])


type Plans = dict[str, Plan]
BEFORE, AFTER, BRANCH = "before the constraints", "with the constraints", "in another folder on another date"


def expect(fixture: Fixture) -> Plans:
    """Calculate all plans from the pristine inputs; they must agree with the values above."""
    costs = fixture.csv("inputs/transfer_costs.csv")
    blackouts = fixture.json("inputs/constraints.json")["supplier_blackouts"]
    plans = {
        BEFORE: calculate(fixture, AS_OF, [], []),
        AFTER: calculate(fixture, AS_OF, blackouts, costs),
        BRANCH: calculate(fixture, OTHER_AS_OF, [], []),
    }
    before, after = ({(r["sku"], r["warehouse"]): r for r in plans[when].reorder} for when in (BEFORE, AFTER))
    for place, anchor in ANCHORS.items():
        cases, later = int(before[place]["order_cases"]), after[place]
        if (found := (cases, int(later["order_cases"]), later["arrival_date"])) != anchor:
            raise judging.JudgeError(f"{place}: calculated {found}, the anchor is {anchor}")
    moves: dict[str, dict[Place, int]] = {sku: {} for sku in MOVED}
    for sku, source, target, quantity, _ in (row.values() for row in judging.made(plans[AFTER].transfers)):
        moves.setdefault(sku, {})[source, target] = int(quantity)
    if wrong := [sku for sku in MOVED if moves[sku] != MOVED[sku]]:
        raise judging.JudgeError(f"the calculated transfers miss the anchors {wrong}")
    return plans


def calculate(fixture: Fixture, as_of: date, blackouts: list[Row], costs: list[Row]) -> Plan:
    """Every output for one as-of date."""
    products = {row["sku"]: row for row in fixture.csv("inputs/products.csv")}
    stock = {(row["sku"], row["warehouse"]): int(row["on_hand"]) for row in fixture.csv("inputs/stock.csv")}
    minimums = {s["supplier_id"]: s["minimum_cases"] for s in fixture.json("inputs/suppliers.json")}
    lead = {sku: int(row["lead_days"]) for sku, row in products.items()}
    sold, incoming = Counter[Place](), Counter[Place]()
    for row in fixture.csv("inputs/demand.csv"):
        if 1 <= (as_of - date.fromisoformat(row["date"])).days <= 28:
            sold[row["sku"], row["warehouse"]] += int(row["quantity"])
    for row in fixture.csv("inputs/open_pos.csv"):
        place = (row["sku"], row["warehouse"])
        if place in stock and (date.fromisoformat(row["arrival_date"]) - as_of).days <= lead[row["sku"]]:
            incoming[place] += int(row["quantity"])
    places = sorted(stock)
    reserve = {place: Fraction(sold[place] * int(products[place[0]]["safety_days"]), 28) for place in places}
    target = {place: reserve[place] + Fraction(sold[place] * lead[place[0]], 28) for place in places}
    position = Counter({place: stock[place] + incoming[place] for place in places})
    transfers = move(places, stock, position, target, reserve, costs)
    cases = purchase(products, minimums, {place: target[place] - position[place] for place in places})
    rows, orders = [], {}
    for place in places:
        product, count = products[place[0]], cases[place]
        pack, supplier = int(product["case_pack"]), product["supplier_id"]
        day = (as_of + timedelta(days=lead[place[0]])).isoformat()
        windows = [(w["start_date"], w["end_date"]) for w in blackouts if w["supplier_id"] == supplier]
        while late := [end for start, end in windows if start <= day <= end]:
            day = (date.fromisoformat(max(late)) + timedelta(days=1)).isoformat()
        numbers = (
            decimals(Fraction(sold[place], 28)),
            decimals(target[place]),
            stock[place],
            incoming[place],
        )
        order = (count * pack, supplier, pack, count, day if count else "")
        rows.append(dict(zip(REORDER, map(str, (*place, *numbers, *order)), strict=True)))
        if count:
            line = (*place, count * pack, count, day)
            names = [*KEY, "quantity", "cases", "arrival_date"]
            orders.setdefault(supplier, []).append(dict(zip(names, line, strict=True)))
    suppliers = [
        {
            "supplier_id": name,
            "minimum_cases": minimums[name],
            "total_cases": sum(line["cases"] for line in orders[name]),
            "lines": orders[name],
        }
        for name in sorted(orders)
    ]
    return Plan(rows, {"as_of": as_of.isoformat(), "suppliers": suppliers}, transfers)


def decimals(value: Fraction) -> str:
    text = f"{round(value * 10_000):05}"
    return f"{text[:-4]}.{text[-4:]}"


def move(
    places: list[Place],
    stock: dict[Place, int],
    position: Counter[Place],
    target: dict[Place, Fraction],
    reserve: dict[Place, Fraction],
    costs: list[Row],
) -> list[Row]:
    """Rows of transfers.csv; `position` is changed to what the transfers leave."""
    left, rows = dict(stock), []
    routes = sorted(costs, key=lambda row: (Fraction(row["cost_per_unit"]), row["from_warehouse"]))
    for sku, warehouse in places:
        for route in (route for route in routes if route["to_warehouse"] == warehouse):
            here, donor = (sku, warehouse), (sku, route["from_warehouse"])
            if donor in stock:
                spare = min(left[donor], floor(position[donor] - reserve[donor]))
                units = min(floor(target[here] - position[here]), spare)
                if units > 0:
                    left[donor] -= units
                    position.update({donor: -units, here: units})
                    values = (sku, donor[1], warehouse, str(units), route["cost_per_unit"])
                    rows.append(dict(zip(TRANSFER, values, strict=True)))
    return sorted(rows, key=lambda row: (row["sku"], row["to_warehouse"], row["from_warehouse"]))


def purchase(
    products: dict[str, Row], minimums: dict[str, int], lacking: dict[Place, Fraction]
) -> Counter[Place]:
    """Cases by place, minimums met; `lacking` is target minus position."""
    pack = {place: int(products[place[0]]["case_pack"]) for place in lacking}
    cases = Counter({place: max(0, ceil(lacks / pack[place])) for place, lacks in lacking.items()})
    for supplier, minimum in minimums.items():
        places = [place for place in lacking if products[place[0]]["supplier_id"] == supplier]
        while 0 < sum(cases[place] for place in places) < minimum:
            over = {place: cases[place] * pack[place] - lacking[place] for place in places}
            over_all = {sku: sum(over[place] for place in places if place[0] == sku) for sku, _ in places}
            ordered = [place for place in places if cases[place]]
            cases[min(ordered, key=lambda place: (over_all[place[0]], place[0], over[place], place[1]))] += 1
    return cases


def solve(fixture: Fixture) -> Work:
    """Run the command before the constraints come, and again over the same workspace when they are there."""
    work = Work(fixture.workspace(upto="initial"), {})
    work.runs[BEFORE] = judging.tried(lambda: run(work.workspace))
    work.workspace.add_stage("constraints")
    work.runs[AFTER] = judging.tried(lambda: run(work.workspace))
    if all(isinstance(run, Exception) for run in work.runs.values()):
        work.plan(AFTER)
    return work


def run(workspace: Workspace, inputs: str = "inputs", as_of: date = AS_OF, output: str = "output") -> Plan:
    """Run the command and read what it wrote; transfers.csv may be missing."""
    arguments = (inputs, "--as-of", as_of.isoformat(), "--output", output)
    workspace.python("-m", "solution.reorder", *arguments, seconds=SECONDS)
    outputs = workspace.outputs
    outputs.slips.clear()
    reorder = outputs.csv(f"{output}/reorder.csv", REORDER)
    orders = outputs.json(f"{output}/supplier_orders.json")
    transfers = judging.tried(lambda: outputs.csv(f"{output}/transfers.csv", TRANSFER))
    return Plan(reorder, orders, transfers, list(outputs.slips))


def better(shares: list[tuple[int, int]], least: float) -> None:
    """In one of the two runs enough of the rows are right."""
    notes = " and ".join(f"{right} of {count}" for right, count in shares)
    comparing.require(any(right >= least * count for right, count in shares), f"{notes} rows are right")


def exact(actual: Work, expected: Plans, fields: Sequence[str]) -> None:
    """Both runs have exactly the expected rows, in order, with the right fields."""
    for when in (BEFORE, AFTER):
        rows = actual.plan(when).reorder
        comparing.same_rows(f"{when}, reorder.csv", rows, expected[when].reorder, key=KEY, fields=fields)


@judging.core
def most_targets_are_close(actual: Work, expected: Plans) -> None:
    """In one of the two runs two rows in three have a target within a tenth of what is right."""
    shares = []
    for when, found in actual.runs.items():
        rows = [] if isinstance(found, Exception) else found.reorder
        targets = {(row["sku"], row["warehouse"]): float(row["target_qty"]) for row in rows}
        wanted = {(row["sku"], row["warehouse"]): float(row["target_qty"]) for row in expected[when].reorder}
        close = [abs(targets.get(place, -1) - value) <= value / 10 for place, value in wanted.items()]
        shares.append((sum(close), max(len(wanted), len(rows))))
    better(shares, 2 / 3)


@judging.core
def most_orders_are_right(actual: Work, expected: Plans) -> None:
    """In one of the two runs half the rows with an order have the right units and cases."""
    shares = []
    for when, found in actual.runs.items():
        rows = [] if isinstance(found, Exception) else found.reorder
        orders, wanted = (
            {tuple(row[name] for name in KEY + ORDER) for row in some if row["order_cases"] != "0"}
            for some in (rows, expected[when].reorder)
        )
        shares.append((len(orders & wanted), max(len(orders), len(wanted))))
    better(shares, 1 / 2)


def forecasts_and_targets_are_exact(actual: Work, expected: Plans) -> None:
    """Every row is there, in order, with the forecast and the target of the last 28 complete days."""
    exact(actual, expected, FORECAST)


def positions_are_exact(actual: Work, expected: Plans) -> None:
    """Every row has its original units on hand and its eligible purchase orders."""
    exact(actual, expected, POSITION)


def orders_are_exact(actual: Work, expected: Plans) -> None:
    """Every row has whole cases of its own, and those that a supplier's minimum adds."""
    exact(actual, expected, ORDER)


def arrivals_are_exact(actual: Work, expected: Plans) -> None:
    """Every order arrives after its lead time, and later on the first day without a blackout."""
    exact(actual, expected, ARRIVAL)


def supplier_orders_are_exact(actual: Work, expected: Plans) -> None:
    """supplier_orders.json has every supplier and line, in order, and the totals."""
    for when in (BEFORE, AFTER):
        orders = actual.plan(when).orders
        comparing.same_json(f"{when}, supplier_orders.json", orders, expected[when].orders)


def transfers_are_exact(actual: Work, expected: Plans) -> None:
    """transfers.csv has each donor's units, in order: none past a target, below a floor or not on hand."""
    rows = judging.made(actual.plan(AFTER).transfers)
    comparing.same_rows("transfers.csv", rows, judging.made(expected[AFTER].transfers), key=TRANSFER[:3])


def other_arguments_are_followed(actual: Work, expected: Plans) -> None:
    """Another input folder, without blackouts, policy and costs, another date and a new output folder give
    their own result.
    """
    inputs = actual.workspace.root / "branch/inputs"
    inputs.mkdir(parents=True)
    for path in (actual.workspace.root / "inputs").iterdir():
        (inputs / path.name).write_bytes(path.read_bytes())
    (inputs / "constraints.json").write_text(json.dumps(NO_CONSTRAINTS))
    (inputs / "transfer_costs.csv").write_text("from_warehouse,to_warehouse,cost_per_unit\n")
    found, wanted = run(actual.workspace, "branch/inputs", OTHER_AS_OF, "output/branch/new"), expected[BRANCH]
    comparing.same_rows("branch, reorder.csv", found.reorder, wanted.reorder, key=KEY)
    comparing.same_json("branch, supplier_orders.json", found.orders, wanted.orders)
    comparing.same("branch, transfers.csv", judging.made(found.transfers), [])


def lines_end_as_stated(actual: Work, expected: Plans) -> None:
    """Every output uses LF and ends with a newline."""
    comparing.lines_end_with_lf([slip for when in (BEFORE, AFTER) for slip in actual.plan(when).slips])


def edge(fixture: Fixture) -> None:
    """A new SKU with stock but no demand history has the forecast 0; nothing is bought or moved for it."""
    plan = run(fixture.workspace())
    names = [*KEY, *FORECAST, "on_hand", "reorder_qty", "order_cases", "arrival_date"]
    rows = [tuple(row[name] for name in names) for row in plan.reorder if row["sku"] == "NEW001"]
    stock = (("EAST", "24"), ("NORTH", "0"), ("WEST", "3"))
    wanted = [("NEW001", house, "0.0000", "0.0000", units, "0", "0", "") for house, units in stock]
    comparing.same("its rows", sorted(rows), wanted)
    comparing.require("NEW001" not in json.dumps(plan.orders), "supplier_orders.json orders NEW001")
    comparing.same(
        "its transfers", [row for row in judging.made(plan.transfers) if row["sku"] == "NEW001"], []
    )


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.reorder"),
        expect=expect,
        solve=solve,
        checks=[
            most_targets_are_close,
            most_orders_are_right,
            forecasts_and_targets_are_exact,
            positions_are_exact,
            orders_are_exact,
            arrivals_are_exact,
            supplier_orders_are_exact,
            transfers_are_exact,
            other_arguments_are_followed,
            lines_end_as_stated,
        ],
        edge=edge,
    )
