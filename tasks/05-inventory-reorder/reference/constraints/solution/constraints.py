"""Transfers between warehouses and blackouts of suppliers."""

import csv
import json
from datetime import date
from decimal import Decimal


def read_costs(folder):
    path = folder / "transfer_costs.csv"
    if not path.exists():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        return {
            (row["from_warehouse"], row["to_warehouse"]): row["cost_per_unit"] for row in csv.DictReader(file)
        }


def read_blackouts(folder):
    path = folder / "constraints.json"
    blackouts = {}
    if path.exists():
        for window in json.loads(path.read_text(encoding="utf-8"))["supplier_blackouts"]:
            start, end = date.fromisoformat(window["start_date"]), date.fromisoformat(window["end_date"])
            blackouts.setdefault(window["supplier_id"], []).append((start, end))
    return blackouts


def plan_transfers(rows, costs):
    """Move units between the rows, sorted by SKU and warehouse; returns the rows of transfers.csv."""
    by_sku = {}
    for row in rows:
        by_sku.setdefault(row.sku, []).append(row)
    transfers = []
    for recipient in rows:
        need = max(0, recipient.target_28 - 28 * recipient.position) // 28
        for donor in donors(recipient, by_sku[recipient.sku], costs):
            quantity = min(need, available(donor))
            if quantity > 0:
                donor.sent += quantity
                recipient.received += quantity
                need -= quantity
                cost = costs[donor.warehouse, recipient.warehouse]
                transfers.append((donor.sku, donor.warehouse, recipient.warehouse, quantity, cost))
    return sorted(transfers, key=lambda row: (row[0], row[2], row[1]))


def donors(recipient, rows, costs):
    allowed = [row for row in rows if (row.warehouse, recipient.warehouse) in costs]
    return sorted(
        allowed, key=lambda row: (Decimal(costs[row.warehouse, recipient.warehouse]), row.warehouse)
    )


def available(donor):
    on_hand = donor.on_hand - donor.sent
    above_floor = (28 * donor.position - donor.floor_28) // 28
    return max(0, min(on_hand, above_floor))
