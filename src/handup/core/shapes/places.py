"""Answers on a picture: a box, and points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

from handup.core.checks import MAX_MARKS, one_line, shown
from handup.core.errors import BadAnswer
from handup.core.fields import Share, schema_of
from handup.core.protocols import RandomSource
from handup.core.shapes.base import Schema, Shape, Talk, uniform
from handup.core.shapes.numbers import typed_numbers
from handup.core.value import CORNERS, Box, Point

if TYPE_CHECKING:
    from handup.core.kinds import KindRule
    from handup.core.question import Question

BOX_HINT = "Give left, top, right and bottom as shares of the picture, 0 to 1."
POINT_HINT = "Give x and y as shares of the picture, 0 to 1."
ROWS = COLUMNS = 3
"""The fields into which a picture is divided at a terminal, to point at one by its number."""
LEAST_SIDE = 0.01
"""Least side of a typed box. A smaller one is asked for again: somebody typed shares instead of per cent."""


class PointsShape(Shape[tuple[Point, ...]]):
    """Points on the picture, in the order of the question's marks."""

    made = tuple
    pair: ClassVar[Schema] = {"type": "array", "items": Share().schema, "minItems": 2, "maxItems": 2}
    written: ClassVar[Schema] = {"type": "array", "items": {"anyOf": [schema_of(Point), pair]}, "maxItems": MAX_MARKS}
    noun = "a list of points"

    def check(self, question: Question, value: object) -> tuple[Point, ...]:
        points, marks = self.from_json(value), question.marks
        if not points or (marks and len(points) != len(marks)):
            asked = f"{len(marks)}: {', '.join(marks)}" if marks else "at least one"
            raise BadAnswer(f"an answer has {len(points)} points", hint=f"Give {asked}.")
        return points

    def reads(self, raw: object) -> bool:
        return isinstance(raw, Sequence) and not isinstance(raw, str)

    def from_json(self, raw: Any) -> tuple[Point, ...]:
        if not isinstance(raw, Sequence) or isinstance(raw, (str, bytes)) or len(raw) > MAX_MARKS:
            raise BadAnswer(f"{shown(raw)} is no list of points", hint=f"Give at most {MAX_MARKS}. {POINT_HINT}")
        return tuple(_point(entry) for entry in raw)

    def to_json(self, value: tuple[Point, ...]) -> Any:
        return [{"x": point.x, "y": point.y} for point in value]

    def schema(self, rule: KindRule) -> Schema:
        return {**self.written, "minItems": 1}

    def schema_of(self, question: Question) -> Schema:
        count = len(question.marks)
        exactly = {"minItems": count, "maxItems": count} if count else {}
        return {**self.schema(question.rule), **exactly}

    def in_words(self, question: Question, value: tuple[Point, ...]) -> str:
        names = question.marks or tuple(f"point {number + 1}" for number in range(len(value)))
        places = (f"{_percent(point.x)} across, {_percent(point.y)} down" for point in value)
        return "; ".join(f"{one_line(name)} at {place}" for name, place in zip(names, places, strict=True))

    def in_passing(self, value: tuple[Point, ...]) -> str:
        return "points in the picture"

    def lines(self, question: Question, value: tuple[Point, ...]) -> list[str]:
        return [f"{point.x:.10g} {point.y:.10g}" for point in value]

    def is_json(self, text: str) -> bool:
        return True

    def how_to_type(self, question: Question) -> str:
        return (
            "Type across and down in per cent, as in 30 60, for one point after the other. Or a field for its middle."
        )

    def label(self, question: Question, number: int = 0) -> str:
        marks = question.marks or ("the point",)
        return f"{one_line(marks[number])} ({number + 1} of {len(marks)})"

    def typed(self, question: Question, line: str, talk: Talk) -> object:
        points = [_typed_point(line)]
        while len(points) < len(question.marks):
            try:
                points.append(_typed_point(talk.line(self.label(question, len(points)))))
            except BadAnswer as error:
                talk.say(error.sentence)
        return tuple(points)

    def places(self, value: tuple[Point, ...]) -> tuple[Point, ...]:
        return value

    def pointed(self, places: Sequence[Point], right: tuple[Point, ...]) -> tuple[Point, ...]:
        return tuple(places)

    def wrong(self, question: Question, right: tuple[Point, ...], random: RandomSource) -> tuple[Point, ...]:
        return tuple(Point(uniform(random), uniform(random)) for _ in right)


class BoxShape(Shape[Box]):
    """A rectangle on the picture."""

    made = Box
    written: ClassVar[Schema] = schema_of(Box)
    noun = "a box"

    def check(self, question: Question, value: object) -> Box:
        return self.from_json(value)

    def reads(self, raw: object) -> bool:
        return isinstance(raw, Box | Mapping)

    def from_json(self, raw: Any) -> Box:
        if isinstance(raw, Box):
            return raw
        if isinstance(raw, Mapping):
            if set(raw) != set(CORNERS):
                raise BadAnswer(f"{shown(dict(raw))} is no box", hint=BOX_HINT)
            return Box(**raw)
        if isinstance(raw, Sequence) and not isinstance(raw, (str, bytes)):
            if len(raw) == len(CORNERS):
                return Box(**dict(zip(CORNERS, raw, strict=True)))
            if len(raw) == 2:
                return _box_between(_point(raw[0]), _point(raw[1]))
        raise BadAnswer(f"{shown(raw)} is no box", hint=BOX_HINT)

    def to_json(self, value: Box) -> Any:
        return {name: getattr(value, name) for name in CORNERS}

    def schema(self, rule: KindRule) -> Schema:
        numbers = {**PointsShape.pair, "minItems": len(CORNERS), "maxItems": len(CORNERS)}
        corners = {**PointsShape.written, "minItems": 2, "maxItems": 2}
        return {"anyOf": [self.written, numbers, corners]}

    def oddity(self, value: object) -> str:
        if isinstance(value, Box):
            return ""
        if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
            return shown(value)
        if len(value) != len(CORNERS):
            return f"{len(value)} numbers for a box"
        left, top, right, bottom = value
        if all(isinstance(side, Real) for side in value) and (left >= right or top >= bottom):
            # Perhaps a corner with width and height: an answer of a person may turn a box round, a model may not.
            return f"a box from {left:g}, {top:g} to {right:g}, {bottom:g}"
        return ""

    def in_words(self, question: Question, value: Box) -> str:
        across = f"{_percent(value.left)} to {_percent(value.right)} across"
        return f"{across}, {_percent(value.top)} to {_percent(value.bottom)} down"

    def in_passing(self, value: Box) -> str:
        return "a box in the picture"

    def lines(self, question: Question, value: Box) -> list[str]:
        return [" ".join(f"{getattr(value, name):.10g}" for name in CORNERS)]

    def is_json(self, text: str) -> bool:
        return True

    def how_to_type(self, question: Question) -> str:
        return "Type left, top, right and bottom in per cent, as in 10 20 50 75. Or a field, or two for all between."

    def typed(self, question: Question, line: str, talk: Talk) -> object:
        numbers = typed_numbers(line, 1, 2, 4)
        if len(numbers) < len(CORNERS):
            fields = [_field(number) for number in numbers]
            return Box(
                left=min(field.left for field in fields),
                top=min(field.top for field in fields),
                right=max(field.right for field in fields),
                bottom=max(field.bottom for field in fields),
            )
        left, top, right, bottom = (_share(number) for number in numbers)
        if abs(right - left) < LEAST_SIDE or abs(bottom - top) < LEAST_SIDE:
            raise BadAnswer("that box is smaller than 1% of the picture", hint="Numbers are per cent, 0 to 100.")
        return Box(left=left, top=top, right=right, bottom=bottom)

    def places(self, value: Box) -> tuple[Point, ...]:
        return (Point(value.left, value.top), Point(value.right, value.bottom))

    def pointed(self, places: Sequence[Point], right: Box) -> Box:
        xs, ys = sorted(place.x for place in places), sorted(place.y for place in places)
        return _box_between(*places) if xs[0] < xs[-1] and ys[0] < ys[-1] else right

    def wrong(self, question: Question, right: Box, random: RandomSource) -> Box:
        xs, ys = (sorted(uniform(random) for _ in range(2)) for _ in range(2))
        return Box(left=xs[0] * 0.999, top=ys[0] * 0.999, right=min(xs[1] + 0.001, 1.0), bottom=min(ys[1] + 0.001, 1.0))


def _point(raw: object) -> Point:
    if isinstance(raw, Point):
        return raw
    if isinstance(raw, Mapping) and set(raw) == {"x", "y"}:
        return Point(raw["x"], raw["y"])
    if isinstance(raw, Sequence) and not isinstance(raw, (str, bytes)) and len(raw) == 2:
        return Point(raw[0], raw[1])
    raise BadAnswer(f"{shown(raw)} is no point", hint=POINT_HINT)


def _box_between(first: Point, second: Point) -> Box:
    return Box(left=first.x, top=first.y, right=second.x, bottom=second.y)


def _percent(share: float) -> str:
    return f"{100.0 * share:.3g}%"


def _share(percent: float) -> float:
    if not 0.0 <= percent <= 100.0:
        raise BadAnswer(f"{percent:g} lies outside the picture", hint="Type per cent, 0 to 100.")
    return percent / 100.0


def _field(number: float) -> Box:
    """A field of the picture by its number."""
    if not (number.is_integer() and 1 <= number <= ROWS * COLUMNS):
        raise BadAnswer(f"there is no field {number:g}", hint=f"Fields are 1 to {ROWS * COLUMNS}.")
    row, column = divmod(int(number) - 1, COLUMNS)
    return Box(left=column / COLUMNS, top=row / ROWS, right=(column + 1) / COLUMNS, bottom=(row + 1) / ROWS)


def _typed_point(line: str) -> Point:
    if not line.strip():
        raise BadAnswer("nothing was typed", hint="Type across and down in per cent, or the number of a field.")
    numbers = typed_numbers(line, 1, 2)
    if len(numbers) == 1:
        box = _field(numbers[0])
        return Point((box.left + box.right) / 2.0, (box.top + box.bottom) / 2.0)
    return Point(*(_share(number) for number in numbers))
