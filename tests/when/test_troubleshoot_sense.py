"""Decisions and reasons that a person would find absurd, each seen once, none to be seen again."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action, Costs
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.recover import Session, Settings
from handup.when import Troubleshoot
from handup.when.plan.problem import PlanProblem
from handup.when.troubleshoot import plan
from tests.make import chain_of

TANGLED = ModuleGraph(
    [Module("m0", 0.5), Module("m1", 0.5)]
    + [Module(f"m{i}", 0.5 + i / 40, 0.3, (f"m{i - 1}", f"m{i - 2}"), Gate.OR) for i in range(2, 12)]
)
"""Too many modules for the exact planner, few enough for an exact posterior."""


def least(belief: Belief, costs: Costs) -> float:
    values = plan(PlanProblem(belief, costs, ~belief.answered))
    return float(min(values.act, values.give_up, *values.ask[~belief.answered].tolist()))


@given(st.floats(1.0, 500.0), st.floats(0.3, 0.99), st.floats(5.0, 1000.0), st.booleans())
def test_a_worse_expert_is_never_worth_more(query: float, expert: float, left: float, failed: bool) -> None:
    belief = Belief.of(chain_of((0.05, 0.5), query))
    belief = belief.after_execution(False) if failed else belief
    true, worse = (
        least(belief, Costs.of([query, query], expert=each, act_time=2.0, time_left=left)) for each in (1.0, expert)
    )
    assert worse >= true - 1e-6


def test_acting_without_a_hope_is_no_cheaper_than_giving_up() -> None:
    belief = Belief.of(chain_of((0.5,) * 200, 0.3))
    decision = Troubleshoot().decide(belief, Costs.of([0.3] * 200, expert=0.9), 0.0)
    assert decision.action is Action.YIELD


@pytest.mark.parametrize("expert", [1.0, 0.9])
def test_the_probability_in_a_reason_is_that_of_the_posterior(expert: float) -> None:
    belief = Belief.of(TANGLED).after_execution(False)
    decision = Troubleshoot().decide(belief, Costs.of(TANGLED.query_costs, expert=expert), 0.0)
    assert decision.action is Action.ASK
    said = re.search(r"wrong with probability ([\d.e-]+)", decision.reason)
    assert said is not None
    assert decision.module is not None
    assert float(said.group(1)) == pytest.approx(belief.wrong[TANGLED.index(decision.module)], rel=5e-3)


def test_somebody_who_is_not_sure_is_not_asked_over_and_over() -> None:
    session = Session(chain_of((0.2, 0.9, 0.9), 0.05), settings=Settings(horizon=60))
    done: list[str] = []
    while session.outcome is None:
        decision = session.next(0.0)
        if decision.action is Action.ASK and decision.module is not None:
            done.append(decision.module)
            session.answered(decision.module, changed=True, expert=0.5)
        elif decision.action is Action.ACT:
            done.append("act")
            session.executed(False)
    assert max(done.count(name) for name in ("m0", "m1", "m2")) <= session.settings.max_questions_per_module
    assert all(first != second for first, second in itertools.pairwise(done)), done


def test_a_success_that_may_be_none_is_not_called_a_failed_try() -> None:
    belief = Belief.of(chain_of((0.3, 0.9), 0.1)).after_execution(True, certainty=0.6)
    decision = Troubleshoot().decide(belief, Costs.of([0.1, 0.1], time_left=20), 0.0)
    assert "failed" not in decision.reason


def test_giving_up_does_not_claim_that_everybody_was_asked() -> None:
    belief = Belief.of(chain_of((0.3, 0.9))).after_execution(False)
    decision = Troubleshoot().decide(belief, Costs.of([0.1, 0.1], expert=0.0), 0.0)
    assert decision.action is Action.YIELD
    assert "every module has been asked about" not in decision.reason


@pytest.mark.parametrize("w", [0.0, 0.5, 1.0])
def test_nobody_is_asked_for_nothing_at_the_last_step(w: float) -> None:
    belief = Belief.of(chain_of((1.0, 0.4), 0.0)).after_execution(False)
    decision = Troubleshoot().decide(belief, Costs.of([0.0, 0.0], w=w, time_left=1.0), 0.0)
    assert decision.action is Action.YIELD
