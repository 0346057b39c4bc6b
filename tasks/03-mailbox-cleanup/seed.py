"""Generated files of task 03: a household's current mailbox, and the archive that comes later.

Anchors give short forms: `plan` is the id `<plan@mail.example>`, `10 Jan 10:00` a Date of 2025 in UTC.
"""

import base64
import random
import re
import sys
import zlib
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

MESSAGES, THREADS, THREADS_OF_ANCHORS = 180, 42, 23  # of the current mailbox
SECRET = "ATTACHMENT-ONLY-9b1f"  # is in attachments and in nothing else
ANN, BOB, CAT = "Ann Lee <ann@home.example>", "Bob <bob@home.example>", "cat@work.example"


def ids(names: str) -> str:
    return " ".join(f"<{name}@mail.example>" for name in names.split())


def refs(names: str) -> str:
    return f"References: {ids(names)}"


def reply(names: str) -> str:
    return f"In-Reply-To: {ids(names)}"


def part(kind: str, data: str | bytes, encoding: str = "8bit", more: str = "") -> bytes:
    """A MIME entity: its headers, an empty line, its content. `data` is encoded here only for base64."""
    raw = data.encode() if isinstance(data, str) else data
    content = base64.encodebytes(raw) if encoding == "base64" else raw + b"\n"
    head = f"Content-Type: {kind}\nContent-Transfer-Encoding: {encoding}\n{more}\n"
    return head.encode() + content


def multi(kind: str, *parts: bytes, more: str = "") -> bytes:
    line = f"--=_{zlib.crc32(b''.join(parts)):08x}"
    head = f'Content-Type: multipart/{kind}; boundary="{line[2:]}"\n{more}\n'
    return head.encode() + b"".join(f"{line}\n".encode() + one for one in parts) + f"{line}--\n".encode()


def plain(text: str | bytes, charset: str = "utf-8") -> bytes:
    return part(f"text/plain; charset={charset}", text)


def html(text: str) -> bytes:
    return part("text/html; charset=utf-8", text)


def file(kind: str, data: str | bytes, disposition: str = "attachment") -> bytes:
    return part(kind, data, "base64", f'Content-Disposition: {disposition}; filename="file.bin"\n')


def mail(
    name: str | None,
    date: str | None,
    subject: str | None,
    *more: str,
    body: str | bytes = "",
    by: str = ANN,
    to: str = BOB,
) -> bytes:
    """A message without its separator line; `more` are header lines, and so is a `name` with a colon."""
    name = name if name is None or ":" in name else f"Message-ID: {ids(name)}"
    if date and (short := re.fullmatch(r"(\d+ \w+) (\d\d:\d\d)( \S+)?", date)):
        date = f"{short[1]} 2025 {short[2]}:00{short[3] or ' +0000'}"
    colon = "Subject:" if subject and subject.startswith("=") else "Subject: "
    head = [f"From: {by}", f"To: {to}", name, *more]
    head += [date if date is None else f"Date: {date}", subject if subject is None else colon + subject]
    content = body if isinstance(body, bytes) else plain(body or f"{subject}, by {by}")
    return "".join(f"{line}\n" for line in head if line is not None).encode() + content


INNER = b"Subject: Inner\nFrom: old@past.example\nMessage-ID: <in@mail.example>\n\nInner text\n"
FORWARDED = b"Content-Type: message/rfc822\n\n" + INNER
HTML = part("text/html; charset=iso-8859-1", "<p>Nur &amp;\n<b>sch=F6n</b></p>", "quoted-printable")
ATTACHED = multi("mixed", plain(SECRET), more="Content-Disposition: attachment\n")
BODIES = [
    part('TEXT/Plain; Charset="ISO-8859-1"', "Gr=FC=DFe, =\nsoft =3D", "Quoted-Printable"),
    part("text/plain; charset=koi8-r", "Привет,\r\n\r\nмир!".encode("koi8-r"), "base64"),
    multi("alternative", html("<p>not this</p>"), plain("plain wins")),
    multi("mixed", part("text/calendar", "BEGIN"), HTML, html("second")),
    multi("mixed", file("text/plain", SECRET, "ATTACHMENT"), plain("after the attachment")),
    multi("mixed", file("text/plain", "inline, though a file", "inline"), plain("second")),
    multi(
        "mixed",
        multi("related", multi("alternative", html("<p>x</p>"), plain("deep\u00a0 \u2028 inside"))),
        file("text/plain", SECRET),
        plain("footer"),
    ),
    multi("mixed", b"Content-Disposition: inline\n" + FORWARDED, html("<p>outer</p>")),
    multi("mixed", ATTACHED, file("text/html", SECRET), html("beside")),
    part("application/pdf", SECRET, "base64"),
    'X-Type: none\n\nNo type: é, "quoted"\n\n>From here\n>>From there =C3=A9\n\n\n'.encode(),
    plain("seven é bits", "us-ascii"),
    plain(b"good \xc3\xa9 bad \xff end"),
    file("text/plain; charset=utf-8", SECRET),
    multi("alternative", plain(" "), html("<p>not empty</p>")),
    multi("mixed", html(" "), html("<p>not empty</p>")),
    multi("alternative", html("<p>not this</p>"), b"\nwithout any header\n"),
]

CURRENT = [
    # Which copy of an id is kept.
    mail("later-second", "10 Jan 10:00", "Later second", body="first copy", to=CAT),
    mail("later-first", "12 Jan 10:00", "Later first", body="kept"),
    mail("later-first", "11 Jan 10:00", "Lost", "Cc: lost@home.example", refs("nowhere")),
    mail("later-second", "12 Jan 10:00", "Later second", "Cc: kept@home.example", body="kept"),
    mail("zones", "13 Jan 10:00 -0500", "Zones", body="15:00 in UTC"),
    mail("zones", "13 Jan 18:00 +0530", "Zones", body="12:30 in UTC"),
    mail("tie", "14 Jan 10:00", "Tie", body="first of the tie"),
    mail("tie", "14 Jan 12:00 +0200", "Tie", body="second of the tie"),
    mail("naive", "15 Jan 10:00 -0000", "Naive", body="10:00 in UTC"),
    mail("naive", "15 Jan 11:30 +0200", "Naive", body="09:30 in UTC"),
    mail("middle", "16 Jan 10:00", "Middle", body="one"),
    mail("middle", "Thu, 16 Jan 2025 12:00 GMT", "Middle", body="two"),
    mail("middle", "16 Jan 2025\n 12:00:01 +0000", "Middle", body="a second later"),
    mail("middle", "16 Jan 11:00", "Middle", body="four"),
    mail("no-such-day", "31 Feb 10:00", "Invalid first", body="invalid"),
    mail("no-such-day", "17 Jan 10:00", "Invalid first", body="valid"),
    mail("undated-copy", "18 Jan 10:00", "Invalid later", body="valid"),
    mail("undated-copy", None, "Invalid later", body="undated"),
    mail("undated-copy", "18 Jan 25:00", "Invalid later", body="hour 25"),
    mail("Case", "19 Jan 10:00", "Capital"),
    mail("case", "19 Jan 11:00", "Small", "REFERENCES: " + ids("Case")),
    mail("message-id: via relay <relayed@mail.example> for <x@mail.example>", "20 Jan 10:00", "Relayed"),
    mail("relayed", "20 Jan 11:00", "Relayed", body="second"),
    mail("Message-ID:\n <o'neil/#1>", "20 Jan 12:00", "Odd id", refs("relayed")),
    mail(None, "21 Jan 10:00", "No id", refs("no-ids"), body="the same"),
    mail(None, "21 Jan 10:00", "No id", refs("no-ids"), body="the same"),
    mail("Message-ID:", "21 Jan 11:00", "Empty id", refs("no-ids")),
    mail("Message-ID: 77@mail.example", "21 Jan 12:00", "Bare id", refs("no-ids")),
    mail("Message-ID: 77@mail.example", "21 Jan 12:00", "Bare id", refs("no-ids")),
    mail("Message-ID: <7 7@mail.example>", "21 Jan 13:00", "Id with a blank", refs("no-ids")),
    mail(None, "21 Jan 13:30", "Forwards one with an id", refs("no-ids"), body=FORWARDED),
    mail(None, "21 Jan 14:00", "Alone", body="neither id nor references"),
    mail("Message-ID: <>", "21 Jan 15:00", "Alone", "References:", "In-Reply-To: you", by=CAT),
    # Threads: `step` is in `plan`, but what answers it without References is not.
    mail("step", "2 Jan 09:00", "Re: Plan", refs("plan other"), reply("other")),
    mail("walk", "3 Jan 09:00", "Re: Plan", reply("step other")),
    mail("folded", "3 Jan 10:00", "Re: Plan", f"References:\n {ids('plan')}\n\t{ids('step')}"),
    mail("glued", "3 Jan 11:00", "Re: Plan", "References: <a b> <c" + ids("plan") + ids("step")),
    mail("plan", "1 Jan 23:30 -0500", "Plan", by="ANN@home.example"),
    mail("no-refs", "4 Jan 09:00", "Re: Plan", "References: none", "In-Reply-To: To\n " + ids("plan step")),
    mail("own", "5 Jan 09:00", "Re: Plan", "References:", "In-Reply-To: yesterday's call"),
    # Subjects: the earliest that is not empty; decoded first, then without prefixes.
    mail("s3", "6 Jan 12:00", "Third in time", refs("empty")),
    mail("s1", "6 Jan 10:00", "Re: fwd:", refs("empty")),
    mail("s2", "6 Jan 12:30 +0100", "FW:Re:  fwd: RE:\tSecond   in\n time", refs("empty")),
    mail("s0", "6 Jan 09:00", None, refs("empty")),
    mail("empty", "6 Jan 13:00", "What the thread is named after, but late"),
    mail("none", "6 Jan 13:00", "Re:"),
    mail(
        "cafe",
        "7 Jan 10:00",
        "=?utf-8?q?Re=3A_Caf=C3=A9?= =?ISO-8859-1?Q?_cr=E8me?=\n =?UTF-8?b?w6k=?= for =?utf-8?q?Re:?= two",
    ),
    mail("bad-bytes", "7 Jan 11:00", "Fwd: =?utf-8?q?Bad=FFbyte_=C3=A9?=", refs("cafe")),
    mail("regarding", "7 Jan 12:00", "Regarding: tea", refs("cafe")),
    mail("counted", "7 Jan 13:00", "Re[2]: tea", refs("cafe")),
    mail("spaced", "7 Jan 14:00", "Re : tea", refs("cafe")),
    mail("blanks", "7 Jan 15:00", "=?utf-8?q?_Re=3A=C2=A0Fw=3A_hard=C2=A0=C2=A0blank_?=", refs("cafe")),
    mail("quoted", "7 Jan 16:00", 'Re Fwd Salt, "pepper" and <b>', refs("cafe")),
    # People.
    mail(
        "people",
        "8 Jan 10:00",
        "People",
        'CC: "Old, m@old.example" <M@new.example>, =?utf-8?q?Doe=2C_J=C3=BCrgen?= <jd@b.example>,',
        " zoe@a.example (Zoe at work)",
        "Bcc: hidden@home.example",
        "Reply-To: desk@home.example",
        "Sender: robot@home.example",
        by='"Doe, Jane"\n <Jane@A.example>',
        to="zed@home.example, ZED@home.example,\n\tyan@home.example",
    ),
    # Equal times stay in the order of the kept copies.
    mail("moved", "9 Jan 08:00", "Order", refs("order")),
    mail("z-first", "9 Jan 10:00", "Order", refs("order")),
    mail("a-second", "9 Jan 11:00 +0100", "Order", refs("order")),
    mail("moved", "9 Jan 10:00", "Order", refs("order")),
    mail("by-text-last", "9 Jan 11:30 +0200", "Order", refs("order")),
    mail("body", "22 Jan 09:00", "Bodies"),
    *(mail(f"b{n}", f"22 Jan 10:{n:02}", "Body", refs("body"), body=one) for n, one in enumerate(BODIES)),
    # Mailing lists.
    mail(
        "l1",
        "23 Jan 10:00",
        "News",
        "List-Unsubscribe: <HTTPS://l.example/b?x=1,2>, <mailto:out@l.example?subject=stop>",
        "List-Unsubscribe: (old) <HTTP://l.example/\n  Z/a>, <ftp://l.example/f>, <https://l.example/a>",
        by='"News, Daily"\n <news@Lists.Example>',
    ),
    mail(
        "l2",
        "23 Jan 11:00",
        "News",
        refs("l1"),
        "list-unsubscribe:< MAILTO:Out@l.example >,<https://l.example/a>, <mailto:a@l.example>",
        by="other@lists.EXAMPLE, x@wrong.example",
    ),
    mail(
        "l3",
        "23 Jan 12:00",
        "News",
        refs("l1"),
        "List-Unsubscribe: https://bare.example/x, <httpx://no.example/>, <tel:1>",
        "List-Unsubscribe-Post: <https://no.example/post>",
        by="bare@nothing.example",
    ),
    mail("l4", "23 Jan 13:00", "News", refs("l1"), "List-Unsubscribe: <http://o/u>", by='"a@b"@web.example'),
    mail("l5", "23 Jan 14:00", "News", refs("l1"), "List-Unsubscribe: <mailto:p@p>", by="news@post.example"),
    mail("l6", "23 Jan 14:00", "News", refs("l1"), "List-Unsubscribe: <mailto:q@q>", by="news@copy.example"),
    mail("l6", "23 Jan 15:00", "News", refs("l1"), by="news@copy.example"),
]

ARCHIVE = [
    # Forwarded duplicates: a later copy takes its message into another thread; others lose.
    mail(
        "later-second", "1 Feb 10:00", "Fwd: Later", refs("forwarded"), body="archived", to="dee@home.example"
    ),
    mail("later-first", "1 Jan 10:00", "Fwd: Earlier", body="older"),
    mail("own", "yesterday at noon", "Fwd: Plan", body="invalid loses"),
    mail("tie", "14 Jan 05:00 -0500", "Fwd: Tie", body="third of the tie"),
    mail("l5", "2 Feb 10:00", "Fwd: News", refs("forwarded"), by="news@post.example"),
    mail("Message-ID:<Plan@mail.example>", "1 Mar 10:00", "Other case", reply("forwarded")),
    # Unknown dates: after the known ones, in the order of the kept copies.
    mail("u-late", None, "Undated", refs("plan"), body="no date at all", to="una@home.example"),
    mail("a-later", "Date unknown", "Undated", refs("plan"), body="not a date"),
    mail("after", "1 Feb 10:00", "Re: Plan", refs("plan")),
    mail("twice", None, "Twice: first", refs("plan"), body="first of two without a date"),
    mail("mid", "30 Feb 10:00", "Undated", refs("plan")),
    mail("twice", "1 Feb 24:00", "Twice: second", body="second of two without a date"),
    mail("second-valid", "31 Apr 10:00", "Invalid", body="invalid"),
    mail("second-valid", "3 Feb 10:00", "Valid", body="valid"),
    mail("lonely", "1 Feb 10:00 +9999", "Lonely", body="unknown alone"),
    mail("late-name", None, "Named by the undated", refs("unnamed")),
    mail("unnamed", "4 Feb 10:00", "Fwd:"),
    mail("not-name", "", "Not this", refs("named")),
    mail("named", "5 Feb 10:00", "Named by the dated"),
    mail(None, None, "No id, no date", refs("no-ids"), body="the same"),
    mail(None, None, "No id, no date", refs("no-ids"), body="the same"),
    mail(None, "soon", "Nothing at all"),
    mail(None, "6 Feb 10:00", "Alone in the archive"),
    # Lists: one domain that is there, by an undated message, and a new one.
    mail(
        "l7",
        None,
        "Old",
        "List-Unsubscribe: <https://l.example/0>, <mailto:a@l.example>",
        by="n@lists.example",
    ),
    mail("l8", "7 Feb 10:00", "Archive", "List-Unsubscribe: <mailto:u@u>", by="news@archive.example"),
]

EDGE = mail(
    "edge",
    "1 Jul 12:00",
    "=?x-fixture-unknown?q?Caf=C3=A9_=FF?=",
    "List-Unsubscribe: <mailto:edge@edge.example>",
    body=multi(
        "mixed",
        plain(b"Gr\xc3\xbc\xc3\x9fe \xff end", "x-fixture-unknown"),
        file("application/octet-stream", (SECRET.encode() + bytes(range(256))) * 215),
    ),
)

WORDS = "boiler garden school lease roof bicycle dentist piano ferry orchard ledger kitchen".split()
PEOPLE = ["Ida <ida@n.example>", "Omar <omar@s.example>", "li@e.example", '"West, Eve" <Eve@w.example>']


def filler(rng: random.Random, count: int, threads: int) -> list[bytes]:
    """`count` messages in `threads` threads, each with its root."""
    tags = [f"{tag:05x}" for tag in rng.sample(range(0x10000, 0xFFFFF), count)]
    messages: list[bytes] = []
    for index, tag in enumerate(tags):
        root = tags[index % threads]
        start = datetime(2025, 3, 1, tzinfo=timezone(timedelta(hours=rng.randrange(-8, 9))))
        date = f"{start + timedelta(minutes=rng.randrange(80_000)):%d %b %Y %H:%M:%S %z}"
        text = " ".join(rng.choices(WORDS, k=rng.randrange(8, 60)))
        body = rng.choice([plain(text), multi("alternative", html(f"<p>{text}</p>"), plain(text))])
        if rng.random() < 0.2:
            body = multi("mixed", body, file("image/png", SECRET.encode() + rng.randbytes(9_000)))
        more, subject = [refs(root), reply(root)], f"{WORDS[int(root, 16) % len(WORDS)]} {root}"
        if tag == root:
            more = [f"List-Unsubscribe: <https://list-{tag}.example/out>, <mailto:out@list-{tag}.example>"]
        else:
            subject = f"Re: {subject}"
        by, to = rng.sample(PEOPLE, 2)
        messages.append(
            mail(f"f{tag}" if tag != root else tag, date, subject, *more, body=body, by=by, to=to)
        )
    return messages


def current_filler(build: seeding.Build, rng: random.Random) -> list[bytes]:
    threads = build.size(THREADS - THREADS_OF_ANCHORS, 2)
    return filler(rng, build.size(MESSAGES - len(CURRENT), 5), threads)


def mixed(rng: random.Random, anchors: list[bytes], more: list[bytes]) -> list[bytes]:
    """Anchors and filler, each in its order, strewn into each other."""
    turns = [True] * len(anchors) + [False] * len(more)
    rng.shuffle(turns)
    anchor, other = iter(anchors), iter(more)
    return [next(anchor if turn else other) for turn in turns]


def write_mailbox(path: Path, messages: Iterable[bytes]) -> None:
    """Each message gets a separator line of its own, so that copies can be told apart."""
    entries: list[bytes] = []
    for number, message in enumerate(messages):
        relay = f"- {number}" if number % 3 == 1 else f"relay-{number}@mx.example Wed Jan 01 00:00:00 2025"
        entries.append(f"From {relay}\n".encode() + message + b"\n")
    fixtures.write_bytes(path, b"".join(entries))


def write_initial(build: seeding.Build) -> None:
    path = build.out / "inputs/current.mbox"
    if build.fixture == "edge":
        write_mailbox(path, [EDGE])
        return
    write_mailbox(path, mixed(build.rng, CURRENT, current_filler(build, build.rng)))


def write_archive(build: seeding.Build) -> None:
    """Anchors, forwarded copies of current filler (every second one is later), and threads of its own."""
    if build.fixture == "edge":
        return
    old = current_filler(build, build.rng_of("initial"))
    chosen = build.rng.sample(old, build.size(10, 2))
    dates = [f"Date: 1 {'Jan Jun'.split()[index % 2]} 2025 08:00:00 +0000" for index in range(len(chosen))]
    copies = [
        re.sub(rb"Date: .*", date.encode(), one, count=1) for one, date in zip(chosen, dates, strict=True)
    ]
    more = copies + filler(build.rng, build.size(20, 2), build.size(5, 1))
    write_mailbox(build.out / "inputs/archive.mbox", mixed(build.rng, ARCHIVE, more))


if __name__ == "__main__":
    seeding.main(3, {"initial": write_initial, "archive": write_archive})
