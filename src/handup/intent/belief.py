"""What the robot thinks a person is reaching for.

A belief is a weight for each *candidate*: a goal with some of its poses. At first each goal is one candidate with all
its poses. When few candidates hold most of the weight, likely goals are split into several candidates, the nearest pose
in the first, the next in the second, the rest in the last, so that the robot can tell poses of one grasp apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, BadSetting
from handup.intent.goals import Goals
from handup.intent.value import Array, Index
from handup.people.workload import refusing_damage

LEAST = 1e-12
"""No goal is ever less likely than this, so that evidence can always bring it back."""
VANISHED = 1e-200
"""A chance that cannot be scaled up any more."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Belief:
    """Weights of candidates, and of none of them.

    Args:
        goals: What there is.
        target: For each candidate the number of its goal.
        poses: For each candidate the rows of its poses in `goals.poses`.
        weights: Their chances. One more at the end is the chance of a goal that is not listed; it may be zero.
        floor: No goal of a scene falls below this chance.
        ceiling: No candidate rises above this chance; what is over goes to the others in equal parts.
        unknown: Whether a goal that is not listed is thought possible.
    """

    goals: Goals
    target: tuple[int, ...]
    poses: tuple[tuple[int, ...], ...]
    weights: Array
    floor: float = LEAST
    ceiling: float = 0.99
    unknown: bool = False

    @classmethod
    def uniform(cls, goals: Goals, *, floor: float = LEAST, ceiling: float = 0.99, unknown: float = 0.0) -> Belief:
        """All goals alike; `unknown` is the chance that it is none of them.

        Raises:
            BadSetting: The floor leaves no room, or a chance is none.
        """
        count = len(goals)
        if not (0.0 < floor <= 0.5 / (count + 1) and 0.5 < ceiling < 1.0 and 0.0 <= unknown < 1.0):
            raise BadSetting(
                f"floor is {floor:g}, ceiling {ceiling:g}, unknown {unknown:g}, for {count} goals",
                hint=f"Give a floor of at most {0.5 / (count + 1):g}, a ceiling from .5 to 1, and a chance below 1.",
            )
        weights = np.append(np.full(count, (1.0 - unknown) / count), unknown)
        first = goals.first_pose
        return cls(
            goals=goals,
            target=tuple(range(count)),
            poses=tuple(tuple(range(first[g], first[g + 1])) for g in range(count)),
            weights=weights,
            floor=floor,
            ceiling=ceiling,
            unknown=unknown > 0.0,
        )

    @cached_property
    def groups(self) -> Index:
        """The poses of each candidate as a table for `look`."""
        return _groups(self.poses)

    @cached_property
    def members(self) -> Array:
        """One row per goal, one column per candidate (and the unlisted one): 1 where it belongs."""
        return _members(len(self.goals), self.target)

    @cached_property
    def by_goal(self) -> Array:
        """The chance of each goal."""
        return np.asarray(self.members @ self.weights)

    @property
    def of_unknown(self) -> float:
        """The chance that it is none of the goals."""
        return float(self.weights[-1])

    @property
    def chances(self) -> dict[str, float]:
        """By name, for people and records."""
        return dict(zip(self.goals.names, map(float, self.by_goal), strict=True))

    def updated(self, log_likelihood: Array) -> Belief:
        """After evidence: its log likelihood for each candidate and, last, for an unlisted goal.

        Raises:
            BadSetting: A number is not finite.
        """
        return self._after(log_likelihood, self._floors)

    def answered(self, likelihood: Array) -> Belief:
        """After an answer: its likelihood for each goal of the scene and, last, for an unlisted one.

        What keeps the others above their floor is never taken from the goals that the answer speaks for most: so
        somebody who says the truth never makes what they want less likely.

        Raises:
            BadSetting: A number is not finite.
        """
        spoken_for = np.append(likelihood[:-1] >= likelihood.max(), False)
        least = np.maximum(self._floors, np.where(spoken_for, np.append(self.by_goal, 0.0), 0.0))
        by_candidate = np.append(likelihood[list(self.target)], likelihood[-1])
        return self._after(np.log(np.maximum(by_candidate, LEAST)), least)

    @property
    def _floors(self) -> Array:
        """Of each goal and, last, of an unlisted one."""
        return np.append(np.full(len(self.goals), self.floor), self.floor if self.unknown else 0.0)

    def _after(self, log_likelihood: Array, least: Array) -> Belief:
        if log_likelihood.shape != self.weights.shape or not np.isfinite(log_likelihood).all():
            raise BadSetting("evidence is not finite", hint="Give one log likelihood per candidate.")
        possible = self.weights > 0.0
        logs = np.where(possible, np.log(np.where(possible, self.weights, 1.0)) + log_likelihood, -np.inf)
        kept = np.exp(logs - logs.max())
        return replace(self, weights=self._bounded(kept / kept.sum(), least / max(1.0, float(least.sum()))))

    def _bounded(self, weights: Array, least: Array) -> Array:
        """Within the ceiling, and no goal below the least that it may have."""
        possible = np.ones(len(weights), dtype=np.bool_)
        possible[-1] = self.unknown
        if possible.sum() < 2:
            return weights
        top = int(weights.argmax())
        if weights[top] > self.ceiling:
            spread = (weights[top] - self.ceiling) / (possible.sum() - 1)
            weights = np.where(possible, weights + spread, 0.0)
            weights[top] = self.ceiling
        mass = np.append(self.members @ weights, weights[-1])
        if (mass < least).any():
            weights = self._lifted(weights, mass, least)
        return np.asarray(weights / weights.sum())

    def _lifted(self, weights: Array, mass: Array, least: Array) -> Array:
        """Goals below the least that they may have brought to it, at the cost of those that have more."""
        goal, over = mass[:-1], np.maximum(mass - least, 0.0)
        wanted = least + over * ((1.0 - least.sum()) / max(float(over.sum()), VANISHED))
        index = list(self.target)
        scale = wanted[:-1] / np.maximum(goal, VANISHED)
        new = weights * np.append(scale[index], 1.0)
        for g in np.nonzero(goal <= VANISHED)[0]:
            own = self.members[g] > 0.0
            new[own] = wanted[g] / own.sum()
        new[-1] = wanted[-1]
        return np.asarray(new)

    def resampled(self, values: Array) -> Belief:
        """Likely goals split into candidates by their poses, where the weight lies on few of them.

        Every goal keeps its chance and at least one candidate. A goal that is split anew shares its chance equally
        among its candidates, as published. One that was split before only has its poses sorted again as the hand moves;
        each pose takes along what was learnt about it. Where all goals are alike again, each is one candidate again.

        Args:
            values: Of every pose of `goals.poses`; the least is nearest.
        """
        goal = self.by_goal
        alike = (np.square(goal).sum() + self.weights[-1] ** 2) * len(self.goals) <= 2.0
        spread_over = float(1.0 / np.square(self.weights).sum())  # so many candidates, by Kish
        if not alike and spread_over >= len(self.target) / 2.0:
            return self
        first = self.goals.first_pose
        copies = [
            1 if alike else min(max(1, int(len(self.goals) * chance + 0.5)), first[g + 1] - first[g])
            for g, chance in enumerate(goal)
        ]
        learnt = np.zeros(first[-1])
        for rows, weight in zip(self.poses, self.weights[:-1], strict=True):
            learnt[list(rows)] = weight / len(rows)
        target: list[int] = []
        poses: list[tuple[int, ...]] = []
        weights: list[float] = []
        for g, number in enumerate(copies):
            order = [first[g] + int(each) for each in np.argsort(values[first[g] : first[g + 1]], kind="stable")]
            groups = [(each,) for each in order[: number - 1]] + [tuple(sorted(order[number - 1 :]))]
            poses += groups
            target += [g] * number
            kept = number == self.target.count(g)
            weights += [float(learnt[list(each)].sum()) if kept else goal[g] / number for each in groups]
        if tuple(poses) == self.poses:
            return self
        return replace(self, target=tuple(target), poses=tuple(poses), weights=np.array([*weights, self.weights[-1]]))

    def to_json(self) -> dict[str, Any]:
        """A plain record without the goals; `from_json` reads it back beside them."""
        return {
            "target": list(self.target),
            "poses": [list(each) for each in self.poses],
            "weights": [float(each) for each in self.weights],
            "floor": self.floor,
            "ceiling": self.ceiling,
            "unknown": self.unknown,
        }

    @classmethod
    def from_json(cls, goals: Goals, record: Mapping[str, Any]) -> Belief:
        """The belief that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, or of other goals.
        """
        with refusing_damage("belief"):
            target = tuple(int(each) for each in record["target"])
            poses = tuple(tuple(int(row) for row in each) for each in record["poses"])
            weights: NDArray[np.float64] = np.array(record["weights"], dtype=np.float64)
            floor, ceiling, unknown = float(record["floor"]), float(record["ceiling"]), bool(record["unknown"])
        rows = sorted(row for each in poses for row in each)
        whole = rows == list(range(goals.first_pose[-1])) and sorted(set(target)) == list(range(len(goals)))
        fits = len(target) == len(poses) == len(weights) - 1 and all(poses)
        if not (whole and fits and np.isfinite(weights).all() and (weights >= 0.0).all() and weights.sum() > 0.0):
            raise BadRecord("a belief does not fit the goals", hint="Begin anew with Belief.uniform.")
        return cls(
            goals=goals,
            target=target,
            poses=poses,
            weights=weights / weights.sum(),
            floor=floor,
            ceiling=ceiling,
            unknown=unknown,
        )


@lru_cache(maxsize=64)
def _groups(poses: tuple[tuple[int, ...], ...]) -> Index:
    """Kept, since most evidence changes weights and not candidates."""
    most = max(len(each) for each in poses)
    table = np.array([[*each, *[each[0]] * (most - len(each))] for each in poses], dtype=np.intp)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=64)
def _members(goals: int, target: tuple[int, ...]) -> Array:
    table = np.zeros((goals, len(target) + 1))
    table[list(target), range(len(target))] = 1.0
    table.setflags(write=False)
    return table
