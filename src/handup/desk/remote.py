"""What a robot keeps in a journal of its own about a desk that is on another machine."""

from __future__ import annotations

from dataclasses import dataclass

from handup.core import event


@event("remote.settled")
@dataclass(frozen=True, kw_only=True)
class RemoteSettled:
    """A question at the server has come so far that there was something to tell.

    Args:
        status: Where it is. Who answered what stays at the server, where it can be erased.
    """

    status: str


@event("remote.stopped")
@dataclass(frozen=True, kw_only=True)
class RemoteStopped:
    """The server said stop, so that the run is stopped also when this program starts again."""
