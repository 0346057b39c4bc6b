"""Judges task 21: trimmed audio, chapters, the transcript in them and speaking times, mono and stereo."""

import io
import re
import sys
import wave
from array import array
from dataclasses import dataclass
from fractions import Fraction
from itertools import batched, pairwise
from math import ceil, floor, inf
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, fixtures, judging
from benchlib.candidate import Fixture, Workspace

MONO, STEREO = ("interview", "inputs/transcript.csv"), ("interview_stereo", "inputs/interview_stereo.csv")
OUTPUTS = {"clean.wav", "chapters", "chapters.json", "speaker_time.csv"}
OTHER = "output/other_talk/chapters"
NEAR_SECONDS = 2.0
# Elsewhere: keys in another order, more than ten chapters, and no pause is long enough.
CONSTRAINTS = {
    "latest_cut_ms": 20_011,
    "target_cut_ms": 15_000,
    "earliest_cut_ms": 10_000,
    "minimum_silence_ms": 900,
    "silence_below": 640,
}

type Wav = tuple[tuple[int, int, int], bytes]  # channels, bytes a sample, rate; and the frames


@dataclass
class Result:
    """The outputs of one recording, as expected or as found; `audio` holds clean.wav, then the chapters."""

    audio: dict[str, Wav]
    document: Any
    times: list[dict[str, str]]
    workspace: Any = None


def expect(fixture: Fixture) -> Result:
    """Calculate the outputs of the mono interview; its chapters must be those that the seed has painted."""
    expected = of_inputs(fixture, *MONO)
    if list(seconds_by_name(expected).values())[2:5] != [480, 720, 720]:
        raise judging.JudgeError("the last chapters do not take 480, 720 and 720 seconds")
    return expected


def of_inputs(fixture: Fixture, recording: str, transcript: str) -> Result:
    """The right outputs for one recording of the fixture."""
    limits = fixture.json(f"inputs/{recording}.constraints.json")
    return calculate(fixture.file(f"inputs/{recording}.wav").read_bytes(), limits, fixture.csv(transcript))


def calculate(recording: bytes, limits: dict[str, int], transcript: list[dict[str, str]]) -> Result:
    """The right outputs for one recording."""
    shape, data = read_wav(recording)
    (channels, width, rate), below = shape, limits["silence_below"]
    names = ("minimum_silence_ms", "earliest_cut_ms", "target_cut_ms", "latest_cut_ms")
    least, earliest, target, latest = (Fraction(limits[name] * rate, 1000) for name in names)
    quiet = bytes(-below < sample < below for sample in array("h", data))
    frames = bytes(map(all, batched(quiet, 2))) if channels == 2 else quiet
    silences = [found.span() for found in re.finditer(b"\1{%d,}" % ceil(least), frames)]
    begin = next((end for start, end in silences if start == 0), 0)
    stop = next((start for start, end in silences if end == len(frames)), len(frames))
    bounds = [begin]
    while stop - bounds[-1] > latest:
        midpoints = [Fraction(start + end, 2) - bounds[-1] for start, end in silences]
        allowed = [midpoint for midpoint in midpoints if earliest <= midpoint <= latest]
        cut = min(allowed, key=lambda midpoint: (abs(midpoint - target), midpoint), default=latest)
        bounds.append(bounds[-1] + floor(cut))
    lead, duration, size = Fraction(begin, rate), Fraction(stop - begin, rate), channels * width
    audio = {"clean.wav": (shape, data[begin * size : stop * size])}
    chapters, spoken = list[Any](), list[Any]()
    for row in transcript:
        moved = [Fraction(row[name]) - lead for name in ("start_seconds", "end_seconds")]
        spoken.append((row, *(min(max(second, Fraction(0)), duration) for second in moved)))
    for number, (first, after) in enumerate(pairwise([*bounds, stop]), 1):
        audio[file := f"chapters/{number:02}.wav"] = (shape, data[first * size : after * size])
        start, end = Fraction(first, rate) - lead, Fraction(after, rate) - lead
        segments = [
            {"speaker": row["speaker"], "text": row["text"]} | times(since, until)
            for row, says, ends in spoken
            if (since := max(says, start)) < (until := min(ends, end))
        ]
        chapters.append({"number": number, "file": file, "utterances": segments} | times(start, end))
    totals: dict[str, Fraction] = {}
    for row, says, ends in spoken:
        totals[row["speaker"]] = totals.get(row["speaker"], Fraction(0)) + ends - says
    talked = [{"speaker": name, "duration_seconds": shown(totals[name])} for name in sorted(totals)]
    return Result(audio, {"duration_seconds": shown(duration), "chapters": chapters}, talked)


def times(start: Fraction, end: Fraction) -> dict[str, str]:
    return {"start_seconds": shown(start), "end_seconds": shown(end)}


def shown(seconds: Fraction) -> str:
    """Three decimals, halves up."""
    whole, thousandths = divmod(floor(seconds * 1000 + Fraction(1, 2)), 1000)
    return f"{whole}.{thousandths:03}"


def read_wav(data: bytes) -> Wav:
    with wave.open(io.BytesIO(data)) as file:
        return file.getparams()[:3], file.readframes(file.getnframes())


def solve(fixture: Fixture) -> Result:
    """Run the command for the mono interview, beside the outputs of another recording."""
    workspace = fixture.workspace()
    (workspace.root / OTHER).mkdir(parents=True)
    return process(workspace, "inputs/interview.wav", MONO[1], "output")


def process(workspace: Workspace, recording: str, transcript: str, output: str) -> Result:
    """Run the command and read what it wrote: in the recording's folder, or as before there were any."""
    workspace.python("-m", "solution.audio_chapters", recording, transcript, "--output", output, seconds=60)
    outputs, folder = workspace.outputs, f"{output}/{Path(recording).stem}"
    folder = folder if outputs.exists(folder) else output
    chapters = outputs.names(f"{folder}/chapters") if outputs.exists(f"{folder}/chapters") else []
    files = ["clean.wav", *(f"chapters/{name}" for name in chapters if name.endswith(".wav"))]
    audio = {name: read_wav(outputs.content(f"{folder}/{name}")) for name in files}
    times = outputs.csv(f"{folder}/speaker_time.csv", ["speaker", "duration_seconds"])
    return Result(audio, outputs.json(f"{folder}/chapters.json"), times, workspace)


@judging.core
def much_of_the_interview_is_right(actual: Result, expected: Result) -> None:
    """Audio length, a quarter of the chapter lengths and of the speaking times are right within 2 s."""
    found, right = seconds_by_name(actual), seconds_by_name(expected)
    for kind in ("clean", "chapters", "speaker"):
        names = sorted(name for name in found | right if name.startswith(kind))
        near = [name for name in names if abs(found.get(name, inf) - right.get(name, inf)) <= NEAR_SECONDS]
        comparing.require(4 * len(near) >= len(names), f"of {names} only {near} are about right")


def seconds_by_name(result: Result) -> dict[str, float]:
    audio = {name: len(data) / shape[0] / shape[1] / shape[2] for name, (shape, data) in result.audio.items()}
    return audio | {f"speaker {row['speaker']}": float(row["duration_seconds"]) for row in result.times}


def audio_is_exact(actual: Result, expected: Result) -> None:
    """clean.wav and one WAV file a chapter hold exactly their frames in the recording's format."""
    comparing.same("WAV files", list(actual.audio), list(expected.audio))
    for name, (shape, data) in expected.audio.items():
        found = (*actual.audio[name][0], len(actual.audio[name][1]))
        comparing.same(f"{name}, channels, bytes a sample, rate, bytes", found, (*shape, len(data)))
        comparing.require(actual.audio[name][1] == data, f"{name}: not the samples of the recording")


def chapters_are_exact(actual: Result, expected: Result) -> None:
    """chapters.json has the right duration, chapters and segments of utterances."""
    comparing.same_json("chapters.json", actual.document, expected.document)


def speaking_times_are_exact(actual: Result, expected: Result) -> None:
    """speaker_time.csv has every speaker in order with the exact total."""
    comparing.same_rows("speaker_time.csv", actual.times, expected.times, key=["speaker"])


def all_is_exact(actual: Result, expected: Result) -> None:
    for same in (audio_is_exact, chapters_are_exact, speaking_times_are_exact):
        same(actual, expected)


def form_and_folder_are_right(actual: Result, expected: Result) -> None:
    """Text files have LF and a last newline; all lies in the recording's folder, other folders stay."""
    outputs = actual.workspace.outputs
    comparing.lines_end_with_lf(outputs.slips)
    stray = sorted(OUTPUTS & set(outputs.names("output")))
    comparing.require(not stray, f"output holds {stray}, which belong into output/interview")
    comparing.require(outputs.exists(OTHER), f"{OTHER} of another recording is gone")


def stereo_recording_is_exact(actual: Result, expected: Result) -> None:
    """All outputs of the stereo recording, in a new output folder, are exact."""
    found = process(actual.workspace, "inputs/interview_stereo.wav", STEREO[1], "output/made/new")
    all_is_exact(found, of_inputs(actual.workspace.fixture, *STEREO))


def files_elsewhere_replace_earlier_outputs(actual: Result, expected: Result) -> None:
    """A recording elsewhere, with constraints of its own; one that is a short pause replaces its outputs."""
    fixture = actual.workspace.fixture
    interview = fixture.file("inputs/interview_stereo.wav").read_bytes()
    for folder, recording in (("elsewhere", interview), ("elsewhere/pause", short_pause())):
        path = lay(actual.workspace, f"{folder}/talk.wav.v2", recording, CONSTRAINTS)
        found = process(actual.workspace, path, STEREO[1], "output/both")
        all_is_exact(found, calculate(recording, CONSTRAINTS, fixture.csv(STEREO[1])))


def lay(workspace: Workspace, stem: str, recording: bytes, limits: dict[str, int]) -> str:
    """Put a recording and its constraints into the workspace; the recording's path there."""
    fixtures.write_bytes(workspace.root / f"{stem}.wav", recording)
    fixtures.write_json(workspace.root / f"{stem}.constraints.json", limits)
    return f"{stem}.wav"


def short_pause() -> bytes:
    """Half a second of quiet frames."""
    file = io.BytesIO()
    with wave.open(file, "wb") as recording:
        recording.setparams((1, 2, 50, 0, "NONE", "not compressed"))
        recording.writeframes(bytes(50))
    return file.getvalue()


def edge(fixture: Fixture) -> None:
    """Nothing but silence: a valid clean.wav without frames, no chapters, and zero for every speaker."""
    workspace, transcript = fixture.workspace(), "inputs/edge_silence.csv"
    limits = fixture.json("inputs/edge_silence.constraints.json") | {"silence_below": 1}
    recording = fixture.file("inputs/edge_silence.wav").read_bytes()
    loud = lay(workspace, "elsewhere/edge_silence", recording, limits)
    process(workspace, loud, transcript, "output")  # leaves a chapter
    times = [{"speaker": "Ghost", "duration_seconds": "0.000"}]
    no_chapters = {"duration_seconds": "0.000", "chapters": []}
    for name, channels in (("edge_silence", 1), ("edge_stereo", 2)):
        found = process(workspace, f"inputs/{name}.wav", transcript, "output")
        all_is_exact(found, Result({"clean.wav": ((channels, 2, 80), b"")}, no_chapters, times))


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.audio_chapters"),
        expect=expect,
        solve=solve,
        checks=[
            much_of_the_interview_is_right,
            audio_is_exact,
            chapters_are_exact,
            speaking_times_are_exact,
            form_and_folder_are_right,
            stereo_recording_is_exact,
            files_elsewhere_replace_earlier_outputs,
        ],
        edge=edge,
    )
