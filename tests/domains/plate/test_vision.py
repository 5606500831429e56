"""f_seg and f_ori as they are shipped: those of their cards, right on plates they have not seen, used by a robot."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from handup.core import BadRecord, WrongSize
from handup.domains.feeding.looks import Looks
from handup.domains.plate.engines import plate_of
from handup.domains.plate.plate_camera import EASY, HARD, PlateCamera, true_grain
from handup.domains.plate.policies import FixedSequence, clear, true_look
from handup.domains.plate.primitives import PlateFood, PlatePrimitive
from handup.domains.plate.segmentation import MaskScore
from handup.domains.plate.vision import CARD, CROP, CROP_M, MODELS, FoodSegmenter, GrainReader, PlateEye

SEED = 990_000
MOST_BYTES = 700_000


def test_the_networks_are_those_of_their_card_and_small() -> None:
    card = json.loads((MODELS / CARD).read_text(encoding="utf-8"))
    assert set(card) == {"seg", "ori"}
    for name, entry in card.items():
        content = (MODELS / f"{name}.onnx").read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["digest"]
        assert len(content) < MOST_BYTES


@pytest.mark.parametrize("food", PlateFood)
@pytest.mark.parametrize(("looks", "least"), [(EASY, 0.7), (HARD, 0.4)], ids=["easy", "hard"])
def test_f_seg_sees_food_on_plates_that_it_has_not_seen(food: PlateFood, looks: Looks, least: float) -> None:
    scores = []
    for seed in (SEED + 1, SEED + 2):
        world = plate_of(food, seed)
        world.act(PlatePrimitive.ACQUIRE)
        with PlateCamera(world.engine, seed=seed, looks=looks) as camera:
            scores.append(MaskScore.of(PlateEye(camera)(world).mask[None], world.mask()[None]).iou)
    assert np.mean(scores) > least


def test_f_ori_reads_the_direction_of_strands() -> None:
    grains, random, off = GrainReader.load(), np.random.default_rng(0), []
    world = plate_of("noodles", SEED)
    strands = world.engine.arrays()["strands"]
    with PlateCamera(world.engine, seed=SEED) as camera:
        picture = camera.picture(world.engine)
        for place in random.permutation(strands.reshape(-1, 3)[:, :2])[:60]:
            true, agree = true_grain(strands, (float(place[0]), float(place[1])))
            if agree > 0.7:
                read = grains.grain(camera.square(picture, CROP, side_m=CROP_M, at_m=place))
                off.append(abs(math.asin(math.sin(read - true))))
    assert len(off) >= 5
    assert np.degrees(np.mean(off)) < 20.0  # by chance 45


def test_a_robot_clears_a_plate_by_pictures() -> None:
    world, twin = plate_of("beans", SEED), plate_of("beans", SEED)
    with PlateCamera(world.engine, seed=SEED) as camera:
        eye = PlateEye(camera)
        outcomes = clear(world, FixedSequence(), eye)
    assert sum(outcome.moved.taken for outcome in outcomes) > 0.3
    assert [outcome.aim for outcome in outcomes] != [outcome.aim for outcome in clear(twin, FixedSequence())]


def test_a_robot_that_sees_nothing_aims_at_the_middle() -> None:
    world = plate_of("beans", SEED)
    blind = FoodSegmenter.load()
    blind._least = 2.0
    with PlateCamera(world.engine, seed=SEED) as camera:
        seen = PlateEye(camera, segmenter=blind)(world)
        assert seen.aim is None
        assert not seen.mask.any()
        outcomes = clear(world, FixedSequence("a"), PlateEye(camera, segmenter=blind))
    assert {outcome.aim.dense_m for outcome in outcomes} == {(0.0, 0.0)}


def test_the_true_look_is_what_the_world_itself_aims_at() -> None:
    world, twin = plate_of("beans", SEED), plate_of("beans", SEED)
    look = true_look(world)
    assert twin.act(PlatePrimitive.GROUP) == world.act(PlatePrimitive.GROUP, look.aim)


def test_networks_of_another_card_and_pictures_of_another_size_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="there must be seg"):
        FoodSegmenter.load(tmp_path)
    shutil.copy(MODELS / CARD, tmp_path)
    (tmp_path / "seg.onnx").write_bytes((MODELS / "ori.onnx").read_bytes())
    with pytest.raises(BadRecord, match="not the one that its card is about"):
        FoodSegmenter.load(tmp_path)
    with pytest.raises(WrongSize, match="multiples of 16"):
        FoodSegmenter.load().shares(np.zeros((1, 100, 128, 3), np.uint8))
    with pytest.raises(WrongSize, match="48 × 48"):
        GrainReader.load().grain(np.zeros((40, 48, 3), np.uint8))
