"""The values of answers: words, truths and numbers are Python's own, the others are defined here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from handup.core.checks import MAX_OPTION, check_share, check_text, shown
from handup.core.errors import BadAnswer

CORNERS = ("left", "top", "right", "bottom")


class ResumeHint(StrEnum):
    """How a task goes on after it was interrupted."""

    NONE = "none"
    CONTINUE = "continue"
    RETRY = "retry"
    NEXT = "next"
    PREVIOUS = "previous"


RESUMING: Mapping[ResumeHint, str] = {
    ResumeHint.NONE: "as the robot sees fit",
    ResumeHint.CONTINUE: "go on from where it stopped",
    ResumeHint.RETRY: "do the same step again",
    ResumeHint.NEXT: "go on with the next step",
    ResumeHint.PREVIOUS: "go back one step",
}
"""Each way to resume, in words."""


@dataclass(frozen=True)
class Point:
    """A place on a picture, in shares of its width and height, from the upper left corner.

    Raises:
        BadAnswer: It lies outside the picture.
    """

    x: float
    y: float

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, check_share(f"{name} of a point", getattr(self, name), error=BadAnswer))


@dataclass(frozen=True, kw_only=True)
class Box:
    """A rectangle on a picture, in shares of its width and height. Corners may be given in any order.

    Raises:
        BadAnswer: It reaches beyond the picture, or has no area.
    """

    left: float
    top: float
    right: float
    bottom: float

    def __post_init__(self) -> None:
        given = [check_share(f"{name} of a box", getattr(self, name), error=BadAnswer) for name in CORNERS]
        (left, right), (top, bottom) = sorted(given[0::2]), sorted(given[1::2])
        if left == right or top == bottom:
            raise BadAnswer("a box has no area", hint="Give two opposite corners.")
        for name, number in zip(CORNERS, (left, top, right, bottom), strict=True):
            object.__setattr__(self, name, number)


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """What to do about a failure, and how to resume.

    Raises:
        BadAnswer: There is no such way to resume, or the action is no text.
    """

    action: str
    resume: ResumeHint = ResumeHint.NONE

    def __post_init__(self) -> None:
        check_text("an action", self.action, MAX_OPTION, error=BadAnswer)
        if not isinstance(self.resume, str) or self.resume not in tuple(ResumeHint):
            raise BadAnswer(f"resume is {shown(self.resume)}", hint=f"Use one of: {', '.join(ResumeHint)}.")
        object.__setattr__(self, "resume", ResumeHint(self.resume))


Value = str | bool | float | Box | Resolution | tuple[Point, ...]
"""What an answer says: words, truth, a number, a box, an action, or points."""
