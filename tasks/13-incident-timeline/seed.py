"""Generated files of task 13: four logs with one incident among many, a recovered fifth, the clocks' offsets.

An anchor is a place and a log line in short: `.` is a place that is drawn, a number is a line, `P-3` is
three lines before a power of ten. `<...>` is the true UTC time, which the line shows as its service's
clock did; `@1001` is a request id, `#3` a release id, `!X` a code, `$t.c` a table and a column.
`deployment <...> #3 CODE operation ; message` stands for a JSON object.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Filler = Callable[[str, str, str, str], str]

OFFSETS_MS = {"access": 2500, "application": 5000, "database": 1000, "deployment": -2000}
TWIN_CLOCKS_MS = 1000
"""Added to every offset of the twin: what comes first on raw clocks stays as it is."""
TWIN_NAMES = {
    "customer_status": "carrier_hint",
    "CUSTOMER_STATUS": "CARRIER_HINT",
    "customers": "shipments",
    "Customers": "Shipments",
    "2025.04.17.3": "2025.04.17.6",
    "req-1": "req-7",
}

RELEASE = "2025.04.17.3"
QUOTED = r'"\"c\": lost, @1999 !OK \\ end"'
ALIASES = f"release={RELEASE} event=UNDEFINED_COLUMN"
MISSING = "$customers.customer_status"
MIXED_CASE = "$Customers.CUSTOMER_STATUS"
DROP = "ALTER TABLE customers DROP COLUMN customer_status"
SPACED_DROP = "ALTER  TABLE customers Drop COLUMN customer_status;"
ACCESS = f"""
3
5 -- rotated\u2028at midnight\x85by\rlogrotate --
9 .
. <14:08:02.400Z> | access | ERROR | @0990 #3 !HTTP_RESPONSE status=500 path=/customers/90
. <14:08:02.600Z> | access | ERROR | @0992 #3 !HTTP_RESPONSE status=500 path=/customers/92
. <14:08:05.000Z> | access | ERROR | @0991 #3 !HTTP_RESPONSE status=500 path=/customers/91
. <14:08:03.000Z> | access | INFO | @1000 #3 !HTTP_RESPONSE status=200 path=/customers/3
. <14:08:07.500Z> | access | ERROR | @1001 #3 !CLIENT_CLOSED status=499 path=/customers/17
. <14:08:08.000700Z> | access | WARN | @1001 #3 !HTTP_RESPONSE status=500 path=/customers/17
. <14:08:08.700Z> | access | ERROR | @1001 #2 !HTTP_RESPONSE status=503 path=/customers/17
. <14:08:10.0Z> | access | INFO | @1001 #3 !HTTP_RESPONSE status=200 path=/customers/17
. <14:08:12.300Z> | access | ERROR | @1002 #3 !HTTP_RESPONSE status=500 path=/customers/18
. <14:08:18.900Z> | access | ERROR | @1003 #3 !HTTP_RESPONSE status=500 path=/customers/19
. <14:08:18.900Z> | access | ERROR | @1003 #3 !HTTP_RESPONSE status=500 path=/customers/19
. <14:08:20.900Z> | access | ERROR | @1004 !HTTP_RESPONSE status=502 path=/customers/20?all=1
. <14:08:15.2-05:30> | access | error | @1005 #3 !HTTP_RESPONSE status=500 path=/customers/21
. <14:08:17.000Z> | access | ERROR | @1006 release_id= release={RELEASE} code= event=HTTP_RESPONSE status=504
. <14:08:21.100Z> | access | ERROR | request_id="" #3 !HTTP_RESPONSE status=500 path=/customers/22
. <14:08:22.500Z> | access | ERROR | @1010 #2 !HTTP_RESPONSE status=500 path=/customers/30
. <14:08:23.500Z> | access | ERROR | @1011 #3 !HTTP_RESPONSE status=500 path=/customers/31
. <14:08:24.500Z> | access | ERROR | @1012 #3 !HTTP_RESPONSE status=500 path=/suppliers/32
. <14:08:25.500Z> | access | ERROR | @1013 #3 !HTTP_RESPONSE status=500 path=/customers/33
. <14:08:26.500Z> | access | ERROR | @1014 #3 !HTTP_RESPONSE status=500 path=/customers/34
. <14:08:27.500Z> | access | ERROR | @1015 #3 !HTTP_RESPONSE status=500 path=/customers/35
. <14:08:28.500Z> | access | ERROR | @1016 #3 !HTTP_RESPONSE status=500 path=/customers/36
. <14:08:29.500Z> | access | ERROR | @1017 #3 !HTTP_RESPONSE status=500 path=/orders/37
. <14:08:09.100Z> | access | ERROR | @10010 #3 !HTTP_RESPONSE status=500 path=/customers/38
. <14:08:09.200Z> | access | ERROR | request_id=REQ-1001 #3 !HTTP_RESPONSE status=500 path=/customers/39
. <14:08:16.500Z> | access | ERROR | @1999 #3 !HTTP_RESPONSE status=500 path=/customers/40
. <14:08:15.500Z> | access | ERROR | @1998 #3 !HTTP_RESPONSE status=500 path=/customers/41
. <14:08:08.100Z> | gateway | ERROR | @1001 #3 !HTTP_RESPONSE status=500 path=/customers/17
. <14:24:00.000Z> | access | ERROR | @1020 #3 !HTTP_RESPONSE status=500 path=/customers/50
. <14:18:30.000Z> | access | INFO | @1021 #3 !HTTP_RESPONSE status=202 path=/customers/51
. <14:28:30.000Z> | access | ERROR | @1021 #3 !HTTP_RESPONSE status=500 path=/customers/51
. <14:29:57.500Z> | access | INFO | @1022 #3 !HTTP_RESPONSE status=202 path=/customers/52
. <14:29:59.000Z> | access | ERROR | @1022 #3 !HTTP_RESPONSE status=503 path=/customers/52
. <14:30:00.0Z> | access | ERROR | @1022 #3 !HTTP_RESPONSE status=500 path=/customers/52
. <14:30:00.000400Z> | access | ERROR | @1022 #3 !HTTP_RESPONSE status=500 path=/customers/52
. <14:30:00.001Z> | access | ERROR | @1022 #3 !HTTP_RESPONSE status=500 path=/customers/52
P+2 <14:09:30.000Z> | access | ERROR | @1023 #3 !HTTP_RESPONSE status=500 path=/customers/53
. <14:09:30Z> [INFO] application @1023 #3 !REQUEST_RETRY message="written by the proxy"
. <14:10:00.000Z> | access | ERROR | @1026 #3 !HTTP_RESPONSE status=500 path=/customers/56
. <14:08:31.000Z> [ERROR] application @1031 #3 !UNDEFINED_COLUMN {MISSING} message="written by the proxy"
. <14:09:41.000900Z> | access | INFO | @1024 #3 !HTTP_RESPONSE status=200 path=/customers/54
. <14:08:03.200Z> | access | ERROR | @1030 #4 !HTTP_RESPONSE status=500 path=/accounts/60
. <14:29:40.000Z> | access | ERROR | @1060 #3 !HTTP_RESPONSE status=500 path=/customers/57
. <14:03:50.000Z> | access | ERROR | @1040 #2 !HTTP_RESPONSE status=500 path=/orders/70
. <14:04:11.000Z> | access | INFO | @1040 #2 !HTTP_RESPONSE status=200 path=/orders/70
. <14:04:13.000Z> | access | ERROR | @1041 #2 !CLIENT_CLOSED status=499 path=/orders/71
. <14:00:06.000Z> | access | ERROR | @1050 #1 !HTTP_RESPONSE status=500 path=/invoices/80
"""

APPLICATION = f"""
3
5 -- log opened\u2028by the\rsupervisor --
. <14:07:50.000Z> [ERROR] application @0991 #3 !UNDEFINED_COLUMN {MISSING}
. <14:08:01.999Z> [ERROR] application @0990 #3 !UNDEFINED_COLUMN {MISSING}
. <14:08:01.999600Z> [ERROR] application @0992 #3 !UNDEFINED_COLUMN {MISSING}
P-30 <14:08:02.000Z> [ERROR] application @1000 #3 !UNDEFINED_COLUMN $customers.customer_rank
P-20 <14:08:02.000Z> [ERROR] application @1000 #3 !UNDEFINED_COLUMN {MISSING} message="retry, please"
. <14:08:07.000Z> [ERROR] application @1001 #3 !UNDEFINED_COLUMN {MISSING} status=500 message="é \u2028 ü"
. <14:08:09.000Z> [INFO] application @1001 #3 !REQUEST_RETRY message="second attempt"
. <14:08:01.500Z> [INFO] application @1002 #3 !REQUEST_RECEIVED message="GET /customers/18"
. <14:08:11.000Z> [ERROR] application @1002 #3 !UNDEFINED_COLUMN {MISSING} message="no such column"
. <14:08:18.000Z> [ERROR] application @1003 #3 !UNDEFINED_COLUMN {MISSING} message="no such column"
. <14:08:18.000Z> [ERROR] application @1003 #3 !UNDEFINED_COLUMN {MISSING} message="no such column"
. <14:08:20.250Z> [ERROR] application @1004 !UNDEFINED_COLUMN {MISSING} message="build id unknown"
. <14:08:21.000Z> [ERROR] application #3 !UNDEFINED_COLUMN {MISSING} message="nightly sync"
. <14:08:15.000Z> [error] application message="was @1998 !OK" @1005 #3 !UNDEFINED_COLUMN {MIXED_CASE}
. <14:08:16.345999+02:00> [Error] application @1006 {ALIASES} {MISSING} message={QUOTED}
. <14:08:22.000Z> [ERROR] application @1010 #2 !UNDEFINED_COLUMN {MISSING}
. <14:08:23.000Z> [ERROR] application @1011 #3 !UNDEFINED_COLUMN {MISSING}_code message="customer_status?"
. <14:08:24.000Z> [ERROR] application @1012 #3 !UNDEFINED_COLUMN $suppliers.customer_status
. <14:08:25.000Z> [WARN] application @1013 #3 !UNDEFINED_COLUMN_GUESSED {MISSING}
. <14:08:26.000Z> [ERROR] application @1014 #3 !UNDEFINED_COLUMN {MISSING} message="no such
. <14:08:27.000> [ERROR] application @1015 #3 !UNDEFINED_COLUMN {MISSING}
. <14:08:27.100Z> [ERROR] application @1014 #3 code=undefined_column {MISSING}
. <14:08:27.200Z> [ERROR] application @1014 #3 !UNDEFINED_COLUMN again {MISSING}
. 2025-04-17T16:08:45.500+0200 [ERROR] application @1014 #3 !UNDEFINED_COLUMN {MISSING}
. 20250417T140845Z [ERROR] application @1014 #3 !UNDEFINED_COLUMN {MISSING}
. 2025-04-17T14:08:45.5000000Z [ERROR] application @1014 #3 !UNDEFINED_COLUMN {MISSING}
. 2025-04-17T14:08:45,500Z [ERROR] application @1014 #3 !UNDEFINED_COLUMN {MISSING}
. <14:10:00.500Z> [ERROR] application @1026 #3 !UNDEFINED_COLUMN {MISSING}
. database <14:08:04.000Z> INFO #3 !SCHEMA_APPLIED operation="{DROP}" message="written by the supervisor"
. <14:08:29.000Z> [INFO] application @1017 #3 !REQUEST_COMPLETE message="customer_status not needed"
. <14:09:00.000Z> [ERROR] application @1020 #3 !UNDEFINED_COLUMN {MISSING}
. <14:08:30.000Z> [ERROR] application @1021 #3 !UNDEFINED_COLUMN {MISSING}
. <14:28:00.000Z> [ERROR] application @1022 #3 !UNDEFINED_COLUMN {MISSING}
P-5 <14:09:30.000Z> [ERROR] application @1023 #3 !UNDEFINED_COLUMN {MISSING}
P-3 <14:09:30.000Z> [INFO] application @1023 #3 !REQUEST_RETRY message="first of two"
P+4 <14:09:30.000Z> [INFO] application @1023 #3 !REQUEST_RETRY message="second of two"
P-8 <14:09:30.000Z> | access | ERROR | @1023 #3 !HTTP_RESPONSE status=500 path=/sidecar
. <14:09:40.000Z> [ERROR] application @1024 #3 !UNDEFINED_COLUMN {MISSING}
. <14:09:41.000100Z> [INFO] application @1024 #3 !REQUEST_RETRY message="cached"
. <14:30:01.000Z> [ERROR] application @1060 #3 !UNDEFINED_COLUMN {MISSING}
. <14:08:02.500Z> [ERROR] application @1030 #4 !UNDEFINED_COLUMN $accounts.risk_band
. <14:04:10.000Z> [ERROR] application @1040 #2 !UNDEFINED_COLUMN $orders.gift_note
. <14:04:12.000Z> [ERROR] application @1041 #2 !UNDEFINED_COLUMN $orders.gift_note
. <14:00:05.000Z> [ERROR] application @1050 #1 !UNDEFINED_COLUMN $invoices.legacy_total
"""

BLANK_FOR_T = '"service":"deployment","severity":"warn","timestamp":"2025-04-17 14:06:00.000Z"'
DEPLOYMENT = f"""
3
5 ["deployment", "restarted"]
. deployment <13:59:59.999Z> #1 SCHEMA_CHANGE ALTER TABLE invoices DROP COLUMN legacy_total
. deployment <14:02:00.000Z> #1 SCHEMA_CHANGE ALTER TABLE customers ADD COLUMN customer_tier
. deployment <14:02:30.000Z> #3 SCHEMA_CHANGE ALTER TABLE customers ADD COLUMN customer_status_code
. deployment <14:03:00.000Z> #1 SCHEMA_CHANGE ALTER TABLE customers DROP COLUMN fax_number
. deployment <14:04:00.000Z> #2 SCHEMA_CHANGE ALTER TABLE orders DROP COLUMN gift_note
. deployment <14:05:00.000Z> #1 SCHEMA_CHANGE ALTER TABLE suppliers DROP COLUMN customer_status
. deployment <14:05:10.000Z> #3 SCHEMA_CHANGE EXPLAIN {DROP}
. deployment <14:05:20.000Z> #3 SCHEMA_CHANGE {DROP} CASCADE
. deployment <14:05:40.000> #3 SCHEMA_CHANGE {DROP}
. deployment <14:07:00.000Z> #3 SCHEMA_CHANGE_PLANNED {DROP}
. scheduler <14:07:10.000Z> #3 SCHEMA_CHANGE {DROP}
. {{"event":"SCHEMA_CHANGE","operation":"{DROP}","release":"{RELEASE}",{BLANK_FOR_T}}}
. {{"event":"SCHEMA_CHANGE","operation":"{DROP}","release":"{RELEASE}","service":"deployment","seve
. deployment <14:08:00.000Z> #3 RELEASE_STARTED ; "customer_status" goes
P-40 deployment <14:08:02.000Z> #3 SCHEMA_CHANGE {DROP} ; as the deployer saw it
. deployment <14:10:00.000Z> #3 SCHEMA_CHANGE {SPACED_DROP} ; run again
. deployment <14:11:00.000Z> #3 RELEASE_FINISHED
"""

DATABASE = f"""
3
P-3 deployment <14:08:02Z> #3 SCHEMA_CHANGE {DROP} ; column "customer_status" removed, § 4
P+4 deployment <14:08:02.000Z> #4 SCHEMA_CHANGE ALTER TABLE accounts DROP COLUMN risk_band
. database <14:08:02.300Z> INFO #3 !SCHEMA_APPLIED operation="VACUUM customers"
. database <14:08:02.900Z> INFO #4 !SCHEMA_APPLIED operation="ALTER TABLE accounts DROP COLUMN risk_band"
. database <14:08:07.200Z> ERROR @1001 #3 !STATEMENT_FAILED message="customer_status"
. database <14:08:28.000Z> ERROR @1016 #3 !UNDEFINED_COLUMN {MISSING}
. database 2025-04-17T14:08:61Z INFO #3 !SCHEMA_APPLIED operation="{DROP}"
"""
RENDERED = "alter table  Customers drop COLUMN customer_status;"
RECOVERED = f"""
. database <14:08:01.900Z> INFO #3 !SCHEMA_APPLIED operation="{DROP}"
P-2 database <14:08:02.000Z> INFO #3 !SCHEMA_APPLIED operation="{RENDERED}"
P+3 database <14:08:02.000Z> INFO #3 !SCHEMA_APPLIED operation="{DROP}"
. database <14:08:03.500Z> info !SCHEMA_APPLIED operation="{DROP}" message="replica"
. database <14:08:02.600Z> INFO #3 !SCHEMA_APPLIED operation="{DROP} CASCADE"
. database <14:08:02.650Z> INFO #3 !SCHEMA_APPLIED operation="EXPLAIN {DROP}"
. database <14:08:02.700Z> INFO #2 !SCHEMA_APPLIED operation="{DROP}"
. database <14:08:02.800Z> INFO #3 !SCHEMA_APPLIED operation="{DROP}_code"
. database <14:08:02.850Z> INFO #3 !SCHEMA_APPLIED operation="{DROP.replace("customers", "suppliers")}"
P-9 database <14:08:02.000Z> INFO #3 !SCHEMA_APPLY_STARTED operation="{DROP}"
"""

EDGE = {
    "access.log": """
. <14:08:08.000Z> | access | ERROR | @1001 #3 !HTTP_RESPONSE status=503 path=/customers/17
. <14:08:12.300Z> | access | ERROR | @1002 #3 !HTTP_RESPONSE status=503 path=/customers/18
. <14:23:12.301Z> | access | ERROR | @1002 #3 !HTTP_RESPONSE status=503 path=/customers/18
. <14:23:18.000001Z> | access | ERROR | @1003 #3 !HTTP_RESPONSE status=503 path=/customers/19
. <2025-04-18T14:08:08.000Z> | access | ERROR | @1001 #3 !HTTP_RESPONSE status=503 path=/customers/17
""",
    "application.log.gz": f"""
. <14:08:07.000Z> [ERROR] application @1001 #3 !UNDEFINED_COLUMN {MISSING} message="no such column"
. <14:08:11.000Z> [ERROR] application @1002 #3 !UNDEFINED_COLUMN {MISSING} message="no such column"
. <14:08:18.000Z> [ERROR] application @1003 #3 !UNDEFINED_COLUMN {MISSING} message="no such column"
. <2025-04-18T14:08:07.000Z> [INFO] application @1001 #3 !REQUEST_COMPLETE message="200"
""",
    "deployment.log": f". deployment <14:08:02.000Z> #3 SCHEMA_CHANGE {DROP}",
    "database.log.gz": "",
    "db-extra.log.gz": (f'. database <14:08:03.000Z> INFO #3 !SCHEMA_APPLIED operation="{DROP}"'),
}

OTHER_FILES = {
    "access.log.1": ". <14:08:07.900Z> | access | ERROR | @1001 #3 !HTTP_RESPONSE status=500",
    "archive/application.log": f". <14:08:06.000Z> [ERROR] application @1001 #3 !UNDEFINED_COLUMN {MISSING}",
}

LOGS = {
    "access.log": ("access", ACCESS, 400_000),
    "application.log.gz": ("application", APPLICATION, 430_000),
    "deployment.log": ("deployment", DEPLOYMENT, 240_000),
    "database.log.gz": ("database", DATABASE, 430_000),
    "db-extra.log.gz": ("database", RECOVERED, 5_000),
}
SMALL_LINES, SMALL_RECOVERED_LINES, EDGE_LINES = 1_600, 150, 240
FULL_RECOVERED_LINES = 5_000

# Filler: bodies are drawn once and repeated with a time and a request id of their own.
DAY = "2025-04-17"
FILLER_START, FILLER_SECONDS, BODIES = datetime(2025, 4, 17, 13, 55), 40 * 60, 997
CLOCK = [f"{FILLER_START + timedelta(seconds=second):%Y-%m-%dT%H:%M:%S}" for second in range(FILLER_SECONDS)]
RELEASES = ("2025.04.16.7", "2025.04.16.9", "2025.04.17.1", "2025.04.17.2", RELEASE, "2025.04.17.4")
PATHS = ("/customers", "/orders", "/invoices", "/suppliers", "/health")
FORMS: dict[str, Filler] = {
    "access": lambda time, request, severity, body: (
        f"{time} | access | {severity} | request_id={request} {body}"
    ),
    "application": lambda time, request, severity, body: (
        f"{time} [{severity}] application request_id={request} {body}"
    ),
    "database": lambda time, _, severity, body: (
        f"timestamp={time} service=database severity={severity} {body}"
    ),
    "deployment": lambda time, _, severity, body: (
        f'{{{body},"service":"deployment","severity":"{severity}","timestamp":"{time}"}}'
    ),
}


def main() -> None:
    seeding.main(
        13,
        {
            "initial": write_initial,
            "recovered-db": lambda build: write_log(build, "db-extra.log.gz"),
            "clock-offsets": write_offsets,
            "stream-monitor": lambda build: None,
        },
    )


def write_initial(build: seeding.Build) -> None:
    """Write the four logs, and files beside them that are no logs."""
    for name in ("access.log", "application.log.gz", "deployment.log", "database.log.gz"):
        write_log(build, name)
    for name, short in OTHER_FILES.items() if build.fixture != "edge" else ():
        fixtures.write_lines(build.out / "inputs/logs" / name, [line for _, line in anchors(build, short)])


def write_offsets(build: seeding.Build) -> None:
    """Write what the services' clocks show less UTC."""
    convention = "service_clock_equals_utc_plus_offset_ms"
    offsets = {"sign_convention": convention, "offsets_ms": clocks(build)}
    fixtures.write_json(build.out / "inputs/clock_offsets.json", offsets)


def clocks(build: seeding.Build) -> dict[str, int]:
    added = TWIN_CLOCKS_MS if build.fixture == "twin" else 0
    return {service: offset + added for service, offset in OFFSETS_MS.items()}


def write_log(build: seeding.Build, name: str) -> None:
    """Write one log: its anchors at their lines, filler on all others."""
    service, short, lines = LOGS[name]
    small = SMALL_RECOVERED_LINES if lines == FULL_RECOVERED_LINES else SMALL_LINES
    lines = build.size(full=lines, small=small, full_twin=lines // 10)
    if build.fixture == "edge":
        short, lines = EDGE[name], EDGE_LINES
    placed = dict(places(build, anchors(build, short), lines))
    path = build.out / "inputs/logs" / name
    content = (placed.get(number, line) for number, line in filler(build, service, lines))
    if name.endswith(".gz"):
        fixtures.write_gzip_lines(path, content, level=1)
    else:
        fixtures.write_lines(path, content)


def places(build: seeding.Build, found: list[tuple[str, str]], lines: int) -> Iterator[tuple[int, str]]:
    """Line number and text of every anchor."""
    pivot = 10 ** (len(str(lines * 2 // 3)) - 1)
    free = [number for number in range(20, lines) if abs(number - pivot) > 50]
    drawn = iter(build.rng.sample(free, len(found)))
    for at, line in found:
        yield next(drawn) if at == "." else pivot + int(at[1:]) if at[0] == "P" else int(at), line


def anchors(build: seeding.Build, short: str) -> list[tuple[str, str]]:
    """Place and full line of every anchor."""
    split = [entry.partition(" ") for entry in short.strip("\n").split("\n") if entry]
    found = [(at, spelled_out(line, clocks(build))) for at, _, line in split]
    for name, other in TWIN_NAMES.items() if build.fixture == "twin" else ():
        found = [(at, line.replace(name, other)) for at, line in found]
    return found


def spelled_out(short: str, clocks_ms: dict[str, int]) -> str:
    """The line that a short one stands for."""
    service, _, rest = short.partition(" ")
    if service not in clocks_ms:
        service = "access" if "| access |" in short else "application"
    short = re.sub(r"<.*?>", lambda time: shown(time[0], clocks_ms[service]), short)
    short = re.sub(r"#(\d)", r"release_id=2025.04.17.\1", short)
    short = re.sub(r"@(\d+)", r"request_id=req-\1", short)
    short = re.sub(r"!([A-Z_]+)", r"code=\1", short)
    short = re.sub(r"\$(\w+)\.(\w+)", r"table=\1 column=\2", short)
    if record := re.fullmatch(r"(\w+) (\S+) release_id=(\S+) (\w+)(?: ([A-Z].*?))?(?: ; (.*))?", short):
        names = ("service", "timestamp", "release", "event", "operation", "message")
        fields = {name: value for name, value in zip(names, record.groups(), strict=True) if value}
        return json.dumps(fields | {"severity": "warn"}, sort_keys=True, separators=(",", ":"))
    return re.sub(r"^database (\S+) (\w+)", r"timestamp=\1 service=database severity=\2", short)


def shown(time: str, offset_ms: int) -> str:
    """The time stamp of a clock for `<UTC time>`, with as many digits and the zone that are written there."""
    parts = re.fullmatch(r"<([\d-]+T)?([\d:]+)\.?(\d*)(Z|[+-]\d\d:\d\d|)>", time)
    assert parts, time
    date, clock, digits, zone = parts.groups()
    moment = datetime.fromisoformat(f"{date or DAY + 'T'}{clock}.{digits:0<6}") + timedelta(
        milliseconds=offset_ms
    )
    if zone not in ("", "Z"):
        away = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:]))
        moment += away if zone[0] == "+" else -away
    exact = f"{moment:%f}"
    assert not exact[len(digits) :].strip("0"), f"{time} needs more digits"
    return f"{moment:%Y-%m-%dT%H:%M:%S}" + ("." if digits else "") + exact[: len(digits)] + zone


def filler(build: seeding.Build, service: str, lines: int) -> Iterator[tuple[int, str]]:
    """Numbered lines. Times are in order; access and application records share their request ids."""
    bodies, form = filler_bodies(build, service), FORMS[service]
    first = 1_000_000 + build.rng_of("initial").randrange(9_000_000)
    for number in range(1, lines + 1):
        time = f"{CLOCK[number * FILLER_SECONDS // (lines + 1)]}.{number * 7919 % 1000:03}Z"
        severity, body = bodies[number % BODIES]
        yield number, form(time, f"q{first + number}", severity, body)


def filler_bodies(build: seeding.Build, service: str) -> list[tuple[str, str]]:
    """Severity and fields of BODIES records; two fail over a column that nobody dropped."""
    return [filler_body(service, build, number) for number in range(BODIES)]


def filler_body(service: str, build: seeding.Build, number: int) -> tuple[str, str]:
    rng = build.rng
    release, path, millis = rng.choice(RELEASES), rng.choice(PATHS), rng.randrange(1, 900)
    if build.fixture == "twin":
        release = TWIN_NAMES.get(release, release)
    lost, failed = number % 499 == 0, number % 53 == 0
    severity = "ERROR" if lost or failed else "INFO"
    if service == "access":
        code = "UPSTREAM_TIMEOUT status=503" if failed else f"HTTP_RESPONSE status={500 if lost else 200}"
        body = f"release_id={release} code={code} path={path}"
    elif service == "application":
        code = "CACHE_TIMEOUT" if failed else "REQUEST_COMPLETE"
        code = "UNDEFINED_COLUMN table=orders column=discount_code" if lost else code
        body = f'release_id={release} code={code} message="{path} took {millis} ms"'
    elif service == "database":
        code = "LOCK_TIMEOUT" if failed else "QUERY_SAMPLE"
        code = 'SCHEMA_APPLIED operation="CREATE INDEX placed ON orders (placed_at)"' if lost else code
        body = f'release_id={release} code={code} message="query on {path[1:]} took {millis} ms"'
    else:
        event = "HEALTHCHECK_FAILED" if failed else "RELEASE_CHECK"
        changed = ',"operation":"CREATE INDEX placed ON orders (placed_at)"' if lost else ""
        event = "SCHEMA_CHANGE" if lost else event
        body = f'"event":"{event}","millis":"{millis}"{changed},"release":"{release}"'
    return severity, body


if __name__ == "__main__":
    main()
