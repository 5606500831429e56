"""All rules of the desk in one pure function: state, command and time in, events and a receipt out.

Time comes first: leases, deadlines and deferrals that are over end before the command is looked at, so an answer after
the deadline is late even if nobody noticed the deadline. The command comes second. Third, the questions of busy people
go on to others, and held questions that fit the limits by now are opened.

While the desk is stopped nothing is opened to anybody. A stop takes back all waiting questions; later questions are
held, and opened once a person has enabled the desk again.

The first valid answer wins; a refused reply changes nothing. Everybody in the question's audience, whoever's turn it
is, may answer or let the robot try, also while the question is held or put off, and also after having said *someone
else*. Only the person whose turn it is, or who has claimed the question, may say *not now* or *someone else*, since
these are about that person. Permission and help with one's hands are for people alone: there *let the robot try* is
refused. *Stop* is for everybody whom the desk knows, at any time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from handup.core import (
    BadAnswer,
    Malformed,
    MissingSetting,
    NotNow,
    OutOfRange,
    Person,
    Question,
    Reply,
    ReplyKind,
    Role,
    check_value,
    value_to_json,
)
from handup.core.checks import storable, unstorable
from handup.desk import events
from handup.desk.deadlines import (
    DecisionDraft,
    Fact,
    Terms,
    fitting,
    hand_on,
    let_time_pass,
    open_what_fits,
    spare_the_busy,
)
from handup.desk.question_state import DeskState, Fold
from handup.desk.record import (
    BACK_WORDS,
    ERASED_NAME,
    AcceptedReply,
    Receipt,
    ReceiptStatus,
    Record,
    busy_words,
    digest,
    elsewhere,
    gone,
    question_id,
    span,
    taken_on,
    thanks,
    too_late,
)
from handup.desk.status import BEFORE, Status
from handup.people.limits import QuestionFit

STOP_WORDS = "somebody said stop"
NOBODY_YET = "nobody can be asked yet"


@dataclass(frozen=True, kw_only=True)
class AskPeople:
    """Put a question to people. `audience` may answer, in this order. Name nobody in `run` and `step`.

    With `newcomers`, people who are introduced later may answer, too, so it waits where the audience is empty.
    """

    run: str
    step: str
    attempt: int
    question: Question
    audience: tuple[str, ...]
    load: float = 0.0
    newcomers: bool = False


@dataclass(frozen=True, kw_only=True)
class ClaimQuestion:
    """Claim a question for a while; `lease_s` is that of the terms where it is None."""

    question: str
    by: str
    device: str = ""
    lease_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class Release:
    """Give a claim back."""

    question: str
    by: str


@dataclass(frozen=True, kw_only=True)
class Withdraw:
    """Take a question back. `why` is for a person to read and names nobody."""

    question: str
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class HandOn:
    """Hand a question on to another of its people, whom the asker has chosen. Whoever had it may still answer."""

    question: str
    to: str


@dataclass(frozen=True, kw_only=True)
class StopRobots:
    """Stop, from a program or a button; never refused."""

    by: str
    why: str = ""
    token: str = ""


@dataclass(frozen=True, kw_only=True)
class Enable:
    """Lift a stop. `stop` is the entry number of the last stop that the person knows of; None lifts any."""

    by: str
    stop: int | None = None


@dataclass(frozen=True)
class Tick:
    """Let time pass: end what is over by now."""


@dataclass(frozen=True, kw_only=True)
class Introduce:
    """Introduce people who can be asked, with their limits. Only changes are written. `by` set them up on the page."""

    people: tuple[Person, ...]
    by: str | None = None


@dataclass(frozen=True, kw_only=True)
class SetBusy:
    """Say that a person is busy, for `for_s` seconds or until they are back, or that they are back."""

    by: str
    busy: bool
    for_s: float | None = None


Command = (
    AskPeople | Reply | ClaimQuestion | Release | Withdraw | HandOn | StopRobots | Enable | Tick | Introduce | SetBusy
)


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """Decision on a command.

    Args:
        events: Events to write, all or nothing, in this order.
        receipt: Receipt for the person or program that gave the command.
        state: The state once they are written.
    """

    events: tuple[Fact, ...]
    receipt: Receipt
    state: DeskState


def decide(state: DeskState, command: Command, now_s: float, terms: Terms | None = None) -> Ruling:
    """Return the decision on a command.

    Args:
        state: The state of the desk. An ended question that it has dropped must be recalled first.
        command: The command.
        now_s: The time; a clock that was set back counts as standing still.
        terms: Limits and default times; the defaults where it is None.

    Raises:
        BadSetting: The asker's own settings are wrong, or too many questions wait already.
    """
    draft = DecisionDraft(fold=Fold(state), now_s=max(now_s, state.at_s), terms=terms or Terms())
    let_time_pass(draft)
    try:
        receipt = _TAKE[type(command)](draft, command)
    except _Refused as refused:
        receipt = refused.receipt
    spare_the_busy(draft)
    open_what_fits(draft)
    if receipt.record is not None:
        receipt = replace(receipt, record=draft.fold.records.get(receipt.record.id, receipt.record))
    return Ruling(events=tuple(draft.made), receipt=receipt, state=draft.fold.state())


def _ask(draft: DecisionDraft, command: AskPeople) -> Receipt:
    id_ = question_id(command.run, command.step, command.attempt)
    record = draft.fold.records.get(id_)
    if record is not None:
        return _accepted(record.told, record, again=True)
    if not command.audience and not command.newcomers:
        raise MissingSetting(f"nobody can be asked '{id_}'", hint="Give the desk people, or another router.")
    if not (command.load >= 0.0 and math.isfinite(command.load)):
        raise OutOfRange.of("load", command.load, "be finite and at least 0", hint="Give the question's cost.")
    if len(draft.fold.index.waiting) >= draft.terms.most_waiting:
        cause = f"at most {draft.terms.most_waiting} questions may wait, and as many wait already"
        raise NotNow(cause, hint="Withdraw some, or raise Terms.most_waiting.")
    turn, chance = _first_turn(draft, command)
    event = events.Asked(
        step=command.step,
        attempt=command.attempt,
        turn=turn,
        audience=command.audience,
        question=replace(command.question, to=()).to_json(),
        deadline_s=command.question.deadline_s,
        load=command.load,
        until_s=None if chance.fits or chance.never else chance.from_s,
        why=chance.why,
        of=tuple(dict.fromkeys(name for name in (turn, *_answered(draft, command.run)) if name is not None)),
        newcomers=command.newcomers,
    )
    draft.add(event, run=command.run, key=id_)
    record = draft.fold.records[id_]
    if record.deadline_s is not None and record.deadline_s <= draft.now_s:
        record = draft.to(record, events.Expired())
    elif chance.never:
        record = draft.to(
            record,
            events.Withdrawn(cause=events.WithdrawalCause.NOBODY, why=f"it can never be put to anybody: {chance.why}"),
        )
    return _accepted(record.told, record)


def _first_turn(draft: DecisionDraft, command: AskPeople) -> tuple[str | None, QuestionFit]:
    """Return the first of the audience whose limits ever allow the question, else the first; None where it is empty."""
    if not command.audience:
        return None, QuestionFit(fits=False, from_s=None, why=NOBODY_YET)
    chances = ((person, fitting(draft, person, command.load)) for person in command.audience)
    first = next(chances)
    return first if not first[1].never else next((turn for turn in chances if not turn[1].never), first)


def _answered(draft: DecisionDraft, run: str) -> Iterator[str]:
    """Yield the people who have answered in a run: its next question may hold their words, so it is theirs too."""
    for record in draft.fold.records.values():
        by = None if record.run != run or record.answer is None else record.answer.by
        if by is not None and not gone(by):
            yield by


def _claim(draft: DecisionDraft, command: ClaimQuestion) -> Receipt:
    record = _record(draft, command.question)
    _check_allowed(draft, record, command.by)
    if record.status not in BEFORE:
        raise _Refused(ReceiptStatus.STALE, elsewhere(record), record)
    lease_s = draft.terms.lease_s if command.lease_s is None else command.lease_s
    if not (lease_s > 0 and math.isfinite(lease_s)):
        raise _Refused(ReceiptStatus.INVALID, "A claim must last longer than 0 seconds.", record)
    _check_device(draft, record, command.device)
    lease_s = min(lease_s, draft.terms.longest_lease_s)
    until_s = draft.now_s + lease_s
    held = record.status is Status.CLAIMED and (record.by, record.device) == (command.by, command.device)
    # Devices renew their claims often: only a markedly longer lease is worth an entry.
    again = held and until_s < (record.until_s or 0.0) + draft.terms.renewal_share * lease_s
    if not again:
        record = draft.to(record, events.Claimed(by=command.by, until_s=until_s, device=command.device))
    return _accepted(f"It is yours for {span((record.until_s or until_s) - draft.now_s)}.", record, again=again)


def _release(draft: DecisionDraft, command: Release) -> Receipt:
    record = _record(draft, command.question)
    _check_allowed(draft, record, command.by)
    if record.status is not Status.CLAIMED:
        raise _Refused(ReceiptStatus.STALE, "You have no claim on this question any more.", record)
    return _accepted("All right, others may answer it again.", draft.to(record, events.ClaimEnded(given_back=True)))


def _withdraw(draft: DecisionDraft, command: Withdraw) -> Receipt:
    record = _record(draft, command.question)
    if record.status is Status.WITHDRAWN:
        return _accepted("It was taken back before.", record, again=True)
    if not record.waiting:
        raise _Refused(ReceiptStatus.LATE, too_late(record, ""), record)
    why = storable(command.why)[: draft.terms.longest_text]
    return _accepted(
        "It is taken back.", draft.to(record, events.Withdrawn(cause=events.WithdrawalCause.ASKER, why=why))
    )


def _hand_on(draft: DecisionDraft, command: HandOn) -> Receipt:
    record = _record(draft, command.question)
    if command.to not in draft.fold.people or command.to not in record.audience:
        raise _Refused(ReceiptStatus.UNAUTHORISED, "It can only go on to somebody who may answer it.", record)
    if record.turn == command.to or command.to in record.passed:
        return _accepted(record.told, record, again=True)
    if not record.waiting:
        raise _Refused(ReceiptStatus.LATE, too_late(record, ""), record)
    if record.status is Status.CLAIMED:
        raise _Refused(ReceiptStatus.CLAIMED, taken_on(record, draft.now_s), record)
    if record.status is Status.DEFERRED:
        raise _Refused(ReceiptStatus.STALE, elsewhere(record), record)
    hand_on(draft, record, by=record.turn or "", to=command.to)
    record = draft.fold.records[record.id]
    return _accepted(record.told, record)


def _enable(draft: DecisionDraft, command: Enable) -> Receipt:
    person = draft.fold.people.get(command.by)
    if person is None or person.role is Role.BYSTANDER:
        message = "Only a person whom the desk knows may enable it, and no bystander."
        raise _Refused(ReceiptStatus.UNAUTHORISED, message)
    again = draft.fold.stopped is None
    if not again and command.stop is not None and draft.fold.last_stop > command.stop:
        raise _Refused(ReceiptStatus.STALE, "Somebody said stop again since.")
    if not again:
        draft.add(events.Enabled(by=command.by))
    return _accepted("The robot may go on.", again=again)


def _stop(draft: DecisionDraft, command: StopRobots) -> Receipt:
    longest = draft.terms.longest_text
    by, why = storable(command.by)[:longest], storable(command.why)[:longest]
    _stop_everything(draft, events.Stopped(by=by, why=why, token=storable(command.token)[:longest]))
    return _accepted("Stopped.")


def _introduce(draft: DecisionDraft, command: Introduce) -> Receipt:
    for person in command.people:
        if gone(person.name):
            cause = f"a person's name must not begin with '{ERASED_NAME}', got '{person.name}'"
            raise Malformed(cause, hint="Choose another name: such names stand for people who were erased.")
        known, replaced = draft.fold.people.get(person.name), draft.fold.replaced.get(person.name)
        # A program that says what it said before does not undo what was set up on the page since.
        if person != replaced if command.by is None and replaced is not None else person != known:
            draft.add(events.Introduced.of(person, command.by))
        if known is None:
            _join(draft, person)
    return _accepted("They are known.")


def _join(draft: DecisionDraft, person: Person) -> None:
    """Let a person who was not known before answer the questions that wait and are open to newcomers."""
    for record in tuple(draft.fold.index.waiting.values()):
        barred = person.role is Role.DEVELOPER or (person.role is Role.BYSTANDER and record.question.rule.explicit)
        if record.newcomers and person.name not in record.audience and not barred:
            draft.to(record, events.Joined(person=person.name))


def _set_busy(draft: DecisionDraft, command: SetBusy) -> Receipt:
    people, now_s = draft.fold.people, draft.now_s
    if command.by not in people:
        raise _Refused(ReceiptStatus.UNAUTHORISED, "Nobody here knows you, so you are not asked anyway.")
    if command.for_s is not None and not (command.for_s > 0 and math.isfinite(command.for_s)):
        raise _Refused(ReceiptStatus.INVALID, "You must be busy for longer than 0 seconds.")
    for_s = None if command.for_s is None else min(command.for_s, draft.terms.longest_not_now_s)
    said = draft.fold.busy.get(command.by)
    before = said is not None and said.holds(now_s)
    until_s = now_s + for_s if command.busy and for_s is not None else None
    again = before == command.busy and (said is None or not before or said.until_s == until_s)
    if not again:
        draft.add(events.Presence(person=command.by, busy=command.busy, until_s=until_s))
    others = any(
        name != command.by and person.role is not Role.DEVELOPER and not draft.fold.is_busy(name, now_s)
        for name, person in people.items()
    )
    return _accepted(busy_words(for_s, others=others) if command.busy else BACK_WORDS, again=again)


def _reply(draft: DecisionDraft, reply: Reply) -> Receipt:
    if reply.kind is ReplyKind.STOP:
        return _reply_stop(draft, reply)
    record = _record(draft, reply.question)
    done = record.done(reply.token, reply.by)
    if done is not None:
        if not _says(record, reply, done):
            raise _Refused(ReceiptStatus.INVALID, "This token was used for another reply; send a new one.", record)
        return _accepted(_thanks(record, reply), record, again=True)
    _check_allowed(draft, record, reply.by)
    longest = draft.terms.longest_text
    if not reply.token or len(reply.token) > longest:
        raise _Refused(ReceiptStatus.INVALID, f"A reply needs a token of at most {longest} characters.", record)
    _check_device(draft, record, reply.device)
    if not 0.0 <= reply.certainty <= 1.0:
        raise _Refused(ReceiptStatus.INVALID, "How sure you are must lie between 0 and 1.", record)
    _REPLY[reply.kind](draft, record, reply)
    record = draft.fold.records[record.id]
    return _accepted(_thanks(record, reply), record)


def _says(record: Record, reply: Reply, done: AcceptedReply) -> bool:
    """Return True if a reply has the content of one that was accepted."""
    if reply.kind is not done.kind:
        return False
    if reply.kind is not ReplyKind.ANSWER:
        return done.digest == digest(reply.kind, until_s=reply.until_s)
    try:
        value = check_value(record.question, reply.value)
    except BadAnswer:
        return False
    return done.digest == digest(reply.kind, value_to_json(value), certainty=reply.certainty)


def _answer(draft: DecisionDraft, record: Record, reply: Reply) -> None:
    try:
        value = check_value(record.question, reply.value)
    except BadAnswer as error:
        raise _Refused(ReceiptStatus.INVALID, f"{error.cause}. {error.hint}", record) from None
    event = events.Answered(
        by=reply.by,
        token=reply.token,
        value=value_to_json(value),
        device=reply.device,
        latency_s=None if record.opened_s is None else draft.now_s - record.opened_s,
        certainty=reply.certainty,
    )
    draft.to(record, event)


def _not_now(draft: DecisionDraft, record: Record, reply: Reply) -> None:
    _check_turn(record, reply)
    terms, until_s = draft.terms, reply.until_s
    if until_s is None:
        until_s = draft.now_s + terms.not_now_s
    if not math.isfinite(until_s) or until_s <= draft.now_s:
        raise _Refused(ReceiptStatus.INVALID, "That time has passed; name a later one.", record)
    until_s = min(until_s, draft.now_s + terms.longest_not_now_s)
    event = events.Deferred(
        by=reply.by, token=reply.token, until_s=until_s, device=reply.device, wanted_s=reply.until_s
    )
    draft.to(record, event)


def _someone_else(draft: DecisionDraft, record: Record, reply: Reply) -> None:
    _check_turn(record, reply)
    hand_on(draft, record, reply.by, reply.token, reply.device)


def _let_robot_try(draft: DecisionDraft, record: Record, reply: Reply) -> None:
    if only_people := record.question.rule.only_people:
        raise _Refused(ReceiptStatus.INVALID, only_people, record)
    draft.to(record, events.Delegated(by=reply.by, token=reply.token, device=reply.device))


def _reply_stop(draft: DecisionDraft, reply: Reply) -> Receipt:
    record = draft.fold.records.get(reply.question)
    if reply.by not in draft.fold.people:
        raise _Refused(ReceiptStatus.UNAUTHORISED, "Nobody here knows you; use the robot's own stop button.")
    again = draft.fold.stopped is not None and draft.fold.stop_known(reply.token, reply.by)
    if not again:  # also a known one that was lifted since: stopping is the safe side
        longest = draft.terms.longest_text
        event = events.Stopped(by=reply.by, token=reply.token[:longest], device=storable(reply.device)[:longest])
        record = _stop_everything(draft, event, record)
    return _accepted(thanks(ReplyKind.STOP), record, again=again)


def _stop_everything(draft: DecisionDraft, event: events.Stopped, record: Record | None = None) -> Record | None:
    """Latch the stop and take back all that waits, so that nothing from before it comes up after it.

    Returns:
        The question that the stop came with, as it is then.
    """
    draft.add(event, run=record.run if record else "", key=record.id if record else "")
    for waiting in tuple(draft.fold.index.waiting.values()):
        taken = draft.to(waiting, events.Withdrawn(cause=events.WithdrawalCause.STOP, why=STOP_WORDS))
        record = taken if record is not None and record.id == waiting.id else record
    return record


def _thanks(record: Record, reply: Reply) -> str:
    done = record.done(reply.token, reply.by)
    last = record.status is Status.HANDED_ON and record.turn is None and record.token == reply.token
    return thanks(reply.kind, done.span_s if done else 0.0, nobody_left=last and record.by == reply.by)


class _Refused(Exception):
    """Refusal of a command, which has added nothing to the draft."""

    def __init__(self, status: ReceiptStatus, message: str, record: Record | None = None) -> None:
        super().__init__(message)
        self.receipt = Receipt(status=status, message=message, record=record)


def _accepted(message: str, record: Record | None = None, *, again: bool = False) -> Receipt:
    return Receipt(status=ReceiptStatus.ACCEPTED, message=message, record=record, again=again)


def _record(draft: DecisionDraft, question: str) -> Record:
    record = draft.fold.records.get(question)
    if record is None:
        raise _Refused(ReceiptStatus.UNKNOWN, f"There is no question '{storable(question[:200])}'.")
    return record


def _check_allowed(draft: DecisionDraft, record: Record, by: str) -> None:
    """Refuse a person who may not reply to a question now."""
    if by not in draft.fold.people or by not in record.audience:
        raise _Refused(ReceiptStatus.UNAUTHORISED, "This question is not for you to answer.")
    if not record.waiting:
        raise _Refused(ReceiptStatus.LATE, too_late(record, by), record)
    if draft.fold.stopped is not None:
        raise _Refused(ReceiptStatus.STOPPED, "Everything is stopped. Somebody must enable it first.", record)
    if record.status is Status.CLAIMED and record.by != by:
        raise _Refused(ReceiptStatus.CLAIMED, taken_on(record, draft.now_s), record)


def _check_turn(record: Record, reply: Reply) -> None:
    """Refuse a person whose turn it is not, or whose question somebody else has claimed."""
    if reply.by != (record.by if record.status is Status.CLAIMED else record.turn):
        raise _Refused(ReceiptStatus.STALE, elsewhere(record), record)


def _check_device(draft: DecisionDraft, record: Record, device: str) -> None:
    longest = draft.terms.longest_text
    if len(device) > longest or unstorable(device):
        raise _Refused(
            ReceiptStatus.INVALID, f"The name of a device must be one line of at most {longest} characters.", record
        )


_REPLY: dict[ReplyKind, Callable[[DecisionDraft, Record, Reply], None]] = {
    ReplyKind.ANSWER: _answer,
    ReplyKind.NOT_NOW: _not_now,
    ReplyKind.SOMEONE_ELSE: _someone_else,
    ReplyKind.LET_ROBOT_TRY: _let_robot_try,
}
_TAKE: dict[type[Command], Callable[[DecisionDraft, Any], Receipt]] = {
    AskPeople: _ask,
    Reply: _reply,
    ClaimQuestion: _claim,
    Release: _release,
    Withdraw: _withdraw,
    HandOn: _hand_on,
    StopRobots: _stop,
    Enable: _enable,
    Tick: lambda _draft, _command: _accepted("It is later now."),
    Introduce: _introduce,
    SetBusy: _set_busy,
}
