"""A plate in the journal: what was weighed, asked and done, for a program that goes on with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any

from handup.core import Action, Value, event
from handup.desk import Desk
from handup.domains.plate.choosers import PlateChoice
from handup.domains.plate.primitives import Aim, Moved, PlateFood, PlatePrimitive
from handup.domains.plate.questions import WORDS
from handup.journal import Entry, Journal
from handup.recover.events import Decided
from handup.recover.run_record import RunEnded, RunTold


@event("plate.weighed")
@dataclass(frozen=True, kw_only=True)
class PlateWeighed:
    """The robot has weighed an action. It is written down since that takes long, and a question may stand on it.

    Args:
        number: Number of the action, from 1.
        choice: What looks better, and what is expected of both.
    """

    number: int
    choice: PlateChoice


@event("plate.acted")
@dataclass(frozen=True, kw_only=True)
class PlateActed:
    """An action is over.

    Args:
        action: Its id.
        number: Its number, from 1.
        primitive: What was done.
        aim: Where it was meant to be done.
        moved: What it brought.
        left: Share of the full plate that is left.
        asked: True if somebody was asked about it.
        answered: True if somebody answered.
        mark: Checksum of the plate afterwards.
    """

    action: str
    number: int
    primitive: PlatePrimitive
    aim: Aim
    moved: Moved
    left: float
    asked: bool
    answered: bool
    mark: int

    @property
    def run(self) -> str:
        """Name of the run of the action."""
        return self.action.rpartition("/act/")[0]

    def to_json(self, choice: PlateChoice) -> dict[str, Any]:
        """Return a plain record of it, with what had looked better before."""
        return {
            "number": self.number,
            "primitive": str(self.primitive),
            "looked_better": str(choice.primitive),
            "sure": choice.sure,
            "cost_if_wrong": choice.cost_if_wrong,
            "expected": {str(primitive): value for primitive, value in choice.values.items()},
            "asked": self.asked,
            "answered": self.answered,
            **asdict(self.moved),
            "left": self.left,
        }


def words_of(food: PlateFood, primitive: PlatePrimitive, moved: Moved) -> str:
    """Return what came of an action, in a sentence or two."""
    took = "" if primitive is PlatePrimitive.GROUP else f": took {moved.taken:.0%} of a full plate"
    return f"{WORDS[food].done[primitive]}{took}." + (f" {moved.lost:.0%} fell off." if moved.lost else "")


@dataclass(frozen=True)
class PlateLog:
    """Entries of one plate, in its own run and in those of its actions.

    Args:
        journal: The journal.
        run: Name of the plate's run.
    """

    journal: Journal
    run: str

    def add(self, event: PlateWeighed | PlateActed, key: str = "") -> Entry:
        """Write an event down; it is durable when this returns."""
        [entry] = self.journal.append(event, run=self.run, key=key)
        return entry

    def acted(self) -> Iterator[tuple[PlateActed, float]]:
        """Yield the actions that are over, and when each ended."""
        for entry in self.journal.read(run=self.run):
            if isinstance(entry.event, PlateActed):
                yield entry.event, entry.at_s

    def weighed(self) -> dict[int, PlateChoice]:
        """Return the choice of each action that was weighed, by number."""
        events = (entry.event for entry in self.journal.read(run=self.run))
        return {event.number: event.choice for event in events if isinstance(event, PlateWeighed)}

    def tries(self, number: int) -> list[str]:
        """Return the names of the runs of an action: those that were stopped, then the present one."""
        names = []
        for stops in count():
            names.append(f"{self.run}/action-{number}" + (f"-after-stop-{stops}" if stops else ""))
            if not self.ended(names[-1]):
                return names
        raise AssertionError("runs are counted without end")

    def ended(self, name: str) -> bool:
        """Return whether the run of an action is over."""
        return any(isinstance(entry.event, RunEnded) for entry in self.journal.read(run=name))

    def questions(self, number: int) -> list[str]:
        """Return the ids of the questions that were decided on for an action."""
        entries = (entry for name in self.tries(number) for entry in self.journal.read(run=name))
        told = ((entry.key, entry.event.read()) for entry in entries if isinstance(entry.event, RunTold))
        return [key for key, event in told if isinstance(event, Decided) and event.decision.action is Action.ASK]

    def answer(self, number: int, desk: Desk) -> Value | None:
        """Return the latest answer to one of them, also if the robot was stopped since; None where there is none."""
        records = (desk.record(question) for question in reversed(self.questions(number)))
        answers = (record.answer.value for record in records if record is not None and record.answer is not None)
        return next((answer for answer in answers if answer is not None), None)
