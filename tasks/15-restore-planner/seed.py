"""Generated files of task 15: three snapshots of one home folder, and what is to be restored from them."""

import io
import stat
import sys
import tarfile
import warnings
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

TAR, ZIP, GZ = "snapshot-01.tar", "snapshot-02.zip", "snapshot-03.tar.gz"
CUTOFF = "2025-05-01T12:00:00"


class Member(NamedTuple):
    """A member of a snapshot; `time` is UTC in 2025, without the year."""

    archive: str
    name: str
    time: str
    kind: str = "file"
    content: bytes | None = None


# The members of one archive stand in it in the order given here, with filler between them.
ANCHORS = [
    Member(TAR, "config/app.ini", "04-28T06:00:00"),  # newest in the first archive
    Member(ZIP, "config/app.ini", "04-18T06:00:00"),
    Member(GZ, "config/app.ini", "04-11T06:00:00"),
    Member(TAR, "docs/report.txt", "04-01T08:00:00"),
    Member(ZIP, "docs/report.txt", "04-20T16:45:40"),
    Member(GZ, "docs/report.txt", "05-02T07:00:00"),  # too late
    Member(TAR, "docs-old/report.txt", "03-20T09:30:00"),  # sorts before docs/
    Member(GZ, "Zeta.txt", "04-12T10:00:00"),  # sorts before every small letter
    Member(GZ, "old/expired.txt", "05-01T12:00:01"),  # nothing but a late version
    Member(TAR, "cutoff/exact.txt", "04-20T12:00:00"),
    Member(GZ, "cutoff/exact.txt", "05-01T12:00:00"),
    Member(TAR, "cutoff/next-second.txt", "04-20T12:00:00"),
    Member(GZ, "cutoff/next-second.txt", "05-01T12:00:01"),
    Member(TAR, "cutoff/fraction.txt", "04-20T12:00:00"),
    Member(GZ, "cutoff/fraction.txt", "05-01T12:00:00.750000"),  # its fraction is dropped
    Member(ZIP, "tie/two.txt", "04-25T10:00:00"),
    Member(GZ, "tie/two.txt", "04-25T10:00:00"),
    Member(TAR, "tie/tar-and-zip.txt", "04-25T10:00:02"),
    Member(ZIP, "tie/tar-and-zip.txt", "04-25T10:00:02"),
    Member(TAR, "tie/fraction.txt", "04-25T10:00:04"),
    Member(GZ, "tie/fraction.txt", "04-25T10:00:04.250000"),  # equal without its fraction
    Member(TAR, "twice/newer-first.txt", "04-22T08:00:00", content=b"newer\n"),
    Member(TAR, "twice/newer-first.txt", "04-21T08:00:00", content=b"older, but later\n"),
    Member(TAR, "twice/same-time.txt", "04-22T08:00:00", content=b"first\n"),
    Member(TAR, "twice/same-time.txt", "04-22T08:00:00", content=b"appended later\n"),
    Member(ZIP, "twice/zip-newer-first.txt", "04-22T08:00:00", content=b"newer\n"),
    Member(ZIP, "twice/zip-newer-first.txt", "04-21T08:00:00", content=b"older, but later\n"),
    Member(ZIP, "twice/zip-same-time.txt", "04-22T08:00:00", content=b"first\n"),
    Member(ZIP, "twice/zip-same-time.txt", "04-22T08:00:00", content=b"appended later\n"),
    Member(TAR, "./twice/spelling.txt", "04-22T08:00:00", content=b"first\n"),
    Member(TAR, "twice/spelling.txt", "04-22T08:00:00", content=b"appended later\n"),
    Member(ZIP, "twice/respelt.txt", "04-22T08:00:00", content=b"first\n"),
    Member(ZIP, "./twice/respelt.txt", "04-22T08:00:00", content=b"appended later\n"),
    Member(TAR, "links/soft.csv", "04-02T09:30:00"),
    Member(GZ, "links/soft.csv", "05-01T11:30:00", "symlink"),
    Member(TAR, "links/hard.txt", "04-03T09:30:00"),
    Member(GZ, "links/hard.txt", "04-30T09:30:00", "hardlink"),
    Member(TAR, "links/in-zip.txt", "04-04T09:30:00"),
    Member(ZIP, "links/in-zip.txt", "04-29T09:30:00", "symlink"),
    Member(TAR, "folders/in-zip", "04-05T09:30:00"),
    Member(ZIP, "folders/in-zip/", "04-29T09:30:00", "folder"),
    Member(ZIP, "folders/in-tar", "04-06T09:30:00"),
    Member(GZ, "folders/in-tar", "04-29T09:30:00", "folder"),
    Member(GZ, "pipes/queue", "04-29T09:30:00", "fifo"),
    Member(TAR, "pipes/in-zip", "04-05T09:30:00"),
    Member(ZIP, "pipes/in-zip", "04-29T09:30:00", "fifo"),
    Member(TAR, "folders/without-slash", "04-05T09:30:00"),
    Member(ZIP, "folders/without-slash", "04-29T09:30:00", "folder by mode"),
    Member(TAR, "dos/link.txt", "04-05T09:30:00"),
    Member(ZIP, "dos/link.txt", "04-29T09:30:00", "dos symlink"),
    Member(GZ, "old/tar.txt", "04-29T09:30:00", "old file"),
    Member(TAR, "old/folder", "04-05T09:30:00"),
    Member(GZ, "old/folder/", "04-29T09:30:00", "old file", b""),
    *(
        Member(GZ, name, "04-01T09:30:00")
        for name in ("pipes/in-zip", "folders/without-slash", "dos/link.txt")
    ),
    *(Member(GZ, name, "04-01T09:30:00") for name in ("twice/spelling.txt", "twice/respelt.txt")),
    Member(ZIP, "dos/plain.txt", "04-14T18:00:58", "dos"),  # no Unix file type
    Member(TAR, "notes/dot.txt", "04-07T09:30:00"),
    Member(GZ, "./notes/dot.txt", "04-30T09:30:00"),
    Member(TAR, "notes/double.txt", "04-07T09:30:00"),
    Member(ZIP, "notes//double.txt", "04-28T09:30:00"),
    Member(TAR, "notes/./inner.txt", "04-28T09:30:00"),
    Member(ZIP, "notes/inner.txt", "04-07T09:30:00"),
    Member(GZ, "notes/inner.txt", "04-06T09:30:00"),
    Member(TAR, "case/readme.md", "04-07T09:30:00"),
    Member(GZ, "case/README.md", "04-30T09:30:00"),  # another file
    Member(TAR, "unicode/caf\u00e9.txt", "04-07T09:30:00"),
    Member(GZ, "unicode/cafe\u0301.txt", "04-30T09:30:00"),  # decomposed: another file
    Member(TAR, "site/index.html", "04-07T09:30:00"),
    Member(GZ, "backup/site/index.html", "04-30T09:30:00"),  # ends alike
    Member(GZ, "site/index.html.bak", "04-30T10:00:00"),  # begins alike
    Member(TAR, "win\\dir\\file.txt", "04-07T09:30:00"),  # backslashes are characters
    Member(ZIP, "win/dir/file.txt", "04-28T09:30:00"),
    Member(TAR, "..\\up.txt", "04-07T09:30:00"),
    Member(ZIP, "C:/colon.txt", "04-07T09:30:00"),
    Member(GZ, "dots/.../three.txt", "04-10T09:30:00"),
    Member(GZ, "..hidden/notes..txt", "04-10T09:30:00"),  # dots within names are harmless
    Member(TAR, "..hidden/notes..txt", "04-08T09:30:00"),
    Member(GZ, "spaces/ padded .txt", "04-10T09:30:00"),
    Member(ZIP, 'letters/"Smith, J".txt', "04-10T09:30:00"),
    Member(ZIP, "empty/nothing.txt", "04-10T09:30:00", content=b""),
    Member(GZ, "images/logo.bin", "04-30T23:59:58", content=b"\x00\xff\r\n\x1a\x80\n\x00"),
    Member(ZIP, "text/crlf.txt", "04-29T23:59:58", content=b"one\r\ntwo\r\n\xef\xbb\xbf"),
]
MISSING = ["missing/not-there.txt", "missing-too/not-there.txt", "Missing.txt"]
NOT_REQUESTED = {"case/README.md", "unicode/cafe\u0301.txt", "win/dir/file.txt"}
NOT_REQUESTED |= {"backup/site/index.html", "site/index.html.bak"}
DECOY = "config/app.ini"
DECOYS = [
    "snapshot-04.tar.old",
    "snapshot-05.tgz",
    "snapshot-06.gz",
    "snapshot-07.TAR",
    "old/snapshot-00.tar",
]

EDGE = [
    Member(TAR, "../requested.txt", "04-01T08:00:00"),
    Member(ZIP, "/srv/absolute.txt", "04-01T08:00:00"),
    Member(TAR, "/srv/in-tar.txt", "04-01T08:00:00"),
    Member(GZ, "kept/../inner.txt", "04-01T08:00:00"),
    Member(TAR, "kept/older.txt", "04-01T08:00:00"),
    Member(ZIP, "../kept/older.txt", "04-20T08:00:00"),  # newer, but unsafe
    Member(ZIP, "../late.txt", "05-02T08:00:00"),
    Member(GZ, "../link.txt", "04-01T08:00:00", "symlink"),
]

FOLDERS = ["photos/2024", "projects/alpha/src", "mail/archive", "music", "Scans"]
SUFFIXES = [".jpg", ".txt", ".dat", ".md"]
TAR_TYPES = {"symlink": tarfile.SYMTYPE, "hardlink": tarfile.LNKTYPE, "folder": tarfile.DIRTYPE}
TAR_TYPES |= {"fifo": tarfile.FIFOTYPE, "old file": tarfile.AREGTYPE}
ZIP_MODES = {"file": stat.S_IFREG | 0o640, "symlink": stat.S_IFLNK | 0o777, "dos symlink": stat.S_IFLNK}
ZIP_MODES |= {"fifo": stat.S_IFIFO | 0o640, "folder by mode": stat.S_IFDIR | 0o755}


def write_initial(build: seeding.Build) -> None:
    """Write the three snapshots and the request; main and twin also have files that are no snapshots."""
    edge, inputs = build.fixture == "edge", build.out / "inputs"
    members, paths = (EDGE, sorted({target(one) for one in EDGE})) if edge else home(build)
    write_zip(inputs / ZIP, [one for one in members if one.archive == ZIP])
    for name in (TAR, GZ):
        fixtures.write_tar(inputs / name, [tar_member(one) for one in members if one.archive == name])
    if not edge:
        newer = tar_member(Member(TAR, DECOY, "04-30T06:00:00"))
        for name in DECOYS:
            fixtures.write_tar(inputs / name, [newer])
        fixtures.write_text(
            inputs / "README.txt", "Snapshots of the home folder. Older ones are on disk 2.\n"
        )
    build.rng.shuffle(paths)
    fixtures.write_json(inputs / "restore_request.json", {"cutoff": f"{CUTOFF}Z", "paths": paths})


def target(member: Member) -> str:
    return "/".join(part for part in member.name.split("/") if part not in ("", ".", ".."))


def home(build: seeding.Build) -> tuple[list[Member], list[str]]:
    """Anchors in their order with filler strewn between them, and the requested paths."""
    rng, largest = build.rng, build.size(full=12_000, small=300)
    members, paths = list(ANCHORS), MISSING + sorted({target(one) for one in ANCHORS} - NOT_REQUESTED)
    for number in range(build.size(full=320, small=24)):
        name = f"{rng.choice(FOLDERS)}/{number:04}{rng.choice(SUFFIXES)}"
        if number % 2:
            paths.append(name)
        for archive in rng.sample([TAR, ZIP, GZ], rng.randint(1, 3)):
            time = datetime(2025, 3, 1) + timedelta(seconds=2 * rng.randrange(31 * 86_400))
            one = Member(
                archive, name, f"{time:%m-%dT%H:%M:%S}", content=rng.randbytes(rng.randrange(largest))
            )
            members.insert(rng.randint(0, len(members)), one)
    return members, paths


def content(member: Member) -> bytes:
    if member.kind == "symlink":
        return b"../config/app.ini"
    if member.kind in ("hardlink", "folder", "fifo"):
        return b""
    text = f"{member.name} as of {member.time} in {member.archive}\n"
    return text.encode() if member.content is None else member.content


def tar_member(member: Member) -> tuple[tarfile.TarInfo, bytes]:
    """A tar entry; links have no content there."""
    info = fixtures.tar_member(member.name)
    moment = datetime.fromisoformat(f"2025-{member.time}").replace(tzinfo=UTC)
    info.mtime = moment.timestamp() if moment.microsecond else int(moment.timestamp())
    info.type = TAR_TYPES.get(member.kind, tarfile.REGTYPE)
    info.linkname = "config/app.ini" if member.kind.endswith("link") else ""
    return info, b"" if info.linkname else content(member)


def write_zip(path: Path, members: list[Member]) -> None:
    """Write a ZIP with times, kinds and repeated names; every third member is stored uncompressed."""
    warnings.filterwarnings("ignore", "Duplicate name")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for index, member in enumerate(members):
            info = zipfile.ZipInfo(member.name, datetime.fromisoformat(f"2025-{member.time}").timetuple()[:6])
            mode = ZIP_MODES.get(member.kind, 0)
            info.create_system = 3 if mode and member.kind != "dos symlink" else 0
            info.external_attr = mode << 16 if mode else 0x20
            info.compress_type = zipfile.ZIP_DEFLATED if index % 3 else zipfile.ZIP_STORED
            archive.writestr(info, content(member))
    fixtures.write_bytes(path, buffer.getvalue())


if __name__ == "__main__":
    seeding.main(15, {"initial": write_initial})
