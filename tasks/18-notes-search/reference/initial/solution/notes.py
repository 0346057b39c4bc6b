"""Notes as they lie in a folder, and the words in them."""

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOKEN = re.compile(r"[^\W_]+")


@dataclass
class Note:
    """What search and duplicates need of a note."""

    path: str
    body: str
    body_words: set[str]
    counts: Counter[str]


def normalized(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def tokens(text: str, stop_words: set[str]) -> list[str]:
    return [token for token in TOKEN.findall(normalized(text)) if token not in stop_words]


def read_stop_words(path: Path) -> set[str]:
    return set(tokens(path.read_text("utf-8"), set()))


def read_notes(folder: Path, stop_words: set[str]) -> Iterator[Note]:
    for directory, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".md"):
                file = Path(directory, name)
                yield parse(
                    file.relative_to(folder).as_posix(), file.read_bytes().decode("utf-8"), stop_words
                )


def parse(path: str, text: str, stop_words: set[str]) -> Note:
    head, _, body = text.partition("\n\n")
    title = head.split("\n")[0].removeprefix("Title:")
    counts = Counter(tokens(body, stop_words))
    body_words = set(counts)
    for token in tokens(title, stop_words):
        counts[token] += 2
    return Note(path, normalized(body), body_words, counts)
