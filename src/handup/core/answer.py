"""What a person answers, and what else they may reply."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ResumeHint(StrEnum):
    """How a task goes on after it was interrupted."""

    NONE = "none"
    CONTINUE = "continue"
    RETRY = "retry"
    NEXT = "next"
    PREVIOUS = "previous"


@dataclass(frozen=True)
class Point:
    """A place on a picture, in shares of its width and height, from the upper left corner."""

    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class Box:
    """A rectangle on a picture, in shares of its width and height."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """What to do about a failure, and how to resume."""

    action: str
    resume: ResumeHint = ResumeHint.NONE


Value = str | bool | float | Box | Resolution | tuple[Point, ...]
"""What an answer says: words, truth, a number, a box, an action, or points."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a person answered.

    Args:
        value: What it says; None where it was erased.
        by: Who.
        latency_s: How long they took from when the question was put to them.
        certainty: How sure they were, where they said so.
    """

    value: Value | None
    by: str | None = None
    latency_s: float | None = None
    certainty: float = 1.0


class ReplyKind(StrEnum):
    """What a person may always reply."""

    ANSWER = "answer"
    NOT_NOW = "not-now"
    SOMEONE_ELSE = "someone-else"
    LET_ROBOT_TRY = "let-robot-try"
    STOP = "stop"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What comes from a device.

    Args:
        question: The id of the question that was on the screen.
        kind: An answer, or one of the replies that are always there.
        by: Who replied.
        token: Made by the device, once for each reply and used again when it is sent again, so that a reply that is
            sent twice counts once.
        value: What an answer says.
        device: Which device it came from.
        until_s: For *not now*: until when.
        certainty: How sure the person was.
    """

    question: str
    kind: ReplyKind
    by: str
    token: str
    value: Value | None = None
    device: str = ""
    until_s: float | None = None
    certainty: float = 1.0
