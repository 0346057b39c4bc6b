"""Generated files of task 04: invoices, and the credits and payments that settle them."""

import random
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

INVOICE = ["invoice_id", "customer_id", "issued_date", "due_date", "amount", "currency"]
CREDIT = ["credit_id", "customer_id", "date", "amount", "currency", "invoice_id"]
PAYMENT = ["payment_id", "customer_id", "date", "amount", "currency"]
GROUP = 3  # invoices of one filler customer
QUOTE = 'Quote "Q" & Sons, Ltd'

type Record = tuple[str | None, ...]
"""Fields of one row in the order of its header; a payment has its memo after them."""

# The first of each pair of dates is the day of issue. Each customer belongs to one anchor.
INVOICES: list[Record] = [
    ("INV-QUIET-1", "C-QUIET", "2025-01-02", "2025-02-01", "19.00", "USD"),  # nothing is applied to it
    # Oldest due first: against file order, id, issue, amount, month and day.
    ("INV-SPLIT-A", "C-SPLIT", "2024-11-02", "2025-01-10", "60.00", "USD"),
    ("INV-SPLIT-Z", "C-SPLIT", "2024-11-20", "2024-12-20", "80.00", "USD"),
    ("INV-COMBINE-1", "C-COMBINE", "2025-02-01", "2025-03-03", "100.00", "USD"),
    ("INV-CASH-1", "C-CASH", "2025-02-02", "2025-03-04", "100.00", "USD"),
    # Equal due dates: 10 before 9, capitals first.
    ("INV-CUSTCR-9", "C-CUSTCR", "2025-03-01", "2025-04-10", "20.00", "USD"),
    ("INV-CUSTCR-10", "C-CUSTCR", "2025-03-02", "2025-04-10", "20.00", "USD"),
    ("INV-CUSTCR-Z", "C-CUSTCR", "2025-03-05", "2025-04-01", "30.00", "USD"),
    ("inv-tie-1", "C-TIE", "2025-01-01", "2025-02-10", "30.00", "EUR"),
    ("INV-TIE-9", "C-TIE", "2025-01-02", "2025-02-10", "31.00", "EUR"),
    ("INV-TIE-10", "C-TIE", "2025-01-03", "2025-02-10", "32.00", "EUR"),
    ("INVTIE-1", "C-TIE", "2025-01-04", "2025-02-10", "33.00", "EUR"),  # hyphens count
    ("INV-OVER-1", "C-OVER", "2025-02-03", "2025-03-05", "30.00", "USD"),
    ("INV-CENT-1", "C-CENT", "2025-02-04", "2025-03-06", "10.00", "JPY"),
    ("INV-CENT-2", "C-PENNY", "2025-02-04", "2025-03-06", "10.00", "JPY"),
    # Memos: before the oldest, the remainder in order, one target only.
    ("INV-MEMO-MID", "C-MEMO", "2025-02-08", "2025-03-08", "50.00", "USD"),
    ("INV-MEMO-OLD", "C-MEMO", "2025-02-01", "2025-03-01", "40.00", "USD"),
    ("INV-MEMO-TARGET", "C-MEMO", "2025-02-15", "2025-03-15", "60.00", "USD"),
    ("INV-TWO-9", "C-TWO", "2025-02-01", "2025-03-01", "50.00", "USD"),
    ("INV-TWO-10", "C-TWO", "2025-02-02", "2025-03-01", "50.00", "USD"),
    ("INV-TWO-C", "C-TWO", "2025-02-03", "2025-03-03", "50.00", "USD"),
    ("INV-MIX-1", "C-MIX", "2025-02-01", "2025-03-01", "50.00", "USD"),
    ("INV-MIX-2", "C-MIX", "2025-02-02", "2025-03-02", "50.00", "USD"),  # takes a credit first
    ("INV-HOST-1", "C-HOST", "2025-02-01", "2025-03-01", "70.00", "USD"),  # named by another customer
    ("INV-GUEST-OLD", "C-GUEST", "2025-02-01", "2025-03-01", "40.00", "USD"),
    ("INV-GUEST-NEW", "C-GUEST", "2025-02-09", "2025-03-09", "60.00", "USD"),
    ("INV-CUR-E", "C-CUR", "2025-01-01", "2025-02-01", "70.00", "EUR"),  # named by a payment in USD
    ("INV-CUR-1", "C-CUR", "2025-01-10", "2025-02-10", "40.00", "USD"),
    ("INV-CUR-2", "C-CUR", "2025-01-20", "2025-02-20", "60.00", "USD"),
    # Tokens: case, ids that begin like others, punctuation, whitespace, leading zeros.
    ("INV-CASE-1", "C-CASE", "2025-02-01", "2025-03-01", "45.00", "USD"),
    ("INV-CASE-2", "C-CASE", "2025-02-02", "2025-03-02", "45.00", "USD"),
    ("INV-SUB-0", "C-SUB", "2025-02-01", "2025-03-01", "33.00", "USD"),
    ("INV-SUB-1", "C-SUB", "2025-02-02", "2025-03-02", "33.00", "USD"),
    ("INV-SUB-10", "C-SUB", "2025-02-03", "2025-03-03", "33.00", "USD"),
    ("1042/A", QUOTE, "2025-02-01", "2025-03-01", "23.00", "USD"),
    ("R&D,1", QUOTE, "2025-02-02", "2025-03-02", "22.00", "USD"),
    ("#77.", QUOTE, "2025-02-03", "2025-03-03", "21.00", "USD"),
    ("INV-WS-1", "C WS", "2025-02-01", "2025-03-01", "41.00", "USD"),
    ("INV-WS-2", "C WS", "2025-02-02", "2025-03-02", "42.00", "USD"),
    ("INV-WS-3", "C WS", "2025-02-03", "2025-03-03", "43.00", "USD"),
    ("INV-ZERO-1", "007", "2025-02-01", "2025-03-01", "25.00", "USD"),
    ("0815", "007", "2025-02-02", "2025-03-02", "26.00", "USD"),
    ("815", "007", "2025-02-03", "2025-03-03", "27.00", "USD"),
    # Order of the sources: of the document, invoice credits before customer credits before payments.
    ("INV-ORDER-1", "C-ORDER", "2025-03-01", "2025-04-01", "50.00", "USD"),
    ("INV-ORDER-2", "C-ORDER", "2025-03-02", "2025-04-02", "50.00", "USD"),
    ("INV-SPEC-2", "C-SPEC", "2025-01-20", "2025-02-20", "70.00", "USD"),  # older than the one that is named
    ("INV-SPEC-1", "C-SPEC", "2025-02-01", "2025-03-01", "60.00", "USD"),
    ("INV-SPEC-E", "C-SPEC", "2025-02-02", "2025-03-02", "80.00", "EUR"),
    ("INV-SEQ-1", "C-SEQ", "2025-02-01", "2025-03-01", "100.00", "USD"),
    ("INV-SEQ-2", "C-SEQ", "2025-02-02", "2025-03-02", "50.00", "USD"),
    ("INV-PRIO-1", "C-PRIO", "2025-02-01", "2025-03-01", "50.00", "USD"),
    ("INV-PRIO-2", "C-PRIO", "2025-02-02", "2025-03-02", "50.00", "USD"),
    ("INV-CRORD-1", "C-CRORD", "2025-02-01", "2025-03-01", "60.00", "USD"),
    ("INV-SAME-1", "C-SAME", "2025-02-01", "2025-03-01", "25.00", "USD"),  # a credit and a payment of one id
    ("INV-BIG-1", "C-BIG", "2025-02-01", "2025-03-01", "90071992547409.93", "USD"),  # floats lose its cents
    ("INV-KATE-1", "c-kate", "2025-02-01", "2025-03-01", "36.00", "USD"),
    ("INV-KATE-2", "C-KATE", "2025-02-02", "2025-03-02", "37.00", "USD"),
    ("INV-RENE-1", "Rene\u0301", "2025-02-01", "2025-03-01", "38.00", "USD"),  # decomposed
    ("INV-RENE-2", "Ren\u00e9", "2025-02-02", "2025-03-02", "39.00", "USD"),  # composed
    ("INV-REN\u00c9-3", "Ren\u00e9", "2025-02-03", "2025-03-03", "40.00", "USD"),
    ("INV-LATER-1", "C-LATER", "2025-06-01", "2025-06-15", "34.00", "USD"),  # issued after its sources
    ("INV-LATER-2", "C-LATER", "2025-05-01", "2025-07-31", "35.00", "USD"),
]

CREDITS: list[Record] = [
    ("CR-CUSTOMER", "C-CUSTCR", "2025-04-02", "60.00", "USD", None),
    ("CR-SPECIFIC", "C-CASH", "2025-02-20", "25.00", "USD", "INV-CASH-1"),
    ("CR-SEQ-CUST", "C-SEQ", "2025-02-02", "100.00", "USD", None),  # first in the file, later in the order
    ("CR-SEQ-SPEC", "C-SEQ", "2025-02-03", "60.00", "USD", "INV-SEQ-1"),
    ("CR-SPEC-B", "C-SPEC", "2025-03-09", "40.00", "USD", "INV-SPEC-1"),  # later, but first
    ("CR-SPEC-A", "C-SPEC", "2025-03-02", "40.00", "USD", "INV-SPEC-1"),
    ("CR-CLOSED", "C-SPEC", "2025-03-10", "5.00", "USD", "INV-SPEC-1"),
    ("CR-WRONGCUST", "C-SPEC", "2025-03-10", "15.00", "USD", "INV-HOST-1"),
    ("CR-WRONGCUR", "C-SPEC", "2025-03-11", "16.00", "EUR", "INV-SPEC-2"),
    ("CR-UNKNOWN", "C-SPEC", "2025-03-12", "17.00", "USD", "inv-spec-2"),
    ("CR-PRIO", "C-PRIO", "2025-03-20", "60.00", "USD", None),
    ("CR-CRORD-Z", "C-CRORD", "2025-03-09", "40.00", "USD", None),
    ("CR-CRORD-A", "C-CRORD", "2025-03-02", "40.00", "USD", None),
    ("CR-MIX", "C-MIX", "2025-02-20", "20.00", "USD", "INV-MIX-2"),
    ("CR-CUR", "C-CUR", "2025-02-20", "6.00", "USD", None),
    ("CR-STRANGER", "CQUIET", "2025-02-20", "13.00", "USD", None),  # C-QUIET is somebody else
    # Named almost as they are called.
    ("CR-ZEROS", "007", "2025-02-20", "9.00", "USD", "00815"),
    ("CR-DOT", "007", "2025-02-20", "8.00", "USD", "815."),
    ("CR-ACCENT", "Ren\u00e9", "2025-02-20", "7.00", "USD", "INV-RENE\u0301-3"),
    ("S-1", "C-SAME", "2025-02-20", "10.00", "USD", "INV-SAME-1"),
    ("CR-LATER", "C-LATER", "2025-05-20", "4.00", "USD", None),
    ("CR-LATER-SPEC", "C-LATER", "2025-05-21", "3.00", "USD", "INV-LATER-1"),
]

PAYMENTS: list[Record] = [
    ("PAY-SPLIT", "C-SPLIT", "2025-01-15", "100.00", "USD", "wire transfer"),
    ("PAY-COMBINE-B", "C-COMBINE", "2025-03-01", "35.00", "USD", ""),
    ("PAY-COMBINE-A", "C-COMBINE", "2025-02-20", "65.00", "USD", "second instalment"),
    ("PAY-CREDIT-CASH", "C-CASH", "2025-03-01", "75.00", "USD", "less credit note"),
    ("PAY-OVER", "C-OVER", "2025-03-02", "50.00", "USD", ""),
    ("PAY-AGAIN", "C-OVER", "2025-03-03", "10.00", "USD", "forgot the rest?"),  # no open invoice is left
    ("PAY-CHF", QUOTE, "2025-02-02", "12.00", "CHF", ""),  # none in this currency
    ("PAY-STRANGER", "7", "2025-02-02", "14.00", "USD", ""),  # no invoice at all, unlike 007
    ("PAY-TIE", "C-TIE", "2025-02-03", "40.00", "EUR", ""),
    ("PAY-CENT", "C-CENT", "2025-03-01", "9.99", "JPY", ""),
    ("PAY-PENNY", "C-PENNY", "2025-03-01", "10.01", "JPY", ""),
    ("PAY-MEMO", "C-MEMO", "2025-03-02", "75.00", "USD", "settles INV-MEMO-TARGET thanks"),
    ("PAY-NONEXACT", "C-MEMO", "2025-03-03", "30.00", "USD", "for INV-MEMO-MID, please"),
    ("PAY-TWO", "C-TWO", "2025-03-02", "80.00", "USD", "INV-TWO-C INV-TWO-9"),
    ("PAY-MIX", "C-MIX", "2025-03-02", "45.00", "USD", "balance of INV-MIX-2"),
    ("PAY-GUEST", "C-GUEST", "2025-03-02", "50.00", "USD", "INV-HOST-1 INV-GUEST-NEW"),
    ("PAY-CUR", "C-CUR", "2025-02-03", "50.00", "USD", "INV-CUR-E INV-CUR-2"),
    ("PAY-CUR-REST", "C-CUR", "2025-02-04", "55.00", "USD", ""),
    ("PAY-CASE", "C-CASE", "2025-03-02", "30.00", "USD", "inv-case-2"),
    ("PAY-SUB", "C-SUB", "2025-03-02", "33.00", "USD", "paying INV-SUB-10"),
    ("PAY-PUNCT-1", QUOTE, "2025-03-02", "10.00", "USD", "order #77. now"),
    ("PAY-PUNCT-2", QUOTE, "2025-03-02", "11.00", "USD", "<![CDATA[R&D,1 <urgent>]]>"),
    ("PAY-PUNCT-3", QUOTE, "2025-03-02", "12.00", "USD", "R&D,1 again"),
    ("PAY-WS-LINES", "C WS", "2025-03-02", "20.00", "USD", "\n      paying\n\tINV-WS-3\there\n    "),
    ("PAY-WS-BLANK", "C WS", "2025-03-02", "10.00", "USD", "Rechnung\u00a0INV-WS-2"),
    ("PAY-ZERO", "007", "2025-03-02", "20.00", "USD", "815"),
    ("PAY-ORDER-Z", "C-ORDER", "2025-04-09", "60.00", "USD", ""),  # later, but first
    ("PAY-ORDER-A", "C-ORDER", "2025-04-02", "60.00", "USD", "INV-ORDER-2"),
    ("PAY-PRIO", "C-PRIO", "2025-02-01", "60.00", "USD", ""),  # before the credit by date
    ("S-1", "C-SAME", "2025-02-21", "20.00", "USD", ""),
    ("PAY-BIG", "C-BIG", "2025-03-02", "0.05", "USD", ""),
    ("PAY-KATE", "C-KATE", "2025-03-02", "37.00", "USD", ""),
    ("PAY-RENE", "Ren\u00e9", "2025-03-02", "20.00", "USD", "INV-RENE\u0301-3"),  # decomposed
    ("PAY-LATER", "C-LATER", "2025-05-20", "20.00", "USD", ""),
]
COMMENTED: Record = ("PAY-VOID", "C-QUIET", "2025-02-02", "19.00", "USD", "entered twice")

EDGE_INVOICES: list[Record] = [
    ("INV-EDGE-CLOSED", "C-EDGE", "2024-12-01", "2025-01-01", "25.00", "USD"),
    ("INV-EDGE-PAID", "C-EDGE", "2024-11-30", "2024-12-31", "18.00", "USD"),
    ("INV-EDGE-OPEN-B", "C-EDGE", "2024-12-03", "2025-01-03", "15.00", "USD"),
    ("INV-EDGE-OPEN-A", "C-EDGE", "2024-12-02", "2025-01-02", "20.00", "USD"),
]
EDGE_CREDITS: list[Record] = [("CR-EDGE", "C-EDGE", "2024-12-20", "25.00", "USD", "INV-EDGE-CLOSED")]
EDGE_PAYMENTS: list[Record] = [
    ("PAY-EDGE-FIRST", "C-EDGE", "2025-01-01", "18.00", "USD", ""),
    ("PAY-EDGE", "C-EDGE", "2025-01-02", "50.00", "USD", "INV-EDGE-CLOSED INV-EDGE-PAID INV-EDGE-OPEN-B"),
]


def write_initial(build: seeding.Build) -> None:
    """Write the three inputs; in the edge, a payment names a closed invoice first and is too much for the
    others.
    """
    edge = build.fixture == "edge"
    invoices, credits, payments = (EDGE_INVOICES, EDGE_CREDITS, EDGE_PAYMENTS) if edge else ledger(build)
    inputs = build.out / "inputs"
    fixtures.write_csv(inputs / "invoices.csv", INVOICE, invoices)
    fixtures.write_json(inputs / "credits.json", [dict(zip(CREDIT, one, strict=True)) for one in credits])
    elements = [line for payment in payments for line in xml_lines(build.rng, payment)]
    comment = [] if edge else ["  <!--", *xml_lines(build.rng, COMMENTED), "  -->"]
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    fixtures.write_lines(inputs / "payments.xml", [head, "<payments>", *comment, *elements, "</payments>"])


def xml_lines(rng: random.Random, payment: Record) -> Iterator[str]:
    *values, memo = (str(value) for value in payment)
    attributes = [f"{name}={quoteattr(value)}" for name, value in zip(PAYMENT, values, strict=True)]
    yield f"  <payment {' '.join(rng.sample(attributes, len(attributes)))}>"
    if payment[0] == "PAY-TIE":
        yield "    <!-- was <memo>INV-TIE-9</memo> -->"
    text = memo if memo.startswith("<![CDATA[") else escape(memo)
    yield f"    <memo>{text}</memo>" if memo else "    <memo/>"
    yield "  </payment>"


def ledger(build: seeding.Build) -> tuple[list[Record], list[Record], list[Record]]:
    """Anchors in their order, with the records of filler customers strewn between them: credits that close
    no invoice, and one payment that may name one.
    """
    rng, count = build.rng, (build.size(full=120, small=74) - len(INVOICES)) // GROUP
    invoices, credits, payments = list(INVOICES), list(CREDITS), list(PAYMENTS)
    for number in rng.sample(range(100, 1000), 40)[:count]:
        customer, currency, mine, owed = f"C-{number}", rng.choice(["USD", "EUR", "GBP"]), list[str](), 0
        for letter in rng.sample("ABCDEFG", GROUP):
            issued, amount = date(2025, 1, 2) + timedelta(days=rng.randrange(90)), rng.randint(40, 900)
            due = issued + timedelta(days=rng.choice([14, 30, 60]))
            mine, owed = [*mine, f"INV-{number}-{letter}"], owed + amount
            strew(rng, invoices, (mine[-1], customer, f"{issued}", f"{due}", f"{amount}.00", currency))
        day = f"{date(2025, 4, 1) + timedelta(days=rng.randrange(60))}"
        if rng.random() < 0.3:
            strew(rng, credits, (f"CR-{number}-1", customer, day, "7.50", currency, rng.choice(mine)))
        if rng.random() < 0.3:
            strew(rng, credits, (f"CR-{number}-2", customer, day, "8.75", currency, None))
        paid = owed * rng.choice([40, 55, 70, 85, 100, 110]) // 100
        memo = rng.choice(["bank transfer", "", f"for {mine[2]}", f"{mine[1]} as agreed"])
        strew(rng, payments, (f"PAY-{number}", customer, day, f"{paid}.00", currency, memo))
    return invoices, credits, payments


def strew(rng: random.Random, records: list[Record], record: Record) -> None:
    records.insert(rng.randint(1, len(records)), record)


if __name__ == "__main__":
    seeding.main(4, {"initial": write_initial})
