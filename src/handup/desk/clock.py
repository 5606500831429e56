"""A clock for tests and simulations that skip time."""

from __future__ import annotations

from handup.core import ManualClock


class SkippingClock(ManualClock):
    """A clock that `Desk.wait` moves on to whatever is due next, instead of waiting for it.

    Give it to the journal. A question that is held for an hour then takes no time at all. Use it where one thread
    waits and channels reply from within `show` or are `Timed`, as simulated people are; where people reply by
    themselves, time would run away from them.
    """

    def skip_to(self, at_s: float) -> None:
        """Move on to a time; one that has passed changes nothing."""
        self.advance(max(0.0, at_s - self.now_s()))
