"""Judges task 18: answers and duplicates of a collection, then over the same database after an update."""

import math
import re
import shutil
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, fixtures, judging
from benchlib.candidate import Fixture, Workspace
from benchlib.readers import Unreadable, parse_json, utf8

DATABASE, MOVED, REPORT = "workspace/notes.db", "workspace/moved.index", "output/duplicates.csv"
ROW, HIT = ["canonical_path", "duplicate_path"], ["path", "score"]
MOSTLY = 0.66
TERMS = """quasar QUASAR perihelion ｎｅｂｕｌａ gb straße σίσυφος pulsar h2o cafe gamma-burst zmir 研究
    υ meteor comet bolide fireball asteroid eclipse zenith equinox flow ebb solstice tide vanishing
    für e g on où"""
COMMON = "Signal, archive of the größe"
MANY, FEW = 500, 12
ANCHORS = [
    {("similar/at-1.md", "similar/at-2.md"), ("similar/chain-1.md", "similar/chain-2.md")},
    {("similar/bridge.md", "similar/left-2.md"), ("blank/stop-0.md", "blank/stop-2.md")},
]
OTHER = {"a": "lantern amber", "folder.md/b": "the amber"}
# What is built and then comes with two updates, and the paths that each deletes.
SERIES = [
    ({"a": "the amber lantern", "b": "lantern amber"}, ""),
    ({"c": "amber lantern"}, "b.md\n"),
    ({"d": "amber the lantern"}, "a.md\n"),
]

type Row = tuple[str, ...]
type Hit = tuple[str, float]


@dataclass
class Note:
    """What the calculation needs: the set that is compared, and counts of the terms that are asked for."""

    path: str
    words: set[str]
    counts: Counter[str]


class State(NamedTuple):
    """Answers to the long query and rows of the report."""

    terms: list[Hit]
    report: list[Row]


@dataclass
class Work:
    """One database, command after command; what went wrong after the first answers is kept as its reason."""

    workspace: Workspace
    report: list[Row]
    terms: list[Hit]
    common: list[Hit] | Exception
    after: State | Exception


@dataclass
class Expected:
    """What is right before the update and after it."""

    before: State
    after: State
    common: list[Hit]


def expect(fixture: Fixture) -> Expected:
    """Calculate both states from the pristine notes; they must hold the anchors and differ in N."""
    stop_words = set(tokens(fixture.text("inputs/stopwords.txt")))
    old, new = (read_notes(fixture.file(f"inputs/{name}"), stop_words) for name in ("notes", "notes-new"))
    leaving = {note.path for note in new} | set(fixture.text("inputs/deleted.txt").split("\n"))
    current = [note for note in old if note.path not in leaving] + new
    pairs = similar_pairs(old + new)
    before, after = (State(ranked(one, TERMS)[:MANY], duplicates(one, pairs)) for one in (old, current))
    if not (ANCHORS[0] <= {*before.report} and ANCHORS[1] <= {*after.report} and len(old) != len(current)):
        raise judging.JudgeError("the calculation misses anchors, or the update leaves N as it was")
    return Expected(before, after, common=ranked(old, COMMON)[:FEW])


def tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", normalized(text))


def normalized(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


ASKED = {*tokens(TERMS), *tokens(COMMON)}


def read_notes(folder: Path, stop_words: set[str]) -> list[Note]:
    notes: list[Note] = []
    asked = ASKED - stop_words
    for path in folder.rglob("*.md"):
        head, body = path.read_bytes().decode("utf-8").split("\n\n", 1)
        words = tokens(body)
        counts = Counter(word for word in words + 2 * tokens(head.split("\n")[0][6:]) if word in asked)
        # Bodies without words are compared as whole texts; others that are equal have equal words.
        compared = set(words) - stop_words or {normalized(body)}
        notes.append(Note(str(path).removeprefix(f"{folder}/"), compared, counts))
    return notes


def ranked(notes: list[Note], query: str) -> list[Hit]:
    scores: defaultdict[str, float] = defaultdict(float)
    for term in sorted(set(tokens(query))):
        having = [note for note in notes if term in note.counts]
        idf = math.log((len(notes) + 1) / (len(having) + 1)) + 1
        for note in having:
            scores[note.path] += (1 + math.log(note.counts[term])) * idf
    hits = ((path, round(score, 4)) for path, score in scores.items())
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))


def similar_pairs(notes: list[Note]) -> list[tuple[Note, Note]]:
    """As at most 8 in 100 words of similar notes differ, they share one of their rarest words."""
    frequency = Counter(chain.from_iterable(note.words for note in notes))
    sharing: defaultdict[str, list[Note]] = defaultdict(list)
    pairs: list[tuple[Note, Note]] = []
    for note in notes:
        rare = sorted(sorted(note.words), key=frequency.__getitem__)[: len(note.words) * 8 // 100 + 1]
        near = {id(other): other for word in rare for other in sharing[word]}.values()
        pairs += [(note, other) for other in near if are_similar(note.words, other.words)]
        for word in rare:
            sharing[word].append(note)
    return pairs


def are_similar(one: set[str], other: set[str]) -> bool:
    least, most = sorted((len(one), len(other)))
    return 100 * least >= 92 * most and 100 * (shared := len(one & other)) >= 92 * (least + most - shared)


def duplicates(notes: list[Note], pairs: list[tuple[Note, Note]]) -> list[Row]:
    present, group = set(map(id, notes)), {note.path: {note.path} for note in notes}
    for one, other in pairs:
        if {id(one), id(other)} <= present:
            joined = group[one.path] | group[other.path]
            group |= dict.fromkeys(joined, joined)
    return sorted((min(joined), path) for path, joined in group.items() if path != min(joined))


def solve(fixture: Fixture) -> Work:
    """Build and ask; move the database away from the inputs and ask again; then update it and ask again."""
    workspace = fixture.workspace(upto="initial")
    report = make_report(workspace, "build", "inputs/notes", DATABASE, REPORT)
    terms = search(workspace, TERMS, MANY, DATABASE)
    shutil.rmtree(workspace.root / "inputs")
    common = judging.tried(lambda: move_and_search(workspace))
    workspace.add_stage("update")
    return Work(workspace, report, terms, common, judging.tried(lambda: update(workspace)))


def make_report(workspace: Workspace, *command: str) -> list[Row]:
    workspace.python("-m", "solution.notes_index", *command, seconds=180)
    return [tuple(row.values()) for row in workspace.outputs.csv(command[-1], ROW)]


def search(workspace: Workspace, query: str, limit: int, database: str = MOVED) -> list[Hit]:
    command = ("-m", "solution.notes_index", "search", database, query, "--limit", str(limit))
    answer = parse_json(utf8(workspace.python(*command, seconds=30).stdout, "the answer"), "the answer")
    hits: list[Hit] = []
    for item in answer if isinstance(answer, list) else [None]:
        match item:
            case {"path": str(path), "score": int() | float() as score, **more} if not more:
                hits.append((path, float(score)))
            case _:
                raise Unreadable(f"not an array of objects with path and score: {comparing.shown(item)}")
    return hits


def move_and_search(workspace: Workspace) -> list[Hit]:
    left_behind = workspace.root / "left-behind"
    (workspace.root / "workspace").rename(left_behind)
    (workspace.root / "workspace").mkdir()
    try:
        (left_behind / "notes.db").replace(workspace.root / MOVED)
    except OSError as error:
        raise Unreadable(f"{DATABASE}: cannot be moved: {error.strerror}") from None
    return search(workspace, COMMON, FEW)


def update(workspace: Workspace) -> State:
    report = make_report(workspace, "update", MOVED, "inputs/notes-new", "inputs/deleted.txt", REPORT)
    return State(search(workspace, TERMS, MANY), report)


def same(what: str, actual: Sequence[Hit | Row], expected: Sequence[Hit | Row], names: list[str]) -> None:
    found, wanted = (
        [dict(zip(names, map(str, row), strict=True)) for row in rows] for rows in (actual, expected)
    )
    comparing.same_rows(what, found, wanted, key=names)


def mostly[T](what: str, actual: set[T], expected: set[T]) -> None:
    right, most = len(actual & expected), max(len(actual), len(expected))
    comparing.require(
        right >= MOSTLY * most, f"{right} of {len(actual)} {what} are right, of {len(expected)}"
    )


@judging.core
def most_notes_are_found(actual: Work, expected: Expected) -> None:
    """Before the update, two in three of the notes that have one of the terms are found, and few others."""
    mostly("results", {path for path, _ in actual.terms}, {path for path, _ in expected.before.terms})


@judging.core
def most_duplicates_are_found(actual: Work, expected: Expected) -> None:
    """Before the update, two in three rows of the report are right, and few others are there."""
    mostly("rows", set(actual.report), set(expected.before.report))


def terms_are_scored(actual: Work, expected: Expected) -> None:
    """The notes of every term have their exact scores and order."""
    same("terms", actual.terms, expected.before.terms, HIT)


def moved_database_answers(actual: Work, expected: Expected) -> None:
    """The database alone, moved away from the inputs, gives the first of many results."""
    same("common words", judging.made(actual.common), expected.common, HIT)


def duplicates_are_exact(actual: Work, expected: Expected) -> None:
    """The report lists every duplicate with its canonical note, in order; reports use LF."""
    same("duplicates", actual.report, expected.before.report, ROW)
    comparing.lines_end_with_lf(actual.workspace.outputs.slips)


def update_reaches_the_answers(actual: Work, expected: Expected) -> None:
    """After the update notes are found as they are now; scores of all notes follow N and df."""
    same("terms after the update", judging.made(actual.after).terms, expected.after.terms, HIT)


def update_rewrites_the_report(actual: Work, expected: Expected) -> None:
    """After the update the report is that of all notes there are now."""
    same("duplicates after the update", judging.made(actual.after).report, expected.after.report, ROW)


def another_collection_replaces_all(actual: Work, expected: Expected) -> None:
    """Another folder, built over the database and into a new output folder, has just its own stop words and
    notes: no duplicates, and no result for a stop word and a term of the earlier notes.
    """
    workspace = actual.workspace
    lay(workspace, "other/papers", OTHER)
    fixtures.write_text(workspace.root / "other/stopwords.txt", "lantern\n")
    report = make_report(workspace, "build", "other/papers", MOVED, "output/made/new/duplicates.csv")
    comparing.same("its duplicates", report, [])
    comparing.same("its results", search(workspace, "lantern title quasar", MANY), [])
    comparing.same("results without a term", search(workspace, "***", MANY), [])


def updates_follow_each_other(actual: Work, expected: Expected) -> None:
    """A database in a new folder is updated and moved alone, twice, with other paths for all that is read
    and written; the last report and answer are those of the notes there are then.
    """
    workspace, database, rows = actual.workspace, "workspace/new/series.db", list[Row]()
    fixtures.write_text(workspace.root / "series/0/stopwords.txt", "the\n")
    for number, (bodies, deleted) in enumerate(SERIES):
        notes, gone = f"series/{number}/notes", f"series/{number}/gone"
        lay(workspace, notes, bodies)
        fixtures.write_text(workspace.root / gone, deleted)
        command = ("update", database, notes, gone) if number else ("build", notes, database)
        rows = make_report(workspace, *command, f"output/series/{number}/rows.csv")
        content = workspace.outputs.content(database)
        (workspace.root / "workspace").rename(workspace.root / f"left-after-{number}")
        database = f"workspace/after-{number}.db"
        fixtures.write_bytes(workspace.root / database, content)
    comparing.same("duplicates in the end", rows, [("c.md", "d.md")])
    hits = search(workspace, "the amber", MANY, database)
    comparing.same("results in the end", hits, [("c.md", 1.0), ("d.md", 1.0)])


def lay(workspace: Workspace, folder: str, bodies: dict[str, str]) -> None:
    for name, body in bodies.items():
        text = f"Title:lantern\nTags: x\nCreated: 2024-05-01\n\n{body}"
        fixtures.write_text(workspace.root / folder / f"{name}.md", text)


def edge(fixture: Fixture) -> None:
    """Bodies without tokens that differ just in how their characters are stored are duplicates."""
    rows = make_report(fixture.workspace(), "build", "inputs/notes", DATABASE, REPORT)
    duplicates = ("unicode/decomposed.md", "unicode/full-width.md")
    comparing.same("the edge's rows", rows, [("unicode/composed.md", path) for path in duplicates])


CHECKS = [most_notes_are_found, most_duplicates_are_found, terms_are_scored, moved_database_answers]
CHECKS += [duplicates_are_exact, update_reaches_the_answers, update_rewrites_the_report]
CHECKS += [another_collection_replaces_all, updates_follow_each_other]

if __name__ == "__main__":
    probe = judging.imports("solution.notes_index")
    judging.main(
        __file__, artifacts=["solution/"], probe=probe, expect=expect, solve=solve, checks=CHECKS, edge=edge
    )
