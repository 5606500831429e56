"""A few threads that wait for the store; none of them keeps the program from ending."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any

Work = tuple[Future[Any], Callable[[], Any]]


class Pool:
    """Daemon threads that do one thing after the other.

    A program that has a `ThreadPoolExecutor` does not end while one of its threads waits for a locked store.

    Args:
        threads: How many; they begin with `start`.
    """

    def __init__(self, threads: int) -> None:
        self._line: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
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
            with _Telling(future):
                future.set_result(do())
            del future, do, work


class _Telling:
    """Tells whoever waits for a future what was raised here."""

    def __init__(self, future: Future[Any]) -> None:
        self._future = future

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            self._future.set_exception(error)
        return True
