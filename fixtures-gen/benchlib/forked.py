"""Processes forked from one that has loaded what they need: to load it anew takes longer than many a run.

Fork only where no other thread runs.
"""

import os
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType


def start(work: Callable[[], None]) -> int:
    """Do `work` in a forked process and return its id. Its exit status is 0, that of a SystemExit, or 1 after
    another exception, which goes to standard error.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if pid := os.fork():
        return pid
    status = 1
    try:
        work()
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


def run_script(
    code: CodeType, script: Path, arguments: Sequence[str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a compiled script as its command line would. Raises `subprocess.TimeoutExpired` after `seconds`; it
    has ended then.
    """
    command = [str(script), *arguments]
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:

        def work() -> None:
            os.dup2(stdout.fileno(), 1)
            os.dup2(stderr.fileno(), 2)
            sys.argv, sys.path[:0] = command, [str(script.parent)]
            main = ModuleType("__main__")
            main.__file__ = str(script)
            sys.modules["__main__"] = main
            exec(code, main.__dict__)

        pid = start(work)
        in_time = _ends_within(pid, seconds)
        if not in_time:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if not in_time:
            raise subprocess.TimeoutExpired(command, seconds)
        stdout.seek(0)
        stderr.seek(0)
        code_of_exit = os.waitstatus_to_exitcode(status)
        return subprocess.CompletedProcess(command, code_of_exit, stdout.read(), stderr.read())


def _ends_within(pid: int, seconds: float) -> bool:
    descriptor = os.pidfd_open(pid)
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)
