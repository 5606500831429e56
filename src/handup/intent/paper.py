"""The paper's policy, its reward, its ablations and its baselines: one class, settings decide which."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np

from handup.core import BadSetting
from handup.intent.asking import About
from handup.intent.belief import LEAST, Belief
from handup.intent.command import Joystick
from handup.intent.goals import Goals
from handup.intent.helper import Choice, MoveKind, Moves, Situation, by_candidate, likeliest, moves, opposing, towards
from handup.intent.observing import MaxEnt, ObservationModel, Unwatched
from handup.intent.planning import Problem, may_pay, solve
from handup.intent.pose import Pose, PoseArray, exponential, product
from handup.intent.value import Array, Metric, View, look

ALL = (MoveKind.GOAL, MoveKind.MIX, MoveKind.NONE)
UNSURE = "I am not sure what you want"
"""Why it asks, for the person who reads it."""


@dataclass(frozen=True, kw_only=True)
class Points:
    """The paper's reward.

    Args:
        look_ahead_s: T: so long the move and the present push last. What is asked depends on it more than on anything.
        beta: How fast nearness is rewarded.
        close_m: From here on rotation counts, too.
        opposing: Of a move that works against the stick.
        question: Of asking.
        reached: On top, where the pose reached is the goal's …
        reached_m: … within this …
        reached_rad: … and this.
        discount: γ.
    """

    look_ahead_s: float = 0.3
    beta: float = 8.0
    close_m: float = 0.1
    opposing: float = -5.0
    question: float = -5.0
    reached: float = 100.0
    reached_m: float = 0.015
    reached_rad: float = 0.15
    discount: float = 0.95

    def __post_init__(self) -> None:
        if not (0.0 < self.look_ahead_s < np.inf and self.beta > 0.0 and 0.0 < self.discount <= 1.0):
            raise BadSetting(
                "points look ahead by nothing", hint="Give look_ahead_s and beta above 0, 0 < discount ≤ 1."
            )

    def table(self, belief: Belief, view: View, pose: Pose, stick: Joystick, moves: Moves, alpha: float) -> Array:
        """One row per move, one column per candidate and a last one for an unlisted goal, which every move misses."""
        desired = belief.goals.poses.taken(view.nearest)
        both = np.array((*stick.linear, *stick.angular)) + alpha * moves.velocities
        metres, radians = after(pose, both, self.look_ahead_s, desired)
        table = -100.0 * (1.0 - np.exp2(-self.beta * metres))
        table -= np.where(metres <= self.close_m, 100.0 * radians / (2.0 * np.pi), 0.0)
        table += np.where((metres <= self.reached_m) & (radians <= self.reached_rad), self.reached, 0.0)
        table += np.where(moves.opposed(stick), self.opposing, 0.0)[:, None]
        return np.column_stack([table, table.min(axis=1)])


def after(pose: Pose, velocities: Array, seconds: float, poses: PoseArray) -> tuple[Array, Array]:
    """How far (metres, radians) each pose is after some time at each velocity: one row per velocity."""
    places = np.array(pose.position) + seconds * velocities[:, :3]
    apart = places[:, None, :] - poses.positions[None]
    metres = np.sqrt(np.einsum("ijk,ijk->ij", apart, apart))
    turns = [product(exponential((x, y, z)), pose.rotation) for x, y, z in (seconds * velocities[:, 3:]).tolist()]
    return metres, 2.0 * np.arccos(np.minimum(np.abs(np.array(turns) @ poses.rotations.T), 1.0))


class Asking(StrEnum):
    """When questions are asked."""

    NEVER = "never"
    PLANNED = "planned"
    """Where the exact plan says so."""
    ENTROPY = "entropy"
    """Where the belief is spread out, about the likeliest goal: the baseline that the paper argues against."""


@dataclass(frozen=True, kw_only=True)
class Paper:
    """The paper's policy with its constants. Use it to compare with; `assist` is what helps people.

    Args:
        name: In tables and records.
        kinds: The moves it has.
        asking: When it asks.
        points: Its reward.
        most_candidates: So many of the likeliest it may go for or ask about.
        right: Share of answers taken to be right.
        metric: The published values and caps.
        observation: The published model of pushes.
        resamples: Whether likely goals are split by their poses.
        ceiling: No candidate is likelier than this.
        yields: Whether it lets go where its move works against the stick.
        entropy: From this share of the largest entropy on the baseline asks.
    """

    reopens_s: ClassVar[float] = np.inf
    """Never: a question is asked once."""
    gives_way: ClassVar[bool] = False
    """What was decided is done until the next decision, as published."""

    name: str = "paper"
    kinds: tuple[MoveKind, ...] = ALL
    asking: Asking = Asking.PLANNED
    points: Points = field(default_factory=Points)
    most_candidates: int = 10
    right: float = 0.999
    metric: Metric = field(default_factory=Metric)
    observation: ObservationModel = field(default_factory=MaxEnt)
    resamples: bool = True
    ceiling: float = 0.99
    yields: bool = False
    entropy: float = 0.6

    def __post_init__(self) -> None:
        if not (self.most_candidates >= 1 and 0.5 < self.right < 1.0):
            raise BadSetting("a setting of the paper's policy is out of range", hint="See its docstring.")

    def begin(self, goals: Goals) -> Belief:
        """All goals alike."""
        return Belief.uniform(goals, floor=LEAST, ceiling=self.ceiling)

    def decide(self, situation: Situation) -> Choice:
        """The best move, or the first question of the best plan."""
        if self.kinds == (MoveKind.NONE,) and self.asking is Asking.NEVER:
            return Choice(np.zeros(6), str(MoveKind.NONE))
        belief, stick = situation.belief, situation.stick
        view = look(belief.goals, belief.groups, situation.pose, self.metric)
        chosen = likeliest(belief, view, self.metric, self.most_candidates)
        found = moves(belief, towards(view, self.metric), chosen, self.kinds)
        about = self._spread_out(situation, chosen) if self.asking is Asking.ENTROPY and situation.may_ask else None
        if about is not None:
            return Choice(np.zeros(6), UNSURE, about)
        if len(found.kinds) == 1:
            move = 0
        else:
            rewards = self.points.table(belief, view, situation.pose, stick, found, situation.alpha)
            if about := self._planned(situation, rewards, chosen):
                return Choice(np.zeros(6), UNSURE, about)
            move = int(np.argmax(rewards @ belief.weights))
        if self.yields and opposing(found.velocities[move], stick).any():
            return Choice(np.zeros(6), str(MoveKind.NONE))
        return Choice(found.velocities[move], found.why(move, belief))

    def _askable(self, situation: Situation, chosen: list[int]) -> list[About]:
        goals = dict.fromkeys(situation.belief.target[each] for each in chosen)
        found = [situation.catalogue.goal[each] for each in goals]
        every = range(len(situation.belief.goals))
        return [each for each in found if each.key not in situation.asked and each.tells_apart(every)]

    def _planned(self, situation: Situation, rewards: Array, chosen: list[int]) -> About | None:
        """The first question of the best plan; None where to move at once is better, as it mostly plainly is."""
        belief, points = situation.belief, self.points
        if self.asking is not Asking.PLANNED or not situation.may_ask:
            return None
        if not may_pay(belief.weights, rewards, points.question, points.discount, len(chosen)):
            return None
        askable = self._askable(situation, chosen)
        problem = Problem(
            belief=belief.weights,
            rewards=rewards,
            questions=tuple(by_candidate(each.likelihood(self.right, belief.by_goal), belief) for each in askable),
            costs=[points.question] * len(askable),
            discount=points.discount,
        )
        plan = solve(problem)
        return None if plan.question is None else askable[plan.question]

    def _spread_out(self, situation: Situation, chosen: list[int]) -> About | None:
        chances = situation.belief.by_goal
        spread = -float(np.sum(chances * np.log(np.maximum(chances, LEAST))))
        askable = self._askable(situation, chosen)
        likeliest_first = sorted(askable, key=lambda each: -chances[each.truth.index(0)])
        return likeliest_first[0] if askable and spread > self.entropy * np.log(len(chances)) else None


HINDSIGHT = Paper(name="ho", kinds=(MoveKind.MIX,), asking=Asking.NEVER, resamples=False)
VARIANTS: tuple[Paper, ...] = (
    Paper(),
    HINDSIGHT,
    Paper(name="ho+no-assist", kinds=(MoveKind.MIX,), asking=Asking.NEVER, resamples=False, yields=True),
    Paper(name="paper+no-questions", asking=Asking.NEVER),
    Paper(name="paper+without-no-assist", kinds=(MoveKind.GOAL, MoveKind.MIX)),
    Paper(name="paper+no-ho", kinds=(MoveKind.GOAL, MoveKind.NONE)),
    Paper(name="entropy", asking=Asking.ENTROPY),
    Paper(name="manual", kinds=(MoveKind.NONE,), asking=Asking.NEVER, observation=Unwatched(), resamples=False),
)
"""The paper's policy, hindsight optimisation with and without holding back, the paper's ablations, asking by entropy,
and no help at all."""
