"""Limits of connections before their owner is known: their number, and the time that a request may take to arrive.

Where all places are taken, a new connection takes the place of the oldest one without a whole request: nobody is kept
out by somebody who opens connections and sends nothing.
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

from handup.core.checks import is_loopback
from handup.server.settings import Bounds

SPARE = 96
"""Number of files that the process keeps free for the store, for pictures and for WebSockets."""
SAY_AGAIN_S = 60.0
"""Shortest time in seconds between two warnings in the log that no connection can be accepted."""
FULL = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_log = logging.getLogger("handup.server")


class Connections:
    """Connections of one server that are no WebSockets. Use it in the event loop only.

    Args:
        bounds: Limits of their number.
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
        """Take a new connection in; return False where there is no place for it."""
        mine = (
            not is_loopback(connection.address) and self._addresses[connection.address] >= self.bounds.connections_each
        )
        if mine or len(self._open) >= self._most:
            oldest = next(
                (known for known in self._open if known.waits and (not mine or known.address == connection.address)),
                None,
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
        """Forget a connection that has ended or become a WebSocket. Safe to call twice."""
        if connection in self._open:
            del self._open[connection]
            self._addresses[connection.address] -= 1
            if not self._addresses[connection.address]:
                del self._addresses[connection.address]

    def say(self, what: str) -> None:
        """Write a warning in the log, at most once in `SAY_AGAIN_S`."""
        now_s = time.monotonic()
        if now_s - self._said_s >= SAY_AGAIN_S:
            self._said_s = now_s
            _log.warning("%s", what)

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle errors of the event loop: log failures to accept a connection once a minute, not each time."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in FULL:
            self.say(f"connections cannot be accepted just now: {error.strerror}")
        else:
            loop.default_exception_handler(context)


def most_files() -> int:
    """Return the number of files that this process may open."""
    try:
        import resource  # noqa: PLC0415 - Windows has no such limits
    except ImportError:
        return 512
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft == resource.RLIM_INFINITY else soft


class Connection(H11Protocol):
    """One HTTP connection, closed where a request does not arrive in time."""

    all_open: ClassVar[Connections]
    address = ""
    _timer: asyncio.TimerHandle | None = None
    _awaits: object = None
    _is_websocket = False

    @property
    def waits(self) -> bool:
        """True where no whole request has arrived that is still to be answered."""
        return self.cycle is None or self.cycle.response_complete or self.conn.their_state is h11.SEND_BODY

    def cut(self) -> None:
        """Close it at once."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, or close where there is none."""
        super().connection_made(transport)
        self.address = "" if self.client is None else self.client[0]
        if self.all_open.enter(self):
            self._await(h11.IDLE)
        else:
            self.cut()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self.all_open.leave(self)
        self._await(None)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Process new data, and limit the time for the rest of a request."""
        super().handle_events()
        state = self.conn.their_state
        more = state is h11.SEND_BODY or (state is h11.IDLE and bool(self.conn.trailing_data[0]))
        self._await(state if more and not self._is_websocket else None)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over to the WebSocket, which has limits of its own."""
        self._is_websocket = True
        self.all_open.leave(self)
        super().handle_websocket_upgrade(event)

    def _await(self, state: object) -> None:
        """Close the connection unless that part of a request arrives in time; with None, nothing is awaited."""
        if state is self._awaits and state is not None:
            return  # its time runs already: more bytes do not extend it
        self._awaits = state
        if self._timer is not None:
            self._timer.cancel()
        bounds = self.all_open.bounds
        late_s = bounds.head_s if state is h11.IDLE else bounds.body_s
        self._timer = None if state is None else self.loop.call_later(late_s, self.cut)


def protocol_of(connections: Connections) -> type[Connection]:
    """Return the protocol class from which uvicorn makes one instance for each connection."""
    return type("HttpConnection", (Connection,), {"all_open": connections})
