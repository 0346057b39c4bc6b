"""Judges task 01: every bank row gets its category and receipt, spending adds up, unused receipts are
listed.
"""

import sys
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, fixtures, judging
from benchlib.candidate import Fixture, Workspace

BANK = ["transaction_id", "posted_date", "description", "amount", "currency"]
DECISIONS = ["category", "matched_receipt_id", "status"]
RECEIPT = ["receipt_id", "merchant", "paid_date", "total", "currency"]
INPUTS = ("inputs/bank.csv", "inputs/receipts.json", "inputs/categories.csv")
ELSEWHERE = ("other/books/account.csv", "other/slips.json", "other/labels.csv")
NEW_FOLDER = "output/made/new"
MOSTLY = 0.75

OTHER_NAMES = {"Groceries": "Food", "General": "Shops", "Dining": "Eating out"}

type Row = dict[str, str]
type Inputs = tuple[list[Row], list[Row], list[Row]]
"""Bank rows, receipts, categories."""

ANCHORS = {
    "B0007": ("Transport", "", "unmatched"),
    "B0021": ("Dining", "", "unmatched"),
    "B0026": ("Household", "R10000", "matched"),
    "B0027": ("Household", "", "unmatched"),
    "B0035": ("Transfer", "R0135", "matched"),
    "B0041": ("Refund", "", "not_applicable"),
    "B0042": ("Uncategorized", "", "unmatched"),
    "B0051": ("General", "", "unmatched"),
    "B0053": ("Uncategorized", "R0153", "matched"),
    "B0055": ("Household", "R0155", "matched"),
    "B0056": ("Household", "", "unmatched"),
    "B0058": ("Uncategorized", "R0158", "matched"),
    "B0059": ("Uncategorized", "", "unmatched"),
}


@dataclass
class Reconciliation:
    """The three outputs, as expected or as found."""

    rows: list[Row]
    summary: object
    unmatched: list[Row]
    slips: list[str] = field(default_factory=list)


@dataclass
class Work:
    """The run over the household's own files, and one over other files into a new folder."""

    workspace: Workspace
    own: Reconciliation
    tried: Reconciliation | Exception

    @property
    def elsewhere(self) -> Reconciliation:
        return judging.made(self.tried)


@dataclass
class Expected:
    """What is right for the household's own files and for the other ones."""

    own: Reconciliation
    elsewhere: Reconciliation


def expect(fixture: Fixture) -> Expected:
    """Calculate the outputs from the pristine inputs."""
    own, elsewhere = calculate(*inputs_of(fixture)), calculate(*other_inputs(fixture))
    decided = {row["transaction_id"]: tuple(row[name] for name in DECISIONS) for row in own.rows}
    if wrong := {name for name, decision in ANCHORS.items() if decided.get(name) != decision}:
        raise judging.JudgeError(f"the calculation misses the anchors {sorted(wrong)}")
    return Expected(own, elsewhere)


def inputs_of(fixture: Fixture) -> Inputs:
    bank, receipts, categories = INPUTS
    return fixture.csv(bank), fixture.json(receipts), fixture.csv(categories)


def other_inputs(fixture: Fixture) -> Inputs:
    """The same rows from last to first, in euros, under other categories."""
    bank, receipts, categories = inputs_of(fixture)
    return (
        [row | {"currency": "EUR"} for row in reversed(bank)],
        [receipt | {"currency": receipt["currency"].replace("USD", "EUR")} for receipt in receipts],
        [row | {"category": OTHER_NAMES.get(row["category"], row["category"])} for row in categories],
    )


def calculate(bank: list[Row], receipts: list[Row], categories: list[Row]) -> Reconciliation:
    patterns = [(normalized(row["pattern"]), row["category"]) for row in categories]
    unused = {receipt["receipt_id"]: receipt for receipt in receipts}
    rows, summary = [], defaultdict(lambda: defaultdict(Decimal))
    for row in bank:
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
    months = {
        month: {name: f"{totals[name] + 0:.2f}" for name in sorted(totals)}
        for month, totals in sorted(summary.items())
    }
    return Reconciliation(rows, months, [unused[name] for name in sorted(unused)])


@cache
def normalized(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).casefold()


def fit(row: Row, receipt: Row) -> tuple[int, str] | None:
    """Days apart and receipt id when the receipt fits the debit: least is best."""
    if Decimal(row["amount"]) != -Decimal(receipt["total"]) or row["currency"] != receipt["currency"]:
        return None
    days = abs((date.fromisoformat(row["posted_date"]) - date.fromisoformat(receipt["paid_date"])).days)
    description, merchant = normalized(row["description"]), normalized(receipt["merchant"])
    fits = days <= 2 and (merchant in description or description in merchant)
    return (days, receipt["receipt_id"]) if fits else None


def solve(fixture: Fixture) -> Work:
    """Run the command for the household's own files, then for the other ones."""
    workspace = fixture.workspace()
    bank, receipts, categories = other_inputs(fixture)
    for path, rows in ((ELSEWHERE[0], bank), (ELSEWHERE[2], categories)):
        fixtures.write_csv(workspace.root / path, list(rows[0]), (list(row.values()) for row in rows))
    fixtures.write_json(workspace.root / ELSEWHERE[1], receipts)
    own = run(workspace, INPUTS, "output")
    return Work(workspace, own, judging.tried(lambda: run(workspace, ELSEWHERE, NEW_FOLDER)))


def run(workspace: Workspace, inputs: tuple[str, str, str], output: str) -> Reconciliation:
    """Run the command and read its three outputs."""
    bank, receipts, categories = inputs
    options = ("--bank", bank, "--receipts", receipts, "--categories", categories, "--output", output)
    workspace.python("-m", "solution.reconcile", *options)
    outputs = workspace.outputs
    return Reconciliation(
        rows=outputs.csv(f"{output}/reconciliation.csv", BANK + DECISIONS),
        summary=outputs.json(f"{output}/monthly_summary.json"),
        unmatched=outputs.csv(f"{output}/unmatched_receipts.csv", RECEIPT),
        slips=outputs.slips,
    )


@judging.core
def bank_rows_are_kept(actual: Work, expected: Expected) -> None:
    """reconciliation.csv has every bank row in bank order with its five fields unchanged."""
    comparing.same_rows(
        "reconciliation.csv", actual.own.rows, expected.own.rows, key=["transaction_id"], fields=BANK
    )


@judging.core
def most_rows_are_right(actual: Work, expected: Expected) -> None:
    """At least three rows in four have the right category, receipt and status."""
    found = {tuple(row.values()) for row in actual.own.rows}
    right = sum(tuple(row.values()) in found for row in expected.own.rows)
    comparing.require(
        right >= MOSTLY * len(expected.own.rows), f"{right} of {len(expected.own.rows)} rows are right"
    )


def every_row_is_right(actual: Work, expected: Expected) -> None:
    """Every row has the right category, receipt and status."""
    comparing.same_rows(
        "reconciliation.csv", actual.own.rows, expected.own.rows, key=["transaction_id"], fields=DECISIONS
    )


def monthly_totals_are_exact(actual: Work, expected: Expected) -> None:
    """monthly_summary.json has every month and category in order with its exact value."""
    comparing.same_json("monthly_summary.json", actual.own.summary, expected.own.summary, ordered_keys=True)


def unused_receipts_are_exact(actual: Work, expected: Expected) -> None:
    """No receipt is used twice, and unmatched_receipts.csv lists the others in order with their fields
    unchanged.
    """
    used = Counter(row["matched_receipt_id"] for row in actual.own.rows if row["matched_receipt_id"])
    twice = sorted(name for name, times in used.items() if times > 1)
    comparing.require(not twice, f"used more than once: {', '.join(twice)}")
    comparing.same_rows(
        "unmatched_receipts.csv", actual.own.unmatched, expected.own.unmatched, key=["receipt_id"]
    )


def lines_end_as_stated(actual: Work, expected: Expected) -> None:
    """Every output uses LF and ends with a newline."""
    comparing.lines_end_with_lf(actual.own.slips)


def other_files_give_their_own_results(actual: Work, expected: Expected) -> None:
    """Files of other names in other folders, with another currency, order and categories, give their own
    results in a folder that did not exist.
    """
    found, right = actual.elsewhere, expected.elsewhere
    comparing.same_rows("the other reconciliation.csv", found.rows, right.rows, key=["transaction_id"])
    comparing.same_json("the other monthly_summary.json", found.summary, right.summary)
    comparing.same_rows(
        "the other unmatched_receipts.csv", found.unmatched, right.unmatched, key=["receipt_id"]
    )


def folders_are_made_and_files_replaced(actual: Work, expected: Expected) -> None:
    """A missing output folder is made, and the files of an earlier run are replaced."""
    run(actual.workspace, INPUTS, NEW_FOLDER)
    outputs = actual.workspace.outputs
    for name in ("reconciliation.csv", "monthly_summary.json", "unmatched_receipts.csv"):
        found, before = outputs.content(f"{NEW_FOLDER}/{name}"), outputs.content(f"output/{name}")
        comparing.require(found == before, f"{name}, written over other results, is not as in output/")


def edge(fixture: Fixture) -> None:
    """Of two receipts with the debit's amount and date, the one whose merchant fits wins although its id
    comes later.
    """
    actual = run(fixture.workspace(), INPUTS, "output")
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
            other_files_give_their_own_results,
            lines_end_as_stated,
            folders_are_made_and_files_replaced,
        ],
        edge=edge,
    )
