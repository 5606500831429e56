"""What the pure part of handup takes instead of the world: a clock and a source of random numbers."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Clock(Protocol):
    """Tells the time. Edges own one and pass `now_s()` on; nothing inside reads the wall clock."""

    def now_s(self) -> float:
        """Seconds since any fixed moment."""


class RandomSource(Protocol):
    """The one method handup draws from; `numpy.random.Generator` has it."""

    def random(self, size: tuple[int, ...]) -> NDArray[np.float64]:
        """Independent numbers, uniform on [0, 1)."""


class ManualClock:
    """A clock that moves when told to: for tests, replays and simulated time."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s

    def now_s(self) -> float:
        """The time it was last moved to."""
        return self._now_s

    def advance(self, seconds: float) -> None:
        """Move on by `seconds`, which may not be negative."""
        if seconds < 0:
            raise ValueError("a clock does not run backwards")
        self._now_s += seconds
