"""Reads event records from the supported subset of iCalendar, and writes events back in UTC."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

PRODUCT = "-//calendar merge//EN"


@dataclass(frozen=True)
class Property:
    """One content line; names are upper case, quotes of parameter values removed."""

    name: str
    parameters: dict[str, str]
    value: str


@dataclass(frozen=True)
class Event:
    """One event record with its times in UTC."""

    uid: str
    sequence: int
    cancelled: bool
    start: datetime
    end: datetime
    summary: str
    location: str | None


def content_lines(data: bytes) -> list[str]:
    """Unfolded lines. Folds are undone on bytes because one may lie inside a character."""
    unfolded = re.sub(rb"\r\n[ \t]", b"", data)
    return unfolded.decode("utf-8").removesuffix("\r\n").split("\r\n")


def split_unquoted(text: str, separator: str, most: int = -1) -> list[str]:
    """Split at separators outside double quotes, at most `most` times."""
    parts, quoted = [""], False
    for character in text:
        quoted ^= character == '"'
        if character == separator and not quoted and len(parts) - 1 != most:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def parse_property(line: str) -> Property:
    """Take one unfolded content line apart."""
    head, value = split_unquoted(line, ":", most=1)
    name, *rest = split_unquoted(head, ";")
    pairs = (parameter.partition("=") for parameter in rest)
    return Property(name.upper(), {key.upper(): text.strip('"') for key, _, text in pairs}, value)


def to_utc(time: Property, file_zone: ZoneInfo) -> datetime:
    """The instant of a DTSTART or DTEND; a date is the midnight that begins it in the file's zone."""
    if time.parameters.get("VALUE", "").upper() == "DATE":
        return datetime.strptime(time.value, "%Y%m%d").replace(tzinfo=file_zone).astimezone(UTC)
    if time.value.endswith("Z"):
        return datetime.strptime(time.value, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    zone = ZoneInfo(time.parameters["TZID"]) if "TZID" in time.parameters else file_zone
    return datetime.strptime(time.value, "%Y%m%dT%H%M%S").replace(tzinfo=zone).astimezone(UTC)


def make_event(properties: dict[str, Property], file_zone: ZoneInfo) -> Event:
    """One record from its properties by name."""
    status = properties["STATUS"].value if "STATUS" in properties else ""
    location = properties.get("LOCATION")
    return Event(
        uid=properties["UID"].value,
        sequence=int(properties["SEQUENCE"].value),
        cancelled=status.upper() == "CANCELLED",
        start=to_utc(properties["DTSTART"], file_zone),
        end=to_utc(properties["DTEND"], file_zone),
        summary=properties["SUMMARY"].value,
        location=location.value if location else None,
    )


def read_events(path: Path) -> Iterator[Event]:
    """Event records of one calendar file, in file order."""
    file_zone = ZoneInfo("UTC")
    event: dict[str, Property] | None = None
    for line in content_lines(path.read_bytes()):
        prop = parse_property(line)
        boundary = (prop.name, prop.value.upper())
        if prop.name == "X-WR-TIMEZONE":
            file_zone = ZoneInfo(prop.value)
        elif boundary == ("BEGIN", "VEVENT"):
            event = {}
        elif boundary == ("END", "VEVENT") and event is not None:
            yield make_event(event, file_zone)
            event = None
        elif event is not None:
            event[prop.name] = prop


def event_lines(event: Event) -> Iterator[str]:
    """Content lines of one event."""
    yield "BEGIN:VEVENT"
    yield f"UID:{event.uid}"
    yield f"SEQUENCE:{event.sequence}"
    yield f"DTSTART:{event.start:%Y%m%dT%H%M%SZ}"
    yield f"DTEND:{event.end:%Y%m%dT%H%M%SZ}"
    yield f"SUMMARY:{event.summary}"
    if event.location is not None:
        yield f"LOCATION:{event.location}"
    yield "END:VEVENT"


def write_calendar(path: Path, events: list[Event]) -> None:
    """Write one calendar with the events in the order given."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:{PRODUCT}"]
    for event in events:
        lines.extend(event_lines(event))
    lines.append("END:VCALENDAR")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\r\n" for line in lines).encode("utf-8"))
