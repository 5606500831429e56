"""The kinds of question: one table with what each of them needs, may have, and takes for an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from handup.core.checks import Error
from handup.core.errors import ConflictingSettings, UnknownName
from handup.core.fields import FieldRule, Schema
from handup.core.shapes.base import Shape
from handup.core.shapes.numbers import NumberShape, TruthShape
from handup.core.shapes.places import BoxShape, PointsShape
from handup.core.shapes.words import OptionShape, ResolutionShape, WordsShape
from handup.core.value import Box, Point, Resolution

if TYPE_CHECKING:
    from handup.core.question import Question

Value = str | bool | float | Box | Resolution | tuple[Point, ...]
"""Content of an answer: words, truth, a number, a box, an action, or points."""


class QuestionKind(StrEnum):
    """Kinds of question of handup itself. A kind says what an answer looks like, and so which control a page shows."""

    CHOICE = "choice"
    """One of the options."""
    TEXT = "text"
    """Words; `options` are suggestions."""
    YES_NO = "yes-no"
    NUMBER = "number"
    """A number from `low` to `high`."""
    BOX = "box"
    """A rectangle on the image."""
    POINTS = "points"
    """The named points (`marks`) on the image."""
    DIAGNOSIS = "diagnosis"
    """The cause of a failure: one of the options, or words where none fits."""
    ACTION = "action"
    """The next step after a failure: one of the options, and how to resume."""
    PERMISSION = "permission"
    """Permission for the robot: yes or no."""
    PHYSICAL = "physical"
    """Something to do with one's hands; the answer says whether it is done."""


@dataclass(frozen=True, kw_only=True)
class KindRule:
    """Everything that differs from kind to kind.

    Args:
        kind: Its name.
        shape: Shape of its answers.
        least_options: The fewest options that a question needs.
        chosen: True where a person may choose one of the options; other kinds carry options without using them, since
            the wording in old records may have some.
        two: The two fixed options of a yes-or-no kind; the first means True.
        own: Fields of a question that no other kind may have.
        on_image: True where it is about a place on a picture, which it then needs.
        only_people: Why the robot cannot settle it by trying, in a sentence; empty where it can.
        explicit: True where it must be answered in so many words: neither by accepting the robot's guess, nor by a
            bystander whom the question does not name.
    """

    kind: str
    shape: Shape[Any]
    least_options: int = 0
    chosen: bool = False
    two: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    on_image: bool = False
    only_people: str = ""
    explicit: bool = False


RULES: dict[str, KindRule] = {}
"""Rule of each known kind, by its name."""
_SHAPES: list[Shape[Any]] = []
"""Every shape, the one added last first, so that it reads its values before those that take any object or list."""
_MADE: dict[type, Shape[Any]] = {}


def add_kind(rule: KindRule) -> None:
    """Make a kind of question known, with the shape of its answers, before questions of it are read.

    Raises:
        ConflictingSettings: Another kind has its name.
    """
    if rule.kind in RULES:
        raise ConflictingSettings(f"two kinds of question are called '{rule.kind}'", hint="Rename one of them.")
    RULES[rule.kind] = rule
    if rule.shape not in _SHAPES:
        _SHAPES.insert(0, rule.shape)
        _MADE.setdefault(rule.shape.made, rule.shape)


WORDS, TRUTH, NUMBER = WordsShape(), TruthShape(), NumberShape()
for _rule in (
    KindRule(kind=QuestionKind.CHOICE, shape=OptionShape(), least_options=2, chosen=True),
    KindRule(kind=QuestionKind.TEXT, shape=WORDS, chosen=True),
    KindRule(kind=QuestionKind.YES_NO, shape=TRUTH, two=("yes", "no")),
    KindRule(kind=QuestionKind.NUMBER, shape=NUMBER, own=("low", "high", "unit")),
    KindRule(kind=QuestionKind.BOX, shape=BoxShape(), on_image=True),
    KindRule(kind=QuestionKind.POINTS, shape=PointsShape(), own=("marks", "joined"), on_image=True),
    KindRule(kind=QuestionKind.DIAGNOSIS, shape=WORDS, chosen=True),
    KindRule(kind=QuestionKind.ACTION, shape=ResolutionShape(), least_options=2, chosen=True),
    KindRule(
        kind=QuestionKind.PERMISSION,
        shape=TRUTH,
        two=("yes", "no"),
        only_people="Only a person gives permission; the robot cannot try instead.",
        explicit=True,
    ),
    KindRule(
        kind=QuestionKind.PHYSICAL,
        shape=TRUTH,
        two=("done", "cannot"),
        only_people="This needs a person's hands; the robot cannot try instead.",
    ),
):
    add_kind(_rule)


def rule_of(kind: object) -> KindRule:
    """Return the rule of a kind, by its name.

    Raises:
        UnknownName: There is no such kind.
    """
    rule = RULES.get(kind) if isinstance(kind, str) else None
    if rule is None:
        raise UnknownName(f"{kind!r} is no kind of question", hint=f"Use one of: {', '.join(RULES)}.")
    return rule


class Kind(FieldRule):
    """The name of a kind that is known."""

    called = ""

    def check(self, what: str, value: Any, error: Error) -> str:
        """The name."""
        return rule_of(value).kind

    @property
    def schema(self) -> Schema:
        """One of the names."""
        return {"enum": [str(kind) for kind in RULES]}


def written_values() -> list[Mapping[str, Any]]:
    """Return JSON Schemas of all values as they are written; no two of these fit the same JSON."""
    schemas: list[Mapping[str, Any]] = []
    for rule in RULES.values():
        if rule.shape.written not in schemas:
            schemas.append(rule.shape.written)
    return schemas


def check_value(question: Question, value: object) -> Value:
    """Return a value in the form that the question's kind wants.

    Values and their JSON are accepted. So are, for a kind with two fixed options, these words; for an action, its words
    alone; for a box, two corners or four numbers in any order; for points, pairs of numbers.

    Raises:
        BadAnswer: The question does not allow it; the hint says what is allowed.
    """
    checked: Value = question.rule.shape.check(question, value)
    return checked


def value_to_json(value: Value | None) -> Any:
    """Return a value as plain data; `value_from_json` reads it back. None, a value that was erased, stays None."""
    shape = _made_of(value)
    return value if shape is None else shape.to_json(value)


def value_from_json(raw: Any) -> Value | None:
    """Return the value that `value_to_json` wrote, or that value itself; `check_value` says if a question allows it.

    Raises:
        BadAnswer: It is no value of any kind of question.
    """
    if raw is None:
        return None
    read: Value = next((shape for shape in _SHAPES if shape.reads(raw)), NUMBER).from_json(raw)
    return read


def in_words(question: Question, value: Value) -> str:
    """Return a value in one line for a person: the robot's guess, or an answer as it was understood."""
    return shape_of(question, value).in_words(question, value)


def in_passing(value: Value) -> str:
    """Return a value in a few words, to stand beside others and without its question."""
    shape = _made_of(value)
    return f"{value:g}" if shape is None else shape.in_passing(value)


def shape_of(question: Question, value: Value) -> Shape[Any]:
    """Return the shape of a value: the question's own, unless another question stands in for an erased one."""
    own = question.rule.shape
    return own if isinstance(value, own.made) else _made_of(value) or own


def _made_of(value: object) -> Shape[Any] | None:
    """Return the shape of a value, whatever question it answers; None where it has none."""
    return next((_MADE[base] for base in type(value).__mro__ if base in _MADE), None)
