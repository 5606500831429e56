"""All routes: the server itself, access, questions, half-made answers, robots and the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlsplit

from fastapi import APIRouter, Body, Depends, FastAPI, Query, Request, Response, Security
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse
from fastapi.security import APIKeyCookie, HTTPBearer
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from handup.core import (
    BadAnswer,
    BadRequest,
    IllegalCall,
    NotForYou,
    NothingThere,
    NotPaired,
    Question,
    Reply,
    ReplyKind,
)
from handup.core.checks import MAX_ID, unstorable
from handup.core.panels import Unshown
from handup.core.proof import proof_of
from handup.desk import Receipt, ReceiptStatus, Record
from handup.desk.record import question_id, thanks
from handup.server import models
from handup.server.auth import COOKIE, GuardedRoute, cookie_of
from handup.server.metrics import MEDIA_TYPE
from handup.server.robot_state import read_state
from handup.server.service import ReplyDraft, Service
from handup.server.settings import DEFAULT_PORT
from handup.server.tokens import Grant
from handup.server.views import may_see

STATIC = Path(__file__).parent / "static"
NOT_BUILT = "The page is not built yet. Run: make page.\n"
FOR_EVER = "public, max-age=31536000, immutable"
MEANT = ("prompt", "kind", "options", "low", "high", "unit", "marks")
"""Fields that must be equal when a question is asked again; guess, reason and pictures may differ after a restart."""
BODY_S = 0.2
PICTURE = {"schema": {"type": "string", "format": "binary"}}
STATE = {"$ref": "#/components/schemas/RobotState"}
PICTURE_TYPES = ("image/png", "image/jpeg", "image/webp")
PREFIX = "/api/v1"
REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": models.ErrorAnswer, "description": "No text that could be JSON."},
    401: {"model": models.ErrorAnswer, "description": "Not paired, or not any more."},
    403: {"model": models.ErrorAnswer, "description": "Not for this role, host or origin."},
    404: {"model": models.ErrorAnswer, "description": "There is no such thing."},
    409: {"model": models.ErrorAnswer, "description": "Not in this state."},
    413: {"model": models.ErrorAnswer, "description": "Too large."},
    422: {"model": models.ErrorAnswer, "description": "Not as described here."},
    429: {"model": models.ErrorAnswer, "description": "Too often."},
    503: {"model": models.ErrorAnswer, "description": "The store cannot be used, is damaged, or too much waits."},
}
IN_JSON: dict[int | str, dict[str, Any]] = {
    status: {
        "description": refusal["description"],
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}}},
    }
    for status, refusal in REFUSALS.items()
}
"""`REFUSALS` for routes whose answer is not JSON, while their errors are."""


def router(*tags: str | Enum) -> APIRouter:
    """Return a router whose routes are all behind the guard."""
    cookie = APIKeyCookie(name=COOKIE.format(port=DEFAULT_PORT), auto_error=False, description="By its server's port.")
    schemes = [Security(HTTPBearer(auto_error=False)), Security(cookie)]
    return APIRouter(prefix=PREFIX, tags=list(tags), route_class=GuardedRoute, responses=REFUSALS, dependencies=schemes)


def json_of(made: Mapping[str, Any], status: int = 200) -> Response:
    """Return a response from plain data, encoded once; its parts were checked already."""
    return Response(to_json(made), status, media_type="application/json")


async def _service(request: Request) -> Service:
    return cast(Service, request.app.state.service)


async def _grant(request: Request) -> Grant:
    return cast(Grant, request.state.grant)


Behind = Annotated[Service, Depends(_service)]
"""The service."""
Whose = Annotated[Grant, Depends(_grant)]
"""Grant of the request's owner."""

server_routes, access_routes = router("server"), router("access")
question_routes, draft_routes, robot_routes = router("questions"), router("drafts"), router("robots")


@server_routes.get("/health", response_model=models.Health)
async def health(service: Behind) -> Response:
    """Report the state of the server; for everybody."""
    status: Literal["ok", "stopped", "damaged"] = "ok" if service.stopped is None else "stopped"
    if service.damage is not None:
        status = "damaged"
    fail = service.metrics.notices_fail
    notices = None if fail is None else "failing" if fail else "ok"
    return json_of({"status": status, "version": service.version, "now_s": service.now_s(), "notices": notices})


@server_routes.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={**IN_JSON, 200: {"content": {MEDIA_TYPE.split(";")[0]: {}}}},
)
async def metrics(service: Behind) -> Response:
    """Report numbers for monitoring, as OpenMetrics text."""
    return Response(service.numbers(), media_type=MEDIA_TYPE)


@server_routes.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> Response:
    """Return this description. It is made once, in a thread: that takes longer than a heartbeat."""
    return json_of(await run_in_threadpool(request.app.openapi))


@access_routes.post("/pair", response_model=models.PairAnswer)
async def pair(service: Behind, pairing: models.PairRequest, request: Request) -> Response:
    """Exchange a code for a token, which a browser also gets as a cookie."""
    if unstorable(pairing.device):
        raise BadRequest("the name of a device is one line of plain text", hint="Send another name.")
    paired = await service.call(service.let_in, pairing.code, pairing.device)
    grant = paired.grant
    response = json_of({"token": paired.token, **service.me(grant)})
    max_age = max(1, int(grant.until_s - service.now_s()))
    response.set_cookie(value=paired.token, max_age=max_age, **_cookie(service, request))
    return response


@access_routes.post("/leave", status_code=204)
async def leave(service: Behind, whose: Whose, request: Request) -> Response:
    """End the token of this request."""
    await service.call(service.access.revoke, whose.id)
    for socket in service.hub:
        if socket.grant.id == whose.id:
            socket.bye("You are not paired any more.")
    response = Response(status_code=204)
    response.delete_cookie(**_cookie(service, request))
    return response


@access_routes.get("/me", response_model=models.Me)
async def me(service: Behind, whose: Whose) -> Response:
    """Report the owner of this request's token."""
    return json_of(service.me(whose))


@access_routes.get("/proof", response_model=models.Proof)
async def proof(
    service: Behind,
    request: Request,
    id: Annotated[str, Query(min_length=1, max_length=64)],
    nonce: Annotated[str, Query(min_length=16, max_length=128)],
) -> Response:
    """Show a robot that this server reads its store, before the robot shows its token; for everybody."""
    grant = _robot(service, id)
    if grant is None:  # another program may have let it in just now
        await service.call(service.access.catch_up)
        grant = _robot(service, id)
    if grant is None:
        raise NothingThere("there is no such robot", hint="Let it in: handup pair --robot NAME.")
    return json_of({"proof": proof_of(grant.digest, nonce, _port(service, request))})


def _port(service: Service, request: Request) -> int:
    """Return the port that clients use: the server's own, or that of a proxy which is named as an origin."""
    host = request.headers.get("host", "")
    origin = next((parts for parts in map(urlsplit, service.settings.origins) if parts.netloc == host), None)
    if origin is not None:
        return origin.port or (443 if origin.scheme == "https" else 80)
    return (request.scope.get("server") or ("", None))[1] or 0


def _robot(service: Service, id_: str) -> Grant | None:
    return next((grant for grant in service.access.grants() if grant.id == id_ and grant.is_robot), None)


def _cookie(service: Service, request: Request) -> dict[str, Any]:
    """Return the settings of the cookie. It is for TLS only where the server or a proxy that is an origin speaks it."""
    proxied = any(origin.startswith("https://") for origin in service.settings.origins)
    secure = service.settings.tls or (proxied and not request.headers.get("origin", "").startswith("http://"))
    return {"key": cookie_of(request), "path": "/", "httponly": True, "samesite": "strict", "secure": secure}


@question_routes.get("/questions", response_model=models.Questions)
async def questions(service: Behind, whose: Whose, status: Literal["waiting"] = "waiting") -> Response:
    """List the questions that wait: a resident's own, or all."""
    state = await service.call(lambda: service.desk.state)
    now_s = service.now_s()
    views = [service.views.of(record, now_s, whose) for record in state.waiting if may_see(whose, record)]
    return json_of({"questions": views})


@question_routes.get("/questions/{id:path}", response_model=models.RecordView)
async def question(service: Behind, whose: Whose, id: str) -> Response:
    """Return one question, however long ago it ended."""
    return json_of(service.views.of(await _found(service, whose, id), service.now_s(), whose))


@question_routes.post("/questions", response_model=models.RecordView)
async def ask(service: Behind, whose: Whose, asked: models.AskRequest) -> Response:
    """Put a question to people. Asking again with the same run, step and attempt gives the same question back."""
    words = Question.from_json(asked.question)
    question_id(asked.run, asked.step, asked.attempt)
    words.check_ready()
    await service.call(service.owners.take, asked.run, whose.name)
    record = await service.call(
        service.desk.ask, words, run=asked.run, step=asked.step, attempt=asked.attempt, load=asked.load
    )
    if not record.erased and any(getattr(record.question, name) != getattr(words, name) for name in MEANT):
        raise IllegalCall(
            f"'{record.id}' was asked with other words", hint="Ask a new question under another step or attempt."
        )
    return json_of(service.views.of(record, service.now_s(), whose))


@question_routes.get(
    "/wait", response_model=models.RecordView, responses={204: {"description": "Nothing yet; ask again."}}
)
async def wait(
    service: Behind,
    whose: Whose,
    id: Annotated[str, Query(min_length=1, max_length=MAX_ID)],
    timeout_s: Annotated[float, Query(ge=0.0, le=30.0, allow_inf_nan=False)] = 30.0,
) -> Response:
    """Wait until a question was answered, put off or ended, or a stop comes; 204 when the time is up."""
    record, stopped = await _found(service, whose, id), service.stopped
    if not record.settled:
        await service.wait(id, min(timeout_s, service.settings.bounds.wait_s))
        record = await _found(service, whose, id)
    if record.settled or service.stopped not in (None, stopped):
        return json_of(service.views.of(record, service.now_s(), whose))
    return Response(status_code=204)


@question_routes.post("/withdraw", response_model=models.ReceiptView)
async def withdraw(service: Behind, whose: Whose, about: models.WithdrawRequest) -> Response:
    """Take a question back that is no longer needed."""
    if await service.record(about.id) is not None:
        await service.check_own(about.id, whose.name)
    receipt = await service.call(service.desk.withdraw, about.id, about.why)
    return json_of(service.views.receipt(receipt, service.now_s(), whose))


@question_routes.post("/hand-on", response_model=models.ReceiptView)
async def hand_on(service: Behind, whose: Whose, about: models.HandOnRequest) -> Response:
    """Hand a question on to another of its people. Whoever had it may still answer until somebody has."""
    if await service.record(about.id) is not None:
        await service.check_own(about.id, whose.name)
    receipt = await service.call(service.desk.hand_on, about.id, about.to)
    return json_of(service.views.receipt(receipt, service.now_s(), whose))


@question_routes.post("/replies", response_model=models.ReceiptView)
async def reply(service: Behind, whose: Whose, content: models.ReplyJson, request: Request) -> Response:
    """Reply to a question. The receipt says if the reply counts; the same token may be sent again."""
    if content.get("kind") != ReplyKind.STOP:
        request.app.state.guard.check_pace(whose)
    return json_of(await replied(service, whose, content))


async def replied(service: Service, whose: Grant, content: dict[str, Any]) -> dict[str, Any]:
    """Pass a reply on, and return its receipt.

    Raises:
        BadAnswer: It is no reply, or names its sender.
    """
    if "by" in content:
        raise BadAnswer("a reply names who it is from", hint="Leave 'by' out: the server knows whose device it is.")
    sent = Reply.from_json({"device": whose.device, **content, "by": whose.name})
    if sent.kind is ReplyKind.STOP:
        again = service.stopped is not None
        await service.stop(whose.name, "", service.now_s(), sent.token)
        receipt = Receipt(status=ReceiptStatus.ACCEPTED, message=thanks(ReplyKind.STOP), again=again)
    else:
        receipt = await service.call(service.desk.reply, sent)
    return service.views.receipt(receipt, service.now_s(), whose)


@question_routes.post("/claim", response_model=models.ReceiptView)
async def claim(service: Behind, whose: Whose, about: models.AboutQuestion) -> Response:
    """Claim a question, so that nobody else answers it for a while."""
    receipt = await service.call(service.desk.claim, about.id, whose.name, device=whose.device)
    return json_of(service.views.receipt(receipt, service.now_s(), whose))


@question_routes.post("/release", response_model=models.ReceiptView)
async def release(service: Behind, whose: Whose, about: models.AboutQuestion) -> Response:
    """Give a claimed question back."""
    receipt = await service.call(service.desk.release, about.id, whose.name)
    return json_of(service.views.receipt(receipt, service.now_s(), whose))


async def _found(service: Service, whose: Grant, id_: str) -> Record:
    record = await service.record(id_)
    if record is None or not may_see(whose, record):
        raise NothingThere("there is no such question for you", hint="Check its id.")
    if whose.is_robot:
        await service.check_own(id_, whose.name)
    return record


@draft_routes.get("/drafts/{id:path}", response_model=models.DraftView)
async def get_draft(service: Behind, whose: Whose, id: str) -> Response:
    """Return the half-made answer of this person; nulls where there is none."""
    await _check(service, whose, id)
    kept = service.drafts.get(whose.name, id)
    return json_of({"value": kept and kept.value, "at_s": kept and kept.at_s})


@draft_routes.put("/drafts/{id:path}", status_code=204)
async def put_draft(service: Behind, whose: Whose, id: str, draft: models.DraftRequest) -> Response:
    """Keep a half-made answer, in memory only, until the question ends."""
    await keep(service, whose, id, draft.value, draft.at_s)
    return Response(status_code=204)


@draft_routes.delete("/drafts/{id:path}", status_code=204)
async def delete_draft(service: Behind, whose: Whose, id: str) -> Response:
    """Forget a half-made answer."""
    await _check(service, whose, id)
    service.drafts.drop(whose.name, id)
    return Response(status_code=204)


async def keep(service: Service, whose: Grant, id_: str, value: Any, at_s: float) -> None:
    """Keep a half-made answer.

    Raises:
        NothingThere: There is no such question, it has ended, or it is not for this person.
        BadRequest: It holds values that are no JSON.
    """
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise BadRequest("this cannot be kept as it is", hint="Send plain JSON.") from None
    await _check(service, whose, id_)
    service.drafts.put(whose.name, id_, ReplyDraft(value, at_s))


async def _check(service: Service, whose: Grant, id_: str) -> None:
    record = await service.record(id_)
    if record is None or whose.name not in record.audience or record.ended:
        raise NothingThere("there is no such question for you now", hint="Check its id.")


@robot_routes.post(
    "/stop",
    response_model=models.StopAnswer,
    responses={
        202: {"model": models.StopAnswer, "description": "It holds for everybody here, and is not written yet."}
    },
    openapi_extra={
        "requestBody": {"content": {"application/json": {"schema": models.StopRequest.model_json_schema()}}}
    },
)
async def stop(service: Behind, whose: Whose, request: Request) -> Response:
    """Stop everything at once. Never refused for its body or for coming too often.

    It is *not* a safety function: that belongs to the hardware.
    """
    if not service.opened:
        raise NotPaired("nobody is known to this server", hint="Use the robot's own stop button.")
    at_s = service.now_s()
    # The robots stop before the body has arrived; only the name of the sender is needed for that.
    rest = asyncio.create_task(_rest(request))
    await asyncio.sleep(0)
    begun = None if rest.done() else service.stopping.begin(whose.name, at_s)
    details = await rest
    written = await service.stop(whose.name, details.why, at_s, details.token, begun=begun)
    return json_of({"stopped": True, "written": written}, 200 if written else 202)


async def _rest(request: Request) -> models.StopRequest:
    """Return the body of a stop; an empty one where it is late or malformed."""
    try:
        async with asyncio.timeout(BODY_S):
            body = await request.body()
        return models.StopRequest.model_validate_json(body) if body else models.StopRequest()
    except (TimeoutError, ValueError, HTTPException, ClientDisconnect):
        return models.StopRequest()


@robot_routes.post("/enable", response_model=models.StopAnswer)
async def enable(service: Behind, whose: Whose, lifted: models.EnableRequest | None = None) -> Response:
    """Let robots go on after a stop; 409 where there is a newer stop than the given one."""
    service.stopping.lifting()
    number = None if lifted is None else lifted.stop
    last = await service.stopping.known(service.last_stop) if number is None else min(number, service.last_stop)
    await service.call(service.desk.enable, whose.name, last)
    return json_of({"stopped": service.stopped is not None, "written": True})


@robot_routes.put(
    "/robots/{robot}/state",
    status_code=204,
    responses={200: {"model": Unshown, "description": "It is newer than this server, which leaves this out."}},
    openapi_extra={"requestBody": {"content": {"application/json": {"schema": STATE}}}},
)
async def put_state(service: Behind, whose: Whose, robot: str, state: Annotated[Any, Body()]) -> Response:
    """Keep the state of a robot in place of the last one."""
    try:
        readable, unshown = read_state(state)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False)) from None
    if robot != whose.name or readable.robot != whose.name:
        raise NotForYou(f"this token is the robot '{whose.name}'s", hint="Send the state of that robot.")
    service.robots.put(robot, readable)
    return json_of(asdict(unshown)) if unshown else Response(status_code=204)


@robot_routes.get("/robots", response_model=models.Robots)
async def robots(service: Behind, whose: Whose) -> Response:
    """List all robots, each with its latest state and True where it is alive."""
    return json_of({"robots": [robot.view() for robot in service.robots]})


@robot_routes.put(
    "/pictures/{name:path}",
    status_code=204,
    openapi_extra={"requestBody": {"required": True, "content": dict.fromkeys(PICTURE_TYPES, PICTURE)}},
)
async def put_picture(service: Behind, whose: Whose, name: str, request: Request) -> Response:
    """Keep a picture (PNG, JPEG or WebP) in place of this robot's last one of that name."""
    data = await request.body()
    # In other threads than those that wait for the store: pictures must not hold answers up.
    await run_in_threadpool(service.pictures.put, name, data, whose.name)
    service.robots.heard(whose.name)
    return Response(status_code=204)


@robot_routes.get(
    "/pictures/{name:path}",
    response_class=Response,
    responses={
        **IN_JSON,
        200: {"content": dict.fromkeys(PICTURE_TYPES, PICTURE), "description": "The picture."},
        304: {"description": "It is as you have it."},
    },
)
async def picture(service: Behind, whose: Whose, name: str, request: Request) -> Response:
    """Return a picture. `?seq=` may follow its name, so that a browser asks again."""
    stored = await run_in_threadpool(service.pictures.get, name)
    headers = {"Cache-Control": "private, no-cache", "ETag": stored.etag}
    if request.headers.get("if-none-match") == stored.etag:
        return Response(status_code=304, headers=headers)
    return Response(stored.data, media_type=stored.kind, headers=headers)


class BuiltPage(StaticFiles):
    """The built page. Browsers keep its assets, whose names hold hashes, and ask again for everything else."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return one of its files."""
        response = await super().get_response(path, scope)
        if response.status_code in {200, 304}:
            response.headers["Cache-Control"] = FOR_EVER if path.startswith("assets/") else "no-cache"
        return response


def add_page(app: FastAPI) -> None:
    """Serve the page at `/`, or say how to build it."""
    if (STATIC / "index.html").exists():
        app.mount("/", BuiltPage(directory=STATIC, html=True), name="page")
        return

    @app.get("/", include_in_schema=False)
    async def not_built() -> Response:
        return PlainTextResponse(NOT_BUILT, 404)
