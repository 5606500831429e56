"""The server: questions, answers and stops over HTTP and WebSocket, on one journal. Needs the extra `web`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from handup.core import HandupError, MissingExtra, Person
from handup.journal import Journal
from handup.server.house_router import introduce
from handup.server.running_server import RunningServer, listen
from handup.server.settings import Beats, Bounds, ServerSettings
from handup.server.tokens import Access, Grant, Paired

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = [
    "Access",
    "Beats",
    "Bounds",
    "Grant",
    "Paired",
    "RunningServer",
    "ServerSettings",
    "create_app",
    "introduce",
    "open_server",
    "serve",
    "start",
]
SWITCH_S = 0.0005
"""Longest time in seconds that one thread keeps the others waiting. The event loop passes answers on while threads wait
for the store: with Python's own 5 ms, the slowest answers took about 1.4 times as long."""


def create_app(
    journal: Journal | str | Path, *, people: Sequence[Person] = (), settings: ServerSettings | None = None
) -> FastAPI:
    """Return the server as an ASGI app, for another web server or for tests. Its threads run with its lifespan.

    Args:
        journal: An open journal, which the app does not close; or a store, which it does.
        people: People who can be asked, in order; those of the settings where it is empty.
        settings: Addresses, access and every limit.

    Raises:
        MissingExtra: The extra `web` is not installed.
        StoreUnavailable: The store cannot be used.
    """
    try:
        from handup.server.app import build  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("handup"):
            raise
        raise MissingExtra.of("web", "The server") from None
    settings = settings or ServerSettings()
    try:
        installed = version("handup")
    except PackageNotFoundError:
        installed = "unknown"
    return build(journal, people=people or settings.people, settings=settings, version=installed)


def open_server(settings: ServerSettings) -> RunningServer:
    """Return a server that listens, and serves with `run` or `start`.

    Raises:
        MissingExtra: The extra `web` is not installed.
        CannotListen: The port is taken, or the certificate cannot be used.
        StoreUnavailable: The store cannot be used.
    """
    socket = listen(settings)
    try:
        return RunningServer(create_app(settings.store, settings=settings), settings, socket)
    except HandupError:
        socket.close()
        raise


def start(settings: ServerSettings) -> RunningServer:
    """Start a server in a thread of this program, and return it when it is ready. Raises what `open_server` does."""
    return open_server(settings).start()


def serve(settings: ServerSettings) -> None:
    """Serve until a signal ends it, in a program of its own. Raises what `open_server` does."""
    sys.setswitchinterval(SWITCH_S)
    open_server(settings).run()
