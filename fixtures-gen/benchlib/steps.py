"""Steps of a judgement that stand by themselves: where one fails, the others are judged all the same."""

from collections.abc import Callable

from benchlib.readers import Unreadable
from benchlib.runs import CommandFailed


def tried[T](step: Callable[[], T]) -> T | Exception:
    """What a step makes, or why the candidate's work kept it from making it."""
    try:
        return step()
    except (CommandFailed, Unreadable) as problem:
        return problem


def made[T](step: T | Exception) -> T:
    """What a step that was `tried` has made; raises why it made nothing."""
    if isinstance(step, Exception):
        raise step
    return step
