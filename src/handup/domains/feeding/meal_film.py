"""Film of a meal: what the robot sees, what it decides, how it tries, what came of it, with captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from handup.core import BadData, Box, Question, Value
from handup.domains.feeding.film import Film, captioned, write_gif
from handup.domains.feeding.module_outputs import Picture
from handup.domains.feeding.policy import BitePolicy
from handup.domains.feeding.truth import MODULES
from handup.models.pictures import marked, pillow
from handup.recover import Look, Pass

SIZE = (320, 240)
EVERY_S, STILL = 0.12, 9
"""Simulated seconds between two pictures of an attempt; number of pictures for which a still stays."""


class FilmedPolicy(BitePolicy):
    """Policy that is filmed: every question and every attempt, each with words below the picture.

    Args:
        arguments: As for `BitePolicy`.
        frames: List to which pictures are added.
        caption: Words below all of them.
        settings: As for `BitePolicy`.
    """

    def __init__(self, *arguments: Any, frames: list[Picture], caption: str, **settings: Any) -> None:
        film = Film(every_s=EVERY_S, size=SIZE)
        super().__init__(*arguments, film=film, **settings)
        self._reel, self._frames, self._caption = film, frames, caption
        self._answers = {module: heard.answer for module, heard in self._heard.items()}

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        """Return the output of each module, and film a still of each new answer."""
        result = super().forward(answers)
        for module in (name for name in answers if self._answers.get(name) != answers[name]):
            self._still(result.outputs, f"the answer: {_in_words(answers[module])}")
        self._answers = dict(answers)
        return result

    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        """Return the question, and film a still of it."""
        asked = super().question(module, outputs)
        sure = f" ({asked.sure:.0%} sure of its guess)" if asked.sure is not None else ""
        self._still(outputs, f"asks{sure}: {asked.prompt}")
        return asked

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """Act, filmed from the side."""
        plan = f"{outputs['skill']} the {outputs['food']}"
        self._recall()
        sure = ", ".join(f"{module} {self._sure_of(module)}" for module in MODULES)
        self._still(outputs, f"decides: {plan}; sure of {sure}")
        self._reel.frames.clear()
        look = super().act(outputs, action_id)
        acted = self.acts.last
        assert acted is not None
        self._frames += [captioned(frame, self._caption, f"tries to {plan}") for frame in self._reel.frames]
        if self._reel.frames:
            verdict = "thinks it worked" if look.ok else "thinks it failed"
            end = captioned(self._reel.frames[-1], self._caption, f"{verdict}; {acted.execution.reason}")
            self._frames += [end] * STILL
        return look

    def _still(self, outputs: Mapping[str, Value], words: str) -> None:
        drawn = captioned(marked(self.picture(), list(outputs.values()), SIZE), self._caption, words)
        self._frames += [drawn] * STILL

    def _sure_of(self, module: str) -> str:
        confidence = self.said[module].confidence
        return "by answer" if confidence is None else f"{confidence:.0%}"


def _in_words(answer: Value) -> str:
    if isinstance(answer, Box):
        return "a box, as drawn"
    return "points, as drawn" if isinstance(answer, tuple) else str(answer)


def save_film(frames: Sequence[Picture], path: Path, *, colours: int = 128) -> None:
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
    write_gif(images, path, every_s=EVERY_S)
