"""Guard of a robot's motion: real time, a hold while the link is lost, and a stop that is heard on the way.

While a robot moves it calls its guard every few milliseconds. The robot waits until the call returns, so the
guard holds the robot by waiting.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from handup.core.stick import Stick

if TYPE_CHECKING:
    from handup.desk import Desk

LOOK_S = 0.02
"""Seconds of real time between two looks at the link while the robot waits."""
JOURNAL_S = 0.1
"""Seconds between two looks at the journal, which knows stops that did not come by the link."""
LATCH_S = 1.0
"""Seconds after which the robot itself writes a stop that only the link brought."""
STOP_SEEN = "The robot was told by its link to stop."


class Halted(Exception):
    """Somebody stopped a motion on its way. The robot stays where it is, with what it holds.

    Args:
        seconds: Time of the motion at which it stopped, counted from its beginning.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Link(Protocol):
    """A robot's link to its server, such as `handup.RobotLink`."""

    @property
    def alive(self) -> bool:
        """True while the server was heard within the last second and says that the robot may move."""
        ...

    @property
    def stopped(self) -> bool:
        """True while a stop holds, as far as the link knows."""
        ...

    @property
    def stick(self) -> Stick | None:
        """Latest push of somebody who steers; None where nobody did."""
        ...

    def state(self, state: Mapping[str, Any], /) -> object:
        """Show people what the robot is doing. Only the latest counts; never raises."""
        ...

    def picture(self, name: str, picture: bytes, /) -> object:
        """Show a picture that changes all the time. Only the latest counts; never raises."""
        ...


@dataclass
class Guard:
    """Guard of motions. Call `begin`, then the guard itself as the motion goes on.

    Args:
        link: The robot's link; None where nobody looks on, and the robot may always move.
        desk: The robot's desk.
        by: Name under which a stop is written that reached only the link.
        speed: 1 for real time; 2 moves twice as fast.
        holds: Called with True when the robot begins to hold, with False when it goes on.
        check: Called while the robot waits; raises where the program is to end.
        clock: Real time in seconds, for tests.
        sleep: Waits for seconds of real time, for tests.
    """

    link: Link | None
    desk: Desk
    by: str
    speed: float = 1.0
    holds: Callable[[bool], object] = lambda held: None
    check: Callable[[], object] = lambda: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    _since: int = field(default=0, init=False)
    _origin: float = field(default=0.0, init=False)
    _looked: float = field(default=float("-inf"), init=False)
    _in_journal: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._since = self.desk.journal.head().seq

    def begin(self) -> None:
        """Begin a motion now; a stop that comes from now on ends it."""
        self._since = self.desk.journal.head().seq
        self._origin, self._looked = self.clock(), float("-inf")

    def __call__(self, seconds: float) -> None:
        """Let the motion go on as soon as it may.

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
        """Wait before or between motions. Time in which the robot holds does not count.

        Raises:
            Halted: Somebody said stop.
        """
        self._origin = self.clock()
        self._heed(0.0)
        while (left_s := self._origin + real_s - self.clock()) > 0.0:
            self.sleep(min(left_s, LOOK_S))
            self._heed(0.0)

    @property
    def stopped(self) -> bool:
        """True while a stop holds, by the link or in the journal. A stop of the link alone is written first."""
        if self._says_stop():
            self._latch()
            return True
        self._look()
        return self._in_journal and self.desk.stopped

    def _heed(self, seconds: float) -> None:
        self._refuse_stopped(seconds)
        if self._may_move():
            return
        began = self.clock()
        self.holds(True)
        while not self._may_move():
            self._refuse_stopped(seconds)
            self.sleep(LOOK_S)
        self._origin += self.clock() - began  # so that the motion goes on from here, and does not catch up
        self.holds(False)

    def _refuse_stopped(self, seconds: float) -> None:
        self.check()
        if self.stopped or self._in_journal:
            raise Halted(seconds)

    def _says_stop(self) -> bool:
        return self.link is not None and bool(self.link.stopped)

    def _may_move(self) -> bool:
        return self.link is None or self.link.alive

    def _look(self) -> None:
        if self.clock() >= self._looked + JOURNAL_S:
            self._looked = self.clock()
            self._in_journal = self.desk.stopped or self.desk.stopped_since(self._since)

    def _latch(self) -> None:
        """Wait until the stop is in the journal, or else write it: it must hold after a restart."""
        until = self.clock() + LATCH_S
        while self._says_stop() and not (self.desk.stopped or self.desk.stopped_since(self._since)):
            if self.clock() >= until:
                self.desk.stop(self.by, STOP_SEEN)
                return
            self.sleep(LOOK_S)
