"""Judges task 01: every bank row gets its category and receipt, spending adds up, unused receipts are
listed.
"""

import sys
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace

BANK = ["transaction_id", "posted_date", "description", "amount", "currency"]
DECISIONS = ["category", "matched_receipt_id", "status"]
RECEIPT = ["receipt_id", "merchant", "paid_date", "total", "currency"]
COMMAND = """-m solution.reconcile --bank inputs/bank.csv --receipts inputs/receipts.json
    --categories inputs/categories.csv --output"""
MOSTLY = 0.75

type Row = dict[str, str]

ANCHORS = {
    "B0007": ("Transport", "", "unmatched"),
    "B0021": ("Dining", "", "unmatched"),
    "B0026": ("Household", "R10000", "matched"),
    "B0027": ("Household", "", "unmatched"),
    "B0035": ("Transfer", "R0135", "matched"),
    "B0041": ("Refund", "", "not_applicable"),
    "B0042": ("Uncategorized", "", "unmatched"),
}


@dataclass
class Reconciliation:
    """The three outputs, as expected or as found."""

    rows: list[Row]
    summary: object
    unmatched: list[Row]
    slips: list[str] = field(default_factory=list)
    workspace: Workspace | None = None


def expect(fixture: Fixture) -> Reconciliation:
    """Calculate the three outputs from the pristine inputs."""
    patterns = [(normalized(row["pattern"]), row["category"]) for row in fixture.csv("inputs/categories.csv")]
    unused = {receipt["receipt_id"]: receipt for receipt in fixture.json("inputs/receipts.json")}
    rows, summary = [], defaultdict(lambda: defaultdict(Decimal))
    for row in fixture.csv("inputs/bank.csv"):
        amount, description = Decimal(row["amount"]), normalized(row["description"])
        fallback = "Refund" if amount > 0 else "Uncategorized"
        category = next((name for pattern, name in patterns if pattern in description), fallback)
        fitting = sorted(choice for receipt in unused.values() if (choice := fit(row, receipt)))
        receipt_id = fitting[0][1] if fitting else ""
        unused.pop(receipt_id, None)
        status = "not_applicable" if amount > 0 else "matched" if fitting else "unmatched"
        rows.append(row | dict(zip(DECISIONS, (category, receipt_id, status), strict=True)))
        if category != "Transfer":
            summary[row["posted_date"][:7]][category] -= amount
    decided = {row["transaction_id"]: tuple(row[name] for name in DECISIONS) for row in rows}
    if wrong := {name for name, decision in ANCHORS.items() if decided.get(name) != decision}:
        raise judging.JudgeError(f"the calculation misses the anchors {sorted(wrong)}")
    months = {
        month: {name: f"{totals[name] + 0:.2f}" for name in sorted(totals)}
        for month, totals in sorted(summary.items())
    }
    return Reconciliation(rows, months, [unused[name] for name in sorted(unused)])


def normalized(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).casefold()


def fit(row: Row, receipt: Row) -> tuple[int, str] | None:
    """Days apart and receipt id when the receipt fits the debit: least is best."""
    days = abs((date.fromisoformat(row["posted_date"]) - date.fromisoformat(receipt["paid_date"])).days)
    description, merchant = normalized(row["description"]), normalized(receipt["merchant"])
    same_amount = Decimal(row["amount"]) == -Decimal(receipt["total"])
    fits = (
        same_amount
        and row["currency"] == receipt["currency"]
        and days <= 2
        and (merchant in description or description in merchant)
    )
    return (days, receipt["receipt_id"]) if fits else None


def solve(fixture: Fixture) -> Reconciliation:
    """Run the command and read its three outputs."""
    workspace = fixture.workspace()
    workspace.python(*COMMAND.split(), "output")
    outputs = workspace.outputs
    return Reconciliation(
        rows=outputs.csv("output/reconciliation.csv", BANK + DECISIONS),
        summary=outputs.json("output/monthly_summary.json"),
        unmatched=outputs.csv("output/unmatched_receipts.csv", RECEIPT),
        slips=outputs.slips,
        workspace=workspace,
    )


@judging.core
def bank_rows_are_kept(actual: Reconciliation, expected: Reconciliation) -> None:
    """reconciliation.csv has every bank row in bank order with its five fields unchanged."""
    comparing.same_rows("reconciliation.csv", actual.rows, expected.rows, key=["transaction_id"], fields=BANK)


@judging.core
def most_rows_are_right(actual: Reconciliation, expected: Reconciliation) -> None:
    """At least three rows in four have the right category, receipt and status."""
    found = {tuple(row.values()) for row in actual.rows}
    right = sum(tuple(row.values()) in found for row in expected.rows)
    comparing.require(right >= MOSTLY * len(expected.rows), f"{right} of {len(expected.rows)} rows are right")


def every_row_is_right(actual: Reconciliation, expected: Reconciliation) -> None:
    """Every row has the right category, receipt and status."""
    comparing.same_rows(
        "reconciliation.csv", actual.rows, expected.rows, key=["transaction_id"], fields=DECISIONS
    )


def monthly_totals_are_exact(actual: Reconciliation, expected: Reconciliation) -> None:
    """monthly_summary.json has every month and category in order with its exact value."""
    comparing.same_json("monthly_summary.json", actual.summary, expected.summary, ordered_keys=True)


def unused_receipts_are_exact(actual: Reconciliation, expected: Reconciliation) -> None:
    """No receipt is used twice, and unmatched_receipts.csv lists the others in order with their fields
    unchanged.
    """
    used = Counter(row["matched_receipt_id"] for row in actual.rows if row["matched_receipt_id"])
    twice = sorted(name for name, times in used.items() if times > 1)
    comparing.require(not twice, f"used more than once: {', '.join(twice)}")
    comparing.same_rows("unmatched_receipts.csv", actual.unmatched, expected.unmatched, key=["receipt_id"])


def lines_end_as_stated(actual: Reconciliation, expected: Reconciliation) -> None:
    """Every output uses LF and ends with a newline."""
    comparing.lines_end_with_lf(actual.slips)


def folders_are_made_and_files_replaced(actual: Reconciliation, expected: Reconciliation) -> None:
    """A missing output folder is made, and the files of an earlier run are replaced."""
    assert actual.workspace
    for _ in range(2):
        actual.workspace.python(*COMMAND.split(), "output/made")
    outputs = actual.workspace.outputs
    for name in ("reconciliation.csv", "monthly_summary.json", "unmatched_receipts.csv"):
        found, before = outputs.content(f"output/made/{name}"), outputs.content(f"output/{name}")
        comparing.require(found == before, f"output/made/{name}, written twice, is not as output/{name}")


def edge(fixture: Fixture) -> None:
    """Of two receipts with the debit's amount and date, the one whose merchant fits wins although its id
    comes later.
    """
    actual = solve(fixture)
    found = [(row["transaction_id"], row["matched_receipt_id"], row["status"]) for row in actual.rows]
    comparing.same("the edge's rows", found, [("E1", "Z-COMPATIBLE", "matched")])
    comparing.same("the edge's unused receipts", [row["receipt_id"] for row in actual.unmatched], ["A-EARLY"])


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.reconcile"),
        expect=expect,
        solve=solve,
        checks=[
            bank_rows_are_kept,
            most_rows_are_right,
            every_row_is_right,
            monthly_totals_are_exact,
            unused_receipts_are_exact,
            lines_end_as_stated,
            folders_are_made_and_files_replaced,
        ],
        edge=edge,
    )
