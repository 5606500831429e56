"""Delivery of stops: at once to every socket, then by a thread to the journal. Threads that wait for the store.

No unexpected error ends one of the threads, and none of them keeps the program from ending.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from handup.core import HandupError, StoreUnavailable
from handup.core.checks import storable
from handup.desk import Desk

SOON_S = 1.0
"""Longest time in seconds that the sender of a stop waits until it is written; it holds from the first moment."""
MOST_PENDING = 64
"""The most stops that wait to be written; a further one would change nothing."""
LONGEST = 500
LONGEST_TOKEN = 100
_log = logging.getLogger("handup.server")


class Guarded:
    """Context that keeps a thread alive whatever error is raised in it.

    Args:
        failed: Called with the error.
        message: Text for the log; nothing is logged where it is empty.
    """

    def __init__(self, failed: Callable[[BaseException], object] = lambda _: None, message: str = "") -> None:
        self._failed, self._message = failed, message

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            if self._message:
                _log.error(self._message, exc_info=error)
            self._failed(error)
        return True


class Pool:
    """Pool of daemon threads.

    With a `ThreadPoolExecutor`, a program does not end while one of its threads waits for a locked store.

    Args:
        threads: Number of threads; they begin with `start`.
    """

    def __init__(self, threads: int) -> None:
        self._line: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, name=f"handup server {number}", daemon=True)
            for number in range(threads)
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def submit(self, do: Callable[[], Any]) -> Future[Any]:
        """Let a thread call a function; its result or error is in the future."""
        future: Future[Any] = Future()
        self._line.put((future, do))
        return future

    def close(self) -> None:
        """End without waiting: calls that have not begun are cancelled, the others are left to themselves."""
        with suppress(queue.Empty):
            while (work := self._line.get_nowait()) is not None:
                work[0].cancel()
        for _ in self._threads:
            self._line.put(None)

    def _work(self) -> None:
        while (work := self._line.get()) is not None:
            future, do = work
            if not future.set_running_or_notify_cancel():
                continue
            with Guarded(future.set_exception):
                future.set_result(do())
            del future, do, work  # while the thread waits for the next call, nothing keeps this one in memory


@dataclass(eq=False, kw_only=True)
class StopDelivery:
    """A stop on its way to the journal."""

    by: str
    why: str
    at_s: float
    token: str
    open: bool = True
    """True while the same stop, sent again, counts as this one."""
    written: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    """Number of its entry, once it was seen in the journal."""

    def view(self) -> dict[str, Any]:
        """Return the stop as people and robots see it."""
        return stop_view(self.by, self.why, self.at_s, written=False)


def stop_view(by: str, why: str, at_s: float, seq: int | None = None, *, written: bool = True) -> dict[str, Any]:
    """Return a stop as people and robots see it."""
    return {"by": by, "why": why, "at_s": at_s, "seq": seq, "written": written}


class Stopping:
    """Delivery of stops from the event loop to the journal. Nothing else waits in its queue.

    Args:
        desk: The desk that writes them.
        broadcast: Sends a stop to every socket at once; called in the event loop.
    """

    def __init__(self, desk: Desk, broadcast: Callable[[dict[str, Any]], None]) -> None:
        self._desk = desk
        self._broadcast = broadcast
        self._pending: list[StopDelivery] = []
        self._done: dict[tuple[str, str], None] = {}
        self._line: queue.SimpleQueue[StopDelivery | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="handup server stop", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def pending(self) -> StopDelivery | None:
        """The oldest stop that was not seen in the journal yet; it holds nevertheless."""
        return self._pending[0] if self._pending else None

    def begin(self, by: str, at_s: float) -> StopDelivery | None:
        """Stop at once, before the body of the request has arrived; `stop` follows with the rest."""
        stop = StopDelivery(by=storable(by)[:LONGEST], why="", at_s=at_s, token="")
        self._broadcast(stop.view())
        if len(self._pending) >= MOST_PENDING:
            return None
        self._pending.append(stop)
        return stop

    async def stop(
        self, by: str, why: str, at_s: float, token: str = "", *, holds: bool = False, begun: StopDelivery | None = None
    ) -> bool:
        """Stop. Every socket has the stop before this first waits.

        Args:
            by: Name of the sender.
            why: Reason, in their words.
            at_s: Time in seconds.
            token: Equal however often one stop is sent. Without one, stops of a sender are equal until written.
            holds: True where a written stop holds now: then a repeated one needs nothing more.
            begun: Result of `begin`. It is left without a token where the stop turns out to be a repeated one.

        Returns:
            True where it is in the journal by now. Otherwise it holds here, and is written as soon as possible.
        """
        by, token = storable(by)[:LONGEST], storable(token)[:LONGEST_TOKEN]
        if token and holds and (by, token) in self._done:
            self._drop(begun)
            return True
        same = (known for known in self._pending if known.open and known.by == by and token in ("", known.token))
        stop = next((known for known in same if known is not begun), None)
        if stop is None:
            stop = begun or StopDelivery(by=by, why="", at_s=at_s, token="")
            stop.why, stop.token = storable(why)[:LONGEST], token or secrets.token_hex(8)
            if begun is None or stop.why:
                self._broadcast(stop.view())
            if begun is None:
                if len(self._pending) >= MOST_PENDING:
                    return False
                self._pending.append(stop)
            self._line.put(stop)
        else:
            self._drop(begun)
        return bool((await asyncio.wait({stop.written}, timeout=SOON_S))[0])

    def _drop(self, begun: StopDelivery | None) -> None:
        if begun is not None:
            self._pending.remove(begun)
            begun.written.set_result(0)

    def seen(self, by: str, token: str, seq: int) -> float | None:
        """Note that a stop is in the journal; from now on the journal decides if it holds.

        Returns:
            Time in seconds at which it was sent here; None where it came from elsewhere.
        """
        stop = next((known for known in self._pending if token and (known.by, known.token) == (by, token)), None)
        if stop is None:
            return None
        self._pending.remove(stop)
        self._done[by, token] = None
        if len(self._done) > MOST_PENDING:
            del self._done[next(iter(self._done))]
        if not stop.written.done():
            stop.written.set_result(seq)
        return stop.at_s

    def lifting(self) -> None:
        """Prepare for lifting: every stop from now on counts as a new one, whatever its token."""
        self._done.clear()
        for stop in self._pending:
            stop.open = False

    async def known(self, last: int) -> int:
        """Return the number of the last stop up to now; `last` is that of the last one in the journal.

        Raises:
            StoreUnavailable: One of them is not written yet.
        """
        writes = [stop.written for stop in self._pending]
        if not writes:
            return last
        if (await asyncio.wait(writes, timeout=SOON_S))[1]:
            raise StoreUnavailable("a stop is not written yet, and so it cannot be lifted", hint="Try again soon.")
        return max(last, *(written.result() for written in writes))

    def _write(self) -> None:
        while (stop := self._line.get()) is not None:
            with Guarded(message="a stop holds here, but could not be written"):  # the next stop needs this thread
                try:
                    self._desk.stop(stop.by, stop.why, token=stop.token)
                except HandupError as error:  # the desk keeps it, and writes it before anything else
                    _log.warning("a stop holds here, but is not written yet: %s", error)

    def close(self) -> None:
        """Write the stops that are left, and end."""
        self._line.put(None)
        if self._thread.is_alive():
            self._thread.join(1.0)
