"""Options with people as they are at a desk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from handup.core import Ability, Limits, Person, Question, Role
from handup.desk import Desk, SkippingClock
from handup.journal import Journal
from handup.recover import Session, Settings, TimeUnit
from handup.whom import DeskOptions, Options, PersonNow, at_desk
from tests.make import chain_of

SECONDS = Settings(time=TimeUnit.SECONDS, horizon=1e6, ask_time=20.0)
MAYA = PersonNow(person=Person(name="Maya", limits=Limits(per_hour=1)), comes_s=5.0, consent=())
BEN = PersonNow(person=Person(name="Ben"))


def test_a_person_is_as_they_set_themselves_up_at_the_desk(tmp_path: Path) -> None:
    handy = Person(name="Maya", role=Role.CAREGIVER, abilities=(Ability.HANDS,), limits=Limits(at_once=2))
    with Journal.open(tmp_path / "journal.db", clock=SkippingClock(1000.0)) as journal, Desk(journal, [handy]) as desk:
        desk.ask(Question("Which one?"), run="other", step="food", load=0.2)
        maya = at_desk(MAYA, desk.state)
        assert (maya.person, maya.before, [put.load for put in maya.put]) == (handy, 1, [0.2])
        assert maya.busy is None
        desk.busy("Maya", 60.0)
        assert at_desk(MAYA, desk.state).busy is not None
        assert (maya.comes_s, maya.consent) == (5.0, ())
        assert at_desk(BEN, desk.state) is BEN


def test_a_question_that_another_run_asked_counts_for_the_next_one(tmp_path: Path) -> None:
    people = [MAYA.person, BEN.person]
    with Journal.open(tmp_path / "journal.db", clock=SkippingClock(1000.0)) as journal, Desk(journal, people) as desk:
        options = Options(people=(replace(MAYA, consent=None, comes_s=0.0), BEN))
        session = Session(chain_of((0.0,), 0.3), "joint", SECONDS, options=DeskOptions(options, desk))
        other = Session(chain_of((0.0,), 0.3), "joint", SECONDS, options=DeskOptions(options, desk))
        assert session.next(desk.now_s()).person == "Maya"
        desk.ask(Question("Which one?", to=("Maya",)), run="other", step="food")
        assert other.next(desk.now_s()).person == "Ben"
