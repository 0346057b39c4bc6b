"""Generated files of task 05: products, stock, demand, purchase orders, suppliers; then blackouts and costs.

A `Sku` row gives, for each warehouse, the units on hand and the demand of the 28 days before the as-of date.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

AS_OF = date(2025, 6, 1)
WAREHOUSES = ("WEST", "NORTH", "EAST")  # against the order of names
ANNEX, LOWER = 'annex "B", Süd', 'sup-l, "Süd"'  # sorted last
NO_HISTORY = -1


@dataclass(frozen=True)
class Sku:
    """A product, its stock and its demand: warehouse → (on hand, 28-day demand)."""

    name: str
    supplier: str
    pack: int
    lead: int
    safety: int
    rows: dict[str, tuple[int, int]]
    days: list[tuple[str, str, int]] = field(default_factory=list)
    """Demand rows of its own: warehouse, date, quantity; the 28-day demand is not spread then."""


def one(name: str, supplier: str, pack: int, lead: int, safety: int, on_hand: int, demand: int) -> Sku:
    """A SKU that only EAST keeps."""
    return Sku(name, supplier, pack, lead, safety, {"EAST": (on_hand, demand)})


def moved(name: str, pack: int = 1, safety: int = 7, **rows: tuple[int, int]) -> Sku:
    """A SKU for transfers: target demand/2, donor floor demand/4 unless `safety` says otherwise."""
    return Sku(name, "SUP-T", pack, 14 - safety, safety, rows)


def padded(name: str, supplier: str, pack: int, **rows: tuple[int, int]) -> Sku:
    """A SKU for minimums with the target demand/2; nothing on hand, so that nothing can be transferred."""
    return Sku(name, supplier, pack, 9, 5, rows)


WINDOW = [
    ("EAST", "2025-05-03", 70),  # day 29 before
    ("EAST", "2025-05-04", 28),
    ("EAST", "2025-05-31", 28),
    ("EAST", "2025-06-01", 90),  # the as-of date itself, and later
    ("EAST", "2025-06-02", 90),
]
TWICE = [("EAST", "2025-05-10", 14), ("EAST", "2025-05-10", 14), ("EAST", "2025-05-20", 28)]
ELSEWHERE = [("EAST", "2025-05-10", 28), ("WEST", "2025-05-11", 28)]

ANCHORS = [
    Sku("SKU201", "SUP-F", 1, 5, 3, {"EAST": (0, 0)}, WINDOW),
    Sku("SKU202", "SUP-F", 1, 5, 3, {"EAST": (3, 0)}, TWICE),  # days without rows; two rows of one day
    Sku("SKU203", "SUP-F", 1, 5, 3, {"EAST": (3, 0)}, ELSEWHERE),  # WEST does not keep it
    Sku("SKU204", "SUP-F", 1, 5, 3, {}, ELSEWHERE),  # nobody keeps it
    one("SKU211", "SUP-F", 1, 5, 3, 2, 56),  # purchase orders on both sides of 2025-06-06
    # Whole units and case packs: an exact multiple, 1/28 more, 1/28 in all, nothing, less than nothing.
    one("SKU221", "SUP-F", 6, 5, 3, 4, 56),
    one("SKU222", "SUP-F", 6, 3, 2, 6, 101),
    one("SKU223", "SUP-F", 6, 3, 2, 3, 17),
    one("SKU224", "SUP-F", 6, 5, 3, 8, 28),
    one("SKU225", "SUP-F", 6, 5, 3, 900, 28),
    one("SKU226", "SUP-F", 6, 9, 5, 5, 58),  # 58 / 28 * 14 is more than 29 in binary
    one("SKU227", "SUP-F", 5, 20, 8, 0, 5),  # so is a mean of four decimals, 0.1786 * 28, than 5
    # Minimums: four cases of three rows meet SUP-E's four; SUP-G lacks one of five; SUP-N has no order.
    padded("SKU301", "SUP-E", 5, EAST=(0, 20), WEST=(0, 10)),
    padded("SKU302", "SUP-E", 5, NORTH=(0, 9)),
    padded("SKU303", "SUP-G", 5, EAST=(0, 40)),
    one("SKU304", "SUP-N", 5, 5, 3, 8, 28),
    # Remaining: SKU311 -1 and -1, SKU312 -1.5, SKU310 -2: the first case to 312, the second to 310.
    padded("SKU311", "SUP-H", 4, EAST=(0, 14), WEST=(0, 22)),
    padded("SKU312", "SUP-H", 10, NORTH=(0, 17)),
    padded("SKU310", "SUP-H", 3, EAST=(0, 2)),
    # Equal SKUs: SKU10 before SKU9 and sku0; equal warehouses: NORTH before the annex.
    # As a binary mean SKU9 is more than SKU10, as a decimal one sku0 is.
    padded("SKU9", "SUP-I", 31, EAST=(0, 58)),
    padded("SKU10", "SUP-I", 6, **{ANNEX: (0, 10)}, NORTH=(0, 10)),
    padded("sku0", "SUP-I", 6, EAST=(0, 8)),
    # WEST lacks less than EAST but has less left over; NORTH and SKU322 have nothing left, and no order.
    padded("SKU321", "SUP-J", 10, EAST=(0, 34), NORTH=(0, 10), WEST=(0, 18)),
    one("SKU322", "SUP-J", 2, 9, 5, 4, 8),
    padded("SKU323", "SUP-J", 10, EAST=(0, 11)),
    # SKU331 has 6 too many in WEST: it comes after SKU332.
    padded("SKU331", "SUP-K", 5, EAST=(0, 18), WEST=(0, 8)),
    padded("SKU332", "SUP-K", 5, EAST=(0, 4)),
    # Less than a unit apart: -0.75 and -0.25.
    one("SKU341", LOWER, 5, 4, 3, 0, 17),
    one("SKU342", LOWER, 5, 4, 3, 0, 19),
    Sku("SKU343", LOWER, 5, 2, 2, {"EAST": (0, 32), "WEST": (0, 34)}),  # -3/7 and -1/7
    # Transfers leave SUP-V one case of its three, and SUP-W none.
    Sku("SKU351", "SUP-V", 4, 7, 7, {"EAST": (0, 32), "WEST": (12, 8)}),
    Sku("SKU352", "SUP-W", 4, 7, 7, {"EAST": (0, 16), "WEST": (8, 8)}),
    # Donors: WEST before NORTH by cost; EAST before WEST by name; NORTH gives WEST nothing.
    moved("SKU401", EAST=(0, 80), WEST=(30, 40), NORTH=(30, 20)),
    moved("SKU402", NORTH=(0, 44), EAST=(40, 20), WEST=(40, 20)),  # a decimal mean of 44 needs less
    moved("SKU403", WEST=(0, 40), NORTH=(100, 20), EAST=(18, 20)),
    moved("SKU404", pack=6, EAST=(4, 15), WEST=(50, 4)),  # 3.5 units: 3 come, one case is bought
    moved("SKU405", pack=6, EAST=(7, 15), WEST=(50, 4)),  # half a unit
    moved("SKU406", EAST=(50, 122), WEST=(90, 4)),  # 122 / 28 * 14 is less than 61 in binary
    moved("SKU407", EAST=(0, 40), WEST=(20, 18), NORTH=(0, 20)),  # floor 4.5; NORTH is below its own
    moved("SKU408", EAST=(0, 40), WEST=(4, 8)),  # more is on order than on hand
    moved("SKU409", EAST=(0, 12), NORTH=(0, 14), WEST=(10, 8)),  # and two want it
    moved("SKU410", EAST=(5, 20), NORTH=(0, 40), WEST=(100, 4)),  # EAST gives because it received
    moved("SKU411", EAST=(2, 20), NORTH=(0, 40), WEST=(100, 4)),  # but not what it received
    moved("SKU412", EAST=(10, 60), WEST=(30, 40)),  # WEST gives, then needs
    moved("SKU413", EAST=(0, 40), WEST=(12, 40)),  # a donor below its own target
    moved("SKU414", EAST=(0, 40), WEST=(9, 0)),  # a donor that sells nothing
    moved("SKU415", safety=0, EAST=(0, 40), WEST=(9, 20)),
    moved("SKU416", EAST=(0, 40), WEST=(10, 32)),  # six on order in time, forty too late
    moved("SKU417", NORTH=(0, 40), EAST=(0, 20), WEST=(15, 8)),  # EAST first
    moved("SKU418", EAST=(0, 40), WEST=(40, 116)),  # 116 / 28 * 7 is more than 29 in binary
    moved('sku4, "Tür"', **{ANNEX: (12, 4)}, WEST=(30, 40), EAST=(0, 40)),  # the annex first: 9.25
    # Arrivals around the blackouts of SUP-X; SUP-10 has none.
    *(one(f"SKU5{lead:02}", "SUP-X", 1, lead, 1, 0, 28) for lead in (7, 8, 13, 14, 15, 19, 24)),
    one("SKU599", "SUP-10", 1, 8, 1, 0, 28),
    one("SKU500", "SUP-10", 1, 0, 3, 0, 28),  # arrives at once
]

ORDERED = [  # SKU, warehouse, quantity, arrival
    ("SKU211", "EAST", 3, "2025-06-06"),
    ("SKU211", "EAST", 1, "2025-06-06"),
    ("SKU211", "EAST", 40, "2025-06-07"),
    ("SKU211", "EAST", 70, "2025-06-09"),
    ("SKU211", "EAST", 5, "2025-03-20"),  # overdue
    ("SKU211", "NORTH", 6, "2025-06-03"),
    ("SKU203", "WEST", 9, "2025-06-02"),
    ("SKU999", "EAST", 9, "2025-06-02"),
    ("SKU508", "EAST", 2, "2025-06-12"),  # before the arrival that a blackout moves
    ("SKU513", "EAST", 2, "2025-06-14"),  # on the boundary, in a blackout
    ("SKU321", "NORTH", 5, "2025-06-02"),
    ("SKU331", "WEST", 10, "2025-06-03"),
    ("SKU351", "WEST", 10, "2025-06-04"),
    ("SKU352", "WEST", 10, "2025-06-08"),
    ("SKU408", "WEST", 50, "2025-06-02"),
    ("SKU409", "WEST", 50, "2025-06-02"),
    ("SKU411", "EAST", 3, "2025-06-02"),
    ("SKU416", "WEST", 6, "2025-06-08"),
    ("SKU416", "WEST", 40, "2025-06-09"),
    ('sku4, "Tür"', ANNEX, 3, "2025-06-02"),
]

# Against the order of names; nobody buys from SUP-Z.
SUPPLIERS = [LOWER, *(f"SUP-{name}" for name in [*"ZXWVTNKJIHGFEDCBA", "10"])]
LEAST = (6, 2, 1, 5, 3, 0, 6, 4, 5, 5, 9, 5, 1, 4, 6, 4, 5, 4, 1)
MINIMUMS = dict(zip(SUPPLIERS, LEAST, strict=True))
SLOTS = [("SUP-A", 6, 5, 3), ("SUP-B", 8, 7, 4), ("SUP-C", 12, 9, 5), ("SUP-D", 10, 12, 6)]

EDGE = [
    Sku("NEW001", "SUP-N", 6, 5, 3, {"EAST": (24, NO_HISTORY), "NORTH": (0, NO_HISTORY), "WEST": (3, -1)}),
    Sku("OLD001", "SUP-T", 6, 5, 3, {"EAST": (0, 56), "WEST": (90, 28)}),
]

BLACKOUTS = [  # the later of two windows that adjoin or overlap stands first
    ("SUP-X", "2025-06-12", "2025-06-14"),
    ("SUP-A", "2025-06-05", "2025-06-10"),
    ("SUP-X", "2025-06-09", "2025-06-11"),
    ("SUP-X", "2025-06-16", "2025-06-16"),
    ("SUP-C", "2025-06-09", "2025-06-12"),
    ("SUP-X", "2025-06-21", "2025-06-24"),
    ("SUP-X", "2025-06-20", "2025-06-22"),
]

COSTS = [  # none from NORTH to WEST, but for nothing from EAST; 9.50 is less than 10.00, and 0.5 is 0.50
    ("WEST", "NORTH", "0.5"),
    ("NORTH", "EAST", "10.00"),
    ("EAST", "WEST", "0.00"),
    ("WEST", "EAST", "9.50"),
    (ANNEX, "EAST", "9.25"),
    ("EAST", "NORTH", "0.50"),
]

POLICY = {
    "planning_order": "recipients by SKU, then warehouse",
    "quantity": "whole units, never past the target",
    "donor_floor": "forecast_daily * safety_days",
    "donor_physical_limit": "original on-hand units minus units already sent",
    "tie_break": "lowest cost, then donor warehouse",
}


def write_initial(build: seeding.Build) -> None:
    """Write the five inputs of the first stage."""
    rng, edge = build.rng, build.fixture == "edge"
    skus = EDGE if edge else [*ANCHORS, *filler(rng, 80 - len(ANCHORS) if build.scale == "full" else 4)]
    orders = [] if edge else ORDERED + [order for sku in skus for order in filler_orders(rng, sku)]
    demand = [row for sku in skus for row in demand_of(rng, sku, build.size(full=27, small=2))]
    demand += [] if edge else [("2025-05-09", "SKU999", "EAST", 5)]
    inputs = build.out / "inputs"
    fixtures.write_csv(
        inputs / "products.csv",
        ["sku", "supplier_id", "case_pack", "lead_days", "safety_days"],
        ((sku.name, sku.supplier, sku.pack, sku.lead, sku.safety) for sku in skus),
    )
    houses = (ANNEX, *WAREHOUSES)
    stock = [(sku.name, house, sku.rows[house][0]) for sku in skus for house in houses if house in sku.rows]
    fixtures.write_csv(inputs / "stock.csv", ["sku", "warehouse", "on_hand"], stock)
    demand.sort(key=lambda row: row[0])
    fixtures.write_csv(inputs / "demand.csv", ["date", "sku", "warehouse", "quantity"], demand)
    numbered = ((f"PO-{number:04}", *order) for number, order in enumerate(orders, 1))
    header = ["po_id", "sku", "warehouse", "quantity", "arrival_date"]
    fixtures.write_csv(inputs / "open_pos.csv", header, numbered)
    suppliers = [{"supplier_id": name, "minimum_cases": least} for name, least in MINIMUMS.items()]
    fixtures.write_json(inputs / "suppliers.json", suppliers)


def filler(rng: random.Random, count: int) -> Iterator[Sku]:
    """SKUs of every warehouse, some short of stock and some with too much."""
    for index in range(count):
        supplier, pack, lead, safety = SLOTS[index % len(SLOTS)]
        rows = {}
        for house in WAREHOUSES:
            demand = rng.randint(12, 240)
            rows[house] = (rng.randrange(max(2, demand * (lead + safety) // 16)), demand)
        yield Sku(f"SKU{index + 1:03}", supplier, pack, lead, safety, rows)


def filler_orders(rng: random.Random, sku: Sku) -> Iterator[tuple[str, str, int, str]]:
    """Purchase orders around the lead time of a filler SKU."""
    if sku in ANCHORS:
        return
    for house in rng.sample(WAREHOUSES, rng.randrange(3)):
        arrival = AS_OF + timedelta(days=sku.lead + rng.randint(-4, 2))
        yield sku.name, house, rng.randint(5, 40), arrival.isoformat()


def demand_of(rng: random.Random, sku: Sku, older: int) -> Iterator[tuple[str, str, str, int]]:
    """Demand spread over the 28 days, and filler on days before them, but not on the last of these."""
    for house, day, quantity in sku.days:
        yield day, sku.name, house, quantity
    for house, (_, total) in () if sku.days else sku.rows.items():
        if total == NO_HISTORY:
            continue
        for back in [*range(29 + older, 29, -1), *range(28, 0, -1)]:
            day = (AS_OF - timedelta(days=back)).isoformat()
            spread = total * (29 - back) // 28 - total * (28 - back) // 28
            yield day, sku.name, house, rng.randint(1, 12) if back > 28 else spread


def write_constraints(build: seeding.Build) -> None:
    """Write the blackouts and the transfer costs."""
    names = ("supplier_id", "start_date", "end_date")
    windows = [] if build.fixture == "edge" else [dict(zip(names, row, strict=True)) for row in BLACKOUTS]
    constraints = {"supplier_blackouts": windows, "transfer_policy": POLICY}
    fixtures.write_json(build.out / "inputs/constraints.json", constraints)
    header = ["from_warehouse", "to_warehouse", "cost_per_unit"]
    fixtures.write_csv(build.out / "inputs/transfer_costs.csv", header, COSTS)


if __name__ == "__main__":
    seeding.main(5, {"initial": write_initial, "constraints": write_constraints})
