"""The threads that wait for the store; the way of a stop: to every socket, then by a thread of its own to the journal.

None of the threads ends of what nobody thought of, or keeps the program from ending.
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
"""So long whoever said stop waits to hear that it is written; it holds from the first moment."""
MOST_PENDING = 64
"""So many stops wait to be written; another one changes nothing any more."""
LONGEST = 500
LONGEST_TOKEN = 100
_log = logging.getLogger("handup.server")


class Guarded:
    """Keeps a thread that must not end from ending of what nobody thought of.

    Args:
        failed: Called with the error.
        said: What is logged; nothing where it is empty.
    """

    def __init__(self, failed: Callable[[BaseException], object] = lambda _: None, said: str = "") -> None:
        self._failed, self._said = failed, said

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            if self._said:
                _log.error(self._said, exc_info=error)
            self._failed(error)
        return True


class Pool:
    """Daemon threads that do one thing after the other.

    A program that has a `ThreadPoolExecutor` does not end while one of its threads waits for a locked store.

    Args:
        threads: How many; they begin with `start`.
    """

    def __init__(self, threads: int) -> None:
        self._line: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, name=f"handup server {number}", daemon=True)
            for number in range(threads)
        ]

    def start(self) -> None:
        """Begin."""
        for each in self._threads:
            each.start()

    def submit(self, do: Callable[[], Any]) -> Future[Any]:
        """Have something done; what comes of it, or what it raised, is in the future."""
        future: Future[Any] = Future()
        self._line.put((future, do))
        return future

    def close(self) -> None:
        """End, without waiting: what has not begun is cancelled, what has is left to itself."""
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
            del future, do, work


@dataclass(eq=False, kw_only=True)
class StopDelivery:
    """A stop on its way."""

    by: str
    why: str
    at_s: float
    token: str
    open: bool = True
    """Whether the same stop, sent again, is this one."""
    written: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    """Its number in the journal, once it was seen there."""

    def view(self) -> dict[str, Any]:
        """What people and robots are told."""
        return stop_view(self.by, self.why, self.at_s, written=False)


def stop_view(by: str, why: str, at_s: float, seq: int | None = None, *, written: bool = True) -> dict[str, Any]:
    """Return a stop as people and robots are told of it."""
    return {"by": by, "why": why, "at_s": at_s, "seq": seq, "written": written}


class Stopping:
    """Takes stops from the event loop and has them written. Nothing else waits in its line.

    Args:
        desk: Whose stop it is.
        broadcast: Tells every socket at once; called in the event loop.
    """

    def __init__(self, desk: Desk, broadcast: Callable[[dict[str, Any]], None]) -> None:
        self._desk = desk
        self._broadcast = broadcast
        self._pending: list[StopDelivery] = []
        self._done: dict[tuple[str, str], None] = {}
        self._line: queue.SimpleQueue[StopDelivery | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="handup server stop", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def pending(self) -> StopDelivery | None:
        """The oldest stop that was not seen in the journal yet; it holds all the same."""
        return self._pending[0] if self._pending else None

    def begin(self, by: str, at_s: float) -> StopDelivery | None:
        """Stop at once, where the rest of what somebody says is still on its way; `stop` follows with it."""
        stop = StopDelivery(by=storable(by)[:LONGEST], why="", at_s=at_s, token="")
        self._broadcast(stop.view())
        if len(self._pending) >= MOST_PENDING:
            return None
        self._pending.append(stop)
        return stop

    async def stop(
        self, by: str, why: str, at_s: float, token: str = "", *, holds: bool = False, begun: StopDelivery | None = None
    ) -> bool:
        """Stop. Everybody has been told when this first waits.

        Args:
            by: Who says so.
            why: In their words.
            at_s: When.
            token: The same however often one stop is sent; without one, it is the same while it is not written.
            holds: Whether a stop that is written holds now: then one that was written before needs nothing more.
            begun: What `begin` gave. It is left without a token where it turns out to be one that was sent before.

        Returns:
            Whether it is in the journal by now. Where not, it holds here and is written as soon as it can be.
        """
        by, token = storable(by)[:LONGEST], storable(token)[:LONGEST_TOKEN]
        if token and holds and (by, token) in self._done:
            self._drop(begun)
            return True
        same = (each for each in self._pending if each.open and each.by == by and token in ("", each.token))
        stop = next((each for each in same if each is not begun), None)
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
        """A stop was seen in the journal; from now on that tells whether it holds.

        Returns:
            When it was said, where it was said here.
        """
        stop = next((each for each in self._pending if token and (each.by, each.token) == (by, token)), None)
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
        """Somebody is about to enable: a stop that comes from now on is another one, with whatever token."""
        self._done.clear()
        for each in self._pending:
            each.open = False

    async def known(self, last: int) -> int:
        """The number of the last stop that was said before now; `last` is that of the last one in the journal.

        Raises:
            StoreUnavailable: One of them is not written yet.
        """
        said = [each.written for each in self._pending]
        if not said:
            return last
        if (await asyncio.wait(said, timeout=SOON_S))[1]:
            raise StoreUnavailable("a stop is not written yet, and so it cannot be lifted", hint="Try again soon.")
        return max(last, *(each.result() for each in said))

    def _write(self) -> None:
        while (stop := self._line.get()) is not None:
            with Guarded(said="a stop holds here, but could not be written"):  # the next stop needs this thread
                try:
                    self._desk.stop(stop.by, stop.why, token=stop.token)
                except HandupError as error:  # the desk keeps it, and writes it before anything else
                    _log.warning("a stop holds here, but is not written yet: %s", error)

    def close(self) -> None:
        """Write what is left, and end."""
        self._line.put(None)
        if self._thread.is_alive():
            self._thread.join(1.0)
