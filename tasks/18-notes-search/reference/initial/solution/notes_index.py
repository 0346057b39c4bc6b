"""Builds and searches the index of a notes folder."""

import argparse
import json
from pathlib import Path

from . import duplicates, store
from .notes import read_notes, read_stop_words


def build(folder: Path, database: Path, report: Path) -> None:
    stop_words = read_stop_words(folder.parent / "stopwords.txt")
    store.create(database, stop_words, read_notes(folder, stop_words))
    duplicates.write_report(report, duplicates.find_duplicates(store.bodies(database)))


def search(database: Path, query: str, limit: int) -> None:
    hits = store.search(database, query, limit)
    print(json.dumps([{"path": path, "score": score} for path, score in hits]))


def main() -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("build")
    for name in ("folder", "database", "report"):
        command.add_argument(name, type=Path)
    command = commands.add_parser("search")
    command.add_argument("database", type=Path)
    command.add_argument("query")
    command.add_argument("--limit", type=int, required=True)
    args = parser.parse_args()
    if args.command == "build":
        build(args.folder, args.database, args.report)
    else:
        search(args.database, args.query, args.limit)


if __name__ == "__main__":
    main()
