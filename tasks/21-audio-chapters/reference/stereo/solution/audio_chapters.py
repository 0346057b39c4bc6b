"""Trims a recording, cuts it into chapters at silences and sorts its transcript into them."""

import argparse
import csv
import json
import re
import wave
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from operator import and_
from pathlib import Path
from typing import Any

type Span = tuple[int, int]  # first frame, and the one after the last


@dataclass(frozen=True)
class Constraints:
    """The chapter constraints of one recording; durations in frames."""

    silence_below: int
    minimum_silence: Fraction
    earliest_cut: Fraction
    target_cut: Fraction
    latest_cut: Fraction


@dataclass(frozen=True)
class Utterance:
    """One row of the transcript; seconds in the retained audio, clipped to it."""

    speaker: str
    start: Fraction
    end: Fraction
    text: str


def main() -> None:
    """Parse the command line and write the four outputs."""
    parser = argparse.ArgumentParser(description="Cleans an interview and cuts it into chapters.")
    parser.add_argument("recording", type=Path)
    parser.add_argument("transcript", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()

    with wave.open(str(args.recording), "rb") as recording:
        params = recording.getparams()
        data = recording.readframes(params.nframes)
    rate, width = params.framerate, params.sampwidth * params.nchannels
    constraints = read_constraints(args.recording.with_suffix(".constraints.json"), rate)
    silences = find_silences(quiet_frames(data, params.nchannels, constraints), constraints)
    start, end = retained_span(len(data) // width, silences)
    inner = [(first - start, after - start) for first, after in silences if start < first and after < end]
    bounds = cut_chapters(end - start, inner, constraints) if end > start else [0]
    spoken = read_transcript(args.transcript, Fraction(start, rate), Fraction(end - start, rate))

    folder = args.output / args.recording.stem
    chapters = folder / "chapters"
    chapters.mkdir(parents=True, exist_ok=True)
    for old in chapters.glob("*.wav"):
        old.unlink()
    kept = data[start * width : end * width]
    write_wav(folder / "clean.wav", params, kept)
    for number, (first, after) in enumerate(pairwise(bounds), 1):
        write_wav(chapters / f"{number:02}.wav", params, kept[first * width : after * width])
    document = describe(bounds, rate, spoken)
    text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    (folder / "chapters.json").write_text(text, encoding="utf-8", newline="")
    write_speaking_time(folder / "speaker_time.csv", spoken)


def read_constraints(path: Path, rate: int) -> Constraints:
    """Read the constraints and turn milliseconds into frames."""
    values = json.loads(path.read_text(encoding="utf-8"))

    def frames(name: str) -> Fraction:
        return Fraction(values[name] * rate, 1000)

    return Constraints(
        silence_below=values["silence_below"],
        minimum_silence=frames("minimum_silence_ms"),
        earliest_cut=frames("earliest_cut_ms"),
        target_cut=frames("target_cut_ms"),
        latest_cut=frames("latest_cut_ms"),
    )


def quiet_frames(data: bytes, channels: int, constraints: Constraints) -> bytes:
    """One byte a frame: 1 where it is quiet, in both channels if there are two."""
    samples = array("h", data)
    quiet = bytes(abs(sample) < constraints.silence_below for sample in samples)
    return quiet if channels == 1 else bytes(map(and_, quiet[0::2], quiet[1::2]))


def find_silences(quiet: bytes, constraints: Constraints) -> list[Span]:
    """Runs of quiet frames that are long enough."""
    runs = [found.span() for found in re.finditer(rb"\x01+", quiet)]
    return [(first, after) for first, after in runs if after - first >= constraints.minimum_silence]


def retained_span(frames: int, silences: Sequence[Span]) -> Span:
    """What is left without the silence at the beginning and at the end."""
    if silences == [(0, frames)]:
        return 0, 0
    start, end = 0, frames
    if silences and silences[0][0] == 0:
        start = silences[0][1]
    if silences and silences[-1][1] == frames:
        end = silences[-1][0]
    return start, end


def cut_chapters(frames: int, silences: Sequence[Span], constraints: Constraints) -> list[int]:
    """Boundaries of the chapters, from 0 to the end."""
    bounds = [0]
    while frames - bounds[-1] > constraints.latest_cut:
        bounds.append(next_cut(bounds[-1], silences, constraints))
    return [*bounds, frames]


def next_cut(start: int, silences: Sequence[Span], constraints: Constraints) -> int:
    """Where the chapter that begins at `start` ends."""
    earliest, latest = start + constraints.earliest_cut, start + constraints.latest_cut
    target = start + constraints.target_cut
    midpoints = [Fraction(first + after, 2) for first, after in silences]
    candidates = [midpoint for midpoint in midpoints if earliest <= midpoint <= latest]
    if not candidates:
        return int(latest)
    return int(min(candidates, key=lambda midpoint: (abs(midpoint - target), midpoint)))


def read_transcript(path: Path, removed: Fraction, duration: Fraction) -> list[Utterance]:
    """The rows in order, shifted and clipped."""

    def shifted(seconds: str) -> Fraction:
        return min(max(Fraction(seconds) - removed, Fraction(0)), duration)

    with path.open(encoding="utf-8", newline="") as file:
        return [
            Utterance(row["speaker"], shifted(row["start_seconds"]), shifted(row["end_seconds"]), row["text"])
            for row in csv.DictReader(file)
        ]


def describe(bounds: Sequence[int], rate: int, spoken: Sequence[Utterance]) -> dict[str, Any]:
    """The document of chapters.json."""
    chapters: list[dict[str, Any]] = []
    for number, (first, after) in enumerate(pairwise(bounds), 1):
        start, end = Fraction(first, rate), Fraction(after, rate)
        chapters.append(
            {
                "number": number,
                "file": f"chapters/{number:02}.wav",
                "start_seconds": shown(start),
                "end_seconds": shown(end),
                "utterances": segments(spoken, start, end),
            }
        )
    return {"duration_seconds": shown(Fraction(bounds[-1], rate)), "chapters": chapters}


def segments(spoken: Sequence[Utterance], start: Fraction, end: Fraction) -> list[dict[str, str]]:
    """What is said between two times, in the order of the transcript."""
    found: list[dict[str, str]] = []
    for one in spoken:
        begins, ends = max(one.start, start), min(one.end, end)
        if begins < ends:
            found.append(
                {
                    "speaker": one.speaker,
                    "start_seconds": shown(begins),
                    "end_seconds": shown(ends),
                    "text": one.text,
                }
            )
    return found


def shown(seconds: Fraction) -> str:
    """Three decimals, halves up."""
    thousandths = int(seconds * 1000 + Fraction(1, 2))
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def write_wav(path: Path, params: Any, data: bytes) -> None:
    """Write frames as they are."""
    with wave.open(str(path), "wb") as file:
        file.setparams(params)
        file.writeframes(data)


def write_speaking_time(path: Path, spoken: Sequence[Utterance]) -> None:
    """Sum the clipped durations of each speaker."""
    totals: dict[str, Fraction] = {}
    for one in spoken:
        totals[one.speaker] = totals.get(one.speaker, Fraction(0)) + one.end - one.start
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["speaker", "duration_seconds"])
        writer.writerows([speaker, shown(totals[speaker])] for speaker in sorted(totals))


if __name__ == "__main__":
    main()
