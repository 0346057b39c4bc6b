"""Services of a fixture: loopback servers that run in a candidate's jail, out of its sight."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchlib import jail_layout as layout
from benchlib.jail_image import ensure_image
from benchlib.jail_layout import Limits
from benchlib.jail_owner import OpenJail


@dataclass(frozen=True)
class Service:
    """A loopback server of a fixture. It runs in the candidate's jail; the candidate cannot see its files."""

    id: str
    command: Sequence[str]
    """Prints one line `LISTENING <port>` on its standard output when it is ready; what follows is its log.
    It must log an event before it answers the request, as the end of the candidate is its end too."""
    mounts: Mapping[str, Path]
    """Name -> file or folder that the service reads, shown at `service_path(id, name)`."""
    cwd: str = ""
    """The mount in which it starts; empty: the folder of its mounts."""
    url_file: str | None = None
    """File of the workspace that receives its URL and a newline before the candidate starts."""
    url_suffix: str = ""
    """Follows `http://127.0.0.1:<port>` in that file."""


def service_path(service: str, name: str) -> str:
    """Where a service finds one of its mounts."""
    return f"{layout.SERVICES}/{service}/{name}"


def open_jail(
    workspace: Path, editable: Sequence[str], limits: Limits, services: Sequence[Service]
) -> OpenJail:
    """A jail, not yet entered, that shows the workspace, and to each service its mounts."""
    binds = layout.workspace_binds(workspace, editable)
    for service in services:
        binds += layout.service_binds(service.id, service.mounts)
    return OpenJail(ensure_image(layout.shell_script), binds, limits)


def start_services(jail: OpenJail, services: Sequence[Service], workspace: Path) -> dict[str, int]:
    """Starts services one after another; their ports by id. Raises ServiceFailed."""
    ports: dict[str, int] = {}
    for service in services:
        port = ports[service.id] = jail.serve(service.id, service.command, service.cwd)
        if service.url_file is not None:
            _write(workspace / service.url_file, f"http://127.0.0.1:{port}{service.url_suffix}\n")
    return ports


def _write(path: Path, text: str) -> None:
    """Replaces a file as a whole, so that a hard link to another place keeps its content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(prefix=".url-", dir=path.parent)
    with open(descriptor, "w") as file:
        file.write(text)
    os.chmod(draft, 0o644)
    os.replace(draft, path)
