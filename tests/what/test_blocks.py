"""Which modules hang together as needed or as redundant ones."""

import pytest
from hypothesis import given

from handup.policy import Gate, Module, ModuleGraph
from handup.what.sets import blocks_of
from tests.make import chain_of
from tests.strategies import module_lists


def named(graph: ModuleGraph) -> list[tuple[str, str]]:
    return [(str(block.gate), " ".join(graph.names[each] for each in block.members)) for block in blocks_of(graph)]


def gates(**modules: tuple[Gate, str]) -> ModuleGraph:
    return ModuleGraph([Module(name, 0.9, 0.1, tuple(taken.split()), gate) for name, (gate, taken) in modules.items()])


def expression(success: str, names: str) -> ModuleGraph:
    return ModuleGraph([Module(name, 0.9) for name in names.split()], success=success)


def test_a_chain_is_one_needed_block() -> None:
    assert named(chain_of((0.9, 0.9, 0.9))) == [("and", "m0 m1 m2")]


def test_a_single_module_is_needed() -> None:
    assert named(chain_of((0.9,))) == [("and", "m0")]


def test_inputs_of_an_or_gate_are_redundant_and_the_gate_is_needed_with_what_follows() -> None:
    graph = gates(
        camera=(Gate.AND, ""), haptics=(Gate.AND, ""), fuse=(Gate.OR, "camera haptics"), skill=(Gate.AND, "fuse")
    )
    assert named(graph) == [("or", "camera haptics"), ("and", "fuse skill")]


def test_an_input_that_an_and_gate_takes_as_well_is_needed() -> None:
    graph = gates(
        camera=(Gate.AND, ""),
        haptics=(Gate.AND, ""),
        fuse=(Gate.OR, "camera haptics"),
        skill=(Gate.AND, "fuse camera"),
    )
    assert named(graph) == [("and", "camera fuse skill"), ("or", "haptics")]


def test_an_or_gate_over_one_input_is_no_redundancy() -> None:
    assert named(gates(camera=(Gate.AND, ""), skill=(Gate.OR, "camera"))) == [("and", "camera skill")]


def test_or_gates_that_share_an_input_are_one_block() -> None:
    graph = gates(
        a=(Gate.AND, ""),
        b=(Gate.AND, ""),
        c=(Gate.AND, ""),
        left=(Gate.OR, "a b"),
        right=(Gate.OR, "b c"),
        both=(Gate.AND, "left right"),
    )
    assert named(graph) == [("or", "a b c"), ("and", "left right both")]


def test_what_lies_behind_a_redundant_module_is_a_block_of_its_own() -> None:
    graph = gates(a=(Gate.AND, ""), c=(Gate.AND, ""), b=(Gate.AND, "a"), d=(Gate.AND, "c"), final=(Gate.OR, "b d"))
    assert named(graph) == [("and", "a"), ("and", "c"), ("or", "b d"), ("and", "final")]


@pytest.mark.parametrize(
    ("success", "blocks"),
    [
        ("all(a, b, c, d)", [("and", "a b c d")]),
        ("any(a, b, c, d)", [("or", "a b c d")]),
        ("all(a, any(b, c), d)", [("and", "a d"), ("or", "b c")]),
        ("all(a, all(b, c), d)", [("and", "a b c d")]),
        ("any(all(a, b), all(c, d))", [("and", "a b"), ("and", "c d")]),
        ("all(any(a, b), any(c, d))", [("or", "a b"), ("or", "c d")]),
        ("any(all(a, b), all(a, c), d)", [("and", "a b c"), ("or", "d")]),
    ],
)
def test_blocks_of_success_expressions(success: str, blocks: list[tuple[str, str]]) -> None:
    assert named(expression(success, "a b c d")) == blocks


@given(module_lists())
def test_every_module_stands_in_exactly_one_block(modules: list[Module]) -> None:
    graph = ModuleGraph(modules)
    blocks = blocks_of(graph)
    assert sorted(each for block in blocks for each in block.members) == list(range(len(graph)))
    assert [block.members[0] for block in blocks] == sorted(block.members[0] for block in blocks)
    assert all(list(block.members) == sorted(block.members) for block in blocks)
