"""Detectors in ONNX files, with a description of their inputs and outputs. Needs the extra `models`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import Box, ConflictingSettings, ContractViolation, MissingSetting, OutOfRange, UnknownName, WrongSize
from handup.core.checks import check_count, check_number, check_share, shown
from handup.models.model import Output
from handup.models.onnx import Array, Network
from handup.models.pictures import Picture, check_picture, pillow

Floats = NDArray[np.float64]
THINNEST = 1e-3
"""Least side of a box after it was cut at the edge, as a share of the picture."""
ROUNDING = 1e-3
"""Largest excess of a score over 0 to 1 by rounding, in half precision."""


class Corners(StrEnum):
    """Meaning of the four numbers of a box."""

    XYXY = "xyxy"
    """Left, top, right, bottom."""
    CXCYWH = "cxcywh"
    """The middle, width and height."""


class Unit(StrEnum):
    """Unit of the numbers of a box."""

    PIXEL = "pixel"
    """Pixels of the input."""
    RELATIVE = "relative"
    """Shares of the input, including its bars."""


class Layout(StrEnum):
    """Arrangement of the outputs, each possibly with a first axis of length 1."""

    LABELLED = "labelled"
    """Three outputs: N × 4 boxes, N scores and N class numbers, as of torchvision's detectors."""
    PER_CLASS = "per class"
    """Two outputs: N × 4 boxes, and N × C scores, one for each class, as of DETR."""
    JOINED = "joined"
    """One output: N × (4 + C), the box and then a score for each class, or its transpose, as of YOLOv8 and later."""
    OBJECTNESS = "objectness"
    """One output: N × (5 + C), the box, a score for any object, and a score for each class, as of YOLOv5."""


class Scores(StrEnum):
    """Function that turns raw scores into scores from 0 to 1."""

    PLAIN = "plain"
    SIGMOID = "sigmoid"
    SOFTMAX = "softmax"


@dataclass(frozen=True, kw_only=True)
class DetectorFormat:
    """Description of the inputs and outputs of a detector's file.

    The file does not contain it, and a mistake gives wrong boxes instead of an error: look at a few (`marked` draws
    them) before you trust it.

    Args:
        width: Width of the input in px.
        height: Height of the input in px.
        classes: Label of each class number, in the robot's words. Several may have one label; an empty label leaves
            the class out.
        layout: Arrangement of the outputs.
        outputs: Names of the outputs in that order; the first outputs of the file where empty.
        corners: Meaning of the four numbers of a box.
        unit: Unit of these numbers.
        scores: Function to apply to the raw scores.
        scale: Factor on the colours from 0 to 255. A network that takes uint8 gets the colours unchanged.
        mean: Number subtracted from each colour then, in the order of the channels.
        std: Number by which each colour is divided then, above 0.
        bgr: True if blue comes first.
        channels_last: True if the input is height × width × 3 instead of 3 × height × width.
        letterbox: True if the picture keeps its proportions, with bars beside it, instead of being stretched.
        centred: True if the bars are on both sides instead of on the right and at the bottom.
        bars: Grey of the bars, 0 to 255.

    Raises:
        OutOfRange, WrongSize, MissingSetting, ConflictingSettings: A size, colour, class or output is not allowed.
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
            check_count(what, getattr(self, what), least=1, error=OutOfRange)
        for number in (self.scale, *self.mean, *self.std):
            check_number("a number of the normalisation", number, error=OutOfRange)
        if len(self.mean) != 3 or len(self.std) != 3 or min(self.std) <= 0.0 or self.scale <= 0.0:
            got, must = f"{self.mean}, {self.std} and {self.scale:g}", "be three numbers, three above 0 and one above 0"
            raise OutOfRange.of("mean, std and scale", got, must, hint="Take them from the training.")
        if not any(self.classes) or not all(isinstance(label, str) for label in self.classes):
            raise MissingSetting.of("classes", shown(self.classes), "hold a label", hint="Give '' for other classes.")
        if len(self.outputs) not in {0, needed := len(AXES[self.layout])}:
            must = f"be {needed} names for the layout '{self.layout}'"
            raise WrongSize.of("outputs", len(self.outputs), must, hint="Leave them out to take the first.")
        if self.layout is Layout.LABELLED and self.scores is Scores.SOFTMAX:
            must = "not be a softmax over classes in this layout"
            raise ConflictingSettings.of("scores", self.layout, must, hint="Use the layout 'per class'.")
        if not 0 <= self.bars <= 255:
            raise OutOfRange.of("bars", self.bars, "lie between 0 and 255", hint="Give a grey.")


AXES = {Layout.LABELLED: (2, 1, 1), Layout.PER_CLASS: (2, 2), Layout.JOINED: (2,), Layout.OBJECTNESS: (2,)}
"""Number of axes of each output of a layout, without a first axis of length 1."""


class OnnxDetector:
    """Detector of your own in an ONNX file.

    Args:
        path: The ONNX file.
        form: Description of its inputs and outputs.
        least_score: Least score of a box, from 0 to 1.
        most_overlap: Largest overlap (intersection over union) of two boxes of a label; beyond it the better one stays.
        most_boxes: Largest number of boxes.
        threads: Number of threads that the network may use.

    Attributes:
        labels: Labels that it can find.
        digest: Hash of the file and of the settings.

    Raises:
        MissingExtra, BadRecord: onnxruntime or the file is missing, or it is damaged.
        ConflictingSettings, OutOfRange: The file does not fit the description, or a limit is outside its range.
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
        self._least_score = check_share("least_score", least_score, error=OutOfRange)
        self._most_overlap = check_share("most_overlap", most_overlap, error=OutOfRange)
        self._most_boxes = check_count("most_boxes", most_boxes, least=1, error=OutOfRange)
        self._network = Network(path, threads=threads)
        sides = (form.height, form.width)
        shape, has = (1, *sides, 3) if form.channels_last else (1, 3, *sides), self._network.input_shape
        if len(has) != 4 or any(size not in {None, side} for size, side in zip(has, shape, strict=True)):
            must = f"have an input of {list(shape)}"
            raise ConflictingSettings.of(path.name, has, must, hint="Correct the format.")
        names, needed = self._network.outputs, len(AXES[form.layout])
        self._outputs = list(form.outputs) or names[:needed]
        if not set(self._outputs) <= set(names) or len(self._outputs) != needed:
            must = f"have {needed} outputs for the layout '{form.layout}'"
            raise ConflictingSettings.of(path.name, ", ".join(names), must, hint="Correct the layout or the names.")
        self.labels: tuple[str, ...] = tuple(dict.fromkeys(filter(None, form.classes)))
        self.digest = self._network.digest(repr((form, least_score, most_overlap, most_boxes)).encode())[:16]

    def find(self, picture: Picture, label: str) -> Output:
        """Find the boxes of a label, the best first.

        Raises:
            UnknownName: The detector does not know the label.
            WrongSize: It is not a picture.
            ContractViolation: The network returns another shape than described, or numbers that are not finite.
        """
        if label not in self.labels:
            raise UnknownName.of("the label", f"'{label}'", "be known", hint=f"Choose among: {', '.join(self.labels)}.")
        placed = Placement.of(check_picture(picture), self.form)
        outputs = self._network.run(self._input(placed.onto(picture)), self._outputs)
        boxes, scores = self._read([np.asarray(array, np.float64) for array in outputs], label)
        enough = scores >= self._least_score
        boxes, scores = boxes[enough], scores[enough]
        if not (np.isfinite(boxes).all() and np.isfinite(scores).all()):
            raise ContractViolation("the detector gives boxes that are not finite", hint="Export it anew, in float32.")
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

    def _read(self, outputs: list[Floats], label: str) -> tuple[Floats, Floats]:
        """Return the boxes in the network's unit, and their scores for a label."""
        numbers = [number for number, name in enumerate(self.form.classes) if name == label]
        layout, classes, axes = self.form.layout, len(self.form.classes), AXES[self.form.layout]
        outputs = [
            array[0] if array.ndim == count + 1 and len(array) == 1 else array
            for array, count in zip(outputs, axes, strict=True)
        ]
        if tuple(array.ndim for array in outputs) != axes:
            raise _misshapen(outputs, f"of {' and '.join(map(str, axes))} axes")
        if layout is Layout.LABELLED:
            boxes, scores, labels = outputs
            if boxes.shape != (len(scores), 4) or len(labels) != len(scores):
                raise _misshapen(outputs, "N × 4, N, N")
            chosen = np.isin(labels, numbers)
            return boxes[chosen], self._scored(scores[chosen])
        sure: Floats | float = 1.0
        if layout is Layout.PER_CLASS:
            boxes, of_classes = outputs
        else:
            [joined] = outputs
            columns = classes + (5 if layout is Layout.OBJECTNESS else 4)
            joined = joined.T if joined.shape[1] != columns and joined.shape[0] == columns else joined
            boxes, of_classes = joined[:, :4], joined[:, columns - classes :]
            if layout is Layout.OBJECTNESS and joined.shape[1] == columns:
                sure = self._scored(joined[:, 4:5])
        if boxes.shape != (len(boxes), 4) or of_classes.shape != (len(boxes), classes):
            raise _misshapen(outputs, f"N boxes with {classes} classes")
        return boxes, (sure * self._scored(of_classes))[:, numbers].max(axis=1, initial=0.0)

    def _scored(self, raw: Floats) -> Floats:
        if self.form.scores is Scores.PLAIN:
            if raw.size and not (raw.min() >= -ROUNDING and raw.max() <= 1.0 + ROUNDING):
                cause = f"the detector's scores must lie between 0 and 1, got {raw.min():g} to {raw.max():g}"
                raise ContractViolation(cause, hint="Set scores to Scores.SIGMOID or Scores.SOFTMAX.")
            return raw
        if self.form.scores is Scores.SIGMOID:
            return np.asarray(1.0 / (1.0 + np.exp(-np.clip(raw, -700.0, 700.0))))
        powers = np.exp(raw - raw.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

    def _corners(self, boxes: Floats) -> Floats:
        """Return left, top, right and bottom in px of the input."""
        if self.form.corners is Corners.CXCYWH:
            boxes = np.hstack([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2])
        return boxes * ((self.form.width, self.form.height) * 2) if self.form.unit is Unit.RELATIVE else boxes


def _misshapen(outputs: list[Floats], must: str) -> ContractViolation:
    shapes, hint = ", ".join(str(list(array.shape)) for array in outputs), "Correct the layout, or the classes."
    return ContractViolation(f"the detector's outputs must be {must}, got {shapes}", hint=hint)


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Rectangle of a picture on the input of a detector, in px.

    Its sides are whole pixels, so width and height may be scaled by slightly different factors. Both directions are
    computed from the sides, so nothing is lost in rounding.
    """

    form: DetectorFormat
    left: int
    top: int
    wide: int
    high: int

    @classmethod
    def of(cls, picture: Picture, form: DetectorFormat) -> Placement:
        """Place a picture as the description says: stretched, or with bars beside it."""
        high, wide = picture.shape[:2]
        if not form.letterbox:
            return cls(form=form, left=0, top=0, wide=form.width, high=form.height)
        scale = min(form.width / wide, form.height / high)
        wide, high = max(1, round(wide * scale)), max(1, round(high * scale))
        left, top = ((form.width - wide) // 2, (form.height - high) // 2) if form.centred else (0, 0)
        return cls(form=form, left=left, top=top, wide=wide, high=high)

    def onto(self, picture: Picture) -> NDArray[np.uint8]:
        """Return the input with the picture and its bars: height × width × 3."""
        image_of, _ = pillow("resizing a picture")
        image: Any = image_of.fromarray(picture)
        if image.size != (self.wide, self.high):
            image = image.resize((self.wide, self.high), image_of.Resampling.BILINEAR)
        canvas = np.full((self.form.height, self.form.width, 3), self.form.bars, np.uint8)
        canvas[self.top : self.top + self.high, self.left : self.left + self.wide] = np.asarray(image)
        return canvas

    def back(self, corners: Floats) -> Floats:
        """Turn rows of left, top, right, bottom in px of the input into shares of the picture, not clipped."""
        shares: Floats = (corners - (self.left, self.top) * 2) / ((self.wide, self.high) * 2)
        return shares


def without_overlaps(corners: Floats, scores: Floats, most_overlap: float, most: int) -> list[int]:
    """Choose boxes by non-maximum suppression: a box is dropped if it overlaps a better one that stays.

    Args:
        corners: Rows of left, top, right, bottom, all with an area.
        scores: Score of each box; of equal ones the first counts as better.
        most_overlap: Intersection over union above which the worse box is dropped.
        most: Largest number of boxes that stay.

    Returns:
        Rows of the boxes that stay, the best first.
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
