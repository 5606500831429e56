"""Reliability and blame against plain enumeration, and at ten thousand modules against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from handup.policy import Belief, Gate, Module, ModuleGraph
from tests.make import chain_of
from tests.oracles.enumeration import Answered, Event, Executed, Forwarded, enumerate_history, tell
from tests.strategies import chances, histories, module_lists, share_of_examples

LONG = 10_000


def assert_equals_enumeration(modules: list[Module], events: list[Event]) -> None:
    truth = enumerate_history(modules, events)
    assume(truth is not None)
    assert truth is not None
    graph = ModuleGraph(modules)
    found = tell(Belief.of(graph), events).inference
    assert found.method == "exact"
    assert found.error == 0.0
    assert found.reliability == pytest.approx(truth.reliability, abs=1e-9)
    assert math.exp(found.log_failure) == pytest.approx(1.0 - truth.reliability, abs=1e-9)
    assert found.wrong == pytest.approx([truth.wrong[name] for name in graph.names], abs=1e-9)


@share_of_examples(3)
@given(st.data())
def test_any_history_on_any_gate_graph_equals_enumeration(data: st.DataObject) -> None:
    modules = data.draw(module_lists())
    assert_equals_enumeration(modules, data.draw(histories(modules)))


@given(module_lists())
def test_before_anything_happened_reliability_equals_enumeration(modules: list[Module]) -> None:
    assert_equals_enumeration(modules, [])


@share_of_examples(2)
@given(module_lists(most=7), st.data())
def test_several_failures_around_answers_equal_enumeration(modules: list[Module], data: st.DataObject) -> None:
    names = st.sampled_from([module.name for module in modules])
    changed, expert = st.sampled_from((True, False, None)), st.sampled_from((1.0, 0.8))
    events: list[Event] = [Executed(False)]
    for _ in range(3):
        events += [Answered(data.draw(names), data.draw(changed), data.draw(expert)), Executed(False)]
    assert_equals_enumeration(modules, events)


@given(module_lists(most=8), st.lists(st.tuples(st.booleans(), st.floats(0.5, 1.0)), min_size=2, max_size=5))
def test_repeated_uncertain_outcomes_of_one_output_equal_enumeration(
    modules: list[Module], outcomes: list[tuple[bool, float]]
) -> None:
    assert_equals_enumeration(modules, [Executed(ok, certainty) for ok, certainty in outcomes])


@given(module_lists(most=7), st.data())
def test_forward_passes_with_new_confidences_equal_enumeration(modules: list[Module], data: st.DataObject) -> None:
    names = st.sampled_from([module.name for module in modules])
    events: list[Event] = []
    for _ in range(3):
        brought = data.draw(st.dictionaries(names, chances, max_size=2))
        events += [Executed(False), Forwarded(tuple(brought.items()))]
    assert_equals_enumeration(modules, events)


def test_the_worked_example_of_explaining_away() -> None:
    belief = Belief.of(chain_of((0.9, 0.2))).after_execution(False)
    assert belief.wrong == pytest.approx([0.1 / 0.82, 0.8 / 0.82])
    answered = belief.after_answer(1, changed=True, expert=1.0)
    assert answered.wrong == pytest.approx([0.1, 0.0])


def test_a_failure_of_a_redundant_pair_blames_both() -> None:
    pair = ModuleGraph([Module("camera", 0.8), Module("haptics", 0.7)], success="any(camera, haptics)")
    assert Belief.of(pair).after_execution(False).wrong == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99999])
def test_ten_thousand_modules_do_not_underflow(confidence: float) -> None:
    found = Belief.of(chain_of([confidence] * LONG)).inference
    assert found.log_reliability == pytest.approx(LONG * math.log(confidence), rel=1e-9)
    assert found.log_failure == pytest.approx(math.log(-math.expm1(LONG * math.log(confidence))), abs=1e-9)


def test_ten_thousand_redundant_modules_do_not_underflow() -> None:
    names = [f"m{position}" for position in range(LONG)]
    graph = ModuleGraph([Module(name, 0.3) for name in names], success=f"any({', '.join(names)})")
    found = Belief.of(graph).inference
    assert found.method == "exact"
    assert found.log_failure == pytest.approx(LONG * math.log(0.7), rel=1e-9)
    assert found.log_reliability == 0.0


def test_a_redundant_pair_before_ten_thousand_needed_modules_does_not_underflow() -> None:
    head = [Module("camera", 0.5), Module("haptics", 0.5), Module("fuse", 0.9, 0.1, ("camera", "haptics"), Gate.OR)]
    tail = [Module(f"m{each}", 0.9, 0.1, (f"m{each - 1}" if each else "fuse",)) for each in range(LONG)]
    found = Belief.of(ModuleGraph([*head, *tail])).inference
    assert found.method == "exact"
    assert found.log_reliability == pytest.approx(math.log(0.75) + (LONG + 1) * math.log(0.9), rel=1e-9)


@pytest.mark.parametrize("confidence", [0.9, 0.99999])
def test_blame_at_ten_thousand_modules_has_its_closed_form(confidence: float) -> None:
    found = Belief.of(chain_of([confidence] * LONG)).after_execution(False).inference
    expected = (1.0 - confidence) / -math.expm1(LONG * math.log(confidence))
    assert found.wrong == pytest.approx(np.full(LONG, expected), rel=1e-9)
    assert found.log_reliability == -math.inf


@pytest.mark.parametrize("changed", [True, False, None])
@pytest.mark.parametrize("confidence", [0.9, 0.99999])
def test_an_answer_between_two_failures_at_ten_thousand_modules(confidence: float, changed: bool | None) -> None:
    expert, asked = 0.8, LONG // 2
    belief = Belief.of(chain_of([confidence] * LONG)).after_execution(False)
    found = belief.after_answer(asked, changed=changed, expert=expert).after_execution(False).inference
    others_right = math.exp((LONG - 1) * math.log(confidence))
    first_wrong = 1.0 - confidence if changed is None else float(changed)
    both_failed = (1.0 - others_right) + others_right * first_wrong * (1.0 - expert)
    answer_wrong = (1.0 - others_right + others_right * first_wrong) * (1.0 - expert) / both_failed
    expected = np.full(LONG, (1.0 - confidence) / both_failed)
    expected[asked] = answer_wrong
    assert found.wrong == pytest.approx(expected, rel=1e-9)
