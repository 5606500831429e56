"""Outputs of the four modules, and the four places where a user can put another model.

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
    """Memory behind an output: a person gave it before, of something like it.

    Args:
        memory: Id of the memory.
        probability: Probability that it is right. It is no raw score: no calibrator changes it.
        agrees: True if the module says the same by itself; the scores are its own then.
        whose: People whose word it is: what is made of it is erased with them.
    """

    memory: int
    probability: float
    agrees: bool = False
    whose: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModuleOutput:
    """Output that stands for a module: its own with its confidence, or a person's answer.

    Args:
        value: The output.
        confidence: Confidence of the module; None for an answer.
        recalled: Memory behind it, if a person said it before.
    """

    value: Value
    confidence: float | None = None
    recalled: Recall | None = None


def whose(said: Iterable[ModuleOutput]) -> tuple[str, ...]:
    """Return the people whose earlier words stand for a module."""
    recalled = (output.recalled for output in said if output.recalled is not None)
    return tuple(dict.fromkeys(name for memory in recalled for name in memory.whose))


@dataclass(frozen=True)
class NamedFood:
    """M1's answer.

    Args:
        label: Food with the highest score, or one that is remembered.
        scores: M1's own score of every food, the highest first, each from 0 to 1; they do not add up to 1.
        recalled: Memory behind it, if a person gave it before.
    """

    label: str
    scores: Mapping[str, float]
    recalled: Recall | None = None

    @property
    def score(self) -> float:
        """Score of the label; 0 for a remembered one of which M1 says nothing."""
        return self.scores.get(self.label, 0.0)


@dataclass(frozen=True)
class Found:
    """M2's answer.

    Args:
        boxes: Boxes, the best first; none if nothing looks like this food.
        scores: Score of each box.
        recalled: Memory behind the best box, if a person boxed the like as this food before.
    """

    boxes: tuple[Box, ...]
    scores: tuple[float, ...]
    recalled: Recall | None = None

    @property
    def score(self) -> float:
        """Score of the best box; 0 if there is none."""
        return self.scores[0] if self.scores else 0.0


@dataclass(frozen=True)
class Chosen:
    """M3's answer.

    Args:
        skill: Skill with the highest score.
        scores: Score of every skill, the highest first; they add up to 1.
        recalled: Memory behind it, if a person gave it before.
    """

    skill: Skill
    scores: Mapping[Skill, float]
    recalled: Recall | None = None

    @property
    def score(self) -> float:
        """Score of the skill."""
        return self.scores[self.skill]


@dataclass(frozen=True)
class Aimed:
    """M4's answer.

    Args:
        params: The mean of the passes.
        variance: Spread of the passes: the mean square of the distance of their middles from the mean of them,
            as a share of the square of the picture's width. The smaller, the surer. Directions are left out: most
            foods bear any, and a round one has none.
        passes: Parameters of each pass.
    """

    params: Params
    variance: float
    passes: tuple[Params, ...]


class NamesFood(Protocol):
    """Place of M1, which names a food."""

    def name(self, rgb: Picture) -> NamedFood:
        """Return the food to take next, from a picture of the whole plate."""
        ...


class FindsBoxes(Protocol):
    """Place of M2, which finds a food."""

    def find(self, rgb: Picture, label: str) -> Found:
        """Return the boxes of a food."""
        ...


class ChoosesSkill(Protocol):
    """Place of M3, which chooses a skill."""

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """Return the skill that suits what is in a box, said to be this food."""
        ...


class Aims(Protocol):
    """Place of M4, which aims."""

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """Return the four numbers of a skill for what is in a box. Same seed, same numbers."""
        ...


class FeedingModules(NamesFood, FindsBoxes, ChoosesSkill, Aims, Protocol):
    """All four modules; `Modules` has them, or your own."""

    @property
    def foods(self) -> tuple[str, ...]:
        """Foods that M1 can name."""
        ...
