"""Judges task 04: which credit or payment settles which invoice, what is owed, what is left over."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace

SECONDS = 60.0
MOSTLY = 0.6
INVOICE = ["invoice_id", "customer_id", "issued_date", "due_date", "amount", "currency"]
STATUS = [*INVOICE, "applied_credit", "applied_payment", "balance", "status"]
APPLICATION = ["source_type", "source_id", "invoice_id", "amount", "currency"]
EXCEPTION = ["source_type", "source_id", "customer_id", "currency", "unapplied_amount", "reason"]
MONEY = re.compile(r"[0-9]{1,30}\.[0-9]{2}")

type Row = dict[str, str]

NAMED_FIRST = {
    "PAY-MEMO": [("INV-MEMO-TARGET", "60.00"), ("INV-MEMO-OLD", "15.00")],
    "PAY-NONEXACT": [("INV-MEMO-OLD", "25.00"), ("INV-MEMO-MID", "5.00")],
    "PAY-TWO": [("INV-TWO-C", "50.00"), ("INV-TWO-10", "30.00")],
    "PAY-MIX": [("INV-MIX-2", "30.00"), ("INV-MIX-1", "15.00")],
    "PAY-GUEST": [("INV-GUEST-NEW", "50.00")],
    "PAY-CUR": [("INV-CUR-2", "50.00")],
    "PAY-CASE": [("INV-CASE-1", "30.00")],
    "PAY-SUB": [("INV-SUB-10", "33.00")],
    "PAY-PUNCT-1": [("#77.", "10.00")],
    "PAY-PUNCT-2": [("R&D,1", "11.00")],
    "PAY-PUNCT-3": [("R&D,1", "11.00"), ("1042/A", "1.00")],
    "PAY-WS-LINES": [("INV-WS-3", "20.00")],
    "PAY-WS-BLANK": [("INV-WS-2", "10.00")],
    "PAY-ZERO": [("815", "20.00")],
    "PAY-RENE": [("INV-RENE-2", "20.00")],
}
UNAPPLIED = {"CR-SPEC-A": "20.00", "CR-SEQ-CUST": "10.00", "PAY-PRIO": "20.00", "PAY-PENNY": "0.01"}


class Source(NamedTuple):
    """A credit or a payment; `cents` is its whole amount."""

    type: str
    id: str
    customer: str
    currency: str
    cents: int
    invoice: str | None
    memo: str


@dataclass
class Matching:
    """The three outputs, as expected or as found."""

    invoices: list[Row]
    applications: list[Row]
    exceptions: list[Row]
    sources: list[Source] = field(default_factory=list)
    slips: list[str] = field(default_factory=list)
    workspace: Workspace | None = None


def expect(fixture: Fixture) -> Matching:
    """Calculate the three outputs from the pristine inputs; they must agree with the values above."""
    invoices, sources = fixture.csv("inputs/invoices.csv"), read_sources(fixture)
    owed = {row["invoice_id"]: cents(row["amount"]) for row in invoices}
    received = Counter[tuple[str, str]]()
    applications: list[Row] = []
    exceptions: list[Row] = []
    for source in sources:
        left, named = source.cents, source.memo.split()
        pair = (source.customer, source.currency)
        own = [row for row in invoices if (row["customer_id"], row["currency"]) == pair]
        fitting = {row["invoice_id"]: row["due_date"] for row in own if owed[row["invoice_id"]]}
        target = source.invoice or next((token for token in named if token in fitting), None)
        for name in sorted(fitting, key=lambda name: (name != target, fitting[name], name)):
            part = min(left, owed[name])
            if part == 0 or (source.invoice and name != target):
                break
            left, owed[name] = left - part, owed[name] - part
            received[source.type, name] += part
            made = (source.type, source.id, name, text(part), source.currency)
            applications.append(dict(zip(APPLICATION, made, strict=True)))
        if left:
            rest = (source.type, source.id, *pair, text(left), "unapplied_balance")
            exceptions.append(dict(zip(EXCEPTION, rest, strict=True)))
    rows = [row | status(row["invoice_id"], received, owed) for row in invoices]
    unapplied = {row["source_id"]: row["unapplied_amount"] for row in exceptions}
    wrong = [name for name, parts in NAMED_FIRST.items() if parts_of(applications, name) != parts]
    if wrong := wrong + [name for name, left in UNAPPLIED.items() if unapplied.get(name) != left]:
        raise judging.JudgeError(f"the calculation misses the anchors {wrong}")
    return Matching(rows, applications, exceptions, sources)


def read_sources(fixture: Fixture) -> list[Source]:
    """Invoice credits, customer credits, payments, each in the order of its file."""
    credits = [
        Source("credit", *common("credit_id", one), one["invoice_id"], "")
        for one in fixture.json("inputs/credits.json")
    ]
    payments = [
        Source("payment", *common("payment_id", one.attrib), None, one.findtext("memo", ""))
        for one in ElementTree.fromstring(fixture.text("inputs/payments.xml"))
    ]
    return sorted(credits, key=lambda credit: credit.invoice is None) + payments


def common(name: str, record: Row) -> tuple[str, str, str, int]:
    return record[name], record["customer_id"], record["currency"], cents(record["amount"])


def cents(amount: str) -> int:
    return int(amount.replace(".", ""))


def text(amount: int) -> str:
    return f"{amount // 100}.{amount % 100:02}"


def status(name: str, received: Counter[tuple[str, str]], owed: dict[str, int]) -> Row:
    credit, payment = (text(received[type_, name]) for type_ in ("credit", "payment"))
    word = "open" if owed[name] else "paid"
    return {"applied_credit": credit, "applied_payment": payment, "balance": text(owed[name]), "status": word}


def parts_of(applications: list[Row], payment: str) -> list[tuple[str, str]]:
    mine = [row for row in applications if (row["source_type"], row["source_id"]) == ("payment", payment)]
    return [(row["invoice_id"], row["amount"]) for row in mine]


def solve(fixture: Fixture) -> Matching:
    """Run the command and read its three outputs."""
    return match(fixture.workspace(), "inputs", "output")


def match(workspace: Workspace, inputs: str, output: str) -> Matching:
    workspace.python("-m", "solution.invoice_match", inputs, "--output", output, seconds=SECONDS)
    outputs = workspace.outputs
    return Matching(
        invoices=outputs.csv(f"{output}/invoice_status.csv", STATUS),
        applications=outputs.csv(f"{output}/applications.csv", APPLICATION),
        exceptions=outputs.csv(f"{output}/exceptions.csv", EXCEPTION),
        slips=list(outputs.slips),
        workspace=workspace,
    )


@judging.core
def most_applications_are_right(actual: Matching, expected: Matching) -> None:
    """At least three in five applications are right, in whatever order."""
    mostly("applications", actual.applications, expected.applications)


@judging.core
def most_balances_are_right(actual: Matching, expected: Matching) -> None:
    """At least three in five rows of invoice_status.csv are right, in whatever order."""
    mostly("rows of invoice_status.csv", actual.invoices, expected.invoices)


def mostly(what: str, actual: list[Row], expected: list[Row]) -> None:
    found, wanted = (Counter(tuple(row.values()) for row in rows) for rows in (actual, expected))
    right, most = (found & wanted).total(), max(len(actual), len(expected))
    comparing.require(right >= MOSTLY * most, f"{right} of {len(actual)} {what} are right, {most} at most")


def every_source_is_conserved(actual: Matching, expected: Matching) -> None:
    """The applications of each source and what is left of it add up to its amount."""
    sums = defaultdict[tuple[str, str], int](int)
    parts = [(row, "amount") for row in actual.applications]
    for row, column in parts + [(row, "unapplied_amount") for row in actual.exceptions]:
        amount, source = row[column], (row["source_type"], row["source_id"])
        positive = bool(MONEY.fullmatch(amount)) and cents(amount) > 0
        comparing.require(positive, f"{source}: {comparing.shown(amount)} is no amount above zero")
        sums[source] += cents(amount)
    amounts = {(source.type, source.id): source.cents for source in expected.sources}
    wrong = [source for source in amounts | sums if amounts.get(source, 0) != sums[source]]
    comparing.require(not wrong, f"do not add up to their amounts: {wrong[:4]}")


def named_invoices_come_first(actual: Matching, expected: Matching) -> None:
    """A payment whose memo names an invoice of its customer and currency is applied to that one first."""
    for payment, parts in NAMED_FIRST.items():
        comparing.same(payment, parts_of(actual.applications, payment), parts)


def oldest_due_invoices_come_next(actual: Matching, expected: Matching) -> None:
    """applications.csv has every application with its amount, source after source, oldest due date first."""
    key = ["source_type", "source_id", "invoice_id"]
    comparing.same_rows("applications.csv", actual.applications, expected.applications, key=key)


def final_balances_are_exact(actual: Matching, expected: Matching) -> None:
    """invoice_status.csv has every invoice in order with its fields unchanged, its sums and its status."""
    comparing.same_rows("invoice_status.csv", actual.invoices, expected.invoices, key=["invoice_id"])


def unapplied_items_are_exact(actual: Matching, expected: Matching) -> None:
    """exceptions.csv has every source of which something is left, in order, with what is left."""
    key = ["source_type", "source_id"]
    comparing.same_rows("exceptions.csv", actual.exceptions, expected.exceptions, key=key)


def lines_end_as_stated(actual: Matching, expected: Matching) -> None:
    """Every output uses LF and ends with a newline."""
    comparing.lines_end_with_lf(actual.slips)


def other_paths_and_empty_inputs_work(actual: Matching, expected: Matching) -> None:
    """One unpaid invoice in another folder gives files that hold just their header where nothing is to list;
    a missing output folder is made, and the files of an earlier run are replaced.
    """
    assert actual.workspace
    branch = actual.workspace.root / "branch/march"
    branch.mkdir(parents=True)
    row = ["INV-1", "C-1", "2025-03-01", "2025-04-01", "10.00", "USD"]
    (branch / "invoices.csv").write_bytes(f"{','.join(INVOICE)}\n{','.join(row)}\n".encode())
    (branch / "payments.xml").write_bytes(b"<payments></payments>\n")
    (branch / "credits.json").write_bytes(b"[]\n")
    invoice = dict(zip(STATUS, [*row, "0.00", "0.00", "10.00", "open"], strict=True))
    for output in ("output/branch/march", "output"):
        found = match(actual.workspace, "branch/march", output)
        comparing.same_rows(f"{output}/invoice_status.csv", found.invoices, [invoice], key=["invoice_id"])
        comparing.same(f"{output}/applications.csv", found.applications, [])
        comparing.same(f"{output}/exceptions.csv", found.exceptions, [])


def edge(fixture: Fixture) -> None:
    """A closed invoice that a memo names is skipped; the others are finished, the remainder is unapplied."""
    found = match(fixture.workspace(), "inputs", "output")
    parts = [("INV-EDGE-OPEN-B", "15.00"), ("INV-EDGE-OPEN-A", "20.00")]
    comparing.same("the applications of PAY-EDGE", parts_of(found.applications, "PAY-EDGE"), parts)
    balances = [(row["invoice_id"], row["applied_payment"], row["balance"]) for row in found.invoices]
    closed = [("INV-EDGE-CLOSED", "0.00", "0.00"), ("INV-EDGE-PAID", "18.00", "0.00")]
    others = [("INV-EDGE-OPEN-B", "15.00", "0.00"), ("INV-EDGE-OPEN-A", "20.00", "0.00")]
    comparing.same("the edge's balances", balances, [*closed, *others])
    rest = [(row["source_id"], row["unapplied_amount"]) for row in found.exceptions]
    comparing.same("the edge's exceptions", rest, [("PAY-EDGE", "15.00")])


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.invoice_match"),
        expect=expect,
        solve=solve,
        checks=[
            most_applications_are_right,
            most_balances_are_right,
            every_source_is_conserved,
            named_invoices_come_first,
            oldest_due_invoices_come_next,
            final_balances_are_exact,
            unapplied_items_are_exact,
            lines_end_as_stated,
            other_paths_and_empty_inputs_work,
        ],
        edge=edge,
    )
