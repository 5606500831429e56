"""Films of a skill, as animated GIFs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handup.core import BadData, BadSetting
from handup.models.pictures import pillow

Picture = NDArray[np.uint8]


@dataclass
class Film:
    """Pictures of one or several executions, in order: pass it to `World.execute`, then `save_gif`.

    Args:
        every_s: Simulated time between two pictures.
        size: Width and height in px.
        camera: `beside` or `overhead`.
        most: So many pictures at most; later ones are left out.
        frames: What was filmed.
    """

    every_s: float = 0.08
    size: tuple[int, int] = (320, 240)
    camera: str = "beside"
    most: int = 2000
    frames: list[Picture] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.every_s <= 0.0 or self.camera not in {"beside", "overhead"}:
            raise BadSetting(
                f"a film every {self.every_s:g} s from '{self.camera}'",
                hint="Give a time above 0, and 'beside' or 'overhead'.",
            )

    def rolling(self, take: Callable[[str, tuple[int, int]], Picture]) -> Callable[[float], None]:
        """What to call with the time that passed, often: it takes a picture of each moment that is due."""
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
        first, *others = [
            image_of.fromarray(each).quantize(colours, dither=image_of.Dither.NONE) for each in self.frames
        ]
        first.save(
            path, save_all=True, append_images=others, duration=round(1000 * self.every_s), loop=0, optimize=True
        )
