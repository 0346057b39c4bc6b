"""Cleans a mailbox: one copy of each message, threads, texts and unsubscribe targets."""

import argparse
import csv
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path

from solution.messages import Mail

SEPARATOR = re.compile(rb"^(?=From )", re.MULTILINE)


def read_mailbox(path: Path) -> list[Mail]:
    """All messages in input order."""
    entries = SEPARATOR.split(path.read_bytes())[1:]
    return [Mail(number, entry) for number, entry in enumerate(entries)]


def is_better(copy: Mail, other: Mail) -> bool:
    """Whether a later copy replaces the one found before it."""
    if copy.date is None:
        return False
    return other.date is None or copy.date > other.date


def kept_messages(mails: Iterable[Mail]) -> list[Mail]:
    """One copy of each id, and everything without one, in output order."""
    best: dict[str, Mail] = {}
    without_id: list[Mail] = []
    for mail in mails:
        if not mail.message_id:
            without_id.append(mail)
        elif mail.message_id not in best or is_better(mail, best[mail.message_id]):
            best[mail.message_id] = mail
    return sorted([*best.values(), *without_id], key=order)


def order(mail: Mail) -> tuple[str, datetime, int]:
    assert mail.date
    return mail.thread_id, mail.date, mail.number


def utc_text(date: datetime | None) -> str:
    return f"{date:%Y-%m-%dT%H:%M:%SZ}" if date else ""


def message_rows(kept: Iterable[Mail]) -> list[list[str]]:
    return [[mail.thread_id, mail.message_id, utc_text(mail.date), mail.subject, mail.body] for mail in kept]


def thread_rows(kept: Iterable[Mail]) -> list[list[str]]:
    """Rows of threads.csv; `kept` is in output order."""
    rows = []
    for thread_id, group in groupby(kept, key=lambda mail: mail.thread_id):
        mails = list(group)
        subject = next((mail.subject for mail in mails if mail.subject), "")
        people = ";".join(sorted({address for mail in mails for address in mail.people}))
        dates = [mail.date for mail in mails if mail.date]
        first, last = min(dates, default=None), max(dates, default=None)
        rows.append([thread_id, subject, people, utc_text(first), utc_text(last), str(len(mails))])
    return rows


def unsubscribe_rows(kept: Iterable[Mail]) -> list[list[str]]:
    http: dict[str, set[str]] = {}
    mailto: dict[str, set[str]] = {}
    for mail in kept:
        for target in mail.targets:
            if target.lower().startswith(("http://", "https://")):
                http.setdefault(mail.sender_domain, set()).add(target)
            elif target.lower().startswith("mailto:"):
                mailto.setdefault(mail.sender_domain, set()).add(target)
    domains = sorted(http.keys() | mailto.keys())
    return [[name, *(";".join(sorted(found.get(name, ()))) for found in (http, mailto))] for name in domains]


def write_csv(path: Path, header: str, rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mailbox", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    kept = kept_messages(read_mailbox(args.mailbox))
    args.output.mkdir(parents=True, exist_ok=True)
    (args.output / "cleaned.mbox").write_bytes(b"".join(mail.entry for mail in kept))
    write_csv(args.output / "messages.csv", "thread_id,message_id,date,subject,body", message_rows(kept))
    write_csv(
        args.output / "threads.csv",
        "thread_id,subject,participants,first_date,last_date,message_count",
        thread_rows(kept),
    )
    write_csv(
        args.output / "unsubscribe.csv", "sender_domain,http_targets,mailto_targets", unsubscribe_rows(kept)
    )


if __name__ == "__main__":
    main()
