"""Planners of a plate: the tree finds what enumeration finds, networks are those of their cards, and masks matter."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from handup.core import BadRecord, OutOfRange
from handup.domains.plate.low_level import PIXELS
from handup.domains.plate.plate_models import (
    SCALE,
    DifferencePlanner,
    GapCalibration,
    LatentModel,
    LatentPlanner,
    PlateValues,
    States,
    card_of,
    plan,
    plate_models_in,
)
from handup.domains.plate.policies import PlateSight
from handup.domains.plate.primitives import Mask, PlateFood, PlatePrimitive
from handup.domains.plate.push_features import NAMES
from tests.domains.plate.test_push_features import strewn
from tests.oracles.plate_plans import enumerated

ACQUIRE, GROUP = PlatePrimitive.ACQUIRE, PlatePrimitive.GROUP


@dataclass
class Chaos:
    """A model without sense, in which every action matters to all after it."""

    calls: int = 0
    imagined: int = 0

    def encode(self, sight: PlateSight) -> States:
        return np.full((1, 3), 0.1 + float(sight.mask.mean()), np.float32)

    def imagine(self, states: States, primitives: NDArray[np.int64]) -> tuple[States, NDArray[np.float32]]:
        self.calls, self.imagined = self.calls + 1, self.imagined + len(states)
        after = np.sin(3.0 * states + primitives[:, None] + np.arange(3)).astype(np.float32)
        return after, after[:, :2] * np.float32(0.1)


def sight_of(mask: Mask, left: int = 8) -> PlateSight:
    return PlateSight(masks=(mask,), done=(), left=left)


def probe() -> Mask:
    """The plate that torch was asked about when the networks were exported."""
    mask = np.zeros((PIXELS, PIXELS), dtype=np.bool_)
    mask[20:28, 30:40] = mask[50:53, 8:12] = True
    return mask


@pytest.mark.parametrize("left", [1, 2, 5, 8])
def test_the_tree_values_all_sequences_as_enumeration_does(left: int) -> None:
    model, sight = Chaos(), sight_of(strewn(1), left)
    tree, plain = plan(model, sight, alpha=0.3), enumerated(Chaos(), sight, alpha=0.3)
    in_order = [plain[*pushes, 0] for pushes in product((0, 1), repeat=left - 1)]
    assert tree.rewards == pytest.approx([reward for reward, _ in in_order], abs=1e-6)
    assert tree.taken == pytest.approx([taken for _, taken in in_order], abs=1e-6)
    if left > 1:
        for first, primitive in enumerate((ACQUIRE, GROUP)):
            best = max(reward for sequence, (reward, _) in plain.items() if sequence[0] == first)
            assert tree.rewards[tree.best(primitive)] == pytest.approx(best, abs=1e-6)


def test_the_tree_imagines_each_beginning_once() -> None:
    model = Chaos()
    plan(model, sight_of(strewn(1), 9))
    assert model.calls == 9
    assert model.imagined == sum(2**level for level in range(1, 9)) + 2**8


def test_values_name_the_better_primitive() -> None:
    assert PlateValues(acquire=0.5, group=0.6, sure=0.7).better is GROUP
    assert PlateValues(acquire=0.5, group=0.5, sure=0.5).better is ACQUIRE
    with pytest.raises(OutOfRange, match="sure"):
        PlateValues(acquire=0.5, group=0.6, sure=0.4)


def test_a_wider_gap_is_surer_and_never_below_one_half() -> None:
    calibration = GapCalibration(slope=20.0, shift=-0.4)
    gaps = np.linspace(0.05, 0.5, 10)
    sure = [calibration.sure(float(gap)) for gap in gaps]
    assert sure == sorted(sure)
    assert calibration.sure(0.001) == 0.5, "a push that hardly seems better is rather not"
    assert calibration.sure(-0.2) > calibration.sure(0.2)
    assert calibration.sure(1e9) == pytest.approx(1.0)


def test_the_latent_planner_begins_the_best_sequence() -> None:
    planner = LatentPlanner(Chaos(), GapCalibration(slope=5.0, shift=0.0), 0.5)
    for seed in range(8):
        sight = sight_of(strewn(seed, 4 + seed), 5)
        plain = enumerated(Chaos(), sight, alpha=0.5)
        best = max(plain, key=lambda sequence: plain[sequence][0])
        assert planner.choose(sight) is (GROUP if best[0] else ACQUIRE)
    assert planner.choose(sight_of(strewn(1), 1)) is ACQUIRE


# The shipped networks


def test_the_difference_planner_says_what_torch_said() -> None:
    planner = DifferencePlanner(PlateFood.BEANS)
    card = card_of("difference", PlateFood.BEANS)
    assert card["features"] == [*NAMES]
    (values,) = planner._run({"features": np.linspace(0.0, 1.0, len(NAMES), dtype=np.float32)[None]})
    assert values[0] == pytest.approx(np.array(card["probe"]), abs=2e-3), "weights are stored with half the digits"


def test_the_small_model_says_what_torch_said() -> None:
    model, card = LatentModel.load("small", PlateFood.BEANS), card_of("small", PlateFood.BEANS)
    states = model.encode(sight_of(probe()))
    for primitive, gains in zip((1, 0, 0), card["probe"], strict=True):
        states, found = model.imagine(states, np.array([primitive]))
        assert SCALE * found[0] == pytest.approx(gains, abs=2e-2)


@pytest.mark.parametrize("chooser", [DifferencePlanner("beans"), LatentPlanner.load("small", "beans")])
def test_the_same_plate_is_weighed_the_same(chooser: DifferencePlanner | LatentPlanner) -> None:
    plates = [sight_of(strewn(seed, 6 + seed % 10), 5) for seed in range(10)]
    weighed = [chooser.weigh(sight) for sight in plates]
    assert [chooser.weigh(sight) for sight in plates] == weighed
    assert len({values.acquire for values in weighed}) == 10, "and another plate another way"


@pytest.mark.parametrize("left", [2, 4])
def test_the_difference_planner_chooses_by_the_plate_and_not_by_the_clock(left: int) -> None:
    planner = DifferencePlanner(PlateFood.BEANS)
    chosen = [planner.choose(sight_of(strewn(seed, 15), left)) for seed in range(30)]
    assert min(chosen.count(primitive) for primitive in PlatePrimitive) >= 3


def test_a_network_that_its_card_is_not_about_is_refused(tmp_path: Path) -> None:
    with plate_models_in() as shipped:
        for name in ("difference_beans.onnx", "difference_beans.json"):
            shutil.copy(shipped / name, tmp_path)
    assert DifferencePlanner("beans", tmp_path).food is PlateFood.BEANS
    (tmp_path / "difference_beans.onnx").write_bytes((tmp_path / "difference_beans.onnx").read_bytes() + b" ")
    with pytest.raises(BadRecord, match="not the one that its card is about"):
        DifferencePlanner("beans", tmp_path)
    (tmp_path / "difference_beans.onnx").unlink()
    with pytest.raises(BadRecord, match="missing"):
        DifferencePlanner("beans", tmp_path)
    card = json.loads((tmp_path / "difference_beans.json").read_text())
    (tmp_path / "difference_beans.json").write_text(json.dumps({**card, "schema": 99}))
    with pytest.raises(BadRecord, match="another version"):
        DifferencePlanner("beans", tmp_path)
    with pytest.raises(BadRecord, match="no model rssm"):
        LatentModel.load("rssm", "beans", tmp_path)
