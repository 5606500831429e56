"""The robot's eyes on a plate: f_seg, where food is, and f_ori, in which direction strands run; and what it aims at.

Both are small networks, trained on drawn plates by `python -m train.plate`; `docs/plate/seeing.md` says how often they
err. Needs the extra `sim`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, WrongSize
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.low_level import PIXELS, aim_at
from handup.domains.plate.plate_camera import PlateCamera
from handup.domains.plate.policies import PlateLook
from handup.domains.plate.primitives import Mask, PlateFood
from handup.models.onnx import session_of
from handup.models.pictures import check_picture

SCHEMA, KIND = 1, "plate-vision"
CARD = "vision.json"
SEEN = 128
"""Side of the square that f_seg sees of a plate, in px."""
STRIDE = 16
"""Sides of pictures for f_seg are multiples of this."""
CROP, CROP_M = 48, 0.048
"""Side of the square that f_ori sees, in px and on the table in m."""
MODELS = Path(str(files("handup.domains.plate"))) / "models"
TRAIN = "Train it with python -m train.plate; to have the shipped one, install handup again."
Shares = NDArray[np.float32]


class FoodSegmenter:
    """f_seg: the share of each pixel of a picture that food covers. Build it with `load`.

    Args:
        session: Session that runs the network.
        least: Share of a pixel from which on `mask` counts the place as food.
    """

    def __init__(self, session: Any, least: float) -> None:
        self._session, self._least = session, least

    @classmethod
    def load(cls, folder: Path | None = None, *, threads: int = 1) -> FoodSegmenter:
        """Load the network in a folder; the shipped one if None is given.

        Raises:
            MissingExtra: onnxruntime is not installed.
            BadRecord: Something is missing there, damaged, or of another version.
        """
        session, card = _loaded("seg", folder, threads)
        return cls(session, float(card["least"]))

    def shares(self, pictures: NDArray[np.uint8]) -> Shares:
        """Return the covered share of each pixel, n × height × width.

        Args:
            pictures: Pictures, n × height × width × 3, with sides that are multiples of 16.

        Raises:
            WrongSize: They have other sides.
        """
        for picture in pictures[:1]:
            check_picture(picture)
        if pictures.ndim != 4 or pictures.shape[1] % STRIDE or pictures.shape[2] % STRIDE:
            must = f"be n × height × width × 3 with sides that are multiples of {STRIDE}"
            raise WrongSize.of("the shape of pictures for f_seg", pictures.shape, must, hint="Scale them first.")
        inputs = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), np.float32) / np.float32(255.0)
        shares: Shares = self._session.run(None, {"picture": inputs})[0][:, 0]
        return shares

    def mask(self, picture: NDArray[np.uint8]) -> Mask:
        """Return where there is food on a square of 128 × 128 px, as policies and aims take it: 64 × 64."""
        shares = self.shares(picture[None])[0]
        side = len(shares) // PIXELS
        covered = shares.reshape(PIXELS, side, PIXELS, side).max(axis=(1, 3)) > self._least
        mask: Mask = covered
        return mask


class GrainReader:
    """f_ori: the direction in which strands run in the middle of a picture. Build it with `load`.

    Args:
        session: Session that runs the network.
    """

    def __init__(self, session: Any) -> None:
        self._session = session

    @classmethod
    def load(cls, folder: Path | None = None, *, threads: int = 1) -> GrainReader:
        """Load the network in a folder; the shipped one if None is given.

        Raises:
            MissingExtra: onnxruntime is not installed.
            BadRecord: Something is missing there, damaged, or of another version.
        """
        return cls(_loaded("ori", folder, threads)[0])

    def grain(self, crop: NDArray[np.uint8]) -> float:
        """Return the direction of the strands on a square of 48 × 48 px that shows 48 mm, from 0 to π.

        Raises:
            WrongSize: The square has another size.
        """
        if check_picture(crop).shape[:2] != (CROP, CROP):
            raise WrongSize.of("the shape of a crop", crop.shape, f"be {CROP} × {CROP} × 3", hint="Cut it anew.")
        inputs = np.ascontiguousarray(crop.transpose(2, 0, 1)[None], np.float32) / np.float32(255.0)
        # A direction and its opposite are the same, so the network gives cosine and sine of twice the angle.
        cosine, sine = self._session.run(None, {"crop": inputs})[0][0].tolist()
        return (math.atan2(sine, cosine) / 2.0) % math.pi


class PlateEye:
    """Eye of a robot that clears a plate: a picture, f_seg's mask of it, and the aims that follow.

    Give it to `handup.domains.plate.policies.clear`, and a policy runs from pictures in place of the true mask.

    Args:
        camera: Camera over the plate.
        segmenter: f_seg; the shipped one where it is left out.
        grains: f_ori; the shipped one where it is left out.
    """

    def __init__(
        self, camera: PlateCamera, *, segmenter: FoodSegmenter | None = None, grains: GrainReader | None = None
    ) -> None:
        self._camera = camera
        self._segmenter, self._grains = segmenter or FoodSegmenter.load(), grains or GrainReader.load()

    def __call__(self, world: ClearingWorld) -> PlateLook:
        """Take a picture of the plate, and return what is seen on it."""
        picture = self._camera.picture(world.engine, shot=world.actions)
        mask = self._segmenter.mask(self._camera.square(picture, SEEN))
        aim = aim_at(mask)
        if aim is not None and world.food is PlateFood.NOODLES:
            crop = self._camera.square(picture, CROP, side_m=CROP_M, at_m=np.array(aim.dense_m))
            aim = replace(aim, grain_rad=self._grains.grain(crop))
        return PlateLook(mask=mask, aim=aim)


def _loaded(name: str, folder: Path | None, threads: int) -> tuple[Any, Mapping[str, Any]]:
    """Return the session of a network, and its card, which must be about this very file."""
    place = folder or MODELS
    try:
        card = json.loads((place / CARD).read_text(encoding="utf-8"))[name]
        model = (place / f"{name}.onnx").read_bytes()
    except (OSError, ValueError, KeyError) as error:
        raise BadRecord(f"there must be {name}.onnx and its card {CARD} in {place}", hint=TRAIN) from error
    if (card.get("kind"), card.get("schema"), card.get("digest")) != (KIND, SCHEMA, hashlib.sha256(model).hexdigest()):
        raise BadRecord(f"{name}.onnx is not the one that its card is about", hint=TRAIN)
    return session_of(model, f"{name}.onnx", hint=TRAIN, threads=threads), card
