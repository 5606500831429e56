"""One question in flight as the desk knows it, and what is said to whoever replies to it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import IntEnum, StrEnum
from functools import cached_property
from typing import Any

from handup.core import Answer, BadSetting, Question, ReplyKind, in_words, value_to_json
from handup.core.checks import MAX_ID
from handup.desk.events import Cause
from handup.desk.status import WAITING, Status

ERASED = Question("The words of this question were erased.")
"""What stands in for a question whose words were erased."""
ERASED_NAME = "erased-"
"""How the name of a person begins who was erased."""
LONGEST_NAME = 200
MOST_ATTEMPTS = 10**9
ENDED = (Status.ANSWERED, Status.DELEGATED, Status.WITHDRAWN, Status.EXPIRED)


def question_id(run: str, step: str, attempt: int = 1) -> str:
    """The id of a question: the same run, step and attempt ask the same question, also after a crash.

    Run and step stand in the journal for ever and cannot be erased: name nobody in them.

    Raises:
        BadSetting: Empty, too long, with characters that cannot be shown, a step with a slash, or an attempt that is
            no number from 1 to `MOST_ATTEMPTS`.
    """
    for what, name in (("run", run), ("step", step)):
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise BadSetting(
                f"the {what} {name[:LONGEST_NAME]!r} cannot name a question",
                hint=f"Use 1 to {LONGEST_NAME} printable characters.",
            )
    if "/" in step:
        raise BadSetting(f"the step {step!r} has a slash", hint="Slashes belong in the run; use another character.")
    if isinstance(attempt, bool) or not isinstance(attempt, int) or not 1 <= attempt <= MOST_ATTEMPTS:
        raise BadSetting(f"attempt {attempt!r} is no attempt", hint="Count attempts from 1.")
    return f"{run}/{step}/{attempt}"


def may_be_id(question: str) -> bool:
    """Whether a text could be the id of a question at all; the journal need not be searched for one that could not."""
    return 0 < len(question) <= MAX_ID and question.isprintable() and question.count("/") >= 2


class End(IntEnum):
    """What about a question ends with time; of two at a time the first comes first."""

    WORDS = 0
    """Its words, or the person, were erased: at once."""
    DEADLINE = 1
    LEASE = 2
    DEFERRAL = 3


def gone(person: str | None) -> bool:
    """Whether a name in a record stands for nobody who could be asked: somebody who was erased."""
    return person is None or person.startswith(ERASED_NAME)


@dataclass(frozen=True, kw_only=True)
class Done:
    """A reply that was accepted, so that the same one, sent again, gets the same receipt.

    Args:
        token: Its token.
        by: Who gave it.
        kind: What kind it was.
        digest: Of what it said; another reply with the same token is another reply.
        span_s: For *not now*: for how long.
    """

    token: str
    by: str
    kind: ReplyKind
    digest: str
    span_s: float = 0.0


def digest(kind: ReplyKind, value: Any = None, *, until_s: float | None = None, certainty: float = 1.0) -> str:
    """A short name for what a reply says. Only in memory and in snapshots: from it, a short value could be guessed.

    Args:
        kind: What kind of reply it is.
        value: What an answer says, as plain JSON.
        until_s: For *not now*: until when the person wanted to be left alone.
        certainty: How sure they were of an answer.
    """
    said = json.dumps([str(kind), value, until_s, float(certainty)], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:32]


@dataclass(frozen=True, kw_only=True)
class Record:
    """A question and where it is.

    Args:
        id: From run, step and attempt.
        run: Who asked.
        step: At which step.
        attempt: At which attempt.
        question: The words; `ERASED` where they were erased.
        load: Its query cost.
        audience: Who may answer, in order.
        turn: Who is asked now; None where nobody is left.
        status: Where it is.
        number: The journal's number of its first entry: the order of asking.
        asked_s: When it came in.
        opened_s: When it was last put to a person.
        until_s: When the hold, the lease or the deferral ends, where that is known.
        deadline_s: When an answer comes too late.
        by: Who holds it or settled it.
        device: From which device.
        token: The token of the reply that settled it.
        answer: What was answered.
        why: Why it is held or withdrawn, for a person to read.
        cause: Why it was withdrawn, for a program.
        passed: Who said *someone else*.
        replies: The latest replies that were accepted.
    """

    id: str
    run: str
    step: str
    attempt: int
    question: Question
    load: float
    audience: tuple[str, ...]
    turn: str | None
    status: Status
    number: int
    asked_s: float
    opened_s: float | None = None
    until_s: float | None = None
    deadline_s: float | None = None
    by: str | None = None
    device: str | None = None
    token: str | None = None
    answer: Answer | None = None
    why: str = ""
    cause: Cause | None = None
    passed: tuple[str, ...] = ()
    replies: tuple[Done, ...] = ()

    @property
    def waiting(self) -> bool:
        """Whether an answer is still welcome."""
        return self.status in WAITING

    @property
    def ended(self) -> bool:
        """Whether there is no way on from here."""
        return self.status in ENDED or (self.status is Status.HANDED_ON and self.turn is None)

    @property
    def settled(self) -> bool:
        """Whether there is something to tell to whoever asked: it ended, or it was put off."""
        return self.ended or self.status is Status.DEFERRED

    @property
    def told(self) -> str:
        """One sentence for whoever asked."""
        who = self.by or "somebody"
        return {
            Status.HELD: f"Waits for its turn: {self.why or 'it does not fit yet'}.",
            Status.OPEN: f"It is with {self.turn}.",
            Status.CLAIMED: f"{who} has taken it on.",
            Status.DEFERRED: f"{who} said: not now.",
            Status.HANDED_ON: "Everybody said: someone else." if self.turn is None else f"It goes to {self.turn}.",
            Status.ANSWERED: f"{who} answered.",
            Status.DELEGATED: f"{who} said: let the robot try.",
            Status.WITHDRAWN: f"It was taken back: {(self.why or 'it is no longer needed').rstrip('.')}.",
            Status.EXPIRED: "Nobody answered in time.",
        }[self.status]

    @property
    def erased(self) -> bool:
        """Whether its words were erased."""
        return self.question is ERASED or self.question == ERASED

    @cached_property
    def ends(self) -> tuple[tuple[End, float], ...]:
        """What time will end about it, and when."""
        if not self.waiting:
            return ()
        ends = [] if self.deadline_s is None else [(End.DEADLINE, self.deadline_s)]
        if self.erased or gone(self.turn):
            ends.append((End.WORDS, -math.inf))
        if self.status is Status.CLAIMED and self.until_s is not None:
            ends.append((End.LEASE, self.until_s))
        if self.status is Status.DEFERRED and self.until_s is not None:
            ends.append((End.DEFERRAL, self.until_s))
        return tuple(ends)

    @cached_property
    def due_s(self) -> float:
        """When the first of these ends; infinity where time does nothing to it."""
        return min((at_s for _, at_s in self.ends), default=math.inf)

    def done(self, token: str, by: str) -> Done | None:
        """The accepted reply with this token by this person, if there is one."""
        return next((each for each in self.replies if token and each.token == token and each.by == by), None)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        flat = {field.name: getattr(self, field.name) for field in fields(self)}
        answer = self.answer and {**asdict(self.answer), "value": value_to_json(self.answer.value)}
        return {
            **flat,
            "question": replace(self.question, to=()).to_json(),
            "audience": list(self.audience),
            "status": str(self.status),
            "answer": answer,
            "cause": self.cause and str(self.cause),
            "passed": list(self.passed),
            "replies": [{**asdict(each), "kind": str(each.kind)} for each in self.replies],
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Record:
        """The record that `to_json` wrote."""
        answer, cause = record["answer"], record["cause"]
        return cls(
            **{
                **record,
                "question": addressed(Question.from_json(record["question"]), tuple(record["audience"])),
                "audience": tuple(record["audience"]),
                "status": Status(record["status"]),
                "answer": answer and Answer(**answer),
                "cause": None if cause is None else Cause(cause),
                "passed": tuple(record["passed"]),
                "replies": tuple(Done(**{**each, "kind": ReplyKind(each["kind"])}) for each in record["replies"]),
            }
        )


def addressed(question: Question, audience: tuple[str, ...]) -> Question:
    """A question with its audience, unless it was erased."""
    return ERASED if question == ERASED else replace(question, to=audience)


class ReceiptStatus(StrEnum):
    """What became of a reply."""

    ACCEPTED = "accepted"
    LATE = "late"
    """The question is settled."""
    STALE = "stale"
    """The question is elsewhere by now: with another person, put off, not claimed any more."""
    UNAUTHORISED = "unauthorised"
    """Not from somebody who may answer this."""
    CLAIMED = "claimed"
    """Somebody else has taken it on."""
    INVALID = "invalid"
    """Not an answer to this question."""
    UNKNOWN = "unknown"
    """There is no such question."""
    STOPPED = "stopped"
    """The desk is stopped."""


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What is said to whoever replied. An accepted reply is durable; a refused one changed nothing.

    Args:
        status: What became of it.
        message: One sentence for the person.
        record: The question as it is now.
        again: Whether the same reply had been accepted before.
    """

    status: ReceiptStatus
    message: str
    record: Record | None = None
    again: bool = False

    @property
    def accepted(self) -> bool:
        """Whether it counts."""
        return self.status is ReceiptStatus.ACCEPTED


# -- what is said to people, one plain sentence each -----------------------------------------------------------------


def name_of(person: str | None) -> str:
    """A name for others to read."""
    return "somebody" if person is None or gone(person) else person


def _first_upper(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def span(seconds: float) -> str:
    """A stretch of time in words, rounded up."""
    for unit, size in (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 2 * size:
            return f"{-int(-seconds // size)} {unit}s"
    count = max(1, -int(-seconds // 1))
    return f"{count} second{'s' if count > 1 else ''}"


def thanks(kind: ReplyKind, span_s: float = 0.0, *, nobody_left: bool = False) -> str:
    """What is said for a reply that counts; the same whenever the same reply comes again."""
    if kind is ReplyKind.SOMEONE_ELSE and nobody_left:
        return "Nobody else can be asked; the robot is told."
    return {
        ReplyKind.ANSWER: "Thank you, your answer counts.",
        ReplyKind.NOT_NOW: (
            f"All right. The robot may go on without your answer; otherwise it asks again in {span(span_s)}."
        ),
        ReplyKind.SOMEONE_ELSE: "All right, somebody else is asked.",
        ReplyKind.LET_ROBOT_TRY: "All right, the robot tries by itself.",
        ReplyKind.STOP: "Stopped. Nothing goes on before somebody enables it.",
    }[kind]


def too_late(record: Record, by: str) -> str:
    """Why a question takes no more replies."""
    who = "You have" if record.by == by else f"{_first_upper(name_of(record.by))} has"
    return {
        Status.ANSWERED: f"{who} already answered this.",
        Status.DELEGATED: f"{who} already let the robot try by itself.",
        Status.HANDED_ON: "Nobody was left to ask, so the robot was told.",
        Status.EXPIRED: "The time for an answer is over.",
        Status.WITHDRAWN: f"This question was taken back: {(record.why or 'it is no longer needed').rstrip('.')}.",
    }.get(record.status, "This question takes no reply now.")


def what_counts(record: Record) -> str:
    """Whose answer counts and what it says, for somebody in the audience; empty where there is none to tell."""
    if record.answer is None or record.answer.value is None:
        return ""
    return f"{_first_upper(name_of(record.by))}'s answer counts: {in_words(record.question, record.answer.value)}."


def taken_on(record: Record, now_s: float) -> str:
    """Who holds a claim, and for how long."""
    left_s = (record.until_s or now_s) - now_s
    return f"{name_of(record.by)} has taken this on for another {span(left_s)}."


def elsewhere(record: Record) -> str:
    """Where a question is that is not before the person who replied."""
    if record.status is Status.DEFERRED:
        return "This question was put off and is before nobody now."
    if record.status is Status.HELD:
        return f"This question waits for {name_of(record.turn)}."
    return f"This question is with {name_of(record.turn)} now."
