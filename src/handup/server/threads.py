"""Threads that wait for the store: none of them ends of what nobody thought of, or keeps the program from ending."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any

Work = tuple[Future[Any], Callable[[], Any]]
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
            with Guarded(future.set_exception):
                future.set_result(do())
            del future, do, work
