"""Moves a database from schema version 1 to version 2: python -m crm.migrate DATABASE"""

import argparse
import sqlite3

from crm.normalize import normalize_email, normalize_phone


def migrate(path):
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE contact_methods"
        " (contact_id INTEGER, kind TEXT, value TEXT, normalized_value TEXT, is_primary INTEGER)"
    )
    for contact_id, email, phone in connection.execute("SELECT id, email, phone FROM contacts").fetchall():
        for kind, value, normalized in (
            ("email", email, normalize_email(email)),
            ("phone", phone, normalize_phone(phone)),
        ):
            connection.execute(
                "INSERT INTO contact_methods VALUES (?, ?, ?, ?, 1)", (contact_id, kind, value, normalized)
            )
    # TODO: contacts has the old columns still, duplicates are not merged, nothing says that this is version 2
    connection.commit()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    migrate(parser.parse_args().database)
