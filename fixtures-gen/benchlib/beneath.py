"""Opening what a candidate left without following any link: component by component, below one root.

Everything here takes relative POSIX paths and raises `Unreadable`, never an `OSError`, for what the candidate
may have done.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK = 1 << 20
ENTRIES_LIMIT = 10_000
DEPTH_LIMIT = 100


class Unreadable(Exception):
    """An output is missing or not what it must be; the message names file, place and what was expected."""


@contextmanager
def open_directory(root: Path, path: str) -> Iterator[int]:
    """Descriptor of the directory `path` below `root`; closed at the end."""
    descriptor = os.open(root, _DIRECTORY)
    try:
        for part in _parts(path):
            deeper = _opened(descriptor, part, path)
            os.close(descriptor)
            descriptor = deeper
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_entry(directory: int, name: str, path: str) -> Iterator[int]:
    """Descriptor of the directory `name` in an open one; `path` is what notes call it."""
    descriptor = _opened(directory, name, path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _opened(directory: int, name: str, path: str) -> int:
    try:
        return os.open(name, _DIRECTORY, dir_fd=directory)
    except OSError as error:
        raise Unreadable(f"{path}: expected a folder that is no link, {_why(error)}") from None


def read_file(root: Path, path: str, limit: int) -> bytes:
    """Bytes of the regular file `path` below `root`, at most `limit` of them."""
    pure = PurePosixPath(path)
    with open_directory(root, str(pure.parent)) as directory:
        return read_at(directory, pure.name, path, limit)


def read_at(directory: int, name: str, path: str, limit: int) -> bytes:
    """Bytes of the regular file `name` in an open directory; `path` is what notes call it."""
    try:
        descriptor = os.open(name, _FILE, dir_fd=directory)
    except OSError as error:
        raise Unreadable(f"{path}: {_why(error)}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"{path}: is no regular file")
        if status.st_size > limit:
            raise Unreadable(f"{path}: {status.st_size:,} bytes, expected at most {limit:,}")
        content = bytearray()
        while chunk := os.read(descriptor, _CHUNK):
            content += chunk
            if len(content) > limit:
                raise Unreadable(f"{path}: more than {limit:,} bytes")
        return bytes(content)
    except OSError as error:
        raise Unreadable(f"{path}: {_why(error)}") from None
    finally:
        os.close(descriptor)


def list_directory(root: Path, path: str, limit: int = ENTRIES_LIMIT) -> list[str]:
    """Sorted names in the directory `path` below `root`; a name that is no UTF-8 is refused."""
    return sorted(name for name, _ in _entries(root, path, limit))


def list_files(root: Path, path: str, limit: int = ENTRIES_LIMIT) -> list[str]:
    """Sorted paths, relative to the directory `path`, of all that is no directory, at any depth below it."""
    found: list[str] = []
    directories = [""]
    for directory in directories:
        if directory.count("/") > DEPTH_LIMIT:
            raise Unreadable(f"{path}: more than {DEPTH_LIMIT} folders deep")
        for name, is_directory in _entries(root, f"{path}/{directory}", limit):
            if len(found) + len(directories) > limit:
                raise Unreadable(f"{path}: more than {limit:,} files and folders")
            if is_directory:
                directories.append(f"{directory}{name}/")
            else:
                found.append(f"{directory}{name}")
    return sorted(found)


def _entries(root: Path, path: str, limit: int) -> list[tuple[str, bool]]:
    """Names in a directory, and whether each is a directory itself."""
    found: list[tuple[str, bool]] = []
    with open_directory(root, path) as directory, os.scandir(directory) as entries:
        for entry in entries:
            if len(found) >= limit:
                raise Unreadable(f"{path}: more than {limit:,} entries")
            try:
                entry.name.encode("utf-8")
            except UnicodeEncodeError:
                raise Unreadable(f"{path}: holds a name that is not UTF-8: {entry.name!r}") from None
            found.append((entry.name, entry.is_dir(follow_symlinks=False)))
    return found


def _parts(path: str) -> tuple[str, ...]:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\0" in path:
        raise Unreadable(f"{path!r}: is not a relative path below the workspace")
    return pure.parts


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "is missing"
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "is a link or not a folder"
    return (error.strerror or str(error)).lower()
