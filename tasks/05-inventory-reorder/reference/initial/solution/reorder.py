"""Plan purchases: the target of every SKU and warehouse, whole cases, supplier minimums."""

import argparse
import csv
import json
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

HISTORY_DAYS = 28
REORDER_FIELDS = [
    "sku",
    "warehouse",
    "forecast_daily",
    "target_qty",
    "on_hand",
    "eligible_open_po",
    "reorder_qty",
    "supplier_id",
    "case_pack",
    "order_cases",
    "arrival_date",
]


@dataclass
class Row:
    """One SKU in one warehouse; numbers named `_28` are counted in 28ths of a unit."""

    sku: str
    warehouse: str
    supplier: str
    case_pack: int
    lead_days: int
    safety_days: int
    on_hand: int
    demand: int = 0
    open_po: int = 0
    cases: int = 0
    arrival: date = date.min

    @property
    def target_28(self):
        return self.demand * (self.lead_days + self.safety_days)

    @property
    def position(self):
        return self.on_hand + self.open_po

    @property
    def uncovered_28(self):
        return self.target_28 - HISTORY_DAYS * (self.position + self.quantity)

    @property
    def quantity(self):
        return self.cases * self.case_pack


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path, fields, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(fields)
        writer.writerows(rows)


def read_rows(folder, as_of):
    products = {product["sku"]: product for product in read_csv(folder / "products.csv")}
    rows = {}
    for stock in read_csv(folder / "stock.csv"):
        product = products[stock["sku"]]
        rows[stock["sku"], stock["warehouse"]] = Row(
            sku=stock["sku"],
            warehouse=stock["warehouse"],
            supplier=product["supplier_id"],
            case_pack=int(product["case_pack"]),
            lead_days=int(product["lead_days"]),
            safety_days=int(product["safety_days"]),
            on_hand=int(stock["on_hand"]),
        )
    first = as_of - timedelta(days=HISTORY_DAYS)
    for sale in read_csv(folder / "demand.csv"):
        row = rows.get((sale["sku"], sale["warehouse"]))
        if row and first <= date.fromisoformat(sale["date"]) < as_of:
            row.demand += int(sale["quantity"])
    for order in read_csv(folder / "open_pos.csv"):
        row = rows.get((order["sku"], order["warehouse"]))
        if row and date.fromisoformat(order["arrival_date"]) <= as_of + timedelta(days=row.lead_days):
            row.open_po += int(order["quantity"])
    return [rows[key] for key in sorted(rows)]


def order_cases(rows, minimums):
    for row in rows:
        units = max(0, -(-row.uncovered_28 // HISTORY_DAYS))
        row.cases = -(-units // row.case_pack)
    for supplier in sorted({row.supplier for row in rows}):
        meet_minimum([row for row in rows if row.supplier == supplier], minimums[supplier])


def meet_minimum(rows, minimum):
    ordered = [row for row in rows if row.cases > 0]
    while ordered and sum(row.cases for row in ordered) < minimum:
        remaining = {}
        for row in rows:
            remaining[row.sku] = remaining.get(row.sku, 0) + row.uncovered_28
        sku = min((row.sku for row in ordered), key=lambda sku: (-remaining[sku], sku))
        choices = [row for row in ordered if row.sku == sku]
        chosen = min(choices, key=lambda row: (-row.uncovered_28, row.warehouse))
        chosen.cases += 1


def set_arrivals(rows, as_of):
    for row in rows:
        row.arrival = as_of + timedelta(days=row.lead_days)


def reorder_rows(rows):
    for row in rows:
        yield [
            row.sku,
            row.warehouse,
            f"{row.demand / HISTORY_DAYS:.4f}",
            f"{row.target_28 / HISTORY_DAYS:.4f}",
            row.on_hand,
            row.open_po,
            row.quantity,
            row.supplier,
            row.case_pack,
            row.cases,
            row.arrival if row.cases else "",
        ]


def supplier_orders(rows, minimums, as_of):
    suppliers = {}
    for row in rows:
        if row.cases > 0:
            line = {
                "sku": row.sku,
                "warehouse": row.warehouse,
                "quantity": row.quantity,
                "cases": row.cases,
                "arrival_date": row.arrival.isoformat(),
            }
            suppliers.setdefault(row.supplier, []).append(line)
    return {
        "as_of": as_of.isoformat(),
        "suppliers": [
            {
                "supplier_id": supplier,
                "minimum_cases": minimums[supplier],
                "total_cases": sum(line["cases"] for line in lines),
                "lines": lines,
            }
            for supplier, lines in sorted(suppliers.items())
        ],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--as-of", type=date.fromisoformat, required=True)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    rows = read_rows(args.inputs, args.as_of)
    suppliers = json.loads((args.inputs / "suppliers.json").read_text(encoding="utf-8"))
    minimums = {supplier["supplier_id"]: supplier["minimum_cases"] for supplier in suppliers}
    order_cases(rows, minimums)
    set_arrivals(rows, args.as_of)
    args.output.mkdir(parents=True, exist_ok=True)
    write_csv(args.output / "reorder.csv", REORDER_FIELDS, reorder_rows(rows))
    orders = json.dumps(supplier_orders(rows, minimums, args.as_of), indent=2, ensure_ascii=False)
    (args.output / "supplier_orders.json").write_text(orders + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
