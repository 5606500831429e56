"""Films of a skill as animated GIFs, and pictures for people: with a grid to point by, or with words below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from handup.core import BadData, OutOfRange, UnknownName
from handup.domains.feeding.module_outputs import Picture
from handup.models.pictures import MARK, pillow

LIGHT, DARK, GRID = (240, 240, 240), (20, 20, 20), (150, 150, 150)
MARGIN, LINE = 6, 15
"""Margin left of words, and height of a line of them, in px."""
FILM_EVERY_S = 0.12
"""Simulated seconds between two pictures of a film with captions."""
GRID_EVERY = 10
"""Distance between two lines of the grid, in per cent."""


@dataclass
class Film:
    """Pictures of one or several executions, in order: pass it to `World.execute`, then `save_gif`.

    Args:
        every_s: Simulated time between two pictures.
        size: Width and height in px.
        camera: `beside` or `overhead`.
        most: Most pictures; later ones are left out.
        frames: Pictures that were taken.
    """

    every_s: float = 0.08
    size: tuple[int, int] = (320, 240)
    camera: str = "beside"
    most: int = 2000
    frames: list[Picture] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.every_s <= 0.0:
            raise OutOfRange.of("every_s of a film", f"{self.every_s:g}", "be more than 0", hint="Give seconds.")
        if self.camera not in {"beside", "overhead"}:
            must = "be 'beside' or 'overhead'"
            raise UnknownName.of("camera of a film", repr(self.camera), must, hint="Choose one of them.")

    def rolling(self, take: Callable[[str, tuple[int, int]], Picture]) -> Callable[[float], None]:
        """Return a function to call often with the time that passed: it takes a picture of each moment that is due."""
        due_s = 0.0

        def look(seconds: float) -> None:
            nonlocal due_s
            if seconds >= due_s and len(self.frames) < self.most:
                due_s += self.every_s
                self.frames.append(take(self.camera, self.size))

        return look

    def save_gif(self, path: Path | str, *, colours: int = 64) -> None:
        """Write what was filmed, at its real speed.

        Raises:
            BadData: Nothing was filmed.
            MissingExtra: pillow is not installed.
        """
        image_of, _ = pillow("a film")
        if not self.frames:
            raise BadData("there is no picture in the film", hint="Pass the film to World.execute first.")
        images = [image_of.fromarray(frame).quantize(colours, dither=image_of.Dither.NONE) for frame in self.frames]
        write_gif(images, path, every_s=self.every_s)


def write_gif(images: Sequence[Any], path: Path | str, *, every_s: float) -> None:
    """Write pillow's images as an animated GIF that goes on for ever."""
    first, *following = images
    first.save(path, save_all=True, append_images=following, duration=round(1000 * every_s), loop=0, optimize=True)


def save_film(frames: Sequence[Picture], path: Path, *, colours: int = 128, every_s: float = FILM_EVERY_S) -> None:
    """Write a film as a GIF, with one palette for all of it.

    Raises:
        BadData: Nothing was filmed.
    """
    image_of, _ = pillow()
    if not frames:
        raise BadData("there is no picture in the film", hint="Let the robot try something.")
    sample = np.concatenate([frame[::4, ::4] for frame in frames[:: max(len(frames) // 24, 1)]])
    palette = image_of.fromarray(sample).quantize(colours)
    images = [image_of.fromarray(frame).quantize(palette=palette, dither=0) for frame in frames]
    write_gif(images, path, every_s=every_s)


def gridded(picture: Picture) -> Picture:
    """Return a picture with thin lines every ten per cent and their numbers, so that places on it can be typed."""
    image_of, pen_of = pillow()
    image = image_of.fromarray(picture)
    pen, (wide, high) = pen_of.Draw(image), image.size
    for cent in range(GRID_EVERY, 100, GRID_EVERY):
        x, y = cent * wide / 100, cent * high / 100
        pen.line([(x, 0), (x, high)], fill=GRID)
        pen.line([(0, y), (wide, y)], fill=GRID)
        for place in ((x + 2, 1), (2, y + 1)):
            pen.text(place, str(cent), fill=LIGHT, stroke_width=1, stroke_fill=DARK)
    return np.asarray(image)


def captioned(picture: Picture, title: str, words: str, *, lines: int = 3, letter_px: float | None = None) -> Picture:
    """Return a picture with a title and words below it, broken into lines; what does not fit ends with an ellipsis.

    Args:
        picture: The picture.
        title: First line.
        words: Further words.
        lines: Number of lines for them.
        letter_px: Size of letters; None for small ones.
    """
    image_of, pen_of = pillow()
    high, wide = picture.shape[:2]
    line_px = LINE if letter_px is None else round(1.3 * letter_px)
    image = image_of.new("RGB", (wide, high + MARGIN + line_px * (lines + 1)), DARK)
    image.paste(image_of.fromarray(picture), (0, 0))
    pen = pen_of.Draw(image)
    length = partial(pen.textlength, font_size=letter_px)
    for number, line in enumerate((title, *broken(words, wide - 2 * MARGIN, length, lines))):
        place = (MARGIN, high + 3 + line_px * number)
        pen.text(place, line, fill=MARK if number else LIGHT, font_size=letter_px)
    return np.asarray(image)


def broken(words: str, wide: float, length: Any, most: int) -> list[str]:
    """Break words into lines of a width, at most so many; `length` measures a text."""
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
