"""What a jail shows and where: arguments of the outer bwrap, and of the views that run inside it.

The outer jail holds everything of one run, or of the runs of a session, and only the warden runs in it. Each
program gets a view: a further bwrap in the same pid namespace that shows a part of the outer jail. A program
in a view cannot trace or look into one outside it, as its user namespace is a child's.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchlib.jail_image import Image

GIB = 1024**3
MIB = 1024**2

WORKSPACE = "/workspace"
RUN = "/run/rw30"
HOME = f"{RUN}/home"
HOST = f"{RUN}/host"
EXTRAS = f"{RUN}/extras"
SHELL = f"{RUN}/shell"
LAUNCHER = f"{RUN}/bwrap"
FILTER = f"{RUN}/filter"
FILTER_STREAM = 7
"""Where a launcher finds the open filter, beside the standard streams 4 to 6."""
HOST_FILTER = f"{RUN}/host-filter"
HOST_FILTER_STREAM = 8
SERVICES = f"{RUN}/services"
SERVICE_PYTHON = f"{RUN}/fixture-service"
"""Python under a name of its own, so that `pkill python` in the agent's shell does not end the services."""
WORKSPACES = f"{RUN}/workspaces"
"""The folder of a session's workspaces, read-only; at `EDITABLE` once more, writable; in no view."""
EDITABLE = f"{RUN}/editable"
GATEWAY_SOCKET = f"{RUN}/gateway.sock"
WARDEN = f"{RUN}/warden.pyc"
GATEWAY_PORT = 4030
"""The gateway's port on the loopback of a jail; below the range from which port 0 chooses."""

SHARED_MEMORY_BYTES = 256 * MIB
ENVIRONMENT = {
    "PATH": "/usr/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONNOUSERSITE": "1",
}
"""All that a program in a jail finds in its environment, unless its caller adds to it."""

STREAM_SETUP = 'exec <&4 >&5 2>&6 4<&- 5>&- 6>&- 7<&- 8<&-; cd -- "$0" || exit 126; exec "$@"'
"""Takes the standard streams from where the warden puts them, so that nobody else holds them open."""

SETTINGS_IN_PROC = (
    *("sys", "sysrq-trigger", "irq", "bus", "fs", "scsi", "acpi", "driver", "tty", "asound"),
    *("mtrr", "dynamic_debug", "timer_stats", "latency_stats", "sched_debug"),
)
"""Settings of the whole machine: when root runs the jail, its user owns them and so could write them."""

CONFINED = ("--ro-bind", "/proc", "/proc", "--seccomp", str(FILTER_STREAM))
"""For all but the agent host, which makes namespaces for its shell."""

IDENTITY = ("--unshare-user", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL")


@dataclass(frozen=True)
class Limits:
    """Bounds of one jail. The name of a field is the name by which a jail reports that the bound ended it."""

    seconds: float = 120.0
    """Wall time of the command."""
    address_space_bytes: int = 4 * GIB
    """Of each process (RLIMIT_AS); a process meets it as MemoryError."""
    resident_bytes: int = 3 * GIB
    """Of all processes together, a shared page counted once."""
    processes: int = 128
    """All processes together, launchers included."""
    file_bytes: int = GIB
    """Of each file (RLIMIT_FSIZE); a process meets it as EFBIG."""
    output_bytes: int = 4 * MIB
    """Standard output and standard error of a command together."""
    tmp_bytes: int = 512 * MIB
    """Size of /tmp; a process meets it as ENOSPC."""


def outer_arguments(image: Image, tmp_bytes: int) -> list[str]:
    """bwrap and its arguments up to the binds of one run; those follow, then `closing_arguments`."""
    return [
        image.bwrap,
        *(
            "--unshare-all",
            *IDENTITY,
            "--hostname",
            "rw30",
            "--die-with-parent",
            "--new-session",
            "--as-pid-1",
        ),
        *_environment(ENVIRONMENT),
        *_tree(image, str(image.path / "root")),
        *(part for folder in image.binds for part in ("--ro-bind", folder, folder)),
        *(part for folder in image.hidden for part in ("--ro-bind", str(image.path / "empty"), folder)),
        *("--proc", "/proc", "--dev", "/dev"),
        *(part for name in SETTINGS_IN_PROC for part in ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")),
        *_memory("/dev/shm", SHARED_MEMORY_BYTES),
        *("--remount-ro", "/dev"),
        *_memory("/tmp", tmp_bytes),
        *("--ro-bind", str(image.path / "launch/bwrap"), LAUNCHER),
        *("--ro-bind", str(image.path / "launch/filter"), FILTER),
        *("--ro-bind", str(image.path / "launch/host-filter"), HOST_FILTER),
        *("--ro-bind", str(image.path / "launch/warden.pyc"), WARDEN),
    ]


def closing_arguments(image: Image) -> list[str]:
    """Ends the outer arguments; the warden's descriptor numbers follow."""
    return ["--remount-ro", "/", "--chdir", "/", "--", image.python, "-E", "-S", "-B", WARDEN]


def workspace_binds(workspace: Path, editable: Sequence[str]) -> list[str]:
    """The workspace read-only, its editable folders writable on top. Raises as `editable_folders`."""
    root = workspace.resolve(strict=True)
    return _workspace(str(root), str(root), editable_folders(root, editable))


def editable_folders(root: Path, editable: Sequence[str]) -> list[str]:
    """The editable paths relative to the resolved workspace; folders that are missing are made.

    Raises ValueError for a path that leaves the workspace or leads through a link.
    """
    found: list[str] = []
    for name in editable:
        folder = root / name
        if folder.resolve() != folder or not folder.is_relative_to(root) or folder == root:
            raise ValueError(f"editable path {name!r} is no plain folder below {root}")
        folder.mkdir(parents=True, exist_ok=True)
        found.append(str(folder.relative_to(root)))
    return found


def session_binds(folder: Path) -> list[str]:
    """The folder of a session's workspaces, from which `run_view` takes what it shows."""
    return ["--ro-bind", str(folder), WORKSPACES, "--bind", str(folder), EDITABLE]


def service_binds(service: str, mounts: Mapping[str, Path]) -> list[str]:
    return [
        part
        for name, path in mounts.items()
        for part in ("--ro-bind", str(path.resolve(strict=True)), f"{SERVICES}/{service}/{name}")
    ]


def view(image: Image, *binds: str) -> list[str]:
    """A launcher inside the outer jail: bwrap and arguments that show the image, /dev, /tmp and `binds`."""
    return [
        *(LAUNCHER, *IDENTITY),
        *_tree(image, ""),
        *("--dev-bind", "/dev", "/dev", "--bind", "/tmp", "/tmp"),
        *binds,
        *("--remount-ro", "/"),
    ]


def candidate_view(image: Image) -> list[str]:
    """What judged programs and the agent's shell see: the image, /tmp, the workspace."""
    return view(image, *CONFINED, "--bind", WORKSPACE, WORKSPACE)


def run_view(image: Image, workspace: str, editable: Sequence[str], tmp_bytes: int) -> list[str]:
    """`candidate_view` for one run of a session: a workspace, by its path below the folder of the session,
    and memory, loopback and System V objects that end with the run."""
    return view(
        image,
        *CONFINED,
        *("--unshare-net", "--unshare-ipc"),
        *_memory("/dev/shm", SHARED_MEMORY_BYTES),
        *_memory("/tmp", tmp_bytes),
        *_workspace(f"{WORKSPACES}/{workspace}", f"{EDITABLE}/{workspace}", editable),
    )


def service_view(image: Image, service: str) -> list[str]:
    folder = f"{SERVICES}/{service}"
    return view(image, *CONFINED, "--ro-bind", folder, folder, "--symlink", image.python, SERVICE_PYTHON)


def agent_view(image: Image) -> list[str]:
    """What the agent host sees: the workspace, its home, its installation, and the restricted shell."""
    return view(
        image,
        *("--bind", "/proc", "/proc", "--seccomp", str(HOST_FILTER_STREAM)),
        *(
            "--bind",
            WORKSPACE,
            WORKSPACE,
            "--bind",
            HOME,
            HOME,
            "--ro-bind-try",
            HOST,
            HOST,
            "--ro-bind-try",
            EXTRAS,
            EXTRAS,
        ),
        *("--ro-bind", SHELL, SHELL, "--ro-bind", LAUNCHER, LAUNCHER, "--ro-bind", FILTER, FILTER),
    )


def service_command(command: Sequence[str]) -> list[str]:
    """The command of a service, its Python under the name for services."""
    first, *rest = command
    return [SERVICE_PYTHON if first in ("python", "python3", "python3.12") else first, *rest]


def program(view_arguments: Sequence[str], command: Sequence[str], cwd: str) -> list[str]:
    """The argument vector with which the warden starts `command` in a view; a missing command exits 127."""
    return [*view_arguments, "--", "/bin/sh", "-c", STREAM_SETUP, cwd, *command]


def shell_script(image: Image) -> str:
    """The restricted shell, `shell -c COMMAND`: the view and the bounds of a candidate.

    It starts in the caller's folder when that is below the workspace, else in the workspace.
    """
    arguments = [
        *(LAUNCHER, *IDENTITY, "--die-with-parent", *_environment(ENVIRONMENT)),
        *candidate_view(image)[1 + len(IDENTITY) :],
    ]
    limits = Limits()
    return (
        "#!/bin/bash\n"
        f"case $PWD in {WORKSPACE}/*) ;; *) PWD={WORKSPACE} ;; esac\n"
        f"ulimit -v {limits.address_space_bytes // 1024} -f {limits.file_bytes // 1024} -c 0\n"
        f'exec {shlex.join(arguments)} --chdir "$PWD" -- /bin/bash "$@" {FILTER_STREAM}<{FILTER}\n'
    )


def _workspace(root: str, writable_root: str, editable: Sequence[str]) -> list[str]:
    binds = ["--ro-bind", root, WORKSPACE]
    for name in editable:
        binds += ["--bind", f"{writable_root}/{name}", f"{WORKSPACE}/{name}"]
    return binds


def _memory(at: str, size: int) -> list[str]:
    return ["--size", str(size), "--perms", "1777", "--tmpfs", at]


def _environment(variables: Mapping[str, str]) -> list[str]:
    return ["--clearenv", *(part for pair in variables.items() for part in ("--setenv", *pair))]


def _tree(image: Image, source: str) -> list[str]:
    """The image's top-level folders and links, from `source`."""
    return [
        *(part for name in image.tops() for part in ("--ro-bind", f"{source}/{name}", f"/{name}")),
        *(part for target, name in image.links() for part in ("--symlink", target, f"/{name}")),
    ]
