"""Choose the newest eligible version of each requested file in tar and ZIP snapshots, and restore it."""

import argparse
import csv
import json
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ENDINGS = (".tar", ".tar.gz", ".zip")
PLAN_FIELDS = ["path", "archive", "member", "member_timestamp", "size"]
WARNING_FIELDS = ["path", "reason"]


@dataclass(frozen=True)
class Member:
    archive: Path
    place: int
    name: str
    timestamp: int
    size: int
    is_regular: bool

    @property
    def components(self) -> list[str]:
        return self.name.split("/")

    @property
    def target(self) -> str:
        return "/".join(part for part in self.components if part not in ("", ".", ".."))

    @property
    def is_safe(self) -> bool:
        return not self.name.startswith("/") and ".." not in self.components


def find_archives(inputs: Path) -> list[Path]:
    found = inputs.iterdir()
    return [path for path in found if path.is_file() and path.name.endswith(ENDINGS)]


def list_members(path: Path) -> Iterator[Member]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for place, info in enumerate(archive.infolist()):
                moment = datetime(*info.date_time, tzinfo=UTC)
                is_regular = not info.is_dir() and stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG)
                yield Member(path, place, info.filename, int(moment.timestamp()), info.file_size, is_regular)
    else:
        with tarfile.open(path) as archive:
            for place, info in enumerate(archive):
                yield Member(path, place, info.name, int(info.mtime), info.size, info.isreg())


def read_contents(path: Path, members: list[Member]) -> Iterator[tuple[Member, bytes]]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            for member in members:
                yield member, archive.read(entries[member.place])
    else:
        with tarfile.open(path) as archive:
            infos = archive.getmembers()
            for member in members:
                file = archive.extractfile(infos[member.place])
                assert file
                yield member, file.read()


def decide(paths: list[str], members: list[Member], cutoff: int) -> tuple[dict[str, Member], dict[str, str]]:
    counting: dict[str, list[Member]] = {path: [] for path in sorted(paths)}
    for member in members:
        if member.is_regular and member.timestamp <= cutoff and member.target in counting:
            counting[member.target].append(member)
    chosen, reasons = {}, {}
    for path, candidates in counting.items():
        eligible = [member for member in candidates if member.is_safe]
        if eligible:
            chosen[path] = min(eligible, key=lambda one: (-one.timestamp, one.archive.name, -one.place))
        else:
            reasons[path] = "unsafe_member" if candidates else "no_eligible_version"
    return chosen, reasons


def restore(chosen: dict[str, Member], folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for archive in {member.archive for member in chosen.values()}:
        wanted = [member for member in chosen.values() if member.archive == archive]
        for member, content in read_contents(archive, wanted):
            file = folder / member.target
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def plan_row(path: str, member: Member) -> list[str]:
    moment = datetime.fromtimestamp(member.timestamp, UTC)
    return [path, member.archive.name, member.name, f"{moment:%Y-%m-%dT%H:%M:%SZ}", str(member.size)]


def write_csv(path: Path, fields: list[str], rows: Iterable[Iterable[str]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(fields)
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    request = json.loads((args.inputs / "restore_request.json").read_text(encoding="utf-8"))
    cutoff = int(datetime.fromisoformat(request["cutoff"]).timestamp())
    members = [member for path in find_archives(args.inputs) for member in list_members(path)]
    chosen, reasons = decide(request["paths"], members, cutoff)
    restore(chosen, args.output / "restored")
    write_csv(args.output / "restore_plan.csv", PLAN_FIELDS, [plan_row(*item) for item in chosen.items()])
    write_csv(args.output / "warnings.csv", WARNING_FIELDS, reasons.items())


if __name__ == "__main__":
    main()
