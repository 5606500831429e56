"""Estimates beyond the exact range keep the error they state."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from handup.policy import Belief, ModuleGraph
from handup.policy.inference import Impossible, draws, sampled
from tests.make import chain_of, crossed_pairs, tangle
from tests.oracles.enumeration import enumerate_history, succeeds, tell
from tests.strategies import histories, module_lists, share_of_examples


@pytest.mark.parametrize(("modules", "seed"), [(60, 2), (80, 1), (100, 2)])
def test_a_dense_graph_is_sampled_and_says_so(modules: int, seed: int) -> None:
    graph = tangle(modules, seed)
    found = Belief.of(graph).inference
    assert found.method == "sampled"
    assert 0.0 < found.error < 0.02
    random, count = np.random.default_rng(12345), 1 << 16
    states = {module.name: random.random(count) < module.confidence for module in graph.modules}
    counted = float(succeeds(graph.modules, states).mean())
    assert found.reliability == pytest.approx(counted, abs=found.error + 5.0 * 0.5 / math.sqrt(count))


def test_a_wide_graph_with_a_closed_form_keeps_its_bound() -> None:
    pairs, confidence, final = 25, 0.25, 0.9
    belief = Belief.of(crossed_pairs(pairs, confidence, final))
    found = belief.inference
    assert found.method == "sampled"
    reliability = final * (1.0 - (1.0 - confidence**2) ** pairs)
    assert abs(found.reliability - reliability) <= found.error
    failed = belief.after_execution(False).inference
    assert failed.method == "sampled"
    none_right = (1.0 - confidence**2) ** pairs
    wrong_and_none_right = none_right * (1.0 - confidence) / (1.0 - confidence**2)
    module_wrong = (wrong_and_none_right + (1.0 - final) * ((1.0 - confidence) - wrong_and_none_right)) / (
        1.0 - reliability
    )
    expected = np.full(2 * pairs + 1, module_wrong)
    expected[-1] = (1.0 - final) / (1.0 - reliability)
    assert np.abs(failed.wrong - expected).max() <= failed.error


@share_of_examples(0.5)
@given(st.data(), st.integers(0, 2**32))
def test_the_stated_error_is_kept_where_the_truth_is_known(data: st.DataObject, seed: int) -> None:
    modules = data.draw(module_lists())
    events = data.draw(histories(modules))
    truth = enumerate_history(modules, events)
    assume(truth is not None)
    assert truth is not None
    graph = ModuleGraph(modules)
    belief = tell(Belief.of(graph), events)
    random = np.random.default_rng(seed)
    found = sampled(
        graph.circuit,
        belief.chances,
        belief.executions,
        belief.versions,
        random=random,
        wanted=1 << 14,
        most=1 << 16,
    )
    assert abs(found.reliability - truth.reliability) <= found.error
    assert np.abs(found.wrong - [truth.wrong[name] for name in graph.names]).max() <= found.error


def test_more_draws_state_a_smaller_error() -> None:
    graph = chain_of((0.9, 0.8))
    errors = [
        sampled(graph.circuit, ((0.9,), (0.8,)), (), (0, 0), random=np.random.default_rng(0), wanted=wanted).error
        for wanted in (1 << 13, 1 << 15)
    ]
    assert errors[0] == pytest.approx(2.0 * errors[1])


def test_where_no_draw_agrees_with_what_was_seen_nothing_is_claimed() -> None:
    belief = Belief.of(chain_of((1e-12, 0.9))).after_execution(True)
    found = sampled(
        belief.graph.circuit,
        belief.chances,
        belief.executions,
        belief.versions,
        random=np.random.default_rng(0),
        most=1 << 14,
    )
    assert found.error == 1.0


def test_outcomes_that_exclude_each_other_are_impossible() -> None:
    belief = Belief.of(chain_of((0.5, 0.5))).after_execution(True).after_execution(False)
    with pytest.raises(Impossible):
        sampled(
            belief.graph.circuit,
            belief.chances,
            belief.executions,
            belief.versions,
            random=np.random.default_rng(0),
        )


def test_kept_draws_agree_with_what_was_seen_for_certain() -> None:
    belief = Belief.of(chain_of((0.6, 0.6, 0.6))).after_execution(False)
    batches = draws(
        belief.graph.circuit,
        belief.chances,
        belief.executions,
        belief.versions,
        random=np.random.default_rng(0),
        wanted=1000,
        most=1 << 14,
    )
    states = np.concatenate(list(batches), axis=1)
    assert states.shape[0] == 3
    assert states.shape[1] >= 1000
    assert not states.all(axis=0).any()


def test_the_same_belief_gives_the_same_numbers() -> None:
    graph = crossed_pairs(25, 0.3)
    first, again, other = (Belief.of(graph, seed=seed).reliability for seed in (1, 1, 2))
    assert first == again
    assert first != other
