"""The kinds of question: what each one needs, may have, and takes for an answer. One table for all who ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


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


class Shape(StrEnum):
    """What the value of an answer is made of."""

    OPTION = "option"
    WORDS = "words"
    TRUTH = "truth"
    NUMBER = "number"
    BOX = "box"
    POINTS = "points"
    RESOLUTION = "resolution"


@dataclass(frozen=True, kw_only=True)
class KindRule:
    """What belongs to a kind.

    Args:
        shape: Of its answers.
        least_options: So many options it needs.
        chosen: Whether a person may choose one of the options; other kinds carry options without using them, since
            the wording in old records may have some.
        two: The options that it has by itself; the first of them is True.
        own: Fields of a question that no other kind may have.
        on_image: Whether it is about a place on a picture, which it then needs.
        only_people: Why the robot cannot settle it by trying, in a sentence; empty where it can.
    """

    shape: Shape
    least_options: int = 0
    chosen: bool = False
    two: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    on_image: bool = False
    only_people: str = ""


RULES: Mapping[QuestionKind, KindRule] = {
    QuestionKind.CHOICE: KindRule(shape=Shape.OPTION, least_options=2, chosen=True),
    QuestionKind.TEXT: KindRule(shape=Shape.WORDS, chosen=True),
    QuestionKind.YES_NO: KindRule(shape=Shape.TRUTH, two=("yes", "no")),
    QuestionKind.NUMBER: KindRule(shape=Shape.NUMBER, own=("low", "high", "unit")),
    QuestionKind.BOX: KindRule(shape=Shape.BOX, on_image=True),
    QuestionKind.POINTS: KindRule(shape=Shape.POINTS, own=("marks",), on_image=True),
    QuestionKind.DIAGNOSIS: KindRule(shape=Shape.WORDS, chosen=True),
    QuestionKind.ACTION: KindRule(shape=Shape.RESOLUTION, least_options=2, chosen=True),
    QuestionKind.PERMISSION: KindRule(
        shape=Shape.TRUTH,
        two=("yes", "no"),
        only_people="Only a person gives permission; the robot cannot try instead.",
    ),
    QuestionKind.PHYSICAL: KindRule(
        shape=Shape.TRUTH,
        two=("done", "cannot"),
        only_people="This needs a person's hands; the robot cannot try instead.",
    ),
}
"""Everything that differs from kind to kind."""

MAX_PROMPT = 4_000
"""The longest sentence that is put to a person, in characters; so long may the other texts of a question be, too."""
MAX_OPTION = 500
"""The longest option, and the longest name of a picture or unit."""
MAX_OPTIONS = 100
MAX_MARKS = 20
"""The most points that one question asks for."""
MAX_NAME = 200
"""The longest name of a person, device, channel or mark."""
MAX_PEOPLE = 100
"""The most people that one question is addressed to."""
MAX_WORDS = 4_000
"""The longest answer in words."""
MAX_ID = 500
"""The longest id of a question."""
