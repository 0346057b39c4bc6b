"""Judges task 19: buckets of gauges and counters, resets and gaps, and that readings are streamed."""

import csv
import gzip
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from math import isclose, nan
from operator import itemgetter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, fixtures, judging
from benchlib.candidate import Fixture, Workspace
from benchlib.readers import parse_csv, utf8

BUCKETS, RESETS, GAPS = FILES = ("resampled.csv.gz", "resets.csv", "gaps.csv")
HEADERS = {
    BUCKETS: ["bucket_start_utc", "sensor_id", "kind", "count", "min", "max", "mean", "delta"],
    RESETS: ["sensor_id", "previous_timestamp", "current_timestamp", "previous_value", "current_value"],
    GAPS: ["sensor_id", "start_timestamp", "end_timestamp", "duration_seconds"],
}
KEYS = {
    BUCKETS: HEADERS[BUCKETS][:2],
    RESETS: ["current_timestamp", "sensor_id"],
    GAPS: ["start_timestamp", "sensor_id"],
}
INPUTS = ("inputs/readings.csv.gz", "inputs/sensors.json")
MOSTLY = 0.7
PLACES, MEAN_PLACES = 40, 6
ADDRESS_SPACE, LONG_VALUE, MANY_ROWS = 64 * 2**20, 90_000, 250_000
LAST_BUCKETS = "2025-05-01T00:15:00Z"

type Row = dict[str, str]
type Report = dict[str, list[Row]]  # rows by the name of the file

ANCHORS = [
    "00:05:00Z,S5,gauge,2,2,4,3,",
    "00:10:00Z,S10,gauge,2,-0.000003,-0.000002,-0.000002,",
    "00:20:00Z,S13,gauge,2,0.0000001,0.0000001,0,",
    "00:05:00Z,S9,counter,,,,,25",
    "00:20:00Z,S9,counter,,,,,0",
    "00:10:00Z,S14,counter,,,,,0.0000000000000000000000000000000000000001",
]


@dataclass
class Found:
    """What a run left in its workspace."""

    report: Report
    workspace: Workspace


# What is expected.


def expect(fixture: Fixture) -> Report:
    """Calculate the outputs from the pristine inputs."""
    report = from_inputs(fixture)
    found = {",".join(row.values()).removeprefix("2024-02-29T") for row in report[BUCKETS][:500]}
    if wrong := [anchor for anchor in ANCHORS if anchor not in found]:
        raise judging.JudgeError(f"the calculation misses the anchors {wrong}")
    return report


def from_inputs(fixture: Fixture) -> Report:
    with gzip.open(fixture.file(INPUTS[0]), "rt", encoding="utf-8", newline="") as lines:
        return calculate(lines, fixture.json(INPUTS[1]))


def calculate(lines: Iterable[str], kinds: Mapping[str, str]) -> Report:
    last: dict[str, tuple[str, datetime, str, int]] = {}
    values = defaultdict[tuple[str, str], list[int]](list)
    rows, resets, gaps = csv.reader(lines), list[list[str]](), list[list[str]]()
    next(rows)
    for stamp, sensor, text, status in rows:
        if status == "BAD":
            continue
        bucket = start_of_bucket(stamp[:16]), sensor
        moment, value = datetime.fromisoformat(stamp), units(text)
        before, last[sensor] = last.get(sensor), (stamp, moment, text, value)
        if before and (seconds := (moment - before[1]).total_seconds()) > 900:
            gaps.append([sensor, before[0], stamp, f"{seconds:.0f}"])
        if kinds[sensor] == "gauge":
            values[bucket].append(value)
        elif before and value < before[3]:
            resets.append([sensor, before[0], stamp, before[2], text])
        elif before:
            values[bucket].append(value - before[3])
    buckets = [[*key, *cells(kinds[key[1]], values[key])] for key in sorted(values)]
    resets.sort(key=itemgetter(2, 0))
    gaps.sort(key=itemgetter(1, 0))
    tables = zip(FILES, (buckets, resets, gaps), strict=True)
    return {name: [dict(zip(HEADERS[name], row, strict=True)) for row in table] for name, table in tables}


@cache
def start_of_bucket(minute: str) -> str:
    return f"{minute[:14]}{int(minute[14:]) // 5 * 5:02}:00Z"


def units(text: str) -> int:
    """A value in units of 10**-PLACES."""
    whole, _, fraction = text.partition(".")
    return int(whole + fraction.ljust(PLACES, "0"))


def cells(kind: str, values: list[int]) -> list[str]:
    total, count = sum(values), len(values)
    if kind == "counter":
        return [kind, "", "", "", "", plain(total, PLACES)]
    mean, rest = divmod(2 * total, unit := 2 * count * 10 ** (PLACES - MEAN_PLACES))
    mean += 2 * rest > unit or (2 * rest == unit and mean % 2)
    least, greatest = plain(min(values), PLACES), plain(max(values), PLACES)
    return [kind, str(count), least, greatest, plain(mean, MEAN_PLACES), ""]


def plain(number: int, places: int) -> str:
    digits = f"{abs(number):0{places + 1}}"
    text = f"{digits[:-places]}.{digits[-places:]}".rstrip("0").removesuffix(".")
    return f"-{text}" if number < 0 else text


# What is run.


def solve(fixture: Fixture) -> Found:
    """Run the command over the files of an earlier run that were longer."""
    workspace = fixture.workspace()
    for name in FILES:
        fixtures.write_text(workspace.root / "output" / name, "earlier\n" * 5_000)
    return run(workspace, *INPUTS, output="output")


def run(workspace: Workspace, *files: str, output: str, space: int | None = None) -> Found:
    command = ("-m", "solution.sensor_resample", *files, "--output", output)
    workspace.python(*command, address_space_bytes=space)
    outputs, packed = workspace.outputs, f"{output}/{BUCKETS}"
    text = utf8(outputs.gzip(packed), packed)
    if "\r\n" in text or not text.endswith("\n"):
        outputs.slips.append(f"{packed}: lines must end with LF, the last one too")
    if outputs.content(packed)[4:8] != bytes(4):
        outputs.slips.append(f"{packed}: the modification time in the gzip header is not 0")
    report = {BUCKETS: parse_csv(text, HEADERS[BUCKETS], packed)}
    report |= {name: outputs.csv(f"{output}/{name}", HEADERS[name]) for name in (RESETS, GAPS)}
    return Found(report, workspace)


# The checks.


@judging.core
def most_rows_are_about_right(actual: Found, expected: Report) -> None:
    """Seven rows in ten are in each output, those of buckets with about the right mean or delta."""
    for name, wanted in expected.items():
        if actual.report[name] == wanted:
            continue
        key = itemgetter(*KEYS[name])
        found = {key(row): number(row) for row in actual.report[name]}
        right = sum(isclose(found.get(key(row), nan), number(row), abs_tol=1e-5) for row in wanted)
        comparing.require(right >= MOSTLY * len(wanted), f"{name}: {right} of {len(wanted)} are about right")


def number(row: Row) -> float:
    """The mean or delta of a bucket; 1 for a row of another output."""
    try:
        return float(row.get("mean", "") or row.get("delta", "1"))
    except ValueError:
        return nan


def the_right_buckets_appear(actual: Found, expected: Report) -> None:
    """resampled.csv.gz has exactly the buckets that are to appear, in order, with their kind."""
    same(BUCKETS, actual.report, expected, fields=["kind"])


def values_are_exact(actual: Found, expected: Report) -> None:
    """Gauges have their count, least and greatest value and mean, counters their delta, whatever other rows
    there are and in whatever order.
    """
    found, key = actual.report[BUCKETS], itemgetter(*KEYS[BUCKETS])
    if found != expected[BUCKETS]:
        wanted = {key(row) for row in expected[BUCKETS]}
        found = sorted((row for row in found if key(row) in wanted), key=key)
    same(BUCKETS, {BUCKETS: found}, expected)


def resets_are_exact(actual: Found, expected: Report) -> None:
    """resets.csv has every reset in order, with both values as they were read."""
    same(RESETS, actual.report, expected)


def gaps_are_exact(actual: Found, expected: Report) -> None:
    """gaps.csv has every gap in order with its length."""
    same(GAPS, actual.report, expected)


def same(name: str, actual: Report, expected: Report, fields: list[str] | None = None) -> None:
    """Compare one output; a single comparison tells quickly that there is no difference."""
    found, wanted, key = actual[name], expected[name], KEYS[name]
    if found != wanted:
        comparing.same_rows(name, found, wanted, key=key, fields=fields, may_be_empty=name != BUCKETS)


def form_is_as_stated(actual: Found, expected: Report) -> None:
    """Every output uses LF and ends with a newline, and the time in the gzip header is 0."""
    comparing.lines_end_with_lf(actual.workspace.outputs.slips)


def long_bad_values_are_streamed_elsewhere(actual: Found, expected: Report) -> None:
    """Paths and kinds are those of the command line, folders are made, and a file whose BAD values, and whose
    many BAD rows, need more than the allowed address space is processed in it.
    """
    if actual.workspace.fixture.name == "main":  # the twin would tell nothing new
        workspace = actual.workspace.fixture.workspace()
        files, kinds = ("branch/may.gz", "branch/kinds of may.json"), {"S1": "counter", "S2": "gauge"}
        readings = "".join(f"{line}\n" for line in noisy("#" * LONG_VALUE)).encode()
        fixtures.write_gzip(workspace.root / files[0], readings, level=1)
        fixtures.write_json(workspace.root / files[1], kinds)
        found = run(workspace, *files, output="output/new/report", space=ADDRESS_SPACE).report
        # Whether buckets of BAD rows alone appear is the edge's matter.
        found[BUCKETS] = [row for row in found[BUCKETS] if row["bucket_start_utc"] < LAST_BUCKETS]
        for name in FILES:
            same(name, found, calculate(noisy(""), kinds))


def noisy(bad_value: str) -> Iterator[str]:
    """Readings without a reset or a gap: buckets with GOOD ones in front of their BAD ones, then BAD ones."""
    yield "timestamp,sensor_id,value,status"
    for minute in (0, 5, 10):
        for sensor in ("S2", "S1"):
            yield f"2025-05-01T00:{minute:02}:00Z,{sensor},{minute}.5,GOOD"
        for second in range(1, 250):
            yield f"2025-05-01T00:{minute + second // 60:02}:{second % 60:02}Z,S1,{bad_value},BAD"
    start = datetime.fromisoformat(LAST_BUCKETS)
    for second in range(MANY_ROWS):
        yield f"{start + timedelta(seconds=second):%Y-%m-%dT%H:%M:%SZ},S1,,BAD"


def no_rows_give_headers_and_equal_bytes(actual: Found, expected: Report) -> None:
    """Readings of just a header give outputs of just a header, and a second run gives the same bytes."""
    workspace, files = actual.workspace.fixture.workspace(), ("empty/readings.gz", INPUTS[1])
    fixtures.write_gzip(workspace.root / files[0], b"timestamp,sensor_id,value,status\n")
    contents: list[bytes] = []
    for _ in range(2):
        report = run(workspace, *files, output="output").report
        comparing.same("outputs of no rows", report, {name: list[Row]() for name in FILES})
        contents.append(workspace.outputs.content(f"output/{BUCKETS}"))
    comparing.require(contents[0] == contents[1], f"{BUCKETS}: a second run gave other bytes")


def edge(fixture: Fixture) -> None:
    """A bucket with BAD rows only does not appear, and the readings around it form a gap."""
    actual, expected = solve(fixture), from_inputs(fixture)
    for name in FILES:
        same(name, actual.report, expected)


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.sensor_resample"),
        expect=expect,
        solve=solve,
        checks=[
            most_rows_are_about_right,
            the_right_buckets_appear,
            values_are_exact,
            resets_are_exact,
            gaps_are_exact,
            form_is_as_stated,
            long_bad_values_are_streamed_elsewhere,
            no_rows_give_headers_and_equal_bytes,
        ],
        edge=edge,
    )
