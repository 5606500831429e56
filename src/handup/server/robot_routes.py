"""Routes of robots at work: stop, enable, how they are, what they see."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Body, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from handup.core import NotForYou, NotPaired
from handup.core.panels import Unshown
from handup.server.models import EnableRequest, Robots, StopAnswer, StopRequest
from handup.server.robot_state import read_state
from handup.server.routes import IN_JSON, Behind, Whose, json_of, router

routes = router("robots")
BODY_S = 0.2
PICTURE = {"schema": {"type": "string", "format": "binary"}}
STATE = {"$ref": "#/components/schemas/RobotState"}
PICTURE_TYPES = ("image/png", "image/jpeg", "image/webp")


@routes.post(
    "/stop",
    response_model=StopAnswer,
    responses={202: {"model": StopAnswer, "description": "It holds for everybody here, and is not written yet."}},
    openapi_extra={"requestBody": {"content": {"application/json": {"schema": StopRequest.model_json_schema()}}}},
)
async def stop(service: Behind, whose: Whose, request: Request) -> Response:
    """Stop everything at once. Never refused for its body or for coming too often.

    *Not* a safety function of a machine: that is the hardware's.
    """
    if not service.opened:
        raise NotPaired("nobody is known to this server", hint="Use the robot's own stop button.")
    at_s = service.now_s()
    rest = asyncio.create_task(_rest(request))
    await asyncio.sleep(0)
    begun = None if rest.done() else service.stopping.begin(whose.name, at_s)
    said = await rest
    written = await service.stop(whose.name, said.why, at_s, said.token, begun=begun)
    return json_of({"stopped": True, "written": written}, 200 if written else 202)


async def _rest(request: Request) -> StopRequest:
    """What somebody says with a stop, where they say so soon and in order."""
    try:
        async with asyncio.timeout(BODY_S):
            body = await request.body()
        return StopRequest.model_validate_json(body) if body else StopRequest()
    except (TimeoutError, ValueError, HTTPException, ClientDisconnect):
        return StopRequest()


@routes.post("/enable", response_model=StopAnswer)
async def enable(service: Behind, whose: Whose, lifted: EnableRequest | None = None) -> Response:
    """Let robots go on after a stop; 409 where there is a newer one than the one that is meant."""
    service.stopping.lifting()
    wanted = None if lifted is None else lifted.stop
    last = await service.stopping.known(service.last_stop) if wanted is None else min(wanted, service.last_stop)
    await service.call(service.desk.enable, whose.name, last)
    return json_of({"stopped": service.stopped is not None, "written": True})


@routes.put(
    "/robots/{robot}/state",
    status_code=204,
    responses={200: {"model": Unshown, "description": "It is newer than this server, which leaves this out."}},
    openapi_extra={"requestBody": {"content": {"application/json": {"schema": STATE}}}},
)
async def put_state(service: Behind, whose: Whose, robot: str, state: Annotated[Any, Body()]) -> Response:
    """Say how a robot is; only the latest is kept."""
    try:
        shown, unshown = read_state(state)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False)) from None
    if robot != whose.name or shown.robot != whose.name:
        raise NotForYou(f"this token is the robot '{whose.name}'s", hint="Send the state of that robot.")
    service.robots.put(robot, shown)
    return json_of(asdict(unshown)) if unshown else Response(status_code=204)


@routes.get("/robots", response_model=Robots)
async def robots(service: Behind, whose: Whose) -> Response:
    """All robots, and whether they are alive."""
    return json_of({"robots": [each.view() for each in service.robots]})


@routes.put(
    "/pictures/{name:path}",
    status_code=204,
    openapi_extra={"requestBody": {"required": True, "content": dict.fromkeys(PICTURE_TYPES, PICTURE)}},
)
async def put_picture(service: Behind, whose: Whose, name: str, request: Request) -> Response:
    """Keep a picture in place of the last one of that name, if that was this robot's: PNG, JPEG or WebP."""
    data = await request.body()
    # In other threads than those who wait for the store.
    await run_in_threadpool(service.pictures.put, name, data, whose.name)
    service.robots.heard(whose.name)
    return Response(status_code=204)


@routes.get(
    "/pictures/{name:path}",
    response_class=Response,
    responses={
        **IN_JSON,
        200: {"content": dict.fromkeys(PICTURE_TYPES, PICTURE), "description": "The picture."},
        304: {"description": "It is as you have it."},
    },
)
async def picture(service: Behind, whose: Whose, name: str, request: Request) -> Response:
    """A picture. `?seq=` may stand behind its name, so that a browser asks anew."""
    found = await run_in_threadpool(service.pictures.get, name)
    headers = {"Cache-Control": "private, no-cache", "ETag": found.etag}
    if request.headers.get("if-none-match") == found.etag:
        return Response(status_code=304, headers=headers)
    return Response(found.data, media_type=found.kind, headers=headers)
