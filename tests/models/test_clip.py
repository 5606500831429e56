"""A CLIP encoder from disk: resized as Pillow and Hugging Face do it, the same each time, and never another one's."""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from handup.core import BadData, BadRecord, BadSetting, ManualClock, MissingExtra
from handup.journal import Journal
from handup.memory import Embedder, Embedding, Encoder, Memory, Source, check_embedder
from handup.models import ClipEmbedder, NearestExample
from handup.models.clip import Preprocessing, _mixed
from tests.models.graphs import PATCH, WIDTH, encoder, encoder_weights

SIDE = 32
MEAN, STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
NEW: dict[str, Any] = {
    "crop_size": {"height": SIDE, "width": SIDE},
    "do_center_crop": True,
    "do_convert_rgb": True,
    "do_normalize": True,
    "do_rescale": True,
    "do_resize": True,
    "image_mean": list(MEAN),
    "image_processor_type": "CLIPImageProcessor",
    "image_std": list(STD),
    "resample": 3,
    "rescale_factor": 0.00392156862745098,
    "size": {"shortest_edge": SIDE},
}
OLD: dict[str, Any] = {
    "crop_size": SIDE,
    "do_center_crop": True,
    "do_normalize": True,
    "do_resize": True,
    "feature_extractor_type": "CLIPFeatureExtractor",
    "image_mean": list(MEAN),
    "image_std": list(STD),
    "resample": 3,
    "size": SIDE,
}


def export(folder: Path, said: Any = None, *, place: str = "onnx/vision_model.onnx", **rest: Any) -> Path:
    encoder(folder / place, SIDE, **rest)
    (folder / "preprocessor_config.json").write_text(json.dumps(NEW if said is None else said), encoding="utf-8")
    return folder


def plate(seed: int, width: int = 96, height: int = 64) -> NDArray[np.uint8]:
    """Smooth patches of colour with sharp edges between them."""
    random = np.random.default_rng(seed)
    made = np.kron(random.integers(0, 256, (8, 12, 3)), np.ones((8, 8, 1)))
    return np.asarray(Image.fromarray(made.astype(np.uint8)).resize((width, height), Image.Resampling.NEAREST))


# -- the oracle: bicubic resizing, written out -------------------------------------------------------------------------


def cubic(x: float) -> float:
    x = abs(x)
    if x < 1.0:
        return 1.5 * x**3 - 2.5 * x**2 + 1.0
    return -0.5 * x**3 + 2.5 * x**2 - 4.0 * x + 2.0 if x < 2.0 else 0.0


def along(rows: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Resize the first axis: each new pixel weighs old ones around its place, more of them when it gets smaller."""
    step = len(rows) / size
    reach = max(step, 1.0)
    made = np.zeros((size, *rows.shape[1:]))
    for number in range(size):
        middle = (number + 0.5) * step
        begin, end = max(int(middle - 2 * reach + 0.5), 0), min(int(middle + 2 * reach + 0.5), len(rows))
        weights = [cubic((each - middle + 0.5) / reach) for each in range(begin, end)]
        for each, weight in zip(range(begin, end), weights, strict=True):
            made[number] += rows[each] * weight / sum(weights)
    return np.clip(np.floor(made + 0.5), 0, 255)


def plainly(rgb: NDArray[np.uint8], size: int) -> NDArray[np.float64]:
    """The shorter side to `size`, then the middle: across first, then down, rounded after each, as Pillow does."""
    high, wide = rgb.shape[:2]
    wide, high = (size, int(size * high / wide)) if wide <= high else (int(size * wide / high), size)
    across = along(rgb.astype(np.float64).transpose(1, 0, 2), wide).transpose(1, 0, 2)
    both = along(across, high)
    top, left = (high - size) // 2, (wide - size) // 2
    return both[top : top + size, left : left + size]


@pytest.mark.parametrize(("width", "height"), [(96, 64), (64, 96), (50, 33), (20, 17), (32, 32), (640, 480)])
def test_resizing_and_cutting_are_those_of_the_plain_way(width: int, height: int) -> None:
    rgb = plate(1, width, height)
    made = np.asarray(Preprocessing.of_json(NEW).resized(Image.fromarray(rgb)), np.float64)
    assert made.shape == (SIDE, SIDE, 3)
    off = np.abs(made - plainly(rgb, SIDE))
    assert off.max() <= 1.0, "Pillow weighs in whole numbers, across and down"
    assert off.mean() < 0.05
    other = Preprocessing.of_json({**NEW, "resample": 2}).resized(Image.fromarray(rgb))
    assert (width, height) == (SIDE, SIDE) or np.abs(np.asarray(other) - plainly(rgb, SIDE)).max() > 10.0, "bilinear"


@pytest.mark.parametrize("said", [NEW, OLD])
def test_a_vector_is_what_the_numbers_say(tmp_path: Path, said: Any) -> None:
    """Resized, cut, normalised, averaged over patches and multiplied, all by hand."""
    clip = ClipEmbedder(export(tmp_path, said))
    rgb = plate(2)
    pixels = (plainly(rgb, SIDE) / 255.0 - MEAN) / STD
    patches = pixels.reshape(SIDE // PATCH, PATCH, SIDE // PATCH, PATCH, 3).mean(axis=(1, 3))
    by_hand = patches.transpose(2, 0, 1).ravel() @ encoder_weights(SIDE)
    assert clip.embed(rgb) == pytest.approx(by_hand, abs=0.05 * float(np.abs(by_hand).max()))
    assert clip.dimension == WIDTH


def test_sizes_by_height_and_width_stretch_and_what_is_switched_off_is_not_done() -> None:
    said = {**NEW, "size": {"height": 20, "width": 40}, "do_center_crop": False, "do_normalize": False}
    made = Preprocessing.of_json({**said, "do_rescale": False}).pixels(Image.fromarray(plate(3)))
    assert made.shape == (1, 3, 20, 40)
    assert made.max() > 100
    untouched = Preprocessing.of_json({**said, "do_resize": False}).pixels(Image.fromarray(plate(3)))
    assert np.allclose(untouched[0].transpose(1, 2, 0), plate(3) / 255.0)


# -- an embedder -------------------------------------------------------------------------------------------------------


def test_it_keeps_the_contract_of_embedders(tmp_path: Path) -> None:
    clip: Embedder = ClipEmbedder(export(tmp_path), name="clip-test-1")
    check_embedder(clip, [plate(1), plate(2, 50, 80)], ("", "chicken", "Käse"))


def test_files_of_pictures_are_read_too(tmp_path: Path) -> None:
    clip = ClipEmbedder(export(tmp_path))
    held = io.BytesIO()
    Image.fromarray(plate(1)).save(held, "PNG")
    assert (clip.embed(held.getvalue()) == clip.embed(plate(1))).all()


@pytest.mark.parametrize("place", ["vision_model.onnx", "onnx/vision_model.onnx", "model.onnx", "onnx/model.onnx"])
def test_it_finds_the_export_where_exports_are(tmp_path: Path, place: str) -> None:
    assert ClipEmbedder(export(tmp_path, place=place)).dimension == WIDTH
    assert ClipEmbedder(export(tmp_path / "pooled", output="pooler_output", place=place)).name == "pooled"


def test_with_one_text_similarity_is_that_of_the_pictures_and_with_two_it_is_next_to_none(tmp_path: Path) -> None:
    clip = ClipEmbedder(export(tmp_path))
    one, like = plate(1), np.clip(plate(1).astype(int) + 3, 0, 255).astype(np.uint8)

    def alike(first: str, second: str) -> float:
        return Embedding.of(clip, one, first).similarity(Embedding.of(clip, like, second))

    assert alike("", "") > 0.99
    assert alike("chicken", "chicken") == pytest.approx(alike("", ""), abs=1e-6)
    foods = ["chicken", "tofu", "peas", "rice", "lettuce", "noodles", "melon", "corn"]
    apart = [abs(alike(first, second)) for first in foods for second in foods if first != second]
    assert np.mean(apart) < 2.0 / math.sqrt(WIDTH), "as for two directions drawn by chance"
    assert max(apart) < 0.9


def test_the_way_texts_mix_in_is_the_same_for_ever(tmp_path: Path) -> None:
    """What is remembered today is compared with what is seen in years: this must never change without its version."""
    assert _mixed(np.arange(8, dtype=np.float32), "chicken").tolist() == FOR_EVER


FOR_EVER = [0.0, 4.0, -3.0, -1.0, 7.0, 6.0, -5.0, -2.0]


def test_other_weights_or_another_size_are_another_encoder(tmp_path: Path) -> None:
    plain = ClipEmbedder(export(tmp_path / "a"), name="clip")
    same = ClipEmbedder(export(tmp_path / "b", OLD), name="clip")
    weights = ClipEmbedder(export(tmp_path / "c", seed=1), name="clip")
    bilinear = ClipEmbedder(export(tmp_path / "d", {**NEW, "resample": 2}), name="clip")
    assert plain.digest == same.digest, "the old and the new way to write one thing"
    assert len({plain.digest, weights.digest, bilinear.digest}) == 3
    Encoder.of(plain)


def test_it_remembers_with_the_memory(tmp_path: Path) -> None:
    clip = ClipEmbedder(export(tmp_path / "clip"))
    like = np.clip(plate(1).astype(int) - 12, 0, 255).astype(np.uint8)
    with Journal.open(tmp_path / "m.db", clock=ManualClock(1_000.0)) as book:
        memory = Memory(book)
        source = Source(question="q", run="monday", picture="p")
        memory.remember("skill", Embedding.of(clip, plate(1), "tofu"), "scoop", by="Ana", source=source)
        found = memory.recall("skill", Embedding.of(clip, like, "tofu"), ("skewer", "scoop"))
        assert found is not None
        assert found.label == "scoop"
        assert memory.recall("skill", Embedding.of(clip, like, "chicken"), ("skewer", "scoop")) is None
        assert memory.recall("skill", Embedding.of(clip, plate(7), "tofu"), ("skewer", "scoop")) is None


# -- options by likeness -----------------------------------------------------------------------------------------------


def test_a_picture_is_what_the_example_is_that_it_is_most_like(tmp_path: Path) -> None:
    clip = ClipEmbedder(export(tmp_path))
    nearest = NearestExample(clip, {"mug": [plate(1), plate(2)], "bowl": [plate(3)]})
    output = nearest.choose(np.clip(plate(2).astype(int) + 3, 0, 255).astype(np.uint8))
    assert output.values == ("mug", "bowl")
    assert output.score > 0.99 > output.scores[1] >= 0.0
    other = NearestExample(clip, {"mug": [plate(1)], "bowl": [plate(3)]})
    assert nearest.digest != other.digest, "other examples are another model"
    with pytest.raises(BadSetting, match="'bowl' must have an example"):
        NearestExample(clip, {"mug": [plate(1)], "bowl": []})


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_a_folder_without_an_export_says_what_should_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match=r"must be a vision_model\.onnx in"):
        ClipEmbedder(tmp_path)
    encoder(tmp_path / "model.onnx", SIDE)
    with pytest.raises(BadRecord, match=r"must be a preprocessor_config\.json in"):
        ClipEmbedder(tmp_path)
    (tmp_path / "preprocessor_config.json").write_text("{", encoding="utf-8")
    with pytest.raises(BadRecord, match="that can be read"):
        ClipEmbedder(tmp_path)


@pytest.mark.parametrize(
    "changed",
    [
        {"image_mean": [0.5]},
        {"image_std": [0.2, 0.0, 0.2]},
        {"size": {"longest_edge": 224}},
        {"crop_size": -3},
        {"resample": 9},
        {"rescale_factor": "1/255"},
    ],
)
def test_preprocessing_that_is_not_done_here_is_refused(changed: Any) -> None:
    with pytest.raises(BadRecord):
        Preprocessing.of_json({**NEW, **changed})
    with pytest.raises(BadRecord, match="must be a JSON object"):
        Preprocessing.of_json([changed])


def test_another_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="got 'input_ids'"):
        ClipEmbedder(export(tmp_path / "a", given="input_ids"))
    with pytest.raises(BadRecord, match="and text_embeds"):
        ClipEmbedder(export(tmp_path / "b", output="text_embeds"))


@pytest.mark.parametrize("picture", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, np.zeros((4, 4), np.uint8)])
def test_what_is_no_picture_is_refused(tmp_path: Path, picture: Any) -> None:
    clip = ClipEmbedder(export(tmp_path))
    with pytest.raises(BadData):
        clip.embed(picture)


def test_a_picture_that_would_unpack_to_gigabytes_is_refused(tmp_path: Path) -> None:
    clip = ClipEmbedder(export(tmp_path))
    held = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(held, "PNG")
    assert len(held.getvalue()) < 200_000
    with pytest.raises(BadData):
        clip.embed(held.getvalue())


@pytest.mark.parametrize("missing", ["onnxruntime", "PIL"])
def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    export(tmp_path)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[models\]'"):
        ClipEmbedder(tmp_path)
