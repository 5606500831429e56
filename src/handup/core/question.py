"""What a person is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import Any

from handup.core.errors import BadSetting


class QuestionKind(StrEnum):
    """How an answer looks, and so which control a page shows."""

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
    """What went wrong: one of the options, or words where none fits."""
    ACTION = "action"
    """What to do about it, one of the options, and how to resume."""
    PERMISSION = "permission"
    """Whether the robot may."""
    PHYSICAL = "physical"
    """Something to do with one's hands; the answer says whether it is done."""


TWO = {
    QuestionKind.YES_NO: ("yes", "no"),
    QuestionKind.PERMISSION: ("yes", "no"),
    QuestionKind.PHYSICAL: ("done", "cannot"),
}
"""Kinds with two fixed options, the first of which is True."""
NEEDS_OPTIONS = {QuestionKind.CHOICE, QuestionKind.ACTION}
NEEDS_IMAGE = {QuestionKind.BOX, QuestionKind.POINTS}


@dataclass(frozen=True)
class Question:
    """A question in the words of the person who will read it.

    A module of a policy holds the bare wording. What is put to a person also says what the robot was doing, why it
    asks, what it thinks itself and what happens for each option.

    Args:
        prompt: The sentence to show or say.
        kind: The shape of the answer.
        options: What to choose from; for `text` and `diagnosis`, suggestions.
        doing: What the robot was doing.
        why: Why it asks.
        guess: What it thinks the answer is, as the value of an answer in JSON.
        sure: The probability that its guess is right.
        effects: What happens for each option, in the order of `choices`.
        pictures: One picture for each option, by name.
        image: The picture that the question is about, by name.
        support: What helps to answer: what is known, what is recommended.
        low: Smallest number that is an answer, for `number`.
        high: Largest number that is an answer.
        unit: Of the number.
        marks: Names of the points that are asked for, in order.
        to: Whom to ask, by name and in order; the desk chooses where it is empty.
        deadline_s: When the answer comes too late; never where it is None.

    Raises:
        BadSetting: It lacks what its kind needs, or has what does not belong to it.
    """

    prompt: str
    kind: QuestionKind = QuestionKind.TEXT
    options: tuple[str, ...] = ()
    doing: str = ""
    why: str = ""
    guess: Any = None
    sure: float | None = None
    effects: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    image: str | None = None
    support: str = ""
    low: float | None = None
    high: float | None = None
    unit: str = ""
    marks: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    deadline_s: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in tuple(QuestionKind):
            raise BadSetting(f"{self.kind!r} is no kind of question", hint=f"Use one of: {', '.join(QuestionKind)}.")
        object.__setattr__(self, "kind", QuestionKind(self.kind))
        for name in ("options", "effects", "pictures", "marks", "to"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.prompt.strip():
            raise BadSetting("a question has no words", hint="Give it a prompt that a person can answer.")
        if self.kind in NEEDS_OPTIONS and len(self.options) < 2:
            raise BadSetting(f"a {self.kind} has fewer than two options", hint="List at least two under options.")

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be chosen, in words: the options, or the two that the kind has by itself."""
        return TWO.get(self.kind, self.options)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back. The bare wording is schema 1, anything more schema 2."""
        record: dict[str, Any] = {"prompt": self.prompt, "kind": str(self.kind), "options": list(self.options)}
        for field in fields(self)[3:]:
            value = getattr(self, field.name)
            if value != (() if field.default is MISSING else field.default):
                record[field.name] = list(value) if isinstance(value, tuple) else value
        return record if len(record) == 3 else {"schema": 2, **record}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Question:
        """The question that `to_json` wrote."""
        return cls(**{key: value for key, value in record.items() if key != "schema"})
