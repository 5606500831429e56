"""Choosers: a policy's choice of the next primitive, with what it expects of each, and how sure it is.

A learned planner is a chooser, too: it gives both values and a calibrated probability. From these the robot knows
whether a question is worth a person's trouble.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from handup.core import OutOfRange, UnknownName
from handup.core.checks import suggestion
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.oracles import DRAWS, ranked_letters
from handup.domains.plate.policies import ACQUIRE, GROUP, LETTERS, FixedSequence, PlatePolicy, PlateSight, RandomChoice
from handup.domains.plate.primitives import PlatePrimitive

LEAST_SURE, MOST_SURE = 0.5, 0.99
"""Probability that the better-looking primitive is better: at least a coin's, and never certain."""


@dataclass(frozen=True, kw_only=True)
class PlateChoice:
    """Choice of the next primitive.

    Args:
        primitive: What looks better.
        values: For each primitive the share of the full plate that is expected to be picked up from now on, if it is
            done first; empty where that is not known.
        sure: Probability that the chosen primitive is really the better one; 1 where no other was weighed.
        stake: Share of the full plate that is expected to be lost if it is not; the difference of the values where it
            is not known. Where both look alike, that difference is too little: they may still be far apart.

    Raises:
        OutOfRange: The probability lies outside 0.5 to 1.
    """

    primitive: PlatePrimitive
    values: Mapping[PlatePrimitive, float] = field(default_factory=dict)
    sure: float = 1.0
    stake: float | None = None

    def __post_init__(self) -> None:
        if not LEAST_SURE <= self.sure <= 1.0:
            must = f"lie between {LEAST_SURE:g} and 1: below, the other primitive looks better"
            raise OutOfRange.of("sure", f"{self.sure:g}", must, hint="Choose the other one.")

    @property
    def cost_if_wrong(self) -> float:
        """Share of the full plate that a wrong choice costs; 0 where nothing was weighed."""
        if self.stake is not None:
            return self.stake
        return abs(self.values[ACQUIRE] - self.values[GROUP]) if len(self.values) > 1 else 0.0


class PlateChooser(Protocol):
    """Chooses between acquiring and grouping, and says what it expects."""

    def weigh(self, sight: PlateSight) -> PlateChoice:
        """Return what looks better now."""
        ...


@dataclass(frozen=True)
class PlainChooser:
    """Chooser that does what a plain policy says, and expects nothing.

    Args:
        policy: The policy.
    """

    policy: PlatePolicy

    def weigh(self, sight: PlateSight) -> PlateChoice:
        """Return the policy's choice."""
        return PlateChoice(primitive=self.policy.choose(sight))


@dataclass(frozen=True)
class OracleChooser:
    """The fair oracle as a chooser: it tries both on copies of the plate. For demonstrations, and to be compared with.

    Args:
        world: The plate, which no real robot knows.
        draws: Roll-outs of each primitive at most, at least 4.
    """

    world: ClearingWorld
    draws: int = DRAWS

    def weigh(self, sight: PlateSight) -> PlateChoice:
        """Return the oracle's choice, with the value of each primitive; at the last action only an acquisition."""
        values = {LETTERS[value.opening]: value for value in ranked_letters(self.world, draws=self.draws)}
        primitive = next(iter(values))
        if len(values) < 2:
            return PlateChoice(primitive=primitive)
        rival = values[GROUP if primitive is ACQUIRE else ACQUIRE]
        differences = np.subtract(values[primitive].shares, rival.shares)
        gap, error = float(differences.mean()), float(differences.std(ddof=1)) / math.sqrt(len(differences))
        sure, stake = normal_doubt(max(gap, 0.0), error)
        means = {primitive: values[primitive].mean for primitive in PlatePrimitive}
        return PlateChoice(primitive=primitive, values=means, sure=sure, stake=stake)


def normal_doubt(gap: float, error: float) -> tuple[float, float]:
    """Return for a difference with a normal error how likely it has this sign, and how large it is if it has not.

    Args:
        gap: The estimate, at least 0.
        error: Its standard error.
    """
    if error <= 0.0:
        return (MOST_SURE, gap) if gap else (LEAST_SURE, 0.0)
    distance = gap / error
    wrong = 0.5 * math.erfc(distance / math.sqrt(2.0))
    density = math.exp(-0.5 * distance**2) / math.sqrt(2.0 * math.pi)
    sure = min(1.0 - wrong, MOST_SURE)
    return sure, max(error * density - gap * wrong, 0.0) / (1.0 - sure)


CHOOSERS: Mapping[str, Callable[[ClearingWorld], PlateChooser]] = {
    "oracle": OracleChooser,
    "acquire": lambda world: PlainChooser(FixedSequence()),
    "group-first": lambda world: PlainChooser(FixedSequence("g")),
    "alternate": lambda world: PlainChooser(FixedSequence("ga" * world.food.actions)),
    "random": lambda world: PlainChooser(RandomChoice(world.seed)),
}
"""Function that makes each chooser for a plate, by name."""


def check_chooser(name: str) -> None:
    """Refuse the name of no chooser.

    Raises:
        UnknownName: There is none of this name.
    """
    if name not in CHOOSERS:
        raise UnknownName.of("policy", f"'{name}'", "name a policy of the plate", hint=suggestion(name, CHOOSERS))
