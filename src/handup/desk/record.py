"""Record of one question in flight, and the receipt for a reply to it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import IntEnum, StrEnum
from functools import cached_property
from typing import Any

from handup.core import Answer, Malformed, OutOfRange, Question, ReplyKind, in_words, value_to_json
from handup.core.checks import MAX_ID
from handup.desk.events import WithdrawalCause
from handup.desk.status import WAITING, Status

ERASED = Question("The words of this question were erased.")
"""Question that stands in the place of one whose words were erased."""
ERASED_NAME = "erased-"
"""Beginning of the name of a person who was erased."""
LONGEST_NAME = 200
MOST_ATTEMPTS = 10**9
ENDED = (Status.ANSWERED, Status.DELEGATED, Status.WITHDRAWN, Status.EXPIRED)


def question_id(run: str, step: str, attempt: int = 1) -> str:
    """Return the id of a question: the same run, step and attempt ask the same question, also after a crash.

    Run and step stand in the journal for ever and cannot be erased: name nobody in them.

    Raises:
        Malformed: A name is empty, too long or not printable, or a step has a slash.
        OutOfRange: The attempt is no whole number from 1 to `MOST_ATTEMPTS`.
    """
    for what, name in (("run", run), ("step", step)):
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            must = f"have 1 to {LONGEST_NAME} printable characters"
            raise Malformed.of(f"the {what} of a question", repr(name[:LONGEST_NAME]), must, hint="Give a short name.")
    if "/" in step:
        raise Malformed.of("a step", repr(step), "have no slash", hint="Put it in the run, or use another character.")
    if isinstance(attempt, bool) or not isinstance(attempt, int) or not 1 <= attempt <= MOST_ATTEMPTS:
        must = f"be a whole number from 1 to {MOST_ATTEMPTS}"
        raise OutOfRange.of("attempt", repr(attempt), must, hint="Count attempts from 1.")
    return f"{run}/{step}/{attempt}"


def may_be_id(question: str) -> bool:
    """Return True if a text could be the id of a question; the journal is not searched for others."""
    return 0 < len(question) <= MAX_ID and question.isprintable() and question.count("/") >= 2


class End(IntEnum):
    """Kind of end that time brings to a question; the lower one counts first where two come at the same time."""

    WORDS = 0
    """Its words, or the person, were erased: it ends at once."""
    DEADLINE = 1
    LEASE = 2
    DEFERRAL = 3


def gone(person: str | None) -> bool:
    """Return True if a name in a record stands for nobody, or for a person who was erased."""
    return person is None or person.startswith(ERASED_NAME)


@dataclass(frozen=True, kw_only=True)
class AcceptedReply:
    """A reply that was accepted. It is remembered so that the same reply, sent again, gets the same receipt.

    Args:
        token: Its token.
        by: The person who gave it.
        kind: Its kind.
        digest: Digest of its content, by which another reply with the same token is noticed.
        span_s: Length of a *not now* in seconds.
    """

    token: str
    by: str
    kind: ReplyKind
    digest: str
    span_s: float = 0.0


def digest(kind: ReplyKind, value: Any = None, *, until_s: float | None = None, certainty: float = 1.0) -> str:
    """Return a digest of a reply's content. It is in memory and snapshots only, as short values could be guessed.

    Args:
        kind: Kind of the reply.
        value: Value of an answer, as plain JSON.
        until_s: Time until which the person wanted to be left alone, for *not now*.
        certainty: Certainty of an answer, from 0 to 1.
    """
    content = json.dumps([str(kind), value, until_s, float(certainty)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]


@dataclass(frozen=True, kw_only=True)
class Record:
    """A question and its status.

    Args:
        id: Id made of run, step and attempt.
        run: The run that asked.
        step: The step of the run.
        attempt: Number of the attempt at the step.
        question: The words; `ERASED` where they were erased.
        load: Its query cost.
        audience: People who may answer, in order.
        turn: Person who is asked now; None where nobody is left, or nobody has come yet.
        status: Its status.
        number: Number of its first entry in the journal, which is the order of asking.
        asked_s: Time at which it came in.
        opened_s: Time at which it was last put to a person.
        until_s: End of the hold, the lease or the deferral, where that is known.
        deadline_s: Time after which an answer is too late.
        by: Person who holds it or settled it.
        device: Device of that person.
        token: Token of the reply that settled it.
        answer: The answer.
        why: Reason why it is held or withdrawn, for people.
        cause: Cause for which it was withdrawn, for programs.
        passed: People who said *someone else*.
        replies: The latest replies that were accepted.
        newcomers: Whether people who are introduced later may answer it, too.
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
    cause: WithdrawalCause | None = None
    passed: tuple[str, ...] = ()
    replies: tuple[AcceptedReply, ...] = ()
    newcomers: bool = False

    @property
    def waiting(self) -> bool:
        """True if an answer is still accepted."""
        return self.status in WAITING

    @property
    def ended(self) -> bool:
        """True if the status can no longer change."""
        return self.status in ENDED or (self.status is Status.HANDED_ON and self.turn is None)

    @property
    def settled(self) -> bool:
        """True if the asker can be told an outcome: the question ended, or was put off."""
        return self.ended or self.status is Status.DEFERRED

    @property
    def told(self) -> str:
        """One sentence on its status for the asker."""
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
        """True if its words were erased."""
        return self.question is ERASED or self.question == ERASED

    @cached_property
    def ends(self) -> tuple[tuple[End, float], ...]:
        """Ends that time will bring to it, and when."""
        if not self.waiting:
            return ()
        ends = [] if self.deadline_s is None else [(End.DEADLINE, self.deadline_s)]
        if self.erased or (gone(self.turn) and self.audience):
            ends.append((End.WORDS, -math.inf))
        if self.status is Status.CLAIMED and self.until_s is not None:
            ends.append((End.LEASE, self.until_s))
        if self.status is Status.DEFERRED and self.until_s is not None:
            ends.append((End.DEFERRAL, self.until_s))
        return tuple(ends)

    @cached_property
    def due_s(self) -> float:
        """Time of the first of its ends; infinity where it has none."""
        return min((at_s for _, at_s in self.ends), default=math.inf)

    def done(self, token: str, by: str) -> AcceptedReply | None:
        """Return the accepted reply with this token by this person, or None."""
        return next((reply for reply in self.replies if token and reply.token == token and reply.by == by), None)

    def to_json(self) -> dict[str, Any]:
        """Return a plain record; `from_json` reads it back. `newcomers` is left out where it is False."""
        flat = {field.name: getattr(self, field.name) for field in fields(self)}
        if not self.newcomers:
            del flat["newcomers"]
        answer = self.answer and {**asdict(self.answer), "value": value_to_json(self.answer.value)}
        return {
            **flat,
            "question": replace(self.question, to=()).to_json(),
            "audience": list(self.audience),
            "status": str(self.status),
            "answer": answer,
            "cause": self.cause and str(self.cause),
            "passed": list(self.passed),
            "replies": [{**asdict(reply), "kind": str(reply.kind)} for reply in self.replies],
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Record:
        """Return the record that `to_json` wrote."""
        answer, cause = record["answer"], record["cause"]
        return cls(
            **{
                **record,
                "question": addressed(Question.from_json(record["question"]), tuple(record["audience"])),
                "audience": tuple(record["audience"]),
                "status": Status(record["status"]),
                "answer": answer and Answer(**answer),
                "cause": None if cause is None else WithdrawalCause(cause),
                "passed": tuple(record["passed"]),
                "replies": tuple(
                    AcceptedReply(**{**reply, "kind": ReplyKind(reply["kind"])}) for reply in record["replies"]
                ),
            }
        )


def addressed(question: Question, audience: tuple[str, ...]) -> Question:
    """Return a question with its audience, unless it was erased."""
    return ERASED if question == ERASED else replace(question, to=audience)


class ReceiptStatus(StrEnum):
    """Result of a reply or another command."""

    ACCEPTED = "accepted"
    LATE = "late"
    """The question is settled."""
    STALE = "stale"
    """The question is with another person by now, put off, or no longer claimed."""
    UNAUTHORISED = "unauthorised"
    """This person may not answer the question."""
    CLAIMED = "claimed"
    """Another person has claimed it."""
    INVALID = "invalid"
    """The question does not allow this answer."""
    UNKNOWN = "unknown"
    """There is no such question."""
    STOPPED = "stopped"
    """The desk is stopped."""


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """Receipt for a reply. An accepted reply is durable; a refused one changed nothing.

    Args:
        status: Result of the reply.
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
        """True if the reply counts."""
        return self.status is ReceiptStatus.ACCEPTED


# -- sentences for people, in which the robot speaks as "I" ----------------------------------------------------------


def name_of(person: str | None) -> str:
    """Return a name for others to read."""
    return "somebody" if person is None or gone(person) else person


def _first_upper(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def span(seconds: float) -> str:
    """Return a length of time in words, rounded up."""
    for unit, size in (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 2 * size:
            return f"{-int(-seconds // size)} {unit}s"
    count = max(1, -int(-seconds // 1))
    return f"{count} second{'s' if count > 1 else ''}"


def thanks(kind: ReplyKind, span_s: float = 0.0, *, nobody_left: bool = False) -> str:
    """Return the message for a reply that counts; the same whenever the same reply comes again."""
    if kind is ReplyKind.SOMEONE_ELSE and nobody_left:
        return "All right. I can ask nobody else, so the question ends without an answer."
    return {
        ReplyKind.ANSWER: "Thank you, your answer counts.",
        ReplyKind.NOT_NOW: f"All right. I may go on without your answer; otherwise I ask again in {span(span_s)}.",
        ReplyKind.SOMEONE_ELSE: "All right, I ask somebody else.",
        ReplyKind.LET_ROBOT_TRY: "All right, I try by myself.",
        ReplyKind.STOP: "Stopped. Nothing moves before somebody lets the robot go on.",
    }[kind]


BACK_WORDS = "Welcome back. I ask you again."


def busy_words(for_s: float | None, *, others: bool) -> str:
    """Return the message for a person who is busy: until when they are not asked, and what happens meanwhile."""
    until = "until you say that you are back" if for_s is None else f"for {span(for_s)}"
    meanwhile = "Meanwhile I ask somebody else, or wait." if others else "My questions wait for you."
    return f"All right, I do not ask you {until}. {meanwhile}"


def too_late(record: Record, by: str) -> str:
    """Return the message that a question takes no more replies, and why."""
    who = "You have" if record.by == by else f"{_first_upper(name_of(record.by))} has"
    return {
        Status.ANSWERED: f"{who} already answered this.",
        Status.DELEGATED: f"{who} already let me try by myself.",
        Status.HANDED_ON: "I had nobody left to ask.",
        Status.EXPIRED: "The time for an answer is over.",
        Status.WITHDRAWN: f"This question was taken back: {(record.why or 'it is no longer needed').rstrip('.')}.",
    }.get(record.status, "This question takes no reply now.")


def what_counts(record: Record) -> str:
    """Return the answer that counts with its person, for somebody in the audience; empty where there is none."""
    if record.answer is None or record.answer.value is None:
        return ""
    return f"{_first_upper(name_of(record.by))}'s answer counts: {in_words(record.question, record.answer.value)}."


def taken_on(record: Record, now_s: float) -> str:
    """Return the message that a person has claimed a question, and for how long."""
    left_s = (record.until_s or now_s) - now_s
    return f"{name_of(record.by)} has taken this on for another {span(left_s)}."


def elsewhere(record: Record) -> str:
    """Return the message that a question is not before the person who replied, and where it is."""
    if record.status is Status.DEFERRED:
        return "This question was put off. Nobody is asked now."
    if record.status is Status.HELD:
        return f"This question waits for {name_of(record.turn)}."
    return f"This question is with {name_of(record.turn)} now."
