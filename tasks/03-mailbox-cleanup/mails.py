"""What task 03 expects: mailboxes read and threaded by the rules of TASK.md."""

import base64
import quopri
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime

MESSAGE = ["thread_id", "message_id", "date", "subject", "body"]
THREAD = ["thread_id", "subject", "participants", "first_date", "last_date", "message_count"]
LIST = ["sender_domain", "http_targets", "mailto_targets"]
WORD = re.compile(r"=\?([^?]+)\?([bq])\?([^?]*)\?=", re.IGNORECASE)

type Row = dict[str, str]


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
