"""A meal with somebody at the terminal: questions one after the other, pictures in a folder, a line per attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from handup.cli.harness import AskingHere
from handup.cli.output import err
from handup.core import Value
from handup.desk import Channel, Record, Terminal
from handup.domains.feeding.company import Nobody, WatchedPolicy
from handup.domains.feeding.film import gridded
from handup.domains.feeding.meal import NAME
from handup.domains.feeding.policy import BitePolicy
from handup.domains.feeding.questions import plan_of
from handup.domains.feeding.seeing import Picture
from handup.models.pictures import marked, pillow
from handup.recover import Look, Policy

PICTURES = Path("meal-pictures")
"""Where the plate lies as the robot sees it."""


class AtTerminal(AskingHere, Nobody):
    """Somebody at a terminal: company for a `Meal`, and the way questions reach them.

    Args:
        terminal: Where to ask; standard input and standard error where it is None.
    """

    def __init__(self, terminal: Terminal | None = None) -> None:
        super().__init__(NAME, terminal)
        self.channels: Sequence[Channel] = (self,)
        self._seen: tuple[str, Picture] | None = None
        self._number = 1

    # -- as company --------------------------------------------------------------------------------------------------

    def shown(self, name: str, picture: Picture) -> None:
        """A question about this picture comes next."""
        self._seen = (name, picture)

    def watching(self, policy: BitePolicy, name: str, number: int) -> Policy:
        """The policy, which tells what it is at."""
        self._number = number
        return WatchedPolicy(policy, self)

    # -- as channel --------------------------------------------------------------------------------------------------

    def before(self, record: Record) -> Record:
        """The question with its picture as a file."""
        return replace(record, question=replace(record.question, image=self._kept(record)))

    # -- as watcher --------------------------------------------------------------------------------------------------

    def looks(self, policy: BitePolicy) -> None:
        """It looks at the plate."""

    def thinks(self, policy: BitePolicy) -> None:
        """Every module has said what it thinks."""

    def moves(self, policy: BitePolicy, outputs: Mapping[str, Value]) -> None:
        """It is about to act."""

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """It has acted: one line says what happened, as somebody sees it who sits at the plate."""
        acted = policy.acts.last
        assert acted is not None
        verdict = "I think I have it" if look.ok else "I think I missed it"
        on_fork = acted.execution.picked or "nothing"
        tries = len(policy.acts.done)
        err.print(
            f"Bite {self._number}, attempt {tries}: I tried to {plan_of(acted.outputs)}. {verdict}. "
            f"On the fork: {on_fork} ({acted.execution.reason}).",
            markup=False,
            soft_wrap=True,
        )

    def _kept(self, record: Record) -> str | None:
        """The picture of a question as a file, with the robot's guess and a grid in per cent; its path."""
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
