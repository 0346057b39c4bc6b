"""Reconstruct loans and accounts of a library from its log: python -m solution.library_state --help"""

import argparse
import csv
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

from solution.circulation import Item, Library, Transaction

LOANS = ["item_id", "patron_id", "due_date", "status", "accrued_fine", "lost_fee"]
FINES = ["patron_id", "overdue_fines", "lost_fees", "waived", "total_balance"]


def read_rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def write_rows(path, header, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def money(amount):
    return str(amount.quantize(Decimal("0.01"), ROUND_HALF_UP))


def transaction(row):
    return Transaction(
        datetime.fromisoformat(row["timestamp"]),
        row["transaction_id"],
        row["item_id"],
        row["patron_id"],
        row["kind"],
        date.fromisoformat(row["due_date"]) if row["due_date"] else None,
        Decimal(row["amount"]) if row["amount"] else None,
    )


def read_catalog(path):
    return {
        row["item_id"]: Item(Decimal(row["daily_fine"]), Decimal(row["lost_fee"]), Decimal(row["fine_cap"]))
        for row in read_rows(path)
    }


def read_log(path):
    return [transaction(row) for row in read_rows(path)]


def write_loans(library, path):
    rows = []
    for item_id, loan in sorted(library.loans.items()):
        fee = library.catalog[item_id].lost_fee if loan.lost else Decimal(0)
        status = "lost" if loan.lost else "on_loan"
        rows.append([item_id, loan.patron_id, loan.due, status, money(loan.fine), money(fee)])
    write_rows(path, LOANS, rows)


def figures(account):
    return [money(sum_) for sum_ in (account.overdue, account.lost_fees, account.waived, account.balance)]


def write_fines(library, path):
    write_rows(path, FINES, ([name, *figures(account)] for name, account in sorted(library.accounts.items())))


def write_notices(library, names, as_of, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for patron_id, account in library.accounts.items():
        items = sorted(account.loans)
        overdue, lost, waived, balance = figures(account)
        lines = [
            "Library account notice",
            f"Patron: {patron_id}",
            f"Name: {names[patron_id]}",
            f"As of: {as_of}",
            f"Active loans: {len(items)}",
            f"Items: {', '.join(items) or 'none'}",
            f"Overdue fines: {overdue}",
            f"Lost fees: {lost}",
            f"Waived: {waived}",
            f"Balance: {balance}",
        ]
        text = "\n".join(lines) + "\n"
        (folder / f"{patron_id}.txt").write_text(text, encoding="utf-8", newline="\n")


def write_outputs(library, names, as_of, output):
    write_loans(library, output / "active_loans.csv")
    write_fines(library, output / "fines.csv")
    write_notices(library, names, as_of, output / "notices")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--as-of", required=True)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    patrons = list(read_rows(args.inputs / "patrons.csv"))
    names = {row["patron_id"]: row["name"] for row in patrons}
    zones = {row["patron_id"]: ZoneInfo(row["timezone"]) for row in patrons}
    catalog = read_catalog(args.inputs / "catalog.csv")
    log = read_log(args.inputs / "transactions.csv")
    library = Library(zones, catalog).replay(log, datetime.fromisoformat(args.as_of))
    args.output.mkdir(parents=True, exist_ok=True)
    write_outputs(library, names, args.as_of, args.output)


if __name__ == "__main__":
    main()
