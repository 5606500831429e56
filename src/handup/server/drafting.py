"""Routes of half-made answers."""

from __future__ import annotations

import json
from typing import Any

from fastapi import Response

from handup.core import BadRequest, NothingThere
from handup.server.access import Grant
from handup.server.drafts import Draft
from handup.server.models import DraftRequest, DraftView
from handup.server.routes import Behind, Whose, json_of, router
from handup.server.service import Service

routes = router("drafts")


@routes.get("/drafts/{id:path}", response_model=DraftView)
async def get_draft(service: Behind, whose: Whose, id: str) -> Response:
    """The half-made answer of whoever asks; nulls where there is none."""
    await _check(service, whose, id)
    kept = service.drafts.get(whose.name, id)
    return json_of({"value": kept and kept.value, "at_s": kept and kept.at_s})


@routes.put("/drafts/{id:path}", status_code=204)
async def put_draft(service: Behind, whose: Whose, id: str, draft: DraftRequest) -> Response:
    """Keep a half-made answer, in memory only, until the question ends."""
    await keep(service, whose, id, draft.value, draft.at_s)
    return Response(status_code=204)


@routes.delete("/drafts/{id:path}", status_code=204)
async def delete_draft(service: Behind, whose: Whose, id: str) -> Response:
    """Forget a half-made answer."""
    await _check(service, whose, id)
    service.drafts.drop(whose.name, id)
    return Response(status_code=204)


async def keep(service: Service, whose: Grant, id_: str, value: Any, at_s: float) -> None:
    """Keep a half-made answer.

    Raises:
        NothingThere: There is no such question, it has ended, or it is not for this person.
        BadRequest: It holds what cannot be sent back.
    """
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise BadRequest("this cannot be kept as it is", hint="Send plain JSON.") from None
    await _check(service, whose, id_)
    service.drafts.put(whose.name, id_, Draft(value, at_s))


async def _check(service: Service, whose: Grant, id_: str) -> None:
    record = await service.record(id_)
    if record is None or whose.name not in record.audience or record.ended:
        raise NothingThere("there is no such question for you now", hint="Check its id.")
