"""What a module may be."""

import math

import pytest

from handup.core import BadPolicy
from handup.policy import Gate, Module


def test_a_module_needs_a_name_and_a_confidence_only() -> None:
    module = Module("camera", 0.9)
    assert (module.query_cost, module.inputs, module.gate) == (0.32, (), Gate.AND)


@pytest.mark.parametrize("name", ["", "9lives", "two words", "all", "any", "-x", "a" * 101, "a\n"])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(BadPolicy, match="is no module name"):
        Module(name, 0.5)


@pytest.mark.parametrize("confidence", [-0.01, 1.01, math.nan, math.inf])
def test_a_confidence_outside_its_range_is_refused(confidence: float) -> None:
    with pytest.raises(BadPolicy, match="confidence of 'a'"):
        Module("a", confidence)


@pytest.mark.parametrize("cost", [-0.01, math.nan, math.inf])
def test_a_negative_or_endless_query_cost_is_refused(cost: float) -> None:
    with pytest.raises(BadPolicy, match="query_cost of 'a'"):
        Module("a", 0.5, cost)


def test_an_input_named_twice_is_refused() -> None:
    with pytest.raises(BadPolicy, match="'c' names an input twice"):
        Module("c", 0.5, inputs=("a", "b", "a"))


@pytest.mark.parametrize("confidence", [0.0, 1.0])
def test_certainties_are_taken(confidence: float) -> None:
    assert Module("a", confidence, 0.0).confidence == confidence
