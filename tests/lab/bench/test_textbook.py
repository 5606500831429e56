"""The literal formulations are themselves right."""

import sys
from importlib import import_module

import numpy as np
import pytest
from hypothesis import assume, given

from handup.core import MissingExtra
from handup.lab.bench.decisions import full_tree_dijkstra, layered_graph_dijkstra, one_by_one
from handup.policy import Module, ModuleGraph
from handup.what import Situation
from tests.make import chain_of, situation_of
from tests.oracles.enumeration import eq4, open_sets
from tests.strategies import share_of_examples, situations


@share_of_examples(0.5)
@given(situations(most=8))
def test_one_by_one_minimises_eq_4_over_single_questions(situation: Situation) -> None:
    values = [(eq4(situation, each), each) for each in open_sets(situation) if len(each) <= 1]
    least, best = min(values)
    assume(all(value > least + 1e-9 for value, each in values if each != best))
    assert one_by_one(situation) == (best[0] if best else None)


def test_success_expressions_are_enumerated_too() -> None:
    graph = ModuleGraph(
        [Module("a", 0.5, 0.1), Module("b", 0.9, 0.1), Module("c", 0.9, 0.1)], success="any(all(a, b), all(a, c))"
    )
    assert one_by_one(situation_of(graph)) == 0


def test_the_layered_graph_asks_about_the_first_worthwhile_module() -> None:
    assert layered_graph_dijkstra(situation_of(chain_of((1.0, 0.6, 0.1), 0.3)), 1.0) == 1


def test_the_layered_graph_falls_back_to_the_least_penalty() -> None:
    assert layered_graph_dijkstra(situation_of(chain_of((0.9, 0.7, 0.8), 0.5)), 1.0) == 1


def test_the_layered_graph_has_no_question_about_modules_that_are_not_open() -> None:
    situation = situation_of(chain_of((0.1, 0.1), 0.1), closed=("m0",))
    assert layered_graph_dijkstra(situation, 1.0) == 1
    assert layered_graph_dijkstra(situation_of(chain_of((0.1,), 0.1), closed=("m0",)), 1.0) is None


def test_the_full_tree_asks_nothing_where_that_is_shortest() -> None:
    assert full_tree_dijkstra(situation_of(chain_of((0.9, 0.9), 0.9))) is None


def test_the_full_tree_counts_expert_confidence() -> None:
    """0.8 · 0.8 for two questions of 0.1 beats 0.5 · 0.5 for none, but experts of 0.55 do not."""
    chain = chain_of((0.5, 0.5), 0.1)
    assert full_tree_dijkstra(situation_of(chain, expert=0.8)) == 0
    assert full_tree_dijkstra(situation_of(chain, expert=0.55)) is None


def test_a_chain_of_any_length_is_a_plain_product() -> None:
    confidences = np.full(200, 0.999)
    confidences[150] = 0.1
    assert one_by_one(situation_of(chain_of(confidences.tolist()))) == 150


def test_without_networkx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    monkeypatch.delitem(sys.modules, "handup.lab.bench.decisions")
    with pytest.raises(MissingExtra, match=r"pip install .*\[lab\]'"):
        import_module("handup.lab.bench.decisions")
