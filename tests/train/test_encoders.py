"""The training of the memory's encoders: kitchens that keep apart, a loss that wants what it should, true tables."""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from handup.domains.feeding.memory_modules import SETTINGS
from handup.domains.feeding.modules import ENCODER_KIND, ENCODER_SCHEMA, PictureEncoder, folder_of
from train.feeding import kitchens, recall
from train.feeding.kitchens import HOMES, SEEDS_EACH, looks_of, menus_of
from train.feeding.packing import packed, pictures_in

DOCS = Path(__file__).parents[2] / "docs" / "feeding"
PROMISED = {"train": (240_000, 260_000), "evaluation": (260_000, 265_000), "threshold": (265_000, 268_000)}


def test_no_kitchen_is_used_for_two_things() -> None:
    used = {name: set(range(each.first, each.numbers[-1] + SEEDS_EACH)) for name, each in HOMES.items()}
    for one, other in itertools.combinations(used.values(), 2):
        assert not one & other
    for name, (first, last) in PROMISED.items():
        assert min(used[name]) >= first and max(used[name]) < last
        assert HOMES[name].meals + 2 <= SEEDS_EACH


def test_a_kitchen_serves_its_menu_then_less_then_another() -> None:
    for kitchen in list(HOMES["train"].numbers)[:40]:
        first, second, less, other = (set(each.pieces) for each in menus_of(kitchen, 2))
        assert first == second
        assert less < first and len(less) == len(first) - 1
        assert other
    looks = [looks_of(each).name for each in HOMES["train"].numbers]
    assert looks.count("hard") == pytest.approx(2 * len(looks) / 3, abs=1)


def test_a_part_is_drawn_with_what_is_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = kitchens.Homes(first=240_000, kitchens=1, meals=1, looks_at=(0, 1))
    monkeypatch.setattr(kitchens, "HOMES", {"train": small})
    path = tmp_path / "part.npz"
    kitchens._draw_part((path, "train", 240_000))
    with np.load(path) as file:
        assert file["whole"].shape[1:] == (3, 120, 160) and file["crop"].shape[1:] == (3, 64, 64)
        assert file["meal"].tolist() == [0, 0, 1, 1, 2, 2] and file["bites"].tolist() == [0, 1] * 3
        assert (file["pixels"] > 0).sum(axis=1).min() >= 1
        assert file["fits"].any(axis=1).all()
        seen = file["pixels"][file["of"], file["food"]]
        assert (seen > 0).all(), "what is cut out is on the plate"


def test_packed_pictures_are_read_as_the_others(tmp_path: Path) -> None:
    whole = np.random.default_rng(0).integers(0, 255, (2, 3, 8, 8)).astype(np.uint8)
    whole[:] = whole[:, :, :1, :1]
    parts = {f"whole {part}": each for part, each in packed(whole.transpose(0, 2, 3, 1)).items()}
    assert np.abs(pictures_in(parts, "whole").astype(int) - whole).max() <= 16
    assert pictures_in({"whole": whole}, "whole") is whole


def test_the_published_tables_are_those_of_the_shipped_encoders() -> None:
    found = json.loads((DOCS / "memory.json").read_text(encoding="utf-8"))
    page = (DOCS / "memory.md").read_text(encoding="utf-8")
    assert "\n".join(recall.lines(found)) in page, "run: python -m train.feeding.recall"
    assert found["threshold"] == SETTINGS.threshold
    with folder_of() as place:
        for kind, digest in found["digest"].items():
            assert hashlib.sha256((place / f"encode_{kind}.onnx").read_bytes()).hexdigest() == digest


def test_what_is_recalled_is_on_the_plate() -> None:
    """The promise of the page, from its numbers: at the threshold, on kitchens that nothing was chosen on."""
    plates = json.loads((DOCS / "memory.json").read_text(encoding="utf-8"))["homes"]["evaluation"]["plate"]
    at = {name: each["thresholds"][f"{SETTINGS.threshold:g}"] for name, each in plates.items()}
    assert at[recall.SAME_MENU]["used_right"]["low"] >= 0.95
    assert at[recall.SAME_MEAL]["used_right"]["low"] >= 0.95
    assert at[recall.OTHER]["recalled"]["value"] <= 0.02


def test_shares_are_of_all_rows_and_intervals_hold_them() -> None:
    ups = recall.LookUps()
    for kitchen in range(10):
        for similarity in (0.7, 0.9):
            ups.add(kitchen, similarity, right=1.0 if kitchen < 8 else 0.0, found=0.5, both=0.5 if kitchen < 8 else 0.0)
    row = recall._summary(ups)["thresholds"]["0.85"]
    assert (row["recalled"]["value"], row["right"]["value"], row["used"]["value"]) == pytest.approx((0.5, 0.8, 0.25))
    assert row["right"]["low"] < 0.8 < row["right"]["high"]
    assert recall._summary(ups)["thresholds"]["0.95"]["right"] is None


def test_training_agrees_with_the_robot_and_wants_shares_of_foods() -> None:
    torch = pytest.importorskip("torch")
    from train.feeding import encode

    assert (encode.KIND, encode.SCHEMA) == (ENCODER_KIND, ENCODER_SCHEMA)
    assert encode.FEWEST_PIXELS == recall.FEWEST_PIXELS
    has = torch.tensor([[1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1]]).bool()
    assert encode.shared(has)[0].tolist() == pytest.approx([1.0, 1.0, 0.5, 0.0])
    kitchen = torch.tensor([1, 1, 1, 2])
    good = torch.nn.functional.normalize(torch.tensor([[1.0, 0, 0], [1, 0, 0], [0.5, 0.87, 0], [0, 0, 1]]), dim=1)
    assert encode.loss(good, kitchen, has) < encode.loss(good[[2, 0, 1, 3]], kitchen, has)
    generator = torch.Generator().manual_seed(0)
    pictures = torch.full((4, 3, 8, 8), 128, dtype=torch.uint8)
    seen = encode.other_homes(pictures, kitchen, generator).mean(dim=(2, 3))
    assert (seen[0] - seen[1]).abs().max() < 0.06 < (seen[0] - seen[3]).abs().max(), "one lamp for one home"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's older exporter, which needs no further package
def test_what_is_trained_is_what_the_robot_loads(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from train.feeding import encode

    random = np.random.default_rng(0)
    np.savez(
        tmp_path / "kitchens-train-240000-0123.npz",
        whole=random.integers(0, 255, (8, 3, 120, 160)).astype(np.uint8),
        kitchen=np.repeat([240_000, 240_020], 4),
        pixels=np.tile(np.array([[50, 50, 0], [50, 0, 50]]), (4, 1)),
        crop=random.integers(0, 255, (8, 3, 64, 64)).astype(np.uint8),
        of=np.arange(8),
        food=np.array([0, 1] * 4),
    )
    encode.encode(tmp_path, tmp_path, size=encode.Size(plate=2, crop=2, kitchens=2), seed=0)
    made = PictureEncoder.load("crop", tmp_path)
    assert made.embed(np.zeros((64, 64, 3), np.uint8)).shape == (made.dimension,)
    (tmp_path / "kitchens-train-240200-4567.npz").write_bytes(b"")
    with pytest.raises(SystemExit, match="not all drawn by the same"):
        encode.read(tmp_path, "train")
    with pytest.raises(SystemExit, match="no kitchens"):
        encode.read(tmp_path, "evaluation")
