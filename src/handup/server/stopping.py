"""The way of a stop: first to every socket, then to the journal by a thread that does nothing else."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from handup.core import HandupError
from handup.core.checks import storable
from handup.desk import Desk

SOON_S = 1.0
"""So long whoever said stop waits to hear that it is written; it holds from the first moment."""
MOST_PENDING = 64
"""So many stops wait to be written; another one changes nothing any more."""
LONGEST = 500
_log = logging.getLogger("handup.server")


@dataclass(eq=False, kw_only=True)
class Stop:
    """A stop on its way."""

    by: str
    why: str
    at_s: float
    written: Future[bool] = field(default_factory=Future)

    def view(self) -> dict[str, Any]:
        """What people and robots are told."""
        return {"by": self.by, "why": self.why, "at_s": self.at_s}


class Stopping:
    """Takes stops from the event loop and has them written. Nothing else waits in its line.

    Args:
        desk: Whose stop it is.
        broadcast: Tells every socket at once; called in the event loop.
    """

    def __init__(self, desk: Desk, broadcast: Callable[[dict[str, Any]], None]) -> None:
        self._desk = desk
        self._broadcast = broadcast
        self._pending: list[Stop] = []
        self._line: queue.SimpleQueue[Stop | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="handup server stop", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def pending(self) -> Stop | None:
        """The oldest stop that was not seen in the journal yet; it holds all the same."""
        return self._pending[0] if self._pending else None

    async def stop(self, by: str, why: str, at_s: float) -> bool:
        """Stop. Everybody has been told when this first waits.

        Returns:
            Whether it is in the journal by now. Where not, it holds here and is written as soon as it can be.
        """
        stop = next((each for each in self._pending if each.by == by and not each.written.done()), None)
        if stop is None:
            stop = Stop(by=by[:LONGEST], why=storable(why)[:LONGEST], at_s=at_s)
            self._broadcast(stop.view())
            if len(self._pending) >= MOST_PENDING:
                return False
            self._pending.append(stop)
            self._line.put(stop)
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(stop.written)), SOON_S)
        except TimeoutError:
            return False

    def seen(self, by: str) -> None:
        """A stop of somebody was seen in the journal; from now on that tells whether it holds."""
        for each in self._pending:
            if each.by == by:
                self._pending.remove(each)
                return

    def _write(self) -> None:
        while (stop := self._line.get()) is not None:
            written = True
            try:
                self._desk.stop(stop.by, stop.why)
            except HandupError as error:  # the desk keeps it, and writes it before anything else
                written = False
                _log.warning("a stop holds here, but is not written yet: %s", error)
            stop.written.set_result(written)

    def close(self) -> None:
        """Write what is left, and end."""
        self._line.put(None)
        if self._thread.is_alive():
            self._thread.join(1.0)
