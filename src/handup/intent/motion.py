"""Moves: what the robot can add to the stick, and whether that works against the person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from handup.intent.belief import Belief
from handup.intent.stick import Joystick
from handup.intent.value import Array, Metric, View

OPPOSES = 0.01
"""A velocity (m/s or rad/s) that works against another counts from here on, in each axis."""


class MoveKind(StrEnum):
    """What a move goes for."""

    GOAL = "goal"
    """One candidate."""
    MIX = "hindsight"
    """All of them by their chances: hindsight optimisation."""
    CARRY = "carry"
    """All of them, without turning the hand."""
    NONE = "no-assist"
    """Nothing: the person has full control."""


@dataclass(frozen=True, eq=False)
class Moves:
    """Moves that the robot can choose from.

    Args:
        kinds: Of each move.
        candidates: Which candidate a move goes for, where it is for one; else −1.
        velocities: One row per move: linear (m/s), then angular (rad/s), as the robot's own share.
    """

    kinds: tuple[MoveKind, ...]
    candidates: tuple[int, ...]
    velocities: Array

    def opposed(self, stick: Joystick) -> NDArray[np.bool_]:
        """Which of them work against the stick in at least one axis."""
        return np.asarray(opposing(self.velocities, stick).any(axis=1))


def opposing(velocities: Array, stick: Joystick) -> NDArray[np.bool_]:
    """In which axes a velocity of the robot works against the stick, both over `OPPOSES`."""
    hand = np.array((*stick.linear, *stick.angular))
    return np.asarray((hand * velocities < 0.0) & (np.abs(hand) > OPPOSES) & (np.abs(velocities) > OPPOSES))


def towards(view: View, metric: Metric) -> Array:
    """For each candidate the velocity that goes for its nearest pose."""
    linear, angular = metric.velocities(view.way[view.nearest], view.turn[view.nearest])
    return np.hstack([linear, angular])


def hindsight(belief: Belief, goal_velocities: Array) -> Array:
    """The velocity that is best on average if the goal were known right after: the mean by chance (QMDP).

    An unlisted goal pulls nowhere.
    """
    return np.asarray(belief.weights[:-1] @ goal_velocities)


def moves(belief: Belief, goal_velocities: Array, chosen: Sequence[int], kinds: Sequence[MoveKind]) -> Moves:
    """The moves for some candidates, and for all of them together.

    Args:
        belief: The chances.
        goal_velocities: As `towards` gives them.
        chosen: Candidates that may be gone for alone.
        kinds: Which kinds of move there are.
    """
    rows: list[tuple[MoveKind, int, Array]] = []
    if MoveKind.GOAL in kinds:
        rows += [(MoveKind.GOAL, each, goal_velocities[each]) for each in chosen]
    if MoveKind.MIX in kinds or MoveKind.CARRY in kinds:
        mixed = hindsight(belief, goal_velocities)
        if MoveKind.MIX in kinds:
            rows.append((MoveKind.MIX, -1, mixed))
        if MoveKind.CARRY in kinds:
            rows.append((MoveKind.CARRY, -1, mixed * np.repeat((1.0, 0.0), 3)))
    if MoveKind.NONE in kinds or not rows:
        rows.append((MoveKind.NONE, -1, np.zeros(6)))
    found, candidates, velocities = zip(*rows, strict=True)
    return Moves(tuple(found), tuple(candidates), np.array(velocities))


def likeliest(belief: Belief, view: View, metric: Metric, most: int) -> list[int]:
    """The candidates of most weight; where two have the same, the nearer first."""
    values = metric.value(view.metres, view.radians)
    order = np.lexsort((values, -np.round(belief.weights[:-1], 9)))
    return [int(each) for each in order[:most]]
