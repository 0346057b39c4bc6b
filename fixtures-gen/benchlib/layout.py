"""Laying files into workspaces: clean trees as hard links, a candidate's work as bounded copies."""

import fcntl
import os
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchlib.beneath import Unreadable, open_directory, open_entry, read_at
from benchlib.cache import cache_root
from benchlib.task import below

COPY_ENTRIES_LIMIT = 20_000
COPY_BYTES_LIMIT = 512 << 20
COPY_DEPTH_LIMIT = 64
COPY_PATH_LIMIT = 3_000
YOUNG_SECONDS = 60.0
"""A working folder this young may not be locked yet."""

_DROPPED = "__pycache__"


def lay_tree(
    tree: Path,
    root: Path,
    *,
    editable: tuple[str, ...],
    left_out: tuple[str, ...] = (),
    linked: bool = True,
) -> None:
    """Lay a clean, read-only tree over `root`: writable copies below `editable`, nothing below `left_out`,
    else hard links.

    `linked=False` copies (read-only) where the workspace is handed to somebody who may write everywhere.
    """
    folders: set[str] = set()
    for relative in _files(str(tree)):
        if below(relative, left_out):
            continue
        source, target = f"{tree}/{relative}", _cleared(str(root), relative, folders)
        if below(relative, editable):
            shutil.copy(source, target)
            os.chmod(target, 0o755 if os.stat(source).st_mode & 0o100 else 0o644)
        elif linked:
            _link(source, target)
        else:
            _copy(source, target)


def make_folders(root: Path, editable: tuple[str, ...]) -> None:
    """Make the editable folders that no file has made."""
    for path in editable:
        (root / path).mkdir(parents=True, exist_ok=True)


def copy_work(source: Path, target: Path, path: str) -> None:
    """Copy the file or folder `path` of a judged workspace: regular files only, no link followed, code caches
    dropped.

    A path that is missing, or a folder where a file belongs or the reverse, is left out; one over a limit
    raises `Unreadable`.
    """
    parent, _, name = path.rstrip("/").rpartition("/")
    try:
        with open_directory(source, parent or "."):
            pass
    except Unreadable:
        return
    with open_directory(source, parent or ".") as directory:
        if _is_directory(directory, name) == path.endswith("/"):
            _copy_entry(directory, name, path.rstrip("/"), target / path, _Budget(path), 0)


@contextmanager
def working_folder(purpose: str) -> Iterator[Path]:
    """A folder in the cache that is removed at the end. Its owner holds a lock on it, so that folders of
    owners that were killed are known and swept by the next one.
    """
    parent = cache_root() / "judging"
    parent.mkdir(parents=True, exist_ok=True)
    for other in parent.iterdir():
        if _is_abandoned(other):
            _remove(other)
    folder = Path(tempfile.mkdtemp(prefix=f"{purpose}-", dir=parent))
    folder.chmod(0o755)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        _remove(folder)
        os.close(lock)


def _remove(folder: Path) -> None:
    """Deletes a tree, however deep a candidate made it (rm walks by open folders). What cannot be deleted
    stays: no clean-up may decide a verdict.
    """
    command = ["rm", "-rf", "--one-file-system", "--", str(folder)]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def _is_abandoned(folder: Path) -> bool:
    try:
        if time.time() - folder.stat().st_mtime < YOUNG_SECONDS:
            return False
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(lock)


class _Budget:
    def __init__(self, path: str) -> None:
        self.path = path
        self.entries = 0
        self.bytes = 0

    def left(self) -> int:
        return COPY_BYTES_LIMIT - self.bytes

    def spend(self, size: int) -> None:
        self.entries += 1
        self.bytes += size
        if self.entries > COPY_ENTRIES_LIMIT:
            raise Unreadable(f"{self.path}: holds more than {COPY_ENTRIES_LIMIT:,} files and folders")


def _is_directory(directory: int, name: str) -> bool | None:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)
    except OSError:
        return None


def _files(tree: str, folder: str = "") -> Iterator[str]:
    """Relative paths of the files of a clean tree, in order."""
    with os.scandir(f"{tree}/{folder}") as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                yield from _files(tree, f"{folder}{entry.name}/")
            else:
                yield folder + entry.name


def _cleared(root: str, relative: str, folders: set[str]) -> str:
    """Path of a file that is about to be made: what is in its way, and folders above it that are none (a
    candidate's links), are replaced. `folders` are known to be some. Raises `Unreadable` when the candidate
    made that impossible.
    """
    target = root
    try:
        for part in relative.split("/")[:-1]:
            target += f"/{part}"
            if target not in folders:
                mode = _mode(target)
                if mode is not None and not stat.S_ISDIR(mode):
                    os.unlink(target)
                if mode is None or not stat.S_ISDIR(mode):
                    os.mkdir(target)
                folders.add(target)
        target = f"{root}/{relative}"
        mode = _mode(target)
        if mode is not None and stat.S_ISDIR(mode):
            _remove(Path(target))
            mode = _mode(target)
        if mode is not None:
            os.unlink(target)
    except (PermissionError, IsADirectoryError) as error:
        raise Unreadable(f"{relative}: what lies there cannot be replaced: {error.strerror}") from None
    return target


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None


def _copy_entry(directory: int, name: str, path: str, target: Path, budget: _Budget, depth: int) -> None:
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except OSError:
        return
    if len(os.fsencode(target)) > COPY_PATH_LIMIT:
        raise Unreadable(f"{path[:80]}…: a path of more than {COPY_PATH_LIMIT:,} bytes")
    if depth > COPY_DEPTH_LIMIT:
        raise Unreadable(f"{path}: folders nested deeper than {COPY_DEPTH_LIMIT}")
    if stat.S_ISDIR(mode):
        if name == _DROPPED:
            return
        budget.spend(0)
        target.mkdir(parents=True, exist_ok=True)
        with open_entry(directory, name, path) as deeper:
            for entry in sorted(os.listdir(deeper)):
                _copy_entry(deeper, entry, f"{path}/{entry}", target / entry, budget, depth + 1)
    elif stat.S_ISREG(mode):
        content = read_at(directory, name, path, budget.left())
        budget.spend(len(content))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if mode & 0o100 else 0o644)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        _copy(source, target)


def _copy(source: str, target: str) -> None:
    shutil.copy(source, target)
    os.chmod(target, os.stat(source).st_mode & 0o555)
