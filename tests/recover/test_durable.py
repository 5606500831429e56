"""Sessions in a journal: what is written, what is refused, and what stays readable for ever."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handup.core import Action, BadRecord, IllegalCall, Outcome, StoreUnavailable, event_type, type_of
from handup.journal import Journal
from handup.people import BITE as QUESTIONS
from handup.people import Workload
from handup.people.workload import PersonLoad
from handup.policy import Module, ModuleGraph
from handup.recover import DurableSession, Look, Session, SessionPhase, Settings, Settled
from handup.recover.events import Executed, event_from_json, event_to_json
from handup.recover.run_record import RunBegun, RunSettled, RunTold
from handup.when import strategy
from tests.make import chain_of
from tests.recover.drive import BITE, acting, asking

GOLDEN = Path(__file__).parent / "golden" / "run-v1.jsonl"
METHOD = strategy("troubleshoot")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


def of_run(journal: Journal, run: str = "bite") -> DurableSession:
    return DurableSession.of_run(journal, run, BITE, METHOD)


def acting_in(journal: Journal) -> DurableSession:
    session = of_run(journal)
    session.next(0.0)
    session.answered("m1", changed=True, by="Maya")
    assert session.next(1.0).action is Action.ACT
    return session


# -- a session that is written down ------------------------------------------------------------------------------------


def test_everything_told_is_there_for_the_next_program(journal: Journal) -> None:
    session = acting_in(journal)
    session.executed(False, now_s=2.0)
    again = of_run(journal)
    assert again.history == session.history
    assert again.posterior == session.posterior
    assert (again.phase, again.tally, again.trail) == (session.phase, session.tally, session.trail)


def test_what_the_journal_refuses_does_not_count(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    session = of_run(journal)

    def full() -> Any:
        raise StoreUnavailable("the disk is full", hint="Make room.")

    with monkeypatch.context() as patch:
        patch.setattr(journal, "writing", full)
        with pytest.raises(StoreUnavailable):
            session.next(0.0)
    assert (session.phase, session.history) == (SessionPhase.DECIDING, ())
    assert session.next(0.0).action is Action.ASK


def test_what_the_session_refuses_is_not_written(journal: Journal) -> None:
    session = of_run(journal)
    seq = journal.head().seq
    with pytest.raises(IllegalCall):
        session.executed(True)
    assert journal.head().seq == seq


def test_an_action_is_begun_only_when_it_was_decided_and_once(journal: Journal) -> None:
    with pytest.raises(IllegalCall, match="executed"):
        of_run(journal).begin()
    session = acting_in(journal)
    assert session.begin() == "bite/act/1"
    with pytest.raises(IllegalCall, match="nobody knows what became of 'bite/act/1'"):
        session.begin()


def test_a_void_action_is_followed_by_one_with_another_id(journal: Journal) -> None:
    session = acting_in(journal)
    session.begin()
    session.settle(Settled.VOID, by="Ben")
    assert session.phase is SessionPhase.ACTING
    assert session.begin() == "bite/act/2"
    session.executed(True)
    assert [(each.id, each.ok, each.settled) for each in session.trail.attempts] == [
        ("bite/act/1", None, Settled.VOID),
        ("bite/act/2", True, None),
    ]


def test_only_an_open_action_can_be_settled(journal: Journal) -> None:
    with pytest.raises(IllegalCall, match="no action is open"):
        acting_in(journal).settle(Settled.SENSED, Look(True))


def test_an_unknown_outcome_is_marked_once(journal: Journal) -> None:
    session = acting_in(journal)
    session.mark_unknown()
    session.begin()
    seq = journal.head().seq
    session.mark_unknown()
    session.mark_unknown()
    assert journal.head().seq == seq + 1
    assert session.open_attempt is not None
    assert session.open_attempt.unknown


def test_how_it_was_settled_and_the_outcome_are_written_together(journal: Journal) -> None:
    session = acting_in(journal)
    session.begin()
    session.settle(Settled.SAID, Look(False, 0.9), by="Maya")
    *_, settled, told = [entry.event for entry in journal.read()]
    assert settled == RunSettled(action="bite/act/1", how=Settled.SAID, by="Maya")
    assert isinstance(told, RunTold)
    assert told.read() == Executed(ok=False, certainty=0.9, ended=False)


def test_a_session_of_no_run_writes_nothing() -> None:
    session = DurableSession(BITE)
    session.next(0.0)
    with pytest.raises(IllegalCall, match="belongs to no run"):
        session.end("So.")


def test_an_outcome_of_an_action_that_was_not_begun_is_damage(journal: Journal) -> None:
    of_run(journal)
    journal.append(RunSettled(action="bite/act/7", how=Settled.VOID), run="bite", key="bite/act/7")
    with pytest.raises(BadRecord, match="bite/act/7"):
        of_run(journal)


def test_a_run_without_a_beginning_is_refused(journal: Journal) -> None:
    journal.append(RunBegun(action="bite/act/1"), run="bite", key="bite/act/1")
    with pytest.raises(BadRecord, match="run 'bite' has no beginning"):
        of_run(journal)


def test_a_damaged_event_is_refused_by_name(journal: Journal) -> None:
    of_run(journal)
    journal.append(RunTold(told={"told": "sung"}), run="bite")
    with pytest.raises(BadRecord, match="damaged"):
        of_run(journal)


def test_events_in_an_order_that_cannot_be_are_refused(journal: Journal) -> None:
    of_run(journal)
    journal.append(RunTold.of(Executed(ok=True)), run="bite")
    with pytest.raises(BadRecord, match="damaged"):
        of_run(journal)


def test_another_program_is_noticed_at_the_next_step(journal: Journal) -> None:
    first, second = of_run(journal), of_run(journal)
    second.next(0.0)
    with pytest.raises(IllegalCall, match="another program"):
        first.next(0.0)
    assert first.phase is SessionPhase.DECIDING


def test_entries_of_others_in_the_same_run_do_not_disturb(journal: Journal) -> None:
    session = of_run(journal)
    journal.append(RunBegun(action="x"), run="other")
    session.next(0.0)
    assert of_run(journal).history == session.history


def test_the_order_of_modules_survives(journal: Journal) -> None:
    graph = ModuleGraph.chain([Module("zebra", 0.5), Module("apple", 0.6), Module("mango", 0.7)])
    DurableSession.of_run(journal, "run", graph, METHOD)
    assert DurableSession.of_run(journal, "run", graph, METHOD).graph.names == ("zebra", "apple", "mango")


def test_the_names_in_a_workload_are_kept_beside_the_chain(journal: Journal) -> None:
    model = replace(Workload.of(QUESTIONS.values()).model, people={"Ada": 2.0})
    loads = {"Ben": PersonLoad(load=1.0, at_s=5.0, answers=2)}
    workload = Workload(costs=(0.3, 0.3, 0.3), model=model, person="Maya", loads=loads)
    DurableSession.of_run(journal, "bite", BITE, METHOD, costs=workload)
    bodies = " ".join(row.body for row in journal.rows())
    assert not any(name in bodies for name in ("Ada", "Ben", "Maya"))
    assert DurableSession.of_run(journal, "bite", BITE, METHOD).costs == workload


# -- whether an execution ended the episode ----------------------------------------------------------------------------


def test_an_execution_says_whether_it_ended_the_episode() -> None:
    session = acting()
    session.executed(True, certainty=0.6)
    done = session.history[-1]
    assert isinstance(done, Executed)
    assert done.ended is (session.outcome is Outcome.RECOVERED)


@pytest.mark.parametrize(("ok", "certainty", "ended"), [(False, 1.0, True), (False, 0.6, True), (True, 1.0, False)])
def test_an_execution_that_ended_otherwise_than_it_looked_is_refused(ok: bool, certainty: float, ended: bool) -> None:
    session = acting()
    with pytest.raises(IllegalCall, match="otherwise than it looked"):
        session.told(Executed(ok=ok, certainty=certainty, ended=ended))


def test_an_old_execution_without_it_is_read_and_written_as_it_was() -> None:
    old = {"ok": True, "certainty": 0.7, "told": "executed"}
    assert event_to_json(event_from_json(old)) == old
    assert event_to_json(Executed(ok=True, ended=True))["ended"] is True


def test_reloading_does_not_infer_again() -> None:
    """A stored success is not weighed again: what it was is in the record."""
    graph = chain_of([0.3] * 5)
    session = Session(graph, "never+execute-first", Settings(accept_success=1.0, horizon=1000.0))
    for _ in range(20):
        session.next(0.0)
        session.executed(True, certainty=0.6)
    record = session.to_json()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("handup.policy.Belief.reliability", property(lambda belief: pytest.fail("inferred again")))
        again = Session.from_json(record)
    assert again.reliability == session.reliability


def test_a_history_told_again_makes_an_equal_session() -> None:
    session, again = asking(), Session(BITE)
    session.answered("m1", changed=None)
    for event in session.history:
        again.told(event)
    assert again.to_json() == session.to_json()


# -- golden ------------------------------------------------------------------------------------------------------------


def golden() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]


class _Always:
    def free_from_s(self, now_s: float) -> list[float]:
        return [now_s] * 3


def test_runs_written_by_the_first_version_stay_readable(journal: Journal) -> None:
    for entry in golden():
        event = event_type(entry["kind"]).from_body(entry["body"], entry["version"])
        journal.append(event, run="bite", key=entry["key"])
    session = DurableSession.of_run(journal, "bite", BITE, METHOD, availability=_Always())
    trail = session.trail
    assert trail.ended is not None
    assert session.outcome is trail.ended.outcome is Outcome.RECOVERED
    assert [(each.id, each.ok, each.unknown, each.settled) for each in trail.attempts] == [
        ("bite/act/1", None, True, Settled.VOID),
        ("bite/act/2", False, False, None),
        ("bite/act/3", True, False, None),
    ]
    assert (trail.answers, trail.people) == ({"m1": "bite/m1/1"}, ("Maya",))
    assert session.outputs == {"m0": "right", "m1": "right", "m2": "right"}
    assert (session.tally.questions, session.tally.waited_s) == (1, 600.0)
    assert isinstance(session.costs, Workload)
    assert session.costs.person == "Maya"


def test_runs_of_the_first_version_are_written_as_they_were_read() -> None:
    for entry in golden():
        event = event_type(entry["kind"]).from_body(entry["body"], entry["version"])
        assert json.loads(json.dumps(type_of(event).to_body(event))) == entry["body"]
