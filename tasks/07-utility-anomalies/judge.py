"""Judges task 07: unusual readings, missing months, and the page that sums them up."""

import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from html import unescape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, fixtures, judging
from benchlib.candidate import Fixture, Workspace

SECONDS = 60.0
USAGE = ["meter_id", "month", "kwh"]
ANOMALY = ["meter_id", "month", "kwh", "baseline_median", "mad", "severity", "direction"]
GAP = ["meter_id", "month"]
WINDOW = 6
LARGEST = 10
MOSTLY = 0.66
TOO_MANY = 3
PAGE_LIMIT = 1 << 18
VOID = "area base br col embed hr img input link meta source track wbr".split()
DRAWINGS = {"svg", "math"}
WITHOUT_TAGS = {"style", "script", "textarea", "title"}
ATTRIBUTE = re.compile(r"""([^\s=>/"']+)(?:\s*+=\s*+("[^"]*"|'[^']*'|[^\s"'>]+))?""")
PIECE = re.compile(
    r"<!(?:--.*?--|doctype[^>]*)>|(?P<text>[^<]++|<(?![a-z/!]))"
    r"|<(?P<closes>/?)(?P<tag>[a-z][^\s/>]*+)(?P<more>(?:\s++ATTRIBUTE)*+)\s*+(?P<empty>/?)>".replace(
        "ATTRIBUTE", ATTRIBUTE.pattern
    ),
    re.IGNORECASE | re.DOTALL,
)
LOADING_ELEMENTS = {"script", "link", "img", "iframe", "object", "embed"}
LOADING_ATTRIBUTES = {"src", "href"}
FEW = ("METER-0106", "METER-0111", "METER-9")

type Row = dict[str, str]

ANCHORS = [
    ("METER-0104", "2025-06", "39.999999", "100.000000", "20.000000", "0.600000", "low"),
    ("METER-0110", "2025-05", "140.000000", "101.500000", "4.000000", "0.379310", "high"),
    ("METER-0102", "2025-06", "127.000050", "100.000000", "1.000000", "0.270000", "high"),
    ("METER-0121", "2025-06", "75.000000", "100.000000", "2.000000", "0.250000", "low"),
    ("METER-0123", "2025-06", "161.000000", "128.000000", "2.000000", "0.257812", "high"),
    ("METER-0129", "2025-06", "160.000002", "100.000000", "20.000000", "0.600000", "high"),
    ("METER-0130", "2025-06", "0.000008", "0.000002", "0.000002", "2.200000", "high"),
    ("SOLAR-03", "2025-06", "9.500000", "0.000000", "2.000000", "0.000000", "high"),
]


@dataclass
class Survey:
    """What is in the outputs, as expected or as found."""

    anomalies: list[Row]
    gaps: list[Row]
    meters: int = 0
    report: str = ""
    slips: list[str] = field(default_factory=list)
    workspace: Workspace | None = None

    @property
    def counts(self) -> dict[str, str]:
        """The numbers on the page by the id of their element."""
        numbers = {"meter": self.meters, "anomaly": len(self.anomalies), "gap": len(self.gaps)}
        return {f"{name}-count": str(number) for name, number in numbers.items()}


def expect(fixture: Fixture) -> Survey:
    """Calculate everything from the pristine readings."""
    survey = calculate(fixture.csv("inputs/monthly_usage.csv"))
    found = [tuple(row.values()) for row in survey.anomalies]
    if wrong := [anchor for anchor in ANCHORS if anchor not in found]:
        raise judging.JudgeError(f"the calculation misses the anchors {wrong}")
    around_the_tenth = [row["meter_id"] for row in survey.anomalies[8:13]]
    if around_the_tenth != ["METER-10", "METER-9", "METER-9", "meter-2", "Éclair"]:
        raise judging.JudgeError(f"around the tenth place are {around_the_tenth}")
    if flat := [row for row in survey.anomalies if row["mad"] == "0.000000"]:
        raise judging.JudgeError(f"only the edge may need the quarter where the MAD is zero: {flat}")
    return survey


def calculate(rows: list[Row]) -> Survey:
    """The survey of any readings."""
    meters: defaultdict[str, dict[int, Fraction]] = defaultdict(dict)
    for row in rows:
        year, month = row["month"].split("-")
        meters[row["meter_id"]][12 * int(year) + int(month) - 1] = Fraction(row["kwh"])
    anomalies: list[Row] = []
    gaps: list[Row] = []
    for name in sorted(meters):
        readings = sorted(meters[name].items())
        months = range(readings[0][0], readings[-1][0])
        gaps += [{"meter_id": name, "month": text(month)} for month in months if month not in meters[name]]
        for place in range(WINDOW, len(readings)):
            month, value = readings[place]
            before = [reading for _, reading in readings[place - WINDOW : place]]
            median = middle(before)
            mad = middle([abs(reading - median) for reading in before])
            if abs(value - median) > max(3 * mad, median / 4):
                severity = abs(value - median) / median if median > 0 else Fraction(0)
                numbers = [six_places(number) for number in (value, median, mad, severity)]
                direction = "high" if value > median else "low"
                anomalies.append(dict(zip(ANOMALY, [name, text(month), *numbers, direction], strict=True)))
    anomalies.sort(key=lambda row: -Fraction(row["severity"]))
    return Survey(anomalies, gaps, len(meters))


def text(month: int) -> str:
    return f"{month // 12:04}-{month % 12 + 1:02}"


def middle(six: list[Fraction]) -> Fraction:
    ordered = sorted(six)
    return (ordered[2] + ordered[3]) / 2


def six_places(number: Fraction) -> str:
    millionths = round(number * 1_000_000)  # to even
    whole, rest = divmod(abs(millionths), 1_000_000)
    return f"{'-' if millionths < 0 else ''}{whole}.{rest:06}"


def solve(fixture: Fixture) -> Survey:
    """Run the command and read its three outputs."""
    return survey(fixture.workspace(), "inputs/monthly_usage.csv", "output")


def survey(workspace: Workspace, usage: str, output: str) -> Survey:
    workspace.python("-m", "solution.utility_anomalies", usage, "--output", output, seconds=SECONDS)
    outputs = workspace.outputs
    return Survey(
        anomalies=outputs.csv(f"{output}/anomalies.csv", ANOMALY),
        gaps=outputs.csv(f"{output}/gaps.csv", GAP),
        report=outputs.text(f"{output}/report.html", PAGE_LIMIT),
        slips=outputs.slips,
        workspace=workspace,
    )


@dataclass
class Element:
    """One element of a page; in it are the elements and the texts from its own places on up to the ends."""

    tag: str
    attributes: dict[str, str]
    first: int
    first_text: int
    drawn: bool
    end: int = 0
    end_text: int = 0


@dataclass
class Page:
    """The elements and the texts of a page, in document order."""

    elements: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def the(self, name: str) -> Element:
        """The one element with this id."""
        found = [element for element in self.elements if element.attributes.get("id") == name]
        comparing.require(len(found) == 1, f"report.html: {len(found)} elements with the id {name}, not one")
        return found[0]

    def text(self, element: Element) -> str:
        return "".join(self.texts[element.first_text : element.end_text]).strip()

    def inside(self, element: Element, *tags: str) -> list[Element]:
        return [one for one in self.elements[element.first : element.end] if one.tag in tags]


def read_page(source: str) -> Page:
    """The page, in time linear in its length; what is not closed or not nested is refused."""
    page, opened, place = Page(), list[Element](), 0
    while place < len(source):
        found = PIECE.match(source, place)
        if not found:
            raise comparing.Differs(
                f"report.html: no tag, comment or text: {comparing.shown(source[place : place + 80])}"
            )
        place = found.end()
        if found["text"]:
            page.texts.append(unescape(found["text"]))
        elif found["tag"]:
            tag = found["tag"].lower()
            if not found["closes"]:
                pairs = ATTRIBUTE.findall(found["more"])
                attributes = {name.lower(): unescape(value.strip("\"'")) for name, value in pairs}
                drawn = tag in DRAWINGS or bool(opened and opened[-1].drawn)
                opened.append(Element(tag, attributes, len(page.elements) + 1, len(page.texts), drawn))
                page.elements.append(opened[-1])
            if found["closes"] or tag in VOID or (found["empty"] and opened[-1].drawn):
                last = opened.pop() if opened else Element("nothing", {}, 0, 0, False)
                note = f"report.html: {found[0][:80]} ends {tag} where {last.tag} is open"
                comparing.require(last.tag == tag, note)
                last.end, last.end_text = len(page.elements), len(page.texts)
            elif tag in WITHOUT_TAGS:
                end = re.compile(rf"</{tag}[\s/>]", re.IGNORECASE).search(source, place)
                if not end:
                    raise comparing.Differs(f"report.html: {tag} is not closed")
                page.texts.append(unescape(source[place : end.start()]))
                place = end.start()
    comparing.require(not opened, f"report.html: not closed: {[one.tag for one in opened[:4]]}")
    return page


def mostly(what: str, actual: list[tuple[str, ...]], expected: list[tuple[str, ...]]) -> None:
    right = len(set(actual) & set(expected))
    note = f"{right} of {len(actual)} {what} are right, {len(expected)} were expected"
    comparing.require(right >= MOSTLY * len(expected) and len(actual) <= TOO_MANY * len(expected), note)


@judging.core
def most_anomalies_are_found(actual: Survey, expected: Survey) -> None:
    """At least two in three anomalies are there, with their direction, and not too many others."""
    found, wanted = (
        [(row["meter_id"], row["month"], row["direction"]) for row in one.anomalies]
        for one in (actual, expected)
    )
    mostly("anomalies", found, wanted)


@judging.core
def most_gaps_are_found(actual: Survey, expected: Survey) -> None:
    """At least two in three missing months are there, and not too many others."""
    found, wanted = ([(row["meter_id"], row["month"]) for row in one.gaps] for one in (actual, expected))
    mostly("gaps", found, wanted)


def the_right_readings_are_flagged(actual: Survey, expected: Survey) -> None:
    """anomalies.csv has exactly the readings beyond their limit, with their direction."""
    found, wanted = (
        sorted(one.anomalies, key=lambda row: (row["meter_id"], row["month"])) for one in (actual, expected)
    )
    fields = ["meter_id", "month", "direction"]
    comparing.same_rows("anomalies.csv", found, wanted, key=["meter_id", "month"], fields=fields)


def numbers_and_order_are_exact(actual: Survey, expected: Survey) -> None:
    """The rows of anomalies.csv have their exact values, the largest severity first."""
    wanted_keys, found_keys = (
        {(row["meter_id"], row["month"]) for row in one.anomalies} for one in (expected, actual)
    )
    both = wanted_keys & found_keys
    comparing.require(len(both) >= MOSTLY * len(wanted_keys), "anomalies.csv: most anomalies are missing")
    found, wanted = (
        [row for row in one.anomalies if (row["meter_id"], row["month"]) in both]
        for one in (actual, expected)
    )
    comparing.same_rows("anomalies.csv", found, wanted, key=["meter_id", "month"])


def gaps_are_exact(actual: Survey, expected: Survey) -> None:
    """gaps.csv has every missing month between a meter's first and last reading, in order."""
    comparing.same_rows("gaps.csv", actual.gaps, expected.gaps, key=GAP)


def report_counts_are_right(actual: Survey, expected: Survey) -> None:
    """The page has the numbers of meters, anomalies and gaps."""
    page = read_page(actual.report)
    for name, number in expected.counts.items():
        comparing.same(f"report.html, {name}", page.text(page.the(name)), number)


def report_table_has_the_largest(actual: Survey, expected: Survey) -> None:
    """The table has the ten largest anomalies, as the CSV has them, under the CSV's column names."""
    page = read_page(actual.report)
    table = page.the("largest-anomalies")
    comparing.same("report.html, the table's element", table.tag, "table")
    rows = page.inside(table, "tr")
    largest = expected.anomalies[:LARGEST]
    comparing.same("report.html, rows of the table with its heads", len(rows), 1 + len(largest))
    heads, *rows = [page.inside(row, "td", "th") for row in rows]
    right_tags = all(cell.tag == "th" for cell in heads) and all(
        cell.tag == "td" for row in rows for cell in row
    )
    comparing.require(right_tags, "report.html: the table must have a row of th, then rows of td only")
    comparing.same("report.html, heads of the table", [page.text(cell) for cell in heads], ANOMALY)
    found = [[page.text(cell) for cell in row] for row in rows]
    comparing.require(
        all(len(row) == len(ANOMALY) for row in found), "report.html: a row has not seven cells"
    )
    cells = [dict(zip(ANOMALY, row, strict=True)) for row in found]
    comparing.same_rows("report.html, table", cells, largest, key=GAP, may_be_empty=True)


def report_is_a_self_contained_page(actual: Survey, expected: Survey) -> None:
    """The page is complete, loads and runs nothing, and has no meter id unescaped."""
    page = read_page(actual.report)
    doctype = actual.report.lower().startswith("<!doctype html>")
    comparing.require(doctype, "report.html: must begin with <!DOCTYPE html>")
    charsets = [
        element.attributes.get("charset", "").lower() for element in page.elements if element.tag == "meta"
    ]
    comparing.require("utf-8" in charsets, 'report.html: has no <meta charset="utf-8">')
    for element in page.elements:
        comparing.require(element.tag not in LOADING_ELEMENTS, f"report.html: has the element {element.tag}")
        bad = [name for name in element.attributes if name in LOADING_ATTRIBUTES or name.startswith("on")]
        comparing.require(not bad, f"report.html: {element.tag} has the attributes {bad}")
        style = element.attributes.get("style", "") + (page.text(element) if element.tag == "style" else "")
        loads = "url(" in style.lower() or "@import" in style.lower()
        comparing.require(not loads, f"report.html: a style of {element.tag} loads something")
    special = {row["meter_id"] for row in expected.anomalies if set(row["meter_id"]) & set("&<")}
    raw = sorted(name for name in special if name in actual.report)
    comparing.require(not raw, f"report.html: not escaped: {raw}")


def lines_end_as_stated(actual: Survey, expected: Survey) -> None:
    """Every output uses LF and ends with a newline."""
    comparing.lines_end_with_lf(actual.slips)


def other_files_and_folders_work(actual: Survey, expected: Survey) -> None:
    """Another file goes to a folder that is made; one without readings then replaces what is there."""
    assert actual.workspace
    workspace = actual.workspace
    few = [row for row in workspace.fixture.csv("inputs/monthly_usage.csv") if row["meter_id"] in FEW]
    for name, rows in (("few", few), ("none", [])):
        file = workspace.root / f"branch/{name}.csv"
        fixtures.write_csv(file, USAGE, [list(row.values()) for row in rows])
        found, wanted = survey(workspace, f"branch/{name}.csv", "output/branch/new"), calculate(rows)
        what = f"from a file with {name} of the meters"
        comparing.same_rows(what, found.anomalies, wanted.anomalies, key=GAP, may_be_empty=True)
        comparing.same_rows(what, found.gaps, wanted.gaps, key=GAP, may_be_empty=True)
        report_counts_are_right(found, wanted)
        report_table_has_the_largest(found, wanted)
        comparing.lines_end_with_lf(found.slips)


def edge(fixture: Fixture) -> None:
    """After six equal readings the MAD is zero; a rise of 30 % is beyond a quarter of the median."""
    workspace = fixture.workspace()
    command = "-m solution.utility_anomalies inputs/monthly_usage.csv --output output"
    workspace.python(*command.split(), seconds=SECONDS)
    rows = workspace.outputs.csv("output/anomalies.csv", ANOMALY)
    found = [(row["meter_id"], row["month"], row["direction"]) for row in rows]
    comparing.same("the edge's anomalies", found, [("EDGE-MAD-0", "2023-07", "high")])


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.utility_anomalies"),
        expect=expect,
        solve=solve,
        checks=[
            most_anomalies_are_found,
            most_gaps_are_found,
            the_right_readings_are_flagged,
            numbers_and_order_are_exact,
            gaps_are_exact,
            report_counts_are_right,
            report_table_has_the_largest,
            report_is_a_self_contained_page,
            lines_end_as_stated,
            other_files_and_folders_work,
        ],
        edge=edge,
    )
