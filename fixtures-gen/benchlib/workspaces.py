"""Whole workspaces outside a judgement: for a person who works by hand, and for the proofs of a task."""

from pathlib import Path

from benchlib import cache
from benchlib.layout import lay_tree, make_folders
from benchlib.names import FixtureName, Scale
from benchlib.task import Task, TaskError


def lay_stages(
    task: Task,
    root: Path,
    fixture: FixtureName,
    scale: Scale,
    stages: tuple[str, ...],
    *,
    linked: bool = True,
) -> None:
    """Lay the clean files of `stages`, in order, and make the editable folders."""
    trees = cache.clean(task, fixture, scale)
    for stage in stages:
        lay_tree(trees[stage], root, editable=task.editable, linked=linked)
    make_folders(root, task.editable)


def make_workspace(task: Task, root: Path, fixture: FixtureName, scale: Scale, upto: str | None) -> None:
    """A workspace for a person: all stages up to `upto` (the first by default), inputs read-only.

    Raises `TaskError` when `root` holds anything, or the stage is unknown.
    """
    upto = upto or task.stages[0]
    if upto not in task.stages:
        raise TaskError(f"{task.name} has no stage {upto!r}; its stages are: {', '.join(task.stages)}")
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise TaskError(f"{root} is not empty; name a folder that is empty or does not exist")
    root.mkdir(parents=True, exist_ok=True)
    lay_stages(task, root, fixture, scale, task.stages[: task.stages.index(upto) + 1], linked=False)
