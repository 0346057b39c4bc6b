"""Replay the transactions of a library in order: loans, fine days and patron accounts."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple
from zoneinfo import ZoneInfo

ZERO = Decimal(0)
DAY = timedelta(days=1)


class Transaction(NamedTuple):
    instant: datetime
    id: str
    item_id: str
    patron_id: str
    kind: str
    due: date | None
    amount: Decimal | None


class Item(NamedTuple):
    daily_fine: Decimal
    lost_fee: Decimal
    fine_cap: Decimal


@dataclass
class Account:
    zone: ZoneInfo
    overdue: Decimal = ZERO
    lost_fees: Decimal = ZERO
    waived: Decimal = ZERO
    loans: dict = field(default_factory=dict)

    @property
    def balance(self):
        return self.overdue + self.lost_fees - self.waived


@dataclass
class Loan:
    item_id: str
    patron_id: str
    due: date
    next_day: date  # the first day that has not been looked at
    lost: bool = False
    fine: Decimal = ZERO


class Library:
    def __init__(self, zones, catalog):
        self.catalog = catalog
        self.accounts = {patron_id: Account(zone) for patron_id, zone in zones.items()}
        self.loans = {}

    def replay(self, transactions, as_of):
        for transaction in sorted(
            transactions, key=lambda transaction: (transaction.instant, transaction.id)
        ):
            if transaction.instant > as_of:
                break
            self.apply(transaction)
        for loan in self.loans.values():
            self.charge(loan, self.local_day(loan.patron_id, as_of) + DAY)
        return self

    def local_day(self, patron_id, instant):
        return instant.astimezone(self.accounts[patron_id].zone).date()

    def apply(self, transaction):
        if transaction.kind == "waive-fine":
            self.waive(transaction)
            return
        loan = self.loans.get(transaction.item_id)
        if transaction.kind == "checkout":
            if loan:
                self.end(loan, transaction.instant)
            self.begin(transaction)
        elif loan and loan.patron_id == transaction.patron_id:
            self.act(loan, transaction)

    def act(self, loan, transaction):
        account, item = self.accounts[loan.patron_id], self.catalog[loan.item_id]
        if transaction.kind == "renew":
            self.charge(loan, self.local_day(loan.patron_id, transaction.instant))
            loan.due = transaction.due
        elif transaction.kind == "return":
            self.end(loan, transaction.instant)
        elif transaction.kind == "mark-lost" and not loan.lost:
            loan.lost = True
            account.lost_fees += item.lost_fee
        elif transaction.kind == "restore" and loan.lost:
            loan.lost = False
            self.settle(account, transaction)
            account.lost_fees -= item.lost_fee
            if account.balance < 0:
                account.waived += account.balance

    def begin(self, transaction):
        today = self.local_day(transaction.patron_id, transaction.instant)
        loan = Loan(transaction.item_id, transaction.patron_id, transaction.due, next_day=today)
        self.loans[loan.item_id] = loan
        self.accounts[loan.patron_id].loans[loan.item_id] = loan

    def end(self, loan, instant):
        self.charge(loan, self.local_day(loan.patron_id, instant))
        del self.loans[loan.item_id]
        del self.accounts[loan.patron_id].loans[loan.item_id]

    def waive(self, transaction):
        account = self.accounts[transaction.patron_id]
        self.settle(account, transaction)
        account.waived += min(transaction.amount, account.balance)

    def settle(self, account, transaction):
        """Charge what has ended by now on all loans of a patron."""
        today = transaction.instant.astimezone(account.zone).date()
        for loan in account.loans.values():
            self.charge(loan, today)

    def charge(self, loan, today):
        """Charge the days that ended before `today` began."""
        first = max(loan.next_day, loan.due + DAY)
        days = max((today - first).days, 0)
        loan.next_day = max(loan.next_day, today)
        item = self.catalog[loan.item_id]
        cost = min(days * item.daily_fine, item.fine_cap - loan.fine)
        loan.fine += cost
        self.accounts[loan.patron_id].overdue += cost
