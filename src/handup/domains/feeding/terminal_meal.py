"""Meal with a person at the terminal: questions one after the other, pictures in a folder, a line per attempt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from handup.desk import Record
from handup.desk.terminal import ForegroundTerminal
from handup.domains.feeding.film import gridded
from handup.domains.feeding.meal import NAME
from handup.domains.feeding.module_outputs import Picture
from handup.domains.feeding.policy import BitePolicy
from handup.domains.feeding.questions import plan_of
from handup.domains.feeding.watcher import Company
from handup.models.pictures import marked, pillow
from handup.recover import Look

PICTURES = Path("meal-pictures")
"""Folder for pictures of the plate as the robot sees it."""


class AtTerminal(ForegroundTerminal, Company):
    """Company at a terminal, and the way in which questions reach them."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.channels = (self,)
        self._seen: tuple[str, Picture] | None = None
        self._number = 1

    # -- as company --------------------------------------------------------------------------------------------------

    def shown(self, name: str, picture: Picture) -> None:
        """Keep the picture of the question that comes next."""
        self._seen = (name, picture)

    def begins(self, policy: BitePolicy, name: str, number: int) -> None:
        """Take the number of the bite."""
        self._number = number

    # -- as channel --------------------------------------------------------------------------------------------------

    def prepared(self, record: Record) -> Record:
        """Return the question with its picture as a file."""
        return replace(record, question=replace(record.question, image=self._kept(record)))

    # -- as watcher --------------------------------------------------------------------------------------------------

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """Print one line about an attempt, as somebody sees it who sits at the plate."""
        acted = policy.acts.last
        assert acted is not None
        verdict = "I think I have it" if look.ok else "I think I missed it"
        on_fork = acted.execution.picked or "nothing"
        tries = len(policy.acts.done)
        self.say(
            f"Bite {self._number}, attempt {tries}: I tried to {plan_of(acted.outputs)}. {verdict}. "
            f"On the fork: {on_fork} ({acted.execution.reason})."
        )

    def _kept(self, record: Record) -> str | None:
        """Write a question's picture to a file, with the robot's guess and a grid in per cent; return its path."""
        name = record.question.image
        if self._seen is None or name != self._seen[0]:
            return name
        place = PICTURES / f"{name.replace('/', '-')}.png"
        image_of, _ = pillow()
        image = image_of.fromarray(marked(gridded(self._seen[1]), [record.question.guess]))
        try:
            PICTURES.mkdir(exist_ok=True)
            image.save(place)
        except OSError as error:
            return f"none; it could not be written to {place} ({error.strerror or error})"
        return str(place)
