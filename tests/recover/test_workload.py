"""A session and its cost model: costs change over an episode, and a stored session decides as it would have."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from handup.core import Action, BadRecord, CostModel, Decision
from handup.people import BITE, Workload, WorkloadModel
from handup.recover import Session, Settings
from handup.recover.settings import TimeUnit
from tests.make import chain_of

MODEL = WorkloadModel(g=1.0, rho_failed=0.1, rho_wait=0.01)
POLICY = chain_of([0.9, 0.4, 0.3, 0.6])


def workload(model: WorkloadModel = MODEL) -> Workload:
    return Workload.of(BITE.values(), model, person="Maya")


def drive(session: Session, steps: int, start_s: float = 0.0) -> list[Decision]:
    """Go on for some steps of ten seconds: every answer changes something, every execution fails."""
    decisions = []
    for step in range(steps):
        now_s = start_s + 10.0 * step
        decision = session.next(now_s)
        decisions.append(decision)
        if decision.action is Action.ASK:
            session.answered(decision.module or "", changed=True, by="Maya", now_s=now_s + 5.0)
        elif decision.action is Action.ACT:
            session.executed(False, now_s=now_s + 5.0)
        else:
            break
    return decisions


def costs(session: Session, now_s: float) -> Sequence[float]:
    return [float(each) for each in session.costs.query_costs(now_s)]


def test_costs_rise_with_an_answer_and_leak_away() -> None:
    session = Session(POLICY, costs=workload())
    before = costs(session, 0.0)
    decision = session.next(0.0)
    assert decision.action is Action.ASK
    assert costs(session, 0.0) == before, "asking alone costs nothing yet"
    session.answered(decision.module or "", changed=True, by="Maya", now_s=5.0)
    assert min(a - b for a, b in zip(costs(session, 5.0), before, strict=True)) >= 0.24
    assert costs(session, 1e5) == pytest.approx(before)


def test_another_persons_answer_is_not_mayas_load() -> None:
    session = Session(POLICY, costs=workload())
    module = session.next(0.0).module or ""
    before = costs(session, 5.0)
    session.answered(module, changed=True, by="Tom", now_s=5.0)
    assert costs(session, 5.0) == before


def test_failures_and_waiting_for_an_execution_are_heard() -> None:
    session = Session(POLICY, "never+execute-first", costs=workload())
    session.next(0.0)
    session.executed(False, now_s=20.0)
    assert isinstance(session.costs, Workload)
    assert session.costs.load(20.0) == pytest.approx(MODEL.from_waiting(20.0) + 0.1)


def test_a_decided_wait_is_heard() -> None:
    class Later:
        def free_from_s(self, now_s: float) -> list[float]:
            return [50.0] * 4

    sure = chain_of([1.0, 0.0, 1.0, 1.0])
    settings = Settings(time=TimeUnit.SECONDS, act_time=10.0, ask_time=10.0, horizon=500.0)
    session = Session(sure, settings=settings, costs=workload(), availability=Later())
    decision = session.next(0.0)
    assert decision.action is Action.WAIT
    session.next(50.0)
    assert isinstance(session.costs, Workload)
    assert session.costs.load(50.0) == pytest.approx(MODEL.from_waiting(50.0))


def test_methods_really_see_costs_change() -> None:
    """Asking goes on while it is cheap; the same session with load that counts stops asking earlier."""
    asked = {}
    for g in (0.0, 3.0):
        session = Session(POLICY, "graph+workload-aware", costs=workload(WorkloadModel(g=g)))
        asked[g] = sum(each.action is Action.ASK for each in drive(session, 6))
    assert asked[0.0] > asked[3.0] > 0


def test_the_load_goes_on_to_the_next_episode() -> None:
    first = Session(POLICY, costs=workload())
    drive(first, 4)
    second = Session(POLICY, costs=first.costs)
    assert costs(second, 40.0) == costs(first, 40.0)
    assert sum(costs(second, 40.0)) > sum(costs(Session(POLICY, costs=workload()), 40.0))


@pytest.mark.parametrize("steps", range(6))
def test_a_stored_session_reloads_to_the_same_costs_and_decisions(steps: int) -> None:
    session = Session(POLICY, costs=workload())
    drive(session, steps)
    again = Session.from_json(json.loads(json.dumps(session.to_json())))
    assert again.costs == session.costs
    assert again.tally == session.tally
    if session.outcome is None:
        assert drive(again, 6, 100.0) == drive(session, 6, 100.0)
        assert again.to_json() == session.to_json()


def test_the_starting_workload_may_be_passed_again() -> None:
    session = Session(POLICY, costs=workload())
    drive(session, 2)
    assert Session.from_json(session.to_json(), costs=workload()).costs == session.costs
    with pytest.raises(BadRecord, match="another workload"):
        Session.from_json(session.to_json(), costs=session.costs)


def test_a_damaged_workload_is_refused() -> None:
    record = Session(POLICY, costs=workload()).to_json()
    with pytest.raises(BadRecord):
        Session.from_json({**record, "workload": {"kind": "workload", "schema": 1}})


def test_other_cost_models_are_left_alone() -> None:
    class Rising:
        def query_costs(self, now_s: float) -> list[float]:
            return [0.1 + now_s / 100.0] * 4

    rising: CostModel = Rising()
    session = Session(POLICY, costs=rising)
    drive(session, 2)
    assert session.costs is rising
    with pytest.raises(BadRecord, match="cost model of its own"):
        Session.from_json(session.to_json())
