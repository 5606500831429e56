"""Programs that tests kill: forked from a process that has everything imported, in milliseconds instead of a second."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.process import BaseProcess

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.executive.asking", "tests.executive.program", "tests.domains.kitting.program"])


def started(program: Callable[..., object], *arguments: object) -> BaseProcess:
    """Start a program in a process of its own."""
    process = _CONTEXT.Process(target=program, args=arguments)
    process.start()
    return process


def ended(process: BaseProcess) -> int | None:
    """Wait for the end of a program, at most five minutes; return its exit status, negative for a signal."""
    process.join(300.0)
    return process.exitcode
