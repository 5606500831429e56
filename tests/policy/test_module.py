"""What a module may be."""

import math

import numpy as np
import pytest

from handup.core import BadPolicy, Question
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


def test_words_and_single_names_are_taken_for_what_they_mean() -> None:
    module = Module("grasp", np.float32(0.5), 1, "camera", "or", "How?")  # type: ignore[arg-type]
    assert module.gate is Gate.OR
    assert module.inputs == ("camera",)
    assert module.question == Question("How?")
    assert type(module.confidence) is type(module.query_cost) is float


@pytest.mark.parametrize(("field", "value"), [("confidence", "0.5"), ("confidence", True), ("query_cost", None)])
def test_what_is_no_number_is_refused(field: str, value: object) -> None:
    with pytest.raises(BadPolicy, match=f"{field} of 'm' must"):
        Module(**{"name": "m", "confidence": 0.5, field: value})  # type: ignore[arg-type]


def test_a_gate_of_another_name_is_refused() -> None:
    with pytest.raises(BadPolicy, match="gate of 'm' must be 'and' or 'or', got 'xor'"):
        Module("m", 0.5, gate="xor")  # type: ignore[arg-type]
