"""Generated files of task 18: a collection of notes, and what is added to it, edited and deleted later."""

import random
import sys
from collections.abc import Iterable
from itertools import accumulate, chain, count, product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Note = tuple[str, str]
"""Title and body."""

STOPWORDS = "the\nof\n\nAnd\nto\nｏｎ\nFür\ne.g.\nOÙ\ndéjà\nété\n"


def some(stem: str, first: int, last: int) -> str:
    """Words with the letters of a number: overlaps of such sets can be counted."""
    words = (f"{stem}{chr(97 + number // 20)}{chr(97 + number % 20)}" for number in range(first, last + 1))
    return " ".join(words) + "\n"


ANCHORS: dict[str, Note] = {
    # Counts 1, 3, 2 and 5; a title alone is counted in df.
    "ranking/body-once.md": ("Distant light", "One quasar.\n"),
    "ranking/body-thrice.md": ("Bright nucleus", "Quasar, quasar; QUASAR!\n"),
    "ranking/title-only.md": ("Quasar", "An unrelated body.\n"),
    "ranking/title-and-body.md": ("Quasar by quasar", "A quasar.\n"),
    "ranking/rare-once.md": ("Rare", "perihelion\n"),  # once, but rarer
    # One rule of tokens each; the second of a pair must not be found.
    "tokens/fullwidth.md": ("Wide", "ＮＥＢＵＬＡ\n"),
    "tokens/square.md": ("Storage", "512 ㎇\n"),  # NFKC first, then casefold
    "tokens/sharp.md": ("Roads", "STRASSE\n"),
    "tokens/sigma.md": ("Myth", "ΣΊΣΥΦΟΣ\n"),
    "tokens/underscore.md": ("Names", "pulsar_wind\n"),
    "tokens/plural.md": ("Names", "pulsars\n"),
    "tokens/digits.md": ("Water", "h2o\n"),
    "tokens/digits-apart.md": ("Water", "h 2 o\n"),
    "tokens/accent.md": ("Break", "café\n"),
    "tokens/no-accent.md": ("Break", "cafe\n"),
    "tokens/hyphen.md": ("Burst", "burst-mode\n"),
    "tokens/mark.md": ("City", "İzmir\n"),  # i, a combining dot, zmir
    "tokens/marks.md": ("Letter", "\u03b0\n"),  # υ and two combining marks, which a second NFKC joins
    "tokens/script.md": ("研究", "本文\n"),
    "tokens/script-longer.md": ("研究所", "本文\n"),
    "tokens/stop-words.md": ("The für", "The déjà on, e. g., and für\n"),
    # Form of a note.
    "form/blank-lines.md": ("Gaps", "\n\nmeteor\n\n\nmeteor\n"),
    "form/colon.md": ("Part 2: comet", "Rules\n"),
    "form/separator.md": ("Left\u2028bolide", "Rules\n"),
    "form/return.md": ("Left\rfireball", "Rules\n"),
    "form/decoy.md": ("Real", "Tags: x\nTitle: asteroid\n\nTags: y\n"),
    "form/.hidden.md": ("Hidden", "eclipse\n"),
    "form/.md": ("Just a suffix", "eclipse\n"),
    "form/.er/note.md": ("Hidden folder", "eclipse\n"),
    "zenith.md": ("At the top", "zenith\n"),
    # Equal scores: whole paths by code point, neither part by part nor without case.
    "ties/a/note.md": ("Tie", "equinox\n"),
    "ties/a.md": ("Tie", "equinox\n" + some("tie", 1, 30)),
    "ties/a-b/note.md": ("Tie", "equinox\n" + some("tied", 1, 30)),
    "ties/Z.md": ("Tie", "equinox\n" + some("tying", 1, 30)),
    # Equal only when rounded: the second has a little more.
    "ties/rounded-1.md": ("Near", "ebb " * 1999 + "flow " * 2001),
    "ties/rounded-2.md": ("Near", "flow ebb " * 2000),
    # No update touches these.
    "steady/one.md": ("Solstice", "solstice tide\n"),
    "steady/two.md": ("June", "solstice solstice\n"),
    "steady/three.md": ("Low", "tide tide tide\n"),
    # 23 of 25 is 0.92; 34 of 37 rounds to it. Counting stop words would turn both.
    "similar/at-1.md": ("One", "the " + some("at", 1, 24)),
    "similar/at-2.md": ("Two", some("at", 2, 25)),
    "similar/below-1.md": ("Same", "The of and to. " + some("below", 1, 35)),
    "similar/below-2.md": ("Same", "The of and to. " + some("below", 2, 37)),
    "similar/bag-1.md": ("Bag", some("bag", 1, 9) + some("bag", 10, 20) * 4),
    "similar/bag-2.md": ("Shuffled", some("bag", 10, 20) + "- " + some("bag", 1, 9).upper() * 2),
    "similar/chain-1.md": ("Chain", some("chain", 1, 25)),
    "similar/chain-2.md": ("Chain", some("chain", 3, 27)),  # similar to the third only
    "similar/chain-3.md": ("Chain", some("chain", 2, 26)),
    "similar/split-1.md": ("Split", some("split", 1, 25)),
    "similar/split-2.md": ("Split", some("split", 2, 26)),
    "similar/split-3.md": ("Split", some("split", 3, 27)),
    "similar/left-1.md": ("Left", some("bridge", 1, 25)),
    "similar/left-2.md": ("Left", some("bridge", 1, 25)),
    "similar/right-1.md": ("Right", some("bridge", 3, 27)),
    "similar/right-2.md": ("Right", some("bridge", 3, 27)),
    "paths/p/note.md": ("P", some("path", 1, 12)),
    "paths/p-q/note.md": ("P", some("path", 1, 12)),
    "paths/p-r/note.md": ("P", some("path", 1, 12)),
    "paths/r.md": ("R", some("quote", 1, 12)),
    "paths/S, quoted.md": ("S", some("quote", 1, 12)),
    # No tokens: only equal texts are similar.
    "blank/stop-1.md": ("Stop", "— The of. —\n"),
    "blank/stop-2.md": ("Stop", "— THE OF. —\n"),
    "blank/stop-3.md": ("Stop", "— The  of. —\n"),
    "blank/end-1.md": ("End", "— to. —\n"),
    "blank/end-2.md": ("End", "— to. —"),
    "blank/end-3.md": ("End", "\n— to. —\n"),
    "blank/end-4.md": ("End", "— to.\n—\n"),
    "blank/end-5.md": ("End", "— to. —\r\n"),
    "blank/empty-1.md": ("Empty", ""),
    "blank/empty-2.md": ("Empty", ""),
    "blank/marks.md": ("Marks", "***\n"),
    "gone/only.md": ("Vanishing", "vanishing point\n"),
    " gone/in blanks\u2028.md": ("Vanishing", "vanishing line\n"),
}
TAGGED = ("ranking/tags-only.md", "Tagged", "Nothing\n")

NEW: dict[str, Note] = {
    "ranking/body-once.md": ("Distant light", "Quasar quasar.\n"),  # 2, not 3
    "ranking/body-thrice.md": ("Bright nucleus", "No longer.\n"),
    "ranking/title-only.md": ("Gone and back", "quasar, " * 7 + "\n"),  # also listed as deleted
    "tokens/plural.md": ("Pulsar names", "pulsars\n"),  # nothing but a title
    "incoming/quasar.md": ("A new quasar", "Perihelion; déjà e.g.\n"),
    "incoming/deep/.er/note.md": ("Deep", "zenith\n"),
    "ties/B.md": ("Tie", "equinox\n" + some("tier", 1, 30)),
    "similar/at-2.md": ("Two", some("apart", 1, 24)),
    "similar/below-2.md": ("Same", some("below", 2, 36)),
    "similar/bag-0.md": ("Bag", some("bag", 1, 20)),
    "similar/bridge.md": ("Bridge", some("bridge", 2, 26)),
    "blank/stop-0.md": ("Stop", "— the of. —\n"),
}
DELETED = (
    """ranking/title-only.md ties/a.md similar/split-2.md similar/chain-1.md
    paths/p-q/note.md gone/only.md gone/never-there.md""".split()
    + [" gone/in blanks\u2028.md"]
)

EDGE: dict[str, Note] = {
    "unicode/composed.md": ("Composed", "Où, déjà? Été.\n"),
    "unicode/decomposed.md": ("Decomposed", "Ou\u0300, de\u0301ja\u0300? E\u0301te\u0301.\n"),
    "unicode/full-width.md": ("Full width", "Ｏù, déjà？ Été.\n"),
    "unicode/other.md": ("Other", "Été, déjà? Où.\n"),
}

COMMON = "signal archive method sample données größe наука observation result".split()
LITTLE = "the of and to".split()
FRONT = "astro bio chrono cryo geo helio hydro iono litho macro magneto meta micro neuro photo radio seismo"
MIDDLE = "cline dyne fract gen graph lumin metr morph phas phor scop son spect spher stat therm trop vect"
BACK = "al ate ation er ic ical ics ide ine ing ion ism ist ity ium ness or ous"
COINED = list(map("".join, product(FRONT.split(), MIDDLE.split(), MIDDLE.split(), BACK.split())))
RARE = [COINED[index * 20011 % len(COINED)] for index in range(len(COINED))]
WORDS = COMMON + LITTLE + RARE
CUMULATIVE = list(accumulate(1 / (rank + 12) for rank in range(len(WORDS))))
DECOR = [("", "."), ("- ", ""), ("", ";"), ("## ", ""), ("> ", "!"), ("1. ", ",")]


def filler(rng: random.Random, size: int, earlier: list[list[str]]) -> list[list[str]]:
    """The words of `size` bodies; one in six is an earlier one with some words exchanged."""
    bodies: list[list[str]] = []
    for _ in range(size):
        pool = bodies or earlier
        if pool and rng.random() < 1 / 6:
            words = list(rng.choice([*pool[-40:], *earlier[:40]]))
            for _ in range(rng.randrange(18)):
                words[rng.randrange(len(words))] = rng.choice(RARE)
        else:
            words = rng.choices(WORDS, cum_weights=CUMULATIVE, k=rng.randint(135, 260))
        bodies.append(words)
    return bodies


def laid_out(words: list[str]) -> Note:
    """A title and a Markdown body of some lines."""
    lines = [" ".join(words[start : start + 13]).capitalize() for start in range(0, len(words), 13)]
    decorated = (DECOR[index % 6][0] + line + DECOR[index % 6][1] for index, line in enumerate(lines))
    return " ".join(words[3:8]), "\n".join(decorated) + "\n"


def name(index: int) -> str:
    return f"archive/section-{index % 37:02}/note-{index:05}.md"


def first_bodies(build: seeding.Build) -> list[list[str]]:
    """Filler of the first stage, for either stage."""
    return filler(build.rng_of("initial"), build.size(full=8000, small=110) - len(ANCHORS) - 1, [])


def write_notes(folder: Path, notes: Iterable[tuple[str, Note]], tags: str = "optics, field work") -> None:
    for number, (path, (title, body)) in enumerate(notes):
        created = f"20{10 + number % 15}-{1 + number % 12:02}-{1 + number % 28:02}"
        fixtures.write_text(folder / path, f"Title: {title}\nTags: {tags}\nCreated: {created}\n\n{body}")


def write_initial(build: seeding.Build) -> None:
    """Write notes and stop words, with files beside them that are no notes."""
    folder, edge = build.out / "inputs/notes", build.fixture == "edge"
    fixtures.write_text(build.out / "inputs/stopwords.txt", STOPWORDS)
    write_notes(folder, EDGE.items() if edge else ANCHORS.items())
    if not edge:
        write_notes(folder, [(TAGGED[0], TAGGED[1:])], tags="quasar")
        write_notes(folder, [("form/upper.MD", ("Quasar", "")), ("form/quasar.md.txt", ("Quasar", ""))])
        write_notes(folder, zip(map(name, count()), map(laid_out, first_bodies(build)), strict=False))


def write_update(build: seeding.Build) -> None:
    """Write new and edited notes, and the list of deleted ones."""
    folder, edge = build.out / "inputs/notes-new", build.fixture == "edge"
    notes, deleted = (dict(EDGE), [*EDGE]) if edge else (dict(NEW), [*DELETED])
    if not edge:
        earlier = first_bodies(build)
        edited = build.rng.sample(range(len(earlier)), build.size(full=150, small=6))
        bodies = filler(build.rng, build.size(full=600, small=26) - len(NEW), earlier)
        indexes = chain(edited, count(len(earlier)))
        notes |= zip(map(name, indexes), map(laid_out, bodies), strict=False)
        others = [index for index in range(len(earlier)) if index not in edited]
        deleted[2:2] = map(name, build.rng.sample(others, build.size(full=90, small=4)))
    write_notes(folder, notes.items())
    fixtures.write_text(folder / "incoming/read-me.txt", "Not a note\n")
    fixtures.write_lines(build.out / "inputs/deleted.txt", deleted)


if __name__ == "__main__":
    seeding.main(18, {"initial": write_initial, "update": write_update})
