"""Stops on their way to the journal: none is refused, none is lost, and a signal handler may say one."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass

from handup.core import Reply
from handup.core.checks import storable
from handup.desk.commands import Stop
from handup.desk.record import Receipt
from handup.desk.state import MOST_STOPS

LONGEST_NAME = 500
"""A longer name of whoever says stop is cut, so that every store can keep it."""


class Inside:
    """Whether this thread is within something of the desk that must not be entered again, by a signal handler say."""

    def __init__(self) -> None:
        self._here = threading.local()

    def __enter__(self) -> None:
        self._here.depth = getattr(self._here, "depth", 0) + 1

    def __exit__(self, *_: object) -> None:
        self._here.depth -= 1

    def __bool__(self) -> bool:
        return getattr(self._here, "depth", 0) > 0


@dataclass(eq=False)
class Pending:
    """A stop that holds in this process, and what was said to it once it was written."""

    command: Stop | Reply
    receipt: Receipt | None = None


class Stops:
    """The stops that are not written yet. Takes no lock, so a signal handler may add one at any point."""

    def __init__(self) -> None:
        self._pending: deque[Pending] = deque(maxlen=MOST_STOPS)

    def __bool__(self) -> bool:
        return bool(self._pending)

    def latch(self, command: Stop | Reply, longest: int) -> Pending:
        """Hold a stop. What no journal can keep of it is replaced or cut, never a reason to refuse it."""
        pending = Pending(_kept(command, longest))
        self._pending.append(pending)
        return pending

    def left(self) -> tuple[Pending, ...]:
        """Those that are still to be written, oldest first."""
        return tuple(self._pending)

    def written(self, stops: tuple[Pending, ...]) -> None:
        """These are in the journal now."""
        for each in stops:
            with suppress(ValueError):  # so many came that it was dropped
                self._pending.remove(each)


def _kept(command: Stop | Reply, longest: int) -> Stop | Reply:
    if isinstance(command, Reply):
        return command  # it was checked when it was made
    by, why = storable(str(command.by)), storable(str(command.why))
    return Stop(by=by[: min(longest, LONGEST_NAME)], why=why[:longest], token=command.token)
