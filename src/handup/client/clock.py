"""The server's time on the robot, whatever the robot's own clock says."""

from __future__ import annotations

import time
from typing import Any


class ServerClock:
    """Tells the server's time, as it was last heard, carried on by a clock that never jumps.

    Deadlines and *not now until* are times of the server. A robot whose local journal has this clock has one time in
    all of it. Before the server was heard it is the machine's own time.
    """

    def __init__(self) -> None:
        self._ahead_s = time.time() - time.monotonic()

    def now_s(self) -> float:
        """Seconds since the epoch, by the server."""
        return time.monotonic() + self._ahead_s

    def hear(self, now_s: Any) -> None:
        """Take in what the server said its time is. What was held up on the way says less than it is."""
        if isinstance(now_s, bool) or not isinstance(now_s, int | float):
            return
        self._ahead_s = float(now_s) - time.monotonic()
