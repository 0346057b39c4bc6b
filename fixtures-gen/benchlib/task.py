"""A task folder, as seeds, judges and proofs see it: what scenario.json says about stages and editable
paths.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]


class TaskError(Exception):
    """The task folder or a folder that was named on the command line is not what it must be; says what to
    do.
    """


@dataclass(frozen=True)
class Task:
    """A task folder that has been read."""

    directory: Path
    name: str
    stages: tuple[str, ...]
    """Stage ids in order."""
    injects: dict[str, Path]
    """Folder of static files by stage id."""
    editable: tuple[str, ...]
    """Paths below the workspace that a candidate may write, each ending in `/`."""
    services: tuple[dict[str, Any], ...] = ()
    """Loopback servers of the fixture, as scenario.json has them."""


def read_task(directory: Path) -> Task:
    """Read `scenario.json` of a task folder."""
    directory = directory.resolve()
    try:
        scenario = json.loads((directory / "scenario.json").read_text("utf-8"))
        return Task(
            directory=directory,
            name=directory.name,
            stages=tuple(stage["id"] for stage in scenario["stages"]),
            injects={stage["id"]: directory / stage["inject"] for stage in scenario["stages"]},
            editable=tuple(scenario["editable_paths"]),
            services=tuple(scenario.get("services", ())),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TaskError(f"{directory}: no task folder with a scenario.json ({error!r})") from error


def find_task(named: str) -> Task:
    """The task with this number or name (`13`, `13-incident-timeline`) in the repository's tasks/, or in a
    folder of this path.
    """
    if "/" in named or Path(named, "scenario.json").is_file():
        return read_task(Path(named))
    found = [path for path in sorted((REPOSITORY / "tasks").glob("[0-9][0-9]-*")) if path.is_dir()]
    for path in found:
        if path.name == named or path.name.split("-")[0] == named.zfill(2):
            return read_task(path)
    raise TaskError(f"no task {named!r}; there are: {', '.join(path.name for path in found)}")


def below(path: str, roots: tuple[str, ...]) -> bool:
    """Whether a relative path is one of `roots` or lies below one that ends in `/`."""
    return any(path == root or (root.endswith("/") and path.startswith(root)) for root in roots)
