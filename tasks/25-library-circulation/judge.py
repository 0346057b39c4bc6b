"""Judges task 25: loans, accounts and notices of a library, from its log as it was and as corrected."""

import csv
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import islice, pairwise
from operator import itemgetter
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, fixtures, judging
from benchlib.candidate import Fixture, Workspace

AS_OF, OTHER_AS_OF = "2025-08-31T23:59:59Z", "2025-08-12T01:00:00+02:00"  # midnight in London
LOANS, FINES, NOTICES, EFFECTS = "active_loans.csv", "fines.csv", "notices", "correction_effects.csv"
HEADERS = {
    LOANS: "item_id,patron_id,due_date,status,accrued_fine,lost_fee".split(","),
    FINES: "patron_id,overdue_fines,lost_fees,waived,total_balance".split(","),
    EFFECTS: "patron_id,old_balance,new_balance,balance_delta,old_active_items,new_active_items".split(","),
}
KEYS = {LOANS: ["item_id"], FINES: ["patron_id"], EFFECTS: ["patron_id"], NOTICES: ["notice"]}
NOTICE = """Library account notice\nPatron: {}\nName: {}\nAs of: {}\nActive loans: {}\nItems: {}
Overdue fines: {}\nLost fees: {}\nWaived: {}\nBalance: {}\n"""
NOTICES_READ, NOTICE_LIMIT = 2_000, 1 << 16
PADDED_BYTES, ADDRESS_SPACE = 49_000_000, 48 * 2**20
MOST = 0.6
HALF = 0.5

type Row = dict[str, str]
type Transaction = tuple[
    datetime, str, list[str]
]  # instant and id, which order them; the first seven columns
type Outputs = dict[str, list[Row]]
"""Rows of every output by its name; a notice is a row of its lines."""

ANCHORS = {"P-2008": "1.00", "P-2038": "12.00", "P-2046": "28.00", "P-2065": "25.00", "P-2081": "10.00"}


@dataclass
class Work:
    """One workspace before the corrections and with them; a first run that failed is its reason."""

    workspace: Workspace
    before: Outputs | Exception
    after: Outputs


def expect(fixture: Fixture) -> tuple[Outputs, Outputs]:
    """Calculate the outputs before the corrections and with them from the pristine files."""
    with fixture.file("inputs/transactions.csv").open(encoding="utf-8", newline="") as file:
        log = in_order(row[:7] for row in islice(csv.reader(file), 1, None))
    corrections = fixture.csv("inputs/corrections.csv")
    void = {row["void_transaction_id"] for row in corrections}
    added = in_order(list(row.values())[2:] for row in corrections if row["action"] == "replace")
    before = reconstruct(fixture, log, AS_OF)
    after = reconstruct(fixture, sorted([one for one in log if one[1] not in void] + added), AS_OF)
    after[EFFECTS] = []
    old_items, new_items = items_by_patron(before), items_by_patron(after)
    for row, new_row in zip(before[FINES], after[FINES], strict=True):
        patron, old, new = row["patron_id"], row["total_balance"], new_row["total_balance"]
        items = (old_items.get(patron, ""), new_items.get(patron, ""))
        if old != new or items[0] != items[1]:
            values = (patron, old, new, f"{Decimal(new) - Decimal(old):.2f}", *items)
            after[EFFECTS].append(dict(zip(HEADERS[EFFECTS], values, strict=True)))
    balances = {row["patron_id"]: row["total_balance"] for row in after[FINES]}
    if wrong := [name for name in ANCHORS if balances[name] != ANCHORS[name]]:
        raise judging.JudgeError(f"the calculation misses the anchors {wrong}")
    return before, after


def in_order(rows: Iterable[list[str]]) -> list[Transaction]:
    return sorted((datetime.fromisoformat(row[4]), row[0], row) for row in rows)


def items_by_patron(outputs: Outputs) -> dict[str, str]:
    """Item ids of open loans as the effects list them."""
    items: dict[str, str] = {}
    for row in outputs[LOANS]:
        patron = row["patron_id"]
        items[patron] = f"{items[patron]};{row['item_id']}" if patron in items else row["item_id"]
    return items


@dataclass(slots=True)
class Loan:
    """One loan; days are ordinals in its holder's zone."""

    item: str
    patron: str
    dues: list[tuple[int, int]]
    """From which day on which due day holds."""
    until: int | None = None
    """The day of its end; None while it is open."""
    lost: bool = False

    def fine_days(self, before: int) -> int:
        if before <= self.dues[0][0]:
            return 0
        end = before if self.until is None else min(before, self.until)
        if len(self.dues) == 1:  # most loans
            return max(0, end - max(self.dues[0][0], self.dues[0][1] + 1))
        spans = pairwise([*self.dues, (end, 0)])
        return sum(max(0, min(next_day, end) - max(day, due + 1)) for (day, due), (next_day, _) in spans)


def reconstruct(fixture: Fixture, log: Iterable[Transaction], as_of: str) -> Outputs:
    """Every output but the effects: loans from the items' histories, then accounts, in thousandths."""
    people = sorted(fixture.csv("inputs/patrons.csv"), key=itemgetter("patron_id"))
    names = ("daily_fine", "lost_fee", "fine_cap")
    catalog = fixture.csv("inputs/catalog.csv")
    terms = {row["item_id"]: [int(1000 * Decimal(row[name])) for name in names] for row in catalog}
    zones = {row["patron_id"]: ZoneInfo(row["timezone"]) for row in people}
    end = datetime.fromisoformat(as_of)
    last = {patron: end.astimezone(zone).toordinal() + 1 for patron, zone in zones.items()}
    current: dict[str, Loan] = {}
    loans: dict[str, list[Loan]] = {patron: [] for patron in zones}
    changes: dict[str, list[tuple[int, str, int]]] = {patron: [] for patron in zones}
    for at, _, (_, item, patron, kind, _, due, amount) in log:
        if at > end:
            break
        today, loan = at.astimezone(zones[patron]).toordinal(), current.get(item)
        if kind == "waive-fine":
            changes[patron].append((today, kind, int(1000 * Decimal(amount))))
        elif kind == "checkout":
            if loan:
                loan.until = at.astimezone(zones[loan.patron]).toordinal()
            current[item] = Loan(item, patron, [(today, date.fromisoformat(due).toordinal())])
            loans[patron].append(current[item])
        elif loan and loan.patron == patron:
            if kind == "return":
                current.pop(item).until = today
            elif kind == "renew":
                loan.dues.append((today, date.fromisoformat(due).toordinal()))
            elif loan.lost is (kind == "restore"):
                loan.lost = not loan.lost
                changes[patron].append((today, kind, terms[item][1]))

    def cost(loan: Loan, before: int) -> int:
        return min(terms[loan.item][2], terms[loan.item][0] * loan.fine_days(before))

    outputs: Outputs = {LOANS: [], FINES: [], NOTICES: []}
    for item, loan in sorted(current.items()):
        due, status = date.fromordinal(loan.dues[-1][1]).isoformat(), "lost" if loan.lost else "on_loan"
        fees = (written(cost(loan, last[loan.patron])), written(terms[item][1] * loan.lost))
        values = (item, loan.patron, due, status, *fees)
        outputs[LOANS].append(dict(zip(HEADERS[LOANS], values, strict=True)))
    for patron, name in ((row["patron_id"], row["name"]) for row in people):
        costs = [(loan, loan.until or last[patron], cost(loan, last[patron])) for loan in loans[patron]]
        fined = [one for one in costs if one[2]]
        overdue = fees = waived = 0
        for today, kind, amount in [*changes[patron], (last[patron], "", 0)]:
            overdue = sum(total if until <= today else cost(loan, today) for loan, until, total in fined)
            if kind == "waive-fine":
                waived += min(amount, overdue + fees - waived)
            elif kind:
                fees += amount if kind == "mark-lost" else -amount
                waived = min(waived, overdue + fees)
        figures = [written(amount) for amount in (overdue, fees, waived, overdue + fees - waived)]
        items = sorted(loan.item for loan in loans[patron] if current.get(loan.item) is loan)
        texts = (patron, name, as_of, len(items), ", ".join(items) or "none", *figures)
        outputs[FINES].append(dict(zip(HEADERS[FINES], (patron, *figures), strict=True)))
        outputs[NOTICES].append(notice_row(f"{patron}.txt", NOTICE.format(*texts)))
    outputs[NOTICES].sort(key=itemgetter("notice"))
    return outputs


def written(thousandths: int) -> str:
    """An amount, never negative, with two decimals and halves up."""
    cents = (thousandths + 5) // 10
    return f"{cents // 100}.{cents % 100:02}"


def notice_row(name: str, text: str) -> Row:
    lines = text.removesuffix("\n").split("\n")
    numbered = {f"line {number}": line for number, line in enumerate(lines, 1)}
    return {"notice": name, "number of lines": str(len(lines))} | numbered


def solve(fixture: Fixture) -> Work:
    """Run the command beside old files, and again over the same workspace with the corrections."""
    workspace = fixture.workspace(upto="initial")
    for old in ("P-0.txt", "sent.csv"):
        fixtures.write_text(workspace.root / "output/notices" / old, "Patron: P-0\n")
    before = judging.tried(lambda: run(workspace))
    workspace.add_stage("corrections")
    return Work(workspace, before, run(workspace))


def run(
    workspace: Workspace,
    inputs: str = "inputs",
    as_of: str = AS_OF,
    output: str = "output",
    address_space_bytes: int | None = None,
) -> Outputs:
    """Run the command and read what it wrote; the effects may be missing."""
    command = ("-m", "solution.library_state", inputs, "--as-of", as_of, "--output", output)
    workspace.python(*command, address_space_bytes=address_space_bytes)
    files = workspace.outputs
    wanted = [name for name in HEADERS if name != EFFECTS or files.exists(f"{output}/{name}")]
    found = {name: files.csv(f"{output}/{name}", HEADERS[name]) for name in wanted}
    notices = files.names(f"{output}/notices")[:NOTICES_READ]
    texts = ((name, files.text(f"{output}/notices/{name}", NOTICE_LIMIT)) for name in notices)
    return found | {NOTICES: [notice_row(name, text) for name, text in texts]}


def exact(what: str, found: Outputs | Exception, wanted: Outputs, name: str) -> None:
    """One output has the expected rows in the expected order."""
    comparing.same_rows(f"{what}, {name}", judging.made(found).get(name, []), wanted[name], key=KEYS[name])


def exact_in_both(actual: Work, expected: tuple[Outputs, Outputs], name: str) -> None:
    exact("before the corrections", actual.before, expected[0], name)
    exact("with the corrections", actual.after, expected[1], name)


@judging.core
def most_loans_are_right(actual: Work, expected: tuple[Outputs, Outputs]) -> None:
    """With the corrections three in five loans have their item and patron, and few others are there."""
    found, wanted = (
        {(row["item_id"], row["patron_id"]) for row in some[LOANS]} for some in (actual.after, expected[1])
    )
    right, most = len(found & wanted), max(len(actual.after[LOANS]), len(wanted))
    comparing.require(
        right >= MOST * most, f"{right} of {len(found)} loans are right, {len(wanted)} expected"
    )


@judging.core
def most_balances_are_close(actual: Work, expected: tuple[Outputs, Outputs]) -> None:
    """With the corrections half the patrons who owe something have a balance, or at least overdue fines,
    within a fifth of what is right.
    """
    found = {row["patron_id"]: row for row in actual.after[FINES]}
    owing = [row for row in expected[1][FINES] if row["total_balance"] != "0.00"]
    close = sum(
        any(
            abs(float(found[row["patron_id"]][name]) - float(row[name])) <= float(row[name]) / 5
            for name in ("total_balance", "overdue_fines")
        )
        for row in owing
        if row["patron_id"] in found
    )
    comparing.require(close >= HALF * len(owing), f"{close} of {len(owing)} balances are close")


def loans_are_exact(actual: Work, expected: tuple[Outputs, Outputs]) -> None:
    """active_loans.csv has exactly the open loans, in order, before the corrections and with them."""
    exact_in_both(actual, expected, LOANS)


def accounts_are_exact(actual: Work, expected: tuple[Outputs, Outputs]) -> None:
    """fines.csv has every patron's sums and balance, in order, before the corrections and with them."""
    exact_in_both(actual, expected, FINES)


def notices_are_exact(actual: Work, expected: tuple[Outputs, Outputs]) -> None:
    """There is one right notice for every patron and no other file, before the corrections and with them."""
    exact_in_both(actual, expected, NOTICES)


def effects_are_exact(actual: Work, expected: tuple[Outputs, Outputs]) -> None:
    """correction_effects.csv has the patrons whose balance or open items changed, in order."""
    exact("with the corrections", actual.after, expected[1], EFFECTS)


def other_arguments_and_long_notes_work(actual: Work, expected: tuple[Outputs, Outputs]) -> None:
    """Another folder whose corrections are just a header, another as-of and a new output folder give their
    own result, in little memory although notes make the log large.
    """
    fixture, branch = actual.workspace.fixture.small(), actual.workspace.root / "branch/old log"
    if fixture.name == "main":  # the twin would tell nothing new
        log = fixture.csv("inputs/transactions.csv")
        bare = fixtures.csv_lines(list(log[0]), ([*(row | {"note": ""}).values()] for row in log))
        note = "x" * (PADDED_BYTES // len(log))
        padded = (line + note if line.endswith(",") else line for line in bare)
        fixtures.write_lines(branch / "transactions.csv", padded)
        for name in ("patrons.csv", "catalog.csv"):
            fixtures.write_bytes(branch / name, fixture.file(f"inputs/{name}").read_bytes())
        header = fixture.text("inputs/corrections.csv").split("\n")[0]
        fixtures.write_lines(branch / "corrections.csv", [header])
        wanted = reconstruct(fixture, in_order(list(row.values())[:7] for row in log), OTHER_AS_OF)
        found = run(actual.workspace, "branch/old log", OTHER_AS_OF, "output/branch/new", ADDRESS_SPACE)
        for name in (LOANS, FINES, NOTICES):
            exact("with other arguments", found, wanted, name)
        comparing.same("the effects of no corrections", found.get(EFFECTS), [])


def lines_end_as_stated(actual: Work, expected: tuple[Outputs, Outputs]) -> None:
    """Every output uses LF and ends with a newline."""
    comparing.lines_end_with_lf(actual.workspace.outputs.slips)


def edge(fixture: Fixture) -> None:
    """A return that stands before its checkout in the file but is later in time closes the loan."""
    found = run(fixture.workspace())
    comparing.same("the edge's open loans", found[LOANS], [])
    fines = [tuple(row.values()) for row in found[FINES]]
    comparing.same("the edge's fines", fines, [("P-1", "1.00", "0.00", "0.00", "1.00")])


CHECKS = [
    most_loans_are_right,
    most_balances_are_close,
    loans_are_exact,
    accounts_are_exact,
    notices_are_exact,
    effects_are_exact,
    other_arguments_and_long_notes_work,
    lines_end_as_stated,
]

if __name__ == "__main__":
    probe = judging.imports("solution.library_state")
    judging.main(
        __file__, artifacts=["solution/"], probe=probe, expect=expect, solve=solve, checks=CHECKS, edge=edge
    )
