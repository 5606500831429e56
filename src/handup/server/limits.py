"""How often something may happen: buckets that fill with time, one for each who comes."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MOST_BUCKETS = 10_000
"""So many are remembered; those that were not used for longest are forgotten first."""


class Buckets:
    """Lets each key do something `per_s` times a second, and `burst` times at once. Use it from one thread.

    Args:
        per_s: How fast a bucket fills.
        burst: How much it holds.
        now_s: Tells the time; for tests.
    """

    def __init__(self, per_s: float, burst: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self.per_s, self.burst = per_s, burst
        self._now_s = now_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> bool:
        """Whether it may happen once more now."""
        now_s = self._now_s()
        left, at_s = self._left.pop(key, (self.burst, now_s))
        left = min(self.burst, left + (now_s - at_s) * self.per_s)
        allowed = left >= 1.0
        self._left[key] = (left - 1.0 if allowed else left, now_s)
        while len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        return allowed
