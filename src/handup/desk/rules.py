"""All rules of the desk in one pure function: state, command and time in, events and a receipt out.

Time comes first: what has ended by now ends before a command is looked at, so an answer after the deadline is late
even if nobody noticed the deadline. Then the command; then held questions that fit by now are opened.

While the desk is stopped nothing is opened to anybody. What waited when the stop came was taken back; what is asked
afterwards is held, and opened once a person has enabled the desk again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from handup.core import BadSetting, Person, Question, Reply, Role
from handup.core.checks import storable, unstorable
from handup.desk.events import Asked, Cause, Claimed, ClaimEnded, Enabled, Expired, Introduced, Stopped, Withdrawn
from handup.desk.record import ERASED_NAME, Receipt, ReceiptStatus, Record, gone, question_id
from handup.desk.replies import bad_device, barred, no_such, refuse, stop_everything, take_reply
from handup.desk.state import DeskState, Fold
from handup.desk.status import Status
from handup.desk.timing import Draft, Terms, ToWrite, fitting, let_time_pass, open_what_fits
from handup.desk.words import elsewhere, span, too_late


@dataclass(frozen=True, kw_only=True)
class Ask:
    """Put a question to people. `audience`: who may answer, in order. Name nobody in `run` and `step`."""

    run: str
    step: str
    attempt: int
    question: Question
    audience: tuple[str, ...]
    load: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Take a question on for a while; `lease_s` as the terms say where it is None."""

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
class Stop:
    """Stop, from a program or a button; never refused."""

    by: str
    why: str = ""
    token: str = ""


@dataclass(frozen=True, kw_only=True)
class Enable:
    """Let the robot go on after a stop. `stop`: the entry of the last stop that is meant; any where it is None."""

    by: str
    stop: int | None = None


@dataclass(frozen=True)
class Tick:
    """See what time has brought."""


@dataclass(frozen=True, kw_only=True)
class Introduce:
    """Say who can be asked, and how much. Writes only what is news."""

    people: tuple[Person, ...]


Command = Ask | Reply | Claim | Release | Withdraw | Stop | Enable | Tick | Introduce


Made = Callable[[DeskState, float], Command]
"""A command, made once the state and the time are known."""


def given(command: Command) -> Made:
    """A command that is known beforehand."""
    return lambda _state, _now_s: command


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """What the rules say.

    Args:
        events: What is to be written, all or nothing, in this order.
        receipt: What is said to whoever gave the command.
        state: The state once it is written.
    """

    events: tuple[ToWrite, ...]
    receipt: Receipt
    state: DeskState


def decide(state: DeskState, command: Command, now_s: float, terms: Terms | None = None) -> Ruling:
    """What becomes of a command.

    Args:
        state: All that was written so far. An ended question that it has dropped must be recalled first.
        command: What the desk is told.
        now_s: The time; a clock that was set back counts as standing still.
        terms: What it allows.

    Raises:
        BadSetting: The asker's own settings are wrong, or too many questions wait already.
    """
    draft = Draft(fold=Fold(state), now_s=max(now_s, state.at_s), terms=terms or Terms())
    let_time_pass(draft)
    receipt = _TAKE[type(command)](draft, command)
    open_what_fits(draft)
    if receipt.record is not None:
        receipt = replace(receipt, record=draft.fold.records.get(receipt.record.id, receipt.record))
    return Ruling(events=tuple(draft.made), receipt=receipt, state=draft.fold.state())


def _ask(draft: Draft, command: Ask) -> Receipt:
    id_ = question_id(command.run, command.step, command.attempt)
    record = draft.fold.records.get(id_)
    if record is not None:
        return Receipt(status=ReceiptStatus.ACCEPTED, message=record.told, record=record, again=True)
    if not command.audience:
        raise BadSetting(f"nobody can be asked '{id_}'", hint="Give the desk people, or another router.")
    if not (command.load >= 0.0 and math.isfinite(command.load)):
        raise BadSetting(f"the load {command.load} is no load", hint="Give a number from 0 on.")
    if len(draft.fold.index.waiting) >= draft.terms.most_waiting:
        raise BadSetting(
            f"{draft.terms.most_waiting} questions wait already", hint="Withdraw some, or raise Terms.most_waiting."
        )
    turn = command.audience[0]
    found = first = fitting(draft, turn, command.load)
    for each in command.audience[1:]:
        if not found.never:
            break
        turn, found = each, fitting(draft, each, command.load)
    if found.never:
        turn, found = command.audience[0], first
    event = Asked(
        step=command.step,
        attempt=command.attempt,
        turn=turn,
        audience=command.audience,
        question=replace(command.question, to=()).to_json(),
        deadline_s=command.question.deadline_s,
        load=command.load,
        until_s=None if found.fits or found.never else found.from_s,
        why=found.why,
        of=tuple(dict.fromkeys((turn, *_answered(draft, command.run)))),
    )
    draft.add(event, run=command.run, key=id_)
    record = draft.fold.records[id_]
    if record.deadline_s is not None and record.deadline_s <= draft.now_s:
        record = draft.to(record, Expired())
    elif found.never:
        record = draft.to(record, Withdrawn(cause=Cause.NOBODY, why=f"it can never be put to anybody: {found.why}"))
    return Receipt(status=ReceiptStatus.ACCEPTED, message=record.told, record=record)


def _answered(draft: Draft, run: str) -> Iterator[str]:
    """Who has answered in a run, as far as the desk remembers: what they said may be in its next question."""
    for record in draft.fold.records.values():
        by = None if record.run != run or record.answer is None else record.answer.by
        if by is not None and not gone(by):
            yield by


def _claim(draft: Draft, command: Claim) -> Receipt:
    record = draft.fold.records.get(command.question)
    if record is None:
        return no_such(command.question)
    refused = barred(draft, record, command.by)
    if refused is not None:
        return refused
    if record.status not in (Status.OPEN, Status.CLAIMED):
        return refuse(ReceiptStatus.STALE, elsewhere(record), record)
    lease_s = draft.terms.lease_s if command.lease_s is None else command.lease_s
    if not (lease_s > 0 and math.isfinite(lease_s)):
        return refuse(ReceiptStatus.INVALID, "A claim lasts for a time above 0 seconds.", record)
    if len(command.device) > draft.terms.longest_text or unstorable(command.device):
        return refuse(ReceiptStatus.INVALID, bad_device(draft), record)
    lease_s = min(lease_s, draft.terms.longest_lease_s)
    until_s = draft.now_s + lease_s
    again = _holds(record, command) and until_s < (record.until_s or 0.0) + draft.terms.renewal_share * lease_s
    if not again:
        record = draft.to(record, Claimed(by=command.by, until_s=until_s, device=command.device))
    message = f"It is yours for {span((record.until_s or until_s) - draft.now_s)}."
    return Receipt(status=ReceiptStatus.ACCEPTED, message=message, record=record, again=again)


def _holds(record: Record, command: Claim) -> bool:
    return record.status is Status.CLAIMED and (record.by, record.device) == (command.by, command.device)


def _release(draft: Draft, command: Release) -> Receipt:
    record = draft.fold.records.get(command.question)
    if record is None:
        return no_such(command.question)
    refused = barred(draft, record, command.by)
    if refused is not None:
        return refused
    if record.status is not Status.CLAIMED:
        return refuse(ReceiptStatus.STALE, "You have no claim on this question any more.", record)
    record = draft.to(record, ClaimEnded(given_back=True))
    return Receipt(status=ReceiptStatus.ACCEPTED, message="All right, others may answer it again.", record=record)


def _withdraw(draft: Draft, command: Withdraw) -> Receipt:
    record = draft.fold.records.get(command.question)
    if record is None:
        return no_such(command.question)
    if record.status is Status.WITHDRAWN:
        return Receipt(status=ReceiptStatus.ACCEPTED, message="It was taken back before.", record=record, again=True)
    if not record.waiting:
        return refuse(ReceiptStatus.LATE, too_late(record, ""), record)
    record = draft.to(record, Withdrawn(cause=Cause.ASKER, why=storable(command.why)[: draft.terms.longest_text]))
    return Receipt(status=ReceiptStatus.ACCEPTED, message="It is taken back.", record=record)


def _enable(draft: Draft, command: Enable) -> Receipt:
    person = draft.fold.people.get(command.by)
    if person is None or person.role is Role.BYSTANDER:
        return refuse(ReceiptStatus.UNAUTHORISED, "Only a person whom the desk knows enables it, and no bystander.")
    again = draft.fold.stopped is None
    if not again and command.stop is not None and draft.fold.last_stop > command.stop:
        return refuse(ReceiptStatus.STALE, "Somebody said stop again since.")
    if not again:
        draft.add(Enabled(by=command.by))
    return Receipt(status=ReceiptStatus.ACCEPTED, message="The robot may go on.", again=again)


def _stop(draft: Draft, command: Stop) -> Receipt:
    longest = draft.terms.longest_text
    by, why = storable(command.by)[:longest], storable(command.why)[:longest]
    stop_everything(draft, Stopped(by=by, why=why, token=storable(command.token)[:longest]))
    return Receipt(status=ReceiptStatus.ACCEPTED, message="Stopped.")


def _introduce(draft: Draft, command: Introduce) -> Receipt:
    for person in command.people:
        if gone(person.name):
            raise BadSetting(
                f"nobody can be called '{person.name}'",
                hint=f"Names that begin with '{ERASED_NAME}' stand for people who were erased.",
            )
        if draft.fold.people.get(person.name) != person:
            draft.add(Introduced.of(person))
    return Receipt(status=ReceiptStatus.ACCEPTED, message="They are known.")


def _tick(draft: Draft, command: Tick) -> Receipt:
    return Receipt(status=ReceiptStatus.ACCEPTED, message="It is later now.")


_TAKE: dict[type[Command], Callable[[Draft, Any], Receipt]] = {
    Ask: _ask,
    Reply: take_reply,
    Claim: _claim,
    Release: _release,
    Withdraw: _withdraw,
    Stop: _stop,
    Enable: _enable,
    Tick: _tick,
    Introduce: _introduce,
}
