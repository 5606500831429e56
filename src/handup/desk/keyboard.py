"""Lines that a person types, read so that something else can come up meanwhile."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

LOOK_EVERY_S = 0.3
"""How often it is looked whether the question still stands while a person types."""
MAX_LINE = 20_000
"""A longer line is cut; no answer is so long."""


class Keyboard:
    """Standard input, or another stream with a file descriptor.

    Where the system cannot wait for a stream and a clock at once, a question that is settled elsewhere shows only
    after the line.

    Args:
        stream: What to read; standard input where it is None.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdin
        self._rest = b""
        self._ended = False

    @property
    def live(self) -> bool:
        """Whether it is a terminal, and not that of another job: who reads from the background is halted.

        What somebody typed ahead there must not answer the next question.
        """
        return self._stream is not None and self._stream.isatty() and _is_in_front(self._descriptor())

    def line(self, gone: Callable[[], bool]) -> str | None:
        """The next line without its end; None as soon as `gone` says that nobody waits for it.

        Raises:
            EOFError: There is nothing more to come.
        """
        if self._stream is None:
            raise EOFError
        descriptor = self._descriptor()
        if descriptor is None:
            text = self._stream.readline(MAX_LINE)
            if not text:
                raise EOFError
            return text.rstrip("\r\n")
        while b"\n" not in self._rest and not self._ended:
            if gone():
                return None
            if select.select([descriptor], [], [], LOOK_EVERY_S)[0]:
                self._take(descriptor)
        if not self._rest:
            self._ended = self._ended and not self.live  # after Ctrl-D a terminal goes on
            raise EOFError
        found, _, self._rest = self._rest.partition(b"\n")
        return found[:MAX_LINE].decode("utf-8", "replace").rstrip("\r")

    def drop(self) -> None:
        """Forget what was typed ahead; lines that a program sends are kept."""
        descriptor = self._descriptor()
        if not self.live or descriptor is None:
            return
        self._rest = b""
        while select.select([descriptor], [], [], 0.0)[0]:
            before = len(self._rest)
            self._take(descriptor)
            if self._ended or len(self._rest) == before:
                break
        self._rest, self._ended = b"", False
        _flush(descriptor)

    def _take(self, descriptor: int) -> None:
        found = os.read(descriptor, 4096)
        self._ended = not found
        self._rest = (self._rest + found)[-4 * MAX_LINE :]

    def _descriptor(self) -> int | None:
        if os.name != "posix":
            return None
        try:
            return self._stream.fileno()
        except (OSError, ValueError, AttributeError):
            return None


def _is_in_front(descriptor: int | None) -> bool:
    """Whether what is typed there is for this program; so it is where a terminal has no jobs."""
    with suppress(OSError):
        return descriptor is None or os.tcgetpgrp(descriptor) == os.getpgrp()
    return True


def _flush(descriptor: int) -> None:
    """Drop half a line that was typed, which only the terminal itself knows."""
    import termios  # noqa: PLC0415 - not everywhere

    with suppress(termios.error):
        termios.tcflush(descriptor, termios.TCIFLUSH)
