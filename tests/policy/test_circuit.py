"""The circuit says what the gates say, for many states at once."""

import numpy as np
from hypothesis import given

from handup.policy import Gate, Module, ModuleGraph
from handup.policy.circuit import CircuitBuilder
from tests.oracles.enumeration import succeeds, throws
from tests.strategies import module_lists


@given(module_lists(most=9))
def test_success_in_every_state_is_what_the_gates_say(modules: list[Module]) -> None:
    graph = ModuleGraph(modules)
    sides, _ = throws([0.5] * len(graph))
    expected = succeeds(modules, dict(zip(graph.names, sides, strict=True)))
    found = graph.circuit.evaluate(np.array(sides, dtype=np.uint8))
    assert found.astype(np.bool_).tolist() == expected.tolist()


@given(module_lists(most=9))
def test_each_bit_of_a_number_is_a_state_of_its_own(modules: list[Module]) -> None:
    graph = ModuleGraph(modules)
    sides, _ = throws([0.5] * len(graph))
    packed = graph.circuit.evaluate(np.packbits(np.array(sides), axis=1))
    one_by_one = graph.circuit.evaluate(np.array(sides, dtype=np.uint8))
    assert np.unpackbits(packed, count=len(one_by_one)).tolist() == one_by_one.tolist()


def test_a_gate_over_one_node_is_that_node() -> None:
    builder = CircuitBuilder(2)
    assert builder.add(Gate.OR, [1, 1]) == 1
    assert builder.add(Gate.AND, [0, 1]) == 2


def test_a_root_that_is_not_the_last_node_becomes_it() -> None:
    builder = CircuitBuilder(2)
    builder.add(Gate.AND, [0, 1])
    circuit = builder.finish(1)
    assert circuit.evaluate(np.array([[0, 0], [0, 1]], dtype=np.uint8)).tolist() == [0, 1]
