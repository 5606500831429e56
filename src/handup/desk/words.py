"""What the desk says to people who reply: one plain sentence each."""

from __future__ import annotations

from handup.core import ReplyKind, in_words
from handup.desk.record import Record, gone
from handup.desk.status import Status


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
