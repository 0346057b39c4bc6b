"""What the migration and later writers do with a database: transactions, methods and notes."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crm.normalize import normalize_email, normalize_phone, note_lines, trimmed


class CrmError(Exception):
    """The command cannot be done; nothing was changed."""


@contextmanager
def transaction(path: str, *versions: int) -> Iterator[sqlite3.Connection]:
    """One transaction on an existing database of one of these versions; a failure leaves no trace."""
    if not Path(path).is_file():
        raise CrmError(f"{path}: no such file")
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute("BEGIN IMMEDIATE")
        if version_of(database) not in versions:
            raise CrmError(f"{path}: version {version_of(database)}, expected {versions}")
        yield database
        database.execute("COMMIT")
    finally:
        database.close()


def version_of(database: sqlite3.Connection) -> int:
    return database.execute("PRAGMA user_version").fetchone()[0]


def add_methods(database: sqlite3.Connection, contact_id: int, email: str | None, phone: str | None) -> None:
    """Add what the contact does not have yet; the first of each kind is primary."""
    for kind, text, normalized in (
        ("email", email, normalize_email(email)),
        ("phone", phone, normalize_phone(phone)),
    ):
        known = database.execute(
            "SELECT normalized_value FROM contact_methods WHERE contact_id = ? AND kind = ?",
            (contact_id, kind),
        ).fetchall()
        if normalized and (normalized,) not in known:
            database.execute(
                "INSERT INTO contact_methods VALUES (?, ?, ?, ?, ?)",
                (contact_id, kind, trimmed(text), normalized, 0 if known else 1),
            )


def add_notes(database: sqlite3.Connection, contact_id: int, text: str | None) -> None:
    """Append the notes in `text` that the contact does not have yet."""
    (stored,) = database.execute("SELECT notes FROM contacts WHERE id = ?", (contact_id,)).fetchone()
    notes = dict.fromkeys(note_lines(stored) + note_lines(text))
    database.execute("UPDATE contacts SET notes = ? WHERE id = ?", ("\n".join(notes), contact_id))
