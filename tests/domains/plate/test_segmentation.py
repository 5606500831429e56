"""Scores of masks on folders of pictures: equal to plain computations, copies found, wrong files named."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import rotate
from typer.testing import CliRunner

from handup.cli.plate_segment import EPILOG, segment_eval
from handup.core import BadData, OutOfRange
from handup.domains.plate.segmentation import (
    ColourTable,
    LabelledPictures,
    MaskScore,
    evaluate,
    grouped,
    near_copies,
    plate_colours,
    splits_of,
)
from handup.domains.plate.vision import FoodSegmenter

PLATES = {"blue": (20, 60, 170), "green": (20, 130, 90)}
FOOD = (230, 210, 150)


@pytest.fixture(scope="module")
def segmenter() -> FoodSegmenter:
    return FoodSegmenter.load()


def drawn(seed: int) -> NDArray[np.uint8]:
    """A mask of 256 × 256 px with a few bent strands."""
    random = np.random.default_rng(seed)
    mask = np.zeros((256, 256), np.uint8)
    for _ in range(6):
        heading = random.uniform(0.0, 6.3) + np.cumsum(random.normal(0.0, 0.15, 90))
        line = random.uniform(90.0, 160.0, 2)[:, None] + np.cumsum([np.cos(heading), np.sin(heading)], axis=1)
        for row, column in line.T:
            if 4 < row < 250 and 4 < column < 250:
                mask[int(row) - 3 : int(row) + 4, int(column) - 3 : int(column) + 4] = 255
    return mask


def write(folder: Path, name: str, mask: NDArray[np.uint8], plate: tuple[int, int, int]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rgb = np.where(mask[..., None] > 0, np.array(FOOD), np.array(plate)).astype(np.uint8)
    Image.fromarray(rgb).save(folder / f"{name}.png")
    Image.fromarray(mask).save(folder / f"{name}_mask.png")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve plates; four of those to test on are copies of plates to learn from, turned and moved."""
    for number in range(8):
        write(tmp_path / "train", f"{number:05d}", drawn(number), PLATES["green" if number % 2 else "blue"])
    for number in range(4):
        copy = rotate(np.roll(drawn(number), 9, axis=1), 7.0, reshape=False, order=0)
        write(tmp_path / "test", f"{number:05d}", copy, PLATES["green" if number % 2 else "blue"])
    for number in range(4, 8):
        write(tmp_path / "test", f"{number:05d}", drawn(100 + number), PLATES["blue"])
    return tmp_path


# Scores


def test_a_score_is_what_counting_by_hand_gives() -> None:
    true = np.zeros((2, 4, 4), np.bool_)
    masks = true.copy()
    true[0, :2], masks[0, 1:3] = True, True  # 8 and 8 pixels, 4 in common
    true[1, 0, :2], masks[1, 0, 0] = True, True
    score = MaskScore.of(masks, true)
    assert score == MaskScore(
        pictures=2, iou=5 / 14, mean_iou=(4 / 12 + 1 / 2) / 2, false_share=1 - 5 / 9, missed_share=1 - 5 / 10
    )


def test_an_empty_mask_of_an_empty_plate_is_right() -> None:
    empty = np.zeros((1, 4, 4), np.bool_)
    assert MaskScore.of(empty, empty).mean_iou == 1.0


def test_the_evaluation_is_what_a_plain_computation_gives(folder: Path, segmenter: FoodSegmenter) -> None:
    report = evaluate(folder, segmenter)
    own = report.splits[0]
    both = either = 0
    for path in sorted((folder / "test").glob("*[0-9].png")):
        small = np.asarray(Image.open(path).resize((128, 128), Image.Resampling.BOX))
        shares = segmenter.shares(small[None])[0]
        true = np.asarray(Image.open(path.with_name(f"{path.stem}_mask.png"))).reshape(64, 4, 64, 4).mean((1, 3)) > 127
        mask = shares.reshape(64, 2, 64, 2).mean((1, 3)) >= 0.5
        both, either = both + (mask & true).sum(), either + (mask | true).sum()
    assert (own.name, own.train, own.test) == ("own", 8, 8)
    assert own.f_seg.iou == pytest.approx(both / either, abs=0.01)
    assert report.pictures == report.f_seg.pictures == 16


# Copies


def test_copies_are_found_turned_and_moved_and_other_plates_are_none(folder: Path, segmenter: FoodSegmenter) -> None:
    report = evaluate(folder, segmenter)
    copied = {split.name: split.copied for split in report.splits}
    assert copied.pop("own") == 0.5
    assert set(copied) == {"regrouped", "without blue", "without green"}
    assert set(copied.values()) == {0.0}
    assert report.groups == 12


def test_the_regrouped_split_keeps_groups_together_and_is_no_larger() -> None:
    random = np.random.default_rng(1)
    groups = grouped(60, random.integers(0, 60, 30), random.integers(0, 60, 30))
    own = np.arange(60) >= 45
    names = np.array(["blue", "dark"])[np.arange(groups.max() + 1) % 2]
    for name, tested in splits_of(own, groups, names, 0):
        if name != "own":
            assert not set(groups[tested]) & set(groups[~tested])
        if name == "regrouped":
            assert 0 < tested.sum() <= 15


def test_plates_without_food_are_no_copies_of_each_other() -> None:
    first, _ = near_copies(np.zeros((3, 128, 128), np.uint8))
    assert len(first) == 0


def test_the_colour_of_a_plate_is_told_by_what_lies_beside_the_food(folder: Path) -> None:
    data = LabelledPictures.read(folder / "train")
    colours = plate_colours(data.small, data.food, np.arange(8))
    assert colours.tolist() == ["blue", "green"] * 4


# The floor


def test_the_table_of_colours_is_the_best_of_all_thresholds() -> None:
    random = np.random.default_rng(0)
    small = random.integers(0, 4, (3, 64, 64, 3)).astype(np.uint8) * 64
    food = random.random((3, 64, 64)) < small[..., 0] / 400.0 + 0.1
    table = ColourTable.fitted(small, food)
    score = MaskScore.of(table.masks(small), food).iou
    for least in np.unique(table.shares):
        assert MaskScore.of(ColourTable(table.shares, float(least)).masks(small), food).iou <= score + 1e-12


# Wrong folders


def test_wrong_folders_are_named(tmp_path: Path, segmenter: FoodSegmenter) -> None:
    with pytest.raises(BadData, match="must be a folder"):
        evaluate(tmp_path / "nowhere", segmenter)
    with pytest.raises(BadData, match="must hold pictures and masks"):
        evaluate(tmp_path, segmenter)
    write(tmp_path, "00001", drawn(1), PLATES["blue"])
    (tmp_path / "00001_mask.png").rename(tmp_path / "00002_mask.png")
    with pytest.raises(BadData, match=r"00001\.png must have a mask"):
        evaluate(tmp_path, segmenter)
    Image.new("L", (30, 30)).save(tmp_path / "00001_mask.png")
    with pytest.raises(BadData, match="must have the size of its picture"):
        evaluate(tmp_path, segmenter)
    with pytest.raises(OutOfRange, match="seed"):
        evaluate(tmp_path, segmenter, seed=-1)


@pytest.mark.parametrize("keep", [0, 10, 200])
def test_a_damaged_picture_is_named(tmp_path: Path, segmenter: FoodSegmenter, keep: int) -> None:
    write(tmp_path, "00001", drawn(1), PLATES["blue"])
    path = tmp_path / "00001.png"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(BadData, match=r"00001\.png must be a whole picture"):
        evaluate(tmp_path, segmenter)


# The command


def test_the_command_reports_in_json_and_in_words(folder: Path) -> None:
    app = typer.Typer(rich_markup_mode=None)
    app.command("segment-eval", epilog=EPILOG)(segment_eval)
    found = CliRunner().invoke(app, ["--data", str(folder), "--json"])
    assert json.loads(found.stdout) == json.loads(json.dumps(evaluate(folder, FoodSegmenter.load()).to_json()))
    words = CliRunner().invoke(app, ["--data", str(folder)]).stdout
    assert "16 pictures show 12 plates" in words
    assert "regrouped" in words
