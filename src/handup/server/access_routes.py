"""Routes of access: pair a device, leave, see whose it is, and see that the server is the right one."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Query, Request, Response

from handup.core import BadRequest, NothingThere
from handup.core.checks import unstorable
from handup.core.proof import proof_of
from handup.server.auth import cookie_of
from handup.server.models import Me, PairAnswer, PairRequest, Proof
from handup.server.routes import Behind, Whose, json_of, router
from handup.server.service import Service
from handup.server.tokens import Grant

routes = router("access")


@routes.post("/pair", response_model=PairAnswer)
async def pair(service: Behind, given: PairRequest, request: Request) -> Response:
    """Exchange a code for a token, which a browser also gets as a cookie."""
    if unstorable(given.device):
        raise BadRequest("the name of a device is one line of plain text", hint="Send another name.")
    paired = await service.call(service.access.pair, given.code, given.device)
    grant = paired.grant
    response = json_of({"token": paired.token, **service.me(grant)})
    response.set_cookie(
        cookie_of(request),
        paired.token,
        max_age=max(1, int(grant.until_s - service.now_s())),
        httponly=True,
        samesite="strict",
        secure=_is_secure(service, request),
        path="/",
    )
    return response


@routes.post("/leave", status_code=204)
async def leave(service: Behind, whose: Whose, request: Request) -> Response:
    """End the token that this is sent with."""
    await service.call(service.access.revoke, whose.id)
    for socket in service.hub:
        if socket.grant.id == whose.id:
            socket.end('{"type":"bye","why":"You are not paired any more."}')
    response = Response(status_code=204)
    response.delete_cookie(
        cookie_of(request), path="/", httponly=True, samesite="strict", secure=_is_secure(service, request)
    )
    return response


@routes.get("/me", response_model=Me)
async def me(service: Behind, whose: Whose) -> Response:
    """Whose token this is sent with."""
    return json_of(service.me(whose))


@routes.get("/proof", response_model=Proof)
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


def _is_secure(service: Service, request: Request) -> bool:
    """Whether a cookie is for TLS only: here, or in front of a proxy that speaks it and is named as an origin."""
    proxied = any(each.startswith("https://") for each in service.settings.origins)
    return service.settings.tls or (proxied and not request.headers.get("origin", "").startswith("http://"))
