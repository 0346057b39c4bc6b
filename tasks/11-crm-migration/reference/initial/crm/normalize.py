"""Trimmed values and normal forms, by which emails, phones and notes are compared."""

import re


def trimmed(text: str | None) -> str:
    return (text or "").strip()


def normalize_email(text: str | None) -> str:
    """The normal form, empty if `text` is no email."""
    return trimmed(text).casefold()


def normalize_phone(text: str | None) -> str:
    """The normal form, empty if `text` is no phone."""
    digits = re.sub(r"[^0-9]", "", trimmed(text))
    sign = "+" if trimmed(text).startswith("+") else ""
    return sign + digits if digits else ""


def note_lines(text: str | None) -> list[str]:
    """The notes in a text, one a line."""
    return [note for line in (text or "").split("\n") if (note := line.strip())]
