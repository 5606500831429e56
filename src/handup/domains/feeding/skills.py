"""The three skills and their four numbers, as in the core paper's appendix C: points on the picture, nothing else.

The two points mark the long edge of the food (skewer), the direction of the strands (twirl) or the way of the fork
(scoop). For skewer and twirl the midpoint is where the fork goes in, and its row of tines stands across the line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from enum import StrEnum

from handup.core import OutOfRange, UnknownName, WrongSize


class Skill(StrEnum):
    """Skill of the robot with its fork."""

    SKEWER = "skewer"
    SCOOP = "scoop"
    TWIRL = "twirl"

    @classmethod
    def of(cls, word: Skill | str) -> Skill:
        """Return the skill of this name, or the skill itself.

        Raises:
            UnknownName: There is none.
        """
        if word not in tuple(cls):
            raise UnknownName(f"there is no skill '{word}'", hint=f"Choose among: {', '.join(cls)}.")
        return cls(word)


@dataclass(frozen=True)
class Params:
    """The four numbers of a skill: two points, as fractions of the picture from its left and its top.

    Raises:
        OutOfRange: A number does not lie between 0 and 1.
    """

    x1: float
    y1: float
    x2: float
    y2: float

    def __post_init__(self) -> None:
        if not all(math.isfinite(number) and 0.0 <= number <= 1.0 for number in astuple(self)):
            must = "lie between 0 and 1"
            raise OutOfRange.of("parameters", self.numbers, must, hint="Give two points as fractions of the picture.")

    @classmethod
    def of(cls, numbers: Params | Sequence[float]) -> Params:
        """Return the parameters of four numbers, or the parameters themselves.

        Raises:
            WrongSize: They are not four numbers.
            OutOfRange: A number does not lie between 0 and 1.
        """
        if isinstance(numbers, Params):
            return numbers
        try:
            x1, y1, x2, y2 = (float(number) for number in numbers)
        except (TypeError, ValueError):
            raise WrongSize.of("parameters", repr(numbers), "be four numbers", hint="Give x1, y1, x2, y2.") from None
        return cls(x1, y1, x2, y2)

    @classmethod
    def within(cls, numbers: Sequence[float]) -> Params:
        """Return the parameters nearest to these numbers: for predictions, which may leave the picture by a little."""
        x1, y1, x2, y2 = (min(max(float(number), 0.0), 1.0) for number in numbers)
        return cls(x1, y1, x2, y2)

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """The numbers x1, y1, x2, y2."""
        return (self.x1, self.y1, self.x2, self.y2)


@dataclass(frozen=True, kw_only=True)
class SkillExecution:
    """Result of a skill, as the simulation knows it. A robot does not: it has the detector.

    Args:
        picked: Food on the fork; if there are several, the heaviest piece. None for nothing.
        also: Other foods on it.
        unstable: True if the physics went wrong. The plate is then as it was before, and nothing was picked.
        seconds: Simulated time that it took.
        reason: Description of what happened, in a few words, such as "the hold broke".
    """

    picked: str | None
    also: tuple[str, ...] = ()
    unstable: bool = False
    seconds: float
    reason: str

    def is_bite_of(self, food: str) -> bool:
        """Return whether the food that was meant is on the fork."""
        return self.picked == food or food in self.also

    def is_wrong_bite(self, food: str) -> bool:
        """Return whether something is on the fork, and it is another food than was meant."""
        return self.picked is not None and not self.is_bite_of(food)
