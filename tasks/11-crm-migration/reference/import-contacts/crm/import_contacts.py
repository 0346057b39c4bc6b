"""Imports contacts from a CSV file: python -m crm.import_contacts DATABASE CSV REPORT"""

import argparse
import csv
import json
import sqlite3
import sys
from pathlib import Path

from crm.normalize import normalize_email, normalize_phone, trimmed
from crm.store import CrmError, add_methods, add_notes, transaction

HEADER = ["display_name", "email", "phone", "notes"]
BY_EMAIL = "SELECT contact_id FROM contact_methods WHERE kind = 'email' AND normalized_value = ?"
BY_PHONE_ALONE = """
    SELECT contact_id FROM contact_methods
    WHERE kind = 'phone' AND normalized_value = ?
        AND contact_id NOT IN (SELECT contact_id FROM contact_methods WHERE kind = 'email')
    ORDER BY contact_id
"""


def read_rows(path: str) -> list[list[str]]:
    """All rows after the header; `CrmError` when any is not of the form that is asked for."""
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file)) or [[]]
    if header != HEADER:
        raise CrmError(f"{path}: the header is {','.join(header)}, expected {','.join(HEADER)}")
    for number, row in enumerate(rows, 1):
        if len(row) != len(HEADER):
            raise CrmError(f"{path}: row {number} has {len(row)} fields")
    return rows


def find(database: sqlite3.Connection, email: str, phone: str) -> int | None:
    """The contact that a row with these fields updates."""
    if address := normalize_email(email):
        found = database.execute(BY_EMAIL, (address,)).fetchone()
    else:
        found = database.execute(BY_PHONE_ALONE, (normalize_phone(phone),)).fetchone()
    return found[0] if found else None


def import_rows(database: sqlite3.Connection, rows: list[list[str]]) -> dict[str, list[int]]:
    """Import every row, inside the caller's transaction, and report what was done."""
    inserted: list[int] = []
    updated: list[int] = []
    skipped: list[int] = []
    for number, (name, email, phone, notes) in enumerate(rows, 1):
        if not normalize_email(email) and not normalize_phone(phone):
            skipped.append(number)
            continue
        contact_id = find(database, email, phone)
        if contact_id is None:
            (highest,) = database.execute("SELECT coalesce(max(id), 0) FROM contacts").fetchone()
            contact_id = highest + 1
            title = trimmed(name) or trimmed(email) or trimmed(phone)
            database.execute("INSERT INTO contacts VALUES (?, ?, '')", (contact_id, title))
            inserted.append(contact_id)
        else:
            if trimmed(name):
                database.execute(
                    "UPDATE contacts SET display_name = ? WHERE id = ?", (trimmed(name), contact_id)
                )
            updated.append(contact_id)
        add_methods(database, contact_id, email, phone)
        add_notes(database, contact_id, notes)
    return {"inserted_ids": inserted, "updated_ids": updated, "skipped_rows": skipped}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("database", "csv", "report"):
        parser.add_argument(name)
    args = parser.parse_args()
    try:
        rows = read_rows(args.csv)
        with transaction(args.database, 2) as database:
            report = import_rows(database, rows)
    except (CrmError, OSError, ValueError, csv.Error, sqlite3.Error) as error:
        sys.exit(f"crm.import_contacts: {error}")
    Path(args.report).parent.mkdir(parents=True, exist_ok=True)
    Path(args.report).write_text(json.dumps(report) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
