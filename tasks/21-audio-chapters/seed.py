"""Generated files of task 21: a mono interview, later a stereo one, each with transcript and constraints."""

import random
import struct
import sys
from array import array
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Utterance = tuple[str, int, int, str]  # speaker, start and end in milliseconds, text

CONSTRAINTS = ("silence_below", "minimum_silence_ms", "earliest_cut_ms", "target_cut_ms", "latest_cut_ms")
MONO: dict[str, int] = dict(zip(CONSTRAINTS, (500, 1200, 480_000, 600_000, 720_000), strict=True))
# At both rates: the target's fraction of a frame is under a half, the latest's over a half.
STEREO: dict[str, int] = dict(zip(CONSTRAINTS, (640, 750, 40_003, 50_072, 60_015), strict=True))
HEADER = ["speaker", "start_seconds", "end_seconds", "text"]
SPEAKERS = ["Ana", "Bob", "Zoë", "Émile", "Ölund, Kai"]
TOPICS = ["the harbour", "my first job", "that winter", "the strike", "our street", "the radio"]
QUIET_STEP = 3  # quiet samples are multiples of 3 up to 384


@dataclass
class Recording:
    """Samples under construction: noise that is loud, into which quiet runs are painted."""

    rng: random.Random
    channels: int
    rate: int
    limits: dict[str, int]
    samples: array[int]

    @property
    def shortest(self) -> int:
        """Frames of the shortest silence: its duration, rounded up to whole frames."""
        return -(-self.limits["minimum_silence_ms"] * self.rate // 1000)

    @property
    def frames(self) -> int:
        return len(self.samples) // self.channels

    def ms(self, frame: int) -> int:
        """Milliseconds at which a frame of the file begins, rounded down."""
        return frame * 1000 // self.rate

    def quiet(self, start: int, length: int, channels: tuple[int, ...] = (0, 1)) -> None:
        """Paint one run: its ends just below the threshold, its neighbours just at it."""
        just_below = self.limits["silence_below"] - 1
        for channel in range(self.channels):
            if channel not in channels:
                continue
            murmur = [QUIET_STEP * (byte - 128) for byte in self.rng.randbytes(length)]
            murmur[0], murmur[length // 2], murmur[-1] = -just_below, -just_below, just_below
            at = slice(start * self.channels + channel, (start + length) * self.channels, self.channels)
            self.samples[at] = array("h", murmur)
        if start > 0:
            self.samples[(start - 1) * self.channels] = just_below + 1
        if start + length < self.frames:
            self.samples[(start + length) * self.channels] = -just_below - 1

    def silence(self, doubled_midpoint: int, at_least: int = 0) -> None:
        """Paint a silence around a midpoint given in half frames, as short as may be."""
        length = max(self.shortest, at_least)
        length += (doubled_midpoint - length) % 2
        self.quiet((doubled_midpoint - length) // 2, length)

    def write(self, path: Path) -> None:
        """Write the WAV, with chunks before and after the audio that are none of it, and the constraints."""
        data, width = self.samples.tobytes(), 2 * self.channels
        form = struct.pack("<HHIIHH", 1, self.channels, self.rate, self.rate * width, width, 16)
        listed, noted = (b"LIST", b"INFOINAM\x0a\0\0\0Interview\0"), (b"note", b"\x01\0\0\0loud")
        chunks = [(b"fmt ", form), listed, (b"data", data), noted]
        body = b"".join(name + struct.pack("<I", len(content)) + content for name, content in chunks)
        header = b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE"
        fixtures.write_bytes(path, header + body)
        fixtures.write_json(path.with_suffix(".constraints.json"), self.limits)


def noise(rng: random.Random, channels: int, rate: int, limits: dict[str, int], frames: int) -> Recording:
    return Recording(rng, channels, rate, limits, array("h", rng.randbytes(2 * frames * channels)))


def write_transcript(path: Path, build: seeding.Build, anchors: list[Utterance], end_ms: int) -> None:
    """Write anchors and filler in an order that is none."""
    rows = list(anchors)
    for number in range(build.size(full=900, small=40)):
        start = build.rng.randrange(end_ms)
        text = f"{number}: and then {build.rng.choice(TOPICS)}"
        rows.append((build.rng.choice(SPEAKERS), start, start + build.rng.randrange(400, 9000), text))
    build.rng.shuffle(rows)
    fixtures.write_csv(
        path, HEADER, ([who, seconds(start), seconds(end), text] for who, start, end, text in rows)
    )


def seconds(ms: int) -> str:
    return f"{ms // 1000}.{ms % 1000:03d}"


def write_initial(build: seeding.Build) -> None:
    """The mono interview; in the edge a recording of nothing but silence."""
    inputs = build.out / "inputs"
    if build.fixture == "edge":
        silent = noise(build.rng, 1, 80, MONO, frames=320)
        silent.quiet(0, 320)
        silent.write(inputs / "edge_silence.wav")
        fixtures.write_csv(
            inputs / "edge_silence.csv", HEADER, [["Ghost", "0.500", "3.500", "Anybody here?"]]
        )
        return
    apart = build.rng.randrange(10, 40)  # seconds from the first target to the two silences beside it
    rate = build.size(full=501, small=41)  # 1.2 seconds are a fraction of frames, below a half
    lead = -(-MONO["minimum_silence_ms"] * rate // 1000)
    target = lead + 600 * rate
    first = target - apart * rate - 1
    second = first + 480 * rate
    third = second + 720 * rate
    end = third + 720 * rate
    rest = 8 * rate // 5
    audio = noise(build.rng, 1, rate, MONO, frames=end + rest)
    audio.quiet(0, lead)
    audio.quiet(end, rest)
    audio.silence(2 * (lead + 520 * rate), at_least=4 * rate)  # first in the window, and longest
    audio.silence(2 * target - 2 * apart * rate - 1)  # a tie, by half frames
    audio.silence(2 * target + 2 * apart * rate + 1)
    audio.silence(2 * (lead + 680 * rate))  # last in the window
    audio.silence(2 * second)  # at the earliest cut
    audio.silence(2 * (second + 480 * rate) - 1)  # half a frame too early
    audio.silence(2 * (third + 1))  # a frame too late
    audio.silence(2 * (third + 600 * rate))  # in the rest, which is just as long as the latest cut
    for piece in (
        -1,
        1,
        0,
    ):  # three runs a frame too short, at the target; one sample at the threshold between them
        audio.quiet(target + piece * lead, lead - 1)
    audio.write(inputs / "interview.wav")

    tiny = audio.ms(lead) + 1
    anchors: list[Utterance] = [
        ("Studio", 200, 900, "before the retained audio"),
        ("Ana", 0, tiny, "reaches less than half a millisecond into it"),
        (" Ana", 500, 6_250, '  Welcome, "everyone"\nand good evening '),
        ("Bob", audio.ms(first) - 2_500, audio.ms(first) + 3_500, "across a boundary"),
        ("Zoë", audio.ms(second) - 5_250, audio.ms(third) + 7_125, "across a whole chapter"),
        ("Ana", audio.ms(end) - 4_000, audio.ms(end) + 3_000, "into the silence"),
        ("Bob", audio.ms(end) - 3_000, audio.ms(end) + 60_000, "behind the end of the recording"),
        ("bob", audio.ms(end) + 1_000, audio.ms(end) + 2_500, "after the retained audio"),
        ("Studio", audio.ms(end) + 20_000, audio.ms(end) + 21_000, "after the recording"),
        ("Zed", 30_000, 30_000, "without length"),
        ("Émile", 40_000, 44_000, "an overlap"),
        ("Émile", 41_000, 43_000, "within it"),
    ]
    write_transcript(inputs / "transcript.csv", build, anchors, end_ms=audio.ms(end))


def write_stereo(build: seeding.Build) -> None:
    if build.fixture == "edge":
        silent = noise(build.rng, 2, 80, STEREO, frames=320)
        silent.quiet(0, 320)
        silent.write(build.out / "inputs/edge_stereo.wav")
        return
    rate = build.size(full=784, small=48)  # a multiple of 16: frames can lie on half milliseconds
    earliest, target, latest = (STEREO[name] * rate // 1000 for name in CONSTRAINTS[2:])
    shortest = STEREO["minimum_silence_ms"] * rate // 1000  # exactly: no fraction
    apart = (3 + build.rng.randrange(3)) * rate - (target % (rate // 8))
    first = target + apart  # on a whole millisecond
    second = first + latest
    third = second + target + rate
    third += (rate // 16 - third - 2 * latest) % (rate // 4)  # the duration ends on half a millisecond
    fourth = third + latest - 1
    end = fourth + latest + 1
    audio = noise(build.rng, 2, rate, STEREO, frames=end + shortest)
    audio.quiet(0, shortest - 1)
    audio.quiet(end, shortest)
    audio.silence(2 * (target - apart))  # nearer only if the target loses its fraction
    audio.silence(2 * first + 1)
    audio.quiet(target - 2 * shortest, shortest, channels=(0,))
    audio.quiet(target + shortest, shortest, channels=(1,))
    loud = [build.rng.randrange(640, 30_000) for _ in range(shortest)]
    opposed = array("h", (sign * value for value in loud for sign in (1, -1)))  # their mean is silence
    audio.samples[2 * target - shortest : 2 * target + shortest] = opposed
    audio.silence(2 * (first + earliest))  # a fraction of a frame too early
    audio.silence(2 * (second + 1))  # a fraction of a frame too late
    audio.silence(2 * (second + target - 6 * rate))  # nearer to a multiple of the target from the beginning
    audio.silence(2 * third)
    audio.silence(2 * fourth)  # reaches beyond the latest cut
    audio.write(build.out / "inputs/interview_stereo.wav")

    anchors: list[Utterance] = [
        ("Dana", audio.ms(first) - 4_000, audio.ms(first), "ends at the boundary"),
        ("Eli", audio.ms(first), audio.ms(first) + 2_000, "starts at the boundary"),
        ("Eli", audio.ms(third), audio.ms(third) + 1, "a millisecond, the boundary in its midst"),
        ("Fay", audio.ms(end) - 6_000, audio.ms(end) + 100, "half a millisecond is lost"),
        ("Fay", audio.ms(end) - 3_000, audio.ms(end) + 200, "and half a millisecond again"),
        *(  # totals of half a millisecond, which floats miss
            (f"Guest {number}", audio.ms(end) - 2_000 - 100 * number, audio.ms(end) + 100, "goodbye")
            for number in range(10)
        ),
    ]
    write_transcript(build.out / "inputs/interview_stereo.csv", build, anchors, end_ms=audio.ms(end))


if __name__ == "__main__":
    seeding.main(21, {"initial": write_initial, "stereo": write_stereo})
