"""Judges task 13: one incident's records out of 1.5 million, on raw and corrected clocks, its report, the
monitor.
"""

import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging, readers
from benchlib.candidate import CommandFailed, Fixture, Workspace
from incident import HEADER, REPORT, Evidence, Logs, evidence

MOSTLY, IDENTITY = 0.75, ["raw_timestamp", "service", "request_id"]
PLACE = ["source_file", "source_line"]
WINDOW = ("2025-04-17T14:00:00Z", "2025-04-17T14:30:00Z")
EDGE_WINDOW = ("2025-04-17T14:00:00Z", "2025-04-18T14:30:00Z")
OTHER_WINDOWS = {
    "both ends are a record's instant": ("2025-04-17T16:08:02+02:00", "2025-04-17T14:24:00Z"),
    "starts after the change": ("2025-04-17T14:08:02.000001Z", "2025-04-17T14:30:00Z"),
    "holds no incident": ("2025-04-17T14:12:00Z", "2025-04-17T14:27:59.999Z"),
}
SECONDS, MONITOR_SECONDS, ADDRESS_SPACE = 300, 20, 512 * 2**20
MONITOR_CASES = json.loads(Path(__file__).with_name("monitor-cases.json").read_text("utf-8"))

ANCHORS = {
    "main": ("2025.04.17.3", "ALTER TABLE customers DROP COLUMN customer_status"),
    "twin": ("2025.04.17.6", "ALTER TABLE shipments DROP COLUMN carrier_hint"),
}
ANCHOR_ROWS, ANCHOR_DELAY, EDGE_ROWS = 48, "6000 ms", 7


def expect(fixture: Fixture) -> Evidence:
    """Calculate the finished timeline and the report's lines."""
    expected = evidence(Logs(fixture), WINDOW)
    release, operation = ANCHORS[fixture.name]
    anchors = [
        f"Cause to user-visible failure: {ANCHOR_DELAY}",
        f"Release: {release}",
        f"Schema operation: {operation}",
    ]
    if len(expected.rows) != ANCHOR_ROWS or expected.report[4:] != anchors:
        raise judging.JudgeError(f"the anchors are missed: {len(expected.rows)} rows, {expected.report}")
    return expected


def run(
    workspace: Workspace,
    window: tuple[str, str] = WINDOW,
    logs: str = "inputs/logs",
    output: str = "output",
) -> Evidence:
    """Run the command and read both outputs."""
    start, end = window
    arguments = f"-m solution.incident {logs} --window-start {start} --window-end {end} --output {output}"
    workspace.python(*arguments.split(), seconds=SECONDS, address_space_bytes=ADDRESS_SPACE)
    outputs = workspace.outputs
    rows = outputs.csv(f"{output}/timeline.csv", HEADER)
    report = outputs.text(f"{output}/incident_report.md").split("\n")
    judged = [line.rstrip() for line in report if line.startswith(tuple(f"{words}:" for words in REPORT))]
    return Evidence(rows, judged, workspace.fixture, outputs.slips)


def solve(fixture: Fixture) -> Evidence:
    """Run the finished work; when that fails, say what the monitor does all the same."""
    try:
        return run(fixture.workspace())
    except (CommandFailed, readers.Unreadable) as error:
        problems = monitor_problems(fixture)
        verdict = comparing.listed(problems) if problems else "right in every case"
        raise CommandFailed(f"{error} (the monitor, judged by itself: {verdict})") from error


def probe(fixture: Fixture) -> None:
    """The module imports, or there is a monitor that is right."""
    try:
        judging.imports("solution.incident")(fixture)
    except CommandFailed:
        if monitor_problems(fixture):
            raise


def monitor_problems(fixture: Fixture) -> list[str]:
    """What the monitor gets wrong, a text a case."""
    workspace, problems = fixture.small().workspace(), []
    for case in MONITOR_CASES:
        lines = "".join(f"{line}\n" for line in case["lines"]).encode()
        try:
            done = workspace.python("monitor/monitor.py", stdin=lines, seconds=MONITOR_SECONDS)
            printed = readers.utf8(done.stdout, "its output").splitlines()
            alerts = [readers.parse_json(line, "its output") for line in printed]
            comparing.same_json("its output", alerts, [case["alert"]] if case["alert"] else [])
        except (CommandFailed, readers.Unreadable, comparing.Differs) as error:
            problems.append(f"{case['case']}: {error}")
    return problems


# The checks.


@judging.core
def most_of_the_incident_is_found(actual: Evidence, expected: Evidence) -> None:
    """At least three records in four are in the timeline, and it is no dump: at most twice as many rows as
    belong to it.
    """
    found = {tuple(row[name] for name in IDENTITY) for row in actual.rows}
    right = sum(tuple(row[name] for name in IDENTITY) in found for row in expected.rows)
    comparing.require(
        right >= MOSTLY * len(expected.rows) and len(actual.rows) <= 2 * len(expected.rows),
        f"{len(actual.rows)} rows with {right} of the incident's {len(expected.rows)} records",
    )


def timeline_is_exact(actual: Evidence, expected: Evidence) -> None:
    """The timeline holds exactly the incident's records, every field right, in corrected order."""
    comparing.same_rows("timeline.csv", actual.rows, expected.rows, key=PLACE)


def report_names_its_anchors(actual: Evidence, expected: Evidence) -> None:
    """The report has each of its seven lines once, with the right value."""
    same_report("incident_report.md", actual, expected)


def lines_end_as_stated(actual: Evidence, expected: Evidence) -> None:
    """Both outputs use LF and end with a newline."""
    comparing.lines_end_with_lf(actual.slips)


def earlier_states_hold(actual: Evidence, expected: Evidence) -> None:
    """Without offsets, with and without the recovered log, raw instants decide; a run replaces the last."""
    fixture = actual.fixture.small()
    workspace = fixture.workspace(upto="initial")
    same_evidence("before the recovery", run(workspace), evidence(Logs(fixture, "initial"), WINDOW))
    workspace.add_stage("recovered-db")
    same_evidence("before the offsets", run(workspace), evidence(Logs(fixture, "recovered-db"), WINDOW))


def the_window_decides(actual: Evidence, expected: Evidence) -> None:
    """Both ends belong to the window; another window may hold another incident or none. The logs and their
    offsets lie elsewhere, beside a folder that is called like a log; a new folder takes the outputs.
    """
    fixture = actual.fixture.small()
    workspace, logs, problems = fixture.workspace(), Logs(fixture), []
    (workspace.root / "inputs").rename(workspace.root / "elsewhere")
    (workspace.root / "elsewhere/logs/old.log").mkdir()
    for name, window in OTHER_WINDOWS.items():
        try:
            found = run(workspace, window, "elsewhere/logs", "output/new/deep")
            same_evidence(f"window that {name}", found, evidence(logs, window))
        except (CommandFailed, readers.Unreadable, comparing.Differs) as error:
            problems.append(str(error))
    comparing.require(not problems, comparing.listed(problems))


def same_evidence(what: str, actual: Evidence, expected: Evidence) -> None:
    comparing.same_rows(what, actual.rows, expected.rows, key=PLACE, may_be_empty=True)
    same_report(f"{what}, the report", actual, expected)


def same_report(what: str, actual: Evidence, expected: Evidence) -> None:
    found, wanted = Counter(actual.report), Counter(expected.report)
    problems = [f"no line {line!r}" for line in wanted - found]
    problems += [f"unexpected line {line!r}" for line in found - wanted]
    comparing.require(not problems, f"{what}: {comparing.listed(problems)}")


def monitor_alerts_once_for_the_pattern(actual: Evidence, expected: Evidence) -> None:
    """The monitor prints the one right alert where the pattern is, and nothing where it is not."""
    fixture = actual.fixture
    if fixture.name == "main":  # it reads no fixture: the twin would tell nothing new
        problems = monitor_problems(fixture)
        comparing.require(not problems, comparing.listed(problems))


def edge(fixture: Fixture) -> None:
    """Records with the same request id are not joined over more than 15 minutes, nor on the next day."""
    expected = evidence(Logs(fixture), EDGE_WINDOW).rows
    if len(expected) != EDGE_ROWS:
        raise judging.JudgeError(f"the edge's anchors are missed: {expected}")
    actual = run(fixture.workspace(), EDGE_WINDOW).rows
    found, wanted = (
        sorted(tuple(row[name] for name in IDENTITY) for row in rows) for rows in (actual, expected)
    )
    joined = [row for row in found if row not in wanted]
    comparing.require(not joined, f"unexpected records: {joined}")
    comparing.same("the edge's records", found, wanted)


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/", "monitor/"],
        probe=probe,
        expect=expect,
        solve=solve,
        checks=[
            most_of_the_incident_is_found,
            timeline_is_exact,
            report_names_its_anchors,
            lines_end_as_stated,
            earlier_states_hold,
            the_window_decides,
            monitor_alerts_once_for_the_pattern,
        ],
        edge=edge,
    )
