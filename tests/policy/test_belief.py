"""What is believed: impossible evidence, certain failure, and what each event changes."""

import math

import numpy as np
import pytest
from hypothesis import given

from handup.core import BadSetting, ImpossibleEvidence
from handup.policy import Belief, Gate, Module, ModuleGraph, Progress
from tests.make import chain_of, crossed_pairs
from tests.oracles.enumeration import plain_reliability
from tests.strategies import module_lists


def fused(confidence: float) -> ModuleGraph:
    return ModuleGraph(
        [
            Module("camera", confidence),
            Module("haptics", confidence),
            Module("fuse", confidence, inputs=("camera", "haptics"), gate=Gate.OR),
        ]
    )


def test_a_failure_that_cannot_be_is_blamed_on_all_certain_modules_of_a_chain() -> None:
    belief = Belief.of(chain_of([1.0] * 5)).after_execution(False)
    assert belief.wrong == pytest.approx(np.full(5, 0.2), abs=1e-6)


def test_a_failure_that_cannot_be_is_explained_by_the_fewest_broken_certainties() -> None:
    belief = Belief.of(fused(1.0)).after_execution(False)
    assert belief.wrong == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)


def test_a_possible_explanation_is_preferred_to_a_broken_certainty() -> None:
    belief = Belief.of(chain_of((1.0, 1e-5, 1.0))).after_execution(False)
    assert belief.wrong == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)


def test_a_success_that_cannot_be_breaks_the_certainty_of_being_wrong() -> None:
    belief = Belief.of(chain_of((0.5, 0.0))).after_execution(True)
    assert belief.wrong == pytest.approx([0.0, 0.0], abs=1e-6)


def test_a_failure_after_every_module_was_found_right_is_no_error() -> None:
    belief = Belief.of(chain_of((0.5, 0.5))).after_execution(False)
    for module in range(2):
        belief = belief.after_answer(module, changed=False, expert=1.0)
    assert belief.wrong == pytest.approx([0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("confidence", [0.5, 1.0])
def test_success_and_failure_of_the_same_output_for_certain_are_refused(confidence: float) -> None:
    belief = Belief.of(chain_of([confidence] * 3)).after_execution(True).after_execution(False)
    with pytest.raises(ImpossibleEvidence, match=r"succeeded and failed for certain.*HU105"):
        belief.inference  # noqa: B018 - reading it is the test


def test_success_and_failure_for_certain_are_refused_beyond_the_exact_range() -> None:
    belief = Belief.of(crossed_pairs(25, 0.3)).after_execution(True).after_execution(False)
    with pytest.raises(ImpossibleEvidence):
        belief.inference  # noqa: B018 - reading it is the test


def test_outcomes_that_contradict_each_other_over_three_outputs_are_refused() -> None:
    belief = Belief.of(chain_of((0.5, 0.6))).after_execution(True)
    belief = belief.after_forward({0: 0.7}).after_execution(False)
    belief = belief.after_forward({1: 0.8}).after_execution(True)
    with pytest.raises(ImpossibleEvidence):
        belief.inference  # noqa: B018 - reading it is the test


def test_success_and_failure_seen_with_doubt_are_weighed() -> None:
    belief = Belief.of(chain_of((0.5,))).after_execution(True, certainty=0.9).after_execution(False, certainty=0.9)
    assert belief.reliability == pytest.approx(0.5)


def test_acting_again_on_what_failed_for_certain_is_futile() -> None:
    failed = Belief.of(chain_of((0.9, 0.2))).after_execution(False)
    assert failed.acting_is_futile
    assert not failed.after_answer(0, changed=True, expert=1.0).acting_is_futile


def test_acting_after_an_uncertain_failure_is_not_futile() -> None:
    assert not Belief.of(chain_of((0.9, 0.2))).after_execution(False, certainty=0.99).acting_is_futile


def test_an_estimate_of_zero_is_not_certain_failure() -> None:
    unlikely = Belief.of(crossed_pairs(25, 0.3, final=1e-9))
    assert unlikely.reliability == 0.0
    assert not unlikely.acting_is_futile
    assert unlikely.after_execution(False).acting_is_futile


def test_an_outcome_of_no_certainty_changes_nothing() -> None:
    belief = Belief.of(fused(0.6))
    assert belief.after_execution(False, certainty=0.5).wrong == pytest.approx(belief.wrong)


@pytest.mark.parametrize("certainty", [0.49, 1.01, math.nan])
def test_a_certainty_outside_its_range_is_refused(certainty: float) -> None:
    with pytest.raises(BadSetting, match="certainty"):
        Belief.of(chain_of((0.5,))).after_execution(False, certainty=certainty)


def test_an_answered_module_keeps_its_answer_when_the_policy_runs_again() -> None:
    belief = Belief.of(chain_of((0.5, 0.5))).after_answer(0, changed=None, expert=0.95)
    assert belief.after_forward({0: 0.1, 1: 0.7}).confidences == pytest.approx([0.95, 0.7])


def test_the_same_confidence_again_is_the_same_output() -> None:
    belief = Belief.of(chain_of((0.9, 0.2))).after_execution(False)
    assert belief.after_forward({0: 0.9, 1: 0.2}).wrong == pytest.approx(belief.wrong)


def test_a_new_confidence_is_a_new_output_that_no_failure_speaks_of() -> None:
    belief = Belief.of(chain_of((0.9, 0.2))).after_execution(False).after_forward({1: 0.6})
    assert belief.wrong[1] == pytest.approx(0.4)


def test_events_are_counted() -> None:
    belief = Belief.of(chain_of((0.5, 0.5))).after_answer(0, changed=True, expert=1.0).after_execution(False)
    assert belief.progress == Progress(asks=1, acts=1, failures=1, asks_since_act=0)
    assert belief.after_answer(1, changed=None, expert=1.0).progress == Progress(
        asks=2, acts=1, failures=1, asks_since_act=1
    )


def test_a_blocked_module_is_free_at_its_time_and_not_before() -> None:
    belief = Belief.of(chain_of((0.5, 0.5))).blocked(1, 10.0)
    assert belief.free(9.9).tolist() == [True, False]
    assert belief.free(10.0).tolist() == [True, True]


def test_an_answer_unblocks_its_module() -> None:
    belief = Belief.of(chain_of((0.5,))).blocked(0, math.inf).after_answer(0, changed=None, expert=1.0)
    assert belief.free(0.0).tolist() == [True]


def test_the_forward_pass_knows_no_failures() -> None:
    belief = Belief.of(fused(0.6))
    before = belief.forward.reliability
    assert belief.after_execution(False).forward.reliability == pytest.approx(before)
    assert before == pytest.approx(0.6 * (1.0 - 0.4 * 0.4))


@given(module_lists())
def test_the_forward_pass_equals_enumeration(modules: list[Module]) -> None:
    expected = plain_reliability(modules, {module.name: module.confidence for module in modules})
    forward = Belief.of(ModuleGraph(modules)).forward
    assert forward.reliability == pytest.approx(expected, abs=1e-9)
    assert math.exp(forward.log_failure) == pytest.approx(1.0 - expected, abs=1e-9)
