"""What the repair needs to know of Markdown: lines, fences, headings with their anchors, links."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

HEADING = re.compile(r" *(#{1,6})[ \t]+(.*)", re.DOTALL)
LINK = re.compile(r"(\[[^\[\]]*\]\()(?:<([^<>]+)>|([^()<>]+))(?=\))")


@dataclass(frozen=True)
class Heading:
    level: int
    text: str
    anchor: str


@dataclass
class Document:
    """The text of a document, line by line with line ends, and which lines are fenced code."""

    lines: list[str]
    fenced: list[bool]
    headings: list[Heading] = field(default_factory=list)

    @property
    def title(self) -> str:
        return next((heading.text for heading in self.headings if heading.level == 1), "")

    def anchors(self) -> list[str]:
        return [heading.anchor for heading in self.headings]

    def replace_links(self, settle: Callable[[str], str]) -> str:
        """The text with each destination replaced by what `settle` makes of it, called in document order."""

        def replaced(match: re.Match[str]) -> str:
            head, bracketed, plain = match.groups()
            return head + (f"<{settle(bracketed)}>" if bracketed is not None else settle(plain))

        pairs = zip(self.lines, self.fenced, strict=True)
        return "".join(line if fenced else LINK.sub(replaced, line) for line, fenced in pairs)


def read_document(text: str) -> Document:
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    document = Document(lines, list(fenced_lines(lines)))
    uses: dict[str, int] = {}
    for line, fenced in zip(lines, document.fenced, strict=True):
        found = None if fenced else HEADING.fullmatch(content(line))
        if found:
            text = without_closing_run(found[2].strip())
            base = anchor_base(text)
            count = uses.get(base, 0)
            uses[base] = count + 1
            document.headings.append(Heading(len(found[1]), text, f"{base}-{count}" if count else base))
    return document


def content(line: str) -> str:
    """A line without its end."""
    return line[:-1].removesuffix("\r") if line.endswith("\n") else line


def fenced_lines(lines: list[str]) -> Iterator[bool]:
    fence = ""
    for line in lines:
        text = content(line).strip(" ")
        run = leading_run(text)
        if fence:
            yield True
            if run == text and run.startswith(fence):
                fence = ""
        else:
            fence = run
            yield bool(fence)


def leading_run(text: str) -> str:
    """The three or more backticks or tildes that `text` begins with."""
    for character in "`~":
        run = text[: len(text) - len(text.lstrip(character))]
        if len(run) >= 3:
            return run
    return ""


def without_closing_run(text: str) -> str:
    rest = text.rstrip("#")
    return rest.rstrip() if rest != rest.rstrip() else text


def anchor_base(text: str) -> str:
    text = unicodedata.normalize("NFKC", text)
    text = text.casefold()
    text = "".join(one for one in text if one == "-" or unicodedata.category(one)[0] != "P")
    text = re.sub(r"\s+", "-", text)
    return re.sub("-+", "-", text)
