"""Routes about the server itself: health, metrics, and the page."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from handup.server.metrics import MEDIA_TYPE
from handup.server.models import Health
from handup.server.routes import IN_JSON, Behind, json_of, router

STATIC = Path(__file__).parent / "static"
NOT_BUILT = "The page is not built yet. Run: make page.\n"
FOR_EVER = "public, max-age=31536000, immutable"

routes = router("server")


@routes.get("/health", response_model=Health)
async def health(service: Behind) -> Response:
    """Whether the server works; for everybody."""
    status: Literal["ok", "stopped", "damaged"] = "ok" if service.stopped is None else "stopped"
    if service.damage is not None:
        status = "damaged"
    return json_of({"status": status, "version": service.version, "now_s": service.now_s()})


@routes.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={**IN_JSON, 200: {"content": {MEDIA_TYPE.split(";")[0]: {}}}},
)
async def metrics(service: Behind) -> Response:
    """Numbers for monitoring, as OpenMetrics text."""
    return Response(service.numbers(), media_type=MEDIA_TYPE)


@routes.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> Response:
    """The description of all this. It is made once, in a thread: that takes longer than a heartbeat."""
    return json_of(await run_in_threadpool(request.app.openapi))


class Page(StaticFiles):
    """The built page; its assets have names of their own content and stay for ever, the rest is looked at anew."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """One of its files."""
        response = await super().get_response(path, scope)
        if response.status_code in {200, 304}:
            response.headers["Cache-Control"] = FOR_EVER if path.startswith("assets/") else "no-cache"
        return response


def add_page(app: FastAPI) -> None:
    """Serve the page at `/`, or say how to build it."""
    if (STATIC / "index.html").exists():
        app.mount("/", Page(directory=STATIC, html=True), name="page")
        return

    @app.get("/", include_in_schema=False)
    async def not_built() -> Response:
        return PlainTextResponse(NOT_BUILT, 404)
