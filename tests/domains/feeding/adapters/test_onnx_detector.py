"""Detectors from files: real ONNX graphs of every form that is declared, and those that are not what they are said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from handup.core import BadRecord, BadSetting, Box, ContractViolation, MissingExtra
from handup.domains.feeding.adapters import Corners, DetectorFormat, Layout, OnnxDetector, Scores, Unit
from handup.domains.feeding.peaks import overlap
from handup.domains.feeding.seeing import FindsBoxes, Picture
from tests.domains.feeding.adapters.graphs import CELL, CELLS, SIDE, anchors, constant, detector

RED, GREEN, GREY = (250, 10, 10), (10, 250, 10), (114, 114, 114)


def form(**changed: Any) -> DetectorFormat:
    plain: dict[str, Any] = {
        "width": SIDE,
        "height": SIDE,
        "classes": ("cherry tomatoes", "green beans"),
        "layout": Layout.PER_CLASS,
        "scores": Scores.SIGMOID,
    }
    return DetectorFormat(**plain | changed)


def picture(width: int, height: int, *spots: tuple[Box, tuple[int, int, int]]) -> Picture:
    made = np.full((height, width, 3), GREY, np.uint8)
    for box, colour in spots:
        made[
            round(box.top * height) : round(box.bottom * height), round(box.left * width) : round(box.right * width)
        ] = colour
    return made


def cell(row: int, column: int) -> Box:
    """Of a square picture, what the detector's cell there covers."""
    return Box(left=column / CELLS, top=row / CELLS, right=(column + 1) / CELLS, bottom=(row + 1) / CELLS)


def in_form(corners: Corners, unit: Unit) -> NDArray[np.float32]:
    boxes = anchors()
    if corners is Corners.CXCYWH:
        boxes = np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], axis=1)
    return (boxes / SIDE if unit is Unit.RELATIVE else boxes).astype(np.float32)


@pytest.mark.parametrize("corners", Corners)
@pytest.mark.parametrize("unit", Unit)
@pytest.mark.parametrize("layout", ["per class", "joined", "turned"])
def test_every_declared_form_gives_the_same_boxes(tmp_path: Path, corners: Corners, unit: Unit, layout: str) -> None:
    path = detector(tmp_path / "d.onnx", in_form(corners, unit), layout=layout)
    arranged = Layout.PER_CLASS if layout == "per class" else Layout.JOINED
    finds: FindsBoxes = OnnxDetector(path, form(corners=corners, unit=unit, layout=arranged))
    rgb = picture(SIDE, SIDE, (cell(2, 5), RED), (cell(6, 1), GREEN))
    tomatoes, beans = finds.find(rgb, "cherry tomatoes"), finds.find(rgb, "green beans")
    assert tomatoes.boxes == (cell(2, 5),)
    assert beans.boxes == (cell(6, 1),)
    assert tomatoes.score > 0.99
    assert finds.find(picture(SIDE, SIDE), "green beans").boxes == ()


@pytest.mark.parametrize(("width", "height"), [(320, 240), (240, 320), (640, 480), (100, 300), (64, 64)])
@pytest.mark.parametrize("centred", [True, False])
def test_a_spot_is_found_where_it_is_on_pictures_of_any_size(
    tmp_path: Path, width: int, height: int, centred: bool
) -> None:
    """A spot that is one cell of the input, wherever the bars push it, comes back to its own place."""
    finds = OnnxDetector(detector(tmp_path / "d.onnx"), form(centred=centred))
    scale = SIDE / max(width, height)
    bars = np.array([SIDE - round(width * scale), SIDE - round(height * scale)]) // (2 if centred else 1 << 30)
    low = np.ceil(bars / CELL) * CELL
    corner = (low - bars) / scale / [width, height]
    side = CELL / scale / np.array([width, height])
    spot = Box(left=corner[0], top=corner[1], right=corner[0] + side[0], bottom=corner[1] + side[1])
    found = finds.find(picture(width, height, (spot, RED)), "cherry tomatoes")
    assert overlap(found.boxes[0], spot) > 0.93


def test_stretched_and_letterboxed_differ_as_they_should(tmp_path: Path) -> None:
    path = detector(tmp_path / "d.onnx")
    spot = Box(left=0.5, top=0.25, right=0.625, bottom=0.375)
    rgb = picture(640, 160, (spot, GREEN))
    assert OnnxDetector(path, form(letterbox=False)).find(rgb, "green beans").boxes == (spot,)
    assert OnnxDetector(path, form()).find(rgb, "green beans").boxes != (spot,)


def test_colours_go_in_the_declared_order_and_range(tmp_path: Path) -> None:
    path = detector(tmp_path / "d.onnx")
    blue = picture(SIDE, SIDE, (cell(1, 1), (10, 10, 250)))
    assert OnnxDetector(path, form()).find(blue, "cherry tomatoes").boxes == ()
    assert OnnxDetector(path, form(bgr=True)).find(blue, "cherry tomatoes").boxes == (cell(1, 1),)
    red = picture(SIDE, SIDE, (cell(1, 1), RED))
    shifted = OnnxDetector(path, form(mean=(1.0, 0.0, 0.0)))
    assert shifted.find(red, "cherry tomatoes").boxes == (), "without its red it is no tomato"
    doubled = OnnxDetector(path, form(scale=1 / 510, std=(0.5, 0.5, 0.5)))
    assert doubled.find(red, "cherry tomatoes") == OnnxDetector(path, form()).find(red, "cherry tomatoes")


def labelled(path: Path, scores: list[float], labels: list[int], boxes: list[list[float]]) -> Path:
    outputs: dict[str, NDArray[Any]] = {
        "boxes": np.array(boxes, np.float32).reshape(-1, 4),
        "scores": np.array(scores, np.float32),
        "labels": np.array(labels, np.int64),
    }
    return constant(path, outputs)


SMALL: dict[str, Any] = {"width": 8, "height": 8, "layout": Layout.LABELLED, "scores": Scores.PLAIN}


def test_labelled_boxes_as_torchvision_gives_them(tmp_path: Path) -> None:
    boxes = [[0.0, 0, 4, 4], [0.0, 0, 4, 5], [4.0, 4, 8, 8], [0.0, 4, 2, 8]]
    path = labelled(tmp_path / "d.onnx", [0.6, 0.9, 0.05, 0.7], [1, 1, 1, 2], boxes)
    finds = OnnxDetector(path, form(classes=("", "peas", "rice"), **SMALL))
    assert finds.foods == ("peas", "rice")
    rgb = np.zeros((8, 8, 3), np.uint8)
    peas = finds.find(rgb, "peas")
    assert peas.boxes == (Box(left=0, top=0, right=0.5, bottom=0.625),), "one overlaps it, one is below the least score"
    assert peas.scores == pytest.approx((0.9,))
    assert finds.find(rgb, "rice").scores == pytest.approx((0.7,))
    single = labelled(tmp_path / "one.onnx", [0.9], [1], [[0, 0, 4, 4]])
    assert len(OnnxDetector(single, form(classes=("", "peas"), **SMALL)).find(rgb, "peas").boxes) == 1


def test_two_classes_may_mean_one_food(tmp_path: Path) -> None:
    path = labelled(tmp_path / "d.onnx", [0.6, 0.9], [0, 1], [[0, 0, 4, 4], [4, 4, 8, 8]])
    finds = OnnxDetector(path, form(classes=("peas", "peas"), **SMALL))
    assert finds.foods == ("peas",)
    assert finds.find(np.zeros((8, 8, 3), np.uint8), "peas").scores == pytest.approx((0.9, 0.6))


def test_objectness_weighs_the_class(tmp_path: Path) -> None:
    rows = np.array([[[0, 0, 4, 4, 0.5, 0.8, 0.1], [4, 4, 8, 8, 1.0, 0.2, 0.9]]], np.float32)
    path = constant(tmp_path / "d.onnx", {"rows": rows})
    finds = OnnxDetector(path, form(classes=("peas", "rice"), **SMALL | {"layout": Layout.OBJECTNESS}))
    assert finds.find(np.zeros((8, 8, 3), np.uint8), "peas").scores == pytest.approx((0.4, 0.2))


def test_softmax_knows_a_class_for_nothing(tmp_path: Path) -> None:
    logits = np.array([[[2.0, 0.0, 0.0], [0.0, 0.0, 9.0]]], np.float32)
    boxes = np.array([[[0.25, 0.25, 0.5, 0.5], [0.75, 0.75, 0.5, 0.5]]], np.float32)
    path = constant(tmp_path / "d.onnx", {"logits": logits, "pred_boxes": boxes})
    arranged = SMALL | {"layout": Layout.PER_CLASS, "scores": Scores.SOFTMAX}
    made = form(
        classes=("peas", "rice", ""),
        outputs=("pred_boxes", "logits"),
        corners=Corners.CXCYWH,
        unit=Unit.RELATIVE,
        **arranged,
    )
    found = OnnxDetector(path, made, least_score=0.2).find(np.zeros((8, 8, 3), np.uint8), "peas")
    assert found.boxes == (Box(left=0, top=0, right=0.5, bottom=0.5),)
    assert found.score == pytest.approx(np.exp(2) / (np.exp(2) + 2))


def test_the_same_file_in_another_form_is_another_model(tmp_path: Path) -> None:
    path = detector(tmp_path / "d.onnx")
    one, again, other = (OnnxDetector(path, each) for each in (form(), form(), form(bgr=True)))
    assert one.networks == again.networks != other.networks


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_a_missing_or_damaged_file_is_named_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="there is no file"):
        OnnxDetector(tmp_path / "none.onnx", form())
    path = detector(tmp_path / "d.onnx")
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(BadRecord, match=r"d\.onnx is no ONNX file, or damaged") as refused:
        OnnxDetector(path, form())
    assert "\n" not in str(refused.value)


def test_without_onnxruntime_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = detector(tmp_path / "d.onnx")
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"pip install 'handup\[sim\]'"):
        OnnxDetector(path, form())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"width": 32}, "an input of"),
        ({"channels_last": True}, "an input of"),
        ({"layout": Layout.LABELLED}, "needs 3"),
        ({"outputs": ("boxes", "scores")}, "gives boxes, logits"),
    ],
)
def test_a_file_of_another_form_is_refused_when_it_is_opened(tmp_path: Path, changed: Any, said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        OnnxDetector(detector(tmp_path / "d.onnx"), form(**changed))


def test_a_wrong_number_of_classes_shows_at_the_first_picture(tmp_path: Path) -> None:
    finds = OnnxDetector(detector(tmp_path / "d.onnx"), form(classes=("peas", "rice", "tofu")))
    with pytest.raises(ContractViolation, match="N boxes with 3 classes"):
        finds.find(picture(SIDE, SIDE), "peas")


def test_logits_are_not_taken_for_probabilities(tmp_path: Path) -> None:
    finds = OnnxDetector(detector(tmp_path / "d.onnx"), form(scores=Scores.PLAIN))
    with pytest.raises(ContractViolation, match="SIGMOID"):
        finds.find(picture(SIDE, SIDE, (cell(1, 1), RED)), "green beans")


def test_boxes_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    path = labelled(tmp_path / "d.onnx", [0.9], [0], [[0, 0, float("nan"), 4]])
    finds = OnnxDetector(path, form(classes=("peas",), **SMALL))
    with pytest.raises(ContractViolation, match="no numbers"):
        finds.find(np.zeros((8, 8, 3), np.uint8), "peas")


@pytest.mark.parametrize(
    "changed",
    [
        {"width": 0},
        {"classes": ("",)},
        {"classes": ()},
        {"std": (1.0, 0.0, 1.0)},
        {"scale": float("nan")},
        {"bars": 300},
        {"outputs": ("one",)},
        {"layout": Layout.LABELLED, "scores": Scores.SOFTMAX},
    ],
)
def test_forms_that_cannot_be_are_refused(changed: Any) -> None:
    with pytest.raises(BadSetting):
        form(**changed)


def test_unknown_foods_and_odd_pictures_are_refused(tmp_path: Path) -> None:
    finds = OnnxDetector(detector(tmp_path / "d.onnx"), form())
    with pytest.raises(BadSetting, match="knows no 'pineapple'"):
        finds.find(picture(SIDE, SIDE), "pineapple")
    with pytest.raises(BadSetting, match="shape"):
        finds.find(np.zeros((8, 8), np.uint8), "green beans")
