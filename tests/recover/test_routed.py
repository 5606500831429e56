"""Sessions and runs that weigh people: who is asked, who is next, and what the journal keeps of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from handup.core import (
    Action,
    BadRecord,
    ContractViolation,
    Costs,
    Decision,
    IllegalCall,
    Outcome,
    Person,
    Question,
    Reply,
    ReplyKind,
    Stake,
    Value,
)
from handup.desk import Desk, Record, SkippingClock
from handup.desk.events import HandedOn
from handup.journal import Journal
from handup.people import Level, LevelEstimate
from handup.recover import Look, Session, Settings, TimeUnit, run
from handup.recover.events import Rerouted
from handup.recover.run_record import RunTold, RunToldOfPeople
from handup.when import DecisionMoment
from handup.whom import Options, PersonNow, RecoveryRecord
from tests.make import chain_of
from tests.recover.house import FragileJournal, Killed
from tests.recover.robot import RIGHT, Robot, SensingRobot

MAYA, BEN = (PersonNow(person=Person(name=name)) for name in ("Maya", "Ben"))
STAKES = dict.fromkeys(Stake, 100.0)
FRESH = Options(people=(MAYA, replace(BEN, comes_s=5.0)), stakes=STAKES)
SECONDS = Settings(time=TimeUnit.SECONDS, horizon=1e6, ask_time=20.0)


def asking(options: Options = FRESH, method: str = "joint") -> Session:
    session = Session(chain_of((0.0,), 0.3), method, SECONDS, options=options)
    assert session.next(0.0).person == "Maya"
    return session


# -- a session ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["joint", "troubleshoot", "topo+query-then-execute"])
def test_the_question_goes_to_the_chosen_person_first_and_then_by_value(method: str) -> None:
    session = asking(method=method)
    assert session.question is not None
    assert session.question.to == ("Maya", "Ben")


def test_a_question_for_others_stays_with_them() -> None:
    session = asking()
    assert session.addressed(Question("?", to=("Ben", "Cem"))).to == ("Ben",)
    assert session.addressed(Question("?", to=("Cem",))).to == ("Cem",)


def test_the_load_of_a_question_is_that_of_the_person_and_the_support() -> None:
    session = Session(chain_of((0.0,), 0.3), "joint", options=Options(people=(MAYA,), role_weights={MAYA.role: 0.5}))
    session.next(0.0)
    assert session.tally.load == pytest.approx(0.15)


def test_after_the_expected_time_somebody_else_is_asked_and_the_first_may_still_answer() -> None:
    session = asking()
    assert session.reroute(19.0) is None
    decision = session.reroute(20.0)
    assert decision is not None
    assert (decision.action, decision.module, decision.person) == (Action.ASK, "m0", "Ben")
    assert session.pending == decision
    assert session.tried == ("Maya",)
    assert session.tally.questions == 1
    assert session.tally.load == pytest.approx(0.6)
    assert session.reroute(1000.0) is None, "nobody else is left"
    session.answered("m0", changed=True, by="Maya", now_s=1001.0)
    assert session.next(1002.0).action is Action.ACT


def test_nobody_is_late_where_nobody_knows_how_long_an_answer_takes() -> None:
    session = Session(chain_of((0.0,), 0.3), "joint", options=FRESH)
    assert session.next(0.0).person == "Maya"
    assert session.reroute(1e6) is None


@dataclass
class Watched:
    """Options of people whose levels a test sets."""

    options: Options

    def costs_at(self, moment: DecisionMoment) -> Costs:
        return self.options.costs_at(moment)

    def see(self, name: str, level: Level) -> None:
        people = tuple(
            replace(helper, level=LevelEstimate.certain(level)) if helper.name == name else helper
            for helper in self.options.people
        )
        self.options = replace(self.options, people=people)


def test_a_person_who_becomes_very_busy_is_left_alone() -> None:
    watched = Watched(FRESH)
    session = Session(chain_of((0.0,), 0.3), "joint", SECONDS, options=watched)
    assert session.next(0.0).person == "Maya"
    watched.see("Maya", Level.BUSY)
    assert session.reroute(1.0) is None
    watched.see("Maya", Level.VERY_BUSY)
    decision = session.reroute(2.0)
    assert decision is not None
    assert decision.person == "Ben"


def test_a_critical_question_stays_with_somebody_who_is_very_busy() -> None:
    critical = replace(FRESH, limits=replace(FRESH.limits, stake=Stake.CRITICAL))
    watched = Watched(critical)
    session = Session(chain_of((0.0,), 0.3), "joint", SECONDS, options=watched)
    session.next(0.0)
    watched.see("Maya", Level.VERY_BUSY)
    assert session.reroute(1.0) is None


def test_without_people_there_is_nobody_else_to_ask() -> None:
    session = Session(chain_of((0.0,), 0.3))
    session.next(0.0)
    assert session.reroute(1e6) is None
    session.answered("m0", changed=True)
    with pytest.raises(IllegalCall, match="rerouted"):
        session.reroute(1e6)


def test_a_session_goes_on_from_its_record_with_the_same_people() -> None:
    session = asking()
    session.reroute(20.0)
    record = session.to_json()
    again = Session.from_json(record, options=FRESH)
    assert again.to_json() == record
    assert (again.pending, again.tried, again.tally) == (session.pending, session.tried, session.tally)
    with pytest.raises(BadRecord, match="weighed people"):
        Session.from_json(record)


def test_a_record_without_people_has_no_word_of_them() -> None:
    session = Session(chain_of((0.0,), 0.3))
    session.next(0.0)
    text = str(session.to_json())
    assert not any(word in text for word in ("person", "support", "recovery", "own_options"))


def test_a_recovery_that_did_not_help_counts_against_it_and_says_nothing_of_the_policy() -> None:
    recoveries = (RecoveryRecord(name="shake", left=1), RecoveryRecord(name="back off", uses=3, successes=1, left=1))
    options = Options(people=(), recoveries=recoveries, stakes=STAKES)
    session = Session(chain_of((0.0, 0.5), 0.3), "joint", options=options)
    assert session.next(0.0).recovery == "shake"
    wrong = session.posterior
    session.executed(False)
    assert session.posterior == wrong
    assert session.next(1.0).recovery == "back off"
    session.executed(True)
    assert session.outcome is Outcome.RECOVERED
    assert session.tally.executions == 2


def test_nobody_who_may_be_asked_means_that_nobody_is() -> None:
    quiet = Options(people=(replace(MAYA, consent=()),), stakes=STAKES)
    for method in ("joint", "troubleshoot", "topo+query-for-all"):
        decision = Session(chain_of((0.0,), 0.3), method, options=quiet).next(0.0)
        assert decision.action is not Action.ASK


# -- a run -------------------------------------------------------------------------------------------------------------


class Slow:
    """A channel to people of whom some never answer; what each was shown, in order."""

    def __init__(self, *answering: str) -> None:
        self.name = "slow"
        self.shown: list[str] = []
        self._answering = answering

    def show(self, record: Record, desk: Desk) -> None:
        by = record.turn or ""
        self.shown.append(by)
        if by in self._answering:
            token = f"{record.id}-{by}"
            desk.reply(Reply(question=record.id, kind=ReplyKind.ANSWER, by=by, token=token, value=RIGHT))

    def taken(self, record: Record) -> None:
        pass

    def close(self) -> None:
        pass


def robot(folder: Path) -> Robot:
    return SensingRobot(folder / "log.jsonl", wrong=("m0",), confidences=(0.0,), query=0.3)


def desk_on(journal: Journal, *channels: Slow) -> Desk:
    return Desk(journal, [Person(name="Ben"), Person(name="Maya")], channels=channels)


@pytest.mark.parametrize("method", ["joint", "troubleshoot"])
def test_a_run_hands_an_unanswered_question_on(method: str, tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db", clock=SkippingClock(1000.0)) as journal:
        channel = Slow("Ben")
        desk = desk_on(journal, channel)
        episode = run(robot(tmp_path), method, desk, settings=SECONDS, options=FRESH)
        assert episode.outcome is Outcome.RECOVERED
        assert channel.shown == ["Maya", "Ben"]
        entries = list(journal.read())
        (handed,) = [entry for entry in entries if isinstance(entry.event, HandedOn)]
        assert isinstance(handed.event, HandedOn)
        assert (handed.event.by, handed.event.turn) == ("Maya", "Ben")
        assert handed.at_s == pytest.approx(1020.0, abs=1.5)
        told = [entry.event.read() for entry in entries if isinstance(entry.event, RunTold)]
        (rerouted,) = [event for event in told if isinstance(event, Rerouted)]
        assert rerouted.decision.person == "Ben"
        desk.close()


def test_the_first_person_may_answer_after_it_went_on(tmp_path: Path) -> None:
    class Late(Slow):
        def show(self, record: Record, desk: Desk) -> None:
            super().show(record, desk)
            if record.turn == "Ben":
                desk.reply(Reply(question=record.id, kind=ReplyKind.ANSWER, by="Maya", token="late", value=RIGHT))

    with Journal.open(tmp_path / "journal.db", clock=SkippingClock(1000.0)) as journal:
        desk = desk_on(journal, Late())
        episode = run(robot(tmp_path), "joint", desk, settings=SECONDS, options=FRESH)
        assert episode.outcome is Outcome.RECOVERED
        answers = [entry.event for entry in journal.read() if entry.kind == "desk.answered"]
        assert [event.by for event in answers] == ["Maya"]  # type: ignore[attr-defined]
        desk.close()


def test_names_are_kept_beside_a_decision_and_can_be_erased(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db", clock=SkippingClock(1000.0)) as journal:
        desk = desk_on(journal, Slow("Ben"))
        run(robot(tmp_path), "joint", desk, settings=SECONDS, options=FRESH)
        weighed = [entry.event for entry in journal.read() if isinstance(entry.event, RunToldOfPeople)]
        assert weighed
        assert all(event.people for event in weighed)
        assert not any(name in str(event.told) for event in weighed for name in ("Maya", "Ben"))
        journal.erase("Maya")
        bodies = " ".join(str(body) for _, body in journal.bodies(after=0))
        assert "Maya" not in bodies
        again = [entry.event.read() for entry in journal.read() if isinstance(entry.event, RunToldOfPeople)]
        people = [event.decision.person for event in again]  # type: ignore[union-attr]
        assert str(people[0]).startswith("erased-")
        assert people[1] == "Ben"
        desk.close()


def test_a_program_may_be_killed_at_every_write_of_a_question_that_goes_on(tmp_path: Path) -> None:
    def live(folder: Path, dies_at: tuple[int, bool] | None) -> int:
        folder.mkdir(exist_ok=True)
        journal = FragileJournal.open(folder / "journal.db", clock=SkippingClock(1000.0))
        assert isinstance(journal, FragileJournal)
        journal.dies_at = dies_at
        try:
            desk = desk_on(journal, Slow("Ben"))
            episode = run(robot(folder), "joint", desk, settings=SECONDS, options=FRESH, look_every_s=10.0)
            assert episode.outcome is Outcome.RECOVERED
            handed = [entry.event for entry in journal.read() if isinstance(entry.event, HandedOn)]
            told = [entry.event.read() for entry in journal.read() if isinstance(entry.event, RunTold)]
            assert len(handed) == len([event for event in told if isinstance(event, Rerouted)]) == 1
        finally:
            writes = journal.writes
            journal.close()
        return writes

    for write in range(1, live(tmp_path / "calm", None) + 1):
        with pytest.raises(Killed):
            live(tmp_path / f"{write}", (write, True))
        live(tmp_path / f"{write}", None)


class Shaking(Robot):
    """A robot with a recovery of its own, and words for what people are shown."""

    def recover(self, recovery: str, outputs: Mapping[str, Value], action_id: str) -> Look:
        self.tried = (recovery, action_id)
        return Look(recovery == "shake")

    def support(self, module: str, support: str, outputs: Mapping[str, Value]) -> str:
        return f"{support} for {module}"


def test_a_run_does_the_recovery_that_was_decided(tmp_path: Path) -> None:
    options = replace(FRESH, recoveries=(RecoveryRecord(name="shake", uses=9, successes=9, seconds=1.0),))
    with Journal.open(tmp_path / "journal.db", clock=SkippingClock(1000.0)) as journal:
        desk = desk_on(journal, Slow("Ben"))
        policy = Shaking(tmp_path / "log.jsonl", wrong=("m0",), confidences=(0.0,), query=0.3)
        episode = run(policy, "joint", desk, run="one", settings=SECONDS, options=options)
        assert episode.outcome is Outcome.RECOVERED
        assert policy.tried == ("shake", "one/act/1")
        with pytest.raises(ContractViolation, match=r"no recover\(\), and 'shake' was decided"):
            run(robot(tmp_path), "joint", desk, run="two", settings=SECONDS, options=options)
        desk.close()


def test_the_question_shows_the_support_that_was_chosen(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db", clock=SkippingClock(1000.0)) as journal:
        desk = desk_on(journal, Slow("Maya"))
        policy = Shaking(tmp_path / "log.jsonl", wrong=("m0",), confidences=(0.0,), query=0.3)
        run(policy, "joint", desk, run="one", settings=SECONDS, options=FRESH)
        record = desk.record("one/m0/1")
        assert record is not None
        assert record.question.support == "none for m0"
        assert record.audience == ("Maya", "Ben")
        desk.close()


def test_an_endless_limit_that_comes_up_is_a_reason_to_ask_somebody_else() -> None:
    watched = Watched(FRESH)
    session = Session(chain_of((0.0,), 0.3), "joint", SECONDS, options=watched)
    session.next(0.0)
    people = (replace(MAYA, consent=()), watched.options.people[1])
    watched.options = replace(watched.options, people=people)
    decision: Decision | None = session.reroute(1.0)
    assert decision is not None
    assert decision.person == "Ben"
    assert math.isfinite(decision.alternatives[0].value)
