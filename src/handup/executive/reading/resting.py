"""Reading and checking without the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_resting() -> Iterator[None]:
    """Let Python's garbage collector rest while many small things are made and kept.

    What is read holds no cycles and all of it stays, yet the collector would look through it again and again: that
    was half of the time that a large file takes.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
