"""Interruptibility: probabilities of five levels at which a person may be interrupted, and their age.

They are computed from what a robot sees. A random forest judges each sighting, and a forward filter joins the results
over time. Two parameters, fitted on other runs than the forest, turn the filter's certainty into probabilities that
hold. The estimate for a time uses only sightings up to that time.

The shipped model is *simulated*: `python -m train.interruptibility` trained it on simulated people. Running it needs
numpy only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, OutOfRange, UnknownName, WrongSize
from handup.people.levels import Level, LevelEstimate
from handup.people.workload import check_record, refusing_damage

Floats = NDArray[np.float64]
RoundedFloats = NDArray[np.float32]
OBJECTS = ("book", "bottle", "bowl", "cup", "headphones", "laptop", "phone")
"""Labels of objects that tell something about what a person does."""
MOST_AGE_S = 4.0
"""Age of the last sighting beyond which nothing is known."""
HALF_VIEW_RAD = math.radians(35.0)
"""Half of the angle that the camera sees."""
NEAR_RAD = math.radians(10.0)
"""Largest angle between a sound and a person from whom it comes."""
DISTANCES_M = (0.46, 1.22, 3.66)
"""Ends of Hall's personal, social and public distance."""
FLOOR = 0.01
"""Least probability that the forest's evidence gives a level: no sighting alone rules one out."""
EDGE = 1e-6
NO_BOX = (0.0, 0.0, 0.0, 0.0)
KIND, FILE = "interruptibility", "data/interruptibility"


SEEN_LEVELS = (Level.VERY_BUSY, Level.BUSY, Level.FREE, Level.AWARE)


class FeatureSet(StrEnum):
    """Features of a person's state; each set has those of the one before (Table 3.1 of the dissertation)."""

    MIN = "Min"
    STD = "Std"
    EXT = "Ext"


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """A person as detectors see them at one time. Make it from your own camera, laser or microphone.

    Args:
        at_s: Time in seconds.
        x_m: Place of the body in front of the robot.
        y_m: Place of the body to the left of the robot.
        gaze: True if the face is turned to the robot, None if no face is found.
        turn_rad: Direction of the body, 0 towards the robot; None if it is not known.
        sound_rad: Direction of the loudest sound.
        sound_confidence: Confidence of that direction, 0 (no sound) to 1.
        face: Box of the face: x, y, width and height as shares of the image; None if no face is found.
        body: Box of the body.
        objects: Labels of the objects that the person uses or that lie near them.
        in_view: False if it is known that the person cannot be seen.
    """

    at_s: float
    x_m: float = 0.0
    y_m: float = 0.0
    gaze: bool | None = None
    turn_rad: float | None = None
    sound_rad: float = 0.0
    sound_confidence: float = 0.0
    face: tuple[float, float, float, float] | None = None
    body: tuple[float, float, float, float] | None = None
    objects: frozenset[str] = frozenset()
    in_view: bool = True

    def __post_init__(self) -> None:
        numbers = (self.at_s, self.x_m, self.y_m, self.turn_rad or 0.0, self.sound_rad, self.sound_confidence)
        if not all(map(math.isfinite, (*numbers, *(self.face or NO_BOX), *(self.body or NO_BOX)))):
            raise OutOfRange.of("a sighting", self, "have finite numbers", hint="Leave out what was not measured.")
        if not self.objects <= set(OBJECTS):
            got = ", ".join(sorted(self.objects - set(OBJECTS)))
            raise UnknownName.of("objects", got, f"be among {', '.join(OBJECTS)}", hint="Leave the others out.")

    @property
    def _heading(self) -> tuple[float, float]:
        """Z and w of the quaternion of the body's direction; zeros if it is not known."""
        return (0.0, 0.0) if self.turn_rad is None else (math.sin(self.turn_rad / 2.0), math.cos(self.turn_rad / 2.0))

    def features(self, kind: FeatureSet, *, objects: bool, before: Sighting | None = None) -> tuple[float, ...]:
        """Return the features as numbers, in the order of `feature_names`; rates of change need the sighting before."""
        z, w = self._heading
        found = [self.x_m, self.y_m, self.gaze is not None, self.gaze is True]
        if kind is not FeatureSet.MIN:
            found += [z, w, self.sound_rad, self.sound_confidence]
        if kind is FeatureSet.EXT:
            angle, far = math.atan2(self.y_m, self.x_m), math.hypot(self.x_m, self.y_m)
            near = self.sound_confidence > 0.0 and abs(self.sound_rad - angle) <= NEAR_RAD
            found += [near, abs(angle) <= HALF_VIEW_RAD, *(far > limit for limit in DISTANCES_M)]
            dt = 0.0 if before is None else self.at_s - before.at_s
            was = self if before is None or dt <= 0.0 else before
            gaps = (self.x_m - was.x_m, self.y_m - was.y_m, z - was._heading[0], w - was._heading[1])
            found += [gap / (dt or 1.0) for gap in gaps]
            body = self.body or NO_BOX
            found += [*(self.face or NO_BOX), *body, body[2] * body[3]]
        if objects:
            found += [label in self.objects for label in OBJECTS]
        return tuple(map(float, found))


def feature_names(kind: FeatureSet, *, objects: bool) -> tuple[str, ...]:
    """Return the names of the numbers that `Sighting.features` gives."""
    names = ["x", "y", "face", "gaze"]
    if kind is not FeatureSet.MIN:
        names += ["turn z", "turn w", "sound", "sound confidence"]
    if kind is FeatureSet.EXT:
        names += ["sound near", "in field of view", *(f"beyond {limit:g} m" for limit in DISTANCES_M)]
        names += ["velocity x", "velocity y", "turning z", "turning w"]
        names += [f"{box} {side}" for box in ("face", "body") for side in ("x", "y", "width", "height")]
        names += ["body area"]
    return (*names, *(OBJECTS if objects else ()))


@dataclass(frozen=True, kw_only=True, eq=False)
class Forest:
    """Decision trees as arrays, each node before its children, the left child next to it.

    Args:
        roots: First node of each tree.
        feature: Feature that a node looks at; -1 for a leaf.
        threshold: Largest value that goes to the left.
        right: Right child; for a leaf, its row of `counts`.
        counts: Training segments of each level at each leaf.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int8]
    threshold: RoundedFloats
    right: NDArray[np.int32]
    counts: NDArray[np.int32]

    @cached_property
    def _shares(self) -> Floats:
        return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))

    def probabilities(self, features: Floats) -> Floats:
        """Return the probabilities of levels 1 to 4, a line for each line of features."""
        rows = np.asarray(features, dtype=np.float32)  # the trees were grown on these
        node = np.repeat(self.roots[None], len(rows), axis=0)
        while (inner := self.feature[node] >= 0).any():
            value = np.take_along_axis(rows, np.maximum(self.feature[node], 0).astype(np.intp), axis=1)
            further = np.where(value <= self.threshold[node], node + 1, self.right[node])
            node = np.where(inner, further, node)
        return np.asarray(self._shares[self.right[node]].mean(axis=1))


@dataclass(frozen=True, kw_only=True, eq=False)
class InterruptibilityModel:
    """Forest, forward filter over levels, and calibration.

    Args:
        forest: Judges single sightings.
        kind: Features that it was trained on.
        objects: True if these include labels of objects.
        prior: Shares of levels 1 to 4 among the training segments.
        rates: For each level the rate, per second, at which a person goes on to each other one; rows sum to 0.
        segment_s: Time that one sighting stands for. More frequent ones count for less each.
        slope: Factor on the log-odds of being free.
        intercept: Number added to them.
        provenance: Source of the numbers.
    """

    forest: Forest
    kind: FeatureSet
    objects: bool
    prior: Floats
    rates: Floats
    segment_s: float = 1.0
    slope: float = 1.0
    intercept: float = 0.0
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(SEEN_LEVELS)
        if self.prior.shape != (size,) or self.rates.shape != (size, size):
            got = f"{self.prior.shape} and {self.rates.shape}"
            raise WrongSize.of("prior and rates", got, f"cover {size} levels", hint="Train the model again.")

    def later(self, belief: Floats, seconds: float) -> Floats:
        """Return the belief over levels 1 to 4 after a time without sightings: it moves towards the usual shares."""
        steps = 1024  # (1 + rates · t / steps)^steps is e^(rates · t), up to a small error
        move = np.linalg.matrix_power(np.eye(len(belief)) + self.rates * (min(seconds, 1e4) / steps), steps)
        return np.asarray(belief @ move)

    def joined(self, belief: Floats, judged: Floats, seconds: float) -> Floats:
        """Return the belief after one more sighting, which came `seconds` after the last one."""
        # Divided by the shares in the training data, the forest's probabilities are a likelihood.
        ratio = np.maximum(judged, FLOOR) / np.maximum(self.prior, FLOOR)
        weighed = self.later(belief, seconds) * ratio ** min(1.0, seconds / self.segment_s)
        return np.asarray(weighed / weighed.sum())

    def filtered(self, judged: Floats) -> Floats:
        """Return the belief at each of several segments in a row, before the calibration."""
        belief, found = self.prior, []
        for row in judged:
            belief = self.joined(belief, row, self.segment_s)
            found.append(belief)
        return np.array(found).reshape(-1, len(self.prior))

    def calibrated(self, belief: Floats) -> Floats:
        """Return the belief with P(free) calibrated. The shares within free, and within not free, stay as they are."""
        free = np.clip(belief[..., 2:].sum(axis=-1), EDGE, 1.0 - EDGE)
        found = 1.0 / (1.0 + np.exp(-(self.slope * (np.log(free) - np.log1p(-free)) + self.intercept)))
        scale = np.stack([(1.0 - found) / (1.0 - free)] * 2 + [found / free] * 2, axis=-1)
        scaled = np.maximum(belief, EDGE * EDGE) * scale
        return np.asarray(scaled / scaled.sum(axis=-1, keepdims=True))

    def track(self) -> LevelTrack:
        """Return the track of a person who has not been seen yet."""
        return LevelTrack(self, self.prior)


@dataclass(frozen=True, eq=False)
class LevelTrack:
    """A person over time; a sighting gives a new track.

    Args:
        model: The model.
        belief: Belief over levels 1 to 4 at the time of the last sighting, before the calibration.
        last: Last sighting; None if there was none.
        seen_s: Time at which the person was last in view; None if never.
    """

    model: InterruptibilityModel
    belief: Floats
    last: Sighting | None = None
    seen_s: float | None = None

    def seen(self, sighting: Sighting) -> LevelTrack:
        """Return the track after one more sighting.

        Raises:
            BadSetting: It is older than the last one.
        """
        model, seconds = self.model, self._since(sighting.at_s)
        if not sighting.in_view:
            return replace(self, belief=model.later(self.belief, seconds), last=sighting)
        before = self.last if self.last is not None and self.last.in_view else None
        features = sighting.features(model.kind, objects=model.objects, before=before)
        judged = model.forest.probabilities(np.array([features]))[0]
        belief = model.joined(self.belief, judged, seconds if self.last is not None else model.segment_s)
        return replace(self, belief=belief, last=sighting, seen_s=sighting.at_s)

    def at(self, now_s: float) -> LevelEstimate:
        """Return the estimate at a time, which must not lie before the last sighting.

        Raises:
            BadSetting: It does.
        """
        seconds = self._since(now_s)
        age_s = None if self.seen_s is None else now_s - self.seen_s
        if self.last is None or not self.last.in_view or age_s is None or age_s > MOST_AGE_S:
            return LevelEstimate.certain(Level.UNKNOWN, age_s)
        chances = self.model.calibrated(self.model.later(self.belief, seconds)).tolist()
        return LevelEstimate((0.0, chances[0], chances[1], chances[2], chances[3]), age_s)

    def _since(self, at_s: float) -> float:
        seconds = 0.0 if self.last is None else at_s - self.last.at_s
        if not 0.0 <= seconds < math.inf:
            got = f"{at_s:g} s after {self.last.at_s if self.last else 0.0:g} s"
            raise OutOfRange.of("the time", got, "not go back", hint="Tell sightings in the order of their times.")
        return seconds


@cache
def interruptibility_model() -> InterruptibilityModel:
    """Return the shipped model. It was trained on simulated people, and never on real ones."""
    folder = files("handup.people")
    record = json.loads(folder.joinpath(f"{FILE}.json").read_text(encoding="utf-8"))
    check_record(record, KIND)
    with refusing_damage(KIND), folder.joinpath(f"{FILE}.npz").open("rb") as file:
        arrays: Mapping[str, NDArray[Any]] = np.load(file, allow_pickle=False)
        return model_from(record, arrays)


def model_from(record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> InterruptibilityModel:
    """Return the model that a record and the arrays of its forest describe."""
    forest = Forest(**{name.name: np.array(arrays[name.name]) for name in fields(Forest)})
    numbers = {name: record[name] for name in ("objects", "segment_s", "slope", "intercept", "provenance")}
    if forest.feature.max() >= len(feature_names(FeatureSet(record["kind_of_features"]), objects=record["objects"])):
        raise BadRecord("the forest must use the features of its record, got others", hint="Install handup anew.")
    return InterruptibilityModel(
        forest=forest,
        kind=FeatureSet(record["kind_of_features"]),
        prior=np.array(record["prior"]),
        rates=np.array(record["rates"]),
        **numbers,
    )
