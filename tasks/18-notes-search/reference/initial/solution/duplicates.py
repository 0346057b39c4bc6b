"""Groups of notes with the same or nearly the same body."""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path


class Groups:
    """Disjoint groups of paths; the first path of a group stands for it."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.above = {path: path for path in paths}

    def first(self, path: str) -> str:
        while self.above[path] != path:
            self.above[path] = path = self.above[self.above[path]]
        return path

    def join(self, one: str, other: str) -> None:
        low, high = sorted((self.first(one), self.first(other)))
        self.above[high] = low


def find_duplicates(bodies: dict[str, tuple[str, set[str]]]) -> list[tuple[str, str]]:
    """Pairs of canonical path and duplicate, from each path's body digest and words."""
    groups = Groups(bodies)
    same_body: dict[str, str] = {}
    for path, (digest, _) in bodies.items():
        groups.join(path, same_body.setdefault(digest, path))
    frequency = Counter(word for _, words in bodies.values() for word in words)
    by_rare_word: defaultdict[str, list[str]] = defaultdict(list)
    for path, (_, words) in bodies.items():
        # Of similar sets, each has one of the other's rarest words: at most 8 in 100 words are not shared.
        rarest = sorted(words, key=lambda word: (frequency[word], word))[: len(words) * 8 // 100 + 1]
        for other in {other for word in rarest for other in by_rare_word[word]}:
            if similar(words, bodies[other][1]):
                groups.join(path, other)
        for word in rarest:
            by_rare_word[word].append(path)
    return sorted((groups.first(path), path) for path in bodies if groups.first(path) != path)


def similar(one: set[str], other: set[str]) -> bool:
    shared = len(one & other)
    return shared >= 0.92 * (len(one) + len(other) - shared) - 1e-9


def write_report(path: Path, rows: list[tuple[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["canonical_path", "duplicate_path"])
        writer.writerows(rows)
