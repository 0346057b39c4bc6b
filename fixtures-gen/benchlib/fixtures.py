"""Writers of fixture files: the same bytes every time, whatever the clock, locale or umask.

Text is UTF-8 with LF. Every writer makes the parent folders; the iterables are streamed, so 1.5 million lines
need little memory.
"""

import csv
import gzip
import io
import json
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.message import Message
from itertools import batched, chain
from pathlib import Path
from typing import IO

from benchlib.names import EPOCH

_LINES_AT_ONCE = 10_000
_SQLITE_VERSION_FIELD = slice(96, 100)
_LINE_ENDS = "\r\n"
"""A field that holds one of them is quoted: the writer quotes those that it writes itself."""


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8, line ends untouched."""
    write_bytes(path, text.encode("utf-8"))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write `lines` (without line ends), each followed by LF."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        _stream(file, lines)


def write_gzip_lines(path: Path, lines: Iterable[str], level: int = 6) -> None:
    """Like `write_lines`, compressed, with no name and time 0 in the header."""
    with _gzip_file(path, level) as file:
        _stream(file, lines)


def write_gzip(path: Path, data: bytes, level: int = 6) -> None:
    """Write `data` compressed, with no name and time 0 in the header."""
    with _gzip_file(path, level) as file:
        file.write(data)


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """CSV records without a line end of their own, quoted only where needed; feed them to `write_lines` or
    `write_gzip_lines`.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=_LINE_ENDS)
    for row in chain([header], rows):
        buffer.seek(0)
        buffer.truncate()
        writer.writerow(row)
        yield buffer.getvalue().removesuffix(_LINE_ENDS)


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file with a header."""
    write_lines(path, csv_lines(header, rows))


def write_json(path: Path, value: object, indent: int | None = 2) -> None:
    """Write one JSON document; keys keep their order, text is not escaped to ASCII, the file ends with LF."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=indent) + "\n")


def json_line(value: object) -> str:
    """One compact JSON document without a line end."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_jsonl(path: Path, values: Iterable[object]) -> None:
    """Write one compact JSON document a line."""
    write_lines(path, map(json_line, values))


def write_sqlite(path: Path, build: Callable[[sqlite3.Connection], None]) -> None:
    """Make a database by `build`; vacuumed, and without the library's version, so that its bytes depend on
    content alone.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA page_size = 4096")
        connection.execute("PRAGMA journal_mode = MEMORY")
        build(connection)
        connection.commit()
        connection.execute("VACUUM")
    finally:
        connection.close()
    content = bytearray(path.read_bytes())
    content[_SQLITE_VERSION_FIELD] = bytes(4)
    path.write_bytes(content)


def fold_ics_line(line: str) -> str:
    """Fold one iCalendar content line at 75 bytes (never inside a character): CRLF and one space."""
    parts, size = [""], 0
    for character in line:
        width = len(character.encode("utf-8"))
        if size + width > 75:
            parts.append("")
            size = 1
        parts[-1] += character
        size += width
    return "\r\n ".join(parts)


def write_ics(path: Path, lines: Iterable[str], fold: bool = True) -> None:
    """Write iCalendar content lines with CRLF; `fold=False` leaves folding to the caller."""
    write_text(path, "".join(f"{fold_ics_line(line) if fold else line}\r\n" for line in lines))


def write_mbox(path: Path, messages: Iterable[Message | bytes], sender: str = "fixture@example.test") -> None:
    """Write an mbox: a constant `From ` line, body lines that start with `From ` quoted, LF, a blank line
    after each.

    Give `bytes` to control every byte of a message, boundaries included (a generated MIME boundary is random:
    set it).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for message in messages:
            content = message if isinstance(message, bytes) else message.as_bytes()
            body = content.replace(b"\r\n", b"\n").rstrip(b"\n").replace(b"\nFrom ", b"\n>From ")
            file.write(f"From {sender} Wed Jan 01 00:00:00 2025\n".encode("ascii") + body + b"\n\n")


def write_zip(path: Path, members: Mapping[str, bytes]) -> None:
    """Write a zip with fixed times and modes, members in the order given; a name that ends in `/` is a
    folder.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in members.items():
            member = zipfile.ZipInfo(name, EPOCH.timetuple()[:6])
            member.create_system = 3
            member.external_attr = (0o40755 if name.endswith("/") else 0o100644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, data)


def tar_member(name: str, size: int = 0, mode: int = 0o644) -> tarfile.TarInfo:
    """Metadata of a tar member with a fixed time and owner; change `type`, `linkname` or `mtime` where an
    anchor asks for it.
    """
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = mode
    member.mtime = int(EPOCH.timestamp())
    return member


def write_tar(path: Path, members: Iterable[tuple[tarfile.TarInfo | str, bytes]]) -> None:
    """Write a tar (PAX), compressed when the name ends in `gz`; members are (name or TarInfo, content) in the
    order given.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member, data in members:
            info = tar_member(member) if isinstance(member, str) else member
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    if path.name.endswith("gz"):
        write_gzip(path, buffer.getvalue())
    else:
        write_bytes(path, buffer.getvalue())


def _stream(file: IO[bytes] | gzip.GzipFile, lines: Iterable[str]) -> None:
    for some in batched(lines, _LINES_AT_ONCE):
        file.write(("\n".join(some) + "\n").encode("utf-8"))


@contextmanager
def _gzip_file(path: Path, level: int) -> Iterator[gzip.GzipFile]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as raw, gzip.GzipFile("", "wb", level, raw, mtime=0) as file:
        yield file
