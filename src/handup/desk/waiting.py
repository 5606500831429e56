"""Those who wait for answers in this process: one of them follows the journal, the others sleep until woken."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from handup.core import ManualClock
from handup.journal import Journal

SHORTEST_PAUSE_S = 0.01
"""`Desk.wait` never looks more often than this."""
LONGEST_SLEEP_S = 3600.0
"""Longer sleeps are cut into pieces."""


class SkippingClock(ManualClock):
    """A clock that `Desk.wait` moves on to whatever is due next, instead of waiting for it.

    Give it to the journal. A question that is held for an hour then takes no time at all. Use it where one thread
    waits and channels reply from within `show` or are `Timed`, as simulated people are; where people reply by
    themselves, time would run away from them.
    """

    def skip_to(self, at_s: float) -> None:
        """Move on to a time; one that has passed changes nothing."""
        self.advance(max(0.0, at_s - self.now_s()))


class Place:
    """One who waits for a question. `wake` takes no lock of ours, so it may be called from anywhere."""

    def __init__(self, question: str) -> None:
        self.question = question
        self._calls: queue.SimpleQueue[None] = queue.SimpleQueue()

    def wake(self) -> None:
        """Let it look again."""
        self._calls.put(None)

    def sleep(self, most_s: float) -> bool:
        """Wait to be woken; False when the time is up."""
        until = time.monotonic() + most_s
        while (left_s := until - time.monotonic()) > 0:
            try:
                self._calls.get(timeout=min(left_s, LONGEST_SLEEP_S))
            except queue.Empty:
                continue
            self.forget()
            return True
        return False

    def forget(self) -> None:
        """Whatever it was woken for up to now, it is going to look anyway."""
        while not self._calls.empty():
            try:
                self._calls.get_nowait()
            except queue.Empty:  # pragma: no cover - only its own thread takes calls out
                return


class Waiting:
    """Everybody who waits in this process, by question, and who of them leads: follows the journal for all.

    Without anybody there is no leader and no thread. There is a leader, or somebody who was woken to become one,
    as long as anybody waits.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[Place, None] = {}
        self._at: dict[str, tuple[Place, ...]] = {}
        self._leader: Place | None = None

    @contextmanager
    def place(self, question: str) -> Iterator[Place]:
        """A place for one who waits; who led passes that on when leaving."""
        place = Place(question)
        with self._lock:
            self._places[place] = None
            self._at[question] = (*self._at.get(question, ()), place)
        try:
            yield place
        finally:
            with self._lock:
                del self._places[place]
                left = tuple(each for each in self._at[question] if each is not place)
                if left:
                    self._at[question] = left
                else:
                    del self._at[question]
            self.pass_on(place)

    def leads(self, place: Place) -> bool:
        """Whether this one leads; it does from now on where nobody did."""
        with self._lock:
            if self._leader is None:
                self._leader = place
            return self._leader is place

    def pass_on(self, place: Place) -> None:
        """Lead no more. Where nobody leads then, another one is woken to lead."""
        with self._lock:
            if self._leader is place:
                self._leader = None
            following = next((each for each in self._places if each is not place), None)
            if self._leader is None and following is not None:
                following.wake()

    def wake(self, questions: Iterable[str]) -> None:
        """Wake those who wait for these."""
        for question in questions:
            for place in self._at.get(question, ()):
                place.wake()

    def wake_all(self) -> None:
        """Wake everybody."""
        for place in tuple(self._places):
            place.wake()


def pause(journal: Journal, seq: int, now_s: float, due_s: float, most_s: float) -> None:
    """Wait until something is due or written; a clock that can skip to what is due does that instead."""
    if isinstance(journal.clock, SkippingClock) and now_s < due_s < math.inf:
        journal.clock.skip_to(due_s)
    else:
        journal.wait(seq, min(most_s, max(due_s - now_s, SHORTEST_PAUSE_S)))
