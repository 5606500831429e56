"""`assist`: help in seconds, evidence that is not overrated, richer questions, and hands off in doubt. Ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from handup.core import BadSetting
from handup.intent.asking import About, about_choice
from handup.intent.belief import Belief
from handup.intent.command import Joystick
from handup.intent.goals import Goals
from handup.intent.helper import Choice, MoveKind, Situation, by_candidate, likeliest, moves, towards
from handup.intent.observing import Directional
from handup.intent.planning import Problem, solve
from handup.intent.seconds import Ahead, Seconds, share_of
from handup.intent.value import TRANSLATION, Array, Huber, Metric, View, look

ALL = (MoveKind.GOAL, MoveKind.MIX, MoveKind.CARRY, MoveKind.NONE)
"""No help is the last."""
BOLD = 0.5
"""Who pushes with this share of what is usual for them is helped fully; softer pushes are careful ones."""
SAVES = "the answer saves you more time than it takes"
"""Why it asks, for the person who reads it."""


@dataclass(frozen=True, kw_only=True)
class Assist:
    """Our way to help.

    1. Evidence is tempered by a fit: the direction of a push counts and whether it moves or turns; a stick at rest says
       nothing, no goal falls below a floor, and opposition that lasts is evidence, too.
    2. It asks about objects, grasps, exactly one goal with "yes, but differently", or among a few.
    3. A question costs seconds: those that it takes, the longer the more answers it has, and the person's load. What an
       answer saves is judged by this person's own pace.
    4. The goal, or the pose, may be none of those listed, also after a yes; then the robot follows. Who turned the hand
       decides how it is turned. Near an object the robot lets go unless it is sure. A careful push gets careful help.
    5. Before asking it weighs what one more moment of watching would say, and the help that is lost meanwhile.

    Args:
        name: In tables and records.
        metric: What near means. A radian counts as .15 m, the time it takes to turn it.
        observation: What a push says.
        seconds: What help is worth.
        question_s: The robot stands still for so long when it asks for a yes or no …
        option_s: … and so much longer for each further answer that has to be read. Assumed.
        load_s: What a load of one (`people`) is worth in seconds.
        right: Share of answers taken to be right.
        unknown: Chance at first that the goal is not listed.
        floor: No goal is less likely than this.
        ceiling: No goal is likelier than this.
        reopens_s: Opposition for so long takes answers back, so that questions may be asked again.
        theirs_s: Who has turned the hand for so long decides how it is turned from then on.
        watch_s: So much watching is weighed against asking.
        follow_m: Nearer than this to an object it only makes the person's own motion faster, besides turning.
        hands_off_m: Nearer than this to an object, help needs a goal that is confirmed or surer than …
        sure: … this.
        most_candidates: So many of the likeliest goals it may go for …
        most_asked: … and so many it may ask about.
        depth: So many questions in a row are planned.
    """

    resamples: ClassVar[bool] = False
    """The nearest pose of a goal is what it helps towards."""
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
        shares = (self.right, self.unknown, self.sure)
        if not all(0.0 <= each <= 1.0 for each in shares) or self.most_candidates < 1 or self.most_asked < 1:
            raise BadSetting("a setting of assist is out of range", hint="Give shares from 0 to 1 and counts above 0.")

    def begin(self, goals: Goals) -> Belief:
        """All goals alike, and a chance that it is none of them."""
        floor = min(self.floor, 0.25 / (len(goals) + 1))
        return Belief.uniform(goals, floor=floor, ceiling=self.ceiling, unknown=self.unknown)

    def decide(self, situation: Situation) -> Choice:
        """The move that saves most, or the question that is worth its seconds."""
        belief, stick, alpha = situation.belief, situation.stick, situation.alpha
        seconds = self.seconds.at(situation.pace)
        view = look(belief.goals, belief.groups, situation.pose, self.metric)
        chosen = likeliest(belief, view, self.metric, self.most_candidates)
        known = towards(view, self.metric)
        found = moves(belief, known, chosen, ALL)
        closely = bool(view.metres.min() < self.follow_m)
        theirs = situation.turned_s >= self.theirs_s and not stick.turns
        ahead = Ahead(
            view=view,
            made=if_wanted(found.velocities, view, closely=closely, theirs=theirs),
            known=np.einsum("ggi->gi", if_wanted(known, view, closely=closely, theirs=theirs)),
            alpha=alpha,
            settles_s=seconds.settling(belief, view, found.candidates),
        )
        if situation.may_ask and (about := self._worth_asking(situation, seconds, ahead, chosen)):
            return Choice(np.zeros(6), SAVES, about)
        if not self._may_help(situation, view):
            return Choice(np.zeros(6), "hands off near an object")
        boldness = min(share_of(stick) / (BOLD * situation.pace.usual(seconds.cruise)), 1.0)
        velocities = boldness * with_person(found.velocities, stick, closely=closely, theirs=theirs)
        now = replace(ahead, made=np.broadcast_to(velocities[:, None], ahead.made.shape))
        best = most_useful(seconds.saved(now), belief.weights)
        return Choice(velocities[best], found.why(best, belief))

    def _may_help(self, situation: Situation, view: View) -> bool:
        """From afar always; near an object only for a goal that is confirmed or that it is sure of."""
        top = int(situation.belief.by_goal.argmax())
        near = bool(view.metres.min() < self.hands_off_m)
        return not near or top in situation.confirmed or bool(situation.belief.by_goal[top] >= self.sure)

    def _worth_asking(
        self, situation: Situation, seconds: Seconds, ahead: Ahead, chosen: Sequence[int]
    ) -> About | None:
        """The question to ask now; None where it pays less than moving on, or less than to wait and see."""
        belief, askable = situation.belief, self._askable(situation, chosen)
        if not askable:
            return None
        saved, costs = seconds.saved(ahead), [self._cost(situation, each) for each in askable]
        allowed = saved * self._may_help(situation, ahead.view)
        now = most_useful(allowed, belief.weights)
        if belief.weights @ saved.max(axis=0) + max(costs) <= belief.weights @ saved[now]:
            return None  # not even knowing for sure would be worth it
        said = [by_candidate(each.likelihood(self.right, belief.by_goal), belief) for each in askable]
        problem = Problem(
            belief=belief.weights,
            rewards=saved,
            questions=tuple(said),
            costs=costs,
            discount=1.0,
            seen=by_candidate(self._watching(belief, ahead.view, chosen), belief),
            at_once=[each == now for each in range(len(saved))],
        )
        plan = solve(problem, depth=self.depth)
        if plan.question is None:
            return None
        watched = replace(ahead, settles_s=np.minimum(ahead.settles_s, self.watch_s))
        at_once = replace(ahead, settles_s=np.zeros_like(ahead.settles_s))
        lost = np.maximum(seconds.to_grasp(watched) - seconds.to_grasp(at_once), 0.0)[now]
        waiting = wait_and_see(problem, allowed, np.append(lost, 0.0), depth=self.depth)
        return askable[plan.question] if plan.lower > waiting else None

    def _cost(self, situation: Situation, about: About) -> float:
        """Of a question, in seconds below zero."""
        loads = situation.loads
        reading_s = self.option_s * max(len(about.answers) - 2, 0)
        return -(self.question_s + reading_s + self.load_s * loads[min(about.module, len(loads) - 1)])

    def _askable(self, situation: Situation, chosen: Sequence[int]) -> list[About]:
        goals, catalogue = situation.belief.goals, situation.catalogue
        left = situation.left
        top = [each for each in chosen if each in left][: self.most_asked]
        found = [catalogue.exactly[each] for each in top]
        found += [catalogue.object[name] for name in dict.fromkeys(goals[each].object for each in top)]
        found += [catalogue.grasp[name] for name in dict.fromkeys(goals[each].grasp for each in top)]
        if len(top) > 2:
            found.append(about_choice(goals, top))
        return [each for each in found if each.key not in situation.asked and each.tells_apart(left)]

    def _watching(self, belief: Belief, view: View, chosen: Sequence[int]) -> Array:
        """What the next moment of pushing would say: one answer for each likely goal that a push may point at."""
        pushes = list(chosen[: self.most_asked])
        steps = self.watch_s / self.metric.apply_s
        way = view.way[view.nearest]
        rows = [
            self.observation.of_push(way, way[each] / max(float(view.metres[each]), 1e-9)) * steps for each in pushes
        ]
        table = np.column_stack([np.array(rows), np.zeros(len(pushes))])
        chances = np.exp(table - table.max(axis=0))
        return np.asarray(chances / chances.sum(axis=0))


def most_useful(saved: Array, weights: Array) -> int:
    """The move that saves most seconds on average; no help, which is the last, where none saves any."""
    found = saved @ weights
    best = int(np.argmax(found))
    return best if found[best] > 0.0 else len(found) - 1


def wait_and_see(problem: Problem, allowed: Array, lost: Array, *, depth: int) -> float:
    """What it is worth to watch first what comes for nothing, and then to move on or to ask.

    Who asks only then has helped in doubt until then, or not at all.

    Args:
        problem: With what will be seen.
        allowed: What each move saves for each goal, by which the robot would choose one then; zeros where it may not.
        lost: Of each goal, the seconds that not to know it meanwhile costs.
        depth: So many questions in a row are planned.
    """
    assert problem.seen is not None
    value = 0.0
    for sight in problem.seen:
        weights = problem.belief * sight
        chance = float(weights.sum())
        if chance > 0.0:
            then = most_useful(allowed, weights)
            at_once = [each == then for each in range(len(allowed))]
            after = replace(problem, belief=weights / chance, seen=None, at_once=at_once)
            plan = solve(after, depth=depth)
            asked = plan.lower - float(after.belief @ lost)
            value += chance * max(plan.stop_value, asked if plan.question is not None else -np.inf)
    return value


def with_person(velocities: Array, stick: Joystick, *, closely: bool, theirs: bool) -> Array:
    """What of each velocity goes with the person, who always wins.

    Nothing moves while the stick is at rest, nothing goes along while the person only turns, and what works against the
    stick in any axis is left out. Closely, what goes along only makes the person's own motion faster. Where the turn of
    the hand is theirs, nothing turns it but they: they may want it otherwise than any pose that the robot knows.
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


def if_wanted(velocities: Array, view: View, *, closely: bool, theirs: bool) -> Array:
    """What of each velocity would go with a person who wants each candidate and pushes straight at it.

    By velocity, candidate and axis: what a move is worth for a goal is what would really be made of it.
    """
    ways = view.way[view.nearest] / np.maximum(view.metres, 1e-9)[:, None]
    made = np.repeat(velocities[:, None], len(ways), axis=1)
    linear = made[..., :3]
    if closely:
        along = np.maximum(np.einsum("mgi,gi->mg", linear, ways), 0.0)
        made[..., :3] = along[..., None] * ways
    else:
        made[..., :3] = np.where(linear * ways < 0.0, 0.0, linear)
    if theirs:
        made[..., 3:] = 0.0
    return made
