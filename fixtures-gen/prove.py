"""Proves a task, named by number, name or folder, case by case.

python3.12 -E -S fixtures-gen/prove.py TASK list
    prints [{"name": …, "level": …, "fails": […], "twin": …}, …]
python3.12 -E -S fixtures-gen/prove.py TASK run CASE [--scale small]
    prints the judge's JSON for that case plus "problems": what was not as stated
python3.12 -E -S fixtures-gen/prove.py TASK all [--scale small]
    runs every case and prints a line each
python3.12 -E -S fixtures-gen/prove.py TASK serve [--scale small]
    reads names of cases, a line each, runs them side by side and prints {"name": …, "problems": […]} for
    each when it is done; ends after the last when its input ends, and at once, with all that runs, when
    nobody reads its output any more

Exit status: 0 when the cases hold; 1 when one does not or cannot be made, with the reason on standard error.
"""

import argparse
import fcntl
import json
import os
import select
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from benchlib import forked, jail, proving
from benchlib.names import SCALES, Scale
from benchlib.task import Task, TaskError, find_task


def main() -> None:
    """Parse the command line and do what it asks for."""
    parser = argparse.ArgumentParser(prog="prove", description="Proves the cases of a task.")
    parser.add_argument("task", metavar="TASK", help="number, name or folder of a task: 13")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="print the cases as JSON")
    run = commands.add_parser("run", help="make one case, judge it, print the verdict")
    run.add_argument("case")
    every = commands.add_parser("all", help="run every case, one line each")
    served = commands.add_parser("serve", help="run the cases that standard input names")
    for command in (run, every, served):
        command.add_argument("--scale", choices=SCALES, default="small")
    args = parser.parse_args()
    try:
        task = find_task(args.task)
        if args.command == "list":
            print(json.dumps([described(case) for case in proving.cases(task)], ensure_ascii=False, indent=1))
            problems = []
        elif args.command == "run":
            result = proving.run(task, args.case, args.scale)
            print(json.dumps(result, ensure_ascii=False))
            problems = reasons(result)
        elif args.command == "serve":
            problems = serve(task, args.scale, sys.stdin)
        else:
            problems = run_all(task, args.scale)
    except (TaskError, jail.JailUnavailable) as error:
        problems = [str(error)]
    if problems:
        sys.exit("\n".join(f"prove: {problem}" for problem in problems))


def described(case: proving.Case) -> dict[str, object]:
    """A case as `list` prints it."""
    return {"name": case.name, "level": case.level, "fails": case.fails, "twin": case.twin}


def run_all(task: Task, scale: Scale) -> list[str]:
    """Run every case, print a line each; names of those that do not hold."""
    failed = []
    for case in proving.cases(task):
        result = run_or_say_why(task, case.name, scale)
        print(
            f"{'NOT OK' if result['problems'] else 'ok':7} {case.name}: level {result.get('progress_level')}",
            flush=True,
        )
        if result["problems"]:
            failed.append(f"does not hold: {case.name}")
            for line in reasons(result):
                print(f"        {line}", flush=True)
    return failed


def serve(task: Task, scale: Scale, names: Iterable[str]) -> list[str]:
    """Run the named cases side by side, each in a forked process as soon as its name comes."""
    script = task.directory / "judge.py"
    judge = compile(script.read_bytes(), script, "exec")
    running: dict[int, str] = {}
    os.setpgid(0, 0)
    watcher = forked.start(end_all_when_unread)

    def reap(options: int) -> None:
        for pid, name in list(running.items()):
            ended, status = os.waitpid(pid, options)
            if ended:
                del running[pid]
                if status:  # it could not answer itself
                    tell(name, [f"its process ended with {os.waitstatus_to_exitcode(status)}"])

    def answer(name: str) -> None:
        try:
            found = reasons(run_or_say_why(task, name, scale, judge))
        except Exception:  # whoever asked waits for an answer
            found = [traceback.format_exc()]
        tell(name, found)

    def tell(name: str, problems: list[str]) -> None:
        fcntl.lockf(turn, fcntl.LOCK_EX)
        print(json.dumps({"name": name, "problems": problems}), flush=True)
        fcntl.lockf(turn, fcntl.LOCK_UN)

    try:
        with tempfile.TemporaryFile() as turn:
            for name in (line.rstrip("\n") for line in names):
                reap(os.WNOHANG)
                running[forked.start(partial(answer, name))] = name
            reap(0)
    finally:
        os.kill(watcher, signal.SIGKILL)
        os.waitpid(watcher, 0)
    return []


def end_all_when_unread() -> None:
    """End this process group when the reader of standard output is gone."""
    output = select.poll()
    output.register(1, 0)  # that it was hung up is told unasked
    output.poll()
    os.killpg(0, signal.SIGKILL)


def run_or_say_why(task: Task, name: str, scale: Scale, judge: CodeType | None = None) -> dict[str, Any]:
    """What `proving.run` returns; a case that cannot be made has its reason among the problems."""
    try:
        return proving.run(task, name, scale, judge)
    except (TaskError, jail.JailUnavailable) as error:
        return {"problems": [str(error)]}


def reasons(result: dict[str, Any]) -> list[str]:
    """Nothing when the case holds; else what was not as stated, and what the judge noted."""
    return result["problems"] and result["problems"] + result.get("notes", [])


if __name__ == "__main__":
    main()
