"""The three skills and their four numbers, as in the core paper's appendix C: points on the picture, nothing else.

The two points mark the long edge of the food (skewer), the direction of the strands (twirl) or the way of the fork
(scoop). For skewer and twirl the midpoint is where the fork goes in, and its row of tines stands across the line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from enum import StrEnum

from handup.core import BadSetting


class Skill(StrEnum):
    """What the robot can do with its fork."""

    SKEWER = "skewer"
    SCOOP = "scoop"
    TWIRL = "twirl"

    @classmethod
    def of(cls, word: Skill | str) -> Skill:
        """The skill, by its name where that is given.

        Raises:
            BadSetting: There is none.
        """
        if word not in tuple(cls):
            raise BadSetting(f"there is no skill '{word}'", hint=f"Choose among: {', '.join(cls)}.")
        return cls(word)


@dataclass(frozen=True)
class Params:
    """The four numbers of a skill: two points, as fractions of the picture from its left and its top.

    Raises:
        BadSetting: A number outside 0 and 1.
    """

    x1: float
    y1: float
    x2: float
    y2: float

    def __post_init__(self) -> None:
        if not all(math.isfinite(each) and 0.0 <= each <= 1.0 for each in astuple(self)):
            raise BadSetting(f"{self} leaves the picture", hint="Give two points as fractions from 0 to 1.")

    @classmethod
    def of(cls, numbers: Params | Sequence[float]) -> Params:
        """The parameters, from four numbers where these are given.

        Raises:
            BadSetting: They are not four numbers from 0 to 1.
        """
        if isinstance(numbers, Params):
            return numbers
        try:
            x1, y1, x2, y2 = (float(each) for each in numbers)
        except (TypeError, ValueError):
            raise BadSetting(f"parameters {numbers!r}", hint="Give four numbers: x1, y1, x2, y2.") from None
        return cls(x1, y1, x2, y2)

    @classmethod
    def within(cls, numbers: Sequence[float]) -> Params:
        """The parameters nearest to these numbers: for predictions, which may leave the picture by a little."""
        x1, y1, x2, y2 = (min(max(float(each), 0.0), 1.0) for each in numbers)
        return cls(x1, y1, x2, y2)

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """x1, y1, x2, y2."""
        return (self.x1, self.y1, self.x2, self.y2)


@dataclass(frozen=True, kw_only=True)
class Execution:
    """What came of a skill, as the simulation knows it. A robot does not: it has the detector.

    Args:
        picked: The food on the fork; where there are several, the heaviest piece. None: nothing.
        also: Other foods on it.
        unstable: Whether the physics went wrong. The plate is then as it was before, and nothing was picked.
        seconds: Simulated time that it took.
        reason: What happened, in a few words, such as "the hold broke".
    """

    picked: str | None
    also: tuple[str, ...] = ()
    unstable: bool = False
    seconds: float
    reason: str

    def is_bite_of(self, food: str) -> bool:
        """Whether the food that was meant is on the fork."""
        return self.picked == food or food in self.also

    def is_wrong_bite(self, food: str) -> bool:
        """Whether something is on the fork, and it is another food than was meant."""
        return self.picked is not None and not self.is_bite_of(food)
