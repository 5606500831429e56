"""The FastAPI app: routes, guard, gate and the life of the service behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from handup.core import Person
from handup.journal import Journal
from handup.server import access_routes, live, question_routes, robot_routes, status_routes
from handup.server.auth import Guard
from handup.server.middleware import Gate
from handup.server.models import frame_schemas
from handup.server.refusals import install
from handup.server.service import Service
from handup.server.settings import ServerSettings

DESCRIPTION = """Robots ask, people answer. Pair a device with a code, send its token as `Authorization: Bearer` or as
cookie, and follow `/api/v1/live` by WebSocket. Every refusal is `{"error": {"code", "cause", "hint"}}`."""


class App(FastAPI):
    """The app; its OpenAPI document describes the frames of the live socket too."""

    def openapi(self) -> dict[str, Any]:
        """Return the document, made when it is first asked for."""
        if self.openapi_schema is None:
            super().openapi()["components"]["schemas"] |= frame_schemas()
        return super().openapi()


def build(
    journal: Journal | str | Path, *, people: Sequence[Person], settings: ServerSettings, version: str
) -> FastAPI:
    """The app on a journal. Its threads run while its lifespan does.

    Raises:
        StoreUnavailable: The store cannot be used. A damaged one can: the app then says so, and refuses the rest.
    """
    service = Service(journal, people, settings, version)
    app = described(version, lambda _: _life(service))
    app.state.service = service
    app.state.guard = Guard(service, settings.bounds)
    app.add_middleware(Gate, settings=settings)
    install(app)
    app.include_router(live.routes)
    status_routes.add_page(app)
    return app


@asynccontextmanager
async def _life(service: Service) -> AsyncIterator[None]:
    service.start()
    try:
        yield
    finally:
        await service.close()


def described(version: str, lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]] | None = None) -> FastAPI:
    """The app with all that its OpenAPI document describes."""
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
    for part in (status_routes, access_routes, question_routes, robot_routes):
        app.include_router(part.routes)
    app.include_router(question_routes.drafts)
    return app
