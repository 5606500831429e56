"""Films of a plate that is cleared: for people who look on later, such as raters, and for the docs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handup.domains.feeding.film import captioned, save_film
from handup.domains.plate.clearing_world import PlateEngine, Watcher
from handup.domains.plate.plate_picture import plate_picture
from handup.domains.plate.primitives import Aim, PlatePrimitive
from handup.domains.plate.questions import WORDS
from handup.models.pictures import Picture

EVERY_S = 0.12
"""Simulated seconds between two pictures."""
PLAN, END = 8, 8
"""Pictures for which the plan and the end of an action stay."""
COLOURS = 48
LETTER_PX = 18
"""Size of the letters of captions."""


@dataclass
class PlateRecorder:
    """Recorder of a film for each action, `action-01.gif` and so on, and of what came of them, `outcome.json`.

    Args:
        folder: Folder for the films, made if it is missing.
        actions: Number of actions of the plate, for captions.

    Attributes:
        frames: Pictures of the present action.
    """

    folder: str
    actions: int
    frames: list[Picture] = field(default_factory=list, init=False)
    _caption: str = field(default="", init=False)
    _number: int = field(default=0, init=False)

    def begin(self, engine: PlateEngine, number: int, aim: Aim, primitive: PlatePrimitive) -> Watcher:
        """Film what an action is to do; return a watcher that films it."""
        self._number, self._caption = number, f"Action {number} of {self.actions}"
        words = f"I {WORDS[engine.food].deeds[primitive]}."
        self.frames = [
            captioned(plate_picture(engine, aim, primitive), self._caption, words, lines=1, letter_px=LETTER_PX)
        ] * PLAN
        due_s = 0.0

        def look(seconds: float) -> None:
            nonlocal due_s
            if seconds >= due_s:
                due_s += EVERY_S
                self.frames.append(self._framed(plate_picture(engine), words))

        return look

    def end(self, engine: PlateEngine, words: str) -> None:
        """Film what came of it."""
        self.frames += [self._framed(plate_picture(engine), words)] * END

    def save(self) -> None:
        """Write the film of the present action."""
        folder = Path(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        save_film(self.frames, folder / f"action-{self._number:02}.gif", colours=COLOURS, every_s=EVERY_S)

    def write(self, result: Mapping[str, Any]) -> None:
        """Write what came of all actions so far beside the films, as `outcome.json`."""
        (Path(self.folder) / "outcome.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")

    def _framed(self, picture: Picture, words: str) -> Picture:
        return captioned(picture, self._caption, words, lines=1, letter_px=LETTER_PX)
