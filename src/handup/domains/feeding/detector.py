"""Did I get it? Compares a picture of the fork with one of the empty fork. It errs, and its errors are measured.

It sees that there is something, not what. In hard light, small or dark bites are missed now and then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.domains.feeding.arm import wait
from handup.domains.feeding.gl import mujoco
from handup.domains.feeding.scene import Scene

Picture = NDArray[np.uint8]
SIZE = (96, 96)
DIFFERENT = 26.0
"""So much must a pixel differ, of 255, in its most different colour."""
MIDDLE, WIDTH = 0.024, 0.007
"""Share of different pixels at which it is undecided, and how fast it grows sure; fixed on the tuning seeds."""


@dataclass(frozen=True)
class Seen:
    """What the detector thinks.

    Args:
        ok: Whether there is food on the fork.
        certainty: From 0.5 to 1, how sure it is of that.
        share: Share of pixels that differ from the empty fork.
    """

    ok: bool
    certainty: float
    share: float


def compare(now: Picture, empty: Picture) -> Seen:
    """The verdict from a picture of the fork and one of it empty. Exposure may differ between them."""
    one, two = now.astype(np.float64), empty.astype(np.float64)
    edge = np.s_[:, : SIZE[0] // 8]
    gain = float(two[edge].mean() / max(one[edge].mean(), 1.0))
    different = np.abs(one * gain - two).max(axis=-1)
    smooth = (different + np.roll(different, 1, 0) + np.roll(different, 1, 1) + np.roll(different, (1, 1), (0, 1))) / 4
    share = float((smooth > DIFFERENT).mean())
    food = 1.0 / (1.0 + float(np.exp(-(share - MIDDLE) / WIDTH)))
    return Seen(food >= 0.5, max(food, 1.0 - food), share)


@contextmanager
def no_food(scene: Scene, *, flat: bool) -> Iterator[Any]:
    """What the robot saw before the meal: the fork where it shows what it has, and no food anywhere.

    It comes from the model alone, so it is the same whenever it is asked for. Yields MuJoCo's data to be drawn; food is
    hidden until the block ends.

    Args:
        scene: The plate; put back afterwards.
        flat: Whether the fork is held flat.
    """
    model, data = scene.model, mujoco().MjData(scene.model)
    wait(scene, data, flat=flat)
    mujoco().mj_forward(model, data)
    food = np.isin(model.geom_bodyid, [each.body for each in scene.pieces])
    food[[scene.load, *(each.seen for each in scene.mounds)]] = True
    kept = model.geom_rgba[food]
    model.geom_rgba[food, 3] = 0.0
    try:
        yield data
    finally:
        model.geom_rgba[food] = kept
