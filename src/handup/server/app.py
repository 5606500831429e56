"""The FastAPI app: routes, guard, gate and the life of the service behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

from handup.core import Person
from handup.journal import Journal
from handup.server import access_routes, live, question_routes, robot_routes, status_routes
from handup.server.auth import Guard
from handup.server.middleware import Gate
from handup.server.refusals import install
from handup.server.service import Service
from handup.server.settings import ServerSettings

DESCRIPTION = """Robots ask, people answer. Pair a device with a code, send its token as `Authorization: Bearer` or as
cookie, and follow `/api/v1/live` by WebSocket. Every refusal is `{"error": {"code", "cause", "hint"}}`."""


def build(
    journal: Journal | str | Path, *, people: Sequence[Person], settings: ServerSettings, version: str
) -> FastAPI:
    """The app on a journal. Its threads run while its lifespan does.

    Raises:
        StoreUnavailable: The store cannot be used. A damaged one can: the app then says so, and refuses the rest.
    """
    service = Service(journal, people, settings, version)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.start()
        try:
            yield
        finally:
            await service.close()

    app = FastAPI(
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
    app.state.service = service
    app.state.guard = Guard(service, settings.bounds)
    app.add_middleware(Gate, settings=settings)
    install(app)
    for part in (status_routes, access_routes, question_routes, robot_routes):
        app.include_router(part.routes)
    app.include_router(question_routes.drafts)
    app.include_router(live.routes)
    status_routes.add_page(app)
    return app
