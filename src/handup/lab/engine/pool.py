"""Work in several processes, which end with the process that started them, however it ends."""

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
    """Yield positions of tasks and their results, as they are completed.

    Args:
        work: Function of a module, so that other processes can import it.
        tasks: Arguments of the calls.
        jobs: Number of processes.
    """
    context = multiprocessing.get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, initializer=_follow, initargs=(reader,))
    all_done = False
    try:
        with _single_threaded(), _interrupts_held():
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
            writer.close()
        pool.shutdown(cancel_futures=True)
        writer.close()
        reader.close()


def _follow(reader: Connection) -> None:
    """Prepare a new process: leave interrupts to the first process, and end when that does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait() -> None:
        reader.poll(None)  # returns when the first process closes its end, or dies
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block interrupts while processes start: they inherit the mask, until they ignore interrupts themselves."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Let processes that start within use one thread each: there is a process for every core already."""
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
