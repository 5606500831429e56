"""`binary-tree` against Dijkstra on the literal tree, and against every set."""

import numpy as np
import pytest
from hypothesis import assume, given

from handup.lab.bench.decisions import full_tree_dijkstra
from handup.policy import Gate, Module, ModuleGraph
from handup.what import BinaryTree, Situation
from handup.what.sets import best_prefix
from tests.make import chain_of, situation_of
from tests.oracles.enumeration import open_sets
from tests.strategies import share_of_examples, situations


def product_objective(situation: Situation, asked: tuple[int, ...]) -> float:
    """Eq. 2, with c_e for the modules asked about."""
    costs, chances = situation.costs, situation.belief.confidences.copy()
    chances[list(asked)] = costs.expert[list(asked)]
    return float(costs.w * costs.query[list(asked)].sum() + (1.0 - costs.w) * (1.0 - np.prod(chances)))


def all_objectives(situation: Situation) -> dict[tuple[int, ...], float]:
    return {each: product_objective(situation, each) for each in open_sets(situation)}


@given(situations(most=8))
def test_the_best_prefix_is_the_best_of_all_sets(situation: Situation) -> None:
    plan = best_prefix(situation, situation.open)
    least = min(all_objectives(situation).values())
    assert product_objective(situation, tuple(plan.members.tolist())) == pytest.approx(least, abs=1e-9)
    assert plan.nothing == pytest.approx(product_objective(situation, ()), abs=1e-9)


@given(situations(most=8))
def test_values_are_those_of_the_prefixes(situation: Situation) -> None:
    plan = best_prefix(situation, situation.open)
    for size in range(1, len(plan.members) + 1):
        prefix = tuple(plan.members[:size].tolist())
        assert plan.values[prefix[-1]] == pytest.approx(product_objective(situation, prefix), abs=1e-9)


@share_of_examples(1.5)
@given(situations(most=8))
def test_one_sort_equals_dijkstra_on_the_full_tree(situation: Situation) -> None:
    least, second, *_ = [*sorted(all_objectives(situation).values()), np.inf, np.inf]
    assume(second - least > 1e-9)
    assert BinaryTree().select(situation).module == full_tree_dijkstra(situation)


def test_the_product_runs_over_all_modules_whatever_their_gates() -> None:
    redundant = ModuleGraph([Module("a", 0.5, 0.1), Module("b", 0.5, 0.1), Module("c", 1.0, 0.1, ("a", "b"), Gate.OR)])
    selection = BinaryTree().select(situation_of(redundant))
    assert selection.module == 0
    assert selection.nothing == pytest.approx(0.5 * 0.75)


def test_two_hopeless_modules_are_asked_about_together() -> None:
    plan = best_prefix(situation := situation_of(chain_of((0.0, 1.0, 0.0))), situation.open)
    assert sorted(plan.members.tolist()) == [0, 2]
    assert product_objective(situation, (0,)) > plan.nothing


def test_of_equally_good_prefixes_the_longest_is_taken() -> None:
    at_the_critical_cost = situation_of(chain_of((1.0, 0.1), 0.9))
    assert BinaryTree().select(at_the_critical_cost).module == 1
    assert BinaryTree().select(situation_of(chain_of((1.0, 0.1), 0.9 + 1e-9))).module is None


def test_the_selected_module_is_upstream_not_the_cheapest() -> None:
    selection = BinaryTree().select(situation_of(chain_of((0.3, 0.2), (0.2, 0.01))))
    assert selection.module == 0
    assert best_prefix(situation := situation_of(chain_of((0.3, 0.2), (0.2, 0.01))), situation.open).members[0] == 1
