"""Builds, updates and searches the index of a notes folder."""

import argparse
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from . import duplicates, store
from .notes import read_notes, read_stop_words


def build(folder: Path, database: Path, report: Path) -> None:
    stop_words = read_stop_words(folder.parent / "stopwords.txt")
    store.create(database, stop_words, read_notes(folder, stop_words))
    duplicates.write_report(report, duplicates.find_duplicates(store.bodies(database)))


def update(database: Path, folder: Path, deleted: Path, report: Path) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        notes = list(read_notes(folder, store.stop_words(connection)))
        leaving = deleted.read_bytes().decode("utf-8").split("\n")[:-1]
        leaving += [note.path for note in notes]
        remove(connection, leaving)
        store.add(connection, notes)
    duplicates.write_report(report, duplicates.find_duplicates(store.bodies(database)))


def remove(connection: sqlite3.Connection, paths: list[str]) -> None:
    connection.execute("CREATE TEMP TABLE leaving (path TEXT)")
    connection.executemany("INSERT INTO leaving VALUES (?)", [(path,) for path in paths])
    gone = "SELECT id FROM notes WHERE path IN (SELECT path FROM leaving)"
    connection.execute(f"DELETE FROM postings WHERE note IN ({gone})")
    connection.execute("DELETE FROM notes WHERE path IN (SELECT path FROM leaving)")


def search(database: Path, query: str, limit: int) -> None:
    hits = store.search(database, query, limit)
    print(json.dumps([{"path": path, "score": score} for path, score in hits]))


def main() -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("build")
    for name in ("folder", "database", "report"):
        command.add_argument(name, type=Path)
    command = commands.add_parser("update")
    for name in ("database", "folder", "deleted", "report"):
        command.add_argument(name, type=Path)
    command = commands.add_parser("search")
    command.add_argument("database", type=Path)
    command.add_argument("query")
    command.add_argument("--limit", type=int, required=True)
    args = parser.parse_args()
    if args.command == "build":
        build(args.folder, args.database, args.report)
    elif args.command == "update":
        update(args.database, args.folder, args.deleted, args.report)
    else:
        search(args.database, args.query, args.limit)


if __name__ == "__main__":
    main()
