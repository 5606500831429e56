"""Pictures for people: a grid to point by, and words below."""

from __future__ import annotations

from typing import Any

import numpy as np

from handup.domains.feeding.seeing import Picture
from handup.models.pictures import MARK, pillow

LIGHT, DARK, GRID = (240, 240, 240), (20, 20, 20), (150, 150, 150)
MARGIN, LINE = 6, 15
"""Left of words, and from one line of them to the next, in px."""
EVERY = 10
"""Per cent between two lines of the grid."""


def gridded(picture: Picture) -> Picture:
    """A picture with thin lines every ten per cent and their numbers, so that places on it can be typed."""
    image_of, pen_of = pillow()
    image = image_of.fromarray(picture)
    pen, (wide, high) = pen_of.Draw(image), image.size
    for cent in range(EVERY, 100, EVERY):
        x, y = cent * wide / 100, cent * high / 100
        pen.line([(x, 0), (x, high)], fill=GRID)
        pen.line([(0, y), (wide, y)], fill=GRID)
        for place in ((x + 2, 1), (2, y + 1)):
            pen.text(place, str(cent), fill=LIGHT, stroke_width=1, stroke_fill=DARK)
    return np.asarray(image)


def captioned(picture: Picture, title: str, words: str, *, lines: int = 3) -> Picture:
    """A picture with a title and words below it, broken into lines; what does not fit ends with an ellipsis."""
    image_of, pen_of = pillow()
    high, wide = picture.shape[:2]
    image = image_of.new("RGB", (wide, high + MARGIN + LINE * (lines + 1)), DARK)
    image.paste(image_of.fromarray(picture), (0, 0))
    pen = pen_of.Draw(image)
    for number, line in enumerate((title, *broken(words, wide - 2 * MARGIN, pen.textlength, lines))):
        pen.text((MARGIN, high + 3 + LINE * number), line, fill=MARK if number else LIGHT)
    return np.asarray(image)


def broken(words: str, wide: float, length: Any, most: int) -> list[str]:
    """Words in lines of a width, by what measures a text; at most so many."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and length(longer) > wide:
            lines.append(word)
        else:
            lines[-1] = longer
    if len(lines) <= most:
        return lines
    last = f"{lines[most - 1]} …"
    while length(last) > wide:
        last = f"{last[:-3].rstrip()} …"
    return [*lines[: most - 1], last]
