"""Protocol of helpers, which choose a velocity or a question in each situation, and the moves they choose from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from enum import StrEnum
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handup.intent.belief import GoalBelief
from handup.intent.command import ALPHA, Joystick
from handup.intent.goal_questions import About, about_exactly, about_goal, about_grasp, about_object
from handup.intent.goals import Goals
from handup.intent.pose import Pose
from handup.intent.push_models import ObservationModel
from handup.intent.seconds import Pace
from handup.intent.value import Array, GoalView, Metric

OPPOSES = 0.01
"""Velocity (m/s or rad/s) in an axis from which on it counts as working against another."""


@dataclass(frozen=True, eq=False, kw_only=True)
class HelperSituation:
    """All that a helper's decision depends on.

    Args:
        belief: Probabilities of the goals.
        pose: Pose of the gripper.
        stick: Velocity that the person commands.
        catalogue: The questions about single goals, objects and grasps of the scene.
        asked: Keys of questions that were asked and may not be asked again.
        confirmed: Indices of goals that an answer pointed at; empty where none did.
        denied: Indices of goals that a no ruled out.
        alpha: Share of the robot's velocity that is added to the stick.
        turned_s: Seconds for which the person has turned the hand; it fades while they do not.
        pace: Measure of how hard the person pushes.
        loads: q(t), the load of an easy and of a hard question on the person now, as `people` measures it.
        may_ask: True if a question is allowed at this moment.
    """

    belief: GoalBelief
    pose: Pose
    stick: Joystick
    catalogue: Catalogue
    asked: frozenset[str] = frozenset()
    confirmed: frozenset[int] = frozenset()
    denied: frozenset[int] = frozenset()
    alpha: float = ALPHA
    turned_s: float = 0.0
    pace: Pace = field(default_factory=Pace)
    loads: tuple[float, ...] = (0.0,)
    may_ask: bool = True

    @property
    def left(self) -> frozenset[int]:
        """Indices of the goals that the answers so far leave open."""
        return (self.confirmed or frozenset(range(len(self.belief.goals)))) - self.denied


@dataclass(frozen=True, eq=False)
class HelperChoice:
    """Decision of a helper.

    Args:
        velocity: The robot's velocity: linear (m/s), then angular (rad/s). Zero where it asks.
        why: Reason in a few words.
        about: The question to ask; None for a move.
    """

    velocity: Array
    why: str
    about: About | None = None


class Helper(Protocol):
    """Rule that decides from one moment to the next. It has no memory of its own: the situation holds it."""

    @property
    def name(self) -> str:
        """Name in tables and records."""
        ...

    @property
    def metric(self) -> Metric:
        """Measure of distance to a goal, and the limits of the robot's speed."""
        ...

    @property
    def observation(self) -> ObservationModel:
        """Model of the evidence in a push."""
        ...

    @property
    def right(self) -> float:
        """Share of answers that are assumed to be right, from 0 to 1."""
        ...

    @property
    def resamples(self) -> bool:
        """True if likely goals are to be split by their poses."""
        ...

    @property
    def reopens_s(self) -> float:
        """Seconds of opposition after which answers are taken back and questions are open again; may be infinite."""
        ...

    @property
    def gives_way(self) -> bool:
        """True if it promises never to work against the stick, even if that changes before the next decision."""
        ...

    def begin(self, goals: Goals) -> GoalBelief:
        """Return the belief before anything is seen."""
        ...

    def decide(self, situation: HelperSituation) -> HelperChoice:
        """Return the move or the question for this moment."""
        ...


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Questions about single goals, objects and grasps of a scene, made once.

    Args:
        goals: The goals of the scene.
    """

    goals: Goals

    @cached_property
    def goal(self) -> tuple[About, ...]:
        """Question "is it this goal?" for each goal."""
        return tuple(about_goal(self.goals, index) for index in range(len(self.goals)))

    @cached_property
    def exactly(self) -> tuple[About, ...]:
        """The same for each goal with "yes, but differently" as an answer, where its object has another grasp."""
        many = {name for name in self.goals.objects if sum(goal.object == name for goal in self.goals) > 1}
        return tuple(
            about_exactly(self.goals, index) if goal.object in many else self.goal[index]
            for index, goal in enumerate(self.goals)
        )

    @cached_property
    def object(self) -> Mapping[str, About]:
        """Question "is it this object?" by the name of the object."""
        return {name: about_object(self.goals, name) for name in self.goals.objects}

    @cached_property
    def grasp(self) -> Mapping[str, About]:
        """Question "is it this grasp?" by the name of the grasp."""
        return {name: about_grasp(self.goals, name) for name in self.goals.grasps}


def settings_of(helper: Helper) -> str:
    """Return a hash of a helper's name, class and, where it is a dataclass, settings."""
    settings = repr(helper) if is_dataclass(helper) else ""
    return hashlib.sha256(f"{helper.name} {type(helper).__qualname__} {settings}".encode()).hexdigest()[:16]


def by_candidate(table: Array, belief: GoalBelief) -> Array:
    """Turn a table with a column per goal into one with a column per candidate; the last is an unlisted goal's."""
    return np.asarray(table[:, [*belief.target, -1]])


class MoveKind(StrEnum):
    """Kind of a move."""

    GOAL = "goal"
    """Towards one candidate."""
    MIX = "hindsight"
    """Towards all candidates, weighted by their probabilities: hindsight optimisation."""
    CARRY = "carry"
    """Like `MIX`, without turning the hand."""
    NONE = "no-assist"
    """No help: the person has full control."""


@dataclass(frozen=True, eq=False)
class Moves:
    """Moves that the robot can choose from.

    Args:
        kinds: Kind of each move.
        candidates: Index of the one candidate that the move goes towards, or −1.
        velocities: The robot's own velocity, one row per move: linear (m/s), then angular (rad/s).
    """

    kinds: tuple[MoveKind, ...]
    candidates: tuple[int, ...]
    velocities: Array

    def why(self, move: int, belief: GoalBelief) -> str:
        """Return the reason of a move in a few words: the goal that it goes towards, or its kind."""
        kind, candidate = self.kinds[move], self.candidates[move]
        return f"to {belief.goals[belief.target[candidate]].name}" if kind is MoveKind.GOAL else str(kind)


def opposing(velocities: Array, stick: Joystick) -> NDArray[np.bool_]:
    """Mark the axes in which velocities of the robot work against the stick, both over `OPPOSES`."""
    hand = np.array((*stick.linear, *stick.angular))
    return np.asarray((hand * velocities < 0.0) & (np.abs(hand) > OPPOSES) & (np.abs(velocities) > OPPOSES))


def towards(view: GoalView, metric: Metric) -> Array:
    """Return for each candidate the velocity towards its nearest pose."""
    linear, angular = metric.velocities(view.way[view.nearest], view.turn[view.nearest])
    return np.hstack([linear, angular])


def hindsight(belief: GoalBelief, goal_velocities: Array) -> Array:
    """Return the mean velocity, weighted by probability: the best one if the goal were known right after (QMDP).

    An unlisted goal pulls nowhere.
    """
    return np.asarray(belief.weights[:-1] @ goal_velocities)


def moves(belief: GoalBelief, goal_velocities: Array, chosen: Sequence[int], kinds: Sequence[MoveKind]) -> Moves:
    """Return the moves towards single candidates, and towards all of them together.

    Args:
        belief: Probabilities of the candidates.
        goal_velocities: One row per candidate, as `towards` returns them.
        chosen: Candidates that a move of their own goes towards.
        kinds: Kinds of moves to return. Where none is left, the only move is no help.
    """
    mixed = hindsight(belief, goal_velocities)
    every: list[tuple[MoveKind, int, Array]] = [
        *((MoveKind.GOAL, candidate, goal_velocities[candidate]) for candidate in chosen),
        (MoveKind.MIX, -1, mixed),
        (MoveKind.CARRY, -1, mixed * np.repeat((1.0, 0.0), 3)),
        (MoveKind.NONE, -1, np.zeros(6)),
    ]
    rows = [row for row in every if row[0] in kinds] or every[-1:]
    move_kinds, candidates, velocities = zip(*rows, strict=True)
    return Moves(tuple(move_kinds), tuple(candidates), np.array(velocities))


def likeliest(belief: GoalBelief, view: GoalView, metric: Metric, most: int) -> list[int]:
    """Return at most `most` candidates of the largest weight; of two with the same weight, the nearer first."""
    values = metric.value(view.metres, view.radians)
    # Rounded, so that weights which differ only by rounding errors are ordered by distance on every machine.
    order = np.lexsort((values, -np.round(belief.weights[:-1], 9)))
    return [int(candidate) for candidate in order[:most]]
