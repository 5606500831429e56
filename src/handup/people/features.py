"""What makes a question easy or hard to answer: difficulty, response type, distraction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from handup.core import BadSetting, Question, QuestionKind


class Difficulty(StrEnum):
    """How much thought an answer takes."""

    EASY = "easy"
    HARD = "hard"


class Response(StrEnum):
    """What the person's hand has to do."""

    CHOICE = "choice"
    """Pick, say or type something: every kind of question but those on an image."""
    BOX = "box"
    """Point at places on an image: a box, or points."""


class Distraction(StrEnum):
    """What else the person is doing."""

    NONE = "none"
    DISTRACTED = "distracted"


RESPONSE_OF: Mapping[QuestionKind, Response] = {
    kind: Response.BOX if kind in (QuestionKind.BOX, QuestionKind.POINTS) else Response.CHOICE for kind in QuestionKind
}


@dataclass(frozen=True)
class Features:
    """A question as the workload model sees it.

    Args:
        difficulty: Easy or hard.
        response: Choosing, or pointing on an image.
        distraction: Whether something else asks for the person's attention.
    """

    difficulty: Difficulty = Difficulty.EASY
    response: Response = Response.CHOICE
    distraction: Distraction = Distraction.NONE

    def __post_init__(self) -> None:
        for name, kind in (("difficulty", Difficulty), ("response", Response), ("distraction", Distraction)):
            value = getattr(self, name)
            if value not in tuple(kind):
                raise BadSetting(f"{name} is {value!r}", hint=f"Use one of: {', '.join(kind)}.")
            object.__setattr__(self, name, kind(value))

    @classmethod
    def of(
        cls,
        question: Question,
        *,
        difficulty: Difficulty = Difficulty.EASY,
        distraction: Distraction = Distraction.NONE,
    ) -> Features:
        """The features of a question; what its kind does not tell is given."""
        return cls(difficulty, RESPONSE_OF[question.kind], distraction)

    @property
    def flags(self) -> tuple[bool, bool, bool]:
        """Hard, on an image, distracted: what adds to the base cost."""
        return (
            self.difficulty is Difficulty.HARD,
            self.response is Response.BOX,
            self.distraction is Distraction.DISTRACTED,
        )

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {name: str(value) for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Features:
        """The features that `to_json` wrote."""
        return cls(**{name: record[name] for name in ("difficulty", "response", "distraction")})


BITE: Mapping[str, Features] = {
    "M1": Features(),
    "M2": Features(response=Response.BOX),
    "M3": Features(),
    "M4": Features(Difficulty.HARD, Response.BOX),
}
"""The core paper's four bite-acquisition modules (its appendix E): food, box, skill, parameters."""
