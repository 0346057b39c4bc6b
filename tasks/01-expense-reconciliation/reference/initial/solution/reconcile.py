"""Reconcile bank rows with receipts: categories, matches, monthly totals and unused receipts."""

import argparse
import csv
import json
import unicodedata
from datetime import date
from decimal import Decimal
from pathlib import Path

BANK_FIELDS = ["transaction_id", "posted_date", "description", "amount", "currency"]
RECEIPT_FIELDS = ["receipt_id", "merchant", "paid_date", "total", "currency"]
MAX_DAYS = 2


def normalize(text):
    text = unicodedata.normalize("NFKC", text)
    text = " ".join(text.split())
    return text.casefold()


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path, fields, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def categorize(row, patterns):
    description = normalize(row["description"])
    for pattern, category in patterns:
        if pattern in description:
            return category
    return "Refund" if Decimal(row["amount"]) > 0 else "Uncategorized"


def days_apart(row, receipt):
    return abs((date.fromisoformat(row["posted_date"]) - date.fromisoformat(receipt["paid_date"])).days)


def merchants_fit(row, receipt):
    description = normalize(row["description"])
    merchant = normalize(receipt["merchant"])
    return merchant in description or description in merchant


def fits(row, receipt):
    return (
        row["currency"] == receipt["currency"]
        and abs(Decimal(row["amount"])) == Decimal(receipt["total"])
        and days_apart(row, receipt) <= MAX_DAYS
        and merchants_fit(row, receipt)
    )


def choose(row, candidates):
    return min(candidates, key=lambda receipt: (days_apart(row, receipt), receipt["receipt_id"]))


def reconcile(bank, receipts, patterns):
    unused = list(receipts)
    for row in bank:
        row["category"] = categorize(row, patterns)
        row["matched_receipt_id"] = ""
        if Decimal(row["amount"]) > 0:
            row["status"] = "not_applicable"
            continue
        row["status"] = "unmatched"
        candidates = [receipt for receipt in unused if fits(row, receipt)]
        if candidates:
            receipt = choose(row, candidates)
            row["matched_receipt_id"] = receipt["receipt_id"]
            row["status"] = "matched"
            unused.remove(receipt)
    return sorted(unused, key=lambda receipt: receipt["receipt_id"])


def summarize(bank):
    months = {}
    for row in bank:
        if row["category"] == "Transfer":
            continue
        totals = months.setdefault(row["posted_date"][:7], {})
        totals[row["category"]] = totals.get(row["category"], Decimal("0.00")) - Decimal(row["amount"])
    return {
        month: {category: f"{total:.2f}" for category, total in sorted(totals.items())}
        for month, totals in sorted(months.items())
    }


def main():
    parser = argparse.ArgumentParser()
    for name in ("bank", "receipts", "categories", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    bank = read_csv(args.bank)
    receipts = json.loads(args.receipts.read_text(encoding="utf-8"))
    patterns = [(normalize(row["pattern"]), row["category"]) for row in read_csv(args.categories)]
    unmatched = reconcile(bank, receipts, patterns)
    args.output.mkdir(parents=True, exist_ok=True)
    write_csv(
        args.output / "reconciliation.csv", [*BANK_FIELDS, "category", "matched_receipt_id", "status"], bank
    )
    write_csv(args.output / "unmatched_receipts.csv", RECEIPT_FIELDS, unmatched)
    summary = json.dumps(summarize(bank), indent=2, ensure_ascii=False)
    (args.output / "monthly_summary.json").write_text(summary + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
