"""What the four modules say, and the four places where a user can put another model.

M1 names a food that is on the plate, M2 finds boxes for it, M3 chooses a skill, M4 aims. Each gives a raw score with
its answer; how far such a score can be trusted is another matter, see `handup calibrate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handup.core import Box, Value
from handup.domains.feeding.skills import Params, Skill

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Recall:
    """That an answer is one that a person gave before, of something like it.

    Args:
        memory: Its number.
        probability: How sure of it one can be. It is no raw score: no calibrator changes it.
        agrees: Whether the module says the same by itself; the scores are its own then.
        whose: Everybody whose word it is: what is made of it is erased with them.
    """

    memory: int
    probability: float
    agrees: bool = False
    whose: tuple[str, ...] = ()


@dataclass(frozen=True)
class Said:
    """What stands for a module: its own output and how sure it is of it, or a person's answer.

    Args:
        value: The output.
        confidence: How sure the module is; None for an answer.
        recalled: Where a person said it before.
    """

    value: Value
    confidence: float | None = None
    recalled: Recall | None = None


def whose(said: Iterable[Said]) -> tuple[str, ...]:
    """Everybody whose earlier words stand for a module."""
    recalled = (each.recalled for each in said if each.recalled is not None)
    return tuple(dict.fromkeys(name for each in recalled for name in each.whose))


@dataclass(frozen=True)
class Named:
    """M1's answer.

    Args:
        label: The food with the highest score, or one that is remembered.
        scores: M1's own for every food, the highest first, each from 0 to 1; they do not add up to 1.
        recalled: Where it is one that a person gave before.
    """

    label: str
    scores: Mapping[str, float]
    recalled: Recall | None = None

    @property
    def score(self) -> float:
        """That of the label; 0 for a remembered one of which M1 says nothing."""
        return self.scores.get(self.label, 0.0)


@dataclass(frozen=True)
class Found:
    """M2's answer.

    Args:
        boxes: The best first; none where nothing looks like this food.
        scores: One for every box.
        recalled: Where the best one shows what a person boxed as this food before.
    """

    boxes: tuple[Box, ...]
    scores: tuple[float, ...]
    recalled: Recall | None = None

    @property
    def score(self) -> float:
        """That of the best box; 0 where there is none."""
        return self.scores[0] if self.scores else 0.0


@dataclass(frozen=True)
class Chosen:
    """M3's answer.

    Args:
        skill: The one with the highest score.
        scores: One for every skill, the highest first; they add up to 1.
        recalled: Where it is one that a person gave before.
    """

    skill: Skill
    scores: Mapping[Skill, float]
    recalled: Recall | None = None

    @property
    def score(self) -> float:
        """That of the skill."""
        return self.scores[self.skill]


@dataclass(frozen=True)
class Aimed:
    """M4's answer.

    Args:
        params: The mean of the passes.
        variance: How far the passes lie apart: the mean square of the distance of their middles from the mean of them,
            as a share of the square of the picture's width. The smaller, the surer. Directions are left out: most
            foods bear any, and a round one has none.
        passes: What each pass said.
    """

    params: Params
    variance: float
    passes: tuple[Params, ...]


class NamesFood(Protocol):
    """M1."""

    def name(self, rgb: Picture) -> Named:
        """Which food to take next, from a picture of the whole plate."""
        ...


class FindsBoxes(Protocol):
    """M2."""

    def find(self, rgb: Picture, label: str) -> Found:
        """Where a food lies."""
        ...


class ChoosesSkill(Protocol):
    """M3."""

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """Which skill suits what is in a box, said to be this food."""
        ...


class Aims(Protocol):
    """M4."""

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """The four numbers of a skill for what is in a box. Same seed, same numbers."""
        ...


class Sees(NamesFood, FindsBoxes, ChoosesSkill, Aims, Protocol):
    """All four modules; `Modules` has them, or your own."""

    @property
    def foods(self) -> tuple[str, ...]:
        """What M1 can name."""
        ...
