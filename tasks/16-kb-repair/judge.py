"""Judges task 16: the repaired copy, its report and index, before the renames and with them."""

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from unicodedata import category, normalize

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace
from benchlib.readers import Json

SECONDS, MOSTLY, FILE_LIMIT = 60.0, 0.5, 1 << 20
ELSEWHERE = "branch/site", "branch/settings/moved.json", "output/new/one"
OTHER_REDIRECTS = {"wiki/old/guide.md": ["wiki/docs/start.md"]}
OTHER_RENAMES = {"wiki/talks/plan.md": "plan.md"}
HEADER = ["source_path", "original_target", "resolved_target", "status"]
CLOSING = r" *(?P=run)(?P=mark)* *\r?$"
FENCE = re.compile(rf"(?m)^ *(?P<run>(?P<mark>[`~])(?P=mark){{2,}}+).*(?:\n(?!{CLOSING}).*)*(?:\n{CLOSING})?")
HEADING = re.compile(r"(?m)^ *(#{1,6})[ \t]+(.+)$")
LINK = re.compile(r"(\[[^\[\]\n]*\]\()(<[^<>\n]+>|[^<>()\n]+)(?=\))")
EXTERNAL = re.compile(r"/|[a-zA-Z][a-zA-Z0-9+.-]*:")
BEFORE = [
    ("docs/anchors.md", "../reference/api.md#Draft –", "reference/api.md#draft-", "repaired"),
    ("docs/anchors.md", "../reference/api.md#Repeat 1", "", "unresolved"),
    ("docs/moved.md", "../old/chain.md", "", "unresolved"),
    ("talks/plan.md", "10:30 stand-up.md", "talks/10:30 stand-up.md", "ok"),
    ("overview.md", "manuals/team/moved-guide.md", "reference/api.md", "repaired"),
]
AFTER = [
    ("overview.md", "manuals/team/moved-guide.md", "manuals/team/moved-guide.md", "ok"),
    ("docs/moved.md", "../old/both.md", "manuals/team/moved-guide.md", "repaired"),
    ("docs/start.md", "../chain/two.md", "chain/three.md", "repaired"),
    ("swap/left.md", "./left.md#left", "swap/right.md#left", "repaired"),
    ("pair/moved/a.md", "./b.md", "pair/moved/b.md", "ok"),
    ("leaf.md", "./overview.md", "overview.md", "ok"),
]

type Row = dict[str, str]


@dataclass
class Result:
    """What one run makes."""

    copy: dict[str, bytes]
    report: list[Row]
    index: Json


@dataclass
class Work:
    """The runs before and after the renames came, over one workspace, and one with other paths; one that
    failed is its reason.
    """

    workspace: Workspace
    elsewhere: Workspace
    runs: list[Result | Exception]

    def result(self, run: int) -> Result:
        """What a run made; raises why it made nothing."""
        return judging.made(self.runs[run])


# What is expected.


def expect(fixture: Fixture) -> list[Result]:
    """Calculate the results from the pristine files; two must agree with some links known by hand."""
    kb, redirects = knowledge_base(fixture), fixture.json("inputs/redirects.json")
    renames = {row["old_path"]: row["new_path"] for row in fixture.csv("inputs/renames.csv")}
    results = [calculate(kb, redirects, {}), calculate(kb, redirects, renames)]
    for result, anchors in zip(results, (BEFORE, AFTER), strict=True):
        rows = [tuple(row.values()) for row in result.report]
        if missing := [anchor for anchor in anchors if anchor not in rows]:
            raise judging.JudgeError(f"the calculation misses the anchors {missing}")
    site = {f"wiki/{path}": data for path, data in knowledge_base(fixture.small()).items()}
    return [*results, calculate(site, OTHER_REDIRECTS, OTHER_RENAMES)]


def knowledge_base(fixture: Fixture) -> dict[str, bytes]:
    root = fixture.file("inputs/kb")
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def calculate(
    kb: Mapping[str, bytes], redirects: Mapping[str, list[str]], renames: Mapping[str, str]
) -> Result:
    """The right result; files are known by their old paths, `place` has the new ones."""
    texts = {path: data.decode() for path, data in kb.items() if path.endswith(".md")}
    headings = {path: headings_of(text) for path, text in texts.items()}
    anchors = {path: [anchor for _, _, anchor in found] for path, found in headings.items()}
    place = {path: renames.get(path, path) if path in texts else path for path in kb}
    means = {new: old for old, new in place.items()} | {path: path for path in kb}

    def settled(source: str, destination: str) -> tuple[str, str, str]:
        """Destination, resolved target and status of a link."""
        path, mark, fragment = destination.partition("#")
        target = normpath(join(dirname(source), path)) if path else source
        options = [target] if target in means else redirects.get(target, [])
        files = {means[option] for option in options if option in means}
        if EXTERNAL.match(destination) or len(files) != 1:
            return destination, "", "external" if EXTERNAL.match(destination) else "unresolved"
        (file,) = files
        if mark and fragment not in anchors.get(file, [fragment]):
            fragment = base_of(fragment)
            if anchors[file].count(fragment) != 1:
                return destination, "", "unresolved"
        folder = dirname(place[source])
        if path and normpath(join(folder, path)) != place[file]:
            path = relpath(place[file], folder or ".")
        repaired = path + mark + fragment
        return repaired, place[file] + mark + fragment, "ok" if repaired == destination else "repaired"

    copy, report, index = {place[path]: data for path, data in kb.items()}, list[Row](), {}
    for source in sorted(texts, key=place.__getitem__):
        rows: list[Row] = []

        def replaced(link: re.Match[str], source: str = source, rows: list[Row] = rows) -> str:
            original = link[2].strip("<>")
            repaired, resolved, status = settled(source, original)
            rows.append(dict(zip(HEADER, (place[source], original, resolved, status), strict=True)))
            return link[1] + link[2].replace(original, repaired)

        prose, fences = parts_of(texts[source])
        pieces = [LINK.sub(replaced, piece) for piece in prose]
        text = "".join(one for pair in zip(pieces, [*fences, ""], strict=True) for one in pair)
        copy[place[source]] = text.encode()
        report += rows
        index[place[source]] = {
            "headings": [{"anchor": anchor, "text": text} for _, text, anchor in headings[source]],
            "outgoing_local_links": [row["resolved_target"] for row in rows if row["resolved_target"]],
            "title": next((text for level, text, _ in headings[source] if level == 1), ""),
        }
    return Result(copy, report, index)


def parts_of(text: str) -> tuple[list[str], list[str]]:
    """What is around the fences, and the fences: one less."""
    return FENCE.sub("\0", text).split("\0"), [fence[0] for fence in FENCE.finditer(text)]


def headings_of(text: str) -> list[tuple[int, str, str]]:
    """Level, text and anchor of each heading."""
    uses, found = Counter[str](), []
    for level, words in HEADING.findall("\n".join(parts_of(text)[0])):
        words = re.sub(r"\s+#+$", "", words.strip())
        base = base_of(words)
        found.append((len(level), words, f"{base}-{uses[base]}" if uses[base] else base))
        uses[base] += 1
    return found


def base_of(words: str) -> str:
    folded = normalize("NFKC", words).casefold()
    kept = "".join(one for one in folded if one == "-" or not category(one).startswith("P"))
    return re.sub(r"[\s-]+", "-", kept)


# What is run.


def solve(fixture: Fixture) -> Work:
    """Run the command before the renames come, over the same workspace when they are there, and elsewhere."""
    workspace, elsewhere = fixture.workspace(upto="initial"), other_paths(fixture.small())
    work = Work(workspace, elsewhere, [judging.tried(lambda: run(workspace))])
    workspace.add_stage("renames")
    work.runs.append(judging.tried(lambda: run(workspace)))
    work.runs.append(judging.tried(lambda: run(elsewhere, *ELSEWHERE)))
    if all(isinstance(made, Exception) for made in work.runs):
        work.result(0)
    return work


def other_paths(fixture: Fixture) -> Workspace:
    """A workspace with a site in another place, an older copy of it, and somebody's file beside that."""
    workspace = fixture.workspace()
    site, settings, output = (workspace.root / path for path in ELSEWHERE)
    shutil.copytree(workspace.root / "inputs/kb", site / "wiki")
    shutil.copytree(site / "wiki/docs", output / "kb/old")
    (output / "notes.txt").write_text("Not of this command.\n", "utf-8")
    settings.parent.mkdir()
    settings.write_text(json.dumps(OTHER_REDIRECTS), "utf-8")
    rows = "".join(f"{old},{new}\n" for old, new in OTHER_RENAMES.items())
    settings.with_name("renames.csv").write_text("old_path,new_path\n" + rows, "utf-8")
    return workspace


def run(
    workspace: Workspace,
    kb: str = "inputs/kb",
    redirects: str = "inputs/redirects.json",
    output: str = "output",
) -> Result:
    """Run the command and read its outputs."""
    command = ("-m", "solution.kb_repair", kb, "--redirects", redirects, "--output", output)
    workspace.python(*command, seconds=SECONDS)
    outputs = workspace.outputs
    report = outputs.csv(f"{output}/link_report.csv", HEADER)
    copy = {
        path: outputs.content(f"{output}/kb/{path}", FILE_LIMIT) for path in outputs.files(f"{output}/kb")
    }
    return Result(copy, report, outputs.json(f"{output}/index.json"))


# The checks.


@judging.core
def most_links_are_reported(actual: Work, expected: list[Result]) -> None:
    """Before the renames at least half of the report's rows are right, and half of the repaired ones."""
    most_rows(actual.result(0).report, expected[0].report)


@judging.core
def most_links_of_another_folder_are_reported(actual: Work, expected: list[Result]) -> None:
    """With other paths at least half of the report's rows are right, and half of the repaired ones."""
    most_rows(actual.result(2).report, expected[2].report)


def most_rows(actual: list[Row], expected: list[Row]) -> None:
    rows, wanted = (Counter(tuple(row.values()) for row in report) for report in (actual, expected))
    comparing.require(rows.total() <= 2 * wanted.total(), f"there are {rows.total()} rows")
    for status in ("", "repaired"):
        some = Counter({row: count for row, count in wanted.items() if status in row[3]})
        right = (some & rows).total()
        comparing.require(
            right >= MOSTLY * some.total(), f"{right} of {some.total()} {status} rows are right"
        )


@judging.core
def most_documents_are_repaired(actual: Work, expected: list[Result]) -> None:
    """Before the renames at least half of the documents that need repairs are right."""
    kb, copy = knowledge_base(actual.workspace.fixture), actual.result(0).copy
    needy = [path for path, data in expected[0].copy.items() if kb[path] != data]
    right = sum(copy.get(path) == expected[0].copy[path] for path in needy)
    comparing.require(right >= MOSTLY * len(needy), f"{right} of {len(needy)} documents are repaired rightly")


def every_link_is_reported(actual: Work, expected: list[Result]) -> None:
    """Before the renames the report has exactly the rows of all links, in order."""
    comparing.same_rows("before", actual.result(0).report, expected[0].report, key=HEADER[:2])


def every_file_is_copied_and_repaired(actual: Work, expected: list[Result]) -> None:
    """Before the renames every file is in the copy, with nothing changed but what is wrong."""
    same_files("before", actual.result(0).copy, expected[0].copy)


def titles_and_anchors_are_exact(actual: Work, expected: list[Result]) -> None:
    """Before the renames the index is exact, its keys in order."""
    comparing.same_json("before", actual.result(0).index, expected[0].index, ordered_keys=True)


def fenced_code_stays(actual: Work, expected: list[Result]) -> None:
    """In every run every fence is in its document as it was, and no link of it is reported."""
    for run, wanted in enumerate(expected):
        found = actual.result(run)
        for path in (path for path in wanted.copy if path.endswith(".md")):
            fences = [fence.encode() for fence in parts_of(wanted.copy[path].decode())[1]]
            damaged = [fence for fence in fences if fence not in found.copy.get(path, b"")]
            comparing.require(not damaged, f"{path}: fenced code was changed: {comparing.shown(damaged)}")
        rows = [row for row in found.report if "fenced" in row["original_target"]]
        comparing.require(not rows, f"links in fenced code are reported: {comparing.shown(rows)}")


def renames_are_applied(actual: Work, expected: list[Result]) -> None:
    """With the renames, over what the first run left, copy, report and index are exact."""
    same_result("with the renames", actual.result(1), expected[1])


def same_result(what: str, actual: Result, expected: Result) -> None:
    comparing.same_rows(what, actual.report, expected.report, key=HEADER[:2])
    same_files(what, actual.copy, expected.copy)
    comparing.same_json(what, actual.index, expected.index, ordered_keys=True)


def same_files(what: str, actual: Mapping[str, bytes], expected: Mapping[str, bytes]) -> None:
    """The same files with the same bytes."""
    missing, extra = sorted(set(expected) - set(actual)), sorted(set(actual) - set(expected))
    comparing.require(not missing + extra, f"{what}: kb/ lacks {missing[:4]}, should not have {extra[:4]}")
    for path, data in expected.items():
        lines = zip(actual[path].split(b"\n"), data.split(b"\n"), strict=False)
        first = next((pair for pair in lines if pair[0] != pair[1]), (b"its end", b"another"))
        note = f"{what}: kb/{path}: found {comparing.shown(first[0])}, expected {comparing.shown(first[1])}"
        comparing.require(actual[path] == data, note)


def arguments_are_followed(actual: Work, expected: list[Result]) -> None:
    """Other paths are read and written, with the renames beside those redirects, over an older copy; a file
    beside the outputs stays.
    """
    same_result("other paths", actual.result(2), expected[2])
    left = actual.elsewhere.outputs.files(ELSEWHERE[2])
    comparing.require("notes.txt" in left, "a file beside the outputs is gone")


def outputs_end_their_lines_as_stated(actual: Work, expected: list[Result]) -> None:
    """Report and index use LF and end with a newline."""
    comparing.lines_end_with_lf(actual.workspace.outputs.slips)


def edge(fixture: Fixture) -> None:
    """A link in a fence of tildes stays as it is and is not reported; the one after it is repaired."""
    wanted = calculate(knowledge_base(fixture), fixture.json("inputs/redirects.json"), {})
    row = ("docs/edge.md", "../old/api.md#API!", "reference/api.md#api", "repaired")
    if [tuple(row.values()) for row in wanted.report] != [row]:
        raise judging.JudgeError(f"the calculation misses the edge: {wanted.report}")
    found = run(fixture.workspace())
    comparing.same_rows("the edge", found.report, wanted.report, key=HEADER[:2])
    same_files("the edge", found.copy, wanted.copy)


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.kb_repair"),
        expect=expect,
        solve=solve,
        checks=[
            most_links_are_reported,
            most_documents_are_repaired,
            most_links_of_another_folder_are_reported,
            every_link_is_reported,
            every_file_is_copied_and_repaired,
            titles_and_anchors_are_exact,
            fenced_code_stays,
            renames_are_applied,
            arguments_are_followed,
            outputs_end_their_lines_as_stated,
        ],
        edge=edge,
    )
