"""Routes of questions: ask, look, wait, reply, take on; and of half-made answers."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response

from handup.core import BadAnswer, BadRequest, IllegalCall, NothingThere, Question, Reply, ReplyKind
from handup.core.checks import MAX_ID
from handup.desk import Receipt, ReceiptStatus, Record
from handup.desk.record import question_id, thanks
from handup.server.models import (
    AboutQuestion,
    AskRequest,
    DraftRequest,
    DraftView,
    Questions,
    ReceiptView,
    RecordView,
    ReplyJson,
    WithdrawRequest,
)
from handup.server.routes import Behind, Whose, json_of, router
from handup.server.service import Draft, Service
from handup.server.tokens import Grant
from handup.server.views import may_see

routes = router("questions")
MEANT = ("prompt", "kind", "options", "low", "high", "unit", "marks")
"""What makes a question another one; guesses, reasons and pictures may be others after a restart."""
drafts = router("drafts")


@routes.get("/questions", response_model=Questions)
async def questions(service: Behind, whose: Whose, status: Literal["waiting"] = "waiting") -> Response:
    """The questions that wait: a resident's own, or all."""
    state = await service.call(lambda: service.desk.state)
    now_s = service.now_s()
    seen = [service.views.of(each, now_s, whose) for each in state.waiting if may_see(whose, each)]
    return json_of({"questions": seen})


@routes.get("/questions/{id:path}", response_model=RecordView)
async def question(service: Behind, whose: Whose, id: str) -> Response:
    """One question, however long ago it ended."""
    return json_of(service.views.of(await _found(service, whose, id), service.now_s(), whose))


@routes.post("/questions", response_model=RecordView)
async def ask(service: Behind, whose: Whose, asked: AskRequest) -> Response:
    """Put a question to people. Asking again with the same run, step and attempt gives the same question back."""
    words = Question.from_json(asked.question)
    question_id(asked.run, asked.step, asked.attempt)
    words.check_ready()
    await service.call(service.owners.take, asked.run, whose.name)
    record = await service.call(
        service.desk.ask, words, run=asked.run, step=asked.step, attempt=asked.attempt, load=asked.load
    )
    if not record.erased and any(getattr(record.question, each) != getattr(words, each) for each in MEANT):
        raise IllegalCall(
            f"'{record.id}' was asked with other words", hint="Ask a new question under another step or attempt."
        )
    return json_of(service.views.of(record, service.now_s(), whose))


@routes.get("/wait", response_model=RecordView, responses={204: {"description": "Nothing yet; ask again."}})
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


@routes.post("/withdraw", response_model=ReceiptView)
async def withdraw(service: Behind, whose: Whose, about: WithdrawRequest) -> Response:
    """Take a question back that is no longer needed."""
    if await service.record(about.id) is not None:
        await service.check_own(about.id, whose.name)
    receipt = await service.call(service.desk.withdraw, about.id, about.why)
    return json_of(service.views.receipt(receipt, service.now_s(), whose))


@routes.post("/replies", response_model=ReceiptView)
async def reply(service: Behind, whose: Whose, said: ReplyJson, request: Request) -> Response:
    """Reply to a question. The receipt says what became of it; the same token may be sent again."""
    if said.get("kind") != ReplyKind.STOP:
        request.app.state.guard.check_pace(whose)
    return json_of(await replied(service, whose, said))


async def replied(service: Service, whose: Grant, said: dict[str, Any]) -> dict[str, Any]:
    """What becomes of a reply, as a receipt.

    Raises:
        BadAnswer: It is no reply, or says from whom it is.
    """
    if "by" in said:
        raise BadAnswer("a reply names who it is from", hint="Leave 'by' out: the server knows whose device it is.")
    given = Reply.from_json({"device": whose.device, **said, "by": whose.name})
    if given.kind is ReplyKind.STOP:
        again = service.stopped is not None
        await service.stop(whose.name, "", service.now_s(), given.token)
        receipt = Receipt(status=ReceiptStatus.ACCEPTED, message=thanks(ReplyKind.STOP), again=again)
    else:
        receipt = await service.call(service.desk.reply, given)
    return service.views.receipt(receipt, service.now_s(), whose)


@routes.post("/claim", response_model=ReceiptView)
async def claim(service: Behind, whose: Whose, about: AboutQuestion) -> Response:
    """Take a question on, so that nobody else answers it for a while."""
    receipt = await service.call(service.desk.claim, about.id, whose.name, device=whose.device)
    return json_of(service.views.receipt(receipt, service.now_s(), whose))


@routes.post("/release", response_model=ReceiptView)
async def release(service: Behind, whose: Whose, about: AboutQuestion) -> Response:
    """Give a question back that was taken on."""
    receipt = await service.call(service.desk.release, about.id, whose.name)
    return json_of(service.views.receipt(receipt, service.now_s(), whose))


async def _found(service: Service, whose: Grant, id_: str) -> Record:
    record = await service.record(id_)
    if record is None or not may_see(whose, record):
        raise NothingThere("there is no such question for you", hint="Check its id.")
    if whose.is_robot:
        await service.check_own(id_, whose.name)
    return record


@drafts.get("/drafts/{id:path}", response_model=DraftView)
async def get_draft(service: Behind, whose: Whose, id: str) -> Response:
    """The half-made answer of whoever asks; nulls where there is none."""
    await _check(service, whose, id)
    kept = service.drafts.get(whose.name, id)
    return json_of({"value": kept and kept.value, "at_s": kept and kept.at_s})


@drafts.put("/drafts/{id:path}", status_code=204)
async def put_draft(service: Behind, whose: Whose, id: str, draft: DraftRequest) -> Response:
    """Keep a half-made answer, in memory only, until the question ends."""
    await keep(service, whose, id, draft.value, draft.at_s)
    return Response(status_code=204)


@drafts.delete("/drafts/{id:path}", status_code=204)
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
