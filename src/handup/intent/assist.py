"""`assist`, handup's own helper: it values help and questions in seconds, and lets go near an object when in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from handup.core import OutOfRange
from handup.core.checks import check_count, check_share
from handup.intent.belief import GoalBelief
from handup.intent.command import Joystick
from handup.intent.goal_problem import QuestionProblem, solve
from handup.intent.goal_questions import About, about_choice
from handup.intent.goals import Goals
from handup.intent.helper import HelperChoice, HelperSituation, MoveKind, by_candidate, likeliest, moves, towards
from handup.intent.push_models import Directional
from handup.intent.seconds import Ahead, Seconds, share_of
from handup.intent.value import TRANSLATION, Array, GoalView, Huber, Metric, look

ALL = (MoveKind.GOAL, MoveKind.MIX, MoveKind.CARRY, MoveKind.NONE)
"""All kinds of moves. `NONE` must be the last, since `Seconds.saved` compares every move with the last one."""
BOLD = 0.5
"""Share of a person's usual push from which on they get full help; softer pushes are careful and get less."""
SAVES = "the answer saves you more time than it takes"
"""Reason for asking, for the person who reads it."""


@dataclass(frozen=True, kw_only=True)
class Assist:
    """Helper that saves the person time and never works against them.

    1. Evidence: the direction of a push counts, and whether it moves or turns the hand, by fitted numbers. A stick at
       rest says nothing. No goal falls below a floor. Opposition that lasts is evidence, too.
    2. Questions are about an object, a grasp, exactly one goal with "yes, but differently", or a choice among a few.
    3. A question costs seconds: the time it takes, more with more answers, and the person's load. Its gain is the time
       that the answer saves at this person's pace.
    4. The goal or the pose may be unlisted, even after a yes; then the robot follows the person. A person who turns the
       hand decides how it is turned. Near an object the robot lets go unless it is sure. Careful pushes get less help.
    5. Before it asks, it weighs what another moment of watching would show against the help lost meanwhile.

    Args:
        name: Name in tables and records.
        metric: Measure of distance to a goal. A radian counts as .15 m, the way covered in the time of turning it.
        observation: Model of the evidence in a push.
        seconds: Model of the time to a grasp.
        question_s: Seconds for which the robot stands still when it asks for a yes or no.
        option_s: Further seconds for each further answer that has to be read. Assumed, not measured.
        load_s: Seconds that a load of one (`people`) is worth.
        right: Share of answers that are assumed to be right, from 0 to 1.
        unknown: Probability at the beginning that the goal is not listed.
        floor: Least probability of a goal.
        ceiling: Largest probability of a goal.
        reopens_s: Seconds of opposition after which answers are taken back and questions may be asked again.
        theirs_s: Seconds of turning by the person after which the robot leaves all turning to them.
        watch_s: Seconds of watching that are weighed against asking.
        follow_m: Distance to an object below which the robot, besides turning, only speeds up the person's own motion.
        hands_off_m: Distance to an object below which the robot helps only if the goal is confirmed or likely enough.
        sure: Probability from which on a goal is likely enough for that.
        most_candidates: Number of the likeliest goals that it may move towards.
        most_asked: Number of the likeliest goals that it may ask about.
        depth: Number of questions in a row that are planned.
    """

    resamples: ClassVar[bool] = False
    """It helps towards the nearest pose of a goal, so goals need not be split by their poses."""
    gives_way: ClassVar[bool] = True
    """The person wins, also between two decisions."""

    name: str = "assist"
    metric: Metric = field(
        default_factory=lambda: Metric(translation=TRANSLATION, rotation=Huber(slope=0.37, sharp=0.02, switch=0.1))
    )
    observation: Directional = field(default_factory=Directional)
    seconds: Seconds = field(default_factory=Seconds)
    question_s: float = 2.8
    option_s: float = 0.6
    load_s: float = 5.0
    right: float = 0.95
    unknown: float = 0.05
    floor: float = 0.002
    ceiling: float = 0.98
    reopens_s: float = 0.8
    theirs_s: float = 0.3
    watch_s: float = 1.0
    follow_m: float = 0.15
    hands_off_m: float = 0.06
    sure: float = 0.8
    most_candidates: int = 10
    most_asked: int = 4
    depth: int = 2

    def __post_init__(self) -> None:
        for name in ("right", "unknown", "sure"):
            check_share(f"{name} of assist", getattr(self, name), error=OutOfRange)
        for name in ("most_candidates", "most_asked"):
            check_count(f"{name} of assist", getattr(self, name), least=1, error=OutOfRange)

    def begin(self, goals: Goals) -> GoalBelief:
        """Return a belief in which all goals are equally likely, and an unlisted one has probability `unknown`."""
        floor = min(self.floor, 0.25 / (len(goals) + 1))
        return GoalBelief.uniform(goals, floor=floor, ceiling=self.ceiling, unknown=self.unknown)

    def decide(self, situation: HelperSituation) -> HelperChoice:
        """Return the move that saves most seconds, or a question that saves more than it takes."""
        belief, stick, alpha = situation.belief, situation.stick, situation.alpha
        seconds = self.seconds.at(situation.pace)
        view = look(belief.goals, belief.groups, situation.pose, self.metric)
        chosen = likeliest(belief, view, self.metric, self.most_candidates)
        known = towards(view, self.metric)
        options = moves(belief, known, chosen, ALL)
        closely = bool(view.metres.min() < self.follow_m)
        theirs = situation.turned_s >= self.theirs_s and not stick.turns
        ahead = Ahead(
            view=view,
            made=if_wanted(options.velocities, view, closely=closely, theirs=theirs),
            known=np.einsum("ggi->gi", if_wanted(known, view, closely=closely, theirs=theirs)),
            alpha=alpha,
            settles_s=seconds.settling(belief, view, options.candidates),
        )
        if situation.may_ask and (about := self._worth_asking(situation, seconds, ahead, chosen)):
            return HelperChoice(np.zeros(6), SAVES, about)
        if not self._may_help(situation, view):
            return HelperChoice(np.zeros(6), "hands off near an object")
        boldness = min(share_of(stick) / (BOLD * situation.pace.usual(seconds.cruise)), 1.0)
        velocities = boldness * with_person(options.velocities, stick, closely=closely, theirs=theirs)
        # A question was weighed by what moves achieve once the person pushes towards a candidate; the move itself is
        # chosen by what is left of it beside the stick as it is at this moment.
        now = replace(ahead, made=np.broadcast_to(velocities[:, None], ahead.made.shape))
        best = most_useful(seconds.saved(now), belief.weights)
        return HelperChoice(velocities[best], options.why(best, belief))

    def _may_help(self, situation: HelperSituation, view: GoalView) -> bool:
        """Return whether it may move: always from afar; near an object only for a confirmed or very likely goal."""
        top = int(situation.belief.by_goal.argmax())
        near = bool(view.metres.min() < self.hands_off_m)
        return not near or top in situation.confirmed or bool(situation.belief.by_goal[top] >= self.sure)

    def _worth_asking(
        self, situation: HelperSituation, seconds: Seconds, ahead: Ahead, chosen: Sequence[int]
    ) -> About | None:
        """Return the question to ask now, or None where moving on, or watching first, is worth more."""
        belief, askable = situation.belief, self._askable(situation, chosen)
        if not askable:
            return None
        saved, costs = seconds.saved(ahead), [self._cost(situation, about) for about in askable]
        allowed = saved * self._may_help(situation, ahead.view)
        now = most_useful(allowed, belief.weights)
        if belief.weights @ saved.max(axis=0) + max(costs) <= belief.weights @ saved[now]:
            return None  # not even knowing the goal for sure would be worth the cheapest question
        answers = [by_candidate(about.likelihood(self.right, belief.by_goal), belief) for about in askable]
        problem = QuestionProblem(
            belief=belief.weights,
            rewards=saved,
            questions=tuple(answers),
            costs=costs,
            discount=1.0,
            seen=by_candidate(self._watching(belief, ahead.view, chosen), belief),
            at_once=[move == now for move in range(len(saved))],
        )
        plan = solve(problem, depth=self.depth)
        if plan.question is None:
            return None
        # Watching is not free: while the goal is open the robot keeps on with its present move, and for each goal that
        # takes longer than the move which it would make if it knew the goal.
        watched = replace(ahead, settles_s=np.minimum(ahead.settles_s, self.watch_s))
        at_once = replace(ahead, settles_s=np.zeros_like(ahead.settles_s))
        lost = np.maximum(seconds.to_grasp(watched) - seconds.to_grasp(at_once), 0.0)[now]
        waiting = wait_and_see(problem, allowed, np.append(lost, 0.0), depth=self.depth)
        return askable[plan.question] if plan.lower > waiting else None

    def _cost(self, situation: HelperSituation, about: About) -> float:
        """Cost of a question in seconds, as a negative number."""
        loads = situation.loads
        reading_s = self.option_s * max(len(about.answers) - 2, 0)
        return -(self.question_s + reading_s + self.load_s * loads[min(about.module, len(loads) - 1)])

    def _askable(self, situation: HelperSituation, chosen: Sequence[int]) -> list[About]:
        goals, catalogue = situation.belief.goals, situation.catalogue
        left = situation.left
        # Goals are not split by their poses here (`resamples`), so the index of a candidate is that of its goal.
        top = [goal for goal in chosen if goal in left][: self.most_asked]
        questions = [catalogue.exactly[goal] for goal in top]
        questions += [catalogue.object[name] for name in dict.fromkeys(goals[goal].object for goal in top)]
        questions += [catalogue.grasp[name] for name in dict.fromkeys(goals[goal].grasp for goal in top)]
        if len(top) > 2:
            questions.append(about_choice(goals, top))
        return [about for about in questions if about.key not in situation.asked and about.tells_apart(left)]

    def _watching(self, belief: GoalBelief, view: GoalView, chosen: Sequence[int]) -> Array:
        """Probability of each push in the next `watch_s`: a row per likely goal to push at, a column per candidate."""
        pushes = list(chosen[: self.most_asked])
        steps = self.watch_s / self.metric.apply_s
        way = view.way[view.nearest]
        rows = [self.observation.of_push(way, way[aim] / max(float(view.metres[aim]), 1e-9)) * steps for aim in pushes]
        table = np.column_stack([np.array(rows), np.zeros(len(pushes))])
        chances = np.exp(table - table.max(axis=0))
        return np.asarray(chances / chances.sum(axis=0))


def most_useful(saved: Array, weights: Array) -> int:
    """Return the move that saves most seconds on average, or the last one, no help, where none saves any."""
    average = saved @ weights
    best = int(np.argmax(average))
    return best if average[best] > 0.0 else len(average) - 1


def wait_and_see(problem: QuestionProblem, allowed: Array, lost: Array, *, depth: int) -> float:
    """Return the value in seconds of watching the next pushes first, and only then moving on or asking.

    Args:
        problem: The problem, with the probabilities of the pushes in `seen`.
        allowed: Seconds that each move saves for each goal, zero where the robot may not move.
        lost: For each goal, the seconds lost by asking only after watching.
        depth: Number of questions in a row that are planned.
    """
    assert problem.seen is not None
    value = 0.0
    for sight in problem.seen:
        weights = problem.belief * sight
        chance = float(weights.sum())
        if chance > 0.0:
            then = most_useful(allowed, weights)
            at_once = [move == then for move in range(len(allowed))]
            after = replace(problem, belief=weights / chance, seen=None, at_once=at_once)
            plan = solve(after, depth=depth)
            asked = plan.lower - float(after.belief @ lost)
            value += chance * max(plan.stop_value, asked if plan.question is not None else -np.inf)
    return value


def with_person(velocities: Array, stick: Joystick, *, closely: bool, theirs: bool) -> Array:
    """Return the part of each velocity that agrees with the person, who always wins.

    Nothing moves while the stick is at rest, nothing travels while the person only turns the hand, and no axis works
    against the stick. With `closely`, near an object, it only speeds up the person's own motion. With `theirs`, the
    person decides the turn of the hand, possibly to a pose that the robot does not know, and the robot never turns it.
    """
    hand = np.array((*stick.linear, *stick.angular))
    kept = np.where(hand * velocities < 0.0, 0.0, velocities)
    if not stick.moves:
        kept[:, :3] = 0.0
    elif closely:
        way = hand[:3] / stick.speed
        kept[:, :3] = np.maximum(velocities[:, :3] @ way, 0.0)[:, None] * way
    if theirs or stick.idle:
        kept[:, 3:] = 0.0
    return kept


def if_wanted(velocities: Array, view: GoalView, *, closely: bool, theirs: bool) -> Array:
    """Return the part of each velocity that would agree with a person who pushes straight at each candidate.

    The result is indexed by velocity, candidate and axis. The arguments are those of `with_person`.
    """
    ways = view.way[view.nearest] / np.maximum(view.metres, 1e-9)[:, None]
    kept = np.repeat(velocities[:, None], len(ways), axis=1)
    linear = kept[..., :3]
    if closely:
        along = np.maximum(np.einsum("mgi,gi->mg", linear, ways), 0.0)
        kept[..., :3] = along[..., None] * ways
    else:
        kept[..., :3] = np.where(linear * ways < 0.0, 0.0, linear)
    if theirs:
        kept[..., 3:] = 0.0
    return kept
