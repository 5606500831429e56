"""What all routes share, and the routes about the server itself: health, metrics, the page; pairing and proof."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response, Security
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse
from fastapi.security import APIKeyCookie, HTTPBearer
from pydantic_core import to_json
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from handup.core import BadRequest, NothingThere
from handup.core.checks import unstorable
from handup.core.proof import proof_of
from handup.server.auth import COOKIE, GuardedRoute, cookie_of
from handup.server.metrics import MEDIA_TYPE
from handup.server.models import ErrorAnswer, Health, Me, PairAnswer, PairRequest, Proof
from handup.server.service import Service
from handup.server.settings import DEFAULT_PORT
from handup.server.tokens import Grant

STATIC = Path(__file__).parent / "static"
NOT_BUILT = "The page is not built yet. Run: make page.\n"
FOR_EVER = "public, max-age=31536000, immutable"
PREFIX = "/api/v1"
REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorAnswer, "description": "No text that could be JSON."},
    401: {"model": ErrorAnswer, "description": "Not paired, or not any more."},
    403: {"model": ErrorAnswer, "description": "Not for this role, host or origin."},
    404: {"model": ErrorAnswer, "description": "There is no such thing."},
    409: {"model": ErrorAnswer, "description": "Not in this state."},
    413: {"model": ErrorAnswer, "description": "Too large."},
    422: {"model": ErrorAnswer, "description": "Not as described here."},
    429: {"model": ErrorAnswer, "description": "Too often."},
    503: {"model": ErrorAnswer, "description": "The store cannot be used, is damaged, or too much waits."},
}
IN_JSON: dict[int | str, dict[str, Any]] = {
    status: {
        "description": said["description"],
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}}},
    }
    for status, said in REFUSALS.items()
}
"""The same for routes that answer in something else than JSON."""


def router(*tags: str | Enum) -> APIRouter:
    """A router whose routes are all behind the guard."""
    cookie = APIKeyCookie(name=COOKIE.format(port=DEFAULT_PORT), auto_error=False, description="By its server's port.")
    schemes = [Security(HTTPBearer(auto_error=False)), Security(cookie)]
    return APIRouter(prefix=PREFIX, tags=list(tags), route_class=GuardedRoute, responses=REFUSALS, dependencies=schemes)


def json_of(made: Mapping[str, Any], status: int = 200) -> Response:
    """A response from plain data, encoded once and not checked again: its parts were."""
    return Response(to_json(made), status, media_type="application/json")


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _grant(request: Request) -> Grant:
    grant: Grant = request.state.grant
    return grant


Behind = Annotated[Service, Depends(_service)]
"""The service."""
Whose = Annotated[Grant, Depends(_grant)]
"""Whose request it is."""

server, access = router("server"), router("access")


@server.get("/health", response_model=Health)
async def health(service: Behind) -> Response:
    """Whether the server works; for everybody."""
    status: Literal["ok", "stopped", "damaged"] = "ok" if service.stopped is None else "stopped"
    if service.damage is not None:
        status = "damaged"
    return json_of({"status": status, "version": service.version, "now_s": service.now_s()})


@server.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={**IN_JSON, 200: {"content": {MEDIA_TYPE.split(";")[0]: {}}}},
)
async def metrics(service: Behind) -> Response:
    """Numbers for monitoring, as OpenMetrics text."""
    return Response(service.numbers(), media_type=MEDIA_TYPE)


@server.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> Response:
    """The description of all this. It is made once, in a thread: that takes longer than a heartbeat."""
    return json_of(await run_in_threadpool(request.app.openapi))


@access.post("/pair", response_model=PairAnswer)
async def pair(service: Behind, given: PairRequest, request: Request) -> Response:
    """Exchange a code for a token, which a browser also gets as a cookie."""
    if unstorable(given.device):
        raise BadRequest("the name of a device is one line of plain text", hint="Send another name.")
    paired = await service.call(service.access.pair, given.code, given.device)
    grant = paired.grant
    response = json_of({"token": paired.token, **service.me(grant)})
    max_age = max(1, int(grant.until_s - service.now_s()))
    response.set_cookie(value=paired.token, max_age=max_age, **_cookie(service, request))
    return response


@access.post("/leave", status_code=204)
async def leave(service: Behind, whose: Whose, request: Request) -> Response:
    """End the token that this is sent with."""
    await service.call(service.access.revoke, whose.id)
    for socket in service.hub:
        if socket.grant.id == whose.id:
            socket.bye("You are not paired any more.")
    response = Response(status_code=204)
    response.delete_cookie(**_cookie(service, request))
    return response


@access.get("/me", response_model=Me)
async def me(service: Behind, whose: Whose) -> Response:
    """Whose token this is sent with."""
    return json_of(service.me(whose))


@access.get("/proof", response_model=Proof)
async def proof(
    service: Behind,
    request: Request,
    id: Annotated[str, Query(min_length=1, max_length=64)],
    nonce: Annotated[str, Query(min_length=16, max_length=128)],
) -> Response:
    """Show a robot that this server reads its store, before the robot shows its token; for everybody."""
    found = _robot(service, id)
    if found is None:  # another program may have let it in just now
        await service.call(service.access.catch_up)
        found = _robot(service, id)
    if found is None:
        raise NothingThere("there is no such robot", hint="Let it in: handup pair --robot NAME.")
    return json_of({"proof": proof_of(found.digest, nonce, _port(service, request))})


def _port(service: Service, request: Request) -> int:
    """Where the server is reached: its own port, or that of a proxy which is named as an origin."""
    host = request.headers.get("host", "")
    origin = next((each for each in map(urlsplit, service.settings.origins) if each.netloc == host), None)
    if origin is not None:
        return origin.port or (443 if origin.scheme == "https" else 80)
    return (request.scope.get("server") or ("", None))[1] or 0


def _robot(service: Service, id_: str) -> Grant | None:
    return next((each for each in service.access.grants() if each.id == id_ and each.is_robot), None)


def _cookie(service: Service, request: Request) -> dict[str, Any]:
    """Return what a cookie is. It is for TLS only here, or behind a proxy that speaks it and is named as an origin."""
    proxied = any(each.startswith("https://") for each in service.settings.origins)
    secure = service.settings.tls or (proxied and not request.headers.get("origin", "").startswith("http://"))
    return {"key": cookie_of(request), "path": "/", "httponly": True, "samesite": "strict", "secure": secure}


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
