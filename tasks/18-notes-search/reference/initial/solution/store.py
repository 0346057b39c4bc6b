"""The database: notes, their words, stop words."""

import hashlib
import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from .notes import Note, tokens

SCHEMA = """
CREATE TABLE stop_words (word TEXT PRIMARY KEY);
CREATE TABLE notes (id INTEGER PRIMARY KEY, path TEXT UNIQUE, digest TEXT, words TEXT);
CREATE TABLE postings (term TEXT, note INTEGER, count INTEGER, PRIMARY KEY (term, note)) WITHOUT ROWID;
"""


def create(path: Path, stop_words: set[str], notes: Iterable[Note]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        database.executemany("INSERT INTO stop_words VALUES (?)", [(word,) for word in sorted(stop_words)])
        add(database, notes)


def add(database: sqlite3.Connection, notes: Iterable[Note]) -> None:
    postings: list[tuple[str, int, int]] = []
    for note in notes:
        digest = hashlib.sha256(note.body.encode("utf-8", "surrogatepass")).hexdigest()
        row = (note.path, digest, " ".join(sorted(note.body_words)))
        added = database.execute("INSERT INTO notes (path, digest, words) VALUES (?, ?, ?)", row).lastrowid
        assert added is not None
        postings += [(term, added, count) for term, count in note.counts.items()]
    postings.sort()
    database.executemany("INSERT INTO postings VALUES (?, ?, ?)", postings)


def stop_words(database: sqlite3.Connection) -> set[str]:
    return {word for (word,) in database.execute("SELECT word FROM stop_words")}


def bodies(path: Path) -> dict[str, tuple[str, set[str]]]:
    """Digest and words of every body, by path."""
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT path, digest, words FROM notes")
        return {note: (digest, set(words.split())) for note, digest, words in rows}


def search(path: Path, query: str, limit: int) -> list[tuple[str, float]]:
    scores: defaultdict[str, float] = defaultdict(float)
    with closing(sqlite3.connect(path)) as database:
        total = database.execute("SELECT count(*) FROM notes").fetchone()[0]
        for term in sorted(set(tokens(query, stop_words(database)))):
            found = database.execute(
                "SELECT path, count FROM postings JOIN notes ON id = note WHERE term = ?", [term]
            ).fetchall()
            idf = math.log((total + 1) / (len(found) + 1)) + 1
            for note, count in found:
                scores[note] += (1 + math.log(count)) * idf
    rounded = [(note, round(score, 4)) for note, score in scores.items()]
    return sorted(rounded, key=lambda hit: (-hit[1], hit[0]))[:limit]
