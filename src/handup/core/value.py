"""The values of answers: what they are made of, which of them a question allows, and how they stand in JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from handup.core.checks import CONTROL, check_number, check_share, check_text, shown
from handup.core.errors import BadAnswer
from handup.core.kinds import MAX_MARKS, MAX_OPTION, MAX_WORDS, RULES, Shape

if TYPE_CHECKING:
    from handup.core.question import Question

CORNERS = ("left", "top", "right", "bottom")
BOX_HINT = "Give left, top, right and bottom as shares of the picture, 0 to 1."
POINT_HINT = "Give x and y as shares of the picture, 0 to 1."


class ResumeHint(StrEnum):
    """How a task goes on after it was interrupted."""

    NONE = "none"
    CONTINUE = "continue"
    RETRY = "retry"
    NEXT = "next"
    PREVIOUS = "previous"


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


def value_to_json(value: Value | None) -> Any:
    """A value as plain data; `value_from_json` reads it back. None, a value that was erased, stays None."""
    if isinstance(value, Box):
        return {name: getattr(value, name) for name in CORNERS}
    if isinstance(value, Resolution):
        return {"action": value.action, "resume": str(value.resume)}
    if isinstance(value, tuple):
        return [{"x": each.x, "y": each.y} for each in value]
    return value


def value_from_json(raw: Any) -> Value | None:
    """The value that `value_to_json` wrote; whether a question allows it is for `check_value` to say.

    Raises:
        BadAnswer: It is no value of any kind of question.
    """
    if raw is None or isinstance(raw, bool):
        return raw
    if isinstance(raw, str):
        return check_text("an answer", raw, MAX_WORDS, error=BadAnswer)
    if isinstance(raw, Mapping):
        return _resolution(raw) if "action" in raw else _box(raw)
    if isinstance(raw, Sequence):
        return _points(raw)
    return check_number("an answer", raw, error=BadAnswer)


def check_value(question: Question, value: object) -> Value:
    """The value as the question's kind has it.

    Taken are values and their JSON; for a kind of two words also these, for an action its words alone, for a box two
    corners or four numbers in any order, for points pairs of numbers.

    Raises:
        BadAnswer: The question does not allow it; the hint says what is allowed.
    """
    return _CHECKS[RULES[question.kind].shape](question, value)


def _option(question: Question, value: object) -> str:
    if not isinstance(value, str) or value not in question.options:
        raise BadAnswer(f"{shown(value)} is none of the options", hint=_one_of(question.options))
    return str(value)


def _words(question: Question, value: object) -> str:
    if isinstance(value, str) and value in question.options and value.strip():
        return str(value)
    text = check_text("an answer", value, MAX_WORDS, error=BadAnswer, empty=False).strip()
    if CONTROL.search(text):
        raise BadAnswer("an answer holds control characters", hint="Give plain words.")
    return text


def _truth(question: Question, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in question.choices:
        return value == question.choices[0]
    raise BadAnswer(f"{shown(value)} is not {' or '.join(question.choices)}", hint="Give true or false.")


def _number(question: Question, value: object) -> float:
    number = check_number("an answer", value, error=BadAnswer)
    low, high = question.low, question.high
    if (low is not None and number < low) or (high is not None and number > high):
        from_low = "" if low is None else f" from {low:g}"
        to_high = "" if high is None else f" up to {high:g}"
        raise BadAnswer(f"{number:g} is out of range", hint=f"Give a number{from_low}{to_high}.")
    return number


def _box_of(question: Question, value: object) -> Box:
    return _box(value)


def _box(value: object) -> Box:
    if isinstance(value, Box):
        return value
    if isinstance(value, Mapping):
        if set(value) != set(CORNERS):
            raise BadAnswer(f"{shown(dict(value))} is no box", hint=BOX_HINT)
        return Box(**value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        if len(value) == len(CORNERS):
            return Box(**dict(zip(CORNERS, value, strict=True)))
        if len(value) == 2:
            first, second = _points(value)
            return Box(left=first.x, top=first.y, right=second.x, bottom=second.y)
    raise BadAnswer(f"{shown(value)} is no box", hint=BOX_HINT)


def _points_of(question: Question, value: object) -> tuple[Point, ...]:
    points = _points(value)
    if not points or (question.marks and len(points) != len(question.marks)):
        asked = f"{len(question.marks)}: {', '.join(question.marks)}" if question.marks else "at least one"
        raise BadAnswer(f"an answer has {len(points)} points", hint=f"Give {asked}.")
    return points


def _points(value: object) -> tuple[Point, ...]:
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)) or len(value) > MAX_MARKS:
        raise BadAnswer(f"{shown(value)} is no list of points", hint=f"Give at most {MAX_MARKS}. {POINT_HINT}")
    return tuple(_point(each) for each in value)


def _point(value: object) -> Point:
    if isinstance(value, Point):
        return value
    if isinstance(value, Mapping) and set(value) == {"x", "y"}:
        return Point(value["x"], value["y"])
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) == 2:
        return Point(value[0], value[1])
    raise BadAnswer(f"{shown(value)} is no point", hint=POINT_HINT)


def _resolution_of(question: Question, value: object) -> Resolution:
    found = Resolution(action=value) if isinstance(value, str) else _resolution(value)
    _option(question, found.action)
    return found


def _resolution(value: object) -> Resolution:
    if isinstance(value, Resolution):
        return value
    if not isinstance(value, Mapping) or "action" not in value or not set(value) <= {"action", "resume"}:
        raise BadAnswer(f"{shown(value)} is no action", hint="Give an action, and how to resume.")
    return Resolution(**value)


def _one_of(options: Sequence[str]) -> str:
    listed = ", ".join(options[:10]) + (", …" if len(options) > 10 else "")
    return f"Give one of: {listed}."


_CHECKS: Mapping[Shape, Callable[[Question, object], Value]] = {
    Shape.OPTION: _option,
    Shape.WORDS: _words,
    Shape.TRUTH: _truth,
    Shape.NUMBER: _number,
    Shape.BOX: _box_of,
    Shape.POINTS: _points_of,
    Shape.RESOLUTION: _resolution_of,
}
