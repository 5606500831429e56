"""The exact averages against brute force; `test_simulate.py` holds them to episodes."""

from __future__ import annotations

import pytest

from handup.core import NotSolvable
from handup.lab.evaluation import Evaluation
from handup.policy import Gate, Module, ModuleGraph
from handup.when import Troubleshoot
from tests.oracles.pomdp import Pomdp

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
    found = Evaluation(strategy=Troubleshoot(), graph=CHAIN, expert=expert, horizon=6).run().objective
    assert found >= optimum - 1e-9
    assert found == pytest.approx(optimum, rel=1e-9 if expert == 1.0 else 0.01)


def test_gates_have_the_value_of_brute_force() -> None:
    chances, query = tuple(GATES.confidences.tolist()), tuple(GATES.query_costs.tolist())
    optimum = Pomdp(chances, gates_succeed, query).optimum()
    assert Evaluation(strategy=Troubleshoot(), graph=GATES).run().objective == pytest.approx(optimum, abs=1e-9)


def test_too_many_modules_are_refused() -> None:
    long = ModuleGraph.chain(Module(f"m{index}", 0.9) for index in range(13))
    with pytest.raises(NotSolvable, match="13 modules"):
        Evaluation(strategy=Troubleshoot(), graph=long).run()
