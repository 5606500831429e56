"""What a push of the stick says about the goal. Two models, each of them one idea.

`MaxEnt` is the published one: a push is as likely as it lowers the goal's value, and being near a goal speaks for it
as well, pushing or not. `Directional` is ours: the direction of a push counts and whether it moves or turns the hand,
nothing is learnt from a stick at rest, and its numbers are fitted so that the belief is as sure as it is right.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

import numpy as np

from handup.core import BadRecord
from handup.intent.belief import Belief
from handup.intent.command import Joystick
from handup.intent.pose import Pose, lengths
from handup.intent.value import Array, Huber, Metric, look

KIND, SCHEMA = "fitted-intent", 1


@cache
def fitted_record() -> dict[str, Any]:
    """Parameters, scores and provenance, as `python -m train.intent` wrote them."""
    text = files("handup.intent").joinpath("data/fitted.json").read_text(encoding="utf-8")
    record: dict[str, Any] = json.loads(text)
    if (record.get("kind"), record.get("schema")) != (KIND, SCHEMA):
        raise BadRecord("the fitted numbers of intent are damaged", hint="Install handup anew.")
    return record


def fitted(part: str, name: str) -> float:
    """One of the numbers: of `pushes` or of `times`."""
    return float(fitted_record()[part][name])


class ObservationModel(Protocol):
    """How likely a push is."""

    def log_likelihood(self, belief: Belief, pose: Pose, stick: Joystick, metric: Metric) -> Array | None:
        """For each candidate and, last, an unlisted goal; None where the push says nothing."""
        ...


@dataclass(frozen=True)
class MaxEnt:
    """Maximum-entropy inverse optimal control (Javdani et al. 2018): log p(push | goal) = V(here) − Q(here, push)."""

    def log_likelihood(self, belief: Belief, pose: Pose, stick: Joystick, metric: Metric) -> Array | None:
        """V − (cost of one action here + V where the push leads), for the nearest pose of each candidate."""
        view = look(belief.goals, belief.groups, pose, metric)
        there = pose.moved(stick.linear, stick.angular, metric.apply_s)
        way, turn = belief.goals.poses.taken(view.nearest).ways_from(there)
        after = metric.value(lengths(way), lengths(turn))
        now = metric.value(view.metres, view.radians)
        found = now - (metric.cost(view.metres, view.radians) + after)
        return np.append(found, found.min())


@dataclass(frozen=True)
class Unwatched:
    """For a person alone: nothing is learnt from what they push."""

    def log_likelihood(self, belief: Belief, pose: Pose, stick: Joystick, metric: Metric) -> Array | None:
        """Nothing."""
        return None


@dataclass(frozen=True, eq=False, kw_only=True)
class Push:
    """A push as it looks from each goal, goals last; more axes before that for many pushes at once.

    Args:
        metres: Still to go.
        radians: Still to turn.
        along: Cosine between the push and the way there.
        around: Cosine between the turn pushed and the one still to make.
        moving: Share of a full push.
        turning: Share of a full turn.
    """

    metres: Array
    radians: Array
    along: Array
    around: Array
    moving: Array
    turning: Array


@dataclass(frozen=True, kw_only=True)
class Directional:
    """A push points at the goal, more or less: what it is off costs chance, more from afar than from near.

    Whether it moves or turns the hand counts, too: somebody who has much to turn and little to go is likely to turn, so
    who closes in without turning does not want a grasp that needs it. The chance of turning is its share of the time
    that is left, with lapses.

    The defaults are fitted to simulated people of all strategies (`python -m train.intent`), on seeds of their own, by
    how well the belief after many pushes is calibrated. So they are tempered: one push counts for little, since those
    that follow each other are far from independent.

    Args:
        translation: Evidence against a goal of a full push at right angles to it, by distance (m).
        rotation: Evidence against a goal of a full turn at right angles to it, by angle (rad).
        mode: How much moving or turning counts.
        lapse: How often it is either, whatever is left to do.
        aimless: Evidence against any listed goal of as much as this is what an unlisted one would give.
        full_m_s: A full push.
        full_rad_s: A full turn.
        least: Pushes below this share of a full one say nothing.
    """

    translation: Huber = field(default_factory=lambda: _cost("translation"))
    rotation: Huber = field(default_factory=lambda: _cost("rotation"))
    mode: float = field(default_factory=lambda: fitted("pushes", "mode"))
    lapse: float = field(default_factory=lambda: fitted("pushes", "lapse"))
    aimless: float = field(default_factory=lambda: fitted("pushes", "aimless"))
    full_m_s: float = 0.06
    full_rad_s: float = 0.4
    least: float = 0.15

    def log_likelihood(self, belief: Belief, pose: Pose, stick: Joystick, metric: Metric) -> Array | None:
        """Log likelihood of the push against that of an unlisted goal."""
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
        """The evidence of pushes for each goal, against an unlisted one; zero where nothing is pushed."""
        moves, turns = push.moving >= self.least, push.turning >= self.least
        off = np.where(moves, _off(self.translation, push.metres, push.along, push.moving), 0.0)
        off += np.where(turns, _off(self.rotation, push.radians, push.around, push.turning), 0.0)
        to_turn, to_move = push.radians / self.full_rad_s, push.metres / self.full_m_s
        share = self.lapse / 2.0 + (1.0 - self.lapse) * to_turn / np.maximum(to_turn + to_move, 1e-9)
        chance = np.where(turns, share, 1.0 - share)
        told = np.log(chance) - np.log(chance.mean(axis=-1, keepdims=True))
        found = self.aimless - off + np.where(moves != turns, self.mode * told, 0.0)
        return np.asarray(np.where(moves | turns, found, 0.0))

    def of_push(self, way: Array, direction: Array) -> Array:
        """The evidence of a full push in a direction, for goals that lie each some way off."""
        metres = lengths(way)
        x, y, z = map(float, direction)
        return np.asarray(self.aimless - _off(self.translation, metres, cosine(way, metres, (x, y, z)), np.ones(1)))


def cosine(way: Array, length: Array, push: tuple[float, float, float]) -> Array:
    """Between a push and each of some ways of these lengths; 0 where one of them is nothing."""
    hand = np.array(push)
    return np.asarray((way @ hand) / np.maximum(length * np.linalg.norm(hand), 1e-12))


def _off(cost: Huber, length: Array, cosines: Array, size: Array) -> Array:
    return np.asarray(cost.steepness(length) * np.minimum(size, 1.0) * (1.0 - cosines))


def _cost(name: str) -> Huber:
    return Huber(slope=fitted("pushes", f"{name}_slope"), sharp=0.0, switch=fitted("pushes", f"{name}_switch"))
