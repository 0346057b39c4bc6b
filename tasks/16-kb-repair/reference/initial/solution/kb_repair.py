"""Copies a Markdown knowledge base, repairs the links that have one possible meaning, and reports on all."""

import argparse
import csv
import json
import posixpath
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from solution.markdown import Document, anchor_base, read_document

EXTERNAL = re.compile(r"/|[A-Za-z][A-Za-z0-9+.-]*:")
HEADER = ["source_path", "original_target", "resolved_target", "status"]


@dataclass(frozen=True)
class Link:
    """What became of one link."""

    original: str
    destination: str
    resolved: str
    status: str


class KnowledgeBase:
    """Files by path, documents among them, and the redirects."""

    def __init__(self, root: Path, redirects: dict[str, list[str]]) -> None:
        files = sorted(path for path in root.rglob("*") if path.is_file())
        self.files = {path.relative_to(root).as_posix(): path for path in files}
        self.redirects = redirects
        self.documents: dict[str, Document] = {}
        for path, file in self.files.items():
            if path.endswith(".md"):
                self.documents[path] = read_document(file.read_bytes().decode("utf-8"))

    def settle(self, source: str, original: str) -> Link:
        """Resolve and repair one destination of the document `source`."""
        if EXTERNAL.match(original):
            return Link(original, original, "", "external")
        path, mark, fragment = original.partition("#")
        folder = posixpath.dirname(source)
        target = self.target(source, folder, path)
        anchor = None if target is None else self.fragment(target, fragment)
        if target is None or anchor is None:
            return Link(original, original, "", "unresolved")
        if path and posixpath.normpath(posixpath.join(folder, path)) != target:
            path = posixpath.relpath(target, folder or ".")
        destination = path + mark + anchor
        status = "ok" if destination == original else "repaired"
        return Link(original, destination, target + mark + anchor, status)

    def target(self, source: str, folder: str, path: str) -> str | None:
        """The file that a path means, if there is just one."""
        if not path:
            return source
        target = posixpath.normpath(posixpath.join(folder, path))
        if target in self.files:
            return target
        replacements = [other for other in self.redirects.get(target, []) if other in self.files]
        return replacements[0] if len(replacements) == 1 else None

    def fragment(self, target: str, fragment: str) -> str | None:
        """The fragment as it should be, None where no heading or several have it."""
        if not fragment or target not in self.documents:
            return fragment
        anchors = self.documents[target].anchors()
        if fragment in anchors:
            return fragment
        base = anchor_base(fragment)
        return base if anchors.count(base) == 1 else None


def write_copy(base: KnowledgeBase, output: Path) -> dict[str, list[Link]]:
    """Write the repaired copy; the links of each document."""
    shutil.rmtree(output, ignore_errors=True)
    links: dict[str, list[Link]] = {}
    for path, file in base.files.items():
        data = file.read_bytes()
        if path in base.documents:
            found = links[path] = []

            def settle(original: str, source: str = path, found: list[Link] = found) -> str:
                found.append(base.settle(source, original))
                return found[-1].destination

            data = base.documents[path].replace_links(settle).encode("utf-8")
        copy = output / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(data)
    return links


def write_report(links: dict[str, list[Link]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for source in sorted(links):
            writer.writerows([source, link.original, link.resolved, link.status] for link in links[source])


def write_index(base: KnowledgeBase, links: dict[str, list[Link]], path: Path) -> None:
    index = {
        source: {
            "title": document.title,
            "headings": [{"text": one.text, "anchor": one.anchor} for one in document.headings],
            "outgoing_local_links": [link.resolved for link in links[source] if link.resolved],
        }
        for source, document in base.documents.items()
    }
    path.write_bytes((json.dumps(index, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode("utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Repairs the links of a Markdown knowledge base.")
    parser.add_argument("root", type=Path)
    parser.add_argument("--redirects", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    base = KnowledgeBase(args.root, json.loads(args.redirects.read_text("utf-8")))
    links = write_copy(base, args.output / "kb")
    write_report(links, args.output / "link_report.csv")
    write_index(base, links, args.output / "index.json")


if __name__ == "__main__":
    main()
