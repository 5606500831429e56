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


class SkippingClock(ManualClock):
    """A clock that is moved on to the next thing that is due, as by `Desk.wait`, instead of waiting for it.

    Give it to the journal. A question that is held for an hour then takes no time at all. Use it where one thread
    waits and channels reply from within `show` or are `Timed`, as simulated people are; where people reply by
    themselves, time would run away from them.
    """

    def skip_to(self, at_s: float) -> None:
        """Move on to a time; one that has passed changes nothing."""
        self.advance(max(0.0, at_s - self.now_s()))
