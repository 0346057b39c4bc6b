"""The jail's root image: built once under the cache, keyed by a digest of what goes in.

An image is a folder with two parts: `root/`, which a jail shows as `/usr`, `/etc` and so on, and `launch/`,
the restricted shell's launcher and what that needs. Python's standard library stays where it is and is bound:
the image holds copies of its executable and its shared libraries at their own absolute paths, and an empty
folder as mount point for the library.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from benchlib.jail_filter import host_filter, program_filter

RECIPE = ("jail_image.py", "jail_layout.py", "jail_filter.py", "warden.py")
WARDEN_SOURCE = Path(__file__).with_name("warden.py")
"""The files beside this one that decide how an image is laid out: a change of them makes another image."""

BUILD_SECONDS = 120
ABANDONED_AFTER_SECONDS = 3600
MOUNT_POINTS_OF_THE_JAIL = ("workspace", "tmp", "proc", "dev", "run")

TOOLS = """
    bash sh awk grep egrep fgrep sed find xargs diff cmp gzip gunzip zcat bzip2 bunzip2 xz unxz tar unzip
    less ps pgrep pkill [ b2sum base32 base64 basename cat cksum comm cp csplit cut date dd df dirname du
    echo env expand expr factor false fmt fold head id join kill link ln ls md5sum mkdir mkfifo mktemp mv
    nl nohup nproc numfmt od paste pathchk pr printf pwd patch readlink realpath rev rm rmdir seq setsid
    sha1sum sha256sum sha512sum shuf sleep sort split stat sum sync tac tail tee test timeout touch tr
    true truncate tsort tty uname unexpand uniq unlink wc which whoami xxd yes hexdump column
""".split()
"""Inspection and management of files; no compiler, network client, package manager or other language."""

REQUIRED_TOOLS = "bash cat ls cp mv rm mkdir grep sed find diff tar gzip awk".split()

LIBRARIES_OF_NATIVE_HOSTS = """
    libstdc++.so.6 libgcc_s.so.1 libatomic.so.1 libdl.so.2 libpthread.so.0 librt.so.1 libm.so.6
    libresolv.so.2 libutil.so.1 libnss_files.so.2
""".split()
"""What Node binaries and native agents load, whether or not a Node is on this machine's PATH."""

ETC = {
    "passwd": "agent:x:1000:1000:agent:/tmp:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
    "group": "agent:x:1000:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


class JailUnavailable(Exception):
    """The sandbox cannot be used on this machine; the message says why and what to do."""


@dataclass(frozen=True)
class Image:
    """A finished image, and what a jail binds beside it."""

    path: Path
    bwrap: str
    python: str
    """Absolute path of the interpreter, the same inside and outside."""
    binds: tuple[str, ...]
    """Folders that are bound read-only at their own path: Python's standard library, the time zones."""
    hidden: tuple[str, ...]
    """Folders below `binds` that a jail shows empty: site-packages."""

    def tops(self) -> list[str]:
        """Names of the image's top-level folders."""
        return sorted(entry.name for entry in os.scandir(self.path / "root") if not entry.is_symlink())

    def links(self) -> list[tuple[str, str]]:
        """(target, name) of the image's top-level links: /bin, /lib and so on."""
        found = [
            (os.readlink(entry.path), entry.name)
            for entry in os.scandir(self.path / "root")
            if entry.is_symlink()
        ]
        return sorted(found, key=lambda pair: pair[1])


def cache_folder() -> Path:
    """`RW30_CACHE`, else `.cache` of the repository."""
    configured = os.environ.get("RW30_CACHE")
    return Path(configured).absolute() if configured else Path(__file__).resolve().parents[2] / ".cache"


@functools.cache
def ensure_image(shell_script: Callable[[Image], str]) -> Image:
    """The image for this machine, built when it is missing; `shell_script` writes its `launch/shell`.

    Safe when several processes build at once. Raises JailUnavailable when something is not installed.
    """
    sources = _sources()
    digest = _digest(sources)
    folder = cache_folder() / "jail"
    image = Image(
        path=folder / f"image-{digest}",
        bwrap=sources["bwrap"],
        python=sources["python"],
        binds=tuple(_bound_folders()),
        hidden=tuple(
            p for p in (f"{stdlib}/site-packages" for stdlib in _stdlib_folders()) if os.path.isdir(p)
        ),
    )
    if not image.path.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _remove_abandoned_drafts(folder)
        draft = Path(tempfile.mkdtemp(prefix=".image-", dir=folder))
        try:
            _build(draft, sources, image, shell_script)
            draft.chmod(0o755)
            _publish(draft, image.path)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return image


def _remove_abandoned_drafts(folder: Path) -> None:
    """Removes what builders that were killed left behind."""
    for draft in folder.glob(".image-*"):
        try:
            abandoned = time.time() - draft.stat().st_mtime > ABANDONED_AFTER_SECONDS
        except FileNotFoundError:
            continue
        if abandoned:
            shutil.rmtree(draft, ignore_errors=True)


def _publish(draft: Path, target: Path) -> None:
    try:
        draft.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def _sources() -> dict[str, str]:
    """Name -> file of everything that is copied by name: bwrap, python, node when there is one, each tool."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise JailUnavailable(
            "bwrap is not on PATH. Install bubblewrap 0.6 or newer: `apt-get install bubblewrap`, "
            "`dnf install bubblewrap` or `pacman -S bubblewrap`."
        )
    found = {"bwrap": os.path.realpath(bwrap), "python": os.path.realpath(sys.executable)}
    if sys.version_info[:2] != (3, 12):
        raise JailUnavailable(
            f"the jail needs Python 3.12, and {sys.executable} is {sys.version.split()[0]}: set RW30_PYTHON."
        )
    top = found["python"].split("/")[1]
    if top in MOUNT_POINTS_OF_THE_JAIL:
        raise JailUnavailable(
            f"Python lies in /{top} ({found['python']}), which a jail covers: install it elsewhere."
        )
    search = os.pathsep.join(["/usr/bin", "/bin", "/usr/local/bin", os.environ.get("PATH", "")])
    for name in TOOLS:
        if name != "sh" and (path := shutil.which(name, path=search)):
            found[f"tool:{name}"] = os.path.realpath(path)
    missing = [name for name in REQUIRED_TOOLS if f"tool:{name}" not in found]
    if missing:
        raise JailUnavailable(
            f"tools that the jail offers are not installed: {', '.join(missing)}. Install them and try again."
        )
    if node := shutil.which("node"):
        found["node"] = os.path.realpath(node)
    return found


def _digest(sources: dict[str, str]) -> str:
    """A change of any source shows in its size or time, a change of a library in the loader's cache."""
    stamps: list[object] = [sys.version, _bound_folders()]
    stamps += [Path(__file__).with_name(name).read_text() for name in RECIPE]
    for name, path in [*sorted(sources.items()), ("cache", "/etc/ld.so.cache")]:
        try:
            status = os.stat(path)
        except FileNotFoundError:
            continue
        stamps.append([name, path, status.st_size, status.st_mtime_ns])
    return hashlib.sha256(json.dumps(stamps).encode()).hexdigest()[:16]


def _stdlib_folders() -> list[str]:
    paths = (
        sysconfig.get_path(name, vars={"base": sys.base_prefix, "installed_base": sys.base_prefix})
        for name in ("stdlib", "platstdlib")
    )
    return sorted({os.path.realpath(path) for path in paths if os.path.isdir(path)})


def _bound_folders() -> list[str]:
    return [*_stdlib_folders(), *(path for path in ("/usr/share/zoneinfo",) if os.path.isdir(path))]


def _build(draft: Path, sources: dict[str, str], image: Image, shell_script: Callable[[Image], str]) -> None:
    root = draft / "root"
    programs = root / "usr/bin"
    programs.mkdir(parents=True)
    (root / "bin").symlink_to("usr/bin")
    (root / "sbin").symlink_to("usr/bin")
    for name in ("lib", "lib64", "lib32"):
        if os.path.islink(f"/{name}"):
            (root / name).symlink_to(os.path.relpath(os.path.realpath(f"/{name}"), "/"))
    for name, path in sources.items():
        if name.startswith("tool:"):
            _copy(path, programs / name.removeprefix("tool:"))
    (programs / "sh").symlink_to("bash")
    _copy(image.python, root / image.python.lstrip("/"))
    for name in ("python", "python3", "python3.12"):
        if not (programs / name).exists():
            (programs / name).symlink_to(image.python)

    extensions = [
        str(path) for stdlib in _stdlib_folders() for path in Path(stdlib, "lib-dynload").glob("*.so")
    ]
    for library in _libraries([*sources.values(), *extensions]):
        home = os.path.realpath(os.path.dirname(library))
        _copy(library, root / home.lstrip("/") / os.path.basename(library))
    for folder in image.binds:
        (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
    locale = Path("/usr/lib/locale/C.utf8")
    if locale.is_dir():
        shutil.copytree(locale, root / "usr/lib/locale/C.utf8", symlinks=False)

    etc = root / "etc"
    etc.mkdir(exist_ok=True)
    for name, text in ETC.items():
        (etc / name).write_text(text)
    if os.path.exists("/etc/ld.so.cache"):
        _copy("/etc/ld.so.cache", etc / "ld.so.cache")

    launch = draft / "launch"
    launch.mkdir()
    (draft / "empty").mkdir()
    _copy(image.bwrap, launch / "bwrap")
    (launch / "filter").write_bytes(program_filter())
    (launch / "host-filter").write_bytes(host_filter())
    py_compile.compile(str(WARDEN_SOURCE), str(launch / "warden.pyc"), dfile="warden.py", doraise=True)
    (launch / "shell").write_text(shell_script(replace(image, path=draft)))
    (launch / "shell").chmod(0o755)


def _copy(source: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copyfile(source, target)
        target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def _libraries(binaries: list[str]) -> list[str]:
    """Absolute paths of every shared library that the binaries and native agent hosts load."""
    environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"}
    try:
        listed = subprocess.run(
            ["ldd", *binaries],
            capture_output=True,
            text=True,
            env=environment,
            timeout=BUILD_SECONDS,
            check=False,
        ).stdout
        cached = subprocess.run(
            ["ldconfig", "-p"],
            capture_output=True,
            text=True,
            env=environment,
            timeout=BUILD_SECONDS,
            check=False,
        ).stdout
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise JailUnavailable(
            f"the jail's image needs ldd and ldconfig of the GNU C library: {error}"
        ) from error
    missing = sorted(set(re.findall(r"^\s*(\S+) => not found", listed, re.MULTILINE)))
    found = set(re.findall(r"(?:=> |^\s*)(/\S+) \(0x", listed, re.MULTILINE))
    names = {os.path.basename(path) for path in found}
    for name in LIBRARIES_OF_NATIVE_HOSTS:
        candidates = re.findall(
            rf"^\s*{re.escape(name)} \(.*?x86-64.*?\) => (/\S+)", cached, re.MULTILINE
        ) or re.findall(rf"^\s*{re.escape(name)} \(.*?\) => (/\S+)", cached, re.MULTILINE)
        if name not in names and candidates:
            found.add(candidates[0])
    if missing and not found:
        raise JailUnavailable(f"shared libraries are missing on this machine: {', '.join(missing)}")
    return sorted(found)
