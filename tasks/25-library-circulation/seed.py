"""Generated files of task 25: patrons, catalog, the log of transactions, and its corrections.

An anchor is a number, one or two zones, and events in file order, each `word item time [value] [#id] [@2]`:
the item's letter is a key of TERMS, the time MMDDTHH[:MM[:SS]][offset], `#` sets the end of the
transaction's id, and `@2` is the anchor's second patron. A correction is `void id` or `replace id event`.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Transaction = tuple[str, ...]  # id, item, patron, kind, timestamp, due date, amount
type Placed = tuple[float, Transaction]  # with its place in the file, in days
type Terms = tuple[str, str, str]  # daily fine, lost fee, cap
type Step = tuple[str, datetime, str, datetime | None, str]

HEADER = "transaction_id,item_id,patron_id,kind,timestamp,due_date,amount".split(",")
NOTHING = ("",) * len(HEADER)
KINDS = {
    "out": "checkout",
    "renew": "renew",
    "back": "return",
    "lost": "mark-lost",
    "waive": "waive-fine",
    "found": "restore",
}
TERMS: dict[str, Terms] = {
    "A": ("1.00", "25.00", "10.00"),
    "B": ("0.145", "15.00", "5.00"),
    "C": ("1.25", "20.00", "3.00"),
    "D": ("0.15", "15.00", "5.00"),
    "E": ("1", "30.00", "99.00"),
    "G": ("2.00", "50.00", "8.00"),
    "H": ("0.50", "12.00", "0.00"),
    "K": ("1.00", "1234567890123456.78", "10.00"),  # no binary float has these cents
}

DAYS_AND_CAPS = """
2001 UTC | out A 0801T14 0805 | back A 0806T23:59:59
2002 UTC | out A 0801T14 0805 | back A 0807T00
2003 UTC | out A 0801T14 0830 | out A2 0801T15 0831 | out A3 0801T16 0829
2004 Asia/Tokyo | out A 0801T14 0830
2005 America/New_York | out A 0801T14 0805 | back A 0807T03:59:59
2006 America/New_York | out A 0801T14 0805 | back A 0807T04
2007 America/New_York | out A 0201T14 0205 | back A 0207T04:30
2008 Asia/Kolkata | out A 0801T14 0805 | back A 0806T18:29:59 | out A2 0801T14 0805 | back A2 0806T18:30
2009 America/New_York Asia/Tokyo | out A 0801T14 0805 | out A 0807T02 0910 @2
2010 UTC | out A 0805T10 0801 | back A 0807T10
2011 UTC | out A 0720T09 0801 | back A 0812T10 | out A 0812T11 0814 | back A 0830T10
2012 UTC | out C 0720T09 0801 | back C 0805T09 | out C2 0720T09 0801 | back C2 0804T09
2013 UTC | out A 0720T09 0801 | renew A 0810T10 0812 | back A 0820T10
2014 UTC | out B 0801T10 0805 | back B 0807T10
2015 UTC | out B 0801T10 0805 | back B 0807T10 | out B2 0801T10 0805 | back B2 0807T10
2016 Asia/Tokyo | out A 0801T10 0805 | renew A 0806T15 0820 | back A 0810T10
2017 UTC | out B 0801T10 0805 | back B 0809T10
2018 UTC | out H 0801T10 0805 | back H 0808T10
2019 Asia/Kolkata | out A 0801T10 0805 | out A 0806T18:30 0910 | out G 0806T18:30 0801 | back G 0809T10
2020 Europe/London | out E 0801T10 0805 | back E 0820T10
"""
RENEWED_AND_LOST = """
2021 UTC | out A 0720T09 0801 | renew A 0804T10 0820 | back A 0810T10
2022 UTC | out A 0801T09 0805 | renew A 0804T10 0810 | back A 0814T10
2023 UTC | out A 0801T09 0820 | renew A 0810T10 0805 | back A 0813T10
2024 UTC | out A 0801T09 0805 | renew A 0809T10 0803 | back A 0811T10
2025 UTC | renew A 0801T09 0910 | out A 0801T10 0805 | back A 0804T10 | renew A 0806T10 0920
2026 UTC UTC | out A 0820T10 0828 | renew A 0825T10 0910 @2
2027 UTC | out A 0801T10 0805 | lost A 0807T10 | renew A 0810T10 0905
2028 UTC | out E 0720T10 0801 | lost E 0804T10
2029 UTC | out A 0801T10 0910 | lost A 0804T10 | lost A 0806T10
2030 UTC | out A 0801T10 0910 | lost A 0804T10 | found A 0805T10 | lost A 0806T10
2031 UTC | out A 0801T10 0910 | found A 0804T10 | out A2 0801T10 0910 | lost A2 0803T10
2032 UTC | out A 0801T10 0805 | lost A 0804T10 | back A 0808T10 | found A 0809T10
2033 UTC | out A 0801T10 0805 | lost A 0804T10 | back A 0808T10
2034 UTC UTC | lost A 0801T10 | out A 0802T10 0910 | lost A 0803T10 @2
2035 UTC UTC | out A 0801T10 0910 | lost A 0803T10 | found A 0804T10 @2
2036 UTC UTC | out A 0801T10 0910 | back A 0805T10 @2
2037 UTC UTC | out A 0801T10 0805 | lost A 0803T10 | out A 0808T10 0910 @2
2038 UTC | out A 0801T10 0805 | out A 0808T10 0812 | back A 0825T10
2039 UTC | out A 0801T10 0805 | lost A 0804T10 | found A 0810T10 | back A 0812T10
2040 UTC | out A 0801T10 0805 | lost A 0803T10 | out A 0808T10 0910
"""
WAIVED = """
2041 UTC | out A 0720T10 0801 | back A 0805T10 | waive A 0810T10 5.00 | out A2 0811T10 0812 | back A2 0815T10
2042 UTC | waive A 0720T10 5.00 | out A 0721T10 0801 | back A 0805T10
2043 UTC | out E 0720T10 0801 | waive E 0804T12 10.00
2044 America/New_York | out E 0720T10 0801 | waive E 0804T02 10.00
2045 UTC | out A 0720T10 0801 | lost A 0804T10 | waive A 0805T10 20.00 | found A 0806T10 | back A 0808T10
2046 UTC | out A 0720T10 0801 | out E 0720T10 0801 | lost A 0804T10 | waive A 0805T10 35.00 \
| found A 0806T10 | back A 0808T10
2047 UTC | out A 0720T10 0801 | lost A 0805T10 | waive A 0806T10 3.00 | found A 0807T10 | back A 0808T10
2048 UTC | out A 0720T10 0801 | back A 0805T10 | waive - 0806T10 1.00 | waive B 0807T10 0.50
2049 UTC | out B 0720T10 0801 | back B 0803T10 | waive B 0804T10 5.00 | out B2 0810T10 0812 | back B2 0814T10
2050 UTC | out A 0720T10 0801 | back A 0803T10 | waive A 0803T10 1.00
2051 UTC | out A 0720T10 0801 | out E 0720T10 0801 | waive B 0804T10 9.00 | back A 0805T10 | back E 0805T10
2052 America/New_York | out A 0801T14 0805 | waive A 0807T04 5.00 | back A 0810T14
2053 UTC | out A 0720T10 0801 | lost A 0803T10 | waive A 0803T12 26.00 | found A 0804T00 | back A 0804T10
2054 UTC | out K 0720T10 0801 | lost K 0804T10 | waive K 0805T10 0.02
"""
ORDER = """
2061 UTC | out A 0801T10 0910 | waive A 0804T10 99.00 #9 | lost A 0804T10 #10
2062 UTC | out A 0801T10 0910 | lost A 0804T10 #2 | waive A 0804T10 99.00 #1
2063 UTC | out A 0801T10 0805 | back A 0804T10 #b | out A 0804T10 0910 #a
2064 UTC | out A 0820T10 0901 | back A 0831T23:59:59 | out A2 0820T10 0901 | back A2 0901T00
2065 UTC | out A 0820T10 0910 | lost A 0901T01:59:59+02:00 | out A2 0820T10 0910 | lost A2 0831T23:30-01:00 \
| out A3 0901T10 0920 | waive A 0901T10 9.00
2066 UTC | out A 0801T10 0910 | found A 0809T20 | lost A 0810T01+09:00
2067 UTC | out A 0801T10 0805 | back A 0807T01+05:30 | out A2 0801T10 0805 | back A2 0806T22-05:00
2068 UTC | renew A 0804T10 0820 | out A 0720T10 0801 | back A 0810T10
2069 UTC | waive A 0810T10 5.00 | out A 0720T10 0801 | back A 0805T10
2070 UTC
"""
CORRECTED = """
2081 America/New_York | out A 0801T14 0805 | renew A 0804T14 0810 | back A 0814T14 #R
2082 Europe/London | out G 0801T09 0820 | lost G 0825T09 #L
2083 UTC | out A 0720T10 0801 #C | renew A 0802T10 0803
2084 UTC | out A 0720T10 0801 | back A 0805T10 #R
2085 UTC | out A 0720T10 0801 | back A 0805T10
2086 UTC | out A 0720T10 0801 | back A 0805T10 #R
2087 UTC UTC | out A 0820T10 0910 #C
2088 UTC | out A 0820T10 0910 #C
2089 UTC | out A 0820T10 0910 #C
2090 UTC | out A 0720T10 0801 | back A 0803T10 #R | waive A 0820T10 50.00
2091 UTC | out B 0801T10 0805 #C | back B 0807T10 #R
2092 UTC | out A 0820T10 0910 | back A 0825T10 #R
2093 UTC | out A9 0820T10 0910 #C | out A10 0820T10 0910 | out A 0820T10 0910
2094 UTC | out A 0720T10 0801 | back A 0805T10 | waive A 0806T10 2.00 #W
2095 UTC | out B 0801T10 0805 | back B 0808T10 #R
2096 UTC | out A 0720T10 0801 | back A 0805T10 #R
"""
CORRECTIONS = """
2081 void R
2082 replace L renew G 0825T09 0915 #L2
2083 void C
2084 replace R back A 0807T01+05:30 #R
2085 replace none waive A 0820T10 1.00 #N
2086 replace R back A 0806T10 #N
2086 void N
2086 void R
2070 void none
2087 replace C out A 0820T10 0910 #C @2
2088 replace C out A2 0820T10 0910 #C2
2089 replace C out A 0820T10 0915 #C2
2090 replace R back A 0806T10 #R2
2091 replace C out D 0801T10 0805 #C2
2091 replace R back D 0807T10 #R2
2092 replace R back A 0902T10 #R2
2093 void C
2094 void W
2095 replace R back B 0807T10 #R2
2096 replace R back A 0807T10 #R2
2096 replace R waive A 0808T10 2.00 #W
"""
NAMES = ["Ada Wren", "Zoë Ōmura", "Lee, Sam", 'Ann "Nan" Ortiz', "Jürgen Weiß", "Ravi Nair", "Kim O’Dea"]
NOTES = [
    "Handed over at the desk, card shown, nothing to add to the record",
    "Patron phoned first, asked for the large print edition as well",
    'Label reads "return by Monday", torn, replaced by the morning shift',
    "Hülle fehlt, Beilage vollständig, im Magazin zwei geprüft – siehe Liste 7",
    "First line of a longer remark about the shelf mark\nand its second line, with a comma",
    "Copied from the old system:\nT-1,A-2002,P-2002,return,2025-08-02T09:00:00Z,,,Main,M-1,none",
]
BRANCHES = ["Main", "Harbour Side", "North Gate", "Old Mill, ground floor"]
ZONES = ["UTC", "Europe/London", "America/New_York", "America/Los_Angeles", "Asia/Tokyo", "Asia/Kolkata"]
FILLER_TERMS: list[Terms] = [("0.10", "15.00", "5.00"), ("0.25", "22.50", "4.00"), ("0.145", "30.00", "7.50")]
START, END = datetime(2025, 1, 2, tzinfo=UTC), datetime(2025, 9, 4, tzinfo=UTC)
DAY = timedelta(days=1)


def event(number: str, text: str, default_id: str = "") -> Transaction:
    """One transaction of an anchor."""
    word, item, time, *more = text.split()
    marks = {part[0]: part[1:] for part in more}
    value = next((part for part in more if part[0] not in "#@"), "")
    month, day, clock, offset = re.findall(r"(\d\d)(\d\d)T([\d:]+)(.*)", time)[0]
    timestamp = f"2025-{month}-{day}T{(clock + ':00:00')[:8]}{offset or 'Z'}"
    identifier, item_id = (
        f"T-{number}-{marks.get('#', default_id)}",
        "" if item == "-" else f"{item}-{number}",
    )
    patron = f"P-{number}-2" if "@" in marks else f"P-{number}"
    due, amount = ("", value) if word == "waive" else (value and f"2025-{value[:2]}-{value[2:]}", "")
    return (identifier, item_id, patron, KINDS[word], timestamp, due, amount)


def anchors() -> Iterator[tuple[str, Sequence[str], list[Transaction]]]:
    """Number, zones and transactions of every anchor."""
    for line in filter(None, (DAYS_AND_CAPS + RENEWED_AND_LOST + WAIVED + ORDER + CORRECTED).split("\n")):
        head, *events = line.split("|")
        number, *zones = head.split()
        yield number, zones, [event(number, text, f"{place:02}") for place, text in enumerate(events, 1)]


def anchor_corrections() -> Iterator[Transaction]:
    for line in CORRECTIONS.strip().split("\n"):
        number, action, identifier, *text = line.split(" ", 3)
        yield (action, f"T-{number}-{identifier}", *(event(number, text[0]) if text else NOTHING))


def filler(build: seeding.Build, rng: Random, count: int) -> tuple[list[str], list[Placed]]:
    """Patrons and their transactions, item after item; a smaller count gives the first of them."""
    patrons = [f"P-{number}" for number in rng.sample(range(1, 2000), build.size(full=600, small=9))]
    ids = (f"T-{number}" for number in rng.sample(range(10_000_000), build.size(full=300_000, small=600)))
    histories = (step for number in range(1, 100_000) for step in history(rng, f"F-{number}", patrons))
    placed = islice(histories, count)
    return patrons, [(place, (name, *row)) for name, (place, row) in zip(ids, placed, strict=False)]


def history(rng: Random, item: str, patrons: list[str]) -> Iterator[Placed]:
    """The transactions of one item without their ids, loan after loan."""
    now = START + rng.random() * 20 * DAY
    while now < END:
        begun, patron, days = (
            now,
            rng.choice(patrons),
            rng.choice([*range(1, 21), *range(1, 21), *range(18, 45)]),
        )
        now += (days + rng.random()) * DAY
        steps: list[Step] = [("checkout", begun, patron, begun + 21 * DAY, "")]
        if rng.random() < 0.3:
            when, other = begun + rng.uniform(0.3, 0.95) * days * DAY, rng.choice(patrons)
            steps.append(("renew", when, other if rng.random() < 0.1 else patron, when + 21 * DAY, ""))
        if days > 40:
            steps.append(("mark-lost", begun + 36 * DAY, patron, None, ""))
            if rng.random() < 0.6:
                steps.append(("restore", begun + 37.2 * DAY, patron, None, ""))
        if rng.random() < 0.97:
            steps.append(("return", now, patron, None, ""))
        if rng.random() < 0.03:
            amount = f"{rng.randrange(10, 400) / 100:.2f}"
            steps.append(("waive-fine", now + rng.uniform(-3, 9) * DAY, patron, None, amount))
        for kind, when, who, until, amount in (step for step in steps if step[1] < END):
            late = rng.uniform(-15, 15) * (rng.random() < 0.1)
            shift = {"checkout": 0.0, "return": abs(late)}.get(kind, late)
            due = f"{until:%Y-%m-%d}" if until else ""
            yield (when - START) / DAY + shift, (item, who, kind, f"{when:%Y-%m-%dT%H:%M:%S}Z", due, amount)
        now += rng.uniform(0.05, 3) * DAY


def write_initial(build: seeding.Build) -> None:
    """Write patrons, catalog and log; the edge is one return that stands before its checkout."""
    zones, terms, rows = edge() if build.fixture == "edge" else library(build)
    rng, inputs = build.rng, build.out / "inputs"
    people = [(name, rng.choice(NAMES), zone, f"{name.lower()}@example.test") for name, zone in zones.items()]
    items = [(item, f"Title of {item}", *amounts) for item, amounts in terms.items()]
    for name, header, some in (
        ("patrons", "patron_id,name,timezone,email", people),
        ("catalog", "item_id,title,daily_fine,lost_fee,fine_cap", items),
    ):
        fixtures.write_csv(inputs / f"{name}.csv", header.split(","), rng.sample(some, len(some)))
    noted = (
        (*row, rng.choice(BRANCHES), f"DESK-{rng.randrange(1, 30):03}", rng.choice(NOTES)) for row in rows
    )
    fixtures.write_csv(inputs / "transactions.csv", [*HEADER, "branch", "terminal", "note"], noted)


def edge() -> tuple[dict[str, str], dict[str, Terms], list[Transaction]]:
    rows = [event("1", "back A 0803T12", "1"), event("1", "out A 0801T12 0801", "2")]
    return {"P-1": "UTC"}, {"A-1": TERMS["A"]}, rows


def library(build: seeding.Build) -> tuple[dict[str, str], dict[str, Terms], list[Transaction]]:
    """Zones, terms, and the anchors, each in its own order, strewn over the filler."""
    rng, known = build.rng, list(anchors())
    count = build.size(full=300_000, small=440) - sum(len(rows) for _, _, rows in known)
    patrons, placed = filler(build, rng, count)
    zones = {patron: rng.choice(ZONES) for patron in patrons}
    for number, own, rows in known:
        zones |= {f"P-{number}{end}": zone for end, zone in zip(("", "-2"), own, strict=False)}
        placed += zip(sorted(rng.uniform(0, 240) for _ in rows), rows, strict=True)
    rows = [row for _, row in sorted(placed)]
    items = {row[1] for row in rows} | {row[3] for row in anchor_corrections()}
    return (
        zones,
        {item: TERMS.get(item[0]) or rng.choice(FILLER_TERMS) for item in sorted(items - {""})},
        rows,
    )


def write_corrections(build: seeding.Build) -> None:
    """Write the corrections; those of filler void a return or move it by a day."""
    rows: list[Transaction] = []
    if build.fixture != "edge":
        rows += anchor_corrections()
        _, placed = filler(build, build.rng_of("initial"), build.size(full=6_000, small=60))
        for _, (name, item, patron, kind, stamp, due, amount) in placed:
            if kind == "return" and build.rng.random() < 0.1:
                later = f"{datetime.fromisoformat(stamp) + DAY:%Y-%m-%dT%H:%M:%S}Z"
                moved = ("replace", name, f"{name}-R", item, patron, kind, later, due, amount)
                rows.append(moved if build.rng.random() < 0.7 else ("void", name, *NOTHING))
    header = ["action", "void_transaction_id", *HEADER]
    fixtures.write_csv(build.out / "inputs/corrections.csv", header, rows)


if __name__ == "__main__":
    seeding.main(25, {"initial": write_initial, "corrections": write_corrections})
