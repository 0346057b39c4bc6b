"""Generated files of task 08: a long trip with its places and connection rules, then updates and
alternatives.

Trips are written in lines. `@ DATE` sets the day; times are of that day, `08:00+1` of the next:

    TYPE ID ORIGIN START DESTINATION END [key=value…]             a segment
    update ID REVISION [key=value…]                               an update
    offer ID REPLACES PRICE ORIGIN START DESTINATION END […]      an alternative

Zones are those of the places unless a key says otherwise; `-` is the empty text.
"""

import random
import sys
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Row = dict[str, object]
type Trip = tuple[list[Row], list[Row], list[Row]]  # segments, updates, alternatives

PLACES = {
    "Europe/London": "LHR:London LGW:London QQS:London EUS:London LON:London "
    "MAN:Manchester EDI:Edinburgh GLA:Glasgow",
    "Europe/Paris": "CDG:Paris ORY:Paris XPG:Paris PAR:Paris",
    "Europe/Amsterdam": "AMS:Amsterdam",
    "Europe/Berlin": "FRA:Frankfurt",
    "Europe/Zurich": "ZRH:Zürich",
    "America/New_York": "JFK:New_York EWR:New_York NYP:New_York NYC:New_York BOS:Boston",
    "America/Los_Angeles": "LAX:Los_Angeles",
    "Asia/Tokyo": "HND:Tokyo",
    "Asia/Kolkata": "DEL:Delhi",
    "Australia/Sydney": "SYD:Sydney",
    "Australia/Adelaide": "ADL:Adelaide",
}
AIRPORTS = [
    (code, zone, city.replace("_", " "))
    for zone, places in PLACES.items()
    for code, city in (place.split(":") for place in places.split())
]
ZONES = {code: zone for code, zone, _ in AIRPORTS}
RULES = {
    "airport_change_minutes": 90,
    "minimum_connection_minutes": {
        "flight>flight": 45,
        "flight>train": 30,
        "train>flight": 40,
        "train>train": 20,
    },
}
START = "2025-03-01"
FILLER_FROM = date(2025, 5, 12)
OVERSEAS = ["JFK", "BOS"]
TARGETS = ["MAN", "EDI", "GLA", *OVERSEAS]
KEYS = {
    "start": "start_local",
    "end": "end_local",
    "from": "start_timezone",
    "to": "end_timezone",
    "ref": "booking_ref",
}
OFFER = "alternative_id replaces_segment_id start_local end_local start_timezone end_timezone".split()

ANCHORS = """
@ 2025-03-01  # the first night has no bed; the second cancelled leg is replaced by one a day before
flight OUT0 ORY 05:00 CDG 06:30
update OUT0 2 status=cancelled
flight OUT1 CDG 08:15 LHR 08:35
update OUT1 2 status=cancelled
offer OUT1-A OUT1 80.00 ORY 20:00+-1 LHR 20:20+-1
offer OUT1-B OUT1 80.00 CDG 21:00+-1 LHR 21:25+-1
offer OUT1-C OUT1 70.00 CDG 10:00 LHR 10:20
@ 2025-03-02  # zones: given, empty, given against the place
flight Z1 LHR 11:00 JFK 14:00 to=-
hotel HZ1 NYC 18:00 NYC 07:30+1 from=- to=-
@ 2025-03-03  # a station is no airport
train Z2 NYP 09:00 BOS 12:40 from=America/Chicago
hotel HZ2 BOS 18:00 BOS 08:00+2
@ 2025-03-05  # a night in the air is a night without lodging
flight Z3 BOS 13:00 HND 16:30+1 from=- to=-
@ 2025-03-06  # in UTC this hotel does not reach over midnight
hotel HZ3 HND 23:00 HND 07:00+1
@ 2025-03-07
hotel HZ4 HND 20:00 HND 09:00+2
@ 2025-03-09  # lands before it departs, by the clock; summer time begins in Los Angeles
flight Z4 HND 17:00 LAX 10:05
activity ZA LAX 11:30 LAX 12:30
hotel HZ5 LAX 15:00 LAX 08:10+2
@ 2025-03-11  # over the date line
flight Z5 LAX 09:00 SYD 17:30+1 to=-
@ 2025-03-12
hotel HZ6 SYD 21:00 SYD 06:00+1
@ 2025-03-13  # check-out at midnight, check-in at midnight: neither covers; one minute on both sides does
train Z6 SYD 08:00 ADL 18:10
hotel HZ7 ADL 20:00 ADL 00:00+1
@ 2025-03-14
hotel HZ8 ADL 00:00+1 ADL 07:00+1
@ 2025-03-15
hotel HZ9 ADL 23:59 ADL 00:01+1
@ 2025-03-16  # a check-in after midnight belongs to the next night
flight Z7 ADL 10:00 DEL 18:00
hotel HZ10 DEL 00:40+1 DEL 05:10+1
@ 2025-03-17
flight Z8 DEL 09:00 LHR 13:20 from=-
@ 2025-03-18  # each minimum: enough, and one minute less
flight C01 LHR 07:00 CDG 09:10
flight C02 CDG 09:55 AMS 11:05
flight C03 AMS 11:49 LHR 12:05
train C04 LHR 12:35 MAN 15:05
flight C05 MAN 15:45 LHR 16:50
train C06 LHR 17:19 MAN 19:40
flight C07 MAN 20:19 LHR 21:20
hotel HC1 LON 22:10 LON 06:30+1
offer C03-A C03 60.00 AMS 12:00 LHR 12:15  # short before any update: stays
@ 2025-03-19  # hotels and activities between do not count
train C08 LHR 08:00 MAN 10:10
train C09 MAN 10:30 EDI 13:45
train C10 EDI 14:04 GLA 15:00
activity CA1 GLA 15:05 GLA 15:10
flight C11 GLA 15:39 LGW 17:00
hotel HC2 LGW 22:00 LGW 05:30+1
@ 2025-03-20  # changes: exactly enough, and one minute less; two airports of one city
flight C12 LGW 07:00 CDG 09:15
train C13 XPG 11:15 QQS 12:35
flight C14 LHR 14:44 AMS 17:00
flight C15 AMS 18:00 LHR 18:20
flight C16 LGW 20:35 MAN 21:40
@ 2025-03-21
train C17 MAN 07:00 QQS 09:30
train C18 EUS 11:19 MAN 13:30
flight C18B MAN 14:10 GLA 15:10
train C18C EDI 17:09 MAN 20:10
@ 2025-03-22  # the order is that of starts, not of ends
train C19 MAN 08:00 EDI 20:00
flight C20 MAN 09:00 LHR 10:00
flight C21 LHR 11:00 CDG 13:10
train C24 CDG 16:00 XPG 16:40  # first in UTC, though not by the clock or by its id
flight C23 LHR 15:30 AMS 17:45
@ 2025-03-23  # one start: the id decides
train CT9 CDG 10:00 XPG 10:31
train CT10 LHR 09:00 QQS 09:40
@ 2025-03-24  # overlaps: contained, by one minute, not neighbours, against the order of ids
activity O1 LON 09:00 LON 12:00
activity O2 LON 09:30 LON 10:00
activity O3 LON 11:59 LON 13:00
activity O4 LON 13:01 LON 13:50
activity OZ LON 14:00 LON 15:00
activity OA LON 14:30 LON 15:30
@ 2025-03-25  # equal in UTC, apart by the clock; apart in UTC, together by the clock; hotels
activity OE2 LON 10:00 LON 11:05
activity oE1 PAR 11:00 PAR 12:05
activity ON LON 17:00 LON 18:05 from=America/New_York to=America/New_York
activity OL LON 17:10 LON 17:50
hotel OH LON 20:30 LON 07:30+1
activity OX LON 21:01 LON 22:00
@ 2025-03-26
hotel OH2 LON 18:00 LON 09:00+1 ref=PKG-8
hotel OH3 PAR 19:20 PAR 08:00+1 ref=PKG-8
@ 2025-03-27  # one reference twice, three times, of several types, in another case, empty
activity DA10 LON 16:00 LON 16:40 ref=DUP-77
activity DA2 LON 10:00 LON 11:00 ref=DUP-77
activity DX LON 12:00 LON 12:30 ref=dup-77
activity DA3 LON 13:00 LON 14:00 ref=DUP-77
activity DA9 LON 14:30 LON 15:00 ref=DUP-88
activity DA2B LON 15:10 LON 15:50 ref=DUP-88
activity DE1 LON 17:10 LON 17:20 ref=-
activity DE2 LON 17:30 LON 17:40 ref=-
activity DQ LON 18:10 LON 18:20 ref=Süd,"7"
hotel DH LON 19:00 LON 06:10+1 ref=PKG-9
@ 2025-03-28
train DT LON 07:00 MAN 09:00 ref=PKG-9
@ 2025-03-29  # over the change to summer time
flight D01 AMS 00:20+1 CDG 01:30+1
flight D02 CDG 03:10+1 LHR 03:25+1
@ 2025-04-01  # a late arrival breaks the next leg, by a minute; the earliest arrival departs last
flight R01 CDG 08:00 LHR 08:20
flight R02 LHR 09:30 JFK 12:30 rev=3
update R01 2 end=08:46
offer R02-A R02 90.00 LGW 11:00 JFK 12:20  # another airport of the city
offer R02-B R02 50.00 LHR 09:45 JFK 13:10
offer R02-C R02 180.00 LHR 10:30 JFK 12:50
offer R02-D R01 20.00 CDG 08:10 LHR 08:30  # for a leg that is not broken
@ 2025-04-02  # exactly enough breaks nothing
flight R03 CDG 08:00 LHR 08:20
flight R04 LHR 09:30 JFK 12:30
update R03 2 end=08:45
offer R04-A R04 90.00 LHR 09:40 JFK 12:10
@ 2025-04-03  # an alternative: exactly enough, one minute less
flight R05 CDG 08:00 LHR 08:20
flight R06 LHR 09:30 JFK 12:30
update R05 2 end=09:00
offer R06-A R06 90.00 LHR 09:44 JFK 12:15
offer R06-B R06 99.00 LHR 09:45 JFK 12:40
offer R06-C R06 90.00 LHR 09:50 JFK 12:50
@ 2025-04-04  # one arrival in UTC: the price as a number, then the id
flight R07 CDG 08:00 LHR 08:20
flight R08 LHR 09:30 JFK 12:30
update R07 2 end=09:00
offer R08-C R08 10.00 LHR 10:00 JFK 12:05 to=America/Chicago
offer R08-9 R08 95.00 LHR 10:00 JFK 11:50 to=America/Chicago
offer R08-0 R08 180.00 LHR 10:00 JFK 12:50 from=- to=-
offer R08-10 R08 95.00 LHR 10:00 JFK 12:50 to=-
offer R08-1 R08 180.00 LHR 10:10 JFK 12:50
@ 2025-04-05  # a cancelled leg is replaced, its reference and revision stay
flight R11 CDG 07:00 LHR 07:20
flight R12 LHR 09:00 JFK 12:00 ref=PKG-R
flight R13 JFK 15:00 BOS 16:10
hotel R14 BOS 18:00 BOS 07:00+1 ref=PKG-R
update R12 3 status=cancelled
offer R12-A R12 90.00 LHR 08:04 JFK 11:30
offer R12-B R12 90.00 LHR 09:40 JFK 12:45
offer R13-A R13 90.00 LHR 10:00 BOS 12:10
@ 2025-04-06  # a cancelled leg without a fitting alternative: the next one is broken, the traveller elsewhere
flight R15 CDG 09:00 LGW 09:20
train R16 LGW 09:55 LHR 10:45
flight R17 LHR 11:30 BOS 14:00
update R16 2 status=cancelled
offer R16-A R16 30.00 LHR 09:55 LHR 10:45
offer R17-A R17 90.00 LHR 12:30 BOS 14:20
offer R17-B R17 90.00 LGW 12:10 BOS 14:40
@ 2025-04-07  # there is time enough for the change, by the minute
flight R18 CDG 09:00 LGW 09:20
train R19 LGW 09:55 LHR 10:50
flight R20 LHR 11:35 BOS 14:00
update R19 2 status=cancelled
offer R20-A R20 90.00 LGW 11:00 BOS 13:00
@ 2025-04-08  # one rebooking breaks the next leg; the last has no alternative
flight R21 CDG 07:00 LHR 07:20
flight R22 LHR 08:30 AMS 10:45
flight R23 AMS 12:00 FRA 13:10
flight R24 FRA 14:00 ZRH 14:55
update R21 2 end=08:50
offer R22-A R22 90.00 LHR 09:40 AMS 11:50
offer R23-A R23 90.00 AMS 12:20 FRA 13:25
offer R23-B R23 90.00 AMS 12:35 FRA 13:30
@ 2025-04-09  # an alternative may end elsewhere; then the next leg is broken, and begins there
flight R25 CDG 07:00 LHR 07:20
flight R26 LHR 08:30 JFK 12:00
flight R27 JFK 16:00 BOS 17:05
update R25 2 end=08:50
offer R26-A R26 90.00 LHR 10:30 JFK 14:10
offer R26-B R26 90.00 LHR 10:40 EWR 14:00
offer R27-A R27 90.00 JFK 16:20 BOS 17:10
offer R27-B R27 90.00 EWR 16:10 BOS 17:20
@ 2025-04-10  # a leg that moves itself
flight R28 CDG 08:00 LHR 08:20
flight R29 LHR 09:10 AMS 11:25
update R29 2 start=09:00 end=11:15
offer R29-A R29 90.00 LHR 09:20 AMS 11:35
@ 2025-04-11  # an arrival elsewhere; a departure elsewhere
flight R30 CDG 08:00 LHR 08:20
flight R31 LHR 09:30 AMS 11:40
update R30 2 destination=LGW
offer R31-A R31 90.00 LHR 10:40 AMS 12:50
offer R31-B R31 90.00 LGW 11:00 AMS 13:10
flight R32 AMS 14:10 LHR 14:25
flight R33 LHR 16:00 FRA 18:30
update R33 2 origin=LGW
offer R33-A R33 90.00 LGW 16:40 FRA 19:10
offer R33-B R33 90.00 LHR 17:00 FRA 19:40
@ 2025-04-12  # short before, and shorter by an update: not caused by it
flight R34 CDG 08:00 LHR 08:20
flight R35 LHR 08:50 AMS 11:00
update R34 2 end=08:25
offer R35-A R35 90.00 LHR 09:30 AMS 11:40
@ 2025-04-13  # short before, but after another leg
flight R36 CDG 09:00 LGW 09:20
train R37 LGW 09:55 LHR 10:45
flight R38 LHR 11:01 BOS 13:30
update R37 2 status=cancelled
offer R38-A R38 90.00 LGW 11:50 BOS 14:20
@ 2025-04-14  # the minimum is that of the two types, as they are after the update
train R39 GLA 08:00 MAN 10:00
train R40 MAN 10:25 EDI 12:00
update R39 2 type=flight
offer R40-A R40 40.00 MAN 10:29 EDI 12:05
offer R40-B R40 40.00 MAN 10:30 EDI 12:15
train R41 EDI 13:00 LHR 17:00
flight R42 LHR 17:50 AMS 20:00
update R41 2 end=17:20
offer R42-A R42 90.00 LHR 17:59 AMS 20:05
offer R42-B R42 90.00 LHR 18:00 AMS 20:15
@ 2025-04-15  # rebooked past the next leg: the order stays
flight R43 AMS 08:00 LHR 08:20
flight R44 LHR 09:10 MAN 10:05
flight R45 MAN 11:00 GLA 12:00
update R43 2 end=10:40
offer R44-A R44 90.00 LHR 11:31 MAN 12:30
offer R45-A R45 40.00 LHR 12:00 GLA 13:10
offer R45-B R45 40.00 MAN 13:15 GLA 14:15
@ 2025-04-16  # two cancelled in a row, the second replaced from where the traveller is
flight R46 CDG 07:00 LHR 07:20
flight R47 LHR 09:00 JFK 12:00
flight R48 JFK 15:00 BOS 16:10
flight R49 BOS 18:01 LAX 21:40
update R47 2 status=cancelled
update R48 2 status=cancelled
offer R47-A R47 90.00 LGW 10:00 JFK 13:00
offer R48-A R48 40.00 JFK 15:30 BOS 16:40
offer R48-B R48 400.00 LHR 15:10 BOS 17:30
offer R49-A R49 90.00 BOS 18:30 LAX 22:05
@ 2025-04-18  # an update turns the order of two legs
flight R50 LHR 08:00 AMS 10:15
flight R51 AMS 12:00 FRA 13:00
update R51 2 start=07:40 end=08:40
offer R50-A R50 90.00 FRA 09:30 AMS 10:30
offer R51-A R51 90.00 AMS 11:10 FRA 12:10
@ 2025-04-19  # hotels and activities break nothing
flight R52 FRA 08:00 LHR 08:30
activity R53 LHR 08:50 LHR 09:05
flight R54 LHR 09:30 CDG 11:45
update R53 2 end=09:45
offer R54-A R54 90.00 LHR 10:30 CDG 12:45
@ 2025-04-20  # no alternative departs where the traveller is: the leg stays as it is
flight R9 CDG 08:00 LHR 08:20
flight R10 LHR 09:15 AMS 11:25
update R9 2 end=08:31
offer R10-A R10 90.00 LGW 10:30 AMS 12:40
flight R00X AMS 14:00 LHR 14:20
flight R00 LHR 15:10 CDG 17:20
update R00X 2 end=14:40
offer R00-A R00 90.00 LHR 15:40 CDG 17:50
@ 2025-04-21  # short before, but in the other order
flight R55 LHR 08:00 AMS 10:15
flight R56 AMS 10:40 FRA 11:50
update R56 2 start=07:40 end=08:40
offer R55-A R55 90.00 FRA 09:30 AMS 10:30
@ 2025-04-22  # revisions: against the order of the file, as numbers, the last of equals
activity V1 LON 10:00 LON 11:00
update V1 3 start=10:20
update V1 2 start=10:15
activity V2 LON 12:00 LON 13:00
update V2 9 start=12:10
update V2 10 start=12:20
activity V3 LON 14:00 LON 15:00
update V3 2 start=14:10
update V3 2 start=14:20
activity V21 LON 18:00 LON 19:00
update V21 2 status=cancelled
update V21 2 start=18:10
activity V4 LON 16:00 LON 17:00  # nothing of lower revisions is left
update V4 2 end=17:30
update V4 3 ref=NEW-4 status=CANCELLED gate=B12
@ 2025-04-23  # older than the itinerary, as old, newer
activity V5 LON 10:00 LON 11:00 rev=5
update V5 4 start=10:10
activity V6 LON 12:00 LON 13:00 rev=5
update V6 5 start=12:10
activity V7 LON 14:00 LON 15:00 rev=5
update V7 6 start=14:10
activity V8 LON 16:00 LON 17:00 rev=4
update V8 3 status=cancelled
@ 2025-04-24  # cancelled and back, changed and cancelled, confirmed, unknown
activity V9 LON 10:00 LON 11:00
update V9 2 status=cancelled
update V9 3 start=10:10 status=confirmed
activity V10 LON 10:50 LON 13:00
update V10 3 status=cancelled
update V10 2 start=10:30
activity V11 LON 12:10 LON 13:20
update GHOST 7 type=activity start=12:30 end=13:00 from=Europe/London to=Europe/London origin=LON ref=G
update GHOST 8 status=cancelled
update PHANTOM 2 type=activity start=12:30 end=13:00 from=- to=- origin=LON destination=LON ref=P
@ 2025-04-25  # empty zones follow the place, others stay
activity V12 LON 10:00 LON 11:00 from=- to=-
update V12 2 origin=PAR destination=PAR
activity V13 LON 10:20 LON 11:10
update V13 2 origin=PAR destination=PAR
activity V14 PAR 15:00 PAR 16:00
update V14 2 origin=LON destination=LON from=- to=-
activity V22 PAR 18:00 PAR 19:00 from=America/New_York to=America/New_York
update V22 2 from=- to=-
@ 2025-04-26  # an empty reference replaces one; an update makes a double
activity V15 LON 10:00 LON 11:00 ref=DUP-V
activity V16 LON 12:00 LON 13:00 ref=DUP-V
update V15 2 ref=-
activity V17 LON 14:00 LON 15:00
activity V18 LON 16:00 LON 17:00 ref=DUP-W
update V17 2 ref=DUP-W status=cancel-requested
@ 2025-04-27  # hotels: cancelled, moved over midnight
hotel V19 LON 20:00 LON 07:30+1
update V19 2 status=cancelled
@ 2025-04-28
hotel V20 LON 01:10+1 LON 07:30+1
update V20 2 start=23:20
@ 2025-04-29  # rebooked past the next leg, which stays as it is, and in time for the one after it
flight R57 AMS 08:00 LHR 08:20
flight R58 LHR 09:30 MAN 10:30
flight R59 MAN 11:30 GLA 12:30
flight R60 GLA 13:20 LHR 14:30
update R57 2 end=09:00
offer R58-A R58 90.00 LHR 13:00 MAN 14:00
offer R60-A R60 90.00 MAN 15:00 LHR 16:10
@ 2025-04-30  # short before: the first leg is rebooked; the second moves past a third, which is dropped
flight R61 LHR 08:00 AMS 10:15
flight R62 AMS 10:45 FRA 11:55
update R61 2 status=cancelled
offer R61-A R61 90.00 LHR 08:10 AMS 10:20
offer R62-A R62 90.00 AMS 11:30 FRA 12:40
flight R63 FRA 14:00 AMS 15:10
flight R64 AMS 15:40 LHR 16:00
flight R65 LHR 17:00 EDI 18:20
update R63 2 end=18:00
update R64 2 start=18:30 end=19:00
update R65 2 status=cancelled
offer R64-A R64 90.00 AMS 19:00 LHR 19:20
@ 2025-05-01  # small letters come last: one start, one arrival; cents count
train ca LHR 10:00 QQS 10:30
train CZ LHR 10:00 QQS 10:40
update ca 2 status=cancelled
offer ca-a ca 20.50 QQS 11:10 MAN 13:00
offer ca-Z ca 20.50 QQS 11:00 MAN 13:00
offer ca-0 ca 20.75 QQS 11:00 MAN 13:00
@ 2025-05-03  # three nights
hotel HN LON 20:00 LON 08:00+3
"""
EDGE = """
@ 2025-03-01
hotel H-EDGE LON 18:00 LON 08:00+1
@ 2025-03-02
train T-EDGE LON 08:00 MAN 09:00
"""


def parse(text: str) -> Trip:
    """Segments, updates and alternatives, each in the order of their lines."""
    segments, updates, offers, day = [], [], [], date.min
    for line in filter(None, (line.partition("  #")[0].split() for line in text.splitlines())):
        values = {key: "" if value == "-" else value for key, value in map(split, line) if value}
        words = [word for word in line if "=" not in word]
        kind, name = words[:2]
        for key in ("start", "end"):
            if key in values:
                values[key] = local(day, values[key])
        values = {KEYS.get(key, key): value for key, value in values.items()}
        if kind == "@":
            day = date.fromisoformat(name)
        elif kind == "update":
            updates.append({"segment_id": name, "revision": int(words[2]), **values})
        else:
            origin, start, destination, end = words[-4:]
            row: Row = {
                "start_local": local(day, start),
                "end_local": local(day, end),
                "start_timezone": ZONES[origin],
                "end_timezone": ZONES[destination],
                "origin": origin,
                "destination": destination,
            }
            if kind == "offer":
                known = {"alternative_id": name, "replaces_segment_id": words[2]}
                offers.append({**known, **row, **values, "price": words[3]})
            else:
                known = {"segment_id": name, "type": kind, "revision": int(values.pop("rev", "1"))}
                segments.append({**known, **row, "booking_ref": f"BK-{name}", **values})
    return segments, updates, offers


def split(word: str) -> tuple[str, str]:
    key, _, value = word.partition("=")
    return key, value


def local(day: date, text: str) -> str:
    clock, _, later = text.partition("+")
    return f"{day + timedelta(days=int(later or 0))}T{clock}"


def filler(rng: random.Random, weeks: int) -> Trip:
    """Weeks that fly out by a hub and come back by train; starts have odd minutes and ends even ones, so
    that nothing touches.
    """
    lines: list[str] = []
    for number in range(weeks):
        monday = FILLER_FROM + timedelta(weeks=number)
        target = rng.choice(TARGETS)
        lines += [f"@ {monday}", *journey(rng, f"W{number:02}", target)]
        for day, letter in enumerate("ABCDEFG"):
            place = "LON" if day > 3 else target.replace("JFK", "NYC")
            lines.append(f"@ {monday + timedelta(days=day)}")
            lines += stay(rng, f"W{number:02}{letter}", place, last=number == weeks - 1 and day == 6)
    return parse("\n".join(lines))


def journey(rng: random.Random, week: str, target: str) -> list[str]:
    """Monday's two flights and Friday's return, and what may become of them."""
    hub, other = rng.sample(["CDG", "AMS", "FRA", "ZRH"], 2)
    there = 15 if target in OVERSEAS else 13
    arrival, gap = 600 + 2 * rng.randrange(15), 2 * rng.randrange(15, 45) + 1
    zones = rng.choice(["", " from=-", " to=-", " from=- to=-"])
    lines = [
        f"flight {week}-F1 LHR 07:{odd(rng)} {hub} {clock(arrival)}{zones}",
        f"flight {week}-F2 {hub} {clock(arrival + gap)} {target} {there}:{even(rng)}{zones}",
        f"train {week}-T3 {target} 16:{odd(rng)}+4 {rng.choice(['LHR', 'QQS'])} 20:{even(rng)}+4",
    ]
    if target in OVERSEAS:
        lines[2] = f"flight {week}-F3 {target} 18:{odd(rng)}+4 {rng.choice(['LHR', 'LGW'])} 06:{even(rng)}+5"
    late = arrival + 2 * rng.randrange(10, 45)
    fate = rng.choice(["late", "late", "cancelled", "nothing"])
    if fate == "late":
        lines.append(f"update {week}-F1 2 end={clock(late)}")
    if fate == "cancelled":
        lines.append(f"update {week}-F2 2 status=cancelled")
    for letter in "ABC"[: rng.randrange(4)]:
        origin = rng.choice([hub, hub, hub, other])
        start = clock(late + 2 * rng.randrange(15, 60) + 1)
        place = f"{origin} {start} {target} {there + 1}:{even(rng)}"
        lines.append(
            f"offer {week}-{letter} {week}-F2 {rng.randrange(40, 400)}.{rng.randrange(100):02} {place}"
        )
    return lines


def stay(rng: random.Random, day: str, place: str, last: bool) -> list[str]:
    """A day's activities and its hotel, which the last night of the trip does not have."""
    lines = []
    for number in range(rng.randrange(4)):
        hour = rng.randrange(9, 16)
        reference = rng.choice(["", "", "", f" ref=GRP-{day[:3]}"])
        times = f"{place} {hour:02}:{odd(rng)} {place} {hour + rng.randrange(1, 3):02}:{even(rng)}"
        zones = rng.choice(["", "", " from=- to=-"])
        lines.append(f"activity {day}{number} {times}{reference}{zones}")
        if rng.random() < 0.3:
            revision = rng.randrange(1, 4)
            change = rng.choice(["status=cancelled", f"ref=CHG-{day}", "status=confirmed gate=7"])
            lines.append(f"update {day}{number} {revision} {change}")
    if not last and rng.random() < 0.8:
        lines.append(f"hotel {day}H {place} 21:{odd(rng)} {place} 06:{even(rng)}+1")
    return lines


def odd(rng: random.Random) -> str:
    return f"{2 * rng.randrange(15) + 1:02}"


def even(rng: random.Random) -> str:
    return f"{2 * rng.randrange(15, 30):02}"


def clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def trip(build: seeding.Build) -> Trip:
    """Anchors in their order, with filler strewn between them."""
    if build.fixture == "edge":
        return parse(EDGE)
    rng = build.rng_of("initial")
    lists = parse(ANCHORS)
    for rows, more in zip(lists, filler(rng, weeks(build)), strict=True):
        for row in more:
            rows.insert(rng.randint(0, len(rows)), row)
    return lists


def weeks(build: seeding.Build) -> int:
    return build.size(full=30, small=2)


def write_initial(build: seeding.Build) -> None:
    """The trip, its places and its connection rules."""
    segments, _, _ = trip(build)
    inputs = build.out / "inputs"
    end = date(2025, 3, 2) if build.fixture == "edge" else FILLER_FROM + timedelta(weeks=weeks(build))
    whole = {"trip_start_date": START, "trip_end_date": f"{end}", "segments": segments}
    fixtures.write_json(inputs / "itinerary.json", whole)
    fixtures.write_json(inputs / "connection_rules.json", RULES)
    fixtures.write_csv(inputs / "airports.csv", ["code", "timezone", "city"], AIRPORTS)


def write_updates(build: seeding.Build) -> None:
    """Updates and alternatives; the edge has none."""
    _, updates, offers = trip(build)
    fixtures.write_json(build.out / "inputs/updates.json", updates)
    header = [*OFFER, "origin", "destination", "price"]
    rows = ([row[name] for name in header] for row in offers)
    fixtures.write_csv(build.out / "inputs/alternatives.csv", header, rows)


if __name__ == "__main__":
    seeding.main(8, {"initial": write_initial, "updates": write_updates})
