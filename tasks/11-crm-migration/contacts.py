"""What task 11 expects: the contacts of version 2 after the migration and after imports."""

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from benchlib.candidate import Fixture

DATABASE = "workspace/crm.db"
CONTACTS, METHODS = "contacts", "contact_methods"
TABLES = {
    CONTACTS: ["id", "display_name", "notes"],
    METHODS: ["contact_id", "kind", "value", "normalized_value", "is_primary"],
}

type Row = dict[str, Any]


@dataclass
class Contact:
    """One contact of version 2 in the judge's own calculation."""

    name: str
    notes: list[str] = field(default_factory=list)
    methods: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)

    def add(self, email: str, phone: str, notes: str) -> None:
        """Take over what is new."""
        for kind, text, normal in (("email", email, email_key(email)), ("phone", phone, phone_key(phone))):
            if normal:
                first = all(kind != other for other, _ in self.methods)
                self.methods.setdefault((kind, normal), (text.strip(), int(first)))
        lines = [line.strip() for line in notes.split("\n")]
        self.notes += [line for line in dict.fromkeys(lines) if line and line not in self.notes]


def migrated_book(fixture: Fixture) -> dict[int, Contact]:
    """The contacts of version 2 by their ids."""
    source = fixture.file(DATABASE, upto="initial").as_uri() + "?mode=ro&immutable=1"
    with closing(sqlite3.connect(source, uri=True)) as database:
        old = database.execute("SELECT id, name, email, phone, notes FROM contacts ORDER BY id").fetchall()
    book: dict[int, Contact] = {}
    kept: dict[str, int] = {}
    for contact_id, name, *texts in old:
        email, phone, notes = (text or "" for text in texts)
        owner = kept.setdefault(email_key(email) or f"no email: {contact_id}", contact_id)
        book.setdefault(owner, Contact(name.strip())).add(email, phone, notes)
    return book


def import_rows(book: dict[int, Contact], rows: list[dict[str, str]]) -> dict[str, list[int]]:
    """Import into `book`: a contact is found by its email if it has one, by its phone otherwise."""
    found: dict[tuple[str, str], int] = {}
    for contact_id, contact in book.items():
        emails = [method for method in contact.methods if method[0] == "email"]
        for method in emails or contact.methods:
            found.setdefault(method, contact_id)
    report: dict[str, list[int]] = {"inserted_ids": [], "updated_ids": [], "skipped_rows": []}
    for number, row in enumerate(rows, 1):
        email, phone = email_key(row["email"]), phone_key(row["phone"])
        key = ("email", email) if email else ("phone", phone)
        if not key[1]:
            report["skipped_rows"].append(number)
            continue
        outcome = "updated_ids" if key in found else "inserted_ids"
        contact_id = found.setdefault(key, max(book, default=0) + 1)
        report[outcome].append(contact_id)
        unnamed = row["email"].strip() or row["phone"].strip()
        contact = book.setdefault(contact_id, Contact(unnamed))
        contact.name = row["display_name"].strip() or contact.name
        contact.add(row["email"], row["phone"], row["notes"])
    return report


def email_key(text: str) -> str:
    return text.strip().casefold()


def phone_key(text: str) -> str:
    digits = "".join(re.findall("[0-9]", text))
    return digits and ("+" if text.strip()[0] == "+" else "") + digits


def rows_of(book: dict[int, Contact]) -> dict[str, list[Row]]:
    contacts = [(number, one.name, "\n".join(one.notes)) for number, one in book.items()]
    methods = [
        (number, kind, value, normal, primary)
        for number, one in book.items()
        for (kind, normal), (value, primary) in one.methods.items()
    ]
    return {CONTACTS: as_rows(TABLES[CONTACTS], contacts), METHODS: as_rows(TABLES[METHODS], methods)}


def as_rows(columns: list[str], values: list[Any]) -> list[Row]:
    return [dict(zip(columns, row, strict=True)) for row in sorted(values, key=repr)]
