"""How a robot is steered from a page: one person at a time, the latest push only, and how old it is."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

TURN_S = 1.0
"""Whoever steers is the only one until so long after their last push. Only to say that one is there is no push."""
MODES = ("translate", "rotate")


@dataclass(frozen=True, kw_only=True)
class Stick:
    """How somebody pushes the stick.

    Args:
        by: Who.
        device: On which device.
        mode: `translate` or `rotate`.
        push: Along three axes, each from -1 to 1.
        close: Whether they press to close the hand.
        heard_s: When it was heard, by `time.monotonic`.
    """

    by: str
    device: str
    mode: str
    push: tuple[float, float, float]
    close: bool
    heard_s: float

    @property
    def idle(self) -> bool:
        """Whether it asks for nothing."""
        return not (any(self.push) or self.close)


class Sticks:
    """What of the pushes that come in counts. One thread hears, any thread may look.

    Args:
        clock: Tells the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pushed_s = -math.inf
        self.latest: Stick | None = None

    def hear(self, frame: Mapping[str, Any]) -> None:
        """Take a push, unless somebody else steers just now or it is none."""
        found = _stick_of(frame, self._clock())
        known = self.latest
        if found is None:
            return
        last_s = self._pushed_s if not found.idle or known is None else known.heard_s  # who rests takes nobody's place
        if known is None or known.device == found.device or found.heard_s - last_s > TURN_S:
            self.latest = found
            if not found.idle:
                self._pushed_s = found.heard_s


def _stick_of(frame: Mapping[str, Any], now_s: float) -> Stick | None:
    push, mode = frame.get("push"), frame.get("mode")
    if mode not in MODES or not isinstance(push, list) or len(push) != 3:
        return None
    if not all(isinstance(each, int | float) and math.isfinite(each) for each in push):
        return None
    x, y, z = (max(-1.0, min(1.0, float(each))) for each in push)
    return Stick(
        by=str(frame.get("by") or ""),
        device=str(frame.get("device") or ""),
        mode=str(mode),
        push=(x, y, z),
        close=frame.get("close") is True,
        heard_s=now_s,
    )
