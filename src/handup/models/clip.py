"""CLIP image encoder from disk, whose vectors of similar pictures point the same way, and a choice by examples.

`ClipEmbedder` is an `Embedder` of `handup.memory`, which itself reads no files. Needs the extra `models`.
"""

from __future__ import annotations

import hashlib
import io
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadData, BadRecord, Malformed, MissingSetting
from handup.core.checks import MAX_NAME, check_count, check_name, check_number, shown
from handup.memory import Embedder, Embedding, Picture
from handup.models.model import Output
from handup.models.onnx import Network
from handup.models.pictures import check_picture, pillow

Floats = NDArray[np.float32]
FILES = ("vision_model.onnx", "onnx/vision_model.onnx", "model.onnx", "onnx/model.onnx")
"""Usual paths of an exported image encoder, in the order of the search."""
PREPROCESSING = "preprocessor_config.json"
INPUT = "pixel_values"
OUTPUTS = ("image_embeds", "pooler_output")
"""Outputs to use: the embedding that CLIP compares, or else the one before its last projection."""
VERSION = b"handup clip 1"
"""Version of the processing of a picture and a text in this file; part of the digest."""
MOST_BYTES = 64 * 1024 * 1024
MOST_PX = 64_000_000
"""Largest picture that is read from a file, in px."""
WRITTEN = "Give a folder with an ONNX export of the image encoder and the preprocessor_config.json beside it."


@dataclass(frozen=True, kw_only=True)
class Preprocessing:
    """Processing of a picture before the network, as in Hugging Face's `preprocessor_config.json`.

    Args:
        shortest: Shorter side after resizing, in px; 0 where `exact` counts, or nothing is resized.
        exact: Height and width after resizing, whatever the proportions; (0, 0) where `shortest` counts.
        crop: Height and width of the part cut from the middle; (0, 0) for no cut.
        resample: Pillow's number of the filter, 0 to 5; 3 is bicubic.
        rescale: Factor on the colours from 0 to 255.
        mean: Number subtracted from each colour then.
        std: Number by which each colour is divided then.
    """

    shortest: int = 224
    exact: tuple[int, int] = (0, 0)
    crop: tuple[int, int] = (224, 224)
    resample: int = 3
    rescale: float = 1.0 / 255.0
    mean: tuple[float, ...] = (0.48145466, 0.4578275, 0.40821073)
    std: tuple[float, ...] = (0.26862954, 0.26130258, 0.27577711)

    @classmethod
    def of_json(cls, config: object) -> Preprocessing:
        """Return the processing that such a file describes. Older files give one number for a size, newer ones two.

        Raises:
            BadRecord: It is no such file, or describes a processing that is not supported.
        """
        if not isinstance(config, Mapping):
            raise BadRecord(f"{PREPROCESSING} must be a JSON object, got {shown(config)}", hint=WRITTEN)
        shortest, exact = 0, (0, 0)
        if config.get("do_resize", True):
            shortest, exact = _size(config.get("size", cls.shortest))
        crop = (0, 0)
        if config.get("do_center_crop", True):
            side, crop = _size(config.get("crop_size", {"height": cls.crop[0], "width": cls.crop[1]}))
            crop = crop if side == 0 else (side, side)
        normal = bool(config.get("do_normalize", True))
        resample = check_count("resample", config.get("resample", cls.resample), least=0, error=BadRecord)
        if resample > 5:
            raise BadRecord(f"resample must lie between 0 and 5, got {resample}", hint="Give a filter of Pillow.")
        rescale = check_number("rescale_factor", config.get("rescale_factor", cls.rescale), error=BadRecord)
        return cls(
            shortest=shortest,
            exact=exact,
            crop=crop,
            resample=resample,
            rescale=rescale if config.get("do_rescale", True) else 1.0,
            mean=_colours("image_mean", config.get("image_mean", cls.mean)) if normal else (0.0, 0.0, 0.0),
            std=_colours("image_std", config.get("image_std", cls.std), above=0.0) if normal else (1.0, 1.0, 1.0),
        )

    def resized(self, image: Any) -> Any:
        """Return a Pillow picture, resized and cut. Where it is smaller than the cut, black is added around it."""
        wide, high = image.size
        if self.shortest:
            short, long = sorted((wide, high))
            longest = int(self.shortest * long / short)
            wide, high = (self.shortest, longest) if wide <= high else (longest, self.shortest)
            image = image.resize((wide, high), self.resample)
        elif self.exact != (0, 0):
            high, wide = self.exact
            image = image.resize((wide, high), self.resample)
        if self.crop != (0, 0):
            height, width = self.crop
            left, top = (wide - width) // 2, (high - height) // 2
            image = image.crop((left, top, left + width, top + height))
        return image

    def pixels(self, image: Any) -> Floats:
        """Return a Pillow picture in RGB as the network's input: 1 × 3 × height × width."""
        colours = np.asarray(self.resized(image), np.float64) * self.rescale
        normal = (colours - np.array(self.mean)) / np.array(self.std)
        return np.ascontiguousarray(normal.transpose(2, 0, 1)[None], np.float32)


class ClipEmbedder:
    """`Embedder` of `handup.memory` by a CLIP image encoder on disk. Nothing is downloaded.

    A picture may come with a text, such as the label of a crop. The text does not go through CLIP's text encoder: it
    decides how the numbers of the vector are shuffled and signed. So with one text the similarity is that of the
    pictures, to the last bit, and with two different texts it is about 0: a correction about chicken is never recalled
    for tofu, however similar they look. (The core paper embeds crop and label together, where similar labels help.)

    Args:
        folder: Folder of the export: `vision_model.onnx` or `model.onnx`, in it or in `onnx/`, and
            `preprocessor_config.json`.
        name: Name of the encoder; the folder's name where not given.
        threads: Number of threads that the network may use.

    Raises:
        MissingExtra: onnxruntime or Pillow is not installed.
        BadRecord: A file is missing, damaged, or not an image encoder.
    """

    def __init__(self, folder: Path, *, name: str = "", threads: int = 1) -> None:
        pillow("resizing a picture")
        path = next((folder / file for file in FILES if (folder / file).is_file()), None)
        if path is None:
            raise BadRecord(f"there must be a {FILES[0]} in {folder}, got none", hint=WRITTEN)
        try:
            config = json.loads((folder / PREPROCESSING).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise BadRecord(f"there must be a {PREPROCESSING} in {folder} that can be read", hint=WRITTEN) from error
        self.preprocessing = Preprocessing.of_json(config)
        self._network = Network(path, threads=threads)
        self._output = next((name for name in OUTPUTS if name in self._network.outputs), "")
        if self._network.input != INPUT or not self._output:
            must = f"{path.name} must have the input '{INPUT}' and the output '{OUTPUTS[0]}'"
            got = f"'{self._network.input}' and {', '.join(self._network.outputs)}"
            raise BadRecord(f"{must}, got {got}", hint="Export the image encoder alone.")
        probe = np.full((2, 2, 3), 128, np.uint8)
        self.name = check_name("an encoder's name", name or folder.resolve().name, MAX_NAME, error=Malformed)
        self.dimension = len(self._of_picture(probe))
        self.digest = self._network.digest(repr(sorted(asdict(self.preprocessing).items())).encode(), VERSION)

    def embed(self, picture: Picture, text: str = "") -> Floats:
        """Return the vector of a picture, with a text where there is one; the same each time.

        Raises:
            BadData: It is neither a picture of height × width × 3 nor the bytes of one.
        """
        return _mixed(self._of_picture(picture), text)

    def _of_picture(self, picture: Picture) -> Floats:
        [vectors] = self._network.run(self.preprocessing.pixels(_image(picture)), [self._output])
        if vectors.ndim != 2 or vectors.shape[0] != 1:
            cause = f"'{self._output}' must be one vector per picture, got the shape {list(vectors.shape)}"
            raise BadRecord(cause, hint="Export the image encoder again.")
        return np.asarray(vectors[0], np.float32)


class NearestExample:
    """Classifier by similarity to examples: the score of an option is the similarity to its nearest example.

    Args:
        embedder: Encoder that compares pictures, such as a `ClipEmbedder`.
        examples: Pictures of each option, at least one.

    Attributes:
        digest: Hash of the encoder and of the examples.

    Raises:
        MissingSetting: An option has no example.
    """

    def __init__(self, embedder: Embedder, examples: Mapping[str, Sequence[Picture]]) -> None:
        self._embedder = embedder
        self._examples = {
            option: [Embedding.of(embedder, picture) for picture in pictures] for option, pictures in examples.items()
        }
        whole = hashlib.sha256(embedder.digest.encode())
        for option, embeddings in self._examples.items():
            if not embeddings:
                raise MissingSetting(f"option '{option}' must have an example, got none", hint="Give a picture of it.")
            whole.update(repr((option, [embedding.vector.tobytes() for embedding in embeddings])).encode())
        self.digest = whole.hexdigest()[:16]

    def choose(self, picture: Picture) -> Output:
        """Score each option for a picture: 0 without any similarity to its examples, 1 for one of the examples.

        Raises:
            BadData: The embedder does not take the picture.
        """
        seen = Embedding.of(self._embedder, picture)
        scores = {
            option: max(0.0, *(seen.similarity(embedding) for embedding in embeddings))
            for option, embeddings in self._examples.items()
        }
        ranked = sorted(scores, key=lambda option: -scores[option])
        return Output(tuple(ranked), tuple(scores[option] for option in ranked))


def _mixed(vector: Floats, text: str) -> Floats:
    """Return the vector, shuffled and signed by a text; lengths and angles among vectors of one text stay."""
    if not text:
        return vector
    # By a hash and not by a random generator, whose numbers may change with its version.
    drawn = np.frombuffer(hashlib.shake_256(text.encode()).digest(8 * len(vector)), "<u8")
    signs = np.where(drawn & 1, np.float32(-1.0), np.float32(1.0))
    return np.asarray(signs * vector[np.argsort(drawn, kind="stable")])


def _image(picture: Picture) -> Any:
    image_of, _ = pillow("resizing a picture")
    if isinstance(picture, bytes):
        if len(picture) > MOST_BYTES:
            raise BadData(f"a picture must have at most {MOST_BYTES} bytes, got {len(picture)}", hint="Scale it down.")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Pillow warns of large pictures; the limit is ours
                opened = image_of.open(io.BytesIO(picture))
                if opened.width * opened.height > MOST_PX:
                    size = f"{opened.width} × {opened.height}"
                    raise BadData(f"a picture must have at most {MOST_PX} px, got {size}", hint="Scale it down.")
                return opened.convert("RGB")
        except (OSError, ValueError, SyntaxError, image_of.DecompressionBombError) as error:
            raise BadData("a picture must be a whole file of a picture", hint="Give a PNG, JPEG or WebP.") from error
    return image_of.fromarray(np.ascontiguousarray(check_picture(picture, error=BadData)))


def _size(config: object) -> tuple[int, tuple[int, int]]:
    """Return the shorter side, or else height and width; the other is 0."""
    if isinstance(config, Mapping) and {"height", "width"} <= set(config):
        height, width = (check_count(side, config[side], least=1, error=BadRecord) for side in ("height", "width"))
        return 0, (height, width)
    shortest = config.get("shortest_edge") if isinstance(config, Mapping) else config
    return check_count("a size", shortest, least=1, error=BadRecord), (0, 0)


def _colours(what: str, config: object, above: float = -np.inf) -> tuple[float, ...]:
    numbers = config if isinstance(config, (list, tuple)) else ()
    if len(numbers) != 3:
        raise BadRecord(f"{what} must be a list of three numbers, got {shown(config)}", hint=WRITTEN)
    colours = tuple(check_number(what, number, error=BadRecord) for number in numbers)
    if min(colours) <= above:
        raise BadRecord(f"{what} must be above {above:g}, got {list(colours)}", hint="Give one number per colour.")
    return colours
