"""People in the hall: simulated ones do nothing twice, and real ones have hands."""

from __future__ import annotations

from pathlib import Path

from handup.core import Person, Question, Reply, ReplyKind
from handup.domains.domain import PAGE, Workplace
from handup.domains.kitting import KittingWorld, rates, recipes, variant
from handup.domains.kitting.helpers import standing_by
from handup.domains.kitting.stage import hall
from handup.domains.stage import PeopleAtWorkplace
from handup.executive import Around
from handup.executive.escalation import AGAIN, FIXED
from handup.executive.executive import Executive
from handup.executive.human_help import Heard, People
from handup.executive.machine import AskPerson
from handup.executive.run import Run
from handup.journal import Journal

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


def asked_at_desk(tmp_path: Path, reply: str) -> tuple[KittingWorld, Question]:
    """What becomes of the world where somebody at the desk replies, and the question that they see."""
    world = drilled()
    run, stage = asking(world), hall(world)
    with Journal.open(tmp_path / "j.db") as journal:
        place = Workplace(journal, "run-1", people=PAGE)
        desk = place.sit_down(Person(name="Maya"))
        people = PeopleAtWorkplace(desk, "run-1", place=place, stage=stage, machine=run.machine)
        question = people.ask(Question("How?", options=(AGAIN, FIXED), support="Look."), "s")
        record = desk.record(question)
        assert record is not None
        said = Reply(question=question, kind=ReplyKind.ANSWER, by="Maya", token="t", value=reply)
        desk.reply(said)
        assert people.heard(question) == Heard(value=reply, by="Maya")
        return world, record.question


def test_real_people_are_told_what_they_would_see_and_have_hands(tmp_path: Path) -> None:
    world, question = asked_at_desk(tmp_path, FIXED)
    assert question.support == "Look. Simulated: in the hall you would see: The arm stands at the end of a joint."
    assert "wedged_arm" not in world.state.causes


def test_who_only_says_try_again_has_changed_nothing(tmp_path: Path) -> None:
    world, _ = asked_at_desk(tmp_path, AGAIN)
    assert "wedged_arm" in world.state.causes
