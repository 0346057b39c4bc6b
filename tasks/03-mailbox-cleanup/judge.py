"""Judges task 03: one mailbox is cleaned first, then the archive comes and both are cleaned together."""

import base64
import quopri
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace
from benchlib.readers import Unreadable

SECONDS = 60.0
MOSTLY = 0.6
OUTPUT_LIMIT = 16 << 20
CURRENT, ARCHIVE = "inputs/current.mbox", "inputs/archive.mbox"
MESSAGE = ["thread_id", "message_id", "date", "subject", "body"]
THREAD = ["thread_id", "subject", "participants", "first_date", "last_date", "message_count"]
LIST = ["sender_domain", "http_targets", "mailto_targets"]
SECRET = b"ATTACHMENT-ONLY-9b1f"
WORD = re.compile(r"=\?([^?]+)\?([bq])\?([^?]*)\?=", re.IGNORECASE)

type Row = dict[str, str]

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
class Cleaned:
    """The four outputs of one run, as expected or as found."""

    entries: list[bytes]
    messages: list[Row]
    threads: list[Row]
    lists: list[Row]
    slips: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    """CSV files with attachment bytes."""


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


def split(mailbox: bytes) -> list[bytes]:
    return re.split(rb"(?m)^(?=From )", mailbox)[1:]


@dataclass
class Mail:
    """What counts of one entry."""

    entry: bytes
    place: int
    known: datetime | None
    row: Row
    people: list[str]
    offers: list[tuple[str, str]]


def calculate(entries: list[bytes]) -> Cleaned:
    """The right outputs for entries in input order."""
    mails = [read(entry, place) for place, entry in enumerate(entries)]
    latest_first = sorted(mails, key=lambda mail: mail.known is None or -mail.known.timestamp())
    best: dict[str, Mail] = {}
    for mail in latest_first:
        best.setdefault(mail.row["message_id"] or str(mail.place), mail)
    # A blank date would sort first.
    kept = sorted(
        best.values(), key=lambda mail: (mail.row["thread_id"], mail.row["date"] or "unknown", mail.place)
    )
    threads: dict[str, list[Mail]] = {}
    for mail in kept:
        threads.setdefault(mail.row["thread_id"], []).append(mail)
    offers = {offer for mail in kept for offer in mail.offers}
    lists: list[Row] = []
    for name in sorted({domain for domain, _ in offers}):
        found = sorted(target for domain, target in offers if domain == name)
        http, mailto = (
            ";".join(one for one in found if one.lower().startswith(start)) for start in ("http", "mailto")
        )
        lists.append({"sender_domain": name, "http_targets": http, "mailto_targets": mailto})
    return Cleaned(
        entries=[mail.entry for mail in kept],
        messages=[mail.row for mail in kept],
        threads=[thread(thread_id, mails) for thread_id, mails in threads.items()],
        lists=lists,
    )


def thread(thread_id: str, mails: list[Mail]) -> Row:
    dates = sorted(mail.row["date"] for mail in mails if mail.known) or [""]
    subjects = [mail.row["subject"] for mail in mails if mail.row["subject"]] or [""]
    people = ";".join(sorted({address for mail in mails for address in mail.people}))
    values = (thread_id, subjects[0], people, dates[0], dates[-1], str(len(mails)))
    return dict(zip(THREAD, values, strict=True))


def read(entry: bytes, place: int) -> Mail:
    """Read one entry of a pristine mailbox."""
    raw = entry.split(b"\n", 1)[1]
    head = raw.split(b"\n\n", 1)[0].decode("ascii")
    lines = re.sub(r"\n(?=[ \t])", "", head).split("\n")
    headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    first = dict(reversed(headers))
    known = point_in_time(first.get("date", ""))
    own, *named = (
        re.findall(r"<[^<>\s]+>", first.get(name, "")) for name in ("message-id", "references", "in-reply-to")
    )
    roots = [*(name for found in named for name in found[:1]), *own[:1], f"missing-{place:06}"]
    row = {
        "thread_id": roots[0],
        "message_id": "".join(own[:1]),
        "date": f"{known:%Y-%m-%dT%H:%M:%SZ}" if known else "",
        "subject": re.sub(r"(?i)^((re|fwd?):\s*)+", "", one_line(decoded_words(first.get("subject", "")))),
        "body": body_of(raw),
    }
    senders, *others = (getaddresses([first.get(name, "")]) for name in ("from", "to", "cc"))
    people = [address.lower() for some in (senders, *others) for _, address in some if address]
    domain = senders[0][1].lower().split("@")[-1]
    found = [re.findall("<(.*?)>", value) for name, value in headers if name == "list-unsubscribe"]
    targets = ["".join(target.split()) for some in found for target in some]
    offers = [(domain, target) for target in targets if re.match("(?i)https?://|mailto:", target)]
    return Mail(entry, place, known, row, people, offers)


def point_in_time(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)


def one_line(text: str) -> str:
    return " ".join(text.split())


def quoted(text: str) -> bytes:
    return quopri.decodestring(text, header=True)


def decoded_words(text: str) -> str:
    def word(found: re.Match[str]) -> str:
        charset, how, data = found.groups()
        decode: Callable[[str], bytes] = base64.b64decode if how in "Bb" else quoted
        return decode(data).decode(charset, "replace")

    return WORD.sub(word, re.sub(r"\?=\s+=\?", "?==?", text))


def body_of(raw: bytes) -> str:
    parts = list(shown_parts(message_from_bytes(raw)))
    for kind in ("text/plain", "text/html"):
        for part in parts:
            if part.get_content_type() == kind:
                data = part.get_payload(decode=True)
                assert isinstance(data, bytes)
                return one_line(data.decode(part.get_content_charset("utf-8"), "replace"))
    return ""


def shown_parts(part: Message) -> Iterator[Message]:
    if part.get_content_disposition() == "attachment" or part.get_content_type() == "message/rfc822":
        return
    if part.get_content_maintype() != "multipart":
        yield part
        return
    for inner in part.get_payload():
        assert isinstance(inner, Message)
        yield from shown_parts(inner)


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
