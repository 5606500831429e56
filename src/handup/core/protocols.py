"""Interfaces that keep the core pure: a clock and a source of random numbers."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Clock(Protocol):
    """Source of the time. Only the outermost code owns a clock and passes `now_s()` on; the core never reads one."""

    def now_s(self) -> float:
        """Return seconds since any fixed moment."""


class RandomSource(Protocol):
    """Source of random numbers, with the one method that handup uses; `numpy.random.Generator` has it."""

    def random(self, size: tuple[int, ...]) -> NDArray[np.float64]:
        """Return independent numbers, uniform on [0, 1)."""


class ManualClock:
    """Clock that only moves when `advance` is called: for tests, replays and simulated time."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s

    def now_s(self) -> float:
        """Return the time it was last moved to."""
        return self._now_s

    def advance(self, seconds: float) -> None:
        """Move on by `seconds`, which may not be negative."""
        if seconds < 0:
            raise ValueError("a clock does not run backwards")
        self._now_s += seconds


class SkippingClock(ManualClock):
    """Clock that skips to the next event that is due, as in `Desk.wait`, instead of waiting for it.

    Give it to the journal. A question that is held for an hour then takes no time at all. Use it where one thread
    waits and channels reply from within `show` or are `Timed`, as simulated people are; where people reply by
    themselves, time would run away from them.
    """

    def skip_to(self, at_s: float) -> None:
        """Move on to a time; one that has passed changes nothing."""
        self.advance(max(0.0, at_s - self.now_s()))
