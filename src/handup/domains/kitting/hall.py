"""People in the hall while a task runs: somebody simulated, or somebody real whose hands are simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from handup.core import Question
from handup.domains.kitting.helpers import HELPERS, put_right
from handup.domains.kitting.world import KittingWorld
from handup.executive.escalation import FIXED
from handup.executive.human_help import Heard, People, SimulatedBystander, SimulatedSaying
from handup.executive.machine import AskPerson, Machine

MAX_SUPPORT = 2000
"""Most letters that are shown of what helps to answer."""


def standing_by(world: KittingWorld, machine: Machine, helper: str = "bystander") -> People:
    """Return somebody simulated. After a kill they say what they would have said, and do nothing twice.

    Args:
        world: World that they are in.
        machine: Machine of the run, which knows what went wrong.
        helper: Name of the helper, one of `HELPERS`.
    """
    someone = HELPERS[helper]

    def says(question: Question) -> SimulatedSaying | None:
        asked = machine.next()
        if not isinstance(asked, AskPerson):
            return None

        def help_(trial: KittingWorld) -> Mapping[str, Any]:
            answer = someone.says(trial, asked, question)
            return {"value": answer.value, "latency_s": answer.latency_s, "by": answer.by}

        return SimulatedSaying(**world.helped(f"{asked.number}/{asked.serial}", help_))

    return SimulatedBystander(says, world.clock)


@dataclass(frozen=True)
class SimulatedHands:
    """Real people beside a simulated robot: they are told what they would see there, and their hands count.

    Once they say that they put it right, it is.

    Args:
        people: The people.
        world: World that the robot is in.
        machine: Machine of the run.
    """

    people: People
    world: KittingWorld
    machine: Machine

    @property
    def stopped(self) -> bool:
        """True if somebody said stop."""
        return self.people.stopped

    def ask(self, question: Question, step: str) -> str:
        """Put a question, with what somebody in the hall would see."""
        sights = " ".join(self.world.sights) or "Nothing that looks wrong."
        seen = f"Simulated: in the hall you would see: {sights}"
        support = f"{question.support} {seen}" if question.support else seen
        return self.people.ask(replace(question, support=support[:MAX_SUPPORT]), step)

    def heard(self, question: str) -> Heard | None:
        """Return what came of a question. If they say that they put it right, it is right in the simulation, too."""
        heard, asked = self.people.heard(question), self.machine.next()
        if heard is not None and heard.value == FIXED and isinstance(asked, AskPerson):
            put_right(self.world, asked.failure)
        return heard

    def wait(self, question: str, seconds: float) -> None:
        """Let time pass while a question is open."""
        self.people.wait(question, seconds)

    def withdraw(self, question: str) -> None:
        """Withdraw a question."""
        self.people.withdraw(question)
