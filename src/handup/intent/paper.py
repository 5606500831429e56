"""The paper's policy, its reward, its ablations and its baselines, as one class with settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np

from handup.core import OutOfRange
from handup.intent.belief import LEAST, GoalBelief
from handup.intent.command import Joystick
from handup.intent.goal_problem import QuestionProblem, may_pay, solve
from handup.intent.goal_questions import About
from handup.intent.goals import Goals
from handup.intent.helper import (
    HelperChoice,
    HelperSituation,
    MoveKind,
    Moves,
    by_candidate,
    likeliest,
    moves,
    opposing,
    towards,
)
from handup.intent.pose import Pose, PoseArray, exponential, product
from handup.intent.push_models import MaxEnt, ObservationModel, Unwatched
from handup.intent.value import Array, GoalView, Metric, look

ALL = (MoveKind.GOAL, MoveKind.MIX, MoveKind.NONE)
UNSURE = "I am not sure what you want"
"""Reason for asking, for the person who reads it."""


@dataclass(frozen=True, kw_only=True)
class Points:
    """The paper's reward.

    Args:
        look_ahead_s: T, the seconds for which the move and the present push last. Questions depend on it most of all.
        beta: Rate at which the reward grows with nearness, per metre.
        close_m: Distance in metres below which rotation counts, too.
        opposing: Reward of working against the stick, zero or below.
        question: Reward of asking, zero or below.
        reached: Reward on top where the hand comes to the goal's pose.
        reached_m: Largest distance in metres at which a pose counts as reached.
        reached_rad: Largest angle in radians at which a pose counts as reached.
        discount: γ, above 0 and at most 1.
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
            must, got = (
                "be above 0, and discount at most 1",
                f"{self.look_ahead_s:g}, {self.beta:g} and {self.discount:g}",
            )
            raise OutOfRange.of("look_ahead_s, beta and discount", got, must, hint="Give finite numbers.")

    def table(
        self, belief: GoalBelief, view: GoalView, pose: Pose, stick: Joystick, moves: Moves, alpha: float
    ) -> Array:
        """Return the reward of each move (row) for each candidate and, last, an unlisted goal, missed by every move."""
        desired = belief.goals.poses.taken(view.nearest)
        both = np.array((*stick.linear, *stick.angular)) + alpha * moves.velocities
        metres, radians = after(pose, both, self.look_ahead_s, desired)
        table = -100.0 * (1.0 - np.exp2(-self.beta * metres))
        table -= np.where(metres <= self.close_m, 100.0 * radians / (2.0 * np.pi), 0.0)
        table += np.where((metres <= self.reached_m) & (radians <= self.reached_rad), self.reached, 0.0)
        table += np.where(opposing(moves.velocities, stick).any(axis=1), self.opposing, 0.0)[:, None]
        return np.column_stack([table, table.min(axis=1)])


def after(pose: Pose, velocities: Array, seconds: float, poses: PoseArray) -> tuple[Array, Array]:
    """Return how far (metres, radians) each pose is after some seconds at each velocity: one row per velocity."""
    places = np.array(pose.position) + seconds * velocities[:, :3]
    apart = places[:, None, :] - poses.positions[None]
    metres = np.sqrt(np.einsum("ijk,ijk->ij", apart, apart))
    turns = [product(exponential((x, y, z)), pose.rotation) for x, y, z in (seconds * velocities[:, 3:]).tolist()]
    return metres, 2.0 * np.arccos(np.minimum(np.abs(np.array(turns) @ poses.rotations.T), 1.0))


class Asking(StrEnum):
    """Rule of when to ask a question."""

    NEVER = "never"
    PLANNED = "planned"
    """If the exact plan begins with a question."""
    ENTROPY = "entropy"
    """If the belief is spread out, about the likeliest goal: the baseline that the paper argues against."""


@dataclass(frozen=True, kw_only=True)
class Paper:
    """The paper's policy with its constants, for comparison. To help people, use `assist`.

    Args:
        name: Name in tables and records.
        kinds: Kinds of moves that it may choose.
        asking: Rule of when it asks.
        points: Its reward.
        most_candidates: Number of the likeliest candidates that it may move towards or ask about, at least 1.
        right: Share of answers that are assumed to be right, between .5 and 1.
        metric: The published values of distances, and limits of speed.
        observation: The published model of pushes.
        resamples: Whether likely goals are split by their poses.
        ceiling: Largest probability of a candidate.
        yields: Whether it gives no help where its move would work against the stick.
        entropy: Share of the largest possible entropy from which on the baseline asks.
    """

    reopens_s: ClassVar[float] = np.inf
    """Never: each question is asked once."""
    gives_way: ClassVar[bool] = False
    """A command holds until the next decision, as published."""

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
            must = "most_candidates must be at least 1 and right between .5 and 1"
            raise OutOfRange(f"{must}, got {self.most_candidates} and {self.right:g}", hint="Give such numbers.")

    def begin(self, goals: Goals) -> GoalBelief:
        """Return a belief in which all goals are equally likely."""
        return GoalBelief.uniform(goals, floor=LEAST, ceiling=self.ceiling)

    def decide(self, situation: HelperSituation) -> HelperChoice:
        """Return the best move, or the first question of the best plan."""
        if self.kinds == (MoveKind.NONE,) and self.asking is Asking.NEVER:
            return HelperChoice(np.zeros(6), str(MoveKind.NONE))
        belief, stick = situation.belief, situation.stick
        view = look(belief.goals, belief.groups, situation.pose, self.metric)
        chosen = likeliest(belief, view, self.metric, self.most_candidates)
        options = moves(belief, towards(view, self.metric), chosen, self.kinds)
        about = self._spread_out(situation, chosen) if self.asking is Asking.ENTROPY and situation.may_ask else None
        if about is not None:
            return HelperChoice(np.zeros(6), UNSURE, about)
        if len(options.kinds) == 1:
            move = 0
        else:
            rewards = self.points.table(belief, view, situation.pose, stick, options, situation.alpha)
            if about := self._planned(situation, rewards, chosen):
                return HelperChoice(np.zeros(6), UNSURE, about)
            move = int(np.argmax(rewards @ belief.weights))
        if self.yields and opposing(options.velocities[move], stick).any():
            return HelperChoice(np.zeros(6), str(MoveKind.NONE))
        return HelperChoice(options.velocities[move], options.why(move, belief))

    def _askable(self, situation: HelperSituation, chosen: list[int]) -> list[About]:
        goals = dict.fromkeys(situation.belief.target[candidate] for candidate in chosen)
        questions = [situation.catalogue.goal[goal] for goal in goals]
        every = range(len(situation.belief.goals))
        return [about for about in questions if about.key not in situation.asked and about.tells_apart(every)]

    def _planned(self, situation: HelperSituation, rewards: Array, chosen: list[int]) -> About | None:
        """Return the first question of the best plan, or None where moving at once is better."""
        belief, points = situation.belief, self.points
        if self.asking is not Asking.PLANNED or not situation.may_ask:
            return None
        # A cheap bound first: at most moments no question can pay, and no plan is needed to see it.
        if not may_pay(belief.weights, rewards, points.question, points.discount, len(chosen)):
            return None
        askable = self._askable(situation, chosen)
        problem = QuestionProblem(
            belief=belief.weights,
            rewards=rewards,
            questions=tuple(by_candidate(about.likelihood(self.right, belief.by_goal), belief) for about in askable),
            costs=[points.question] * len(askable),
            discount=points.discount,
        )
        plan = solve(problem)
        return None if plan.question is None else askable[plan.question]

    def _spread_out(self, situation: HelperSituation, chosen: list[int]) -> About | None:
        chances = situation.belief.by_goal
        spread = -float(np.sum(chances * np.log(np.maximum(chances, LEAST))))
        askable = self._askable(situation, chosen)
        likeliest_first = sorted(askable, key=lambda about: -chances[about.truth.index(0)])
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
