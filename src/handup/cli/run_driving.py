"""Drives an executive for `handup run`: at its pace, with an open ear for a stop, and left in order with Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from types import FrameType

from handup.core import ManualClock
from handup.executive.executive import Executive
from handup.executive.machine import Finished
from handup.executive.people import pass_time

LOOK_S = 0.05
"""While time passes, stops and holds are looked for so often, in real seconds."""
ANSWER_S = 0.5
"""While an answer is waited for, so often."""


class Leave(Exception):
    """Somebody wants this program to end, and the run to go on later. Never an error.

    Args:
        signal: Which signal said so.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = number


@dataclass
class Leaving:
    """Whether this program is to end, as a signal said.

    While a robot acts, that is looked at between two turns, so that nothing is torn apart; otherwise, as while a
    person types, it ends at once.
    """

    signal: int = 0
    acting: bool = False

    def check(self) -> None:
        """Go on, or not.

        Raises:
            Leave: It is time to go.
        """
        if self.signal:
            raise Leave(self.signal)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Heed Ctrl-C, SIGTERM and a closed terminal; only the main thread of a program can."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def heard(number: int, frame: FrameType | None) -> None:
            again, self.signal = bool(self.signal), number
            if not self.acting or (again and number == signal.SIGINT):
                raise KeyboardInterrupt if number == signal.SIGINT else Leave(number)

        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        ignored = [each for each in numbers if signal.getsignal(each) is signal.SIG_IGN]  # under nohup it goes on
        before = {each: signal.signal(each, heard) for each in numbers if each not in ignored}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


@dataclass
class Pace:
    """How time passes.

    Args:
        speed: Of a simulated robot; 1 is real time, None as fast as it can.
        leaving: Whether to go.
        may_move: Whether the robot may move now; while it may not, it holds.
        stopped: Whether somebody said stop.
        holds: Called when it begins to hold, and when it goes on.
    """

    speed: float | None = None
    leaving: Leaving = field(default_factory=Leaving)
    may_move: Callable[[], bool] = lambda: True
    stopped: Callable[[], bool] = lambda: False
    holds: Callable[[bool], object] = lambda held: None

    def passes(self, executive: Executive, seconds: float) -> None:
        """Let seconds of the robot's time pass, or less after a stop."""
        clock = executive.around.clock
        if not isinstance(clock, ManualClock):
            self._sleep(seconds)
            return
        if self.speed is not None:
            self._sleep(seconds / self.speed)
        pass_time(clock, seconds)

    def answers(self, executive: Executive) -> None:
        """Wait for people. A simulated robot's time passes with theirs, second by second."""
        people, clock = executive.around.people, executive.around.clock
        assert people is not None
        began, before_s = time.monotonic(), clock.now_s()
        self.leaving.acting = False
        try:
            people.wait(executive.run.waiting_for, ANSWER_S)
        finally:
            self.leaving.acting = True
        if isinstance(clock, ManualClock) and clock.now_s() == before_s:
            pass_time(clock, time.monotonic() - began)

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        held = False
        while not self.stopped():
            self.leaving.check()
            if held != (not self.may_move()):
                held = not held
                self.holds(held)
            left_s = until - time.monotonic()
            if held:
                until += LOOK_S
            elif left_s <= 0.0:
                break
            time.sleep(max(min(left_s, LOOK_S), 0.0) if not held else LOOK_S)
        if held:
            self.holds(False)


def drive(executive: Executive, pace: Pace) -> Finished:
    """Run to the end, or until somebody wants to go: then what is under way is stopped, and the run can go on later.

    Raises:
        Leave: A signal said so.
    """
    turns = executive.turns()
    pace.leaving.acting = True
    try:
        with closing(turns):
            while True:
                pace.leaving.check()
                try:
                    working = next(turns)
                except StopIteration as end:
                    assert isinstance(end.value, Finished)
                    return end.value
                if executive.run.waiting_for and executive.around.people is not None:
                    pace.answers(executive)
                else:
                    pace.passes(executive, working.for_s)
    finally:
        executive.run.flush()
        pace.leaving.acting = False
