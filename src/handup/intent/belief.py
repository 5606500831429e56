"""Probabilities of the goals that a person may be reaching for.

A belief holds a weight for each *candidate*: a goal with some of its poses. At first each goal is one candidate with
all its poses. When few candidates hold most of the weight, likely goals are split into several candidates: the nearest
pose in the first, the next in the second, the rest in the last. So the robot can tell the poses of one grasp apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, OutOfRange, WrongSize
from handup.core.checks import shown
from handup.intent.goals import Goals
from handup.intent.value import Array, Index
from handup.people.workload import refusing_damage

LEAST = 1e-12
"""Default floor of every goal's probability, so that evidence can always bring a goal back."""
VANISHED = 1e-200
"""Probability below which a goal cannot be scaled up any more."""


@dataclass(frozen=True, eq=False, kw_only=True)
class GoalBelief:
    """Probabilities of candidates, and of a goal that is not listed.

    Args:
        goals: The goals of the scene.
        target: For each candidate, the index of its goal.
        poses: For each candidate, the rows of its poses in `goals.poses`.
        weights: Probability of each candidate and, last, of an unlisted goal, which may be zero.
        floor: Least probability of each goal of the scene.
        ceiling: Largest probability of a candidate; the excess goes to the others in equal parts.
        unknown: True if an unlisted goal is possible.
    """

    goals: Goals
    target: tuple[int, ...]
    poses: tuple[tuple[int, ...], ...]
    weights: Array
    floor: float = LEAST
    ceiling: float = 0.99
    unknown: bool = False

    @classmethod
    def uniform(cls, goals: Goals, *, floor: float = LEAST, ceiling: float = 0.99, unknown: float = 0.0) -> GoalBelief:
        """Return the belief in which all goals are equally likely; `unknown` is the probability of an unlisted goal.

        Raises:
            OutOfRange: A probability is outside its range.
        """
        count = len(goals)
        if not 0.0 < floor <= 0.5 / (count + 1):
            most = f"be above 0 and at most {0.5 / (count + 1):g} for {count} goals"
            raise OutOfRange.of("floor", floor, most, hint="Give a smaller probability.")
        if not (0.5 < ceiling < 1.0 and 0.0 <= unknown < 1.0):
            must = "ceiling must lie between .5 and 1 and unknown from 0 to below 1"
            raise OutOfRange(f"{must}, got {ceiling:g} and {unknown:g}", hint="Give such probabilities.")
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
        """Poses of each candidate, as a table for `look`."""
        return _groups(self.poses)

    @cached_property
    def members(self) -> Array:
        """Table of a row per goal and a column per candidate (last, the unlisted one): 1 where it belongs."""
        return _members(len(self.goals), self.target)

    @cached_property
    def by_goal(self) -> Array:
        """Probability of each goal."""
        return np.asarray(self.members @ self.weights)

    @property
    def of_unknown(self) -> float:
        """Probability of an unlisted goal."""
        return float(self.weights[-1])

    @property
    def chances(self) -> dict[str, float]:
        """Probability of each goal by its name, for people and records."""
        return dict(zip(self.goals.names, map(float, self.by_goal), strict=True))

    def updated(self, log_likelihood: Array) -> GoalBelief:
        """Return the belief after evidence, by its log likelihood for each candidate and, last, for an unlisted goal.

        Raises:
            WrongSize: The numbers are not one per candidate and one more.
            OutOfRange: A number is not finite.
        """
        return self._after(log_likelihood, self._floors)

    def answered(self, likelihood: Array) -> GoalBelief:
        """Return the belief after an answer, by its probability for each goal and, last, for an unlisted goal.

        Raises:
            OutOfRange: A number is not finite.
        """
        # Lifting other goals to their floor must not lower those that the answer speaks for most: a true answer never
        # makes the person's goal less likely.
        spoken_for = np.append(likelihood[:-1] >= likelihood.max(), False)
        least = np.maximum(self._floors, np.where(spoken_for, np.append(self.by_goal, 0.0), 0.0))
        by_candidate = np.append(likelihood[list(self.target)], likelihood[-1])
        return self._after(np.log(np.maximum(by_candidate, LEAST)), least)

    @property
    def _floors(self) -> Array:
        """Least probability of each goal and, last, of an unlisted one."""
        return np.append(np.full(len(self.goals), self.floor), self.floor if self.unknown else 0.0)

    def _after(self, log_likelihood: Array, least: Array) -> GoalBelief:
        if log_likelihood.shape != self.weights.shape:
            must, shape = f"hold {len(self.weights)} numbers", f"shape {log_likelihood.shape}"
            raise WrongSize.of("evidence", shape, must, hint="Give a log likelihood per candidate and one more.")
        if not np.isfinite(log_likelihood).all():
            raise OutOfRange.of("evidence", shown(log_likelihood.tolist()), "be finite", hint="Give finite numbers.")
        possible = self.weights > 0.0
        logs = np.where(possible, np.log(np.where(possible, self.weights, 1.0)) + log_likelihood, -np.inf)
        kept = np.exp(logs - logs.max())
        return replace(self, weights=self._bounded(kept / kept.sum(), least / max(1.0, float(least.sum()))))

    def _bounded(self, weights: Array, least: Array) -> Array:
        """Return weights with none above the ceiling and no goal below its least probability."""
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
        """Return weights with each goal at its least probability or above, at the cost of those that have more."""
        goal, over = mass[:-1], np.maximum(mass - least, 0.0)
        lifted = least + over * ((1.0 - least.sum()) / max(float(over.sum()), VANISHED))
        index = list(self.target)
        scale = lifted[:-1] / np.maximum(goal, VANISHED)
        new = weights * np.append(scale[index], 1.0)
        # Scaling cannot bring back a goal that has vanished: its candidates get equal parts.
        for g in np.nonzero(goal <= VANISHED)[0]:
            own = self.members[g] > 0.0
            new[own] = lifted[g] / own.sum()
        new[-1] = lifted[-1]
        return np.asarray(new)

    def resampled(self, values: Array) -> GoalBelief:
        """Return the belief with likely goals split into candidates by their poses, where few hold most of the weight.

        Every goal keeps its probability and at least one candidate. A goal that is split anew shares its probability
        equally among its candidates, as published. A goal that was split before only has its poses sorted again as the
        hand moves; each pose keeps what was learnt about it. Once all goals are alike again, none is split.

        Args:
            values: Value of every pose of `goals.poses`, as `values_from` returns them; the least is nearest.
        """
        goal = self.by_goal
        alike = (np.square(goal).sum() + self.weights[-1] ** 2) * len(self.goals) <= 2.0
        spread_over = float(1.0 / np.square(self.weights).sum())  # Kish's effective number of candidates
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
            order = [first[g] + int(row) for row in np.argsort(values[first[g] : first[g + 1]], kind="stable")]
            groups = [(row,) for row in order[: number - 1]] + [tuple(sorted(order[number - 1 :]))]
            poses += groups
            target += [g] * number
            kept = number == self.target.count(g)
            weights += [float(learnt[list(group)].sum()) if kept else goal[g] / number for group in groups]
        if tuple(poses) == self.poses:
            return self
        return replace(self, target=tuple(target), poses=tuple(poses), weights=np.array([*weights, self.weights[-1]]))

    def to_json(self) -> dict[str, Any]:
        """A plain record without the goals; `from_json` reads it back beside them."""
        return {
            "target": list(self.target),
            "poses": [list(rows) for rows in self.poses],
            "weights": [float(weight) for weight in self.weights],
            "floor": self.floor,
            "ceiling": self.ceiling,
            "unknown": self.unknown,
        }

    @classmethod
    def from_json(cls, goals: Goals, record: Mapping[str, Any]) -> GoalBelief:
        """The belief that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, or of other goals.
        """
        with refusing_damage("belief"):
            target = tuple(int(goal) for goal in record["target"])
            poses = tuple(tuple(int(row) for row in group) for group in record["poses"])
            weights: NDArray[np.float64] = np.array(record["weights"], dtype=np.float64)
            floor, ceiling, unknown = float(record["floor"]), float(record["ceiling"]), bool(record["unknown"])
        rows = sorted(row for group in poses for row in group)
        whole = rows == list(range(goals.first_pose[-1])) and sorted(set(target)) == list(range(len(goals)))
        fits = len(target) == len(poses) == len(weights) - 1 and all(poses)
        if not (whole and fits and np.isfinite(weights).all() and (weights >= 0.0).all() and weights.sum() > 0.0):
            cause = f"a belief must have each pose of the {len(goals)} goals in one candidate, got others"
            raise BadRecord(cause, hint="Begin anew with Belief.uniform.")
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
    """Table of the poses of each candidate, cached, since most evidence changes weights and not candidates."""
    most = max(len(rows) for rows in poses)
    table = np.array([[*rows, *[rows[0]] * (most - len(rows))] for rows in poses], dtype=np.intp)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=64)
def _members(goals: int, target: tuple[int, ...]) -> Array:
    table = np.zeros((goals, len(target) + 1))
    table[list(target), range(len(target))] = 1.0
    table.setflags(write=False)
    return table
