"""Labelled pictures of plates that are being cleared, for `train.plate.vision`. Needs MuJoCo; goes on where it stopped.

Each plate is cleared at random, and looks otherwise at each picture. Labels cost nobody's time: where food is, the
picture differs from that of the empty plate; the simulation also knows the truth, to see what such labels are worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from handup.domains.feeding.looks import Looks
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.engines import engine_of
from handup.domains.plate.low_level import PIXELS, aim_at
from handup.domains.plate.noodles import NoodlePhysics, Noodles
from handup.domains.plate.plate_camera import EASY, HARD, PlateCamera, difference, true_grain
from handup.domains.plate.primitives import PlateFood, PlatePrimitive
from handup.domains.plate.vision import CROP, CROP_M, SEEN
from train.feeding.packing import UNFINISHED
from train.plate.vision import Arrays, joined

VIEW, VIEW_M = 160, 0.284
"""Side of a training picture in px, and of what it shows in m: all that the camera sees, so that it can be moved."""
WIDE, WIDE_M = 72, 0.072
"""Side of a training crop in px and in m, so that it can be turned."""
PUSHES = 0.35
"""Share of random actions that are pushes."""
OTHERS = 0.35
"""Share of training plates with other noodles: more or fewer, thicker or thinner ones than the world's."""
CROPS = 3
"""Crops of a training picture: the densest place, and places of food at random."""
PER_PART = 10


@dataclass(frozen=True, kw_only=True)
class PictureSplit:
    """Plates of one use.

    Args:
        first: Seed of its first plate; beans begin 1,000 later.
        plates: Plates of each food.
        looks: Distribution over looks.
        every: Actions between two pictures of a plate.
    """

    first: int
    plates: dict[PlateFood, int]
    looks: Looks
    every: int


SPLITS = {
    "train": PictureSplit(first=960_000, plates={PlateFood.NOODLES: 70, PlateFood.BEANS: 30}, looks=EASY, every=1),
    "validation": PictureSplit(first=970_000, plates={PlateFood.NOODLES: 6, PlateFood.BEANS: 6}, looks=EASY, every=3),
    "easy": PictureSplit(first=980_000, plates={PlateFood.NOODLES: 16, PlateFood.BEANS: 16}, looks=EASY, every=3),
    "hard": PictureSplit(first=985_000, plates={PlateFood.NOODLES: 16, PlateFood.BEANS: 16}, looks=HARD, every=3),
}


def draw(folder: Path, *, share: float = 1.0) -> None:
    """Draw what is not there yet, ten plates to a file.

    Args:
        folder: Folder of the files.
        share: Share of the plates that is drawn.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        (folder / f"{name}-{food}-{start:03d}.npz", name, food, range(start, min(start + PER_PART, count)))
        for name, split in SPLITS.items()
        for food, plates in split.plates.items()
        for count in [max(1, round(share * plates))]
        for start in range(0, count, PER_PART)
    ]
    for path, name, food, numbers in track([part for part in parts if not part[0].exists()], "plates"):
        pictures = [picture for number in numbers for picture in pictures_of(name, food, number)]
        unfinished = path.with_suffix(UNFINISHED)
        np.savez_compressed(unfinished, allow_pickle=False, **joined(pictures))
        unfinished.rename(path)


def pictures_of(name: str, food: PlateFood, number: int) -> Iterator[Arrays]:
    """Yield the pictures of one plate while it is cleared at random."""
    split = SPLITS[name]
    seed = split.first + number + 1000 * (food is PlateFood.BEANS)
    random = np.random.default_rng((seed, 31))
    engine: Any = engine_of(food)
    if name == "train" and food is PlateFood.NOODLES and random.random() < OTHERS:
        strands, radius_m = int(random.integers(6, 45)), float(random.uniform(0.001, 0.0024))
        engine = Noodles(NoodlePhysics(strands=strands, radius_m=radius_m, spread_m=(0.01, 0.05)))
    world = ClearingWorld(engine, seed=seed)
    while not world.over:
        if world.actions % split.every == 0:
            yield picture_of(
                world, seed=seed * 16 + world.actions, looks=split.looks, random=random, train=name == "train"
            )
        world.act(PlatePrimitive.GROUP if random.random() < PUSHES else PlatePrimitive.ACQUIRE)


def picture_of(world: ClearingWorld, *, seed: int, looks: Looks, random: np.random.Generator, train: bool) -> Arrays:
    """Return what is drawn of one plate, each with a first axis of pictures or crops."""
    engine, mask = world.engine, world.mask()
    aim = aim_at(mask)
    assert aim is not None
    with PlateCamera(engine, seed=seed, looks=looks) as camera:
        full, empty, labels = camera.picture(engine, shot=1), camera.picture(None, shot=2), camera.labels(engine)
        masks = [camera.square(255 * shown, VIEW, side_m=VIEW_M) for shown in (labels, difference(full, empty))]
        picture: Arrays = {
            "rgb": camera.square(full, VIEW, side_m=VIEW_M),
            "true": masks[0][..., 0],
            "differs": masks[1][..., 0],
            "mask": mask,
            "beans": np.array(world.food is PlateFood.BEANS),
        }
        if not train:
            picture["seen"] = camera.square(full, SEEN)
        places = [aim.dense_m]
        if train:
            rows, columns = np.nonzero(mask)
            picked = random.integers(len(rows), size=CROPS - 1)
            jitter = random.normal(0.0, 0.004, (CROPS - 1, 2))
            x, y = (columns[picked] + 0.5) / PIXELS - 0.5, 0.5 - (rows[picked] + 0.5) / PIXELS
            places += [(float(a), float(b)) for a, b in np.stack([x, y], axis=1) * 0.24 + jitter]
        crops: Arrays = {}
        if world.food is PlateFood.NOODLES:
            strands = engine.arrays()["strands"]
            size, side_m = (WIDE, WIDE_M) if train else (CROP, CROP_M)
            grains = [true_grain(strands, place) for place in places]
            crops = {
                "crop": np.stack([camera.square(full, size, side_m=side_m, at_m=np.array(place)) for place in places]),
                "grain": np.array([grain for grain, _ in grains]),
                "agree": np.array([agree for _, agree in grains]),
                "tensor": np.full(len(places), aim.grain_rad),
            }
    return {name: array[None] for name, array in picture.items()} | crops
