"""Boxes from any detector in an ONNX file, once it is said what the file takes and gives. Needs the extra `models`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting, Box, ContractViolation
from handup.core.checks import check_count, check_number, check_share
from handup.models.model import Output
from handup.models.onnx import Array, Network
from handup.models.pictures import Picture, check_picture, pillow

Floats = NDArray[np.float64]
THINNEST = 1e-3
"""In shares of the picture: what is thinner after it was cut at the edge is no box."""
ROUNDING = 1e-3
"""So far outside 0 and 1 a score may be by rounding, in half precision."""


class Corners(StrEnum):
    """What the four numbers of a box are."""

    XYXY = "xyxy"
    """Left, top, right, bottom."""
    CXCYWH = "cxcywh"
    """The middle, width and height."""


class Unit(StrEnum):
    """What these numbers count."""

    PIXEL = "pixel"
    """Pixels of the input."""
    RELATIVE = "relative"
    """Shares of the input, bars and all."""


class Layout(StrEnum):
    """How the outputs are arranged. A first axis of length 1 may stand before each."""

    LABELLED = "labelled"
    """Three: N × 4 boxes, N scores, N numbers of classes; as torchvision's detectors give them."""
    PER_CLASS = "per class"
    """Two: N × 4 boxes, and N × C scores, one for each class; as DETR gives them."""
    JOINED = "joined"
    """One: N × (4 + C), the box and then a score for each class, or its transpose; as YOLOv8 and later give them."""
    OBJECTNESS = "objectness"
    """One: N × (5 + C), the box, a score for anything at all, and one for each class; as YOLOv5 gives them."""


class Scores(StrEnum):
    """What must be done to the raw scores."""

    PLAIN = "plain"
    SIGMOID = "sigmoid"
    SOFTMAX = "softmax"


@dataclass(frozen=True, kw_only=True)
class DetectorFormat:
    """What a detector's file takes and gives. It cannot say so itself: a wrong word here gives wrong boxes, no error.

    So look at a few (`marked` draws them) before you trust it.

    Args:
        width: Of the input, in px.
        height: Of the input, in px.
        classes: The label that each class number means, in the robot's words; several may mean the same, and an empty
            one means nothing.
        layout: How its outputs are arranged.
        outputs: Their names in that order; by position where empty.
        corners: What the four numbers of a box are.
        unit: What they count.
        scores: What must be done to the raw scores.
        scale: By what the colours from 0 to 255 are multiplied first. A network that takes uint8 gets them as they are.
        mean: Taken off each colour then, in the order of the channels.
        std: By what each is divided then.
        bgr: Whether blue comes first.
        channels_last: Whether the input is height × width × 3, or else 3 × height × width.
        letterbox: Whether the picture keeps its proportions on the input, or is stretched.
        centred: Whether the bars are on both sides, or else on the right and at the bottom.
        bars: Their grey, 0 to 255.

    Raises:
        BadSetting: A size, colour or class that cannot be.
    """

    width: int
    height: int
    classes: tuple[str, ...]
    layout: Layout = Layout.LABELLED
    outputs: tuple[str, ...] = ()
    corners: Corners = Corners.XYXY
    unit: Unit = Unit.PIXEL
    scores: Scores = Scores.PLAIN
    scale: float = 1.0 / 255.0
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)
    bgr: bool = False
    channels_last: bool = False
    letterbox: bool = True
    centred: bool = True
    bars: int = 114

    def __post_init__(self) -> None:
        for what in ("width", "height"):
            check_count(what, getattr(self, what), least=1, error=BadSetting)
        for number in (self.scale, *self.mean, *self.std):
            check_number("a number of the normalisation", number, error=BadSetting)
        if len(self.mean) != 3 or len(self.std) != 3 or min(self.std) <= 0.0 or self.scale <= 0.0:
            raise BadSetting("this is no normalisation", hint="Give three means, three deviations above 0, a scale.")
        if not any(self.classes) or not all(isinstance(label, str) for label in self.classes):
            raise BadSetting("no class has a label", hint="Give the label of every class; '' for nothing.")
        if len(self.outputs) not in {0, needed := len(AXES[self.layout])}:
            raise BadSetting(f"{len(self.outputs)} outputs for the layout '{self.layout}'", hint=f"Name {needed}.")
        if self.layout is Layout.LABELLED and self.scores is Scores.SOFTMAX:
            raise BadSetting("one score a box cannot be a softmax over classes", hint="Use the layout 'per class'.")
        if not 0 <= self.bars <= 255:
            raise BadSetting(f"bars of grey {self.bars}", hint="Give 0 to 255.")


AXES = {Layout.LABELLED: (2, 1, 1), Layout.PER_CLASS: (2, 2), Layout.JOINED: (2,), Layout.OBJECTNESS: (2,)}
"""The outputs of each layout: how many axes each has, without one of length 1 before them."""


class OnnxDetector:
    """A detector of your own.

    Args:
        path: The ONNX file.
        form: What it takes and gives.
        least_score: Boxes below are left out.
        most_overlap: Of two boxes of a label that share more than this (intersection over union) the better one stays.
        most_boxes: How many stay.
        threads: How many the network may use.

    Attributes:
        labels: What it can find.
        digest: Which model this is: a hash of the file and of how it is used.

    Raises:
        MissingExtra, BadRecord: onnxruntime or the file is missing, or it is damaged.
        BadSetting: The file is of another form than is said.
    """

    def __init__(
        self,
        path: Path,
        form: DetectorFormat,
        *,
        least_score: float = 0.1,
        most_overlap: float = 0.5,
        most_boxes: int = 16,
        threads: int = 1,
    ) -> None:
        self.form = form
        self._least_score = check_share("least_score", least_score, error=BadSetting)
        self._most_overlap = check_share("most_overlap", most_overlap, error=BadSetting)
        self._most_boxes = check_count("most_boxes", most_boxes, least=1, error=BadSetting)
        self._network = Network(path, threads=threads)
        sides = (form.height, form.width)
        wanted, has = (1, *sides, 3) if form.channels_last else (1, 3, *sides), self._network.input_shape
        if len(has) != 4 or any(size not in {None, right} for size, right in zip(has, wanted, strict=True)):
            raise BadSetting(f"{path.name} has an input of {has}, not of {list(wanted)}", hint="Correct the format.")
        names, needed = self._network.outputs, len(AXES[form.layout])
        self._outputs = list(form.outputs) or names[:needed]
        if not set(self._outputs) <= set(names) or len(self._outputs) != needed:
            raise BadSetting(f"{path.name} gives {', '.join(names)}", hint=f"'{form.layout}' needs {needed} of them.")
        self.labels: tuple[str, ...] = tuple(dict.fromkeys(filter(None, form.classes)))
        self.digest = self._network.digest(repr((form, least_score, most_overlap, most_boxes)).encode())[:16]

    def find(self, picture: Picture, label: str) -> Output:
        """Find the boxes of a label, the best first.

        Raises:
            BadSetting: A label that it does not know, or no picture.
            ContractViolation: The network gives another shape than was said, or something that is no number.
        """
        if label not in self.labels:
            raise BadSetting(f"the detector knows no '{label}'", hint=f"Choose among: {', '.join(self.labels)}.")
        placed = Placement.of(check_picture(picture), self.form)
        made = self._network.run(self._input(placed.onto(picture)), self._outputs)
        boxes, scores = self._read([np.asarray(array, np.float64) for array in made], label)
        enough = scores >= self._least_score
        boxes, scores = boxes[enough], scores[enough]
        if not (np.isfinite(boxes).all() and np.isfinite(scores).all()):
            raise ContractViolation("the detector gives boxes that are no numbers", hint="Export it anew, in float32.")
        corners = np.clip(placed.back(self._corners(boxes)), 0.0, 1.0)
        thick = (corners[:, 2:] - corners[:, :2] > THINNEST).all(axis=1)
        corners, scores = corners[thick], np.minimum(scores[thick], 1.0)
        kept = without_overlaps(corners, scores, self._most_overlap, self._most_boxes)
        sides = ("left", "top", "right", "bottom")
        return Output(
            tuple(Box(**dict(zip(sides, corners[row].tolist(), strict=True))) for row in kept),
            tuple(scores[kept].tolist()),
        )

    def _input(self, canvas: NDArray[np.uint8]) -> Array:
        form = self.form
        colours: Array = canvas[..., ::-1] if form.bgr else canvas
        if self._network.input_type is not np.uint8:
            colours = (colours.astype(np.float64) * form.scale - np.array(form.mean)) / np.array(form.std)
        return (colours if form.channels_last else colours.transpose(2, 0, 1))[None]

    def _read(self, made: list[Floats], label: str) -> tuple[Floats, Floats]:
        """Boxes as the network counts them, and their scores for a label."""
        numbers = [number for number, meant in enumerate(self.form.classes) if meant == label]
        layout, classes, axes = self.form.layout, len(self.form.classes), AXES[self.form.layout]
        made = [
            array[0] if array.ndim == count + 1 and len(array) == 1 else array
            for array, count in zip(made, axes, strict=True)
        ]
        if tuple(array.ndim for array in made) != axes:
            raise _shaped(made, "of so many axes")
        if layout is Layout.LABELLED:
            boxes, scores, labels = made
            if boxes.shape != (len(scores), 4) or len(labels) != len(scores):
                raise _shaped(made, "N × 4, N, N")
            meant = np.isin(labels, numbers)
            return boxes[meant], self._scored(scores[meant])
        sure: Floats | float = 1.0
        if layout is Layout.PER_CLASS:
            boxes, of_classes = made
        else:
            [joined] = made
            columns = classes + (5 if layout is Layout.OBJECTNESS else 4)
            joined = joined.T if joined.shape[1] != columns and joined.shape[0] == columns else joined
            boxes, of_classes = joined[:, :4], joined[:, columns - classes :]
            if layout is Layout.OBJECTNESS and joined.shape[1] == columns:
                sure = self._scored(joined[:, 4:5])
        if boxes.shape != (len(boxes), 4) or of_classes.shape != (len(boxes), classes):
            raise _shaped(made, f"N boxes with {classes} classes")
        return boxes, (sure * self._scored(of_classes))[:, numbers].max(axis=1, initial=0.0)

    def _scored(self, raw: Floats) -> Floats:
        if self.form.scores is Scores.PLAIN:
            if raw.size and not (raw.min() >= -ROUNDING and raw.max() <= 1.0 + ROUNDING):
                raise ContractViolation(
                    f"the detector gives scores from {raw.min():g} to {raw.max():g}",
                    hint="Say what must be done to them: Scores.SIGMOID or Scores.SOFTMAX.",
                )
            return raw
        if self.form.scores is Scores.SIGMOID:
            return np.asarray(1.0 / (1.0 + np.exp(-np.clip(raw, -700.0, 700.0))))
        powers = np.exp(raw - raw.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

    def _corners(self, boxes: Floats) -> Floats:
        """Left, top, right, bottom in px of the input."""
        if self.form.corners is Corners.CXCYWH:
            boxes = np.hstack([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2])
        return boxes * ((self.form.width, self.form.height) * 2) if self.form.unit is Unit.RELATIVE else boxes


def _shaped(made: list[Floats], wanted: str) -> ContractViolation:
    shapes = ", ".join(str(list(array.shape)) for array in made)
    return ContractViolation(
        f"the detector gives {shapes}, which is not {wanted}", hint="Correct the layout, or the list of classes."
    )


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where a picture lies on the input of a detector, in px.

    Sides are whole pixels, so width and height may be scaled by slightly different factors. Both ways go by the sides
    themselves, so nothing is lost in rounding.
    """

    form: DetectorFormat
    left: int
    top: int
    wide: int
    high: int

    @classmethod
    def of(cls, picture: Picture, form: DetectorFormat) -> Placement:
        """Place a picture as the format says: stretched, or with bars beside it."""
        high, wide = picture.shape[:2]
        if not form.letterbox:
            return cls(form=form, left=0, top=0, wide=form.width, high=form.height)
        scale = min(form.width / wide, form.height / high)
        wide, high = max(1, round(wide * scale)), max(1, round(high * scale))
        left, top = ((form.width - wide) // 2, (form.height - high) // 2) if form.centred else (0, 0)
        return cls(form=form, left=left, top=top, wide=wide, high=high)

    def onto(self, picture: Picture) -> NDArray[np.uint8]:
        """Draw the picture on the input: height × width × 3, with its bars."""
        image_of, _ = pillow("resizing a picture")
        image: Any = image_of.fromarray(picture)
        if image.size != (self.wide, self.high):
            image = image.resize((self.wide, self.high), image_of.Resampling.BILINEAR)
        canvas = np.full((self.form.height, self.form.width, 3), self.form.bars, np.uint8)
        canvas[self.top : self.top + self.high, self.left : self.left + self.wide] = np.asarray(image)
        return canvas

    def back(self, corners: Floats) -> Floats:
        """Rows of left, top, right, bottom in px of the input, as shares of the picture; not clipped."""
        shares: Floats = (corners - (self.left, self.top) * 2) / ((self.wide, self.high) * 2)
        return shares


def without_overlaps(corners: Floats, scores: Floats, most_overlap: float, most: int) -> list[int]:
    """Choose the boxes that stay (non-maximum suppression): from the best on, each that overlaps no better one much.

    Args:
        corners: Rows of left, top, right, bottom, all with an area.
        scores: One for each; of equals the first is taken for the better.
        most_overlap: Intersection over union above which the worse box goes.
        most: How many may stay.

    Returns:
        Their rows, the best first.
    """
    areas = (corners[:, 2:] - corners[:, :2]).prod(axis=1)
    rest = np.argsort(-scores, kind="stable")
    kept: list[int] = []
    while rest.size and len(kept) < most:
        best, rest = int(rest[0]), rest[1:]
        kept.append(best)
        least = np.maximum(corners[best, :2], corners[rest, :2])
        greatest = np.minimum(corners[best, 2:], corners[rest, 2:])
        shared = np.clip(greatest - least, 0.0, None).prod(axis=1)
        rest = rest[shared <= most_overlap * (areas[best] + areas[rest] - shared)]
    return kept
