"""The command line of every seed.py, and what a stage's function is given.

    python3.12 -E -S seed.py --fixture main|twin|edge --stage STAGE|all --out DIR [--scale full|small]

A seed.py registers one function a stage and ends with `seeding.main(task_id, {"initial": write_initial,
...})`.
"""

import argparse
import os
import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from benchlib.names import EPOCH, FIXTURES, SCALES, FixtureName, Scale

_FIRST_SEED: dict[FixtureName, int] = {"main": 20260831, "twin": 20290228, "edge": 20310601}
_SEEDS_BETWEEN_STAGES = 100


@dataclass(frozen=True)
class Build:
    """One stage of one fixture that is being written."""

    task_id: int
    fixture: FixtureName
    stage: str
    stages: tuple[str, ...]
    scale: Scale
    out: Path
    """Root of the stage's tree: the workspace's root."""
    rng: random.Random
    """For filler only. Seeded for this stage, so a stage alone has the same bytes as with all others."""

    def size(self, full: int, small: int, full_twin: int | None = None) -> int:
        """How much filler to make; `full_twin` is for a twin that need not be as large as what it repeats."""
        if self.scale == "small":
            return small
        return full_twin if full_twin is not None and self.fixture == "twin" else full

    def rng_of(self, stage: str) -> random.Random:
        """A fresh generator as `stage` gets it: lets a later stage repeat what an earlier one drew."""
        return _generator(self.fixture, self.task_id, self.stages.index(stage))


def main(task_id: int, stages: Mapping[str, Callable[[Build], None]]) -> None:
    """Parse the command line and write what it asks for; with `--stage all` one tree a stage, `DIR/<stage
    id>/`.

    Ends the process with a message when DIR is not empty or the stage is unknown.
    """
    parser = argparse.ArgumentParser(description="Writes the generated files of a fixture.")
    parser.add_argument("--fixture", choices=FIXTURES, required=True)
    parser.add_argument("--stage", choices=[*stages, "all"], required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scale", choices=SCALES, default="full")
    args = parser.parse_args()
    if args.out.exists() and any(args.out.iterdir()):
        sys.exit(f"seed.py: {args.out} is not empty; name a folder that is empty or does not exist")
    for index, stage in enumerate(stages):
        if args.stage not in ("all", stage):
            continue
        out = args.out / stage if args.stage == "all" else args.out
        out.mkdir(parents=True, exist_ok=True)
        build = Build(
            task_id=task_id,
            fixture=cast(FixtureName, args.fixture),
            stage=stage,
            stages=tuple(stages),
            scale=cast(Scale, args.scale),
            out=out.resolve(),
            rng=_generator(args.fixture, task_id, index),
        )
        stages[stage](build)
    settle(args.out)


def _generator(fixture: FixtureName, task_id: int, stage_index: int) -> random.Random:
    return random.Random(_FIRST_SEED[fixture] + task_id + stage_index * _SEEDS_BETWEEN_STAGES)


def settle(tree: Path) -> None:
    """Give every file below `tree` the same mode and time, whatever the umask and the clock."""
    for path in tree.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (EPOCH.timestamp(), EPOCH.timestamp()))
