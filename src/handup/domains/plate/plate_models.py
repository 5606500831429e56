"""Learned models of a plate, and planners that choose between acquiring and pushing by them. Need the extra `models`.

A `PlateModel` imagines what actions bring; `plan` weighs all sequences of the remaining actions with it, as a tree, so
that sequences with the same beginning share its imagination. `DifferencePlanner` imagines nothing: it estimates what
acquiring is worth and by how much a push is better, from features of the present mask. Both return `PlateValues`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, OutOfRange
from handup.domains.plate.policies import PlateSight
from handup.domains.plate.primitives import ALPHA, PlateFood, PlatePrimitive
from handup.domains.plate.push_features import features_at
from handup.models.onnx import session_of

SCHEMA, KIND = 1, "plate-model"
PRIMITIVES = tuple(PlatePrimitive)
SCALE = 10.0
"""Models were trained on tenths of a plate."""
TRAIN = "Train it with python -m train.plate."
States = NDArray[np.float32]
"""Latent states, n × numbers of a state."""


@dataclass(frozen=True, kw_only=True)
class PlateValues:
    """Value of both primitives, in shares of the full plate that are picked up from now on.

    Args:
        acquire: Value of acquiring next.
        group: Value of pushing next; that of acquiring where no action is left to pick up what was pushed.
        sure: Calibrated probability that the better of both by these values is the better one, from .5 to 1.
    """

    acquire: float
    group: float
    sure: float

    def __post_init__(self) -> None:
        if not 0.5 <= self.sure <= 1.0:
            raise OutOfRange.of("sure", f"{self.sure:g}", "lie between 0.5 and 1", hint="Name the better primitive.")

    @property
    def better(self) -> PlatePrimitive:
        """The primitive of greater value, acquiring if they are equal."""
        return PlatePrimitive.GROUP if self.group > self.acquire else PlatePrimitive.ACQUIRE


class PlateModel(Protocol):
    """Imagines a plate. An action has two gains: what is picked up, and loss of coverage, in shares of a full plate."""

    def encode(self, sight: PlateSight) -> States:
        """Return the state after everything that was seen, 1 × numbers."""
        ...

    def imagine(self, states: States, primitives: NDArray[np.int64]) -> tuple[States, NDArray[np.float32]]:
        """Return the states after one primitive in each of n states, and its gains, n × 2."""
        ...


@dataclass(frozen=True, kw_only=True)
class PlatePlan:
    """All sequences of the remaining actions, the last one an acquisition, as a model values them.

    Args:
        rewards: Reward of each sequence; the number of a sequence is its binary number, with 1 for a push.
        taken: Share that it picks up.
    """

    rewards: NDArray[np.float64]
    taken: NDArray[np.float64]

    def best(self, first: PlatePrimitive) -> int:
        """Return the number of the sequence of greatest reward that begins with a primitive."""
        half = len(self.rewards) // 2
        return int(self.rewards[:half].argmax()) if first is PRIMITIVES[0] else half + int(self.rewards[half:].argmax())


def plan(model: PlateModel, sight: PlateSight, *, alpha: float = ALPHA) -> PlatePlan:
    """Imagine all sequences of the remaining actions.

    Args:
        model: Imagines.
        sight: Everything that was seen, with at least one action left.
        alpha: Weight of what is picked up against the loss of coverage.
    """
    states = model.encode(sight)
    sums = np.zeros((1, 2))
    for action in range(sight.left):
        last = action == sight.left - 1
        choices = 1 if last else 2
        states, gains = model.imagine(states.repeat(choices, axis=0), np.tile(np.arange(choices), len(states)))
        sums = sums.repeat(choices, axis=0) + gains
    return PlatePlan(rewards=sums @ [alpha, 1.0 - alpha], taken=sums[:, 0])


# Networks in files


@contextmanager
def plate_models_in(folder: Path | None = None) -> Iterator[Path]:
    """Open a folder of networks, or that of the shipped ones."""
    if folder is not None:
        yield folder
    else:
        with as_file(files("handup.domains.plate") / "models") as shipped:
            yield shipped


def card_of(name: str, food: PlateFood | str, folder: Path | None = None) -> dict[str, Any]:
    """Return the card of a model: how it was trained, and hashes of its networks.

    Raises:
        BadRecord: There is none, or it is of another version.
    """
    with plate_models_in(folder) as place:
        try:
            card: dict[str, Any] = json.loads((place / f"{name}_{PlateFood(food)}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise BadRecord(f"there is no model {name} for {food} in {place}", hint=TRAIN) from error
    if (card.get("kind"), card.get("schema"), card.get("name")) != (KIND, SCHEMA, name):
        raise BadRecord(f"the card of {name} for {food} is of another version", hint=TRAIN)
    return card


def _sessions(card: Mapping[str, Any], folder: Path | None, threads: int) -> dict[str, Any]:
    """Return a function that runs each network of a card, by the last word of its file's name.

    Raises:
        BadRecord: A network is missing, or is not the one that the card is about.
    """
    runs = {}
    with plate_models_in(folder) as place:
        for name, digest in card["digest"].items():
            try:
                model = (place / f"{name}.onnx").read_bytes()
            except OSError as error:
                raise BadRecord(f"{name}.onnx is missing in {place}", hint=TRAIN) from error
            if hashlib.sha256(model).hexdigest() != digest:
                raise BadRecord(f"{name}.onnx is not the one that its card is about", hint=TRAIN)
            session = session_of(model, f"{name}.onnx", hint=TRAIN, threads=threads)
            runs[name.rpartition("_")[2]] = partial(session.run, None)
    return runs


class LatentModel:
    """The RSSM or the small model, as ONNX networks: one sees a mask, one imagines a step.

    Args:
        card: Its card.
        folder: Place of its networks; the shipped ones if left out.
        threads: Most threads that it may use.

    Raises:
        MissingExtra: onnxruntime is not installed.
        BadRecord: A network is missing or damaged.
    """

    def __init__(self, card: Mapping[str, Any], folder: Path | None = None, *, threads: int = 1) -> None:
        runs = _sessions(card, folder, threads)
        self._observe, self._imagine = runs["observe"], runs["imagine"]
        self._numbers, self._remembers = int(card["state"]), bool(card["remembers"])

    @classmethod
    def load(cls, name: str, food: PlateFood | str, folder: Path | None = None, *, threads: int = 1) -> Self:
        """Load `rssm` or `small` for a food."""
        return cls(card_of(name, food, folder), folder, threads=threads)

    def encode(self, sight: PlateSight) -> States:
        """Return the state after all masks, or after the last one in a model without memory."""
        state, first = np.zeros((1, self._numbers), np.float32), np.zeros((1, len(PRIMITIVES)), np.float32)
        actions = [first, *(_rows(np.array([PRIMITIVES.index(done)])) for done in sight.done)]
        begin = 0 if self._remembers else len(sight.done)
        for action, mask in zip(actions[begin:], sight.masks[begin:], strict=True):
            picture = mask[None, None].astype(np.float32)
            (state,) = self._observe({"state": state, "action": action, "mask": picture})
        return state

    def imagine(self, states: States, primitives: NDArray[np.int64]) -> tuple[States, NDArray[np.float32]]:
        """Return the next states and the gains."""
        after, gains = self._imagine({"state": states, "action": _rows(primitives)})
        return after, gains / np.float32(SCALE)


def _rows(primitives: NDArray[np.int64]) -> NDArray[np.float32]:
    return np.eye(len(PRIMITIVES), dtype=np.float32)[primitives]


# Planners


@dataclass(frozen=True, kw_only=True)
class GapCalibration:
    """Probability that a push is better, by how much better it seems (Platt).

    Args:
        slope: Rise of the log odds with the gap, in shares of a full plate.
        shift: Log odds at a gap of 0.
    """

    slope: float
    shift: float

    def sure(self, gap: float) -> float:
        """Return the probability that the primitive with the greater value is better, at least .5."""
        odds = self.slope * gap + self.shift
        push = 1.0 / (1.0 + math.exp(-min(max(odds, -50.0), 50.0)))
        return max(0.5, push if gap > 0.0 else 1.0 - push)


@dataclass(frozen=True)
class LatentPlanner:
    """Does what the best of all sequences begins with.

    Args:
        model: Imagines.
        calibration: Of its gap.
        alpha: Weight of what is picked up against the loss of coverage.
    """

    model: PlateModel
    calibration: GapCalibration
    alpha: float = ALPHA

    @classmethod
    def load(cls, name: str, food: PlateFood | str, folder: Path | None = None) -> Self:
        """Load `rssm` or `small` for a food, with its calibration."""
        card = card_of(name, food, folder)
        return cls(LatentModel(card, folder), GapCalibration(**card["calibration"]), float(card["alpha"]))

    def weigh(self, sight: PlateSight) -> PlateValues:
        """Return what the best sequences that begin with either primitive are worth."""
        weighed = plan(self.model, sight, alpha=self.alpha)
        if sight.left < 2:
            return PlateValues(acquire=float(weighed.taken[0]), group=float(weighed.taken[0]), sure=1.0)
        best, push = (weighed.best(primitive) for primitive in PRIMITIVES)
        # The better one is so by reward; the gap is in cleared share where α is 1.
        acquire, gap = float(weighed.taken[best]), float(weighed.rewards[push] - weighed.rewards[best])
        return PlateValues(acquire=acquire, group=acquire + gap, sure=self.calibration.sure(gap))

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        """Return the better primitive."""
        return self.weigh(sight).better


class DifferencePlanner:
    """Five small networks that estimate, from features of the mask, what acquiring is worth, and what a push adds.

    Args:
        food: The food.
        folder: Place of the networks; the shipped ones if left out.

    Raises:
        MissingExtra: onnxruntime is not installed.
        BadRecord: A network is missing or damaged.
    """

    def __init__(self, food: PlateFood | str, folder: Path | None = None) -> None:
        self.food = PlateFood(food)
        card = card_of("difference", self.food, folder)
        self._run = _sessions(card, folder, threads=1)[str(self.food)]
        self.calibration = GapCalibration(**card["calibration"])

    def weigh(self, sight: PlateSight) -> PlateValues:
        """Return the means of the five."""
        features = features_at(sight.mask, sight.left, self.food)[None].astype(np.float32)
        (values,) = self._run({"features": features})
        acquire, gap = np.asarray(values, np.float64)[0].mean(axis=0).tolist()
        if sight.left < 2:
            return PlateValues(acquire=acquire, group=acquire, sure=1.0)
        return PlateValues(acquire=acquire, group=acquire + gap, sure=self.calibration.sure(gap))

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        """Return the better primitive."""
        return self.weigh(sight).better
