"""People in the hall while a task runs: somebody simulated, or somebody real whose hands are simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from handup.core import Question
from handup.domains.kitting.helpers import HELPERS, put_right
from handup.domains.kitting.world import World
from handup.executive.escalation import FIXED
from handup.executive.machine import AskPerson, Machine
from handup.executive.people import Bystander, Heard, People, Said

MAX_SUPPORT = 2000
"""So many letters of what helps to answer are shown."""


def standing_by(world: World, machine: Machine, helper: str = "bystander") -> People:
    """Somebody simulated. After a kill they say what they would have said, and do nothing twice.

    Args:
        world: Where they are.
        machine: Of the run, which knows what went wrong.
        helper: Who, one of `HELPERS`.
    """
    someone = HELPERS[helper]

    def says(question: Question) -> Said | None:
        asked = machine.next()
        if not isinstance(asked, AskPerson):
            return None

        def help_(trial: World) -> Mapping[str, Any]:
            said = someone.says(trial, asked, question)
            return {"value": said.value, "latency_s": said.latency_s, "by": said.by}

        return Said(**world.helped(f"{asked.number}/{asked.serial}", help_))

    return Bystander(says, world.clock)


@dataclass(frozen=True)
class WithHands:
    """Real people beside a simulated robot: they are told what they would see there, and their hands count.

    Once they say that they put it right, it is.

    Args:
        people: Them.
        world: Where the robot is.
        machine: Of the run.
    """

    people: People
    world: World
    machine: Machine

    @property
    def stopped(self) -> bool:
        """Whether somebody said stop."""
        return self.people.stopped

    def ask(self, question: Question, step: str) -> str:
        """Put a question, with what somebody in the hall would see."""
        sights = " ".join(self.world.sights) or "Nothing that looks wrong."
        told = f"Simulated: in the hall you would see: {sights}"
        support = f"{question.support} {told}" if question.support else told
        return self.people.ask(replace(question, support=support[:MAX_SUPPORT]), step)

    def heard(self, question: str) -> Heard | None:
        """What came of it."""
        heard, asked = self.people.heard(question), self.machine.next()
        if heard is not None and heard.value == FIXED and isinstance(asked, AskPerson):
            put_right(self.world, asked.failure)
        return heard

    def wait(self, question: str, seconds: float) -> None:
        """Let time pass."""
        self.people.wait(question, seconds)

    def withdraw(self, question: str) -> None:
        """Take it back."""
        self.people.withdraw(question)
