"""The shipped networks, M1 to M4 and the memory's encoders: small, trained on rendered plates, wrong for real reasons.

`docs/feeding/models.md` and `docs/feeding/memory.md` say what they were trained on and how often they err. `Faulty` has
an M1 that errs as in the core paper's appendix D. Needs the extra `sim`.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadData, BadRecord, Box, ConflictingSettings, OutOfRange, UnknownName
from handup.domains.feeding.crops import CROP, HEIGHT, WIDTH, Square, boxes_at_peaks, cut, standard, whole
from handup.domains.feeding.module_outputs import Aimed, Chosen, FeedingModules, Found, NamedFood, Picture
from handup.domains.feeding.skills import Params, Skill
from handup.memory import Picture as Given
from handup.models.onnx import session_of

SCHEMA = 1
PASSES = 16
NAMES = ("name", "find", "choose", "aim")
"""Networks of M1 to M4, by the names of their files."""
SHAPES: Mapping[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
    "name": (("picture",), (2,)),
    "find": (("picture",), (4, 4)),
    "choose": (("crop", "given"), (2,)),
    "aim": (("crop", "given", "masks"), (2,)),
}
"""Inputs of each network, and the number of dimensions of each of its outputs."""
WRITTEN = "Give a folder that train.feeding wrote; to have the shipped ones, install handup again."
ENCODER_KIND, ENCODER_SCHEMA = "feeding-encoders", 1
PLATE, CROPPED = "plate", "crop"
"""Kinds of encoders, by what they make a vector of."""
TRAIN = "Train them with python -m train.feeding.encode; to have the shipped ones, install handup again."
FAULTY, CLAIMED = 0.9, 0.65
"""Share of pictures on which a faulty food detector is faulty, and the confidence that it claims then."""
Floats = NDArray[np.float64]


class Modules:
    """M1 to M4 as networks. Build it with `load`; it may serve any number of plates.

    Args:
        sessions: For each of `name`, `find`, `choose` and `aim` the session that runs its network: named arrays to
            arrays.
        card: The record beside the networks: the foods in their order, and the share of dropout.
        networks: Id of these networks: a hash of the four files.
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
            names = [entry.name for entry in session.get_inputs()]
            dimensions = [len(entry.shape) for entry in session.get_outputs()]
            if (names, dimensions) != (list(inputs), list(outputs)):
                raise BadRecord(f"{name}.onnx is another network than its name says", hint=WRITTEN)
        self._run = {name: partial(session.run, None) for name, session in sessions.items()}
        self._masks = int(sessions["aim"].get_inputs()[2].shape[1])
        self._dropout = float(card["dropout"])
        self.foods: tuple[str, ...] = tuple(card["foods"])
        self.networks = networks

    @classmethod
    def load(cls, folder: Path | None = None, *, threads: int = 1) -> Modules:
        """Load the networks in a folder; the shipped ones if None is given.

        Raises:
            MissingExtra: onnxruntime is not installed.
            BadRecord: Something is missing there, or of another version.
        """
        with folder_of(folder) as place:
            try:
                card = json.loads((place / "modules.json").read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise BadRecord(f"there are no networks in {place}", hint=WRITTEN) from error
            models = _models(place)
        sessions = {
            name: session_of(model, f"{name}.onnx", hint=WRITTEN, threads=threads) for name, model in models.items()
        }
        return cls(sessions, card, _hash(models))

    def name(self, rgb: Picture) -> NamedFood:
        """Return M1's output: the food on the plate that it is surest of, and a score for every food."""
        (scores,) = self._run["name"]({"picture": whole(standard(rgb))})
        ranked = sorted(zip(self.foods, scores[0].tolist(), strict=True), key=lambda item: -item[1])
        return NamedFood(ranked[0][0], dict(ranked))

    def find(self, rgb: Picture, label: str) -> Found:
        """Return M2's output: boxes for a food, the best first.

        Raises:
            UnknownName: It does not know the food.
        """
        heat, sides = self._run["find"]({"picture": whole(standard(rgb))})
        return boxes_at_peaks(heat[0, self._number(label)], sides[0])

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """Return M3's output: the skill for what is in a box, said to be this food.

        Raises:
            UnknownName: It does not know the food.
        """
        square = Square.around(box)
        features = np.zeros((1, len(self.foods) + 1), np.float32)
        features[0, self._number(label)], features[0, -1] = 1.0, square.side / 100.0
        (scores,) = self._run["choose"]({"crop": cut(standard(rgb), square), "given": features})
        ranked = sorted(zip(Skill, scores[0].tolist(), strict=True), key=lambda item: -item[1])
        return Chosen(ranked[0][0], dict(ranked))

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """Return M4's output: the four numbers of a skill for what is in a box, from sixteen passes with dropout.

        Args:
            rgb: The picture.
            box: Box on the picture.
            skill: Skill to aim for.
            seed: Source of what is dropped. Same seed, same numbers.
        """
        square = Square.around(box)
        features = np.array([[*(float(option is skill) for option in Skill), square.side / 100.0]], np.float32)
        kept = np.random.default_rng(seed).random((PASSES, self._masks), np.float32) >= self._dropout
        masks = kept.astype(np.float32) / np.float32(1.0 - self._dropout)
        (output,) = self._run["aim"]({"crop": cut(standard(rgb), square), "given": features, "masks": masks})
        points = square.fractions(two_points(output.astype(np.float64), directed=skill is Skill.SCOOP))
        middles = points.mean(axis=1) * np.array([1.0, HEIGHT / WIDTH])
        return Aimed(
            params=Params.within(points.mean(axis=0).ravel().tolist()),
            variance=float(middles.var(axis=0).sum()),
            passes=tuple(Params.within(numbers) for numbers in points.reshape(PASSES, 4).tolist()),
        )

    def _number(self, label: str) -> int:
        if label not in self.foods:
            raise UnknownName(f"the networks know no '{label}'", hint=f"Choose among: {', '.join(self.foods)}.")
        return self.foods.index(label)


@contextmanager
def folder_of(folder: Path | None = None) -> Iterator[Path]:
    """Open a folder, or that of the shipped networks."""
    if folder is not None:
        yield folder
    else:
        with as_file(files("handup.domains.feeding") / "models") as shipped:
            yield shipped


def networks_in(folder: Path | None = None) -> str:
    """Return the id of the networks in a folder: a hash of the four files, to be kept with every number of theirs.

    Raises:
        BadRecord: One is missing.
    """
    with folder_of(folder) as place:
        return _hash(_models(place))


def _models(place: Path) -> dict[str, bytes]:
    try:
        return {name: (place / f"{name}.onnx").read_bytes() for name in NAMES}
    except OSError as error:
        raise BadRecord(f"there are no networks in {place}", hint=WRITTEN) from error


def _hash(models: Mapping[str, bytes]) -> str:
    parts = "".join(hashlib.sha256(models[name]).hexdigest() for name in NAMES)
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def two_points(said: Floats, *, directed: bool) -> Floats:
    """Return the two points of each pass, in halves of the square: passes × 2 × (x, y).

    M4 gives the middle, the logarithm of half the length, and the direction as cosine and sine: of the angle itself
    where start and end differ (scoop), of twice the angle where they do not. The points then start on the side on
    which those of the mean direction do, so that passes can be averaged.
    """
    middle, half = said[:, :2], np.exp(np.clip(said[:, 2], -4.0, 1.0))[:, None]
    angle = np.arctan2(said[:, 4], said[:, 3])
    if not directed:
        # Twice the angle was averaged, since a line and its opposite are the same.
        mean = float(np.arctan2(said[:, 4].mean(), said[:, 3].mean())) / 2.0
        # A line without direction is turned by half a turn if it is more than a right angle from the mean one.
        angle = mean + np.arctan(np.tan(angle / 2.0 - mean))
    way = half * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.stack([middle - way, middle + way], axis=1)


class PictureEncoder:
    """Encoder that makes a vector of a plate, or of what `square_of` cuts out; an `Embedder`. Build it with `load`.

    Args:
        kind: `plate` or `crop`.
        session: Session that runs its network.
        dimension: Length of a vector.
        digest: The SHA-256 of the network's file.
    """

    def __init__(self, kind: str, session: Any, dimension: int, digest: str) -> None:
        self.name, self.dimension, self.digest = f"handup-{kind}-{ENCODER_SCHEMA}", dimension, digest
        self._kind, self._run = kind, partial(session.run, None)

    @classmethod
    def load(cls, kind: str, folder: Path | None = None, *, threads: int = 1) -> PictureEncoder:
        """Load the encoder in a folder; the shipped one if None is given.

        Args:
            kind: `plate` or `crop`.
            folder: Folder that `train.feeding.encode` wrote.
            threads: Most threads that it may use.

        Raises:
            MissingExtra: onnxruntime is not installed.
            BadRecord: Something is missing there, damaged, or of another version.
        """
        with folder_of(folder) as place:
            try:
                card = json.loads((place / "encode.json").read_text(encoding="utf-8"))
                model = (place / f"encode_{kind}.onnx").read_bytes()
            except (OSError, ValueError) as error:
                raise BadRecord(f"there is no encoder in {place}", hint=TRAIN) from error
        digest = hashlib.sha256(model).hexdigest()
        written = (card.get("kind"), card.get("schema"), card.get("digest", {}).get(kind))
        if written != (ENCODER_KIND, ENCODER_SCHEMA, digest):
            raise BadRecord(f"encode_{kind}.onnx is not the one that its card is about", hint=TRAIN)
        session = session_of(model, f"encode_{kind}.onnx", hint=TRAIN, threads=threads)
        return cls(kind, session, int(card["dimension"][kind]), digest)

    def embed(self, picture: Given, text: str = "") -> NDArray[np.float32]:
        """Return the vector of a plate as the camera sees it, or of a square of 64 × 64 px; a text changes nothing.

        Raises:
            BadData: It is no such picture.
        """
        if isinstance(picture, bytes) or picture.ndim != 3 or picture.shape[2] != 3:
            raise BadData("this is no picture of height × width × 3", hint="Give pixels, as World.view does.")
        if self._kind == PLATE:
            (vectors,) = self._run({"picture": whole(standard(picture))})
        elif picture.shape[:2] == (CROP, CROP):
            (vectors,) = self._run({"picture": np.float32(picture.transpose(2, 0, 1)[None]) / np.float32(255.0)})
        else:
            raise BadData(f"a square of {picture.shape[1]} × {picture.shape[0]} px", hint="Give what square_of cuts.")
        vector: NDArray[np.float32] = vectors[0]
        return vector


def square_of(rgb: Picture, box: Box) -> Picture:
    """Return what M3 sees of a box, as pixels: 64 × 64 × 3."""
    square = cut(standard(rgb), Square.around(box))[0].transpose(1, 2, 0)
    pixels: Picture = np.rint(255.0 * square).astype(np.uint8)
    return pixels


@dataclass(frozen=True, kw_only=True)
class Faulty:
    """Modules whose M1 is mostly wrong and sure of it: it names a random food that is not on the plate.

    Use it with the `scaled` calibrators (`calibration.load("scaled")`): they divide by the highest score of the
    calibration set, as appendix D does for M1, M2 and M3. A faulty label comes with the score whose confidence is 0.65;
    otherwise M1 speaks as before. The same picture is always seen the same way.

    Args:
        modules: Sound modules.
        on_plate: Foods on the plate.
        highest: M1's highest score in the calibration set.
        seed: Source of when and how it errs.
        share: Probability that it errs on a picture.

    Raises:
        OutOfRange: The share does not lie between 0 and 1.
        ConflictingSettings: Every food is on the plate.
    """

    modules: FeedingModules
    on_plate: frozenset[str]
    highest: float
    seed: int = 0
    share: float = FAULTY

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise OutOfRange.of("share", f"{self.share:g}", "lie between 0 and 1", hint="Give a probability.")
        if not set(self.foods) - self.on_plate:
            raise ConflictingSettings(
                "some food must not be on the plate", hint="Leave one off, so that a label can be wrong."
            )

    @property
    def foods(self) -> tuple[str, ...]:
        """Foods that M1 can name."""
        return self.modules.foods

    def name(self, rgb: Picture) -> NamedFood:
        """Return M1's output, which is mostly wrong."""
        random = np.random.default_rng((self.seed, 17, zlib.crc32(rgb.tobytes())))
        if random.random() >= self.share:
            return self.modules.name(rgb)
        absent = sorted(set(self.foods) - self.on_plate)
        label = absent[int(random.integers(len(absent)))]
        return NamedFood(label, {label: CLAIMED * self.highest})

    def find(self, rgb: Picture, label: str) -> Found:
        """Return M2's output, as it is."""
        return self.modules.find(rgb, label)

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """Return M3's output, as it is."""
        return self.modules.choose(rgb, label, box)

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """Return M4's output, as it is."""
        return self.modules.aim(rgb, box, skill, seed=seed)
