"""Models of the evidence that a push of the stick gives about the goal.

`MaxEnt` is the published model: a push is the more likely the more it lowers the goal's value, and nearness to a goal
is evidence even without a push. In `Directional`, handup's own, the direction of a push counts and whether it moves or
turns the hand; a stick at rest says nothing. Its numbers are fitted so that the belief is calibrated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

import numpy as np

from handup.core import BadRecord
from handup.intent.belief import GoalBelief
from handup.intent.command import Joystick
from handup.intent.pose import Pose, lengths
from handup.intent.value import Array, Huber, Metric, look

KIND, SCHEMA = "fitted-intent", 1


@cache
def fitted_record() -> dict[str, Any]:
    """Return the parameters, scores and provenance that `python -m train.intent` wrote."""
    text = files("handup.intent").joinpath("data/fitted.json").read_text(encoding="utf-8")
    record: dict[str, Any] = json.loads(text)
    if (record.get("kind"), record.get("schema")) != (KIND, SCHEMA):
        raise BadRecord("the fitted numbers of intent must be of this version, got others", hint="Install handup anew.")
    return record


def fitted(part: str, name: str) -> float:
    """Return one fitted number of the part `pushes` or `times`."""
    return float(fitted_record()[part][name])


class ObservationModel(Protocol):
    """Model of the probability of a push for each goal."""

    def log_likelihood(self, belief: GoalBelief, pose: Pose, stick: Joystick, metric: Metric) -> Array | None:
        """Return a number per candidate and, last, one for an unlisted goal; None where the push says nothing."""
        ...


@dataclass(frozen=True)
class MaxEnt:
    """Maximum-entropy inverse optimal control (Javdani et al. 2018): log p(push | goal) = V(here) − Q(here, push)."""

    def log_likelihood(self, belief: GoalBelief, pose: Pose, stick: Joystick, metric: Metric) -> Array | None:
        """Return V − (cost of one action here + V where the push leads), for the nearest pose of each candidate."""
        view = look(belief.goals, belief.groups, pose, metric)
        there = pose.moved(stick.linear, stick.angular, metric.apply_s)
        way, turn = belief.goals.poses.taken(view.nearest).ways_from(there)
        after = metric.value(lengths(way), lengths(turn))
        now = metric.value(view.metres, view.radians)
        evidence = now - (metric.cost(view.metres, view.radians) + after)
        return np.append(evidence, evidence.min())


@dataclass(frozen=True)
class Unwatched:
    """Model for a person without help: nothing is learnt from a push."""

    def log_likelihood(self, belief: GoalBelief, pose: Pose, stick: Joystick, metric: Metric) -> Array | None:
        """Return None: the push says nothing."""
        return None


@dataclass(frozen=True, eq=False, kw_only=True)
class Push:
    """A push as seen from each goal. The last axis of every array is the goals; axes before it are several pushes.

    Args:
        metres: Distance still to go.
        radians: Angle still to turn.
        along: Cosine between the push and the way to the goal.
        around: Cosine between the turn that is pushed and the one still to make.
        moving: Speed, as a share of a full push.
        turning: Turning speed, as a share of a full turn.
    """

    metres: Array
    radians: Array
    along: Array
    around: Array
    moving: Array
    turning: Array


@dataclass(frozen=True, kw_only=True)
class Directional:
    """Model in which a push points more or less at the goal, and points better from afar than from near.

    Whether a push moves or turns the hand counts, too: a person with much to turn and little to go is likely to turn,
    so one who closes in without turning does not want a grasp that needs it. The probability of turning is its share
    of the time that is left, with lapses.

    The defaults are fitted to simulated people of all strategies (`python -m train.intent`), on seeds of their own,
    for a calibrated belief after many pushes. A single push counts for little, since pushes that follow each other are
    far from independent.

    Args:
        translation: Evidence of a full push at right angles to a goal against that goal, by distance (m).
        rotation: Evidence of a full turn at right angles to a goal against that goal, by angle (rad).
        mode: Weight of the evidence from moving or turning, as opposed to the direction.
        lapse: Share of pushes that move or turn by chance, whatever is left to do.
        aimless: Evidence against a listed goal at which an unlisted goal is as likely.
        full_m_s: Velocity of a full push in m/s.
        full_rad_s: Velocity of a full turn in rad/s.
        least: Share of a full push below which a push says nothing.
    """

    translation: Huber = field(default_factory=lambda: _cost("translation"))
    rotation: Huber = field(default_factory=lambda: _cost("rotation"))
    mode: float = field(default_factory=lambda: fitted("pushes", "mode"))
    lapse: float = field(default_factory=lambda: fitted("pushes", "lapse"))
    aimless: float = field(default_factory=lambda: fitted("pushes", "aimless"))
    full_m_s: float = 0.06
    full_rad_s: float = 0.4
    least: float = 0.15

    def log_likelihood(self, belief: GoalBelief, pose: Pose, stick: Joystick, metric: Metric) -> Array | None:
        """Return the log likelihood of the push for each candidate, relative to that for an unlisted goal."""
        moving, turning = stick.speed / self.full_m_s, stick.turning / self.full_rad_s
        if max(moving, turning) < self.least:
            return None
        view = look(belief.goals, belief.groups, pose, metric)
        push = Push(
            metres=view.metres,
            radians=view.radians,
            along=cosine(view.way[view.nearest], view.metres, stick.linear),
            around=cosine(view.turn[view.nearest], view.radians, stick.angular),
            moving=np.array([moving]),
            turning=np.array([turning]),
        )
        return np.append(self.odds(push), 0.0)

    def odds(self, push: Push) -> Array:
        """Return the evidence of pushes for each goal, relative to an unlisted one; zero where nothing is pushed."""
        moves, turns = push.moving >= self.least, push.turning >= self.least
        off = np.where(moves, _off(self.translation, push.metres, push.along, push.moving), 0.0)
        off += np.where(turns, _off(self.rotation, push.radians, push.around, push.turning), 0.0)
        to_turn, to_move = push.radians / self.full_rad_s, push.metres / self.full_m_s
        share = self.lapse / 2.0 + (1.0 - self.lapse) * to_turn / np.maximum(to_turn + to_move, 1e-9)
        chance = np.where(turns, share, 1.0 - share)
        # A push that moves and turns at once says nothing about the mode. An unlisted goal is taken to move or turn as
        # the average of the listed ones, so the mode alone is no evidence for or against it.
        by_mode = np.log(chance) - np.log(chance.mean(axis=-1, keepdims=True))
        evidence = self.aimless - off + np.where(moves != turns, self.mode * by_mode, 0.0)
        return np.asarray(np.where(moves | turns, evidence, 0.0))

    def of_push(self, way: Array, direction: Array) -> Array:
        """Return the evidence of a full push in a direction, for goals at the ends of these ways."""
        metres = lengths(way)
        x, y, z = map(float, direction)
        return np.asarray(self.aimless - _off(self.translation, metres, cosine(way, metres, (x, y, z)), np.ones(1)))


def cosine(way: Array, length: Array, push: tuple[float, float, float]) -> Array:
    """Return the cosine between a push and each way of these lengths; 0 where the push or the way is zero."""
    hand = np.array(push)
    return np.asarray((way @ hand) / np.maximum(length * np.linalg.norm(hand), 1e-12))


def _off(cost: Huber, length: Array, cosines: Array, size: Array) -> Array:
    return np.asarray(cost.steepness(length) * np.minimum(size, 1.0) * (1.0 - cosines))


def _cost(name: str) -> Huber:
    return Huber(slope=fitted("pushes", f"{name}_slope"), sharp=0.0, switch=fitted("pushes", f"{name}_switch"))
