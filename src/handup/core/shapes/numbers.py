"""Answers that are a truth or a number."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

from handup.core.checks import check_number, one_line, shown
from handup.core.errors import BadAnswer
from handup.core.protocols import RandomSource
from handup.core.shapes.base import Schema, Shape, Talk, uniform

if TYPE_CHECKING:
    from handup.core.kinds import KindRule
    from handup.core.question import Question


class TruthShape(Shape[bool]):
    """One of two: the first is true."""

    made = bool
    written: ClassVar[Schema] = {"type": "boolean"}
    noun = "a truth"

    def check(self, question: Question, value: object) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value in question.choices:
            return value == question.choices[0]
        raise BadAnswer(f"{shown(value)} is not {' or '.join(question.choices)}", hint="Give true or false.")

    def from_json(self, raw: Any) -> bool:
        return bool(raw)

    def schema(self, rule: KindRule) -> Schema:
        return {"enum": [True, False, *rule.two]}

    def in_words(self, question: Question, value: bool) -> str:
        return self.option(question, value)

    def in_passing(self, value: bool) -> str:
        return "yes" if value else "no"

    def option(self, question: Question, value: bool) -> str:
        return (question.choices or ("yes", "no"))[0 if value else 1]

    def lines(self, question: Question, value: bool) -> list[str]:
        return [self.option(question, value)]

    def how_to_type(self, question: Question) -> str:
        first, second = question.rule.two
        return f"Type 1 for {first}, 2 for {second}."


class NumberShape(Shape[float]):
    """A number within the limits of the question."""

    made = float
    written: ClassVar[Schema] = {"type": "number"}
    noun = "a number"
    shell_hint = "Give a number."

    def check(self, question: Question, value: object) -> float:
        number = self.from_json(value)
        low, high = question.low, question.high
        if (low is not None and number < low) or (high is not None and number > high):
            raise BadAnswer(f"{number:g} is out of range", hint=f"Give a number{_limits(question)}.")
        return number

    def reads(self, raw: object) -> bool:
        return isinstance(raw, Real) and not isinstance(raw, bool)

    def from_json(self, raw: Any) -> float:
        return check_number("an answer", raw, error=BadAnswer)

    def schema_of(self, question: Question) -> Schema:
        low = {} if question.low is None else {"minimum": question.low}
        high = {} if question.high is None else {"maximum": question.high}
        return {**self.written, **low, **high}

    def in_words(self, question: Question, value: float) -> str:
        return one_line(f"{value:.10g} {question.unit}")

    def in_passing(self, value: float) -> str:
        return f"{value:g}"

    def lines(self, question: Question, value: float) -> list[str]:
        return [f"{value:.15g}"]

    def is_json(self, text: str) -> bool:
        return True

    def how_to_type(self, question: Question) -> str:
        unit = f", in {one_line(question.unit)}" if question.unit else ""
        return f"Type a number{_limits(question)}{unit}."

    def typed(self, question: Question, line: str, talk: Talk) -> object:
        return typed_numbers(line, 1)[0]

    def wrong(self, question: Question, right: float, random: RandomSource) -> float:
        low = right - 10.0 if question.low is None else question.low
        high = right + 10.0 if question.high is None else question.high
        return min(max(low + (high - low) * uniform(random), min(low, high)), max(low, high))


def _limits(question: Question) -> str:
    low = "" if question.low is None else f" from {question.low:g}"
    return low if question.high is None else f"{low} up to {question.high:g}"


def typed_numbers(line: str, *counts: int) -> list[float]:
    """Return the numbers of a line; their number must be one of `counts`."""
    parts = line.replace("%", " ").replace(";", " ").split()
    if len(parts) == 1 and counts == (1,) and parts[0].count(",") == 1:
        parts = [parts[0].replace(",", ".")]  # how half of the world writes 0.5
    else:
        parts = [word for part in parts for word in part.split(",") if word]
    try:
        numbers = [float(word) for word in parts]
    except ValueError:
        numbers = []
    if len(numbers) not in counts:
        needed = "a number" if counts == (1,) else f"{' or '.join(map(str, counts))} numbers"
        raise BadAnswer(
            f"'{one_line(line)[:60]}' is not {needed}",
            hint="Type digits, as in 7 or 2.5." if counts == (1,) else "Type digits with spaces between them.",
        )
    return numbers
