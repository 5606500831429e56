"""The encoders of the feeding robot's memory: a plate, or a square around an item, as a vector.

`docs/feeding/memory.md` says what they were trained on and what they recall. Needs the extra `sim`.
"""

from __future__ import annotations

import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadData, BadRecord, Box
from handup.domains.feeding.crops import CROP, Square, cut, standard, whole
from handup.domains.feeding.modules import folder_of
from handup.domains.feeding.seeing import Picture
from handup.memory import Picture as Given
from handup.models.onnx import session_of

SCHEMA, KIND = 1, "feeding-encoders"
PLATE, CROPPED = "plate", "crop"
TRAIN = "Train them with python -m train.feeding.encode; to have the shipped ones, install handup again."


class PictureEncoder:
    """Makes a vector of a plate, or of what `square_of` cuts out; an `Embedder`. Build it with `load`.

    Args:
        kind: `plate` or `crop`.
        session: What runs its network.
        dimension: How many numbers a vector has.
        digest: The SHA-256 of the network's file.
    """

    def __init__(self, kind: str, session: Any, dimension: int, digest: str) -> None:
        self.name, self.dimension, self.digest = f"handup-{kind}-{SCHEMA}", dimension, digest
        self._kind, self._run = kind, partial(session.run, None)

    @classmethod
    def load(cls, kind: str, folder: Path | None = None, *, threads: int = 1) -> PictureEncoder:
        """The encoder in a folder; the shipped one unless another is given.

        Args:
            kind: `plate` or `crop`.
            folder: Where `train.feeding.encode` wrote.
            threads: So many it may use.

        Raises:
            MissingExtra: onnxruntime is not installed.
            BadRecord: Something is missing there, damaged, or of another version.
        """
        with folder_of(folder) as place:
            try:
                card = json.loads((place / "encode.json").read_text(encoding="utf-8"))
                model = (place / f"encode_{kind}.onnx").read_bytes()
            except (OSError, ValueError) as error:
                raise BadRecord(f"no encoder in {place}", hint=TRAIN) from error
        digest = hashlib.sha256(model).hexdigest()
        if (card.get("kind"), card.get("schema")) != (KIND, SCHEMA) or card.get("digest", {}).get(kind) != digest:
            raise BadRecord(f"encode_{kind}.onnx is not the one that its card is about", hint=TRAIN)
        session = session_of(model, f"encode_{kind}.onnx", hint=TRAIN, threads=threads)
        return cls(kind, session, int(card["dimension"][kind]), digest)

    def embed(self, picture: Given, text: str = "") -> NDArray[np.float32]:
        """The vector of a plate as the camera sees it, or of a square of 64 × 64 px; a text changes nothing.

        Raises:
            BadData: It is no such picture.
        """
        if isinstance(picture, bytes) or picture.ndim != 3 or picture.shape[2] != 3:
            raise BadData("this is no picture of height × width × 3", hint="Give pixels, as World.view does.")
        if self._kind == PLATE:
            (made,) = self._run({"picture": whole(standard(picture))})
        elif picture.shape[:2] == (CROP, CROP):
            (made,) = self._run({"picture": np.float32(picture.transpose(2, 0, 1)[None]) / np.float32(255.0)})
        else:
            raise BadData(f"a square of {picture.shape[1]} × {picture.shape[0]} px", hint="Give what square_of cuts.")
        found: NDArray[np.float32] = made[0]
        return found


def square_of(rgb: Picture, box: Box) -> Picture:
    """What M3 sees of a box, as pixels: 64 × 64 × 3."""
    made = cut(standard(rgb), Square.around(box))[0].transpose(1, 2, 0)
    pixels: Picture = np.rint(255.0 * made).astype(np.uint8)
    return pixels
