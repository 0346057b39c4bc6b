"""Comparing what was written with what was expected, with notes that name the row, the value and the
expectation.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

DIFFERENCES_SHOWN = 4
VALUE_CHARACTERS_SHOWN = 80


class Differs(Exception):
    """A check does not hold; the message says what differed."""


class VacuousCheck(Exception):
    """A comparison that an empty file would pass: the judge's own fault, so it must not be taken for the
    candidate's.
    """


def require(holds: bool, note: str) -> None:
    """Fail with `note` unless `holds`."""
    if not holds:
        raise Differs(note)


def same(what: str, actual: object, expected: object) -> None:
    """Values of equal type that are equal (True is not 1, 1.0 is not 1)."""
    if type(actual) is not type(expected) or actual != expected:
        raise Differs(f"{what}: found {shown(actual)}, expected {shown(expected)}")


def same_rows(
    what: str,
    actual: Sequence[Mapping[str, str]],
    expected: Sequence[Mapping[str, str]],
    *,
    key: Sequence[str],
    fields: Sequence[str] | None = None,
    may_be_empty: bool = False,
) -> None:
    """Equal rows in equal order. `key` names the columns that tell rows apart in notes; `fields` limits what
    is compared.

    An empty expectation is refused unless `may_be_empty`: a header-only file would pass.
    """
    if not expected and not may_be_empty:
        raise VacuousCheck(f"{what}: the expected rows are empty; say may_be_empty=True when that is meant")
    problems = row_differences(actual, expected, key=key, fields=fields)
    if problems:
        raise Differs(f"{what}: {listed(problems)}")


def row_differences(
    actual: Sequence[Mapping[str, str]],
    expected: Sequence[Mapping[str, str]],
    *,
    key: Sequence[str],
    fields: Sequence[str] | None = None,
) -> list[str]:
    """What `same_rows` finds, one text a difference: missing rows, extra rows, differing values, then the
    order.
    """
    found, wanted = [_key(row, key) for row in actual], [_key(row, key) for row in expected]
    missing, extra = Counter(wanted) - Counter(found), Counter(found) - Counter(wanted)
    problems = [f"no row {_named(key, values)}" for values in missing]
    problems += [f"unexpected row {_named(key, values)}" for values in extra]
    occurrences: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for row in actual:
        occurrences.setdefault(_key(row, key), []).append(row)
    for values, row in zip(wanted, expected, strict=True):
        same_key = occurrences.get(values)
        if not same_key:
            continue
        other = same_key.pop(0)
        for name in fields or row:
            if other.get(name) != row[name]:
                found_here = f"{name} is {shown(other.get(name))}, expected {shown(row[name])}"
                problems.append(f"row {_named(key, values)}: {found_here}")
    if not problems and found != wanted:
        place = next(
            index for index, pair in enumerate(zip(found, wanted, strict=True)) if pair[0] != pair[1]
        )
        here, there = _named(key, found[place]), _named(key, wanted[place])
        problems.append(f"the order differs: row {place + 1} is {here}, expected {there}")
    return problems


def same_json(what: str, actual: object, expected: object, *, ordered_keys: bool = False) -> None:
    """Equal documents, types included (`1` is not `1.0`); with `ordered_keys` the keys stand in the expected
    order.
    """
    problems = json_differences(actual, expected, "", ordered_keys)
    if problems:
        raise Differs(f"{what}: {listed(problems)}")


def json_differences(actual: object, expected: object, place: str, ordered_keys: bool) -> list[str]:
    """What `same_json` finds, one text a difference, each with the place in the document."""
    here = place or "the document"
    if isinstance(expected, dict) and isinstance(actual, dict):
        problems = [f"{here} lacks {shown(name)}" for name in expected if name not in actual]
        problems += [f"{here} has an unexpected {shown(name)}" for name in actual if name not in expected]
        if ordered_keys and not problems and list(actual) != list(expected):
            problems.append(
                f"{here}: keys are {shown(list(actual))}, expected the order {shown(list(expected))}"
            )
        for name in expected:
            if name in actual:
                problems += json_differences(
                    actual[name], expected[name], f"{place}.{name}" if place else name, ordered_keys
                )
        return problems
    if isinstance(expected, list) and isinstance(actual, list):
        problems = []
        if len(actual) != len(expected):
            problems.append(f"{here} has {len(actual)} items, expected {len(expected)}")
        for index, (one, other) in enumerate(zip(actual, expected, strict=False)):
            problems += json_differences(one, other, f"{place}[{index}]", ordered_keys)
        return problems
    if type(actual) is not type(expected) or actual != expected:
        return [f"{here} is {shown(actual)}, expected {shown(expected)}"]
    return []


def lines_end_with_lf(slips: Sequence[str]) -> None:
    """Fail when a text output has CRLF or no newline at its end (`outputs.slips`)."""
    require(not slips, listed(slips))


def listed(problems: Sequence[str]) -> str:
    """The first few problems, and how many there are."""
    more = len(problems) - DIFFERENCES_SHOWN
    return "; ".join(problems[:DIFFERENCES_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def shown(value: object) -> str:
    """A value as notes show it: quoted, cut when long."""
    text = repr(value)
    return text if len(text) <= VALUE_CHARACTERS_SHOWN else f"{text[:VALUE_CHARACTERS_SHOWN]}…"


def _key(row: Mapping[str, str], key: Sequence[str]) -> tuple[str, ...]:
    return tuple(row.get(name, "") for name in key)


def _named(key: Sequence[str], values: Sequence[str]) -> str:
    return " ".join(f"{name}={shown(value)}" for name, value in zip(key, values, strict=True))
