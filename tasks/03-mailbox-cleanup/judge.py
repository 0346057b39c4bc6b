"""Judges task 03: one mailbox is cleaned first, then the archive comes and both are cleaned together."""

import base64
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace
from benchlib.readers import Unreadable
from mails import LIST, MESSAGE, THREAD, Cleaned, Row, calculate, split

SECONDS = 60.0
MOSTLY = 0.6
OUTPUT_LIMIT = 16 << 20
CURRENT, ARCHIVE = "inputs/current.mbox", "inputs/archive.mbox"
SECRET = b"ATTACHMENT-ONLY-9b1f"

# Thread, date, subject and body, by id; ids without their brackets and host.
FIRST_ANCHORS = {
    "later-second": ("later-second", "2025-01-12T10:00:00Z", "Later second", "kept"),
    "zones": ("zones", "2025-01-13T15:00:00Z", "Zones", "15:00 in UTC"),
    "b0": ("body", "2025-01-22T10:00:00Z", "Body", "Grüße, soft ="),
    "b7": ("body", "2025-01-22T10:07:00Z", "Body", "<p>outer</p>"),
    "b11": ("body", "2025-01-22T10:11:00Z", "Body", "seven \ufffd\ufffd bits"),
}
LAST_ANCHORS = {
    "later-second": ("forwarded", "2025-02-01T10:00:00Z", "Later", "archived"),
    "tie": ("tie", "2025-01-14T10:00:00Z", "Tie", "first of the tie"),
    "twice": ("plan", "", "Twice: first", "first of two without a date"),
}


@dataclass
class Work:
    """The two runs over one workspace; a run that failed is kept as its reason."""

    workspace: Workspace
    first: Cleaned | Exception
    second: Cleaned | Exception


@dataclass
class Expected:
    """What is right for the current mailbox, for both, and for three without list mail in another order."""

    first: Cleaned
    second: Cleaned
    three: Cleaned
    mailboxes: dict[str, bytes]
    """The three, by name, in the order of the arguments."""


def expect(fixture: Fixture) -> Expected:
    """Calculate all results from the pristine mailboxes; they must agree with the values above."""
    current, archive = (split(fixture.file(path).read_bytes()) for path in (CURRENT, ARCHIVE))
    middle = len(archive) // 2
    three = {"late.mbox": archive[middle:], "box": current, "early.mbox": archive[:middle]}
    three = {
        name: [one for one in some if b"\nlist-unsub" not in one.lower()] for name, some in three.items()
    }
    first, second = calculate(current), calculate(current + archive)
    for result, anchors in ((first, FIRST_ANCHORS), (second, LAST_ANCHORS)):
        rows = [tuple(row.values()) for row in result.messages]
        right = {name: (long_id(values[0]), long_id(name), *values[1:]) for name, values in anchors.items()}
        if wrong := [name for name, row in right.items() if row not in rows]:
            raise judging.JudgeError(f"the calculation misses the anchors {wrong}")
    contents = {name: b"".join(entries) for name, entries in three.items()}
    return Expected(first, second, calculate([one for some in three.values() for one in some]), contents)


def long_id(name: str) -> str:
    return f"<{name}@mail.example>"


def solve(fixture: Fixture) -> Work:
    """Run the command before the archive comes, and again over the same workspace when it is there."""
    workspace = fixture.workspace(upto="initial")
    first = judging.tried(lambda: clean(workspace, "output", CURRENT, "--output", "output"))
    workspace.add_stage("archive")
    second = judging.tried(lambda: clean(workspace, "output", CURRENT, ARCHIVE, "--output", "output"))
    if isinstance(first, Exception) and isinstance(second, Exception):
        raise first
    return Work(workspace, first, second)


def clean(workspace: Workspace, output: str, *arguments: str) -> Cleaned:
    """Run the command and read its four outputs."""
    workspace.python("-m", "solution.mailbox_clean", *arguments, seconds=SECONDS)
    outputs = workspace.outputs
    outputs.slips.clear()
    mailbox = outputs.content(f"{output}/cleaned.mbox", OUTPUT_LIMIT)
    if mailbox and not mailbox.startswith(b"From "):
        raise Unreadable(f"{output}/cleaned.mbox: must begin with a separator line (`From `)")
    headers = {"messages.csv": MESSAGE, "threads.csv": THREAD, "unsubscribe.csv": LIST}
    rows = [outputs.csv(f"{output}/{name}", header, OUTPUT_LIMIT) for name, header in headers.items()]
    secrets = (SECRET, base64.b64encode(SECRET)[:24])
    contents = {name: outputs.content(f"{output}/{name}", OUTPUT_LIMIT) for name in headers}
    leaks = [name for name, content in contents.items() if any(secret in content for secret in secrets)]
    return Cleaned(split(mailbox), *rows, slips=list(outputs.slips), leaks=leaks)


def both(actual: Work, expected: Expected) -> Iterator[tuple[str, Cleaned, Cleaned]]:
    """What was found and what is wanted, for one mailbox and for two."""
    yield "one mailbox", judging.made(actual.first), expected.first
    yield "two mailboxes", judging.made(actual.second), expected.second


def mostly(what: str, actual: list[Row], expected: list[Row], fields: list[str]) -> None:
    """Most fields of most rows are right; brackets around ids do not count here."""
    found, wanted = (
        Counter((row[fields[0]].strip("<>"), name, row[name]) for row in rows for name in fields[1:])
        for rows in (actual, expected)
    )
    right, most = (found & wanted).total(), max(found.total(), wanted.total())
    comparing.require(right >= MOSTLY * most, f"{right} of {most} fields of {what} are right")


@judging.core
def most_messages_are_right(actual: Work, expected: Expected) -> None:
    """For one mailbox, most dates, subjects and bodies in messages.csv are right."""
    found, wanted = judging.made(actual.first).messages, expected.first.messages
    mostly("messages.csv", found, wanted, ["message_id", "date", "subject", "body"])


@judging.core
def most_threads_are_right(actual: Work, expected: Expected) -> None:
    """For one mailbox, most fields of threads.csv are right."""
    mostly("threads.csv", judging.made(actual.first).threads, expected.first.threads, THREAD)


def the_right_copies_are_kept(actual: Work, expected: Expected) -> None:
    """cleaned.mbox has one copy of each id, the right one, and all without an id, byte for byte."""
    for when, found, wanted in both(actual, expected):
        entries, right = Counter(found.entries), Counter(wanted.entries)
        missing, extra = list((right - entries).elements()), list((entries - right).elements())
        named = "; ".join(
            f"{what} {shown_entry(some[0])}"
            for what, some in (("missing", missing), ("unexpected", extra))
            if some
        )
        comparing.require(
            entries == right,
            f"{when}: cleaned.mbox: {len(missing)} missing, {len(extra)} unexpected: {named}",
        )


def shown_entry(entry: bytes) -> str:
    found = re.search(rb"(?im)^message-id:.*", entry)
    return comparing.shown(
        (entry.split(b"\n", 1)[0] + b" " + (found[0] if found else b"without id")).decode("latin-1")
    )


def threads_are_exact(actual: Work, expected: Expected) -> None:
    """threads.csv has each thread with its subject, people, dates and number of messages."""
    for when, found, wanted in both(actual, expected):
        comparing.same_rows(f"{when}, threads.csv", found.threads, wanted.threads, key=["thread_id"])


def text_is_decoded(actual: Work, expected: Expected) -> None:
    """Subjects and bodies of the messages that are there are decoded, from the right part."""
    for when, found, wanted in both(actual, expected):
        rows = {row["message_id"]: row for row in found.messages if row["message_id"]}
        there = [row for row in wanted.messages if row["message_id"] in rows]
        comparing.require(len(there) >= MOSTLY * len(wanted.messages), f"{when}: most messages are missing")
        for row in there:
            for name in ("subject", "body"):
                what = f"{when}, messages.csv, {row['message_id']}, {name}"
                comparing.same(what, rows[row["message_id"]][name], row[name])


def attachments_stay_out(actual: Work, expected: Expected) -> None:
    """No CSV file has bytes of an attachment, and messages.csv is not empty."""
    for when, found, _ in both(actual, expected):
        comparing.require(bool(found.messages), f"{when}: messages.csv has no rows")
        comparing.require(not found.leaks, f"{when}: attachment bytes in {', '.join(found.leaks)}")


def order_and_form_are_as_stated(actual: Work, expected: Expected) -> None:
    """messages.csv has its ids and dates in order, cleaned.mbox has the same order, lines end with LF."""
    for when, found, wanted in both(actual, expected):
        key = ["thread_id", "message_id", "date"]
        comparing.same_rows(f"{when}, messages.csv", found.messages, wanted.messages, key=key, fields=key)
        same_order(when, found.entries, wanted.entries)
        comparing.require(not found.slips, f"{when}: {comparing.listed(found.slips)}")


def same_order(when: str, found: list[bytes], wanted: list[bytes]) -> None:
    """Entries that are in both stand in equal order."""
    common = Counter(found) & Counter(wanted)
    ours, theirs = ([entry for entry in entries if entry in common] for entries in (found, wanted))
    for place, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        note = f"{when}, cleaned.mbox: entry {place} is {shown_entry(one)}, expected {shown_entry(other)}"
        comparing.require(one == other, note)
    comparing.require(len(common) >= MOSTLY * len(wanted), f"{when}, cleaned.mbox: most entries are missing")


def unsubscribe_targets_are_exact(actual: Work, expected: Expected) -> None:
    """unsubscribe.csv has each domain with its targets."""
    for when, found, wanted in both(actual, expected):
        comparing.same_rows(f"{when}, unsubscribe.csv", found.lists, wanted.lists, key=["sender_domain"])


def any_mailboxes_are_taken(actual: Work, expected: Expected) -> None:
    """Three mailboxes elsewhere, named after `--output` and without list mail, are cleaned in their order."""
    folder = actual.workspace.root / "elsewhere"
    folder.mkdir()
    for name, content in expected.mailboxes.items():
        (folder / name).write_bytes(content)
    paths = [f"elsewhere/{name}" for name in expected.mailboxes]
    output = "output/new/folder"
    found, wanted = clean(actual.workspace, output, "--output", output, *paths), expected.three
    comparing.same_rows("three mailboxes, messages.csv", found.messages, wanted.messages, key=MESSAGE)
    comparing.same_rows("three mailboxes, threads.csv", found.threads, wanted.threads, key=["thread_id"])
    comparing.same("three mailboxes without list mail: rows of unsubscribe.csv", found.lists, [])
    comparing.require(found.entries == wanted.entries, "three mailboxes: cleaned.mbox differs")


def edge(fixture: Fixture) -> None:
    """An unknown charset counts as UTF-8, with replacement; the large attachment stays out."""
    found = clean(fixture.workspace(), "output", CURRENT, "--output", "output")
    comparing.same("the edge's bodies", [row["body"] for row in found.messages], ["Grüße \ufffd end"])
    for name, rows in (("messages.csv", found.messages), ("threads.csv", found.threads)):
        comparing.same(f"the edge's subjects in {name}", [row["subject"] for row in rows], ["Café \ufffd"])
    comparing.require(not found.leaks, f"attachment bytes in {', '.join(found.leaks)}")


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.mailbox_clean"),
        expect=expect,
        solve=solve,
        checks=[
            most_messages_are_right,
            most_threads_are_right,
            the_right_copies_are_kept,
            threads_are_exact,
            text_is_decoded,
            attachments_stay_out,
            order_and_form_are_as_stated,
            unsubscribe_targets_are_exact,
            any_mailboxes_are_taken,
        ],
        edge=edge,
    )
