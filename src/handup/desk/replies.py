"""What becomes of a person's reply. First valid answer wins; a refused reply changes nothing.

Who may reply: everybody in the question's audience, whoever's turn it is, may answer or let the robot try, also while
the question is held or put off, and also after having said *someone else*. *Not now* and *someone else* speak for
oneself, so only the person whose turn it is, or who has claimed the question, may say them. Permission, and help with
one's hands, are for people alone: there *let the robot try* is refused. *Stop* is for everybody whom the desk knows, at
any time.
"""

from __future__ import annotations

import math

from handup.core import BadAnswer, Reply, ReplyKind, check_value, value_to_json
from handup.core.checks import storable, unstorable
from handup.desk.events import Answered, Cause, Deferred, Delegated, Stopped, Withdrawn
from handup.desk.record import Done, Receipt, ReceiptStatus, Record, digest
from handup.desk.status import Status
from handup.desk.timing import Draft, hand_on
from handup.desk.words import elsewhere, taken_on, thanks, too_late

STOP_WORDS = "somebody said stop"


def refuse(status: ReceiptStatus, message: str, record: Record | None = None) -> Receipt:
    """A receipt for what changes nothing."""
    return Receipt(status=status, message=message, record=record)


def no_such(question: str) -> Receipt:
    """The receipt for a question that does not exist."""
    return refuse(ReceiptStatus.UNKNOWN, f"There is no question '{storable(question[:200])}'.")


def take_reply(draft: Draft, reply: Reply) -> Receipt:
    """What becomes of a reply, with its events in the draft."""
    if reply.kind is ReplyKind.STOP:
        return _stop(draft, reply)
    record = draft.fold.records.get(reply.question)
    if record is None:
        return no_such(reply.question)
    done = record.done(reply.token, reply.by)
    if done is not None:
        return _again(record, reply, done)
    refused = barred(draft, record, reply.by) or _malformed(draft, record, reply)
    if refused is not None:
        return refused
    refused = _TAKE[reply.kind](draft, record, reply)
    if refused is not None:
        return refused
    record = draft.fold.records[record.id]
    return Receipt(status=ReceiptStatus.ACCEPTED, message=_thanks(record, reply), record=record)


def _again(record: Record, reply: Reply, done: Done) -> Receipt:
    if not _says(record, reply, done):
        return refuse(ReceiptStatus.INVALID, "This token was used for another reply; send a new one.", record)
    return Receipt(status=ReceiptStatus.ACCEPTED, message=_thanks(record, reply), record=record, again=True)


def _says(record: Record, reply: Reply, done: Done) -> bool:
    """Whether a reply says what another one said that was accepted."""
    if reply.kind is not done.kind:
        return False
    if reply.kind is not ReplyKind.ANSWER:
        return done.digest == digest(reply.kind, until_s=reply.until_s)
    try:
        value = check_value(record.question, reply.value)
    except BadAnswer:
        return False
    return done.digest == digest(reply.kind, value_to_json(value), certainty=reply.certainty)


def bad_device(draft: Draft) -> str:
    """What is said where the name of a device cannot be kept."""
    return f"The name of a device is one line of at most {draft.terms.longest_text} characters."


def barred(draft: Draft, record: Record, by: str) -> Receipt | None:
    """Why a person may do nothing with a question now; None where they may."""
    if by not in draft.fold.people or by not in record.audience:
        return refuse(ReceiptStatus.UNAUTHORISED, "This question is not for you to answer.")
    if not record.waiting:
        return refuse(ReceiptStatus.LATE, too_late(record, by), record)
    if draft.fold.stopped is not None:
        return refuse(ReceiptStatus.STOPPED, "Everything is stopped; somebody has to enable it first.", record)
    if record.status is Status.CLAIMED and record.by != by:
        return refuse(ReceiptStatus.CLAIMED, taken_on(record, draft.now_s), record)
    return None


def _malformed(draft: Draft, record: Record, reply: Reply) -> Receipt | None:
    longest = draft.terms.longest_text
    if not reply.token or len(reply.token) > longest:
        message = f"A reply needs a token of at most {longest} characters."
        return refuse(ReceiptStatus.INVALID, message, record)
    if len(reply.device) > longest or unstorable(reply.device):
        return refuse(ReceiptStatus.INVALID, bad_device(draft), record)
    if not 0.0 <= reply.certainty <= 1.0:
        return refuse(ReceiptStatus.INVALID, "How sure you are lies between 0 and 1.", record)
    return None


def _answer(draft: Draft, record: Record, reply: Reply) -> Receipt | None:
    try:
        value = check_value(record.question, reply.value)
    except BadAnswer as error:
        return refuse(ReceiptStatus.INVALID, f"{error.cause}. {error.hint}", record)
    event = Answered(
        by=reply.by,
        token=reply.token,
        value=value_to_json(value),
        device=reply.device,
        latency_s=None if record.opened_s is None else draft.now_s - record.opened_s,
        certainty=reply.certainty,
    )
    draft.to(record, event)
    return None


def _not_now(draft: Draft, record: Record, reply: Reply) -> Receipt | None:
    if _not_their_turn(record, reply):
        return refuse(ReceiptStatus.STALE, elsewhere(record), record)
    terms, until_s = draft.terms, reply.until_s
    if until_s is None:
        until_s = draft.now_s + terms.not_now_s
    if not math.isfinite(until_s) or until_s <= draft.now_s:
        return refuse(ReceiptStatus.INVALID, "That time has passed; name a later one.", record)
    until_s = min(until_s, draft.now_s + terms.longest_not_now_s)
    event = Deferred(by=reply.by, token=reply.token, until_s=until_s, device=reply.device, wanted_s=reply.until_s)
    draft.to(record, event)
    return None


def _someone_else(draft: Draft, record: Record, reply: Reply) -> Receipt | None:
    if _not_their_turn(record, reply):
        return refuse(ReceiptStatus.STALE, elsewhere(record), record)
    hand_on(draft, record, reply.by, reply.token, reply.device)
    return None


def _let_robot_try(draft: Draft, record: Record, reply: Reply) -> Receipt | None:
    if only_people := record.question.rule.only_people:
        return refuse(ReceiptStatus.INVALID, only_people, record)
    draft.to(record, Delegated(by=reply.by, token=reply.token, device=reply.device))
    return None


def _not_their_turn(record: Record, reply: Reply) -> bool:
    holder = record.by if record.status is Status.CLAIMED else record.turn
    return reply.by != holder


def _stop(draft: Draft, reply: Reply) -> Receipt:
    record = draft.fold.records.get(reply.question)
    if reply.by not in draft.fold.people:
        return refuse(ReceiptStatus.UNAUTHORISED, "Nobody here knows you; use the robot's own stop button.")
    again = draft.fold.stopped is not None and draft.fold.stop_known(reply.token, reply.by)
    if not again:  # also a known one that was lifted since: stopping is the safe side
        longest = draft.terms.longest_text
        event = Stopped(by=reply.by, token=reply.token[:longest], device=storable(reply.device)[:longest])
        record = stop_everything(draft, event, record)
    return Receipt(status=ReceiptStatus.ACCEPTED, message=thanks(ReplyKind.STOP), record=record, again=again)


def stop_everything(draft: Draft, event: Stopped, record: Record | None = None) -> Record | None:
    """Latch the stop and take back all that waits, so that nothing from before it comes up after it.

    Returns:
        The question that the stop came with, as it is then.
    """
    draft.add(event, run=record.run if record else "", key=record.id if record else "")
    for each in tuple(draft.fold.index.waiting.values()):
        taken = draft.to(each, Withdrawn(cause=Cause.STOP, why=STOP_WORDS))
        record = taken if record is not None and record.id == each.id else record
    return record


def _thanks(record: Record, reply: Reply) -> str:
    done = record.done(reply.token, reply.by)
    last = record.status is Status.HANDED_ON and record.turn is None and record.token == reply.token
    return thanks(reply.kind, done.span_s if done else 0.0, nobody_left=last and record.by == reply.by)


_TAKE = {
    ReplyKind.ANSWER: _answer,
    ReplyKind.NOT_NOW: _not_now,
    ReplyKind.SOMEONE_ELSE: _someone_else,
    ReplyKind.LET_ROBOT_TRY: _let_robot_try,
}
