"""Generated files of task 02: three overlapping calendars, decoys beside them, and the late calendar.

In content lines, three marks stand for folds: `⏎` is CR LF and a space, `⇥` is CR LF and a tab, and `✂` folds
by a space between the first and the second octet of the character that follows it.
"""

import random
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

RECORDS_IN_A_FILE = 30  # at full scale; at small scale there are two visits a file
ZONES = ("America/New_York", "America/Los_Angeles", "Europe/London")
NAMES = ("01-team.ics", "02-rooms.ics", "03-personal.ics")
LATE_ZONE = "America/Chicago"

type Record = list[str]
"""Content lines of one VEVENT."""


def event(uid: str, sequence: int, start: str, end: str, *more: str) -> Record:
    """`start` and `end` follow DTSTART and DTEND; `more` are further lines, a SUMMARY is made if missing."""
    named = any("SUMMARY" in line.replace("⏎", "").upper() for line in more)
    summary = [] if named else [f"SUMMARY:About {uid}"]
    times = [f"DTSTART{start}", f"DTEND{end}"]
    return ["BEGIN:VEVENT", f"UID:{uid}", f"SEQUENCE:{sequence}", *times, *summary, *more, "END:VEVENT"]


def utc(uid: str, sequence: int, when: str, *more: str) -> Record:
    """An event in UTC within one day of 2025; `when` is MMDDThhmm-hhmm."""
    start, until = when.split("-")
    return event(uid, sequence, f":2025{start}00Z", f":2025{start[:5]}{until}00Z", *more)


def all_day(uid: str, first: str, after: str, *more: str) -> Record:
    """An all-day event from the date `first` to the exclusive date `after`."""
    return event(uid, 0, f";VALUE=DATE:{first}", f";VALUE=DATE:{after}", *more)


CANCELLED = "STATUS:CANCELLED"

TEAM = [
    # Numbers, not text; the highest read first; a cancellation that wins, and ones that do not.
    utc("ten-then-nine", 10, "0203T1000-1100", "SUMMARY:Ten", "LOCATION:Hall 10"),
    utc("nine-then-ten", 9, "0204T1000-1100", "SUMMARY:Nine", "LOCATION:Hall 9"),
    utc(
        "cancelled-first",
        4,
        "0205T1000-1100",
        CANCELLED,
        "DESCRIPTION:Gone\nSTATUS:CONFIRMED\rSTATUS:CONFIRMED",
    ),
    utc("revived", 2, "0206T1000-1100", CANCELLED),
    utc("survivor", 3, "0207T1000-1100", "STATUS:CONFIRMED", "LOCATION:Hall 3"),
    utc("cancelled-last", 1, "0210T1000-1100", "STATUS:TENTATIVE", "LOCATION:Hall 1"),
    utc("tie-of-files", 2, "0211T1000-1100", "LOCATION:Team"),
    utc("tie-in-file", 1, "0212T1000-1100", "LOCATION:First"),
    utc("tie-in-file", 1, "0212T1300-1400", "LOCATION:Second"),
    utc("tie-revived", 2, "0214T1000-1100", CANCELLED),
    utc("no-location", 0, "0213T1000-1100", "LOCATION:Filled in by mistake", "SUMMARY:Old"),
    event("zone-of-winner", 1, ":20250411T100000", ":20250411T110000"),
    utc("room-change", 1, "0716T1300-1400", "LOCATION:Room A"),
    utc("event-alpha", 1, "0217T1000-1100", "LOCATION:Atrium", "STATUS:CONFIRMED"),
    # Local times: winter and summer, two zones in one event, a quoted parameter with separators in it.
    event("winter-floating", 0, ":20250115T090000", ":20250115T100000", "LOCATION:Room 1"),
    event("summer-floating", 0, ":20250715T090000", ":20250715T100000", "LOCATION:Room 1"),
    event("flight", 0, ";TZID=America/New_York:20250620T180000", ";TZID=Europe/London:20250621T061500"),
    event("before-spring", 0, ":20250329T233000Z", ":20250330T003000Z", "LOCATION:Duty desk"),
    utc("evening-shift", 0, "1102T0500-0600", "LOCATION:Duty desk"),
    # A day of 23 hours, from 05:00Z to 04:00Z.
    all_day(
        "team-day-23h", "20250309", "20250310", "SUMMARY:Offsite\\, part 1\\; bring \\\\slides\\nand a coat"
    ),
    utc("before-23h", 0, "0309T0400-0500", "LOCATION:A, B: C"),
    utc("after-23h", 0, "0310T0400-0500", "SUMMARY:Review: budget; part 2"),
    all_day("team-day-aug", "20250802", "20250803", "STATUS:confirmed"),
    # Same start: UID decides, capitals first, not the end; equal and contained intervals.
    utc("desk", 0, "0401T1000-1100", "SUMMARY:Small desk"),
    utc("beta-short", 0, "0402T1000-1030", "SUMMARY:Signed in at A⏎cme"),
    utc("day-watch", 0, "0403T0800-1800", "SUMMARY:Caf✂é and na✂ïve r✂ésum✂és"),
]

ROOMS = [
    utc("ten-then-nine", 9, "0203T1200-1300", "SUMMARY:Nine", "LOCATION:Hall 9"),
    utc("revived", 3, "0206T1030-1130", "STATUS:CONFIRMED", "LOCATION:Back again"),
    utc("survivor", 2, "0207T1200-1300", CANCELLED),
    utc("tie-revived", 2, "0214T1000-1100", "LOCATION:Back at the same number"),
    utc("room-change", 9, "0716T1330-1430", "LOCATION:Room B", "SUMMARY:Planning"),
    utc("bystander", 0, "0205T1030-1130", 'SUMMARY;LANGUAGE=de;ALTREP="cid:part1:a;b":Besprechung: Raum'),
    utc("late-tie", 2, "0218T1000-1100", "LOCATION:Annex"),
    utc("late-stale", 3, "0219T1000-1100", "LOCATION:Annex 2"),
    # Names in mixed case, TZID against the zone of the file, VALUE=DATE-TIME, quotes.
    [
        "Begin:vevent",
        "uid:event-charlie",
        "Sequence:0",
        "dtStart;tzId=America/New_York:20250311T090000",
        "dtEnd;tzId=America/New_York:20250311T100000",
        "Summary:Mixed case",
        "location:Studio",
        "status:Confirmed",
        "End:Vevent",
    ],
    event(
        "rooms-floating",
        0,
        ":20250210T083000",
        ";VALUE=DATE-TIME:20250210T093000",
        'LOCATION;X-N="3: east; wing":Hall',
    ),
    event(
        "kolkata",
        0,
        ';X-SRC="sync:a;TZID=Asia/Tokyo";TZID=Asia/Kolkata:20250505T100000',
        ";value=date-time:20250505T050000Z",
        "SUMMARY: Starts with a blank",
    ),
    event(
        "quoted-zone",
        0,
        ';TZID="Asia/Kolkata";VALUE=DATE-TIME;X-SRC="a;TZID=Asia/Tokyo":20250513T100000',
        ";TZID=Asia/Tokyo:20250513T160000",
    ),
    utc("after-spring", 0, "0330T0230-0330", "LOCATION:Duty desk"),
    utc("late-shift", 0, "1102T0430-0530", "LOCATION:Duty desk"),
    utc("morning-shift", 0, "1102T0930-1000", "LOCATION:Duty desk"),
    all_day("rooms-day-1", "20250801", "20250802"),
    all_day("rooms-day-2", "20250802", "20250803", "LOCATION:Whole floor"),
    utc("inside-23h", 0, "0309T2000-2100", "SUMMARY:Folded⇥by a tab,⏎ then a blank⇥\tand a tab"),
    utc("hour-25", 0, "1026T2315-2345", "SUMMARY:The extra\u2028hour of the\x85day"),
    utc("Desk", 0, "0401T1000-1100", "SUMMARY:Big desk"),
    utc("alpha-long", 0, "0402T1000-1200", "LOCATION-TYPE:conference-room", "X-UID:beta-short"),
    utc(
        "inner-1", 0, "0403T0900-1000", "DESCRIPTION:Agenda⏎DTSTART:20990101T000000Z⏎UID:nobody\\nUID:nobody"
    ),
    utc("inner-2", 0, "0403T1100-1200", "SUMMARY:e\u0301 stays two characters ﬁ"),
    # A chain whose ends do not meet; `standup` sorts before `standup#2`, but `standup,` after `standup#2,`.
    utc("standup", 0, "0404T0800-0930", "LOCATION:Rue de l’Égl⏎ise 日✂本"),
    utc("board\\,q2", 0, "0407T1000-1130", "SUMMARY:Comma in the UID"),
]

PERSONAL = [
    utc("nine-then-ten", 10, "0204T1200-1300", "SUMMARY:Ten", "LOCATION:Hall 10"),
    utc("cancelled-first", 3, "0205T1000-1100", "LOCATION:Hall 3", "STATUS:CONFIRMED"),
    utc("cancelled-last", 2, "0210T1000-1100", "LOCATION:Hall 1", "STATUS:Cancelled"),
    utc("tie-of-⏎files", 2, "0211T1030-1130", "LOCATION:Personal", "STATUS:TENTATIVE"),
    utc("no-location", 1, "0213T1000-1130", "SUMMARY:New"),
    event("zone-of-winner", 2, ":20250411T100000", ":20250411T110000", "LOCATION:Soho"),
    event("london-floating", 0, ":20250710T090000", ":20250710T100000"),
    # Over the change to summer time: 00:30Z to 02:30Z.
    event("spring-span", 0, ":20250330T003000", ":20250330T033000", "LOCATION:Night desk"),
    utc("night-watch", 0, "1102T0845-0915", "SUMMARY:Night watch"),
    # A day of 25 hours, from 23:00Z to 00:00Z; three days in lower case; a day in winter.
    all_day("personal-day-25h", "20251026", "20251027"),
    utc("after-25h", 0, "1027T0000-0100"),
    event("retreat", 0, ";value=date:20250505", ";Value=Date:20250508", "LOCATION:Lake"),
    utc("third-day", 0, "0507T2230-2300", "LOCATION:Lake", "SUMMARY:Lake\n at 22:30"),
    all_day("winter-day", "20251226", "20251227"),
    utc("audit", 0, "0401T1000-1100"),
    event("inner-3", 0, ":20250403T175959Z", ":20250403T183000Z", "SUMMARY:One second early"),
    event(
        "inner-4", 0, ":20250403T1⏎90000", ";TZ⏎ID=Europe/Lon⇥don:20250403T200000", "SUMM⏎ARY:Folded names"
    ),
    utc("standup#2", 0, "0404T0900-1030"),
    utc("weekly-lead", 0, "0404T1000-1100", "SUMMARY:Ends with a blank "),
    utc('room "east"', 0, "0407T1000-1100", 'LOCATION:Room "east"'),
    utc("élan", 0, "0407T1030-1200", "SUMMARY:Élan – 企画会議 🗓"),
]

LATE = [
    utc("event-alpha", 5, "0217T1000-1100", "LOCATION:Atrium", "STATUS:cancelled"),
    utc("late-tie", 2, "0218T1000-1100", CANCELLED),
    utc("late-stale", 2, "0219T1000-1100", CANCELLED),
    utc("never-seen", 1, "0220T1000-1100", CANCELLED),
    utc("late-order", 1, "0228T1000-1100", "LOCATION:Read after all others"),
    event(
        "room-⏎change",
        10,
        ":20250716T090000",
        ":20250716T100000",
        "LOCATION:Room C",
        "SUMMARY:Planning, moved",
    ),
    # Over the change to winter time: 05:30Z to 09:30Z.
    event("dst-span", 0, ":20251102T003000", ":20251102T033000", "SUMMARY:Night release"),
]

ANCHORS = (TEAM, ROOMS, PERSONAL)
# Ties that the order of names decides: capitals first, digits one by one; a name like a hidden one's, and one
# that would follow the late calendar's.
GUESTS = {
    ".shared.ics": [utc("hidden-name", 0, "0221T1000-1100")],
    "Guests-2.ics": [utc("case-of-names", 1, "0224T1000-1100", "LOCATION:Capital")],
    "guests-10.ics": [
        utc("case-of-names", 1, "0224T1000-1100", "LOCATION:Small"),
        utc("digits-of-names", 1, "0225T1000-1100", "LOCATION:Ten"),
    ],
    "guests-9.ics": [
        utc("digits-of-names", 1, "0225T1000-1100", "LOCATION:Nine"),
        event("guest-floating", 0, ":20250512T100000", ":20250512T110000"),
        event("guest-day", 0, ';X-SRC=sync;VALUE="DATE":20250602', ';VALUE="Date";X-SRC=sync:20250603'),
        utc("guest-gone", 0, "0226T1000-1100", "STATUS;X-SRC=sync:CANCELLED"),
        [
            "BEGIN:VEVENT",
            'UID;X-SRC="sync:a":guest-parameters',
            "SEQUENCE;X-SRC=sync:2",
            "DTSTART;X-SRC=sync:20250227T100000Z",
            "DTEND;X-SRC=sync:20250227T110000Z",
            "SUMMARY:Parameters everywhere",
            "STATUS;X-SRC=sync:CONFIRMED",
            "END:VEVENT",
        ],
    ],
    "visitors.ics": [utc("late-order", 1, "0228T1000-1100", "LOCATION:Named after the late calendar")],
}
GUESTS_ZONES = {".shared.ics": ZONES[0], "guests-9.ics": "Asia/Kolkata"}
DECOY = [utc("day-watch", 99, "0403T0800-0900"), utc("forgotten", 1, "0403T0800-0900")]
EDGE = [
    event(
        "edge-folded",
        0,
        ":20300115T100000Z",
        ":20300115T110000Z",
        "SUMMARY:Quarterly planning details ⏎continue here",
    ),
    event(
        "edge-touching", 0, ":20300115T110000Z", ":20300115T120000Z", "SUMMARY:Starts at the prior endpoint"
    ),
]


def filler(build: seeding.Build) -> list[list[Record]]:
    """Visits for each file, in two busy weeks; the last of a file is in the next file too, as its first."""
    rng = build.rng_of("initial")
    tags = rng.sample(range(0x1000, 0xFFFF), 3 * RECORDS_IN_A_FILE)
    files: list[list[Record]] = []
    for anchors, zone in zip(ANCHORS, ZONES, strict=True):
        size = build.size(RECORDS_IN_A_FILE - len(anchors), 2)
        files.append([visit(rng, f"visit-{tag:04x}", zone) for tag in tags[:size]])
        tags = tags[size - 1 :]
    return files


def visit(rng: random.Random, uid: str, file_zone: str) -> Record:
    """One visit, its times in UTC, in a named zone, or floating in the zone of its file."""
    month, day, hour = rng.choice([9, 12]), rng.randrange(8, 11), rng.randrange(8, 19)
    start = datetime(2025, month, day, hour, 5 * rng.randrange(12), tzinfo=UTC)
    end = start + timedelta(minutes=5 * rng.randrange(6, 25))
    zone = rng.choice([*ZONES, "Asia/Kolkata"])
    form, zone = rng.choice([("{}Z", "UTC"), (f";TZID={zone}:{{}}", zone), ("{}", file_zone)])
    local = (f"{time.astimezone(ZoneInfo(zone)):%Y%m%dT%H%M%S}" for time in (start, end))
    texts = [form.format(text) if form.startswith(";") else f":{form.format(text)}" for text in local]
    guest, desk = rng.choice(["Ms Ito", "Mr Okoye", "Dr Núñez"]), rng.randrange(1, 60)
    return event(uid, rng.randrange(7, 13), *texts, f"SUMMARY:Visit of {guest}", f"LOCATION:Desk {desk}")


def octets(line: str) -> bytes:
    """One content line with its marks turned into folds, and its end."""
    data = f"{line}\r\n".replace("⏎", "\r\n ").replace("⇥", "\r\n\t").encode()
    return re.sub("✂".encode() + rb"(.)", rb"\1\r\n ", data)


def write_calendar(path: Path, zone: str, records: Iterable[Record]) -> None:
    names = {NAMES[1]: "x-wr-timezone", "guests-9.ics": "X-WR-TIMEZONE;X-SRC=sync"}
    name = names.get(path.name, "X-WR-TIMEZONE")
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//Calendar//EN", f"{name}:{zone}"]
    lines = [*head, *(line for record in records for line in record), "END:VCALENDAR"]
    fixtures.write_bytes(path, b"".join(map(octets, lines)))


def write_initial(build: seeding.Build) -> None:
    folder = build.out / "inputs/calendars"
    if build.fixture == "edge":
        write_calendar(folder / "edge.ics", "UTC", EDGE)
        return
    for name, zone, anchors, visits in zip(NAMES, ZONES, ANCHORS, filler(build), strict=True):
        middle = len(anchors) // 2
        records = [*anchors[:middle], *visits, *anchors[middle:]]
        write_calendar(folder / name, zone, records)
    for name, records in GUESTS.items():
        write_calendar(folder / name, GUESTS_ZONES.get(name, "UTC"), records)
    for decoy in ("01-team.ics.bak", "archive/04-old.ics", "05-OLD.ICS"):
        write_calendar(folder / decoy, "UTC", DECOY)


def write_late_changes(build: seeding.Build) -> None:
    if build.fixture != "edge":
        cancelled = filler(build)[-1][-1][1].removeprefix("UID:")
        gone = utc(cancelled, 20, "0908T1000-1100", CANCELLED)
        write_calendar(build.out / "inputs/late_changes.ics", LATE_ZONE, [*LATE, gone])


if __name__ == "__main__":
    seeding.main(2, {"initial": write_initial, "late-changes": write_late_changes})
