"""What one event makes of one question."""

from __future__ import annotations

from dataclasses import replace

from handup.core import Answer, Question, ReplyKind, value_from_json
from handup.core.journal import LogEntry
from handup.desk.events import (
    Answered,
    Asked,
    Claimed,
    ClaimEnded,
    Deferred,
    Delegated,
    Expired,
    HandedOn,
    Held,
    Opened,
    QuestionEvent,
    Withdrawn,
)
from handup.desk.record import ERASED, Done, Record, addressed, digest
from handup.desk.status import Move, after

MOST_REPLIES = 32
"""So many accepted replies to a question are remembered, the latest; an older one that comes again is judged anew."""


def moved(record: Record | None, entry: LogEntry, event: QuestionEvent) -> Record:
    """One question after what happened to it.

    Raises:
        IllegalCall: The transition table does not allow it.
    """
    status = after(None if record is None else record.status, MOVES[type(event)], entry.key)
    if record is None:
        assert isinstance(event, Asked)
        return _asked(entry, event)
    record = replace(record, status=status, until_s=None, by=None, device=None, token=None, why="")
    match event:
        case Held():
            record = replace(record, turn=event.turn, until_s=event.until_s, why=event.why)
        case Opened():
            record = replace(record, turn=event.turn, opened_s=entry.at_s)
        case Claimed():
            record = replace(record, by=event.by, device=event.device, until_s=event.until_s)
        case Answered():
            value = value_from_json(event.value)
            answer = Answer(value=value, by=event.by, latency_s=event.latency_s, certainty=event.certainty)
            content = digest(ReplyKind.ANSWER, event.value, certainty=event.certainty)
            record = _replied(replace(record, answer=answer), ReplyKind.ANSWER, event, content)
        case Deferred():
            record = replace(record, until_s=event.until_s)
            content = digest(ReplyKind.NOT_NOW, until_s=event.wanted_s)
            record = _replied(record, ReplyKind.NOT_NOW, event, content, span_s=event.until_s - entry.at_s)
        case HandedOn():
            passed = record.passed if event.by in record.passed else (*record.passed, event.by)
            record = _replied(replace(record, turn=event.turn, passed=passed), ReplyKind.SOMEONE_ELSE, event)
        case Delegated():
            record = _replied(record, ReplyKind.LET_ROBOT_TRY, event)
        case Withdrawn():
            record = replace(record, cause=event.cause, why=event.why)
    return record


MOVES: dict[type, Move] = {
    Asked: Move.ASKED,
    Held: Move.HELD,
    Opened: Move.OPENED,
    Claimed: Move.CLAIMED,
    ClaimEnded: Move.CLAIM_ENDED,
    Answered: Move.ANSWERED,
    Deferred: Move.DEFERRED,
    HandedOn: Move.HANDED_ON,
    Delegated: Move.DELEGATED,
    Withdrawn: Move.WITHDRAWN,
    Expired: Move.EXPIRED,
}
"""Which move an event is."""


def _asked(entry: LogEntry, event: Asked) -> Record:
    words = ERASED if event.question is None else Question.from_json(event.question)
    return Record(
        id=entry.key,
        run=entry.run,
        step=event.step,
        attempt=event.attempt,
        question=addressed(words, event.audience),
        load=event.load,
        audience=event.audience,
        turn=event.turn,
        status=after(None, Move.ASKED, entry.key),
        number=entry.seq,
        asked_s=entry.at_s,
        until_s=event.until_s,
        deadline_s=event.deadline_s,
        why=event.why,
    )


def _replied(
    record: Record,
    kind: ReplyKind,
    event: Answered | Deferred | HandedOn | Delegated,
    content: str | None = None,
    span_s: float = 0.0,
) -> Record:
    replies = record.replies
    if event.token:
        said = digest(kind) if content is None else content
        replies = (*replies, Done(token=event.token, by=event.by, kind=kind, digest=said, span_s=span_s))
    return replace(record, by=event.by, device=event.device, token=event.token, replies=replies[-MOST_REPLIES:])
