"""The shipped networks: they load, are repeatable, give sensible answers on plates that nothing was trained on."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from handup.core import BadRecord, BadSetting
from handup.domains.feeding import Item, PlateWorld, Skill, foods
from handup.domains.feeding.crops import overlap
from handup.domains.feeding.module_outputs import Aims, ChoosesSkill, FindsBoxes, NamesFood, Picture
from handup.domains.feeding.modules import NAMES, PASSES, Modules, networks_in
from handup.domains.feeding.truth import SAME_BOX, box_of

MODELS = Path(str(files("handup.domains.feeding"))) / "models"
DOCS = Path(__file__).parents[3] / "docs" / "feeding"
SEEDS = (90_001, 90_002, 90_003, 90_004)
PLATES = ("savory salad", "thanksgiving", "mixed salad", "noodles")
Scene = tuple[Picture, tuple[Item, ...]]


@pytest.fixture(scope="module")
def modules() -> Modules:
    return Modules.load()


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    found = []
    for plate, seed in zip(PLATES, SEEDS, strict=True):
        with PlateWorld(plate, seed=seed, size=(320, 240)) as world:
            found.append((world.view().rgb, world.truth()))
    return found


def test_they_fill_the_four_places(modules: Modules) -> None:
    places: tuple[NamesFood, FindsBoxes, ChoosesSkill, Aims] = (modules, modules, modules, modules)
    assert len(places) == 4
    assert set(modules.foods) == set(foods())


def test_m1_names_foods_that_are_on_easy_plates(modules: Modules, scenes: list[Scene]) -> None:
    said = [modules.name(rgb) for rgb, _ in scenes]
    right = [each.label in {item.food for item in items} for each, (_, items) in zip(said, scenes, strict=True)]
    assert sum(right) >= 3
    for each in said:
        assert list(each.scores.values()) == sorted(each.scores.values(), reverse=True)
        assert set(each.scores) == set(foods())
        assert 0.0 <= each.score <= 1.0


def test_m2_finds_boxes_that_overlap_the_true_ones(modules: Modules, scenes: list[Scene]) -> None:
    right = []
    for rgb, items in scenes:
        for food in {item.food for item in items}:
            found = modules.find(rgb, food)
            assert list(found.scores) == sorted(found.scores, reverse=True)
            true = [box_of(item) for item in items if item.food == food]
            right.append(bool(found.boxes) and max(overlap(found.boxes[0], each) for each in true) >= SAME_BOX)
    assert np.mean(right) > 0.8


def test_m2_finds_nothing_on_an_empty_picture(modules: Modules) -> None:
    found = modules.find(np.full((240, 320, 3), 128, np.uint8), "chicken")
    assert found.score < 0.5


def test_m3_chooses_a_skill_that_fits(modules: Modules, scenes: list[Scene]) -> None:
    right = []
    for rgb, items in scenes:
        for item in items[::3]:
            chosen = modules.choose(rgb, item.food, box_of(item))
            assert sum(chosen.scores.values()) == pytest.approx(1.0, abs=1e-5)
            right.append(chosen.skill in item.best)
    assert np.mean(right) > 0.85


def test_m4_aims_near_the_best_place(modules: Modules, scenes: list[Scene]) -> None:
    off = []
    for rgb, items in scenes:
        for item in items[::3]:
            said = np.array(modules.aim(rgb, box_of(item), item.skill, seed=5).params.numbers).reshape(2, 2)
            best = np.array(item.best[item.skill].numbers).reshape(2, 2)
            left, top, right, bottom = item.box
            off.append(np.hypot(*(said.mean(axis=0) - best.mean(axis=0))) / np.hypot(right - left, bottom - top))
    assert np.median(off) < 0.15


def test_the_same_seed_gives_the_same_aim_and_another_one_another(modules: Modules, scenes: list[Scene]) -> None:
    rgb, items = scenes[0]
    one, again, other = (modules.aim(rgb, box_of(items[0]), Skill.SKEWER, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one.params != other.params
    assert len(set(one.passes)) == PASSES, "dropout is at work"
    assert one.variance > 0.0


def test_m4_mean_and_variance_are_those_of_the_passes(modules: Modules, scenes: list[Scene]) -> None:
    rgb, items = scenes[0]
    aimed = modules.aim(rgb, box_of(items[0]), Skill.SKEWER, seed=1)
    passes = np.array([each.numbers for each in aimed.passes])
    assert passes.mean(axis=0) == pytest.approx(aimed.params.numbers)
    middles = (passes[:, :2] + passes[:, 2:]) / 2.0 * [1.0, 0.75]
    apart = middles - middles.mean(axis=0)
    assert aimed.variance == pytest.approx(float((apart**2).sum(axis=1).mean()))


def test_the_size_of_the_picture_hardly_matters(modules: Modules) -> None:
    said = []
    for size in ((320, 240), (640, 480)):
        with PlateWorld("savory salad", seed=90_001, size=size) as world:
            said.append(modules.name(world.view().rgb))
    assert said[0].label == said[1].label


def test_an_unknown_food_is_refused(modules: Modules) -> None:
    with pytest.raises(BadSetting, match="pineapple"):
        modules.find(np.zeros((240, 320, 3), np.uint8), "pineapple")


def test_a_folder_without_networks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="no networks"):
        Modules.load(tmp_path)


def copied(folder: Path) -> Path:
    for path in MODELS.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.mark.parametrize("left", [0, 1000])
def test_a_damaged_network_is_named_in_one_line(tmp_path: Path, left: int) -> None:
    folder = copied(tmp_path)
    (folder / "find.onnx").write_bytes((folder / "find.onnx").read_bytes()[:left])
    with pytest.raises(BadRecord, match=r"find\.onnx must be a whole ONNX file") as refused:
        Modules.load(folder)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("one", "two"), [("name", "find"), ("choose", "aim"), ("name", "choose")])
def test_swapped_networks_are_refused(tmp_path: Path, one: str, two: str) -> None:
    folder = copied(tmp_path)
    first, second = ((folder / f"{each}.onnx").read_bytes() for each in (one, two))
    (folder / f"{one}.onnx").write_bytes(second)
    (folder / f"{two}.onnx").write_bytes(first)
    with pytest.raises(BadRecord, match="another network than its name says"):
        Modules.load(folder)


def test_networks_of_another_version_are_refused(tmp_path: Path) -> None:
    for path in MODELS.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    card = json.loads((tmp_path / "modules.json").read_text(encoding="utf-8"))
    (tmp_path / "modules.json").write_text(json.dumps(card | {"schema": 99}), encoding="utf-8")
    with pytest.raises(BadRecord, match="version"):
        Modules.load(tmp_path)


def test_the_hash_is_of_the_four_networks_and_of_nothing_else(modules: Modules, tmp_path: Path) -> None:
    for path in MODELS.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert networks_in(tmp_path) == modules.networks == networks_in()
    (tmp_path / "modules.json").write_text("{}", encoding="utf-8")
    assert networks_in(tmp_path) == modules.networks
    for name in NAMES:
        path = tmp_path / f"{name}.onnx"
        kept = path.read_bytes()
        path.write_bytes(kept + b"0")
        assert networks_in(tmp_path) != modules.networks
        path.write_bytes(kept)
    path.unlink()
    with pytest.raises(BadRecord, match="no networks"):
        networks_in(tmp_path)


def test_the_networks_are_small() -> None:
    assert sum(path.stat().st_size for path in MODELS.iterdir()) < 10e6
