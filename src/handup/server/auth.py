"""Access check of every route: owner of the token, rights of their role, and limits of how often."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response, WebSocket
from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection

from handup.core import ForeignRequest, NotForYou, NotPaired, TooFast
from handup.core.checks import is_loopback
from handup.server.permissions import EVERYBODY, RIGHTS, UNLIMITED, Roles
from handup.server.service import Service
from handup.server.settings import Bounds
from handup.server.tokens import Grant

MOST_BUCKETS = 10_000
"""The most buckets that are remembered; the one unused for longest is forgotten first."""
COOKIE = "handup-{port}"
"""Name of the cookie. A browser keeps one set of cookies for all ports of a host, so the name has the port in it."""
PROTOCOL = "handup"
BEARER = "bearer."
STORE = "handup-store"
"""Header with the store that a device's request is meant for."""
METRICS = ("GET", "/api/v1/metrics")
PAIR = ("POST", "/api/v1/pair")
REPLY = ("POST", "/api/v1/replies")
"""Counted only after its body is read: it may be a stop."""
WITHOUT_STORE = frozenset({("GET", "/api/v1/health"), ("GET", "/api/v1/openapi.json"), ("POST", "/api/v1/stop")})
"""Requests that also work on a damaged journal."""


class Buckets:
    """Token buckets: each key may act `per_s` times a second, and `burst` times at once. Use it from one thread.

    Args:
        per_s: Tokens that a bucket gains per second.
        burst: The most tokens that it holds.
        now_s: Clock in seconds; another one for tests.
    """

    def __init__(self, per_s: float, burst: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self.per_s, self.burst = per_s, burst
        self._now_s = now_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> bool:
        """Take one token of a key; return False where none is left."""
        now_s = self._now_s()
        left, at_s = self._left.pop(key, (self.burst, now_s))
        left = min(self.burst, left + (now_s - at_s) * self.per_s)
        allowed = left >= 1.0
        self._left[key] = (left - 1.0 if allowed else left, now_s)
        while len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        return allowed


class AccessGuard:
    """Guard that lets in whom the table of rights allows. Use it in the event loop only.

    Args:
        service: The service, with its tokens and settings.
        bounds: Limits of how often.
    """

    def __init__(self, service: Service, bounds: Bounds) -> None:
        self._service = service
        self._people = Buckets(bounds.per_s, bounds.burst)
        self._robots = Buckets(bounds.robot_per_s, bounds.robot_burst)
        self._addresses = Buckets(bounds.address_per_s, bounds.address_burst)
        self._tries = Buckets(bounds.tries_per_min / 60.0, bounds.tries_per_min)
        self._all_tries = Buckets(bounds.all_tries_per_min / 60.0, bounds.all_tries_per_min)

    async def admit(self, connection: HTTPConnection, way: tuple[str, str]) -> Grant | None:
        """Let a request in.

        Returns:
            The grant of its owner; None where everybody may send it.

        Raises:
            NotPaired: It has no valid token.
            NotForYou: The table does not allow it.
            ForeignRequest: It is meant for another store; a stop is for all.
            TooFast: It comes too often.
            DamagedJournal: The journal is damaged, and nothing else works.
        """
        if self._service.damage is not None and way not in WITHOUT_STORE:
            raise self._service.damage
        address = connection.client.host if connection.client else ""
        allowed: Roles | None = RIGHTS.get(way, frozenset())
        token = token_of(connection)
        grant = await self._find(token, address) if token else None
        if way == PAIR and not (self._tries.take(address) and self._all_tries.take("")):
            raise TooFast("too many codes were tried", hint="Wait a minute, then type it again.")
        if grant is None:
            self._check_pace(self._addresses, address, way)
            open_metrics = self._service.settings.open_metrics and is_loopback(address)
            if allowed is EVERYBODY or (way == METRICS and open_metrics):
                return None
            raise NotPaired(
                "this device is not paired, or not any more", hint="Pair it: run handup pair where the server is."
            )
        if way != REPLY:
            self.check_pace(grant, way)
        if allowed is not EVERYBODY and grant.role not in allowed:
            raise NotForYou(f"a {grant.role} may not do this", hint="Ask somebody who may.")
        store = connection.headers.get(STORE, "")
        if store and way not in UNLIMITED and store != self._service.store_id():
            raise ForeignRequest("this is meant for another store", hint="Load the page again.")
        return grant

    def check_pace(self, grant: Grant, way: tuple[str, str] = ("", "")) -> None:
        """Count a request or a frame of a token's owner.

        Raises:
            TooFast: They send too many.
        """
        self._check_pace(self._robots if grant.is_robot else self._people, grant.id, way)

    def _check_pace(self, buckets: Buckets, key: str, way: tuple[str, str]) -> None:
        if way not in UNLIMITED and not buckets.take(key):
            raise TooFast("this comes too often", hint="Wait a second. A stop is always taken.")

    async def _find(self, token: str, address: str) -> Grant | None:
        """Return the grant of a token. A token that another program has just made is looked up in the journal."""
        if not self._service.opened:
            return None
        grant = self._service.access.find(token)
        # Each look into the journal costs one token of the address: guessing tokens cannot keep the store busy.
        if grant is None and self._service.damage is None and self._addresses.take(address):
            await self._service.call(self._service.access.catch_up)
            grant = self._service.access.find(token)
        return grant


def token_of(connection: HTTPConnection) -> str:
    """Return the token of a request, if any. It is never read from the address: addresses are kept in logs."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    if isinstance(connection, WebSocket):
        for protocol in connection.scope.get("subprotocols", ()):
            if protocol.startswith(BEARER):
                return str(protocol[len(BEARER) :])
    return connection.cookies.get(cookie_of(connection), "")


def cookie_of(connection: HTTPConnection) -> str:
    """Return the name of the cookie that this server sets and reads."""
    return COOKIE.format(port=(connection.scope.get("server") or ("", None))[1] or 0)


class GuardedRoute(APIRoute):
    """A route that is looked up in the table of rights before anything of its request is read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, behind the guard."""
        handler = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            guard: AccessGuard = request.app.state.guard
            request.state.grant = await guard.admit(request, (request.method, self.path))
            return await handler(request)

        return guarded
