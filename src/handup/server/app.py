"""The FastAPI app: routes, access guard, start and end of the service; around it, checks of host, origin and size."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handup.core import ForeignRequest, HandupError, Person, TooLarge
from handup.core.checks import is_loopback
from handup.journal import Journal
from handup.server import live, routes
from handup.server.auth import AccessGuard
from handup.server.models import frame_schemas
from handup.server.people_routes import people_routes
from handup.server.refusals import install, refusal
from handup.server.service import Service
from handup.server.settings import ServerSettings

DESCRIPTION = """Robots ask, people answer. Pair a device with a code, send its token as `Authorization: Bearer` or as
cookie, and follow `/api/v1/live` by WebSocket. Every refusal is `{"error": {"code", "cause", "hint"}}`."""
PICTURES = "/api/v1/pictures/"
STOP = "/api/v1/stop"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CSP = (
    "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class App(FastAPI):
    """FastAPI app whose OpenAPI document also describes the frames of the live socket."""

    def openapi(self) -> dict[str, Any]:
        """Return the document; it is made at the first request."""
        if self.openapi_schema is None:
            super().openapi()["components"]["schemas"] |= frame_schemas()
        return super().openapi()


def build(
    journal: Journal | str | Path, *, people: Sequence[Person], settings: ServerSettings, version: str
) -> FastAPI:
    """Return the app on a journal. Its threads run while its lifespan does.

    Raises:
        StoreUnavailable: The store cannot be used. A damaged store raises nothing: the app reports it to everybody,
            and refuses all other requests.
    """
    service = Service(journal, people, settings, version)
    app = described(version, lambda _: _life(service))
    app.state.service = service
    app.state.guard = AccessGuard(service, settings.bounds)
    app.add_middleware(OuterGate, settings=settings)
    install(app)
    app.include_router(live.routes)
    routes.add_page(app)
    return app


@asynccontextmanager
async def _life(service: Service) -> AsyncIterator[None]:
    service.start()
    try:
        yield
    finally:
        await service.close()


def described(version: str, lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]] | None = None) -> FastAPI:
    """Return the app with every route of the OpenAPI document."""
    app = App(
        title="handup",
        version=version,
        description=DESCRIPTION,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        separate_input_output_schemas=False,
    )
    for part in (
        routes.server_routes,
        routes.access_routes,
        routes.question_routes,
        people_routes,
        routes.robot_routes,
        routes.draft_routes,
    ):
        app.include_router(part)
    return app


class OuterGate:
    """Outermost layer of the app: it checks host, origin and size before anything is read.

    Args:
        app: The app that it protects.
        settings: The server's own hosts and origins, and the largest size of a body.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings
        self._hosts = {"localhost"}
        if not is_loopback(settings.host):
            own = socket.gethostname().lower()
            self._hosts |= {own, f"{own}.local", settings.host.lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        sending = _with_headers(send)
        try:
            headers = Headers(scope=scope)
            self._check_host(scope, headers)
            if scope["type"] == "websocket" or scope["method"] not in SAFE:
                self._check_origin(headers)
            if scope["type"] == "http":
                receive = self._limited(scope, headers, receive)
        except HandupError as error:
            await refusal(error)(scope, receive, sending)
            return
        await self._app(scope, receive, sending)

    def _check_host(self, scope: Scope, headers: Headers) -> None:
        """Refuse foreign host names: a page of another site could have led the browser here (DNS rebinding)."""
        name = headers.get("host", "")
        if name in {urlsplit(origin).netloc for origin in self._settings.origins}:
            return
        try:
            parts = urlsplit(f"//{name}")
            host, port = (parts.hostname or "").rstrip("."), parts.port
        except ValueError:
            host, port = "", None
        usual = 443 if scope["scheme"] in {"https", "wss"} else 80
        served = (scope.get("server") or ("", None))[1]
        if not (host in self._hosts or self._is_address(host)) or (served and (port or usual) != served):
            raise ForeignRequest(
                "this server does not have that name", hint="Open it by the address that it printed, or use --origin."
            )

    def _is_address(self, host: str) -> bool:
        if is_loopback(host):
            return True
        try:
            ip_address(host)
        except ValueError:
            return False
        return not is_loopback(self._settings.host)

    def _check_origin(self, headers: Headers) -> None:
        """Refuse a request from a page of another origin; programs send no origin."""
        origin = headers.get("origin")
        if origin is None or origin in self._settings.origins:
            return
        if origin != f"{self._settings.scheme}://{headers.get('host', '')}":
            raise ForeignRequest("a page of another origin sent this", hint="Open the page that this server serves.")

    def _limited(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """Return a `receive` that takes no more of a body than is allowed."""
        bounds = self._settings.bounds
        most = bounds.picture if scope["path"].startswith(PICTURES) else bounds.body
        length = headers.get("content-length", "")
        # A stop is never refused for its size: a body that is too large is ignored.
        if length.isdecimal() and int(length[:20]) > most and scope["path"] != STOP:
            raise _too_large(most)
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise HTTPException(413, _too_large(most).hint)  # FastAPI lets no other error through from here
            return message

        return limited


def _too_large(most: int) -> TooLarge:
    return TooLarge("the body of this request is too large", hint=f"Send at most {most} bytes.")


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] in {"http.response.start", "websocket.http.response.start"}:
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending
