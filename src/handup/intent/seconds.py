"""Value of help in seconds: the time of a grasp with a move of the robot, and the time saved against no help.

One model serves to choose a move, to weigh a question, and to weigh waiting for the next pushes. No look-ahead has to
be chosen: the unit is the person's time, and a question costs some of it. The person's speed shows in how hard they
push (`Pace`): a slow person waits longer for a grasp, so a question pays for them more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from handup.core import OutOfRange
from handup.intent.belief import GoalBelief
from handup.intent.command import FULL_M_S, FULL_RAD_S, Joystick
from handup.intent.push_models import fitted
from handup.intent.value import Array, GoalView

EXPECTED_S = 0.5
"""Weight, in seconds of pushing, of the usual pace in the estimate of a person's own pace."""
SLOWEST, QUICKEST = 0.1, 1.5
"""Limits of a person's pace, as a share of the usual pace."""


@dataclass(frozen=True)
class Pace:
    """Measure of how hard a person has pushed so far.

    Args:
        pushed: Integral over time of the share of a full push, in seconds.
        squared: Integral over time of its square, in seconds.
        seconds: Time of pushing in seconds.

    Raises:
        OutOfRange: A sum is below zero or not finite.
    """

    pushed: float = 0.0
    squared: float = 0.0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if not all(0.0 <= total < np.inf for total in (self.pushed, self.squared, self.seconds)):
            raise OutOfRange.of("a pace", self, "have finite sums of at least 0", hint="Begin with Pace().")

    def after(self, stick: Joystick, seconds: float) -> Pace:
        """Return the pace after some more seconds of a push; a stick at rest changes nothing."""
        if stick.idle:
            return self
        share = share_of(stick)
        return Pace(self.pushed + seconds * share, self.squared + seconds * share**2, self.seconds + seconds)

    def usual(self, expected: float) -> float:
        """Return the share of a full push with which the person usually pushes.

        Args:
            expected: The usual share of other people, which counts less the longer this person was seen.
        """
        # A mean weighted by the pushes themselves, so that careful pushes count less than bold ones.
        own = self.squared / self.pushed if self.pushed else expected
        return (EXPECTED_S * expected + self.seconds * own) / (EXPECTED_S + self.seconds)


def share_of(stick: Joystick) -> float:
    """Return how hard the stick is pushed, as a share of a full push, whether it moves or turns the hand."""
    return min(max(stick.speed / FULL_M_S, stick.turning / FULL_RAD_S), 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Ahead:
    """Velocities of the robot from now to the grasp, for each move and each candidate that the person may want.

    Args:
        view: The candidates as seen from the gripper.
        made: The part of each move that agrees with the person, by move, candidate and axis. The last move is no help.
        known: Velocity for each candidate once it is known to be the goal, by candidate and axis.
        alpha: Share of the robot's velocity that is added to the stick.
        settles_s: Seconds after which the goal is known without a question, by move and candidate.
    """

    view: GoalView
    made: Array
    known: Array
    alpha: float
    settles_s: Array


@dataclass(frozen=True, kw_only=True)
class Seconds:
    """Model of the time that a person takes to a grasp, fitted to simulated people only (`python -m train.intent`).

    Args:
        push_m_s: Speed of a person without help, over the whole way, in m/s.
        turn_rad_s: Turning speed of a person without help, in rad/s.
        switch_s: Seconds to change once between moving and turning.
        closing_s: Seconds on top of all ways and turns: to look, to correct, to close the hand.
        cruise: Share of a full push with which these people usually push.
        objects: Share of the time left after which the object is known without a question.
        grasps: Share of the time left after which the grasp of a known object is known without a question.
        stops_m: Distance from the object at which people stop and turn the hand, if the robot has not turned it by
            then. The paper's people stopped 8 to 13 cm before the object.
        aligned_rad: Angle below which the hand need not be turned.
        harm: Factor by which a second lost through the robot counts more than a second won.
        wrong_m: Largest way to the side of a wrong move, before the person or the robot ends it.
        wrong_rad: Largest angle of a wrong turn.
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
        if not (all(0.0 < speed < np.inf for speed in speeds) and all(0.0 <= time < np.inf for time in times)):
            must = "have finite speeds above 0, and times and distances of at least 0"
            raise OutOfRange.of("the model of a person's time", self, must, hint="Change the numbers outside.")

    def at(self, pace: Pace) -> Seconds:
        """Return the same model for a person of this pace."""
        factor = min(max(pace.usual(self.cruise) / self.cruise, SLOWEST), QUICKEST)
        return replace(self, push_m_s=factor * self.push_m_s, turn_rad_s=factor * self.turn_rad_s)

    def alone(self, metres: Array, radians: Array) -> Array:
        """Return the seconds of ways and turns for a person without help."""
        return metres / self.push_m_s + radians / self.turn_rad_s + self.changing(radians)

    def left_s(self, view: GoalView) -> Array:
        """Return the seconds left to a grasp of each candidate for a person without help."""
        return self.alone(view.metres, view.radians) + self.closing_s

    def changing(self, radians: Array) -> Array:
        """Return the seconds to change to turning and back, where the hand has to be turned."""
        return 2.0 * self.switch_s * np.minimum(radians / self.aligned_rad, 1.0)

    def settling(self, belief: GoalBelief, view: GoalView, candidates: Sequence[int]) -> Array:
        """Return the seconds without a question until the goal is known: a row per move, a column per candidate.

        A move to another object is seen to be wrong early, to another grasp of the same object late. An unlisted goal
        counts as another object.

        Args:
            belief: Probabilities of the goals.
            view: The candidates as seen from the gripper.
            candidates: Candidate of each move; −1 for a move towards all of them, or for no help.
        """
        target = np.array(belief.target)
        things = np.array([belief.goals.objects.index(goal.object) for goal in belief.goals])[target]
        same = target[:, None] == target
        share = np.where(same, 0.0, np.where(things[:, None] == things, self.grasps, self.objects))
        instead = np.where(same, 0.0, belief.weights[:-1, None])
        unlisted = max(belief.of_unknown, 1e-12)
        mixed = ((instead * share).sum(axis=0) + unlisted * self.objects) / (instead.sum(axis=0) + unlisted)
        rows = np.array([mixed if candidate < 0 else share[candidate] for candidate in candidates])
        return np.asarray(rows * self.left_s(view))

    def to_grasp(self, ahead: Ahead) -> Array:
        """Return the seconds to the grasp if nothing is asked: a row per move, a column per candidate.

        The robot keeps on with a move until the goal is known, and then goes to the goal. It turns the hand while the
        person moves it. The angle that is left where the person stops takes their own time; the robot turns along, in
        the direction of its move until the goal is known. A move that is faster along the way than the one to the
        candidate goes past it.
        """
        view, known, alpha = ahead.view, ahead.known, ahead.alpha
        way = view.way[view.nearest] / np.maximum(view.metres, 1e-9)[:, None]
        turn = view.turn[view.nearest] / np.maximum(view.radians, 1e-9)[:, None]
        along, aside = _parts(alpha * ahead.made[..., :3], way)
        around, askew = _parts(alpha * ahead.made[..., 3:], turn)
        # The robot slows down near a candidate; speed beyond that of the candidate's own move leads past it.
        fitting = alpha * np.einsum("ij,ij->i", known[:, :3], way)
        aside = np.hypot(aside, np.maximum(along - fitting, 0.0))
        speed = np.maximum(self.push_m_s + np.minimum(along, fitting), self.push_m_s / 2.0)
        known_speed = self.push_m_s + fitting
        known_turn = alpha * np.einsum("ij,ij->i", known[:, 3:], turn)
        # First the move, until the goal is known or the way is over; then the rest of the way, astray by the move.
        first = np.minimum(view.metres / speed, ahead.settles_s)
        on_the_way = np.minimum(first, np.maximum(view.metres - self.stops_m, 0.0) / speed)
        to_go = np.hypot(view.metres - speed * first, np.minimum(aside * first, self.wrong_m))
        # The angle: turned by the move while the person moves the hand, then on the rest of the way by the move that
        # fits; what is left takes the person's own turning.
        turned = np.clip(around * on_the_way, -self.wrong_rad, view.radians)
        turned = turned + known_turn * np.maximum(to_go - self.stops_m, 0.0) / known_speed
        astray = np.minimum(askew * on_the_way, self.wrong_rad)
        left = np.hypot(view.radians - np.minimum(turned, view.radians), astray)
        doubtful = self.turn_rad_s + np.maximum(around, 0.0)
        in_doubt = np.minimum(left / doubtful, np.maximum(ahead.settles_s - first, 0.0))
        turning = in_doubt + (left - doubtful * in_doubt) / (self.turn_rad_s + known_turn)
        return np.asarray(first + to_go / known_speed + turning + self.changing(left))

    def saved(self, ahead: Ahead) -> Array:
        """Return the seconds that each move (row) saves for each candidate and, last, an unlisted goal (column).

        A second lost counts `harm` times. For an unlisted goal no move saves time: it has to be undone later.
        """
        times = self.to_grasp(ahead)
        left_s = float(self.left_s(ahead.view).mean())
        moved, turned = (
            ahead.alpha * self.objects * left_s * np.linalg.norm(velocities, axis=2).mean(axis=1)
            for velocities in (ahead.made[..., :3], ahead.made[..., 3:])
        )
        undoing = np.minimum(moved, self.wrong_m) / self.push_m_s + np.minimum(turned, self.wrong_rad) / self.turn_rad_s
        table = np.column_stack([times[-1] - times, -undoing])
        return np.where(table < 0.0, self.harm * table, table)


def _parts(velocities: Array, ways: Array) -> tuple[Array, Array]:
    """Return the parts of velocities along the way of each candidate and across it, by move and candidate."""
    along = np.einsum("mgi,gi->mg", velocities, ways)
    across = np.sqrt(np.maximum(np.square(velocities).sum(axis=2) - along**2, 0.0))
    return along, across
