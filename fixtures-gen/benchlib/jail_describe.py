"""The jail as data for bench/jail/, and the check that it works on this machine."""

from __future__ import annotations

import dataclasses
import sys
import tempfile
from pathlib import Path

from benchlib import jail_layout as layout
from benchlib.jail import run
from benchlib.jail_image import JailUnavailable, ensure_image
from benchlib.jail_layout import Limits


def describe(tmp_bytes: int = Limits.tmp_bytes) -> dict[str, object]:
    """What bench/jail/ needs to open a jail of the same kind: argument lists, paths inside, limits."""
    image = ensure_image(layout.shell_script)
    return {
        "image": str(image.path),
        "bwrap": image.bwrap,
        "python": image.python,
        "outer": layout.outer_arguments(image, tmp_bytes),
        "closing": layout.closing_arguments(image),
        "agent_view": layout.agent_view(image),
        "candidate_view": layout.candidate_view(image),
        "service_view": layout.service_view(image, "{service}"),
        "service_python": layout.SERVICE_PYTHON,
        "stream_setup": layout.STREAM_SETUP,
        "shell_source": str(image.path / "launch/shell"),
        "environment": layout.ENVIRONMENT,
        "gateway_port": layout.GATEWAY_PORT,
        "paths": {
            "workspace": layout.WORKSPACE,
            "home": layout.HOME,
            "host": layout.HOST,
            "extras": layout.EXTRAS,
            "shell": layout.SHELL,
            "services": layout.SERVICES,
            "gateway_socket": layout.GATEWAY_SOCKET,
        },
        "limits": dataclasses.asdict(Limits()),
    }


SELF_CHECK = (
    "import bz2, ctypes, decimal, hashlib, lzma, sqlite3, ssl, zlib, zoneinfo; "
    "zoneinfo.ZoneInfo('Europe/Berlin'); "
    "open('/workspace/out/ok', 'w').write('ok')"
)


def check() -> str:
    """Opens a jail and runs Python in it. Returns one line about it; raises JailUnavailable."""
    with tempfile.TemporaryDirectory(prefix="rw30-check-") as folder:
        done = run(
            ["python", "-c", SELF_CHECK], workspace=Path(folder), editable=["out/"], limits=Limits(seconds=30)
        )
    if done.returncode != 0:
        raise JailUnavailable(
            f"Python {sys.executable} does not work in the jail: it lacks a part of its standard library, "
            "or the time zones. Install tzdata, and a Python with sqlite3, zlib, bz2, lzma and ssl. It said: "
            + done.stderr.decode("utf-8", "replace")[-2000:]
        )
    return f"a jail opens in {done.seconds:.2f} s and runs Python {sys.version.split()[0]}"
