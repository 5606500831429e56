"""M2 from any detector in an ONNX file, once it is said what the file takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting, Box, ContractViolation
from handup.core.checks import check_count, check_number, check_share
from handup.domains.feeding.adapters.fitting import Fit, Floats, without_overlaps
from handup.domains.feeding.adapters.networks import Network
from handup.domains.feeding.seeing import Found, Picture

THINNEST = 1e-3
"""In shares of the picture: what is thinner after it was cut at the edge is no box."""
SIDES = ("left", "top", "right", "bottom")
ROUNDING = 1e-3
"""So far outside 0 and 1 a score may be by rounding, in half precision."""
NOTHING = ""
"""The class that stands for "nothing there", where a network has one."""


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

    So look at a few (`handup.domains.feeding.drawing.marked` draws them) before you trust it.

    Args:
        width: Of the input, in px.
        height: Of the input, in px.
        classes: The food that each class number means, in handup's words; several may mean the same food, and an empty
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
        if not any(self.classes) or not all(isinstance(each, str) for each in self.classes):
            raise BadSetting("no class means a food", hint="Give the food of every class; '' for nothing.")
        if self.outputs and len(self.outputs) != OUTPUTS[self.layout]:
            raise BadSetting(
                f"{len(self.outputs)} outputs for the layout '{self.layout}'", hint=f"Name {OUTPUTS[self.layout]}."
            )
        if self.layout is Layout.LABELLED and self.scores is Scores.SOFTMAX:
            raise BadSetting("one score a box cannot be a softmax over classes", hint="Use the layout 'per class'.")
        if not 0 <= self.bars <= 255:
            raise BadSetting(f"bars of grey {self.bars}", hint="Give 0 to 255.")


OUTPUTS = {Layout.LABELLED: 3, Layout.PER_CLASS: 2, Layout.JOINED: 1, Layout.OBJECTNESS: 1}
AXES = {Layout.LABELLED: (2, 1, 1), Layout.PER_CLASS: (2, 2), Layout.JOINED: (2,), Layout.OBJECTNESS: (2,)}
"""How many axes each output has, without one of length 1 before them."""


class OnnxDetector:
    """M2 by a detector of your own. Needs the extra `sim`.

    Args:
        path: The ONNX file.
        form: What it takes and gives.
        least_score: Boxes below are left out.
        most_overlap: Of two boxes of a food that share more than this (intersection over union) the better one stays.
        most_boxes: How many stay.
        threads: How many the network may use.

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
        self.least_score = check_share("least_score", least_score, error=BadSetting)
        self.most_overlap = check_share("most_overlap", most_overlap, error=BadSetting)
        self.most_boxes = check_count("most_boxes", most_boxes, least=1, error=BadSetting)
        self._network = Network(path, threads=threads)
        sides = (form.height, form.width)
        wanted = (1, *sides, 3) if form.channels_last else (1, 3, *sides)
        has = self._network.input_shape
        if len(has) != 4 or any(one is not None and one != two for one, two in zip(has, wanted, strict=False)):
            raise BadSetting(f"{path.name} has an input of {has}, not of {list(wanted)}", hint="Correct the format.")
        names = list(self._network.outputs)
        self._outputs = list(form.outputs) or names[: OUTPUTS[form.layout]]
        if not set(self._outputs) <= set(names) or len(self._outputs) != OUTPUTS[form.layout]:
            raise BadSetting(
                f"{path.name} gives {', '.join(names)}", hint=f"'{form.layout}' needs {OUTPUTS[form.layout]} of them."
            )
        self.foods: tuple[str, ...] = tuple(dict.fromkeys(each for each in form.classes if each != NOTHING))
        self.networks = self._network.digest(repr((form, least_score, most_overlap, most_boxes)).encode())[:16]

    def find(self, rgb: Picture, label: str) -> Found:
        """Where a food lies: boxes, the best first.

        Raises:
            BadSetting: A food that it does not know, or no picture.
            ContractViolation: The network gives another shape than was said, or something that is no number.
        """
        if label not in self.foods:
            raise BadSetting(f"the detector knows no '{label}'", hint=f"Choose among: {', '.join(self.foods)}.")
        if rgb.ndim != 3 or rgb.shape[2] != 3 or min(rgb.shape) < 1:
            raise BadSetting(f"a picture of shape {rgb.shape}", hint="Give height × width × 3, as World.view does.")
        form = self.form
        fit = Fit.of(
            (rgb.shape[1], rgb.shape[0]), (form.width, form.height), letterbox=form.letterbox, centred=form.centred
        )
        made = self._network.run(self._input(fit.onto(rgb, form.bars)), self._outputs)
        boxes, scores = self._read([np.asarray(each, np.float64) for each in made], label)
        enough = scores >= self.least_score
        boxes, scores = boxes[enough], scores[enough]
        if not (np.isfinite(boxes).all() and np.isfinite(scores).all()):
            raise ContractViolation("the detector gives boxes that are no numbers", hint="Export it anew, in float32.")
        corners = np.clip(fit.back(self._corners(boxes)), 0.0, 1.0)
        thick = (corners[:, 2] - corners[:, 0] > THINNEST) & (corners[:, 3] - corners[:, 1] > THINNEST)
        corners, scores = corners[thick], scores[thick]
        kept = without_overlaps(corners, scores, self.most_overlap, self.most_boxes)
        return Found(
            tuple(Box(**dict(zip(SIDES, corners[each].tolist(), strict=True))) for each in kept),
            tuple(float(min(scores[each], 1.0)) for each in kept),
        )

    def _input(self, canvas: NDArray[np.uint8]) -> NDArray[Any]:
        form = self.form
        colours: NDArray[Any] = canvas[..., ::-1] if form.bgr else canvas
        if self._network.input_type is not np.uint8:
            colours = (colours.astype(np.float64) * form.scale - np.array(form.mean)) / np.array(form.std)
        return (colours if form.channels_last else colours.transpose(2, 0, 1))[None]

    def _read(self, made: list[Floats], label: str) -> tuple[Floats, Floats]:
        """Boxes as the network counts them, and their scores for a food."""
        numbers = [number for number, food in enumerate(self.form.classes) if food == label]
        classes, axes = len(self.form.classes), AXES[self.form.layout]
        made = [
            each[0] if each.ndim == count + 1 and each.shape[0] == 1 else each
            for each, count in zip(made, axes, strict=True)
        ]
        if tuple(each.ndim for each in made) != axes:
            raise self._shaped(made, "of so many axes")
        if self.form.layout is Layout.LABELLED:
            boxes, scores, labels = made
            if boxes.shape != (len(scores), 4) or len(labels) != len(scores):
                raise self._shaped(made, "N × 4, N, N")
            meant = np.isin(labels, numbers)
            return boxes[meant], self._scored(scores[meant])
        sure: Floats | float = 1.0
        if self.form.layout is Layout.PER_CLASS:
            boxes, each_class = made
        else:
            [joined] = made
            columns = classes + (5 if self.form.layout is Layout.OBJECTNESS else 4)
            joined = joined.T if joined.shape[1] != columns and joined.shape[0] == columns else joined
            boxes, each_class = joined[:, :4], joined[:, columns - classes :]
            if self.form.layout is Layout.OBJECTNESS and joined.shape[1] == columns:
                sure = self._scored(joined[:, 4:5])
        if boxes.shape != (len(boxes), 4) or each_class.shape != (len(boxes), classes):
            raise self._shaped(made, f"N boxes with {classes} classes")
        return boxes, (sure * self._scored(each_class))[:, numbers].max(axis=1, initial=0.0)

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
        form = self.form
        if form.corners is Corners.CXCYWH:
            boxes = np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], axis=1)
        counts = form.width, form.height
        return boxes * np.array([*counts, *counts], float) if form.unit is Unit.RELATIVE else boxes

    def _shaped(self, made: list[Floats], wanted: str) -> ContractViolation:
        shapes = ", ".join(str(list(each.shape)) for each in made)
        return ContractViolation(
            f"the detector gives {shapes}, which is not {wanted}", hint="Correct the layout, or the list of classes."
        )
