"""The simulated person: nine activities in bouts, with pauses and awareness, and what a robot senses of it.

All numbers are in `world.yaml`. The truth of a seed is the same under every sensing, with other errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core.files import shipped_data
from handup.people.interruptibility import OBJECTS, Sighting
from handup.people.levels import Level

SENSINGS = ("clean", "noisy")
BOUTS = ("drawn", "real", "sure")
"""Bouts of about 45 segments, bouts as long as the slots that people reported, and short ones whose level is always the
likeliest of their activity."""
CENTRE = 0.5
BODY_M, FACE_M = (0.5, 1.2), 0.2
EYES = 0.1
"""Height of the face in the picture, as a share of it."""


@cache
def world() -> Mapping[str, Any]:
    """Return the numbers of the simulation."""
    numbers: Mapping[str, Any] = shipped_data(__file__, "world.yaml")
    return numbers


@dataclass(frozen=True, eq=False)
class WatchedPerson:
    """One person over time, a segment after the other.

    Args:
        activity: Number of the hidden activity; -1 while the person is out of view.
        level: True level of interruptibility, 0 while the person is out of view.
        sightings: Observations of the robot.
    """

    activity: NDArray[np.int64]
    level: NDArray[np.int64]
    sightings: tuple[Sighting, ...]


@dataclass(frozen=True, kw_only=True)
class _Bout:
    """One bout of an activity; `base` is its level without pauses and awareness."""

    activity: int
    base: int
    segments: int
    spot: tuple[float, float]
    turn: float
    objects: frozenset[str]


class _Room:
    """A person with habits of their own in a room of their own."""

    def __init__(self, seed: int, bouts: str) -> None:
        self.random, self.bouts = np.random.default_rng((seed, 0)), bouts
        numbers, differ = world(), world()["differ"]
        self.names = tuple(numbers["activities"])
        self.activities = [numbers["activities"][name] for name in self.names]
        self.spots = {
            name: np.array(place) + self.random.normal(0.0, differ["spot_m"], 2)
            for name, place in numbers["spots"].items()
        }
        self.turns = self.random.normal([kind["turn"] for kind in self.activities], differ["turn_rad"])
        usual = [[kind["objects"].get(label, numbers["other"]) for label in OBJECTS] for kind in self.activities]
        odds = np.log(usual) - np.log1p(-np.array(usual)) + self.random.normal(0.0, differ["objects"], np.shape(usual))
        self.habits = 1.0 / (1.0 + np.exp(-odds))

    def length(self) -> int:
        """Draw the number of segments of a bout."""
        numbers, random = world(), self.random
        if self.bouts == "real":
            shares, slots = numbers["slot_shares"], np.log(numbers["slot_quantiles_s"])
            drawn = math.exp(float(np.interp(random.random(), shares, slots))) / float(numbers["segment_s"])
        else:
            drawn = float(random.gamma(numbers["bout_shape"], numbers["bout_segments"] / numbers["bout_shape"]))
        return max(int(numbers["least_bout"]), round(drawn))

    def bout(self, before: int) -> _Bout:
        """Draw the next bout, of another activity than the one before."""
        differ, random = world()["differ"], self.random
        weights = np.array([kind["weight"] * (number != before) for number, kind in enumerate(self.activities)])
        number = int(random.choice(len(weights), p=weights / weights.sum()))
        kind = self.activities[number]
        place = self.spots[kind["spot"]] + random.normal(0.0, differ["bout_m"], 2)
        there = random.random(len(OBJECTS)) < self.habits[number]
        drawn = int(random.choice(3, p=kind["levels"]))
        return _Bout(
            activity=number,
            base=1 + (int(np.argmax(kind["levels"])) if self.bouts == "sure" else drawn),
            segments=self.length(),
            spot=(float(place[0]), float(place[1])),
            turn=float(self.turns[number] + random.normal(0.0, differ["bout_rad"])),
            objects=frozenset(label for label, lies in zip(OBJECTS, there, strict=True) if lies),
        )


def watch(seed: int, sensing: str, *, segments: int, bouts: str = "drawn") -> WatchedPerson:
    """Simulate a person, and what a robot senses of them.

    Args:
        seed: Which person.
        sensing: `clean` or `noisy`.
        segments: Number of segments.
        bouts: `drawn`, `real` or `sure`.
    """
    room, numbers = _Room(seed, bouts), world()
    senses = _Senses(np.random.default_rng((seed, 1)), numbers["sensing"][sensing])
    absence, random = numbers["absence"], room.random
    activity: list[int] = []
    level: list[int] = []
    sightings: list[Sighting] = []
    last = -1
    while len(level) < segments:
        if random.random() < absence["share"]:
            away = max(1, round(random.exponential(absence["segments"])))
            times = [(len(level) + k) * numbers["segment_s"] for k in range(away)]
            sightings += [Sighting(at_s=at_s, in_view=False) for at_s in times]
            activity, level = activity + [-1] * away, level + [int(Level.UNKNOWN)] * away
        bout = room.bout(last)
        last = bout.activity
        for now, aware, paused, at in _within(bout, room.activities[last], random):
            at_s = len(level) * numbers["segment_s"]
            speaks = not paused and random.random() < room.activities[last]["speaks"]
            faces = random.random() < (numbers["aware"]["faces"] if aware else room.activities[last]["faces"])
            sightings.append(senses.sighting(at_s, bout, at, speaks=speaks, faces=faces))
            activity.append(last)
            level.append(now)
    return WatchedPerson(np.array(activity[:segments]), np.array(level[:segments]), tuple(sightings[:segments]))


def _within(bout: _Bout, kind: Mapping[str, Any], random: np.random.Generator) -> list[tuple[int, bool, bool, Any]]:
    """Return for each segment of a bout its level, whether the person is aware, whether they pause, and the place."""
    pause, aware = world()["pause"], world()["aware"]
    notices = {
        Level.VERY_BUSY: aware["very_busy"],
        Level.BUSY: aware["busy"],
        Level.FREE: aware["free"],
    }
    paused = knows = False
    place, found = np.array(bout.spot), []
    chances, steps = random.random((bout.segments, 2)), random.normal(0.0, kind["moves_m"], (bout.segments, 2))
    for (change, notice), step in zip(chances.tolist(), steps, strict=True):
        paused = change >= 1.0 / pause["segments"] if paused else change < 1.0 / pause["every_segments"]
        level = min(bout.base + paused, Level.FREE)
        often = notices[Level(level)] * (aware["in_pause"] if paused else 1.0)
        knows = notice >= aware["ends"] if knows else notice < often
        place = place + step
        found.append(
            (
                int(Level.AWARE) if knows and level == Level.FREE else int(level),
                knows,
                paused,
                place,
            )
        )
    return found


class _Senses:
    """Detectors whose errors keep on for a while."""

    def __init__(self, random: np.random.Generator, errors: Mapping[str, float]) -> None:
        self.random, self.errors, self.persists = random, errors, world()["persists"]
        self.drift = random.normal(size=4)
        self.slips = random.random(3)

    def sighting(self, at_s: float, bout: _Bout, at: NDArray[np.float64], *, speaks: bool, faces: bool) -> Sighting:
        """Return what is sensed in one segment."""
        random, errors, numbers = self.random, self.errors, world()
        # Standard normal and uniform numbers that stay as they are, or nearly, from segment to segment.
        self.drift = self.persists * self.drift + math.sqrt(1.0 - self.persists**2) * random.normal(size=4)
        self.slips = np.where(random.random(3) < self.persists, self.slips, random.random(3))
        x, y = (at + errors["place_m"] * self.drift[:2]).tolist()
        missed, wrong, elsewhere = self.slips.tolist()
        turned = abs(bout.turn) > numbers["turned_rad"] and not faces
        share = numbers["seen_turned"] if turned else 1.0
        face = missed < share * (1.0 - errors["missed"])
        gaze = (faces != (wrong < errors["gaze_wrong"])) if face else None
        angle, confidence = 0.0, 0.0
        if speaks and random.random() >= errors["unheard"]:
            angle = math.atan2(float(at[1]), float(at[0])) + errors["sound_rad"] * float(self.drift[3])
            confidence = random.beta(*numbers["confidence"]["own"])
        elif elsewhere < errors["elsewhere"]:
            angle, confidence = random.uniform(-math.pi, math.pi), random.beta(*numbers["confidence"]["elsewhere"])
        objects = bout.objects
        if random.random() < numbers["corrupted"]:
            objects = frozenset(label for label, lies in zip(OBJECTS, random.random(7) < CENTRE, strict=True) if lies)
        far = max(math.hypot(x, y), 0.3)
        middle = CENTRE - numbers["focal"] * y / max(x, 0.3)
        size = numbers["focal"] / far
        turn = bout.turn * (0.0 if faces else 1.0) + errors["turn_rad"] * float(random.normal())
        return Sighting(
            at_s=at_s,
            x_m=x,
            y_m=y,
            gaze=gaze,
            turn_rad=turn,
            sound_rad=angle,
            sound_confidence=float(confidence),
            face=(middle, CENTRE - EYES, FACE_M * size, FACE_M * size) if face else None,
            body=(middle, CENTRE, BODY_M[0] * size, BODY_M[1] * size),
            objects=objects,
        )
