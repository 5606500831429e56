"""The exact averages against brute force and against episodes played one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from handup.core import NotSolvable
from handup.lab.evaluation import Evaluation, Expected
from handup.policy import Gate, Module, ModuleGraph
from handup.recover import Session, Settings
from handup.when import Troubleshoot, strategy
from tests.when.pomdp import Pomdp

GATES = ModuleGraph(
    [
        Module("a", 0.6, 0.2),
        Module("b", 0.3, 0.4),
        Module("c", 0.7, 0.1, ("a", "b"), Gate.OR),
        Module("d", 0.5, 0.3, ("c", "a")),
    ]
)
CHAIN = ModuleGraph.chain([Module("a", 0.9, 0.3), Module("b", 0.2, 0.5), Module("c", 0.6, 0.1)])


def gates_succeed(state: tuple[bool, ...]) -> bool:
    a, b, c, d = state
    return d and c and (a or b) and a


@pytest.mark.parametrize("expert", [1.0, 0.8])
def test_optimal_strategy_has_the_value_of_brute_force(expert: float) -> None:
    chances, query = tuple(CHAIN.confidences.tolist()), tuple(CHAIN.query_costs.tolist())
    optimum = Pomdp(chances, all, query, expert=expert).optimum()
    found = Evaluation(strategy=Troubleshoot(), graph=CHAIN, expert=expert).run().objective
    assert found >= optimum - 1e-9
    assert found == pytest.approx(optimum, rel=1e-9 if expert == 1.0 else 0.01)


def test_gates_have_the_value_of_brute_force() -> None:
    chances, query = tuple(GATES.confidences.tolist()), tuple(GATES.query_costs.tolist())
    optimum = Pomdp(chances, gates_succeed, query).optimum()
    assert Evaluation(strategy=Troubleshoot(), graph=GATES).run().objective == pytest.approx(optimum, abs=1e-9)


METHODS = ["troubleshoot", "graph+workload-aware", "topo+query-for-all", "never+execute-first"]


@pytest.mark.parametrize("method", METHODS)
def test_averages_equal_all_episodes_played_with_sessions(method: str) -> None:
    total = Expected()
    for state in itertools.product((0, 1), repeat=len(GATES)):
        chance = float(np.prod(np.where(state, GATES.confidences, 1 - GATES.confidences)))
        played = play(method, list(state))
        total = total.plus(
            Expected(
                objective=chance * played.objective,
                recovered=chance * played.recovered,
                questions=chance * played.questions,
                executions=chance * played.executions,
            )
        )
    found = Evaluation(strategy=strategy(method), graph=GATES).run()
    for name in ("objective", "recovered", "questions", "executions"):
        assert getattr(found, name) == pytest.approx(getattr(total, name), abs=1e-9), name


def play(method: str, state: list[int]) -> Expected:
    session = Session(GATES, method, Settings())
    while session.outcome is None:
        decision = session.next(0.0)
        if decision.action == "ask" and decision.module is not None:
            module = GATES.index(decision.module)
            session.answered(decision.module, changed=not state[module])
            state[module] = 1
        elif decision.action == "act":
            session.executed(gates_succeed(tuple(bool(each) for each in state)))
    tally = session.tally
    return Expected(
        objective=tally.objective,
        recovered=float(session.outcome == "recovered"),
        questions=tally.questions,
        executions=tally.executions,
    )


def test_too_many_modules_are_refused() -> None:
    long = ModuleGraph.chain(Module(f"m{index}", 0.9) for index in range(13))
    with pytest.raises(NotSolvable, match="13 modules"):
        Evaluation(strategy=Troubleshoot(), graph=long).run()
