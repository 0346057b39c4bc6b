"""Strict readers of what a candidate wrote: hostile data until proven otherwise.

`Outputs` opens files without following links and raises one exception, `Unreadable`, whose message names the
file, the line and what was expected. Slips of form that do not hinder reading (CRLF, no newline at the end)
are collected in `slips`.
"""

import csv
import io
import json
import re
import sqlite3
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchlib.beneath import Unreadable, list_directory, list_files, read_file

__all__ = ["Database", "Json", "Outputs", "Unreadable", "parse_csv", "parse_json", "unfold_ics", "utf8"]

type Json = None | bool | int | float | str | list[Json] | dict[str, Json]

FILE_LIMIT = 64 << 20
TOTAL_LIMIT = 512 << 20
"""Of all files that are read below one root, each as often as it is read."""
JSON_LIMIT = 16 << 20
FIELD_LIMIT = 1 << 20
ROW_LIMIT = 1_000_000
JSON_DEPTH_LIMIT = 100
NUMBER_DIGITS_LIMIT = 400
GZIP_CHUNK = 1 << 16
GZIP_MEMBERS_LIMIT = 10_000
SQLITE_STEPS_LIMIT = 200_000_000
SQLITE_ROW_LIMIT = 1_000_000
SQLITE_BYTES_LIMIT = 256 << 20
"""Of texts and blobs in one query's rows: a generated column costs no room in the file."""

csv.field_size_limit(FIELD_LIMIT)


@dataclass
class Outputs:
    """Files below one root, by relative POSIX path."""

    root: Path
    slips: list[str] = field(default_factory=list)
    """Files that were read although their lines do not end as asked: one note each."""
    read_bytes: int = 0

    def content(self, path: str, limit: int = FILE_LIMIT) -> bytes:
        """Content of a regular file."""
        content = read_file(self.root, path, limit)
        self.read_bytes += len(content)
        if self.read_bytes > TOTAL_LIMIT:
            raise Unreadable(f"{path}: with it more than {TOTAL_LIMIT:,} bytes of output have been read")
        return content

    def text(self, path: str, limit: int = FILE_LIMIT) -> str:
        """UTF-8 text without a byte order mark. CRLF and a missing newline at the end become slips, CRLF
        becomes LF.
        """
        text = utf8(self.content(path, limit), path)
        if "\r\n" in text:
            self._slip(f"{path}: lines end with CR LF, expected LF")
            text = text.replace("\r\n", "\n")
        if text and not text.endswith("\n"):
            self._slip(f"{path}: the last line has no newline")
        return text

    def csv(self, path: str, header: Sequence[str], limit: int = FILE_LIMIT) -> list[dict[str, str]]:
        """Rows of a CSV file with exactly this header, as dicts of strings."""
        return parse_csv(self.text(path, limit), header, path)

    def json(self, path: str, limit: int = JSON_LIMIT) -> Json:
        """One JSON document."""
        return parse_json(self.text(path, limit), path)

    def jsonl(self, path: str, limit: int = JSON_LIMIT) -> list[Json]:
        """One JSON document a line; empty lines are refused."""
        lines = self.text(path, limit).removesuffix("\n").split("\n")
        return [
            parse_json(line, f"{path} line {number}") for number, line in enumerate(lines, 1) if lines != [""]
        ]

    def ics(self, path: str, limit: int = FILE_LIMIT) -> list[str]:
        """Unfolded iCalendar content lines. Every line must end with CRLF."""
        return unfold_ics(utf8(self.content(path, limit), path), path)

    def gzip(self, path: str, limit: int = FILE_LIMIT, expanded_limit: int = 4 * FILE_LIMIT) -> bytes:
        """Expanded content of a gzip file, one member or several."""
        return _gunzip(self.content(path, limit), path, expanded_limit)

    @contextmanager
    def sqlite(self, path: str, limit: int = 4 * FILE_LIMIT) -> Iterator["Database"]:
        """The database, with its journals, opened on a private copy that only reads."""
        with tempfile.TemporaryDirectory(prefix="rw30-sqlite-") as folder:
            copy = Path(folder) / "copy.db"
            copy.write_bytes(self.content(path, limit))
            parent, _, name = path.rpartition("/")
            for suffix in {"-wal", "-journal"} & {
                entry.removeprefix(name) for entry in self.names(parent or ".")
            }:
                copy.with_name(copy.name + suffix).write_bytes(self.content(path + suffix, limit))
            connection = sqlite3.connect(copy, isolation_level=None)
            try:
                yield Database(connection, path)
            finally:
                connection.close()

    def names(self, path: str) -> list[str]:
        """Sorted names in a folder."""
        return list_directory(self.root, path)

    def files(self, path: str) -> list[str]:
        """Sorted paths, relative to a folder, of everything at any depth below it that is no folder."""
        return list_files(self.root, path)

    def exists(self, path: str) -> bool:
        """Whether anything but a link is there (a folder or a regular file)."""
        parent, _, name = path.rstrip("/").rpartition("/")
        try:
            return name in self.names(parent or ".")
        except Unreadable:
            return False

    def _slip(self, note: str) -> None:
        if note not in self.slips:
            self.slips.append(note)


@dataclass(frozen=True)
class Database:
    """A candidate's database, bounded in steps and rows; every SQLite error is `Unreadable`."""

    connection: sqlite3.Connection
    path: str

    def __post_init__(self) -> None:
        self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, FILE_LIMIT)
        steps = iter(range(SQLITE_STEPS_LIMIT // 1000))
        self.connection.set_progress_handler(lambda: next(steps, None) is None, 1000)
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
            self.rows(f"PRAGMA {pragma}")

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """All rows of a query, at most SQLITE_ROW_LIMIT and SQLITE_BYTES_LIMIT."""
        found: list[tuple[object, ...]] = []
        size = 0
        try:
            for row in self.connection.execute(sql, tuple(parameters)):
                found.append(row)
                size += sum(len(value) for value in row if isinstance(value, (str, bytes)))
                if len(found) > SQLITE_ROW_LIMIT:
                    raise Unreadable(f"{self.path}: {sql}: more than {SQLITE_ROW_LIMIT:,} rows")
                if size > SQLITE_BYTES_LIMIT:
                    raise Unreadable(f"{self.path}: {sql}: more than {SQLITE_BYTES_LIMIT:,} bytes")
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            raise Unreadable(f"{self.path}: {sql}: {error}") from None
        return found

    def tables(self) -> dict[str, list[str]]:
        """Column names of every table, internal tables left out."""
        names = [str(name) for (name,) in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {
            name: [str(column) for (column,) in self.rows("SELECT name FROM pragma_table_info(?)", [name])]
            for name in sorted(names)
            if not name.startswith("sqlite_")
        }


def parse_csv(text: str, header: Sequence[str], path: str) -> list[dict[str, str]]:
    """Rows of CSV text with exactly this header; every row has as many fields as the header."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[dict[str, str]] = []
    try:
        first = next(reader, None)
        if first != list(header):
            raise Unreadable(
                f"{path} line 1: header is {_short(','.join(first or []))}, expected {','.join(header)}"
            )
        for fields in reader:
            if len(fields) != len(header):
                raise Unreadable(
                    f"{path} line {reader.line_num}: {len(fields)} fields, expected {len(header)}"
                )
            if len(rows) >= ROW_LIMIT:
                raise Unreadable(f"{path}: more than {ROW_LIMIT:,} rows")
            rows.append(dict(zip(header, fields, strict=True)))
    except csv.Error as error:
        raise Unreadable(f"{path} line {reader.line_num}: {error}") from None
    return rows


def parse_json(text: str, path: str) -> Json:
    """One JSON document: no NaN or Infinity, no key twice, at most JSON_DEPTH_LIMIT levels, no endless
    numbers.
    """

    def refuse_constant(name: str) -> None:
        raise Unreadable(f"{path}: {name} is not JSON")

    def unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        result = dict(pairs)
        if len(result) < len(pairs):
            twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
            raise Unreadable(f"{path}: key {_short(twice)!r} occurs twice in one object")
        return result

    def number(kind: type[int] | type[float]) -> "_Number":
        return _Number(kind, path)

    try:
        value = json.loads(
            text,
            parse_constant=refuse_constant,
            object_pairs_hook=unique,
            parse_int=number(int),
            parse_float=number(float),
        )
    except json.JSONDecodeError as error:
        raise Unreadable(f"{path} line {error.lineno} column {error.colno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise Unreadable(f"{path}: nested too deeply") from None
    _limit_depth(value, path)
    return value


def unfold_ics(text: str, path: str) -> list[str]:
    """Content lines of iCalendar text, which must end every line with CRLF."""
    if not text.endswith("\r\n"):
        raise Unreadable(f"{path}: the last line does not end with CR LF")
    for number, line in enumerate(text.removesuffix("\r\n").split("\r\n"), 1):
        if "\n" in line or "\r" in line:
            raise Unreadable(
                f"{path} line {number}: a bare CR or LF, expected CR LF at the end of every line"
            )
    return re.sub(r"\r\n[ \t]", "", text).removesuffix("\r\n").split("\r\n")


@dataclass(frozen=True)
class _Number:
    kind: type[int] | type[float]
    path: str

    def __call__(self, digits: str) -> int | float:
        if len(digits) > NUMBER_DIGITS_LIMIT:
            raise Unreadable(f"{self.path}: a number of {len(digits):,} digits")
        value = self.kind(digits)
        if value in (float("inf"), float("-inf")):
            raise Unreadable(f"{self.path}: the number {_short(digits)} is too large")
        return value


def _limit_depth(value: Json, path: str) -> None:
    layer: list[Json] = [value]
    for _ in range(JSON_DEPTH_LIMIT):
        layer = [
            child
            for parent in layer
            if isinstance(parent, (dict, list))
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
        if not layer:
            return
    raise Unreadable(f"{path}: nested deeper than {JSON_DEPTH_LIMIT} levels")


def _gunzip(data: bytes, path: str, limit: int) -> bytes:
    expanded = bytearray()
    members = 0
    member = None
    try:
        for start in range(0, len(data), GZIP_CHUNK):
            chunk = data[start : start + GZIP_CHUNK]
            while chunk := chunk if member or not members else chunk.lstrip(b"\0"):
                if member is None:
                    member = zlib.decompressobj(wbits=31)
                    members += 1
                expanded += member.decompress(chunk, limit + 1 - len(expanded))
                if len(expanded) > limit:
                    raise Unreadable(f"{path}: expands to more than {limit:,} bytes")
                if members > GZIP_MEMBERS_LIMIT:
                    raise Unreadable(f"{path}: more than {GZIP_MEMBERS_LIMIT:,} gzip members")
                chunk, member = (member.unused_data, None) if member.eof else (b"", member)
    except zlib.error as error:
        raise Unreadable(f"{path}: not gzip: {error}") from None
    if member is not None:
        raise Unreadable(f"{path}: the gzip data end too early")
    return bytes(expanded)


def utf8(data: bytes, path: str) -> str:
    """Text without a byte order mark; `path` is what notes call it."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise Unreadable(f"{path}: starts with a byte order mark, expected plain UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"{path} line {line}: not UTF-8 (byte 0x{data[error.start]:02x})") from None


def _short(text: str, limit: int = 120) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"
