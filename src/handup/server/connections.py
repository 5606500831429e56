"""Connections before anybody knows whose they are: how many there may be, and how long a request may take to come.

Where all places are taken, a new connection takes that of the oldest one whose request has not come: whoever opens
connections and says nothing keeps nobody out.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import math
import time
from collections import Counter
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from handup.server.settings import Bounds, is_loopback

SPARE = 96
"""So many files the process keeps for the store, for pictures and for WebSockets."""
SAY_AGAIN_S = 60.0
"""So often it is said at most that there are no more files for connections."""
FULL = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_log = logging.getLogger("handup.server")


class Connections:
    """The connections of one server that are no WebSockets. Use it in the event loop only.

    Args:
        bounds: How many there may be.
    """

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._most = min(bounds.connections, max(most_files() - SPARE, 16))
        self._open: dict[Connection, None] = {}
        self._addresses: Counter[str] = Counter()
        self._said_s = -math.inf

    def __len__(self) -> int:
        return len(self._open)

    def enter(self, connection: Connection) -> bool:
        """Take a new connection in; False where there is no place for it."""
        mine = (
            not is_loopback(connection.address) and self._addresses[connection.address] >= self.bounds.connections_each
        )
        if mine or len(self._open) >= self._most:
            oldest = next(
                (each for each in self._open if each.waits and (not mine or each.address == connection.address)), None
            )
            if oldest is None:
                self.say("too many connections are open; new ones are refused")
                return False
            self.leave(oldest)
            oldest.cut()
        self._open[connection] = None
        self._addresses[connection.address] += 1
        return True

    def leave(self, connection: Connection) -> None:
        """A connection is over, or a WebSocket now. Safe to call twice."""
        if connection in self._open:
            del self._open[connection]
            self._addresses[connection.address] -= 1
            if not self._addresses[connection.address]:
                del self._addresses[connection.address]

    def say(self, what: str) -> None:
        """Say something in the log, but not all the time."""
        now_s = time.monotonic()
        if now_s - self._said_s >= SAY_AGAIN_S:
            self._said_s = now_s
            _log.warning("%s", what)

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handler of the loop's errors: that no connection could be accepted is said once a minute, not each time."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in FULL:
            self.say(f"connections cannot be accepted just now: {error.strerror}")
        else:
            loop.default_exception_handler(context)


def most_files() -> int:
    """How many files this process may open."""
    try:
        import resource  # noqa: PLC0415 - Windows has no such limits
    except ImportError:
        return 512
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft == resource.RLIM_INFINITY else soft


class Connection(H11Protocol):
    """HTTP on one connection, for so long as its requests come in time."""

    all_open: ClassVar[Connections]
    address = ""
    _timer: asyncio.TimerHandle | None = None
    _awaits: object = None
    _is_websocket = False

    @property
    def waits(self) -> bool:
        """Whether no whole request has come that is still to be answered."""
        return self.cycle is None or self.cycle.response_complete or self.conn.their_state is h11.SEND_BODY

    def cut(self) -> None:
        """Close it at once."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Come in, or be sent away."""
        super().connection_made(transport)
        self.address = "" if self.client is None else self.client[0]
        if self.all_open.enter(self):
            self._await(h11.IDLE)
        else:
            self.cut()

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room."""
        self.all_open.leave(self)
        self._await(None)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take what came, and see how much of a request is still to come."""
        super().handle_events()
        state = self.conn.their_state
        more = state is h11.SEND_BODY or (state is h11.IDLE and bool(self.conn.trailing_data[0]))
        self._await(state if more and not self._is_websocket else None)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """A WebSocket has limits of its own."""
        self._is_websocket = True
        self.all_open.leave(self)
        super().handle_websocket_upgrade(event)

    def _await(self, state: object) -> None:
        """Close it unless that part of a request has come in time; None: nothing is awaited."""
        if state is self._awaits and state is not None:
            return  # its time runs already, however much comes of it
        self._awaits = state
        if self._timer is not None:
            self._timer.cancel()
        bounds = self.all_open.bounds
        late_s = bounds.head_s if state is h11.IDLE else bounds.body_s
        self._timer = None if state is None else self.loop.call_later(late_s, self.cut)


def protocol_of(connections: Connections) -> type[Connection]:
    """Return how a server speaks HTTP, for uvicorn, which builds one for each connection."""
    return type("HttpConnection", (Connection,), {"all_open": connections})
