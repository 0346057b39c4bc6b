"""Match credits and payments with invoices: what is applied where, what is owed, what is left over."""

import argparse
import csv
import json
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

INVOICE_FIELDS = ["invoice_id", "customer_id", "issued_date", "due_date", "amount", "currency"]
STATUS_FIELDS = [*INVOICE_FIELDS, "applied_credit", "applied_payment", "balance", "status"]
APPLICATION_FIELDS = ["source_type", "source_id", "invoice_id", "amount", "currency"]
EXCEPTION_FIELDS = ["source_type", "source_id", "customer_id", "currency", "unapplied_amount", "reason"]


@dataclass
class Invoice:
    row: dict
    id: str
    customer: str
    issued: str
    due: str
    currency: str
    balance: Decimal
    applied: dict = field(default_factory=lambda: {"credit": Decimal("0.00"), "payment": Decimal("0.00")})


@dataclass
class Source:
    kind: str
    id: str
    customer: str
    date: str
    currency: str
    left: Decimal
    invoice_id: str | None = None
    memo: str = ""


def read_invoices(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [read_invoice(row) for row in csv.DictReader(file)]


def read_invoice(row):
    return Invoice(
        row=row,
        id=row["invoice_id"],
        customer=row["customer_id"],
        issued=row["issued_date"],
        due=row["due_date"],
        currency=row["currency"],
        balance=Decimal(row["amount"]),
    )


def read_source(kind, record, **more):
    return Source(
        kind=kind,
        id=record[f"{kind}_id"],
        customer=record["customer_id"],
        date=record["date"],
        currency=record["currency"],
        left=Decimal(record["amount"]),
        **more,
    )


def read_credits(path):
    records = json.loads(path.read_text(encoding="utf-8"))
    return [read_source("credit", record, invoice_id=record["invoice_id"]) for record in records]


def read_payments(path):
    elements = ElementTree.parse(path).getroot().iter("payment")
    return [
        read_source("payment", element.attrib, memo=element.findtext("memo") or "") for element in elements
    ]


def in_order(credits, payments):
    for_invoices = [credit for credit in credits if credit.invoice_id is not None]
    for_customers = [credit for credit in credits if credit.invoice_id is None]
    return for_invoices + for_customers + payments


def agrees(source, invoice):
    return source.customer == invoice.customer and source.currency == invoice.currency


def due_order(invoice):
    return invoice.due, invoice.id


def find_target(payment, candidates):
    for token in payment.memo.split():
        for invoice in candidates:
            if token == invoice.id:
                return invoice
    return None


def invoices_for(source, invoices):
    if source.invoice_id is not None:
        return [
            invoice for invoice in invoices if invoice.id == source.invoice_id and agrees(source, invoice)
        ]
    candidates = [invoice for invoice in invoices if agrees(source, invoice) and invoice.balance > 0]
    candidates.sort(key=due_order)
    target = find_target(source, candidates)
    if target is not None:
        candidates.remove(target)
        candidates.insert(0, target)
    return candidates


def match(invoices, sources):
    applications = []
    for source in sources:
        for invoice in invoices_for(source, invoices):
            amount = min(source.left, invoice.balance)
            if amount > 0:
                source.left -= amount
                invoice.balance -= amount
                invoice.applied[source.kind] += amount
                applications.append((source.kind, source.id, invoice.id, money(amount), invoice.currency))
    return applications


def money(amount):
    return f"{amount:.2f}"


def status_row(invoice):
    credit, payment = money(invoice.applied["credit"]), money(invoice.applied["payment"])
    status = "paid" if invoice.balance == 0 else "open"
    return [*invoice.row.values(), credit, payment, money(invoice.balance), status]


def exception_row(source):
    return [source.kind, source.id, source.customer, source.currency, money(source.left), "unapplied_balance"]


def write_csv(path, fields, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(fields)
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    invoices = read_invoices(args.inputs / "invoices.csv")
    credits = read_credits(args.inputs / "credits.json")
    payments = read_payments(args.inputs / "payments.xml")
    sources = in_order(credits, payments)
    applications = match(invoices, sources)
    exceptions = [exception_row(source) for source in sources if source.left > 0]
    args.output.mkdir(parents=True, exist_ok=True)
    write_csv(args.output / "invoice_status.csv", STATUS_FIELDS, map(status_row, invoices))
    write_csv(args.output / "applications.csv", APPLICATION_FIELDS, applications)
    write_csv(args.output / "exceptions.csv", EXCEPTION_FIELDS, exceptions)


if __name__ == "__main__":
    main()
