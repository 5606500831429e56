"""When a server was last heard, by the robot's own clock: pure, so that every case can be tried without waiting."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

REMEMBERED = 64
"""So many of our own beats are remembered, the latest."""


class Pulse:
    """Heartbeats both ways, and how old what we hear can be.

    Each beat of ours has a number, and the server's beats repeat the last one that it heard. So a beat that was held
    up on the way, by a network or by a program that slept, is dated by when *we* sent the number in it, and not by when
    it came in. No wall clock is asked, neither here nor there.

    Args:
        hold_s: How long a beat is good for.
        now_s: A clock that never jumps.
    """

    def __init__(self, hold_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self.hold_s = hold_s
        self._now_s = now_s
        self._last_s = -math.inf
        self._number = 0
        self._echoes = False
        self._sent: OrderedDict[int, float] = OrderedDict()

    @property
    def age_s(self) -> float:
        """How long ago the server was surely there; infinity where it never was."""
        return self._now_s() - self._last_s

    @property
    def fresh(self) -> bool:
        """Whether the server was there just now."""
        return self.age_s < self.hold_s

    def send(self) -> int:
        """The number of a beat that goes out now."""
        self._number += 1
        self._sent[self._number] = self._now_s()
        if len(self._sent) > REMEMBERED:
            self._sent.popitem(last=False)
        return self._number

    def connected(self, began_s: float) -> None:
        """A connection was made that we began to make at a time of our clock; the server was there after that."""
        self._echoes = False
        self._there_at(began_s)

    def hear(self, beat: Mapping[str, Any]) -> None:
        """Take in a beat. From a server that repeats no numbers it is dated by when it came in."""
        number = beat.get("heard")
        self._echoes = self._echoes or "heard" in beat
        if not self._echoes:
            self._there_at(self._now_s())
        elif isinstance(number, int) and number in self._sent:
            self._there_at(self._sent[number])

    def _there_at(self, at_s: float) -> None:
        self._last_s = max(self._last_s, at_s)

    def forget(self) -> None:
        """The server is not there, as far as we are concerned."""
        self._last_s = -math.inf
