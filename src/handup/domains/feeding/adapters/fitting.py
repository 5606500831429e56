"""A picture brought to a network's input, and boxes on that input brought back to the picture, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.domains.feeding.drawing import pillow
from handup.domains.feeding.seeing import Picture

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Where a picture lies on an input: so many pixels from left and top, and so many wide and high.

    Sides are whole pixels, so width and height may be scaled by slightly different factors. Both ways go by the sides
    themselves, so nothing is lost in rounding.

    Args:
        width: Of the input, in px; so is `height`.
        height: Of the input.
        left: Where the picture begins; so is `top`.
        top: Where it begins.
        wide: How wide it is on the input; so is `high`.
        high: How high it is.
    """

    width: int
    height: int
    left: int
    top: int
    wide: int
    high: int

    @classmethod
    def of(cls, picture: tuple[int, int], target: tuple[int, int], *, letterbox: bool, centred: bool = True) -> Fit:
        """Fit a picture of width × height onto an input of width × height.

        Args:
            picture: Its width and height in px.
            target: Those of the input.
            letterbox: Keep its proportions and leave bars, or else stretch it.
            centred: Bars on both sides, or else on the right and at the bottom.
        """
        (wide, high), (width, height) = picture, target
        if not letterbox:
            return cls(width=width, height=height, left=0, top=0, wide=width, high=height)
        scale = min(width / wide, height / high)
        wide, high = max(1, round(wide * scale)), max(1, round(high * scale))
        left, top = ((width - wide) // 2, (height - high) // 2) if centred else (0, 0)
        return cls(width=width, height=height, left=left, top=top, wide=wide, high=high)

    def onto(self, rgb: Picture, bars: int) -> NDArray[np.uint8]:
        """The input that shows the picture: height × width × 3, with bars of this grey."""
        image_of, _ = pillow("resizing a picture")
        image: Any = image_of.fromarray(rgb)
        if image.size != (self.wide, self.high):
            image = image.resize((self.wide, self.high), image_of.Resampling.BILINEAR)
        canvas = np.full((self.height, self.width, 3), bars, np.uint8)
        canvas[self.top : self.top + self.high, self.left : self.left + self.wide] = np.asarray(image)
        return canvas

    def back(self, corners: Floats) -> Floats:
        """Rows of left, top, right, bottom in px of the input, as shares of the picture; not clipped."""
        begin = np.array([self.left, self.top, self.left, self.top], float)
        size = np.array([self.wide, self.high, self.wide, self.high], float)
        found: Floats = (corners - begin) / size
        return found


def without_overlaps(corners: Floats, scores: Floats, most_overlap: float, most: int) -> list[int]:
    """Which boxes stay (non-maximum suppression): from the best on, whoever overlaps none that stays by too much.

    Args:
        corners: Rows of left, top, right, bottom, all with an area.
        scores: One for each; of equals the first is taken for the better.
        most_overlap: Intersection over union above which the worse box goes.
        most: How many may stay.

    Returns:
        Their rows, the best first.
    """
    areas = (corners[:, 2] - corners[:, 0]) * (corners[:, 3] - corners[:, 1])
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
