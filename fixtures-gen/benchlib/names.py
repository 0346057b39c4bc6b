"""Words that seeds, judges and the cache share; light, since every judge imports it."""

from datetime import UTC, datetime
from typing import Literal

FixtureName = Literal["main", "twin", "edge"]
Scale = Literal["full", "small"]
FIXTURES: tuple[FixtureName, ...] = ("main", "twin", "edge")
SCALES: tuple[Scale, ...] = ("full", "small")

EPOCH = datetime(2025, 1, 1, tzinfo=UTC)
"""Modification time of every fixture file and archive member."""
