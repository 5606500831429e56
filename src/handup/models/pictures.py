"""Pictures: for models, and with marks that show people a model's output. Pillow belongs to the extra `models`."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import Box, HandupError, MissingExtra, Value, WrongSize

Picture = NDArray[np.uint8]
MARK, POINT = (255, 210, 0), (255, 60, 60)
QUALITY = 82
"""Quality of a JPEG, from 0 to 100."""
MOST_SENT_PX = 1024
"""Longest side of a picture that is sent; a larger picture is scaled down first."""


def pillow(what_for: str = "a picture") -> Any:
    """Return Pillow's modules `Image` and `ImageDraw`.

    Raises:
        MissingExtra: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw  # noqa: PLC0415 - belongs to an extra
    except ModuleNotFoundError as error:
        raise MissingExtra.of("models", what_for) from error
    return Image, ImageDraw


def jpeg(picture: Picture) -> bytes:
    """Return a picture as a JPEG file."""
    image_of, _ = pillow()
    file = io.BytesIO()
    image_of.fromarray(picture).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def check_picture(picture: Picture, *, error: type[HandupError] = WrongSize) -> Picture:
    """Return the picture, or raise this error if it is not height × width × 3 of uint8."""
    if picture.ndim != 3 or picture.shape[2] != 3 or min(picture.shape) < 1 or picture.dtype != np.uint8:
        got, hint = f"{picture.shape} of {picture.dtype}", "Give an RGB picture."
        raise error(f"a picture must be height × width × 3 of uint8, got {got}", hint=hint)
    return picture


def around(picture: Picture, box: Box, margin: float = 0.25) -> Picture:
    """Return the part of a picture in a box, with a margin around it as a share of the box's longer side."""
    high, wide = picture.shape[:2]
    more = margin * max((box.right - box.left) * wide, (box.bottom - box.top) * high)
    left, right = int(max(box.left * wide - more, 0)), int(min(box.right * wide + more + 1, wide))
    top, bottom = int(max(box.top * high - more, 0)), int(min(box.bottom * high + more + 1, high))
    return picture[top:bottom, left:right]


def data_url(picture: Picture) -> str:
    """Return a picture as text to send to a model: a PNG in a `data:` address.

    Raises:
        WrongSize: It is not a picture of height × width × 3.
    """
    image_of, _ = pillow("sending a picture")
    image = image_of.fromarray(check_picture(picture))
    image.thumbnail((MOST_SENT_PX, MOST_SENT_PX))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)  # a fifth of the time, hardly larger
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def marked(picture: Picture, values: Sequence[Value | None], size: tuple[int, int] | None = None) -> Picture:
    """Return a picture with boxes and points drawn on it; other values are left out.

    Args:
        picture: The picture, which stays as it is.
        values: Boxes and tuples of points.
        size: Width and height of the result in px; the picture's own where not given.
    """
    image_of, pen_of = pillow()
    image = image_of.fromarray(picture)
    image = image if size is None else image.resize(size)
    pen, (wide, high) = pen_of.Draw(image), image.size
    for value in values:
        if isinstance(value, Box):
            corners = (value.left * wide, value.top * high, value.right * wide, value.bottom * high)
            pen.rectangle(corners, outline=MARK, width=2)
        elif isinstance(value, tuple):
            places = [(point.x * wide, point.y * high) for point in value]
            pen.line(places, fill=POINT, width=2)
            for x, y in places:
                pen.ellipse((x - 3, y - 3, x + 3, y + 3), fill=POINT)
    return np.asarray(image)
