"""Training of f_seg and f_ori: turned crops keep their grain, files keep apart, constants are those of the robot."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from handup.domains.plate import low_level  # noqa: E402
from handup.domains.plate import vision as robot  # noqa: E402
from handup.domains.plate.low_level import aim_at  # noqa: E402
from train.plate import pictures, vision  # noqa: E402


def test_turned_crops_have_turned_strands() -> None:
    side = 72
    rows, columns = np.mgrid[:side, :side]
    crops, grains = [], []
    for grain in (0.0, 0.7, 2.0):
        # Stripes along the grain, where y goes up and rows go down.
        across = math.sin(grain) * columns + math.cos(grain) * rows
        stripes = np.where(np.sin(across / 2.0) > 0.0, 250, 5).astype(np.uint8)
        crops.append(np.repeat(stripes[None], 3, axis=0))
        grains.append(grain)
    lesson = vision.Lesson(
        pictures=torch.zeros(1),
        shares={},
        crops=torch.from_numpy(np.stack(crops)),
        grain=torch.tensor(grains),
        agree=torch.ones(3),
    )
    seen, true, _ = vision.turned_crops(lesson, 12, torch.Generator().manual_seed(1))
    for crop, angle in zip(seen.numpy(), true.tolist(), strict=True):
        aim = aim_at(crop[0] > 0.5)
        assert aim is not None
        assert abs(math.sin(aim.grain_rad - angle)) < math.sin(math.radians(12.0))


def test_no_plate_is_in_two_splits() -> None:
    used = [
        range(split.first + 1000 * second, split.first + 1000 * second + plates)
        for split in pictures.SPLITS.values()
        for second, plates in enumerate(split.plates.values())
    ]
    for first, other in itertools.combinations(used, 2):
        assert not set(first) & set(other)


def test_training_and_the_robot_see_the_same_squares() -> None:
    assert (vision.SEEN, vision.SIDE_M, vision.CROP) == (robot.SEEN, low_level.SIDE_M, robot.CROP)
    assert vision.VIEW_M == pictures.VIEW_M
    assert pictures.WIDE_M / pictures.WIDE == robot.CROP_M / robot.CROP


def test_a_step_of_training_is_the_same_again() -> None:
    lesson = vision.Lesson(
        pictures=torch.randint(256, (2, 3, 160, 160), generator=torch.Generator().manual_seed(1)).byte(),
        shares={vision.TRUE: torch.ones(2, 1, 160, 160).byte()},
        crops=torch.zeros(1),
        grain=torch.zeros(1),
        agree=torch.zeros(1),
    )
    size = vision.Size(seg=4, ori=0, pictures=2, crops=0)
    weights = []
    for _ in range(2):
        torch.manual_seed(0)
        network = vision.fit_seg(lesson, size, torch.Generator().manual_seed(0))
        weights.append(network.last[1].weight.detach().clone())
    assert torch.equal(*weights)
