"""The words of answering: who answers, how carefully, with which support, and what is known about that."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from handup.core import BadSetting

CERTAINTIES = (1, 2, 3, 4, 5)
ACCURACIES = (1.0, 0.9, 0.8)


class Care(StrEnum):
    """How carefully a person answers from sight."""

    HURRIED = "hurried"
    USUAL = "usual"
    CAREFUL = "careful"


class Evidence(StrEnum):
    """What a number rests on."""

    HUMAN_DATA = "human data"
    ASSUMED = "assumed"


class Suggestions(StrEnum):
    """What is suggested beside a question."""

    NONE = "none"
    OWN = "own"
    """Answers to this question."""
    OTHER = "other"
    """Answers to the other of diagnosis and action."""
    BOTH = "both"


@dataclass(frozen=True)
class Support:
    """What a person is given beside a question.

    Args:
        suggestions: What is suggested.
        accuracy: How many of the suggestions are accurate. Human data knows 1, .9 and .8; the nearest of them is used.
    """

    suggestions: Suggestions = Suggestions.NONE
    accuracy: float = 1.0

    def __post_init__(self) -> None:
        if self.suggestions not in tuple(Suggestions):
            raise BadSetting(f"suggestions is {self.suggestions!r}", hint=f"Use one of: {', '.join(Suggestions)}.")
        object.__setattr__(self, "suggestions", Suggestions(self.suggestions))
        if not 0.0 <= self.accuracy <= 1.0:
            raise BadSetting(f"accuracy is {self.accuracy:g}", hint="Give a share from 0 to 1.")

    @property
    def key(self) -> str:
        """Its name in tables: `none`, or the suggestions and the nearest accuracy that was studied."""
        if self.suggestions is Suggestions.NONE:
            return "none"
        nearest = min(ACCURACIES, key=lambda each: abs(each - self.accuracy))
        return f"{self.suggestions}-{round(100 * nearest)}"


SUPPORTS = (Support(), *(Support(each, share) for each in tuple(Suggestions)[1:] for share in ACCURACIES))
"""All that human data knows about."""


@dataclass(frozen=True)
class Chance:
    """A probability, and what it rests on."""

    probability: float
    evidence: Evidence


def check_certainty(certainty: int | None) -> None:
    """Refuse what is no self-rated certainty.

    Raises:
        BadSetting: It is neither missing nor 1 to 5.
    """
    if certainty is not None and certainty not in CERTAINTIES:
        raise BadSetting(f"certainty is {certainty!r}", hint="Give 1 (guessing) to 5 (certain), or leave it out.")
