"""A film of a meal: what the robot sees, what it decides, how it tries, what came of it, with captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from handup.core import BadData, Box, MissingExtra, Question, Value
from handup.domains.feeding.film import Film
from handup.domains.feeding.policy import BitePolicy
from handup.domains.feeding.seeing import Picture
from handup.recover import Look

SIZE, STRIP = (320, 240), 34
EVERY_S, STILL = 0.12, 9
"""Simulated time between two pictures of an attempt; so many pictures a still stays."""
LIGHT, DARK, MARK, POINT = (240, 240, 240), (20, 20, 20), (255, 210, 0), (255, 60, 60)


def pillow() -> Any:
    """Pillow, which draws and writes.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        from PIL import Image, ImageDraw  # noqa: PLC0415 - belongs to an extra
    except ModuleNotFoundError as error:
        raise MissingExtra.of("sim", "a film") from error
    return Image, ImageDraw


class FilmedPolicy(BitePolicy):
    """A policy that is filmed: every question and every attempt, each with words below the picture.

    Args:
        arguments: As for `BitePolicy`.
        frames: Where pictures go.
        caption: What stands below all of them.
        settings: As for `BitePolicy`.
    """

    def __init__(self, *arguments: Any, frames: list[Picture], caption: str, **settings: Any) -> None:
        film = Film(every_s=EVERY_S, size=SIZE)
        super().__init__(*arguments, film=film, **settings)
        self._reel, self._frames, self._caption = film, frames, caption

    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        """The question, and a still of it."""
        made = super().question(module, outputs)
        self._still(outputs, f"asks: {made.prompt}")
        return made

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """What it does, filmed from the side."""
        plan = f"{outputs['skill']} the {outputs['food']}"
        self._still(outputs, f"decides: {plan}")
        self._reel.frames.clear()
        look = super().act(outputs, action_id)
        acted = self.acts.last
        assert acted is not None
        self._frames += [captioned(each, self._caption, f"tries to {plan}") for each in self._reel.frames]
        if self._reel.frames:
            verdict = "thinks it worked" if look.ok else "thinks it failed"
            end = captioned(self._reel.frames[-1], self._caption, f"{verdict}; {acted.execution.reason}")
            self._frames += [end] * STILL
        return look

    def _still(self, outputs: Mapping[str, Value], words: str) -> None:
        drawn = captioned(marked(self.picture(), outputs), self._caption, words)
        self._frames += [drawn] * STILL


def marked(picture: Picture, outputs: Mapping[str, Value]) -> Picture:
    """The plate with the robot's box and points on it."""
    image_of, pen_of = pillow()
    image = image_of.fromarray(picture).resize(SIZE)
    pen, (wide, high) = pen_of.Draw(image), SIZE
    box, points = outputs.get("box"), outputs.get("params")
    if isinstance(box, Box):
        corners = (box.left * wide, box.top * high, box.right * wide, box.bottom * high)
        pen.rectangle(corners, outline=MARK, width=2)
    if isinstance(points, tuple):
        places = [(each.x * wide, each.y * high) for each in points]
        pen.line(places, fill=POINT, width=2)
        for x, y in places:
            pen.ellipse((x - 3, y - 3, x + 3, y + 3), fill=POINT)
    return np.asarray(image)


def captioned(picture: Picture, first: str, second: str) -> Picture:
    """A picture with two lines of words below it."""
    image_of, pen_of = pillow()
    image = image_of.new("RGB", (SIZE[0], SIZE[1] + STRIP), DARK)
    image.paste(image_of.fromarray(picture), (0, 0))
    pen = pen_of.Draw(image)
    for line, words in enumerate((first, second)):
        pen.text((6, SIZE[1] + 3 + 15 * line), words[:62], fill=MARK if line else LIGHT)
    return np.asarray(image)


def save_film(frames: Sequence[Picture], path: Path, *, colours: int = 128) -> None:
    """Write a film as a GIF, with one palette for all of it.

    Raises:
        BadData: Nothing was filmed.
    """
    image_of, _ = pillow()
    if not frames:
        raise BadData("there is no picture in the film", hint="Let the robot try something.")
    sample = np.concatenate([each[::4, ::4] for each in frames[:: max(len(frames) // 24, 1)]])
    palette = image_of.fromarray(sample).quantize(colours)
    first, *others = [image_of.fromarray(each).quantize(palette=palette, dither=0) for each in frames]
    first.save(path, save_all=True, append_images=others, duration=round(1000 * EVERY_S), loop=0, optimize=True)
