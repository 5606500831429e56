"""`assist`: help in seconds, evidence that is not overrated, richer questions, and hands off in doubt. Ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from handup.core import BadSetting
from handup.intent.asking import About, about_choice
from handup.intent.belief import Belief
from handup.intent.goals import Goals
from handup.intent.helper import Choice, Situation, by_candidate
from handup.intent.motion import MoveKind, likeliest, moves, towards
from handup.intent.observing import Directional
from handup.intent.planning import solve
from handup.intent.problem import Problem
from handup.intent.seconds import Seconds
from handup.intent.stick import Joystick
from handup.intent.value import TRANSLATION, Array, Huber, Metric, View, look

ALL = (MoveKind.GOAL, MoveKind.MIX, MoveKind.CARRY, MoveKind.NONE)


@dataclass(frozen=True, kw_only=True)
class Assist:
    """Our way to help.

    1. Evidence is tempered by a fit: the direction of a push counts and whether it moves or turns; a stick at rest says
       nothing, no goal falls below a floor, and opposition that lasts is evidence, too.
    2. It asks about objects, grasps, exactly one goal with "yes, but differently", or among a few.
    3. A question costs seconds: those that it takes, and the person's load.
    4. The goal, or the pose, may be none of those listed, also after a yes; then the robot follows. Who turned the hand
       decides how it is turned. Near an object the robot lets go unless it is sure.
    5. Before asking it weighs what one more moment of watching would say for nothing.

    Args:
        name: In tables and records.
        metric: What near means. A radian counts as .15 m, the time it takes to turn it.
        observation: What a push says.
        seconds: What help is worth.
        question_s: The robot stands still for so long when it asks.
        load_s: What a load of one (`people`) is worth in seconds.
        right: Share of answers taken to be right.
        unknown: Chance at first that the goal is not listed.
        floor: No goal is less likely than this.
        ceiling: No goal is likelier than this.
        reopens_s: Opposition for so long opens questions again.
        theirs_s: Who has turned the hand for so long decides how it is turned from then on.
        watch_s: So much watching is weighed against asking.
        follow_m: Nearer than this to an object it only makes the person's own motion faster, besides turning.
        hands_off_m: Nearer than this to an object, help needs a goal that is confirmed or surer than …
        sure: … this.
        most_candidates: So many of the likeliest goals it may go for …
        most_asked: … and so many it may ask about.
        depth: So many questions in a row are planned.
    """

    name: str = "assist"
    metric: Metric = field(
        default_factory=lambda: Metric(translation=TRANSLATION, rotation=Huber(slope=0.37, sharp=0.02, switch=0.1))
    )
    observation: Directional = field(default_factory=Directional)
    seconds: Seconds = field(default_factory=Seconds)
    question_s: float = 2.8
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

    @property
    def resamples(self) -> bool:
        """No: the nearest pose of a goal is what it helps towards."""
        return False

    def begin(self, goals: Goals) -> Belief:
        """All goals alike, and a chance that it is none of them."""
        floor = min(self.floor, 0.25 / (len(goals) + 1))
        return Belief.uniform(goals, floor=floor, ceiling=self.ceiling, unknown=self.unknown)

    def decide(self, situation: Situation) -> Choice:
        """The move that saves most, or the question that is worth its seconds."""
        belief, stick = situation.belief, situation.stick
        view = look(belief.goals, belief.groups, situation.pose, self.metric)
        chosen = likeliest(belief, view, self.metric, self.most_candidates)
        known = towards(view, self.metric)
        found = moves(belief, known, chosen, ALL)
        closely = bool(view.metres.min() < self.follow_m)
        theirs = situation.turned_s >= self.theirs_s
        velocities = with_person(found.velocities, stick, closely=closely, theirs=theirs)
        if situation.may_ask and (about := self._worth_asking(situation, view, found.velocities, known, chosen)):
            return Choice(np.zeros(6), "the answer saves more time than it takes", about)
        if not self._may_help(situation, view):
            return Choice(np.zeros(6), "hands off near an object")
        poses = belief.goals.poses.taken(view.nearest)
        gains = self.seconds.gains(view, poses, situation.pose, stick, velocities, situation.alpha) @ belief.weights
        best = int(np.argmax(gains))
        if gains[best] <= 0.0:
            return Choice(np.zeros(6), str(MoveKind.NONE))
        kind, candidate = found.kinds[best], found.candidates[best]
        why = f"to {belief.goals[belief.target[candidate]].name}" if kind is MoveKind.GOAL else str(kind)
        return Choice(velocities[best], why)

    def _may_help(self, situation: Situation, view: View) -> bool:
        """From afar always; near an object only for a goal that is confirmed or that it is sure of."""
        top = int(situation.belief.by_goal.argmax())
        near = bool(view.metres.min() < self.hands_off_m)
        return not near or top in situation.confirmed or bool(situation.belief.by_goal[top] >= self.sure)

    def _worth_asking(
        self, situation: Situation, view: View, velocities: Array, known: Array, chosen: Sequence[int]
    ) -> About | None:
        belief = situation.belief
        askable = self._askable(situation, chosen)
        if not askable:
            return None
        times = self.seconds.to_grasp(view, velocities, known, situation.alpha)
        rewards = -np.column_stack([times, times.max(axis=1)])
        cost = -(self.question_s + self.load_s * situation.load)
        if belief.weights @ rewards.max(axis=0) + cost <= float((rewards @ belief.weights).max()):
            return None  # not even knowing for sure would be worth it
        watching = by_candidate(self._watching(belief, view, chosen), belief)
        said = [each.likelihood(self.right, belief.by_goal) for each in askable]
        problem = Problem(
            belief=belief.weights,
            rewards=rewards,
            questions=(watching, *(by_candidate(each, belief) for each in said)),
            costs=[0.0, *[cost] * len(askable)],
            discount=1.0,
        )
        plan = solve(problem, depth=self.depth)
        return askable[plan.question - 1] if plan.question else None

    def _askable(self, situation: Situation, chosen: Sequence[int]) -> list[About]:
        goals, catalogue = situation.belief.goals, situation.catalogue
        top = chosen[: self.most_asked]
        found = [catalogue.exactly[each] for each in top]
        found += [catalogue.object[name] for name in dict.fromkeys(goals[each].object for each in top)]
        found += [catalogue.grasp[name] for name in dict.fromkeys(goals[each].grasp for each in top)]
        if len(top) > 2:
            found.append(about_choice(goals, top))
        return [each for each in found if each.tells_apart and each.key not in situation.asked]

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


def with_person(velocities: Array, stick: Joystick, *, closely: bool, theirs: bool) -> Array:
    """What of each velocity goes with the person, who always wins.

    Nothing moves while the stick is at rest, nothing goes along while the person only turns, and what works against the
    stick in any axis is left out. Closely, what goes along only makes the person's own motion faster. Where the turn of
    the hand is theirs, nothing turns it but they: they may want it otherwise than any pose that the robot knows.
    """
    hand = np.array((*stick.linear, *stick.angular))
    kept = np.where(hand * velocities < 0.0, 0.0, velocities)
    if stick.speed == 0.0:
        kept[:, :3] = 0.0
    elif closely:
        way = hand[:3] / stick.speed
        kept[:, :3] = np.maximum(velocities[:, :3] @ way, 0.0)[:, None] * way
    if stick.turning == 0.0 and (theirs or stick.speed == 0.0):
        kept[:, 3:] = 0.0
    return kept
