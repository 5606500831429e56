"""The four shipped networks, M1 to M4: small, trained on our own rendered plates, and wrong for real reasons.

`docs/feeding/models.md` says what they were trained on and how often they err. Needs the extra `sim`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, BadSetting, Box
from handup.domains.feeding.crops import HEIGHT, WIDTH, Square, cut, standard, whole
from handup.domains.feeding.peaks import boxes_at_peaks
from handup.domains.feeding.seeing import Aimed, Chosen, Found, Named, Picture
from handup.domains.feeding.skills import Params, Skill
from handup.models.onnx import session_of

SCHEMA = 1
PASSES = 16
NAMES = ("name", "find", "choose", "aim")
"""The networks of M1 to M4, by the names of their files."""
SHAPES: Mapping[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
    "name": (("picture",), (2,)),
    "find": (("picture",), (4, 4)),
    "choose": (("crop", "given"), (2,)),
    "aim": (("crop", "given", "masks"), (2,)),
}
"""For each network what it is given, and how many dimensions each of its outputs has."""
WRITTEN = "Give a folder that train.feeding wrote; to have the shipped ones, install handup again."
Floats = NDArray[np.float64]


class Modules:
    """M1 to M4 as networks. Build it with `load`; it may serve any number of plates.

    Args:
        sessions: For each of `name`, `find`, `choose` and `aim` what runs its network: named arrays to arrays.
        card: The record beside the networks: the foods in their order, and the share of dropout.
        networks: Which networks these are: a hash of the four files.
    """

    def __init__(self, sessions: Mapping[str, Any], card: Mapping[str, Any], networks: str = "") -> None:
        if (
            card.get("kind") != "feeding-modules"
            or card.get("schema") != SCHEMA
            or not {"dropout", "foods"} <= set(card)
        ):
            raise BadRecord("these are no networks of this version", hint="Train them with python -m train.feeding.")
        for name, (inputs, outputs) in SHAPES.items():
            session = sessions[name]
            given, made = session.get_inputs(), session.get_outputs()
            if ([each.name for each in given], [len(each.shape) for each in made]) != (list(inputs), list(outputs)):
                raise BadRecord(f"{name}.onnx is another network than its name says", hint=WRITTEN)
        self._run = {name: partial(each.run, None) for name, each in sessions.items()}
        self._masks = int(sessions["aim"].get_inputs()[2].shape[1])
        self._dropout = float(card["dropout"])
        self.foods: tuple[str, ...] = tuple(card["foods"])
        self.networks = networks

    @classmethod
    def load(cls, folder: Path | None = None, *, threads: int = 1) -> Modules:
        """The networks in a folder; the shipped ones unless another is given.

        Raises:
            MissingExtra: onnxruntime is not installed.
            BadRecord: Something is missing there, or of another version.
        """
        with folder_of(folder) as place:
            try:
                card = json.loads((place / "modules.json").read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise BadRecord(f"no networks in {place}", hint=WRITTEN) from error
            models = _models(place)
        sessions = {
            name: session_of(model, f"{name}.onnx", hint=WRITTEN, threads=threads) for name, model in models.items()
        }
        return cls(sessions, card, _hash(models))

    def name(self, rgb: Picture) -> Named:
        """M1: the food on the plate that it is surest of, and a score for every food."""
        (scores,) = self._run["name"]({"picture": whole(standard(rgb))})
        ranked = sorted(zip(self.foods, scores[0].tolist(), strict=True), key=lambda each: -each[1])
        return Named(ranked[0][0], dict(ranked))

    def find(self, rgb: Picture, label: str) -> Found:
        """M2: boxes for a food, the best first.

        Raises:
            BadSetting: A food that it does not know.
        """
        heat, sides = self._run["find"]({"picture": whole(standard(rgb))})
        return boxes_at_peaks(heat[0, self._number(label)], sides[0])

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """M3: the skill for what is in a box, said to be this food.

        Raises:
            BadSetting: A food that it does not know.
        """
        square = Square.around(box)
        given = np.zeros((1, len(self.foods) + 1), np.float32)
        given[0, self._number(label)], given[0, -1] = 1.0, square.side / 100.0
        (scores,) = self._run["choose"]({"crop": cut(standard(rgb), square), "given": given})
        ranked = sorted(zip(Skill, scores[0].tolist(), strict=True), key=lambda each: -each[1])
        return Chosen(ranked[0][0], dict(ranked))

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """M4: the four numbers of a skill for what is in a box, from sixteen passes with dropout.

        Args:
            rgb: The picture.
            box: Where on it.
            skill: For which skill.
            seed: Decides what is dropped. Same seed, same numbers.
        """
        square = Square.around(box)
        given = np.array([[*(float(each is skill) for each in Skill), square.side / 100.0]], np.float32)
        kept = np.random.default_rng(seed).random((PASSES, self._masks), np.float32) >= self._dropout
        masks = kept.astype(np.float32) / np.float32(1.0 - self._dropout)
        (said,) = self._run["aim"]({"crop": cut(standard(rgb), square), "given": given, "masks": masks})
        points = square.fractions(two_points(said.astype(np.float64), directed=skill is Skill.SCOOP))
        middles = points.mean(axis=1) * np.array([1.0, HEIGHT / WIDTH])
        return Aimed(
            params=Params.within(points.mean(axis=0).ravel().tolist()),
            variance=float(middles.var(axis=0).sum()),
            passes=tuple(Params.within(each) for each in points.reshape(PASSES, 4).tolist()),
        )

    def _number(self, label: str) -> int:
        if label not in self.foods:
            raise BadSetting(f"the networks know no '{label}'", hint=f"Choose among: {', '.join(self.foods)}.")
        return self.foods.index(label)


@contextmanager
def folder_of(folder: Path | None = None) -> Iterator[Path]:
    """The folder, or that of the shipped networks."""
    if folder is not None:
        yield folder
    else:
        with as_file(files("handup.domains.feeding") / "models") as shipped:
            yield shipped


def networks_in(folder: Path | None = None) -> str:
    """Which networks lie in a folder, or are shipped: a hash of the four files, to be kept with every number of theirs.

    Raises:
        BadRecord: One is missing.
    """
    with folder_of(folder) as place:
        return _hash(_models(place))


def _models(place: Path) -> dict[str, bytes]:
    try:
        return {name: (place / f"{name}.onnx").read_bytes() for name in NAMES}
    except OSError as error:
        raise BadRecord(f"no networks in {place}", hint=WRITTEN) from error


def _hash(models: Mapping[str, bytes]) -> str:
    parts = "".join(hashlib.sha256(models[name]).hexdigest() for name in NAMES)
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def two_points(said: Floats, *, directed: bool) -> Floats:
    """The two points of each pass, in halves of the square: passes × 2 × (x, y).

    M4 says the middle, the logarithm of half the length, and the direction as cosine and sine: of the angle itself
    where start and end differ (scoop), of twice the angle where they do not. The points then start on the side on
    which those of the mean direction do, so that passes can be averaged.
    """
    middle, half = said[:, :2], np.exp(np.clip(said[:, 2], -4.0, 1.0))[:, None]
    angle = np.arctan2(said[:, 4], said[:, 3])
    if not directed:
        mean = float(np.arctan2(said[:, 4].mean(), said[:, 3].mean())) / 2.0
        angle = mean + np.arctan(np.tan(angle / 2.0 - mean))
    way = half * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.stack([middle - way, middle + way], axis=1)
