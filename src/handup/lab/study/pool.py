"""Work in several processes, which end with the one that started them, whatever ends it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import TypeVar

from handup.core import ProcessLost

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
T = TypeVar("T")
R = TypeVar("R")


def in_processes(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> Iterator[tuple[int, R]]:
    """Positions of tasks and what came of them, as they get done.

    Args:
        work: Must be found by its name in a module, so that other processes find it too.
        tasks: What to do.
        jobs: How many processes.
    """
    context = multiprocessing.get_context("spawn")
    ear, mouth = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, initializer=_follow, initargs=(ear,))
    all_done = False
    try:
        with _single_threaded():
            running = {pool.submit(work, task): number for number, task in enumerate(tasks)}
        for future in as_completed(running):
            yield running[future], future.result()
        all_done = True
    except BrokenProcessPool:
        raise ProcessLost(
            "a process of the run was ended from outside, perhaps for want of memory",
            hint="Give the same command again, with fewer --jobs if it happens twice; what was done is kept.",
        ) from None
    finally:
        if not all_done:
            mouth.close()
        pool.shutdown(cancel_futures=True)
        mouth.close()
        ear.close()


def _follow(ear: Connection) -> None:
    """In a new process: leave interrupts to the first one, and end when that does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait() -> None:
        ear.poll(None)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Processes started within keep to one thread each: there is one for every core already."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
