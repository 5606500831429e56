"""What chance decides: drawn as promised, before anybody decides, and for each kind of draw by itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from handup.lab.batch import run_block
from handup.lab.cell import Cell, Structure, WorldKind
from handup.lab.simulate import StrategyDecider, vectorised
from handup.lab.world import STATE, Draw, EpisodeBlock, block_sizes, blocks, low_modules, random_wiring, stream
from handup.policy import Gate, Module, ModuleGraph
from tests.lab.cells import block_of, terms_of
from tests.make import chain_of
from tests.oracles.enumeration import succeeds

ARRAYS = ("confidences", "query_costs", "works", "luck")
RICH = Cell(modules=8, structure=Structure.OR, confidences=(0.9, 0.2), beta=0.5, expert=0.8, episodes=300, seed=7)


def only_block(cell: Cell) -> EpisodeBlock:
    (block,) = blocks(cell)
    return block


def only_replica(cell: Cell) -> EpisodeBlock:
    return only_block(replace(cell, world=WorldKind.REPLICA, method="graph+workload-aware"))


both_worlds = pytest.mark.parametrize("kind", [only_block, only_replica])


@both_worlds
@pytest.mark.parametrize("low", [0, 1, 3, 8])
def test_exactly_so_many_modules_are_low_or_all_that_there_are(kind: Any, low: int) -> None:
    confidences = kind(replace(RICH, low=low)).confidences
    assert set(np.unique(confidences)) <= {0.9, 0.2, 1.0}
    assert ((confidences == 0.2).sum(axis=0) == min(low, 7 if kind is only_replica else 8)).all()


def test_every_set_of_low_modules_is_as_likely_as_any_other() -> None:
    low = low_modules((5, 20_000), 2, np.random.default_rng(0))
    counts = Counter(tuple(np.flatnonzero(column)) for column in low.T)
    assert len(counts) == 10
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@both_worlds
@pytest.mark.parametrize("confidences", [(0.9, 0.2), (1.0, 0.0)])
def test_modules_work_with_their_confidence(kind: Any, confidences: tuple[float, float]) -> None:
    block = kind(replace(RICH, episodes=8000, confidences=confidences))
    for chance in confidences:
        works = block.works[block.confidences == chance]
        assert works.mean() == pytest.approx(chance, abs=4.5 * (chance * (1 - chance) / len(works)) ** 0.5)


def test_the_state_of_the_replica_always_works_and_costs_nothing() -> None:
    block = only_replica(RICH)
    assert (block.works.shape, block.luck.shape) == ((8, 300), (16, 300))
    assert block.works[STATE].all()
    assert (block.confidences[STATE] == 1.0).all()
    assert (block.query_costs[STATE] == 0.0).all()


def test_states_of_modules_are_independent() -> None:
    works = only_block(replace(RICH, episodes=8000, low=0, confidences=(0.5, 0.5))).works.astype(np.float64)
    assert np.abs(np.asarray(np.corrcoef(works))[np.triu_indices(8, 1)]).max() < 5 / 8000**0.5


@both_worlds
def test_costs_are_uniform_around_their_mean(kind: Any) -> None:
    costs = kind(replace(RICH, episodes=2000, query_cost=0.4)).query_costs
    drawn = costs[costs > 0.0]
    assert stats.kstest(drawn, stats.uniform(0.2, 0.4).cdf).pvalue > 0.001
    assert len(np.unique(drawn)) == len(drawn)


@both_worlds
def test_luck_is_uniform_and_of_its_own_for_every_question(kind: Any) -> None:
    luck = kind(RICH).luck
    assert len(np.unique(luck)) == luck.size
    assert stats.kstest(luck.ravel(), "uniform").pvalue > 0.001


# -- pairing and common random numbers -------------------------------------------------------------------------------


def same_policies(one: EpisodeBlock, other: EpisodeBlock) -> bool:
    assert one.wiring is not None
    assert other.wiring is not None
    return np.array_equal(one.wiring.inputs, other.wiring.inputs)


def test_all_methods_and_weights_live_through_the_same_episodes() -> None:
    one = only_block(RICH)
    for other in (
        only_block(RICH.with_method("troubleshoot")),
        only_block(RICH.with_method("never+execute-first")),
        only_block(replace(RICH, w=0.1, epsilon=3.0, lambda_=2.0)),
    ):
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
        assert same_policies(one, other)


CHANGES: list[tuple[dict[str, Any], set[str]]] = [
    ({"expert": 0.4}, set()),
    ({"beta": 0.1}, {"query_costs"}),
    ({"query_cost": 0.1}, {"query_costs"}),
    ({"confidences": (0.8, 0.3)}, {"confidences", "works"}),
    ({"low": 1}, {"confidences", "works"}),
    ({"seed": 8}, {"confidences", "works", "query_costs", "luck", "wiring"}),
]


@both_worlds
@pytest.mark.parametrize(("change", "touched"), CHANGES)
def test_a_changed_setting_leaves_the_other_draws_alone(kind: Any, change: dict[str, Any], touched: set[str]) -> None:
    one, other = kind(RICH), kind(replace(RICH, **change))
    changed = {name for name in ARRAYS if not np.array_equal(getattr(one, name), getattr(other, name))}
    changed |= set() if same_policies(one, other) else {"wiring"}
    assert changed == touched


@pytest.mark.parametrize("structure", list(Structure))
def test_structures_share_everything_but_the_policies_and_worlds_share_these(structure: Structure) -> None:
    one, other = only_block(RICH), only_block(replace(RICH, structure=structure))
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    wanted = random_wiring(8, structure, 300, stream(7, 0, Draw.WIRING))
    for block in (other, only_replica(replace(RICH, structure=structure))):
        if block.wiring is not None:
            np.testing.assert_array_equal(block.wiring.inputs, wanted.inputs)
            assert block.wiring.gates == wanted.gates


def test_modules_that_work_still_work_when_confidences_rise() -> None:
    less, more = only_block(RICH), only_block(replace(RICH, confidences=(0.95, 0.4)))
    assert (less.works <= more.works).all()
    assert more.works.sum() > less.works.sum()


def test_beta_stretches_the_same_costs() -> None:
    little, much = only_block(replace(RICH, beta=0.2)), only_block(replace(RICH, beta=0.6))
    mean = RICH.query_cost
    np.testing.assert_allclose(much.query_costs - mean, 3 * (little.query_costs - mean), atol=1e-12)
    assert (only_block(replace(RICH, beta=0.0)).query_costs == mean).all()


# -- blocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("nodes", "most"), [(1, 8192), (10, 8192), (100, 1000), (1000, 256)])
def test_blocks_are_bounded_and_together_have_all_episodes(nodes: int, most: int) -> None:
    for episodes in (1, most - 1, most, most + 1, 3 * most + 7):
        sizes = list(block_sizes(episodes, nodes))
        assert sum(sizes) == episodes
        assert set(sizes[:-1]) <= {most}
        assert 0 < sizes[-1] <= most


def test_whole_blocks_do_not_depend_on_later_ones_and_differ() -> None:
    few, many = replace(RICH, modules=400, episodes=256), replace(RICH, modules=400, episodes=256 * 2 + 3)
    (alone,) = blocks(few)
    first, second, last = blocks(many)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(alone, name), getattr(first, name), err_msg=name)
        assert not np.array_equal(getattr(first, name), getattr(second, name)), name
    assert same_policies(alone, first)
    assert not same_policies(first, second)
    assert len(last) == 3


# -- success ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("structure", list(Structure))
@pytest.mark.parametrize("modules", [1, 2, 3, 9, 20, 70])
def test_success_is_what_the_gates_say(modules: int, structure: Structure) -> None:
    """Own states are in topological order, policies in the order of making: they must not be mixed up."""
    cell = Cell(modules=modules, structure=structure, confidences=(0.85, 0.5), low=min(modules, 3), episodes=40)
    block = only_block(cell)
    some = np.arange(0, 40, 3)
    found = block.succeeds(block.works[:, some], some)
    for success, episode in zip(found, some, strict=True):
        graph = block.graph(int(episode))
        assert graph.confidences.tolist() == block.confidences[:, episode].tolist()
        assert graph.query_costs.tolist() == block.query_costs[:, episode].tolist()
        sides = {name: np.array([works]) for name, works in zip(graph.names, block.works[:, episode], strict=True)}
        assert success == succeeds(graph.modules, sides)[0]
    assert modules < 9 or structure is not Structure.OR or 0 < found.sum() < len(found)


def test_a_given_policy_is_used_as_it_is() -> None:
    graph = ModuleGraph([Module("a", 0.5), Module("b", 0.5), Module("c", 0.5, inputs=("a", "b"), gate=Gate.OR)])
    works = np.array([[1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 1]], dtype=np.bool_)
    block = block_of(graph, works)
    assert block.graph(2) is graph
    assert not block.is_series
    assert block.succeeds(works, np.arange(4)).tolist() == [True, False, False, True]
    assert block_of(chain_of((0.5, 0.5)), works[:2]).is_series


@pytest.mark.parametrize("structure", [Structure.CHAIN, Structure.OR])
def test_living_through_episodes_does_not_change_them(structure: Structure) -> None:
    cell = replace(RICH, structure=structure, episodes=50, method="topo+query-then-execute")
    block, before = only_block(cell), only_block(cell)
    terms = terms_of(cell)
    decider = vectorised(cell.strategy, terms, is_series=block.is_series)
    assert decider is not None
    first = run_block(block, decider, terms)
    second = run_block(block, StrategyDecider(block, cell.strategy, terms, {}), terms)
    assert first.objective.tolist() == second.objective.tolist()
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(block, name), getattr(before, name), err_msg=name)
