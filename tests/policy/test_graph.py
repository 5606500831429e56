"""The module graph: order, refusals, JSON."""

import json

import networkx
import numpy as np
import pytest
from hypothesis import given

from handup.core import BadPolicy, Question, QuestionKind, UnknownModule
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.policy.graph import MAX_MODULES
from tests.make import chain_of
from tests.strategies import module_lists


@given(module_lists())
def test_modules_stand_in_kahns_order_by_insertion(modules: list[Module]) -> None:
    drawn = networkx.DiGraph()
    drawn.add_nodes_from(module.name for module in modules)
    drawn.add_edges_from((name, module.name) for module in modules for name in module.inputs)
    assert list(ModuleGraph(modules).names) == list(networkx.topological_sort(drawn))


@given(module_lists())
def test_a_graph_survives_json_with_its_order(modules: list[Module]) -> None:
    graph = ModuleGraph(modules)
    again = ModuleGraph.from_json(json.loads(json.dumps(graph.to_json())))
    assert again.modules == graph.modules
    assert again.circuit == graph.circuit


def test_a_graph_from_an_expression_survives_json_with_its_questions() -> None:
    question = Question("Which food?", QuestionKind.CHOICE, ("apple", "pear"))
    graph = ModuleGraph([Module("b", 0.7), Module("a", 0.9, 0.1, question=question)], success="any(a, b)")
    again = ModuleGraph.from_json(json.loads(json.dumps(graph.to_json())))
    assert again.modules == graph.modules
    assert again.success == "any(a, b)"
    assert Belief.of(again).reliability == pytest.approx(0.97)


def test_an_expression_gives_the_order() -> None:
    modules = [Module(name, 0.5) for name in "abc"]
    assert ModuleGraph(modules, success="all(c, any(a, b))").names == ("c", "a", "b")


def test_an_expression_may_name_a_module_twice() -> None:
    graph = ModuleGraph([Module(name, 0.5) for name in "abc"], success="any(all(a, b), all(a, c))")
    assert Belief.of(graph).reliability == pytest.approx(0.5 * 0.75)


def test_a_chain_links_its_modules_in_order() -> None:
    graph = ModuleGraph.chain([Module("b", 0.5, inputs=("elsewhere",)), Module("a", 0.6)])
    assert graph.names == ("b", "a")
    assert [module.inputs for module in graph.modules] == [(), ("b",)]


def test_gates_without_alternatives_are_a_series() -> None:
    assert chain_of((0.5, 0.5)).is_series
    assert ModuleGraph([Module("a", 0.5), Module("b", 0.5, inputs=("a",), gate=Gate.OR)]).is_series
    assert not ModuleGraph([Module("a", 0.5), Module("b", 0.5)], success="any(a, b)").is_series


def test_its_arrays_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        chain_of((0.5, 0.5)).confidences[0] = 1.0


def test_the_position_of_a_module_is_found_by_name() -> None:
    graph = chain_of((0.5, 0.6))
    assert [graph.index(name) for name in graph.names] == [0, 1]
    with pytest.raises(UnknownModule, match=r"no module 'spoon'\. It has: m0, m1"):
        graph.index("spoon")


@pytest.mark.parametrize(
    ("modules", "cause"),
    [
        ([], "the policy has no modules"),
        ([Module("a", 0.5), Module("a", 0.6)], "two modules are called 'a'"),
        ([Module("a", 0.5, inputs=("b",))], "'a' takes 'b', which is no module"),
        ([Module("a", 0.5, inputs=("a",))], "the inputs form a cycle: a takes a"),
        (
            [
                Module("x", 0.5),
                Module("a", 0.5, inputs=("x", "c")),
                Module("b", 0.5, inputs=("a",)),
                Module("c", 0.5, inputs=("b",)),
                Module("d", 0.5, inputs=("c",)),
            ],
            "the inputs form a cycle: a takes c takes b takes a",
        ),
        ([Module("a", 0.5), Module("b", 0.5)], "2 modules feed no other: a, b"),
    ],
)
def test_what_is_no_module_graph_is_refused(modules: list[Module], cause: str) -> None:
    with pytest.raises(BadPolicy) as caught:
        ModuleGraph(modules)
    assert caught.value.cause == cause


def test_a_cycle_behind_other_modules_is_named_without_them() -> None:
    modules = [Module("z", 0.5, inputs=("a",)), Module("a", 0.5, inputs=("b",)), Module("b", 0.5, inputs=("a",))]
    with pytest.raises(BadPolicy, match="a cycle: a takes b takes a"):
        ModuleGraph(modules)


@pytest.mark.parametrize(
    ("success", "cause"),
    [
        ("all(a, c)", "names 'c', which is no module"),
        ("all(a)", "leaves out b"),
        ("all(a, b", "',' or '\\)' is missing at column 9"),
    ],
)
def test_an_expression_that_does_not_fit_the_modules_is_refused(success: str, cause: str) -> None:
    with pytest.raises(BadPolicy, match=cause):
        ModuleGraph([Module("a", 0.5), Module("b", 0.5)], success=success)


def test_inputs_beside_an_expression_are_refused() -> None:
    with pytest.raises(BadPolicy, match="'b' has inputs and stands in a success expression"):
        ModuleGraph([Module("a", 0.5), Module("b", 0.5, inputs=("a",))], success="all(a, b)")


def test_the_number_of_modules_is_bounded() -> None:
    with pytest.raises(BadPolicy, match=f"got {MAX_MODULES + 1}"):
        ModuleGraph([Module("a", 0.5)] * (MAX_MODULES + 1))


def test_long_lists_of_names_are_cut_in_messages() -> None:
    graph = chain_of(np.full(30, 0.5).tolist())
    with pytest.raises(UnknownModule, match=r"m11, … \(30 in all\)"):
        graph.index("x")
