"""What help is worth in seconds: how long a grasp takes with a move of the robot, and what that saves against no help.

One model for all: by it a move is chosen, a question is weighed, and waiting for what the next pushes show.

No look-ahead has to be chosen: the unit is the person's time, and a question costs some of it. How fast this person is
shows in how they push (`Pace`): whoever is slow waits longer for a grasp, so a question pays for them more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from handup.core import BadSetting
from handup.intent.belief import Belief
from handup.intent.command import FULL_M_S, FULL_RAD_S, Joystick
from handup.intent.observing import fitted
from handup.intent.value import Array, View

EXPECTED_S = 0.5
"""So many seconds of pushing as usual are taken for granted before anything is seen of a person."""
SLOWEST, QUICKEST = 0.1, 1.5
"""Nobody is taken to be slower or quicker than this, as a share of what is usual."""


@dataclass(frozen=True)
class Pace:
    """How hard this person pushes, seen so far.

    Args:
        pushed: Shares of a full push, added up over time (s).
        squared: Their squares, added up alike.
        seconds: For how long they pushed.

    Raises:
        BadSetting: A sum is below zero or not finite.
    """

    pushed: float = 0.0
    squared: float = 0.0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if not all(0.0 <= each < np.inf for each in (self.pushed, self.squared, self.seconds)):
            raise BadSetting(f"a pace is {self}", hint="Give sums of at least 0.")

    def after(self, stick: Joystick, seconds: float) -> Pace:
        """With one more push; a stick at rest says nothing."""
        if stick.idle:
            return self
        share = share_of(stick)
        return Pace(self.pushed + seconds * share, self.squared + seconds * share**2, self.seconds + seconds)

    def usual(self, expected: float) -> float:
        """The share of a full push that the person usually pushes with; careful pushes count less than bold ones.

        The longer they were seen, the more it is theirs, however softly they push.

        Args:
            expected: Of people of whom nothing was seen.
        """
        own = self.squared / self.pushed if self.pushed else expected
        return (EXPECTED_S * expected + self.seconds * own) / (EXPECTED_S + self.seconds)


def share_of(stick: Joystick) -> float:
    """How hard the stick is pushed, as a share of a full push, whether it moves or turns the hand."""
    return min(max(stick.speed / FULL_M_S, stick.turning / FULL_RAD_S), 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Ahead:
    """What the robot may do until the grasp, and would do if the person wants each candidate.

    Args:
        view: The candidates as seen from here.
        made: What really comes of each move: by move, candidate and axis. The last move is no help.
        known: What the robot does for each candidate, once that is plain: by candidate and axis.
        alpha: How much of its velocity is added to the stick.
        settles_s: After so long the goal is plain, by move and candidate.
    """

    view: View
    made: Array
    known: Array
    alpha: float
    settles_s: Array


@dataclass(frozen=True, kw_only=True)
class Seconds:
    """How fast a person gets on. Fitted to simulated people alone (`python -m train.intent`).

    Args:
        push_m_s: Alone, on the whole way.
        turn_rad_s: Alone, turning.
        switch_s: To change between moving and turning, once.
        closing_s: On top of all ways and turns: to look, to correct, to close the hand.
        cruise: The share of a full push with which these people usually push.
        objects: Without a question, the object is plain after this share of the time that is left …
        grasps: … and, where an object can be grasped in several ways, the way after this share.
        stops_m: So near people stop and turn the hand themselves; by then the robot may have turned it on the way. The
            paper's people stopped 8 to 13 cm before the object.
        aligned_rad: Less than this need not be turned.
        harm: By how much a second lost through the robot is worse than a second won.
        wrong_m: So far to the side a wrong move goes before the person or the robot ends it.
        wrong_rad: So far a wrong turn goes.
    """

    push_m_s: float = field(default_factory=lambda: fitted("times", "push_m_s"))
    turn_rad_s: float = field(default_factory=lambda: fitted("times", "turn_rad_s"))
    switch_s: float = field(default_factory=lambda: fitted("times", "switch_s"))
    closing_s: float = field(default_factory=lambda: fitted("times", "closing_s"))
    cruise: float = field(default_factory=lambda: fitted("times", "cruise"))
    objects: float = field(default_factory=lambda: fitted("times", "objects"))
    grasps: float = field(default_factory=lambda: fitted("times", "grasps"))
    stops_m: float = 0.1
    aligned_rad: float = 0.15
    harm: float = 2.0
    wrong_m: float = 0.06
    wrong_rad: float = 0.4

    def __post_init__(self) -> None:
        speeds = (self.push_m_s, self.turn_rad_s, self.cruise, self.aligned_rad, self.harm)
        times = (self.switch_s, self.closing_s, self.objects, self.grasps, self.stops_m, self.wrong_m, self.wrong_rad)
        if not (all(0.0 < each < np.inf for each in speeds) and all(0.0 <= each < np.inf for each in times)):
            raise BadSetting("a time of reaching is none", hint="Give speeds above 0 and times of at least 0.")

    def at(self, pace: Pace) -> Seconds:
        """The same for a person of this pace."""
        factor = min(max(pace.usual(self.cruise) / self.cruise, SLOWEST), QUICKEST)
        return replace(self, push_m_s=factor * self.push_m_s, turn_rad_s=factor * self.turn_rad_s)

    def alone(self, metres: Array, radians: Array) -> Array:
        """For a person without help."""
        return metres / self.push_m_s + radians / self.turn_rad_s + self.changing(radians)

    def left_s(self, view: View) -> Array:
        """The time that is left for a person without help, to each candidate."""
        return self.alone(view.metres, view.radians) + self.closing_s

    def changing(self, radians: Array) -> Array:
        """To change the mode and to change it back, where the hand has to be turned."""
        return 2.0 * self.switch_s * np.minimum(radians / self.aligned_rad, 1.0)

    def settling(self, belief: Belief, view: View, candidates: Sequence[int]) -> Array:
        """How long it takes without a question until the goal is plain: a row per move, a column per candidate.

        Another object shows early, another grasp of the same object late; an unlisted goal is another object.

        Args:
            belief: What the person may want.
            view: The candidates as seen from here.
            candidates: Which candidate each move goes for; −1: for all of them, or for none.
        """
        target = np.array(belief.target)
        things = np.array([belief.goals.objects.index(goal.object) for goal in belief.goals])[target]
        same = target[:, None] == target
        share = np.where(same, 0.0, np.where(things[:, None] == things, self.grasps, self.objects))
        instead = np.where(same, 0.0, belief.weights[:-1, None])
        unlisted = max(belief.of_unknown, 1e-12)
        mixed = ((instead * share).sum(axis=0) + unlisted * self.objects) / (instead.sum(axis=0) + unlisted)
        rows = np.array([mixed if each < 0 else share[each] for each in candidates])
        return np.asarray(rows * self.left_s(view))

    def to_grasp(self, ahead: Ahead) -> Array:
        """How long it takes if nothing is asked: a row per move, a column per candidate.

        The robot keeps on with a move until the goal is plain, then goes for it. It turns the hand while the person
        moves it; what is not turned where they stop to do so takes their own time, with the robot turning along, before
        the goal is plain as far as the move goes that way. The robot slows down near a candidate: what is faster along
        the way than that goes past it.
        """
        view, known, alpha = ahead.view, ahead.known, ahead.alpha
        way = view.way[view.nearest] / np.maximum(view.metres, 1e-9)[:, None]
        turn = view.turn[view.nearest] / np.maximum(view.radians, 1e-9)[:, None]
        along, aside = _parts(alpha * ahead.made[..., :3], way)
        around, askew = _parts(alpha * ahead.made[..., 3:], turn)
        fitting = alpha * np.einsum("ij,ij->i", known[:, :3], way)
        aside = np.hypot(aside, np.maximum(along - fitting, 0.0))
        speed = np.maximum(self.push_m_s + np.minimum(along, fitting), self.push_m_s / 2.0)
        known_speed = self.push_m_s + fitting
        known_turn = alpha * np.einsum("ij,ij->i", known[:, 3:], turn)
        first = np.minimum(view.metres / speed, ahead.settles_s)
        on_the_way = np.minimum(first, np.maximum(view.metres - self.stops_m, 0.0) / speed)
        to_go = np.hypot(view.metres - speed * first, np.minimum(aside * first, self.wrong_m))
        turned = np.clip(around * on_the_way, -self.wrong_rad, view.radians)
        turned = turned + known_turn * np.maximum(to_go - self.stops_m, 0.0) / known_speed
        astray = np.minimum(askew * on_the_way, self.wrong_rad)
        left = np.hypot(view.radians - np.minimum(turned, view.radians), astray)
        doubtful = self.turn_rad_s + np.maximum(around, 0.0)
        in_doubt = np.minimum(left / doubtful, np.maximum(ahead.settles_s - first, 0.0))
        turning = in_doubt + (left - doubtful * in_doubt) / (self.turn_rad_s + known_turn)
        return np.asarray(first + to_go / known_speed + turning + self.changing(left))

    def saved(self, ahead: Ahead) -> Array:
        """Seconds that each move saves against no help: a row per move, a column per candidate and an unlisted goal.

        A second lost counts `harm` times. For an unlisted goal no move saves any: what was moved until it is plain has
        to be undone.
        """
        times = self.to_grasp(ahead)
        left_s = float(self.left_s(ahead.view).mean())
        moved, turned = (
            ahead.alpha * self.objects * left_s * np.linalg.norm(each, axis=2).mean(axis=1)
            for each in (ahead.made[..., :3], ahead.made[..., 3:])
        )
        undoing = np.minimum(moved, self.wrong_m) / self.push_m_s + np.minimum(turned, self.wrong_rad) / self.turn_rad_s
        table = np.column_stack([times[-1] - times, -undoing])
        return np.where(table < 0.0, self.harm * table, table)


def _parts(velocities: Array, ways: Array) -> tuple[Array, Array]:
    """Along the way of each candidate, and across it: by move and candidate."""
    along = np.einsum("mgi,gi->mg", velocities, ways)
    across = np.sqrt(np.maximum(np.square(velocities).sum(axis=2) - along**2, 0.0))
    return along, across
