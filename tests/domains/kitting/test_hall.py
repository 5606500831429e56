"""People in the hall: simulated ones do nothing twice, and real ones have hands."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from handup.core import Question
from handup.domains.kitting import KittingWorld, rates, recipes, variant
from handup.domains.kitting.hall import SimulatedHands, standing_by
from handup.executive import Around
from handup.executive.escalation import AGAIN, FIXED
from handup.executive.executive import Executive
from handup.executive.human_help import Heard, People
from handup.executive.machine import AskPerson
from handup.executive.run import Run

WAY = variant("bystander")


def asking(world: KittingWorld) -> Run:
    """A run that has just come to a question: the arm is wedged, and there are no rules."""
    world.inject("arm", "wedged_arm")
    run = Run(recipes(), WAY.recoveries(), settings=WAY.settings)
    people: People = _Silent()
    turns = Executive(run, Around(actions=world.actions(), clock=world.clock, people=people)).turns()
    for working in turns:
        if isinstance(run.machine.next(), AskPerson):
            break
        world.clock.advance(working.for_s)
    return run


class _Silent:
    stopped = False

    def ask(self, question: Question, step: str) -> str:
        return step

    def heard(self, question: str) -> Heard | None:
        return None

    def wait(self, question: str, seconds: float) -> None:
        raise AssertionError("nobody waits here")

    def withdraw(self, question: str) -> None:
        pass


@dataclass
class _Says(_Silent):
    value: str
    asked: list[Question] = field(default_factory=list)

    def ask(self, question: Question, step: str) -> str:
        self.asked.append(question)
        return step

    def heard(self, question: str) -> Heard | None:
        return Heard(value=self.value, by="Maya")


def drilled(path: Path | None = None) -> KittingWorld:
    return KittingWorld(1, rates=rates().without_faults(), path=path, drills=True)


def test_somebody_simulated_says_and_does_the_same_after_a_kill(tmp_path: Path) -> None:
    world = drilled(tmp_path / "world")
    run = asking(world)
    question = Question("How shall I go on?", options=(AGAIN, FIXED))
    standing_by(world, run.machine).ask(question, "failure:1:1")
    after = world.state
    assert "wedged_arm" not in after.causes, "they have put it right"
    said = dict(after.helped)
    world.close()
    again = KittingWorld(path=tmp_path / "world")
    assert again.state.helped == said
    standing_by(again, run.machine).ask(question, "failure:1:1")
    assert again.state == after, "and do nothing twice"
    again.close()


def test_real_people_are_told_what_they_would_see_and_have_hands() -> None:
    world = drilled()
    run = asking(world)
    maya = _Says(FIXED)
    people = SimulatedHands(maya, world, run.machine)
    people.ask(Question("How?", support="Look."), "s")
    assert maya.asked[0].support == (
        "Look. Simulated: in the hall you would see: The arm stands at the end of a joint."
    )
    people.heard("s")
    assert "wedged_arm" not in world.state.causes


def test_who_only_says_try_again_has_changed_nothing() -> None:
    world = drilled()
    run = asking(world)
    SimulatedHands(_Says(AGAIN), world, run.machine).heard("s")
    assert "wedged_arm" in world.state.causes
