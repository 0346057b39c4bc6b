"""Judges task 10: the right pages are requested, one at a time, and the best row of each SKU is kept."""

import html
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import urljoin

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, jail, judging
from benchlib.candidate import CommandFailed, Fixture, Workspace

CELLS = ["name", "price", "currency", "stock", "revision"]
COLUMNS = ["sku", *CELLS]
URL_FILE, OUTPUT = "inputs/base_url.txt", "output/catalog.csv"
TRIAL, FAILING = "/trial/start?lang=en", "/trial/gone"
SECONDS = 60.0
STOP_AFTER = "3"  # requests of one page; ends a crawl that goes round in circles
TOLERANCE = 0.05
MOSTLY, HALF = 0.66, 0.5
ORIGIN = "http://127.0.0.1:1"  # stands for the server's own in the calculation

type Row = dict[str, str]

ANCHORS = {
    "TEN-NINE": ("Ten", "10"),
    "PADDED": ("Ten, padded", "010"),
    "TIE-BREADTH": ("On the second page", "4"),
    "BIG-UP": ("Big, higher", "9007199254740993"),
    "BLANKS": ("Steel rule 30 cm long", "1"),
    "CODE-INSIDE": ("Glue stick", "1"),
    "DECODED-ONCE": ("Tom &amp; Jerry &lt;b&gt;", "1"),
}
TRIAL_PAGES = """
    start?lang=en start?lang=en slow slow quick quick busy busy broken
    moved-301 moved-302 moved-303 moved-307 moved-308 away gone partial worse worse last
"""
TRIAL_TARGETS = [f"/trial/{name}" for name in TRIAL_PAGES.split()]
OTHER_TARGETS = ["/", "/stock/list?part=2", "/stock/list?part=3", "/stock/last"]
TRIAL_SKUS = ["TRIAL-START", "TRIAL-last", "TRIAL-quick", "TRIAL-slow"]


@dataclass
class Request:
    """A request that a server got."""

    target: str
    """Path and query; a whole URL where the request left the origin."""
    at: float = 0.0
    others_open: int = 0
    retry_after: float | None = None


@dataclass
class Crawl:
    """Requests and rows of one run, as expected or as found."""

    requests: list[Request]
    rows: list[Row]
    exit: int | None
    slips: list[str] = field(default_factory=list)

    @property
    def targets(self) -> list[str]:
        """What was asked of the origin."""
        return [request.target for request in self.requests if request.target.startswith("/")]


@dataclass
class Expected:
    """What is right for the catalogue, for the trial pages and for a site that no fixture has."""

    catalog: Crawl
    trial: Crawl
    other: Crawl


@dataclass
class Work:
    """What was found; from the trial's start and in the other site the command may have failed."""

    catalog: Crawl
    trial: Future[Crawl]
    other: Crawl | Exception
    workspace: Workspace


def expect(fixture: Fixture) -> Expected:
    """Calculate both crawls from the pristine pages."""
    pages = fixture.json("inputs/catalog_site.json")["pages"]
    catalog, trial = calculate(pages, "/"), calculate(pages, TRIAL)
    found = {row["sku"]: (row["name"], row["revision"]) for row in catalog.rows}
    if wrong := [sku for sku, anchor in ANCHORS.items() if found.get(sku) != anchor]:
        raise judging.JudgeError(f"the calculation misses the anchors {wrong}")
    if trial.targets != TRIAL_TARGETS or [row["sku"] for row in trial.rows] != TRIAL_SKUS:
        raise judging.JudgeError(f"the calculation misses the trial: {trial}")
    return Expected(catalog, trial, calculate(other_pages(), "/"))


def other_pages() -> dict[str, Any]:
    """A site that no fixture has: a ring of plain pages with one row each."""
    pages = {}
    for number, target in enumerate(OTHER_TARGETS):
        texts = zip(CELLS, [f"Other article {number}", "1.00", "EUR", "1", "1"], strict=True)
        row = "".join(f'<td class="{name}">{value}</td>' for name, value in texts)
        link = f'<nav><a rel="next" href="{OTHER_TARGETS[(number + 1) % len(OTHER_TARGETS)]}">Next</a></nav>'
        body = [f'<table><tr data-sku="OTHER-{number}">{row}</tr></table>', link]
        pages[target] = [{"status": 200, "body": body}]
    return pages


def calculate(pages: Mapping[str, Any], start: str) -> Crawl:
    """Go through the pages in the order in which their links are found."""
    found, requests, best, exit_status = [start], [], {}, 0
    for target in found:
        answer, *later = pages[target]
        requests.append(Request(target))
        if answer["status"] == 429:
            requests[-1].retry_after = float(answer["headers"]["Retry-After"])
            requests.append(Request(target))
            answer = later[0]
        if answer["status"] != 200:
            exit_status = 1
            continue
        rows, links = parse("\n".join(answer["body"]))
        for row in rows:
            if row["sku"] not in best or int(row["revision"]) > int(best[row["sku"]]["revision"]):
                best[row["sku"]] = row
        for link in links:
            url = urljoin(ORIGIN + target, link.replace("{{port}}", "1")).partition("#")[0]
            path = url.removeprefix(ORIGIN) or "/"
            if path.startswith("/") and path not in found:
                found.append(path)
    return Crawl(requests, [best[sku] for sku in sorted(best)], exit_status)


def parse(page: str) -> tuple[list[Row], list[str]]:
    """Rows and pagination links of a pristine page."""
    page = re.sub(r"(?is)<!--.*?-->|<(script|style)\b.*?</\1>", "", page)
    rows = []
    for tag, content in re.findall(r"(?is)<tr\b([^>]*)>(.*?)</tr>", page):
        if (sku := attribute(tag, "data-sku")) is not None:
            cells = re.findall(r"(?is)<td\b([^>]*)>(.*?)</td>", content)
            texts = {name: text(cell) for td, cell in cells for name in words(td, "class")}
            rows.append({"sku": sku} | {name: texts[name] for name in CELLS})
    tags = re.findall(r"(?i)<a\b([^>]*)>", page)
    links = [attribute(tag, "href") for tag in tags if "next" in words(tag.lower(), "rel")]
    return rows, [href for href in links if href is not None]


def attribute(tag: str, name: str) -> str | None:
    found = re.search(rf"""(?i)\s{name}=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", tag)
    return html.unescape(next(value for value in found.groups() if value is not None)) if found else None


def words(tag: str, name: str) -> list[str]:
    return (attribute(tag, name) or "").split()


def text(cell: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", cell)).split())


def solve(fixture: Fixture) -> Work:
    """Crawl the catalogue and the other site; beside them, as all wait for their servers, the trial pages."""
    workspace = fixture.workspace()
    trial = (fixture.workspace(), TRIAL, "inputs/trial_url.txt", "output/made/new/trial.csv")
    site = Path(mkdtemp(dir=fixture.folder)) / "site.json"
    site.write_text(json.dumps({"pages": other_pages(), "other_pages": {}}), "utf-8")
    with ThreadPoolExecutor(1) as beside:
        trial_found = beside.submit(crawl, *trial)
        catalog = crawl(workspace)
        other = judging.tried(lambda: crawl(workspace, output="output/other.csv", site=site))
        return Work(catalog, trial_found, other, workspace)


def crawl(
    workspace: Workspace,
    start: str = "",
    url_file: str = URL_FILE,
    output: str = OUTPUT,
    site: Path | None = None,
) -> Crawl:
    """Run the command beside a fresh server, whose files are not in the workspace, and read the table."""
    inputs = workspace.fixture.file("inputs")
    for name in ("catalog_server.py", "catalog_site.json"):
        (workspace.root / "inputs" / name).unlink(missing_ok=True)
    server, served = (jail.service_path("catalog", path) for path in ("inputs/catalog_server.py", "site"))
    service = jail.Service(
        "catalog",
        ["python", server, "--site", served, "--stop-after", STOP_AFTER],
        {"inputs": inputs, "site": site or inputs / "catalog_site.json"},
        url_file=url_file,
        url_suffix=start,
    )
    command = ["-m", "solution.catalog_sync", "--base-url-file", url_file, "--output", output]
    run = workspace.python(*command, seconds=SECONDS, check=False, services=[service])
    if run.exit not in (0, 1) or (run.exit == 1 and not workspace.outputs.exists(output)):
        raise CommandFailed(run.says())
    rows = workspace.outputs.csv(output, COLUMNS)
    requests = logged(run.services["catalog"].decode("utf-8"))
    return Crawl(requests, rows, run.exit, workspace.outputs.slips)


def logged(text: str) -> list[Request]:
    """The requests of a server's log."""
    ready, *lines = text.splitlines()
    own = f"http://127.0.0.1:{ready.split()[1]}"
    requests = []
    for entry in map(json.loads, lines):
        method = "" if entry["method"] == "GET" else f" by {entry['method']}"
        requests.append(Request(entry["url"].removeprefix(own) + method, entry["at"], entry["others_open"]))
    return requests


def same_requests(actual: Crawl, expected: Crawl) -> None:
    """The same pages in the same order, one after the other."""
    asked, wanted = actual.targets, expected.targets
    for number, (one, other) in enumerate(zip_longest(asked, wanted, fillvalue="nothing"), 1):
        again = f"; requested too often: {sorted(Counter(asked) - Counter(wanted))[:4]}"
        comparing.require(one == other, f"request {number} is for {one}, expected {other}{again}")
    beside = [request.target for request in actual.requests if request.others_open]
    comparing.require(not beside, f"asked for while another request was open: {beside[:4]}")


def waits(actual: Crawl, expected: Crawl) -> None:
    """Each retry comes after its delay."""
    for request in expected.requests:
        if request.retry_after is not None:
            times = [one.at for one in actual.requests if one.target == request.target]
            comparing.require(len(times) == 2, f"{request.target}: {len(times)} requests, expected 2")
            waited = times[1] - times[0]
            note = f"{request.target}: retried after {waited:.2f} s, expected {request.retry_after:g} s"
            comparing.require(waited > request.retry_after - TOLERANCE, note)


def within_origin(actual: Crawl) -> None:
    elsewhere = [request.target for request in actual.requests if not request.target.startswith("/")]
    comparing.require(not elsewhere, f"requests that left the origin: {elsewhere[:4]}")


@judging.core
def most_pages_are_requested(actual: Work, expected: Expected) -> None:
    """At least two in three pages are requested from the server."""
    pages = set(expected.catalog.targets)
    asked = len(pages & set(actual.catalog.targets))
    comparing.require(asked >= MOSTLY * len(pages), f"{asked} of {len(pages)} pages were requested")


@judging.core
def most_rows_are_right(actual: Work, expected: Expected) -> None:
    """At least two in three rows are right."""
    rows = expected.catalog.rows
    right = sum(row in actual.catalog.rows for row in rows)
    comparing.require(right >= MOSTLY * len(rows), f"{right} of {len(rows)} rows are right")


@judging.core
def another_site_is_crawled(actual: Work, expected: Expected) -> None:
    """In a site that no fixture has, at least half of the pages are requested and half of the rows right."""
    found, wanted = judging.made(actual.other), expected.other
    asked = len(set(wanted.targets) & set(found.targets))
    right = sum(row in found.rows for row in wanted.rows)
    note = f"{asked} pages were requested and {right} rows are right, of {len(wanted.rows)} each"
    comparing.require(min(asked, right) >= HALF * len(wanted.rows), note)


def each_page_is_requested_once(actual: Work, expected: Expected) -> None:
    """Each page is requested once in the order stated, none beside another, one retry aside."""
    same_requests(actual.catalog, expected.catalog)


def busy_page_is_retried_once_after_its_delay(actual: Work, expected: Expected) -> None:
    """The page that answers 429 is requested once more after its delay, and the command succeeds."""
    waits(actual.catalog, expected.catalog)
    comparing.same("the exit status", actual.catalog.exit, 0)


def requests_stay_within_the_origin(actual: Work, expected: Expected) -> None:
    """No other scheme, host or port is asked for anything."""
    within_origin(actual.catalog)


def skus_are_exact(actual: Work, expected: Expected) -> None:
    """There is one row for each SKU, and no other."""
    found = Counter(row["sku"] for row in actual.catalog.rows)
    wanted = Counter(row["sku"] for row in expected.catalog.rows)
    less, more = sorted((wanted - found).elements()), sorted((found - wanted).elements())
    comparing.require(not less and not more, f"missing {less[:4]}, too many {more[:4]}")


def highest_revisions_are_kept(actual: Work, expected: Expected) -> None:
    """The rows that are there have the highest revision of their SKU, written as on the page."""
    same_fields(actual.catalog, expected.catalog, ["revision"])


def fields_are_exact(actual: Work, expected: Expected) -> None:
    """The rows that are there have the decoded texts of the row that counts."""
    same_fields(actual.catalog, expected.catalog, ["name", "price", "currency", "stock"])


def same_fields(actual: Crawl, expected: Crawl, fields: list[str]) -> None:
    wanted = {row["sku"]: row for row in expected.rows}
    there = sorted((row for row in actual.rows if row["sku"] in wanted), key=lambda row: row["sku"])
    comparing.require(len(there) >= MOSTLY * len(wanted), "most rows are missing")
    comparing.same_rows("the table", there, [wanted[row["sku"]] for row in there], key=["sku"], fields=fields)


def table_is_sorted(actual: Work, expected: Expected) -> None:
    """Rows are in the order of their SKUs, and lines end with LF."""
    skus = [row["sku"] for row in actual.catalog.rows]
    late = next((one for one, other in pairwise(skus) if one > other), None)
    comparing.require(len(skus) > 1 and late is None, f"{late!r} comes too early")
    comparing.lines_end_with_lf(actual.catalog.slips)


def failing_pages_are_skipped(actual: Work, expected: Expected) -> None:
    """From another start, failing pages are skipped, the rest is kept, and the exit status is 1."""
    trial = actual.trial.result()
    same_requests(trial, expected.trial)
    waits(trial, expected.trial)
    within_origin(trial)
    comparing.same_rows("the trial's table", trial.rows, expected.trial.rows, key=["sku"])
    comparing.same("the exit status of the trial", trial.exit, expected.trial.exit)


def output_is_replaced(actual: Work, expected: Expected) -> None:
    """A later run over the same output, whose start fails, leaves the header only, with exit status 1."""
    again = crawl(actual.workspace, FAILING)
    comparing.same("rows of a start that fails", again.rows, [])
    comparing.same("the exit status", again.exit, 1)


def edge(fixture: Fixture) -> None:
    """A relative link with an encoded ampersand leads to the second page of the same origin."""
    found = crawl(fixture.workspace())
    comparing.same("the edge's requests", found.targets, ["/", "/?view=2&region=north%26south"])
    rows = [
        ("EDGE-1", "Query & link", "1.25", "USD", "7", "1"),
        ("EDGE-2", "Arrived <safely>", "2.50", "USD", "3", "1"),
    ]
    comparing.same("the edge's rows", [tuple(row.values()) for row in found.rows], rows)
    within_origin(found)
    comparing.same("the exit status", found.exit, 0)


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.catalog_sync"),
        expect=expect,
        solve=solve,
        checks=[
            most_pages_are_requested,
            most_rows_are_right,
            another_site_is_crawled,
            each_page_is_requested_once,
            busy_page_is_retried_once_after_its_delay,
            requests_stay_within_the_origin,
            skus_are_exact,
            highest_revisions_are_kept,
            fields_are_exact,
            table_is_sorted,
            failing_pages_are_skipped,
            output_is_replaced,
        ],
        edge=edge,
    )
