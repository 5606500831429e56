"""The decision diagram decides as the gates do, and knows when it grows too wide."""

import numpy as np
from hypothesis import given

from handup.policy import Module, ModuleGraph
from handup.policy.circuit import SUCCEEDS, Diagram
from tests.make import chain_of, crossed_pairs, tangle
from tests.oracles.enumeration import succeeds, throws
from tests.strategies import module_lists


def diagram_of(graph: ModuleGraph) -> Diagram:
    diagram = graph.diagram
    assert diagram is not None
    return diagram


@given(module_lists(most=8))
def test_following_the_diagram_ends_where_the_gates_say(modules: list[Module]) -> None:
    graph = ModuleGraph(modules)
    diagram = diagram_of(graph)
    sides, _ = throws([0.5] * len(graph))
    expected = succeeds(modules, dict(zip(graph.names, sides, strict=True)))
    for state, success in zip(np.array(sides).T, expected, strict=True):
        node = diagram.root
        while node > SUCCEEDS:
            node = (diagram.if_right if state[diagram.module[node]] else diagram.if_wrong)[node]
        assert (node == SUCCEEDS) == success


@given(module_lists())
def test_no_path_tests_a_module_twice_and_no_test_is_idle(modules: list[Module]) -> None:
    diagram = diagram_of(ModuleGraph(modules))
    for node in range(2, len(diagram)):
        below = (diagram.if_wrong[node], diagram.if_right[node])
        assert below[0] != below[1]
        assert all(diagram.module[child] < diagram.module[node] for child in below)
    tests = set(zip(diagram.module[2:], diagram.if_wrong[2:], diagram.if_right[2:], strict=True))
    assert len(tests) == len(diagram) - 2


def test_a_chain_has_one_test_per_module() -> None:
    assert len(diagram_of(chain_of([0.5] * 1000))) == 1002


def test_twenty_interacting_modules_are_exact() -> None:
    assert len(diagram_of(tangle(20, seed=0))) > 22


def test_a_graph_too_wide_has_no_diagram() -> None:
    assert crossed_pairs(25, 0.5).diagram is None
