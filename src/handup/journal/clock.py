"""The clock of the wall: what a journal reads the time from unless it is given another."""

from __future__ import annotations

import time


class WallClock:
    """Seconds since 1970, UTC. May be set back by its owner; a journal's own time never runs backwards all the same."""

    def now_s(self) -> float:
        """The time."""
        return time.time()
