"""What decides: a helper is told the situation and chooses a velocity or a question. `paper` and `assist` are two."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from enum import StrEnum
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handup.intent.asking import About, about_exactly, about_goal, about_grasp, about_object
from handup.intent.belief import Belief
from handup.intent.command import ALPHA, Joystick
from handup.intent.goals import Goals
from handup.intent.observing import ObservationModel
from handup.intent.pose import Pose
from handup.intent.seconds import Pace
from handup.intent.value import Array, Metric, View

OPPOSES = 0.01
"""A velocity (m/s or rad/s) that works against another counts from here on, in each axis."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Situation:
    """All that a decision depends on.

    Args:
        belief: What the person may want.
        pose: Where the gripper is.
        stick: What the person commands.
        catalogue: The questions that the scene allows.
        asked: Keys of questions that were asked and are not open again.
        confirmed: Goals that a person's answer pointed at; empty where none did.
        denied: Goals that a no ruled out.
        alpha: How much of the robot's velocity is added to the stick.
        turned_s: For how long the person has turned the hand; it fades while they do not.
        pace: How hard the person pushes.
        loads: q(t), what an easy and a hard question cost the person now, as `people` measures it.
        may_ask: Whether a question is allowed at this moment.
    """

    belief: Belief
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
        """Goals that the answers so far leave; what is the same for all of them need not be asked any more."""
        return (self.confirmed or frozenset(range(len(self.belief.goals)))) - self.denied


@dataclass(frozen=True, eq=False)
class Choice:
    """What a helper decided.

    Args:
        velocity: Of the robot: linear, then angular. Zero where it asks.
        why: In a few words.
        about: What to ask; None: move.
    """

    velocity: Array
    why: str
    about: About | None = None


class Helper(Protocol):
    """Decides from one moment to the next. Pure: what it remembers is in the situation."""

    @property
    def name(self) -> str:
        """In tables and records."""
        ...

    @property
    def metric(self) -> Metric:
        """What near means, and the caps on the robot's speed."""
        ...

    @property
    def observation(self) -> ObservationModel:
        """What a push says about the goal."""
        ...

    @property
    def right(self) -> float:
        """Share of answers taken to be right."""
        ...

    @property
    def resamples(self) -> bool:
        """Whether likely goals are split by their poses."""
        ...

    @property
    def reopens_s(self) -> float:
        """A person who works against the robot for so long is right: doubt, and ask again. Infinite: never."""
        ...

    @property
    def gives_way(self) -> bool:
        """Whether it promises never to work against the stick, also when that changes before the next decision."""
        ...

    def begin(self, goals: Goals) -> Belief:
        """What is thought before anything is seen."""
        ...

    def decide(self, situation: Situation) -> Choice:
        """What to do now."""
        ...


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The single questions that the goals of a scene allow, made once.

    Args:
        goals: Of the scene.
    """

    goals: Goals

    @cached_property
    def goal(self) -> tuple[About, ...]:
        """Is it this goal? One for each."""
        return tuple(about_goal(self.goals, index) for index in range(len(self.goals)))

    @cached_property
    def exactly(self) -> tuple[About, ...]:
        """The same with "yes, but differently", where the object has another grasp."""
        many = {name for name in self.goals.objects if sum(goal.object == name for goal in self.goals) > 1}
        return tuple(
            about_exactly(self.goals, index) if goal.object in many else self.goal[index]
            for index, goal in enumerate(self.goals)
        )

    @cached_property
    def object(self) -> Mapping[str, About]:
        """Is it this object?"""
        return {name: about_object(self.goals, name) for name in self.goals.objects}

    @cached_property
    def grasp(self) -> Mapping[str, About]:
        """Is it this grasp?"""
        return {name: about_grasp(self.goals, name) for name in self.goals.grasps}


def settings_of(helper: Helper) -> str:
    """The same for two helpers that decide alike: of their names, classes and, where they are dataclasses, settings."""
    settings = repr(helper) if is_dataclass(helper) else ""
    return hashlib.sha256(f"{helper.name} {type(helper).__qualname__} {settings}".encode()).hexdigest()[:16]


def by_candidate(table: Array, belief: Belief) -> Array:
    """Columns for goals and an unlisted one, as columns for candidates and an unlisted one."""
    return np.asarray(table[:, [*belief.target, -1]])


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

    def why(self, move: int, belief: Belief) -> str:
        """Name what a move goes for, in a few words."""
        kind, candidate = self.kinds[move], self.candidates[move]
        return f"to {belief.goals[belief.target[candidate]].name}" if kind is MoveKind.GOAL else str(kind)

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
    mixed = hindsight(belief, goal_velocities)
    every: list[tuple[MoveKind, int, Array]] = [
        *((MoveKind.GOAL, candidate, goal_velocities[candidate]) for candidate in chosen),
        (MoveKind.MIX, -1, mixed),
        (MoveKind.CARRY, -1, mixed * np.repeat((1.0, 0.0), 3)),
        (MoveKind.NONE, -1, np.zeros(6)),
    ]
    rows = [row for row in every if row[0] in kinds] or every[-1:]
    found, candidates, velocities = zip(*rows, strict=True)
    return Moves(tuple(found), tuple(candidates), np.array(velocities))


def likeliest(belief: Belief, view: View, metric: Metric, most: int) -> list[int]:
    """The candidates of most weight; where two have the same, the nearer first."""
    values = metric.value(view.metres, view.radians)
    order = np.lexsort((values, -np.round(belief.weights[:-1], 9)))
    return [int(each) for each in order[:most]]
