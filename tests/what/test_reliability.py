"""How success hangs on each module, against enumeration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.policy import Belief, ModuleGraph
from handup.what.objective import reliability_if_right, reliability_of
from tests.make import chain_of, crossed_pairs
from tests.oracles.enumeration import Answered, plain_reliability, tell
from tests.strategies import chances, module_lists


@given(st.data())
def test_reliability_with_each_module_right_and_wrong_equals_enumeration(data: st.DataObject) -> None:
    modules = data.draw(module_lists(most=9))
    graph = ModuleGraph(modules)
    belief = tell(Belief.of(graph), [Answered(data.draw(st.sampled_from(graph.names)), None, data.draw(chances))])
    confidences = dict(zip(graph.names, belief.confidences.tolist(), strict=True))
    now, if_right, if_wrong = reliability_if_right(belief)
    assert now == pytest.approx(plain_reliability(modules, confidences), abs=1e-9)
    for position, name in enumerate(graph.names):
        assert if_right[position] == pytest.approx(plain_reliability(modules, confidences | {name: 1.0}), abs=1e-9)
        assert if_wrong[position] == pytest.approx(plain_reliability(modules, confidences | {name: 0.0}), abs=1e-9)


@given(st.data())
def test_reliability_of_any_chances_equals_enumeration(data: st.DataObject) -> None:
    modules = data.draw(module_lists())
    graph = ModuleGraph(modules)
    given_chances = data.draw(st.lists(chances, min_size=len(graph), max_size=len(graph)))
    expected = plain_reliability(modules, dict(zip(graph.names, given_chances, strict=True)))
    assert reliability_of(graph, np.array(given_chances)) == pytest.approx(expected, abs=1e-9)


def test_one_hopeless_module_in_a_chain_leaves_hope_only_with_itself() -> None:
    now, if_right, if_wrong = reliability_if_right(Belief.of(chain_of((0.5, 0.0, 0.5))))
    assert now == 0.0
    assert if_right == pytest.approx([0.0, 0.25, 0.0])
    assert not if_wrong.any()


def test_a_graph_beyond_the_exact_range_is_near_its_closed_form() -> None:
    pairs, confidence, final = 25, 0.25, 0.9
    graph = crossed_pairs(pairs, confidence, final)
    now, if_right, if_wrong = reliability_if_right(Belief.of(graph))
    others_fail = (1.0 - confidence**2) ** (pairs - 1)
    expected_now = final * (1.0 - others_fail * (1.0 - confidence**2))
    assert now == pytest.approx(expected_now, abs=0.02)
    assert reliability_of(graph, graph.confidences) == pytest.approx(expected_now, abs=0.02)
    right, wrong = final * (1.0 - others_fail * (1.0 - confidence)), final * (1.0 - others_fail)
    assert if_right == pytest.approx([*[right] * (2 * pairs), expected_now / final], abs=0.02)
    assert if_wrong == pytest.approx([*[wrong] * (2 * pairs), 0.0], abs=0.02)
