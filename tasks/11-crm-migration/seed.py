"""Generated files of task 11: an old contacts table full of duplicates, and a list of contacts to import."""

import random
import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Contact = tuple[int, str, str | None, str | None, str | None]  # id, name, email, phone, notes
type Row = tuple[str, str, str, str]  # display name, email, phone, notes

CONTACTS: list[Contact] = [
    (1, "Alice Moran", " Alice@Example.com ", "+1 (202) 555-0101", "Met at Expo"),
    (2, "Alicia M.", "alice@example.COM", "202.555.0199", "Asked for a brochure"),
    (3, "  Bob Stone\u00a0", "bob@example.com", None, "\u00a0Prefers mornings "),  # its phone comes from 8
    (4, "Chloë  Ng", " CHLOE@example.net ", "+44 20 7946 0958", None),
    (5, "David Ruiz", None, "(202) 555-0105", "Phone only"),
    (6, "Erin Park", "erin@example.com", None, ""),  # its notes come from 32
    (7, "Nora Unreachable", "   ", "call the front desk", " \n\t"),  # no method and no note, and stays
    (8, "A. Stone", "bob@EXAMPLE.com\t", " (202) 555-0108\n", "vip"),
    (9, "Gina Long", "gina@example.com", "202 555 0109", "Call back\nVIP"),  # lower than 10 as a number
    (10, "G. Long", "GINA@example.com", "(202) 555-0109", "Call\nvip"),  # same phone, notes like those of 9
    (11, "Straße Kontor", "kontor@straße.example", "49 30 901820", "Wants A4"),
    (12, "STRASSE", "KONTOR@STRASSE.EXAMPLE", "+49 30 901820", "Accepts A3"),  # casefold; + is another phone
    (13, "Rene", "rene\u0301@example.com", None, "decomposed"),
    (14, "René", "ren\u00e9@example.com", None, "composed"),
    (15, "Ivan Petrov", "\u00a0ivan@example.com\u2003\n", "+7 495 123-45-67 доб. \u0663\u00b2", "Pays late"),
    (16, "Desk A", "desk.a@example.com", "+1 202 555 0150", "shared phone"),
    (17, "Desk B", "desk.b@example.com", "+1 202 555 0150", "shared phone too"),
    (18, "Night line", None, "202 555 0160", "first"),
    (19, "Night line copy", "", "(202) 555-0160", "second"),
    (20, "Plus Inside", "plus@example.com", "(+1) 202 555 0161", None),
    (21, "Zero Zero", "zero@example.com", "0044 20 7946 0000 ext. 12", None),
    (22, "Only Plus", "only.plus@example.com", " + ", None),
    (23, "Zoë First", "Trio@example.com", None, "Line one\r\n\r\n  Line two \n"),
    (24, "Inner Blank", "two words@example.com", None, "Beta\nAlpha"),
    (25, "No Blank", "twowords@example.com", None, None),
    (26, "No At", "front.desk", "12025550101", "Email without @"),
    (27, "No At Either", " FRONT.DESK", "+12025550126", None),
    (28, "Wide Plus", "wide@example.com", "\uff0b1 202 555 0128", None),
    (29, "Two Plus", "two.plus@example.com", "+1 202 555 0129 / +1", None),
    (31, "Trio Two", "trio@Example.com ", "\u00a0+1 202-555-0131", None),
    (32, "Erin", "ERIN@example.com", "+1 202 555 0132", "Asked for a quote"),
    (33, "Front Door", None, "+1 202 555 0101", "No email, phone of Alice"),
    (34, "Kit A", "k.it@example.com", "2025550134", None),
    (35, "Kit B", "kit@example.com", "2025550135", None),
    (36, "Kit C", "kit+crm@example.com", "2025550136", None),
    (37, "Aaron Early", "late@example.com", "9", "zz"),
    (38, "Ligature", "o\ufb03ce@example.com", "2025550138", None),
    (40, "Trio Three", " TRIO@example.com", "+1 (202) 555 0131", "Line three\u2028still three\x0band\rso on"),
    (41, "Zora Later", "LATE@example.com", "1", "aa"),  # neither least nor alphabetic: the ids decide
    (42, "Office", "office@example.com", "2025550142", None),
    (43, "Number Mail", "2025550143", "(202) 555-0143", None),  # an email and a phone of one normal form
    (90001, "Zed Last", "zed@example.com", "202 555 0190", None),
    (90002, "Zed Silent", None, "", "no method, and the highest id left"),
    (90003, "Zed Again", "ZED@example.com", "202 555 0191", "gone: the highest id left is 90002"),
]
FIRST_FILLER_ID = 10_000

ROWS: list[Row] = [
    ("Alice M.", "alice@example.com", "202 555 0111", "Follow up 2026"),
    (" Fiona Li ", " Fiona@Example.com ", " +1 (415) 555-0188 ", "Conference lead"),
    ("Bob Stone Jr", " BOB@example.com\u00a0", "", "Email confirmed\n\n vip \nPrefers mornings"),
    ("No Contact", " ", "\u00a0", "is skipped"),
    ("Gus Hall", "Gus@Example.com", "", ""),
    ("Fiona L.", "FIONA@example.com", "+1 415 555 0189", "Asked for a demo"),
    ("Unreachable", "", "ask at reception +", "no digit"),
    (" ", "erin@example.com", "+12025550132", "Asked"),  # keeps name and phone; a note in a note is new
    ("Only Plus", "only.plus@example.com", "+1 202 555 0122", ""),  # its first phone
    ("Pat Phone", "", "+1 (303) 555-0140", "Left voicemail"),  # no email: new
    ("David R.", " ", "202-555-0105", "Called"),  # no email: contact 5
    ("Dave Plus", "", "+202 555 0105", ""),  # + is another phone: new
    ("Night Shift", "", "202.555.0160", "third"),  # 18, not 19
    ("Desk", "", "+1 202 555 0150", "Only contacts with an email have it"),  # new
    ("Desk C", "", "+1 202-555-0150", "Now there is one without"),
    ("Front Gate", "", "+1 202 555 0101", "Not Alice"),  # 33, not 1
    ("Dora New", "dora@example.com", "202 555 0105", ""),  # the phone of 5 does not matter: new
    ("", "", "+1 303 555 0140", "Left voicemail\nCall again"),  # made by a row above
    ("", "Blank.Name@example.com ", "202 555 0170", ""),
    (" \t", "", " 303 555 0199 ", " one \ntwo\n\none"),
    ("Gina Long", "gina@example.com", "+202 555 0109", "call back\nLong\u2028term,\rlong"),
    ("Kontor", "Kontor@Strasse.Example", "+49 (30) 901820", "Wants A4"),
    ("René B.", "rene\u0301@example.com", "202 555 0171 \u0663", ""),
    ("Chloë Ng", "chloe@example.net", "+44 (20) 7946-0958", "Prefers tea"),
    ('Stone, "Rocky"', "rocky@example.com", "n/a", 'Says "hi", often'),
    ("", "", "", ""),
    ("Gus Hall", "gus@example.com", "ask", ""),  # changes nothing
    ("Nora Found", "nora@example.com", "call the front desk", ""),  # 7 has no method: new
    ("Alice Moran-Lee", "ALICE@example.com", "(202) 555 0199", "Met at Expo"),
    ("Number Two", "2025550142", "", ""),  # the phone of 42 as an email: new
    ("Zed", "zed@example.com", "202 555 0191", "Gone: the highest id left is 90002"),
]

EDGE: list[Contact] = [
    (4, "Terry Low", " Triple@Example.com ", "+1 212 555 0140", "Shared note"),
    (7, "T. Middle", "triple@example.COM", "+1 212 555 0170", "Final note"),
    (9, "Terry High", " TRIPLE@example.com", "+1 212 555 0190", "Shared note"),
    (12, "Una", "una@example.com", None, "Prefers email"),
    (15, "Una B.", "UNA@example.com", None, " Prefers email \nOn leave"),
    (20, "Vic", "vic@example.com", None, "Ring twice\nMonday\nRing twice"),
]

FIRST = "Ada Ben Cleo Dev Elif Finn Grace Hugo Inès Jon Kemi Lars Mina Noor Otto Priya".split()
LAST = "Okafor Lindqvist Marsh Tanaka Duarte Weiß Novak Haddad Olsen Rossi Byrne Kaya".split()
SUBJECTS = "renewal invoice demo contract delivery training support visit".split()
PHONES = ["{}{}{}", "({}) {}-{}", "{}.{}.{}", "+1 {} {} {}", "+1 ({}) {}-{}", "{} {} {} "]


def write_initial(build: seeding.Build) -> None:
    contacts = EDGE if build.fixture == "edge" else sorted(CONTACTS + filler(build))
    columns = "id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, phone TEXT, notes TEXT"

    def fill(database: sqlite3.Connection) -> None:
        database.execute(f"CREATE TABLE contacts ({columns})")
        database.executemany("INSERT INTO contacts VALUES (?, ?, ?, ?, ?)", contacts)
        database.execute("PRAGMA user_version = 1")

    fixtures.write_sqlite(build.out / "workspace/crm.db", fill)


def filler(build: seeding.Build) -> list[Contact]:
    """Contacts of which about half share their email with others; no note occurs twice."""
    rng = build.rng_of("initial")
    contacts: list[Contact] = []
    contact_id = FIRST_FILLER_ID
    for index in range(build.size(full=1500, small=36)):
        contact_id += rng.randint(1, 3)
        person = rng.randrange(index // 2 + 1)
        email = None if rng.random() < 0.1 else spelled(rng, address(person))
        phone = None if rng.random() < 0.2 else phone_number(rng)
        note = None if rng.random() < 0.3 else f"{rng.choice(SUBJECTS)} {index + 1} open"
        contacts.append((contact_id, person_name(rng), email, phone, note))
    return contacts


def address(person: int) -> str:
    return f"person.{person}@customers.example"


def spelled(rng: random.Random, email: str) -> str:
    return rng.choice([email, email.upper(), email.title(), f" {email}", f"{email.capitalize()}  "])


def phone_number(rng: random.Random) -> str:
    """A number of an area code that no anchor has."""
    area, office, line = rng.randrange(500, 900), rng.randrange(200, 999), rng.randrange(10_000)
    return rng.choice(PHONES).format(area, office, f"{line:04}")


def person_name(rng: random.Random) -> str:
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def write_import(build: seeding.Build) -> None:
    if build.fixture == "edge":
        return
    rows, people = list(ROWS), build.size(full=1500, small=36)
    for index in range(build.size(full=400, small=12)):
        email = spelled(build.rng, address(build.rng.randrange(people)))
        kind = build.rng.random()
        phone = phone_number(build.rng) if kind < 0.6 else ""
        row = (person_name(build.rng), "" if kind < 0.15 or kind > 0.95 else email, phone, f"import {index}")
        rows.insert(build.rng.randint(1, len(rows)), row)
    fixtures.write_csv(
        build.out / "inputs/new_contacts.csv", ("display_name", "email", "phone", "notes"), rows
    )


if __name__ == "__main__":
    seeding.main(11, {"initial": write_initial, "import-contacts": write_import})
