"""The values of answers: words, truths and numbers are Python's own, the others are defined here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from handup.core.checks import MAX_OPTION
from handup.core.errors import BadAnswer
from handup.core.fields import OneOf, Share, Text, check_rules

CORNERS = ("left", "top", "right", "bottom")


class ResumeHint(StrEnum):
    """Ways to go on with a task after an interruption."""

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
"""Wording of each way to resume."""


class Joining(StrEnum):
    """Marks drawn between two points on a picture."""

    LINE = "line"
    """A line, with a cross in the middle."""
    ARROW = "arrow"
    """The way from the first to the second."""
    AROUND = "around"
    """A ring through both."""
    NONE = "none"


@dataclass(frozen=True)
class Point:
    """A place on a picture, in shares of its width and height, from the upper left corner.

    Raises:
        BadAnswer: It lies outside the picture.
    """

    x: Annotated[float, Share()]
    y: Annotated[float, Share()]

    def __post_init__(self) -> None:
        check_rules(self, "a point", BadAnswer)


@dataclass(frozen=True, kw_only=True)
class Box:
    """A rectangle on a picture, in shares of its width and height. Corners may be given in any order.

    Raises:
        BadAnswer: It reaches beyond the picture, or has no area.
    """

    left: Annotated[float, Share()]
    top: Annotated[float, Share()]
    right: Annotated[float, Share()]
    bottom: Annotated[float, Share()]

    def __post_init__(self) -> None:
        check_rules(self, "a box", BadAnswer)
        (left, right), (top, bottom) = sorted((self.left, self.right)), sorted((self.top, self.bottom))
        if left == right or top == bottom:
            raise BadAnswer("a box has no area", hint="Give two opposite corners.")
        for name, number in zip(CORNERS, (left, top, right, bottom), strict=True):
            object.__setattr__(self, name, number)


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """Action after a failure, and the way to resume.

    Raises:
        BadAnswer: There is no such way to resume, or the action is no text.
    """

    action: Annotated[str, Text(MAX_OPTION, called="an action")]
    resume: Annotated[ResumeHint, OneOf(ResumeHint, called="resume")] = ResumeHint.NONE

    def __post_init__(self) -> None:
        check_rules(self, "a resolution", BadAnswer)
