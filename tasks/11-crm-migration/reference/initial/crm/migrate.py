"""Moves a database from schema version 1 to version 2: python -m crm.migrate DATABASE"""

import argparse
import sqlite3
import sys

from crm.normalize import normalize_email, trimmed
from crm.store import CrmError, add_methods, add_notes, transaction, version_of

TABLES = (
    "CREATE TABLE contacts (id INTEGER PRIMARY KEY, display_name TEXT NOT NULL, notes TEXT NOT NULL)",
    """CREATE TABLE contact_methods (
        contact_id INTEGER NOT NULL REFERENCES contacts (id),
        kind TEXT NOT NULL CHECK (kind IN ('email', 'phone')),
        value TEXT NOT NULL,
        normalized_value TEXT NOT NULL,
        is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
        PRIMARY KEY (contact_id, kind, normalized_value)
    )""",
    "CREATE INDEX methods_by_value ON contact_methods (kind, normalized_value)",
)


def migrate(database: sqlite3.Connection) -> None:
    """Rebuild the tables of a version 1 database, inside the caller's transaction."""
    old = database.execute("SELECT id, name, email, phone, notes FROM contacts ORDER BY id").fetchall()
    for contact_id, name, *_ in old:
        if not trimmed(name):
            raise CrmError(f"contact {contact_id} has no name")
    database.execute("DROP TABLE contacts")
    for statement in TABLES:
        database.execute(statement)
    kept_by_email: dict[str, int] = {}
    for contact_id, name, email, phone, notes in old:
        address = normalize_email(email)
        kept = kept_by_email.setdefault(address, contact_id) if address else contact_id
        if kept == contact_id:
            database.execute("INSERT INTO contacts VALUES (?, ?, '')", (contact_id, trimmed(name)))
        add_methods(database, kept, email, phone)
        add_notes(database, kept, notes)
    database.execute("PRAGMA user_version = 2")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    try:
        with transaction(parser.parse_args().database, 1, 2) as database:
            if version_of(database) == 1:
                migrate(database)
    except (CrmError, sqlite3.Error) as error:
        sys.exit(f"crm.migrate: {error}")


if __name__ == "__main__":
    main()
