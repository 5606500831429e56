"""Routes of access: pair a device, leave, see whose it is."""

from __future__ import annotations

from fastapi import Request, Response

from handup.core import BadRequest
from handup.core.checks import unstorable
from handup.server.guard import cookie_of
from handup.server.models import Me, PairAnswer, PairRequest
from handup.server.routes import Behind, Whose, json_of, router
from handup.server.service import me_view

routes = router("access")


@routes.post("/pair", response_model=PairAnswer)
async def pair(service: Behind, given: PairRequest, request: Request) -> Response:
    """Exchange a code for a token, which a browser also gets as a cookie."""
    if unstorable(given.device):
        raise BadRequest("the name of a device is one line of plain text", hint="Send another name.")
    paired = await service.call(service.access.pair, given.code, given.device)
    grant = paired.grant
    response = json_of({"token": paired.token, **me_view(grant)})
    response.set_cookie(
        cookie_of(request),
        paired.token,
        max_age=max(1, int(grant.until_s - service.now_s())),
        httponly=True,
        samesite="strict",
        secure=service.settings.tls,
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
    response.delete_cookie(cookie_of(request), path="/", httponly=True, samesite="strict", secure=service.settings.tls)
    return response


@routes.get("/me", response_model=Me)
async def me(whose: Whose) -> Response:
    """Whose token this is sent with."""
    return json_of(me_view(whose))
