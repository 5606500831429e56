"""Detectors from files: real ONNX graphs of every form that is declared, and those that are not what they are said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from handup.core import BadRecord, BadSetting, Box, ContractViolation, MissingExtra
from handup.models import Corners, DetectorFormat, Layout, OnnxDetector, Scores, Unit
from handup.models.detector import Placement, without_overlaps
from handup.models.pictures import Picture
from tests.models.graphs import CELL, CELLS, SIDE, anchors, constant, detector

RED, GREEN, GREY = (250, 10, 10), (10, 250, 10), (114, 114, 114)


def form(**changed: Any) -> DetectorFormat:
    plain: dict[str, Any] = {
        "width": SIDE,
        "height": SIDE,
        "classes": ("red gear", "green gear"),
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


def sides(box: Box) -> NDArray[np.float64]:
    return np.array([box.left, box.top, box.right, box.bottom])


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
    finds = OnnxDetector(path, form(corners=corners, unit=unit, layout=arranged))
    rgb = picture(SIDE, SIDE, (cell(2, 5), RED), (cell(6, 1), GREEN))
    reds, greens = finds.find(rgb, "red gear"), finds.find(rgb, "green gear")
    assert reds.values == (cell(2, 5),)
    assert greens.values == (cell(6, 1),)
    assert reds.score > 0.99
    assert finds.find(picture(SIDE, SIDE), "green gear").values == ()


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
    found = finds.find(picture(width, height, (spot, RED)), "red gear")
    assert isinstance(found.value, Box)
    assert shared(sides(found.value), sides(spot)) > 0.93


def test_stretched_and_letterboxed_differ_as_they_should(tmp_path: Path) -> None:
    path = detector(tmp_path / "d.onnx")
    spot = Box(left=0.5, top=0.25, right=0.625, bottom=0.375)
    rgb = picture(640, 160, (spot, GREEN))
    assert OnnxDetector(path, form(letterbox=False)).find(rgb, "green gear").values == (spot,)
    assert OnnxDetector(path, form()).find(rgb, "green gear").values != (spot,)


def test_colours_go_in_the_declared_order_and_range(tmp_path: Path) -> None:
    path = detector(tmp_path / "d.onnx")
    blue = picture(SIDE, SIDE, (cell(1, 1), (10, 10, 250)))
    assert OnnxDetector(path, form()).find(blue, "red gear").values == ()
    assert OnnxDetector(path, form(bgr=True)).find(blue, "red gear").values == (cell(1, 1),)
    red = picture(SIDE, SIDE, (cell(1, 1), RED))
    shifted = OnnxDetector(path, form(mean=(1.0, 0.0, 0.0)))
    assert shifted.find(red, "red gear").values == (), "without its red it is no red gear"
    doubled = OnnxDetector(path, form(scale=1 / 510, std=(0.5, 0.5, 0.5)))
    assert doubled.find(red, "red gear") == OnnxDetector(path, form()).find(red, "red gear")


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
    finds = OnnxDetector(path, form(classes=("", "nut", "bolt"), **SMALL))
    assert finds.labels == ("nut", "bolt")
    rgb = np.zeros((8, 8, 3), np.uint8)
    nut = finds.find(rgb, "nut")
    assert nut.values == (Box(left=0, top=0, right=0.5, bottom=0.625),), "one overlaps it, one is below the least score"
    assert nut.scores == pytest.approx((0.9,))
    assert finds.find(rgb, "bolt").scores == pytest.approx((0.7,))
    single = labelled(tmp_path / "one.onnx", [0.9], [1], [[0, 0, 4, 4]])
    assert len(OnnxDetector(single, form(classes=("", "nut"), **SMALL)).find(rgb, "nut").values) == 1


def test_two_classes_may_mean_one_label(tmp_path: Path) -> None:
    path = labelled(tmp_path / "d.onnx", [0.6, 0.9], [0, 1], [[0, 0, 4, 4], [4, 4, 8, 8]])
    finds = OnnxDetector(path, form(classes=("nut", "nut"), **SMALL))
    assert finds.labels == ("nut",)
    assert finds.find(np.zeros((8, 8, 3), np.uint8), "nut").scores == pytest.approx((0.9, 0.6))


def test_objectness_weighs_the_class(tmp_path: Path) -> None:
    rows = np.array([[[0, 0, 4, 4, 0.5, 0.8, 0.1], [4, 4, 8, 8, 1.0, 0.2, 0.9]]], np.float32)
    path = constant(tmp_path / "d.onnx", {"rows": rows})
    finds = OnnxDetector(path, form(classes=("nut", "bolt"), **SMALL | {"layout": Layout.OBJECTNESS}))
    assert finds.find(np.zeros((8, 8, 3), np.uint8), "nut").scores == pytest.approx((0.4, 0.2))


def test_softmax_knows_a_class_for_nothing(tmp_path: Path) -> None:
    logits = np.array([[[2.0, 0.0, 0.0], [0.0, 0.0, 9.0]]], np.float32)
    boxes = np.array([[[0.25, 0.25, 0.5, 0.5], [0.75, 0.75, 0.5, 0.5]]], np.float32)
    path = constant(tmp_path / "d.onnx", {"logits": logits, "pred_boxes": boxes})
    arranged = SMALL | {"layout": Layout.PER_CLASS, "scores": Scores.SOFTMAX}
    made = form(
        classes=("nut", "bolt", ""),
        outputs=("pred_boxes", "logits"),
        corners=Corners.CXCYWH,
        unit=Unit.RELATIVE,
        **arranged,
    )
    found = OnnxDetector(path, made, least_score=0.2).find(np.zeros((8, 8, 3), np.uint8), "nut")
    assert found.values == (Box(left=0, top=0, right=0.5, bottom=0.5),)
    assert found.score == pytest.approx(np.exp(2) / (np.exp(2) + 2))


def test_the_same_file_in_another_form_is_another_model(tmp_path: Path) -> None:
    path = detector(tmp_path / "d.onnx")
    one, again, other = (OnnxDetector(path, each) for each in (form(), form(), form(bgr=True)))
    assert one.digest == again.digest != other.digest


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_a_missing_or_damaged_file_is_named_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="must be a file"):
        OnnxDetector(tmp_path / "none.onnx", form())
    path = detector(tmp_path / "d.onnx")
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(BadRecord, match=r"d\.onnx must be a whole ONNX file") as refused:
        OnnxDetector(path, form())
    assert "\n" not in str(refused.value)


def test_without_onnxruntime_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = detector(tmp_path / "d.onnx")
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[models\]'"):
        OnnxDetector(path, form())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"width": 32}, "an input of"),
        ({"channels_last": True}, "an input of"),
        ({"layout": Layout.LABELLED}, "must have 3 outputs"),
        ({"outputs": ("boxes", "scores")}, "got boxes, logits"),
    ],
)
def test_a_file_of_another_form_is_refused_when_it_is_opened(tmp_path: Path, changed: Any, said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        OnnxDetector(detector(tmp_path / "d.onnx"), form(**changed))


def test_a_wrong_number_of_classes_shows_at_the_first_picture(tmp_path: Path) -> None:
    finds = OnnxDetector(detector(tmp_path / "d.onnx"), form(classes=("nut", "bolt", "washer")))
    with pytest.raises(ContractViolation, match="N boxes with 3 classes"):
        finds.find(picture(SIDE, SIDE), "nut")


def test_logits_are_not_taken_for_probabilities(tmp_path: Path) -> None:
    finds = OnnxDetector(detector(tmp_path / "d.onnx"), form(scores=Scores.PLAIN))
    with pytest.raises(ContractViolation, match="SIGMOID"):
        finds.find(picture(SIDE, SIDE, (cell(1, 1), RED)), "green gear")


def test_boxes_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    path = labelled(tmp_path / "d.onnx", [0.9], [0], [[0, 0, float("nan"), 4]])
    finds = OnnxDetector(path, form(classes=("nut",), **SMALL))
    with pytest.raises(ContractViolation, match="not finite"):
        finds.find(np.zeros((8, 8, 3), np.uint8), "nut")


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


def test_unknown_labels_and_odd_pictures_are_refused(tmp_path: Path) -> None:
    finds = OnnxDetector(detector(tmp_path / "d.onnx"), form())
    with pytest.raises(BadSetting, match="got 'hammer'"):
        finds.find(picture(SIDE, SIDE), "hammer")
    with pytest.raises(BadSetting, match="height × width × 3"):
        finds.find(np.zeros((8, 8), np.uint8), "green gear")


# -- on the input and back, and overlapping boxes ----------------------------------------------------------------------

SIDES = st.integers(1, 900)


@given(SIDES, SIDES, SIDES, SIDES, st.booleans(), st.booleans(), st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_boxes_come_back_as_they_were(
    wide: int, high: int, width: int, height: int, letterbox: bool, centred: bool, shares: list[float]
) -> None:
    rgb = np.zeros((high, wide, 3), np.uint8)
    placed = Placement.of(rgb, form(width=width, height=height, letterbox=letterbox, centred=centred))
    assert 0 <= placed.left <= placed.left + placed.wide <= width
    assert 0 <= placed.top <= placed.top + placed.high <= height
    assert placed.wide == width or placed.high == height, "one side is filled"
    sizes, begin = np.array([placed.wide, placed.high] * 2), np.array([placed.left, placed.top] * 2)
    on_input = np.array([shares]) * sizes + begin
    assert np.allclose(placed.back(on_input), [shares], rtol=0, atol=1e-12 * max(width, height))


def test_the_bars_are_where_they_are_said_to_be() -> None:
    red = np.full((30, 60, 3), (250, 10, 10), np.uint8)
    centred = Placement.of(red, form()).onto(red)
    assert (centred[16:48] == (250, 10, 10)).all()
    assert (centred[:16] == 114).all()
    assert (centred[48:] == 114).all()
    below = Placement.of(red, form(centred=False, bars=0)).onto(red)
    assert (below[:32] == (250, 10, 10)).all()
    assert (below[32:] == 0).all()
    stretched = Placement.of(red, form(letterbox=False)).onto(red)
    assert (stretched == (250, 10, 10)).all()


def plainly(corners: NDArray[np.float64], scores: NDArray[np.float64], most_overlap: float) -> list[int]:
    """The oracle: take the best of what is left, throw out whatever overlaps it, begin again."""
    left, kept = set(range(len(scores))), []
    while left:
        best = min(left, key=lambda each: (-scores[each], each))
        kept.append(best)
        left = {each for each in left - {best} if shared(corners[best], corners[each]) <= most_overlap}
    return kept


def shared(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    wide, high = min(one[2], two[2]) - max(one[0], two[0]), min(one[3], two[3]) - max(one[1], two[1])
    inside = max(wide, 0.0) * max(high, 0.0)
    whole = sum((each[2] - each[0]) * (each[3] - each[1]) for each in (one, two))
    return float(inside / (whole - inside))


DRAWN = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(1, 8), st.integers(1, 8), st.integers(0, 5))


@given(st.lists(DRAWN, max_size=24), st.sampled_from([0.0, 0.25, 0.4, 0.55, 1.0]))
def test_overlapping_boxes_go_as_in_the_plainest_way(drawn: list[tuple[int, ...]], most_overlap: float) -> None:
    """Small whole numbers: many boxes are alike, many scores are equal."""
    corners = np.array([(x, y, x + wide, y + high) for x, y, wide, high, _ in drawn], float).reshape(-1, 4)
    scores = np.array([each[4] / 5 for each in drawn], float)
    kept = plainly(corners, scores, most_overlap)
    assert without_overlaps(corners, scores, most_overlap, 100) == kept
    assert without_overlaps(corners, scores, most_overlap, 3) == kept[:3]
