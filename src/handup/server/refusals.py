"""Errors as responses: always the same JSON, never a traceback, with the HTTP status that fits."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from handup.core import HandupError, errors
from handup.core.checks import storable

STATUS: Mapping[type[HandupError], int] = {
    errors.NotPaired: 401,
    errors.BadCode: 403,
    errors.NotForYou: 403,
    errors.ForeignRequest: 403,
    errors.NothingThere: 404,
    errors.IllegalCall: 409,
    errors.TooLarge: 413,
    errors.TooFast: 429,
    errors.ServerBusy: 503,
    errors.StoreUnavailable: 503,
    errors.DamagedJournal: 503,
}
"""HTTP status of each error. Every other error is a wrong request: 422."""
INTERNAL = {"code": "HU500", "cause": "the server failed", "hint": "Look at its log, and try again."}


def body_of(error: HandupError) -> dict[str, str]:
    """Return an error as JSON."""
    return {"code": error.code, "cause": storable(error.cause), "hint": storable(error.hint)}


def refusal(error: HandupError) -> JSONResponse:
    """Return an error as a response."""
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, errors.NotPaired) else None
    if isinstance(error, errors.TooFast | errors.ServerBusy):
        headers = {"Retry-After": "1"}
    status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 422)
    return JSONResponse({"error": body_of(error)}, status, headers)


def install(app: FastAPI) -> None:
    """Let an app answer every error in this form."""

    @app.exception_handler(HandupError)
    async def _(request: Request, error: HandupError) -> JSONResponse:
        request.app.state.service.metrics.refused[error.code] += 1
        return refusal(error)

    @app.exception_handler(RequestValidationError)
    async def _(request: Request, error: RequestValidationError) -> JSONResponse:
        request.app.state.service.metrics.refused[errors.BadRequest.code] += 1
        first = error.errors()[0]
        where = f"{'.'.join(str(part) for part in first['loc'])[:200]}: {first['msg'][:200]}"
        return refusal(errors.BadRequest(f"the request is not as described ({where})", hint="See openapi.json."))

    @app.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 404:
            return refusal(errors.NothingThere("there is nothing at this address", hint="See /api/v1/openapi.json."))
        if error.status_code == 413:
            return refusal(errors.TooLarge("the body of this request is too large", hint=str(error.detail)))
        refused = errors.BadRequest(str(error.detail).rstrip("."), hint="See /api/v1/openapi.json.")
        return JSONResponse({"error": body_of(refused)}, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def _(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"error": INTERNAL}, 500)
