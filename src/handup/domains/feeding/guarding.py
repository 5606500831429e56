"""The arm's guard while somebody watches: real time, a hold without a link, and a stop that is heard on the way.

It is called every few milliseconds of motion. The arm waits for as long as it takes, so waiting here is holding.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from handup.desk import Desk
from handup.domains.feeding.arm import Halted

LOOK_S = 0.02
"""While the arm waits, the link is looked at so often, in real seconds."""
JOURNAL_S = 0.1
"""So often the journal is asked whether somebody said stop: by terminal, say, without the link."""
LATCH_S = 1.0
"""A stop that the link brought is in the journal after so long, or the robot writes it itself."""
STOP_SEEN = "The robot was told by its link to stop."


class Link(Protocol):
    """What the guard wants to know of the robot's link to the server."""

    @property
    def alive(self) -> bool:
        """Whether the server was heard within the last second, and says that the robot may move."""
        ...

    @property
    def stopped(self) -> object:
        """Whether somebody said stop, as far as the link knows."""
        ...


@dataclass
class ArmGuard:
    """Give it to `World.execute`, after `begin`.

    Args:
        link: The robot's link.
        desk: The robot's desk.
        by: In whose name a stop is written that reached only the link.
        speed: 1 for real time; 2 moves twice as fast.
        holds: Called when the arm begins to hold (True), and when it goes on (False).
        clock: Real time in seconds, for tests.
        sleep: For tests.
    """

    link: Link
    desk: Desk
    by: str
    speed: float = 1.0
    holds: Callable[[bool], object] = lambda held: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    _since: int = field(default=0, init=False)
    _origin: float = field(default=0.0, init=False)
    _looked: float = field(default=float("-inf"), init=False)

    def begin(self) -> None:
        """A motion begins now; a stop that comes from now on ends it."""
        self._since = self.desk.journal.head().seq
        self._origin = self.clock()

    def __call__(self, seconds: float) -> None:
        """Let the motion go on, as soon as it may.

        Args:
            seconds: Simulated time since it began.

        Raises:
            Halted: Somebody said stop.
        """
        self._heed(seconds)
        while (early_s := self._origin + seconds / self.speed - self.clock()) > 0.0:
            self.sleep(min(early_s, LOOK_S))
            self._heed(seconds)

    def pause(self, real_s: float) -> None:
        """Wait before a motion, with an open ear.

        Raises:
            Halted: Somebody said stop.
        """
        until = self.clock() + real_s
        while (left_s := until - self.clock()) > 0.0:
            self._heed(0.0)
            self.sleep(min(left_s, LOOK_S))

    def _heed(self, seconds: float) -> None:
        self._refuse_stopped(seconds)
        if self._may_move():
            return
        began = self.clock()
        self.holds(True)
        while not self._may_move():
            self._refuse_stopped(seconds)
            self.sleep(LOOK_S)
        self._origin += self.clock() - began
        self.holds(False)

    def _refuse_stopped(self, seconds: float) -> None:
        if self.link.stopped:
            self._latch()
            raise Halted(seconds)
        if self.clock() >= self._looked + JOURNAL_S:
            self._looked = self.clock()
            if self._in_journal():
                raise Halted(seconds)

    def _may_move(self) -> bool:
        return self.link.alive

    def _in_journal(self) -> bool:
        return self.desk.stopped or self.desk.stopped_since(self._since)

    def _latch(self) -> None:
        """See to it that the stop is in the journal before anything else is decided."""
        until = self.clock() + LATCH_S
        while not self._in_journal():
            if self.clock() >= until:
                self.desk.stop(self.by, STOP_SEEN)
                return
            self.sleep(LOOK_S)
