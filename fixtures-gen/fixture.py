"""Clean fixtures for the bench, and workspaces for people.

python3.12 -E -S fixtures-gen/fixture.py clean DIR --fixture main --scale full
    prints {"stages": {"initial": "/abs/dir", …}}: one read-only tree a stage
python3.12 -E -S fixtures-gen/fixture.py workspace 13 --out DIR [--fixture main] [--stage ID] [--scale full]
    lays a workspace with all stages up to ID (the first by default) into DIR, which must be empty
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from benchlib import cache
from benchlib.names import FIXTURES, SCALES
from benchlib.task import TaskError, find_task
from benchlib.workspaces import make_workspace


def main() -> None:
    """Parse the command line, do it; a `TaskError` ends with its message and status 1."""
    parser = argparse.ArgumentParser(prog="fixture", description="Clean fixtures and workspaces of a task.")
    commands = parser.add_subparsers(dest="command", required=True)
    clean = commands.add_parser("clean", help="print the clean trees of a fixture, stage by stage, as JSON")
    workspace = commands.add_parser("workspace", help="lay a workspace by hand")
    workspace.add_argument("--out", type=Path, required=True, help="folder that is empty or does not exist")
    workspace.add_argument("--stage", help="last stage that is laid; the first by default")
    for command in (clean, workspace):
        command.add_argument("task", help="number, name or folder of a task: 13")
        command.add_argument("--fixture", choices=FIXTURES, default="main")
        command.add_argument("--scale", choices=SCALES, default="full")
    args = parser.parse_args()
    try:
        task = find_task(args.task)
        if args.command == "clean":
            trees = cache.clean(task, args.fixture, args.scale)
            print(json.dumps({"stages": {stage: str(tree) for stage, tree in trees.items()}}))
        else:
            make_workspace(task, args.out, args.fixture, args.scale, args.stage)
            print(f"{args.out.resolve()}: {task.name}, {args.fixture}, up to {args.stage or task.stages[0]}")
    except TaskError as error:
        sys.exit(f"fixture: {error}")


if __name__ == "__main__":
    main()
