"""The wall clock, from which a journal reads the time unless it is given another clock."""

from __future__ import annotations

import time
from collections.abc import Callable

from handup.core import StoreUnavailable

LONGEST_JUMP_S = 86_400.0
"""Longest jump ahead that can be a correction of the clock; a longer one is a fault."""
_PASSING = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # goes on while the machine sleeps, where it can


def passed_s() -> float:
    """Return the seconds since some moment, by a clock that nobody can set."""
    return time.clock_gettime(_PASSING)


class WallClock:
    """Seconds since 1970, UTC. It may be set back; the journal's own time then stands still until it has caught up.

    For the same reason a single reading far in the future would stop a journal's time until the clock had caught up.
    So a reading is refused if it is ahead of the last good one by more than the time that has passed plus
    `longest_jump_s`. The first reading of a program has no earlier one to compare with, and is accepted.

    Args:
        longest_jump_s: Longest jump ahead that is accepted while the program runs, in seconds.
        wall_s: Source of the time; for tests.
        passed_s: Source of the time that has passed; for tests.
    """

    def __init__(
        self,
        *,
        longest_jump_s: float = LONGEST_JUMP_S,
        wall_s: Callable[[], float] = time.time,
        passed_s: Callable[[], float] = passed_s,
    ) -> None:
        self.longest_jump_s = longest_jump_s
        self._wall_s, self._passed_s = wall_s, passed_s
        self._good: tuple[float, float] | None = None

    def now_s(self) -> float:
        """Return the time.

        Raises:
            StoreUnavailable: The clock has jumped ahead. Once it is set back, readings are accepted again.
        """
        wall_s, passed_s = self._wall_s(), self._passed_s()
        if self._good is not None:
            ahead_s = (wall_s - self._good[0]) - (passed_s - self._good[1])
            if ahead_s > self.longest_jump_s:
                raise StoreUnavailable(
                    f"the machine's clock has jumped ahead by {ahead_s / 86_400:,.1f} days",
                    hint="Check its date; if it is right now, start the program again. Nothing was changed.",
                )
        self._good = (wall_s, passed_s)
        return wall_s
