"""What all routes share: where they are, what they are given, and how they answer."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response, Security
from fastapi.security import APIKeyCookie, HTTPBearer
from pydantic_core import to_json

from handup.server.auth import COOKIE, GuardedRoute
from handup.server.models import ErrorAnswer
from handup.server.service import Service
from handup.server.settings import DEFAULT_PORT
from handup.server.tokens import Grant

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
