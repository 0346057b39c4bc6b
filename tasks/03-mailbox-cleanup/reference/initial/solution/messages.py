"""What is read from one message: ids, date, people, subject, body, unsubscribe targets."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from functools import cached_property

ID = re.compile(r"<[^\s<>]+>")
PREFIX = re.compile(r"(?:re|fwd|fw):\s*", re.IGNORECASE)


@dataclass
class Mail:
    """One entry of a mailbox."""

    number: int
    entry: bytes

    @cached_property
    def message(self) -> Message:
        """The parsed message, without the separator line."""
        return message_from_bytes(self.entry.partition(b"\n")[2][:-1])

    def header(self, name: str) -> str:
        """The raw value of a header, empty where it is missing."""
        return str(self.message.get(name, ""))

    @cached_property
    def message_id(self) -> str:
        """Its own id, empty where it has none."""
        return first_id(self.header("Message-ID"))

    @cached_property
    def thread_id(self) -> str:
        """The id of its thread."""
        return (
            first_id(self.header("References"))
            or first_id(self.header("In-Reply-To"))
            or self.message_id
            or f"missing-{self.number:06}"
        )

    @cached_property
    def date(self) -> datetime | None:
        """Its valid date in UTC."""
        if "Date" not in self.message:
            return None
        try:
            date = parsedate_to_datetime(self.header("Date"))
        except (ValueError, TypeError):
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        return date.astimezone(UTC)

    @cached_property
    def subject(self) -> str:
        """The display subject."""
        text = one_line(decode_words(self.header("Subject")))
        while prefix := PREFIX.match(text):
            text = text[prefix.end() :]
        return text

    @property
    def people(self) -> list[str]:
        """Addresses of sender and recipients."""
        names = ("From", "To", "Cc")
        values = [str(value) for name in names for value in self.message.get_all(name, [])]
        return [address.lower() for _, address in getaddresses(values) if address]

    @property
    def sender_domain(self) -> str:
        """Domain of the first address in From."""
        address = getaddresses([self.header("From")])[0][1]
        return address.rpartition("@")[2].lower()

    @property
    def targets(self) -> list[str]:
        """Everything in angle brackets in List-Unsubscribe headers."""
        values = [str(value) for value in self.message.get_all("List-Unsubscribe", [])]
        found = [target for value in values for target in re.findall(r"<([^>]*)>", value)]
        return ["".join(target.split()) for target in found]

    @property
    def body(self) -> str:
        """Text of the part that is shown."""
        texts = text_parts(self.message)
        for kind in ("text/plain", "text/html"):
            for part in texts:
                if part.get_content_type() == kind:
                    content = part.get_payload(decode=True)
                    assert isinstance(content, bytes)
                    return one_line(decode(content, part.get_param("charset")))
        return ""


def first_id(text: str) -> str:
    found = ID.search(text)
    return found[0] if found else ""


def one_line(text: str) -> str:
    return " ".join(text.split())


def decode(content: bytes, charset: object) -> str:
    try:
        return content.decode(str(charset or "utf-8"), "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


def decode_words(text: str) -> str:
    parts = decode_header(text)
    return "".join(part if isinstance(part, str) else decode(part, charset) for part, charset in parts)


def text_parts(part: Message) -> list[Message]:
    if part.get_content_disposition() == "attachment":
        return []
    if part.get_content_type() == "message/rfc822":
        return []
    payload = part.get_payload()
    if part.is_multipart() and isinstance(payload, list):
        return [text for child in payload if isinstance(child, Message) for text in text_parts(child)]
    return [part]
