"""Standard streams of a command in a jail: captured within a budget, fed without blocking the owner."""

from __future__ import annotations

import os
import re
import threading
import time
from typing import BinaryIO

CHUNK = 65536
DRAIN_SECONDS = 2.0
"""How long a stream is read on after the end of its command, whoever still holds it open."""


class Capture:
    """Reads a descriptor to its end in a thread of its own; keeps what the shared budget of bytes allows."""

    def __init__(self, descriptor: int, budget: Budget) -> None:
        self.data = bytearray()
        self._descriptor = descriptor
        self._budget = budget
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            while chunk := os.read(self._descriptor, CHUNK):
                self.data += self._budget.take(chunk)
                self._budget.changed()
        finally:
            os.close(self._descriptor)

    def finish(self) -> bytes:
        self._thread.join(DRAIN_SECONDS)
        return bytes(self.data)


class Budget:
    """Bytes that the streams of one command may hold together."""

    def __init__(self, size: int, condition: threading.Condition) -> None:
        self.left = size
        self.exceeded = False
        self._condition = condition

    def take(self, chunk: bytes) -> bytes:
        with self._condition:
            kept = chunk[: self.left]
            self.left -= len(kept)
            self.exceeded = self.exceeded or len(kept) < len(chunk)
            return kept

    def changed(self) -> None:
        with self._condition:
            self._condition.notify_all()


class Command:
    """A command that was started in a jail: its captured output, and its exit code once it has ended."""

    def __init__(self, name: str, stdout: Capture, stderr: Capture, budget: Budget) -> None:
        self.name = name
        self.stdout = stdout
        self.stderr = stderr
        self.budget = budget
        self.started = time.monotonic()
        self.ended: float | None = None
        self.code: int | None = None


def listening_port(output: bytes) -> int | None:
    """The port of the first complete `LISTENING <port>` line."""
    found = re.search(rb"^LISTENING (\d{1,5})\r?\n", output, re.MULTILINE)
    return int(found[1]) if found else None


def feed(descriptor: int, data: bytes) -> None:
    """Writes everything and closes; a reader that is gone ends it."""
    stream: BinaryIO
    try:
        with open(descriptor, "wb", buffering=0) as stream:
            view = memoryview(data)
            while view:
                view = view[stream.write(view) or 0 :]
    except BrokenPipeError:
        pass
