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
    """Files by their old paths, documents among them, the redirects, and where renamed documents go."""

    def __init__(self, root: Path, redirects: dict[str, list[str]], renames: dict[str, str]) -> None:
        files = sorted(path for path in root.rglob("*") if path.is_file())
        self.files = {path.relative_to(root).as_posix(): path for path in files}
        self.redirects = redirects
        self.documents: dict[str, Document] = {}
        for path, file in self.files.items():
            if path.endswith(".md"):
                self.documents[path] = read_document(file.read_bytes().decode("utf-8"))
        self.moved = {old: new for old, new in renames.items() if old in self.documents}
        self.meanings = {new: old for old, new in self.moved.items()}
        self.meanings.update((path, path) for path in self.files)

    def place(self, path: str) -> str:
        """Where the file of this old path is in the copy."""
        return self.moved.get(path, path)

    def settle(self, source: str, original: str) -> Link:
        """Resolve and repair one destination of the document `source`."""
        if EXTERNAL.match(original):
            return Link(original, original, "", "external")
        path, mark, fragment = original.partition("#")
        target = self.target(source, path)
        anchor = None if target is None else self.fragment(target, fragment)
        if target is None or anchor is None:
            return Link(original, original, "", "unresolved")
        folder, place = posixpath.dirname(self.place(source)), self.place(target)
        if path and posixpath.normpath(posixpath.join(folder, path)) != place:
            path = posixpath.relpath(place, folder or ".")
        destination = path + mark + anchor
        status = "ok" if destination == original else "repaired"
        return Link(original, destination, place + mark + anchor, status)

    def target(self, source: str, path: str) -> str | None:
        """The old path of the file that a path in `source` means, if there is just one."""
        if not path:
            return source
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if target in self.meanings:
            return self.meanings[target]
        replacements = self.redirects.get(target, [])
        files = {self.meanings[other] for other in replacements if other in self.meanings}
        return files.pop() if len(files) == 1 else None

    def fragment(self, target: str, fragment: str) -> str | None:
        """The fragment as it should be, None where no heading or several have it."""
        if not fragment or target not in self.documents:
            return fragment
        anchors = self.documents[target].anchors()
        if fragment in anchors:
            return fragment
        base = anchor_base(fragment)
        return base if anchors.count(base) == 1 else None


def read_renames(path: Path) -> dict[str, str]:
    """Old paths to new ones; there are none where the file is missing."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["old_path"]: row["new_path"] for row in csv.DictReader(file)}


def write_copy(base: KnowledgeBase, output: Path) -> dict[str, list[Link]]:
    """Write the repaired copy; the links of each document."""
    shutil.rmtree(output, ignore_errors=True)
    links: dict[str, list[Link]] = {}
    for path, file in base.files.items():
        data = file.read_bytes()
        if path in base.documents:
            found = links[base.place(path)] = []

            def settle(original: str, source: str = path, found: list[Link] = found) -> str:
                found.append(base.settle(source, original))
                return found[-1].destination

            data = base.documents[path].replace_links(settle).encode("utf-8")
        copy = output / base.place(path)
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
        base.place(source): {
            "title": document.title,
            "headings": [{"text": one.text, "anchor": one.anchor} for one in document.headings],
            "outgoing_local_links": [link.resolved for link in links[base.place(source)] if link.resolved],
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
    renames = read_renames(args.redirects.with_name("renames.csv"))
    base = KnowledgeBase(args.root, json.loads(args.redirects.read_text("utf-8")), renames)
    links = write_copy(base, args.output / "kb")
    write_report(links, args.output / "link_report.csv")
    write_index(base, links, args.output / "index.json")


if __name__ == "__main__":
    main()
