"""An event loop in a thread of its own, for actions that are async functions."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from types import TracebackType
from typing import Any
from weakref import WeakSet

from handup.core import IllegalCall


class Background:
    """An event loop in a thread of its own, started with the first action.

    All actions that share it share one loop, so a client that belongs to a loop can be used by all of them. It is
    closed when the program ends, or earlier by `close`, or at the end of a `with` block.

    Args:
        close_s: When it is closed, what is still under way is cancelled, and has so many seconds to make safe.
    """

    def __init__(self, *, close_s: float = 2.0) -> None:
        self._close_s = close_s
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._begun: WeakSet[Future[Any]] = WeakSet()

    def begin(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Begin some work and give what will hold its result. Cancelling that cancels the work.

        Raises:
            IllegalCall: It was closed.
        """
        try:
            begun: Future[Any] = asyncio.run_coroutine_threadsafe(work, self._started())
        except IllegalCall:
            work.close()
            raise
        self._begun.add(begun)
        return begun

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise IllegalCall("an action began after its event loop was closed", hint="Close it after the run.")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_run, args=(self._loop,), name="handup-actions", daemon=True)
                self._thread.start()
                atexit.register(self.close)
            return self._loop

    def close(self) -> None:
        """Cancel what is under way and end the loop. Safe twice."""
        with self._lock:
            loop, thread, closed, self._closed = self._loop, self._thread, self._closed, True
        if loop is None or thread is None or closed:
            return
        atexit.unregister(self.close)
        ending = asyncio.run_coroutine_threadsafe(_cancelled(self._close_s), loop)
        ending.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
        thread.join(2.0 * self._close_s)
        for each in list(self._begun):
            each.cancel()  # of those that did not end: nobody may wait for them any longer

    def __enter__(self) -> Background:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """What the thread does."""
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _cancelled(within_s: float) -> None:
    """Cancel everything else on this loop, and let it make safe."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for each in others:
        each.cancel()
    if others:
        await asyncio.wait(others, timeout=within_s)


SHARED = Background()
"""For those who bring none of their own."""
