"""A running server: as a program of its own, or in a thread beside a demonstration or a test."""

from __future__ import annotations

import asyncio
import logging
import socket as sockets
import ssl
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from handup.core import CannotListen, Role
from handup.server.house_router import introduce
from handup.server.settings import ServerSettings
from handup.server.tokens import CODE_S, TOKEN_S, Access

if TYPE_CHECKING:
    from fastapi import FastAPI

    from handup.server.service import Service

START_S = 15.0
"""Longest time in seconds that a server in a thread may take to start."""
BACKLOG = 128
"""Number of connections that are accepted at a time, and that may wait to be accepted."""
GRACE_S = 1
"""Longest time that connections may take to end, in whole seconds."""
_log = logging.getLogger("handup.server")


def listen(settings: ServerSettings) -> sockets.socket:
    """Return the socket that a server listens on.

    Raises:
        CannotListen: The port is taken, or the host is not this machine's.
    """
    family = sockets.AF_INET6 if ":" in settings.host else sockets.AF_INET
    # With the protocol named, asyncio sends what it has at once on accepted connections; so does the option elsewhere.
    listener = sockets.socket(family, sockets.SOCK_STREAM, sockets.IPPROTO_TCP)
    try:
        listener.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        listener.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotListen(
            f"{settings.host}:{settings.port} cannot be listened on: {error.strerror or error}",
            hint="Another program may use the port; end it, or choose another one with --port.",
        ) from None
    listener.set_inheritable(False)
    return listener


class RunningServer:
    """A server and its access codes. Make it with `handup.server.start`, and close it when done.

    Args:
        app: The app that it serves.
        settings: Its settings.
        socket: The socket that it listens on.
    """

    def __init__(self, app: FastAPI, settings: ServerSettings, socket: sockets.socket) -> None:
        self.app = app
        self.settings = settings
        self.port = int(socket.getsockname()[1])
        self.url = settings.url(self.port)
        self._socket = socket
        self._server = _uvicorn(app, settings)
        self._thread: threading.Thread | None = None

    @property
    def service(self) -> Service:
        """Service behind the routes."""
        service: Service = self.app.state.service
        return service

    @property
    def access(self) -> Access:
        """Codes and tokens of those who may come in."""
        return self.service.access

    def code(
        self,
        person: str,
        role: Role | str = Role.RESIDENT,
        *,
        code_s: float = CODE_S,
        token_s: float = TOKEN_S,
    ) -> str:
        """Return a code for a device of a person, whom the desk knows from then on."""
        role = Role.of(role)
        introduce(self.service.desk, person, role)
        return self.access.make_code(person, role, code_s=code_s, token_s=token_s)[0]

    def token(self, person: str, role: Role | str = Role.RESIDENT, device: str = "") -> str:
        """Return a token for a person, without typing a code: for tests and demonstrations."""
        return self.access.pair(self.code(person, role), device).token

    def robot_token(self, robot: str) -> str:
        """Return a token for a robot."""
        return self.access.robot_token(robot).token

    def link(self, code: str) -> str:
        """Return the address that pairs a browser; the code follows a #, which browsers send to no server."""
        return f"{self.url}/#code={code}"

    def run(self) -> None:
        """Serve in this thread until a signal or `close` ends it."""
        self._server.run(sockets=[self._socket])

    def start(self) -> Self:
        """Serve in a thread of its own; it is ready when this returns."""
        self._thread = threading.Thread(target=self.run, name="handup server", daemon=True)
        self._thread.start()
        if not self._server.began.wait(START_S) or not self._thread.is_alive():
            raise CannotListen("the server did not begin", hint="Look at its log.")
        return self

    def close(self) -> None:
        """End the server. Safe to call twice."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(START_S)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _uvicorn(app: FastAPI, settings: ServerSettings) -> Any:
    import uvicorn  # noqa: PLC0415 - an extra

    from handup.server.connections import Connections, protocol_of  # noqa: PLC0415 - needs the extra

    connections = Connections(settings.bounds)

    class Server(uvicorn.Server):
        """Server that closes its sockets with a reason before it ends, and sets an event when it has started."""

        def __init__(self, config: uvicorn.Config) -> None:
            super().__init__(config)
            self.began = threading.Event()

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """End cleanly at the first signal, at once at the second; the signal is not raised again afterwards."""
            self.force_exit = self.should_exit
            self.should_exit = True

        async def startup(self, sockets: list[sockets.socket] | None = None) -> None:
            asyncio.get_running_loop().set_exception_handler(connections.failed)
            await super().startup(sockets)
            self.began.set()

        async def shutdown(self, sockets: list[sockets.socket] | None = None) -> None:
            await app.state.service.say_bye()
            await super().shutdown(sockets)

    try:
        config = uvicorn.Config(
            app,
            http=protocol_of(connections),
            backlog=BACKLOG,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            ws_max_size=settings.bounds.frame,
            ws_ping_interval=None,
            ws_ping_timeout=None,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=GRACE_S,
            ssl_certfile=None if settings.tls_cert is None else str(settings.tls_cert),
            ssl_keyfile=None if settings.tls_key is None else str(settings.tls_key),
        )
        config.load()
    except (OSError, ssl.SSLError) as error:
        raise CannotListen(
            f"the certificate cannot be used: {error.strerror or error}", hint="Check --tls-cert and --tls-key."
        ) from None
    return Server(config)
