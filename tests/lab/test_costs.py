"""Costs that change, in the batch simulator: the same episodes as with a session, and constant costs as before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.lab.batch import run_block
from handup.lab.cell import Cell
from handup.lab.episodes import Episodes
from handup.lab.simulate import StrategyDecider, simulate, simulate_blocks
from handup.lab.studies.workload_sensitivity import live_meals
from handup.lab.world import blocks, blocks_of
from handup.people import WorkloadModel
from handup.when import methods, strategy
from tests.lab.cells import assert_same, by_session, cells, terms_of
from tests.make import chain_of
from tests.strategies import share_of_examples

MOST = {"mip": 3, "hybrid": 7, "troubleshoot": 7}
BITE = chain_of([0.9, 0.8, 0.4, 0.7], [0.24, 0.34, 0.24, 0.46])
models = st.builds(
    WorkloadModel,
    rho=st.sampled_from((1.0, 0.3)),
    tau_s=st.sampled_from((20.0, 120.0)),
    g=st.sampled_from((0.0, 0.15, 0.7, 2.0)),
    rho_failed=st.sampled_from((0.0, 0.2)),
    rho_wait=st.sampled_from((0.0, 0.01)),
    practice=st.sampled_from((0.0, 0.5)),
)


def with_load(cell: Cell, model: WorkloadModel) -> Episodes:
    return simulate_blocks(blocks(cell), cell.strategy, terms_of(cell, model))


@pytest.mark.parametrize("method", methods())
@share_of_examples(0.1)
@given(st.data())
def test_a_session_with_a_workload_gives_the_same_episodes(method: str, data: st.DataObject) -> None:
    most = MOST.get(method.partition("+")[0], 9)
    cell = data.draw(cells(method=method, most=most, episodes=2 if method.startswith("mip") else 4))
    model = data.draw(models)
    assert_same(with_load(cell, model), by_session(blocks(cell), cell.strategy, terms_of(cell), model))


@pytest.mark.parametrize("method", methods())
@share_of_examples(0.05)
@given(st.data())
def test_without_g_the_constant_cost_results_come_out_bit_for_bit(method: str, data: st.DataObject) -> None:
    cell = data.draw(cells(method=method, most=MOST.get(method.partition("+")[0], 9), episodes=4))
    plain, loaded = simulate(cell), with_load(cell, WorkloadModel(g=0.0))
    for name, values in vars(plain).items():
        np.testing.assert_array_equal(getattr(loaded, name), values, err_msg=name)


@pytest.mark.parametrize("method", ["graph+workload-aware", "confidence+until-confident", "mip+workload-aware"])
def test_in_step_gives_the_same_episodes(method: str) -> None:
    given_blocks = list(blocks_of(BITE, episodes=30, seed=1, expert=0.8))
    terms = terms_of(Cell(modules=4, expert=0.8), WorkloadModel(g=1.0))
    one_by_one = [run_block(each, StrategyDecider(each, strategy(method), terms, {}), terms) for each in given_blocks]
    assert_same(simulate_blocks(given_blocks, strategy(method), terms), Episodes.joined(one_by_one))


def test_load_makes_a_difference() -> None:
    cell = Cell(confidences=(0.9, 0.2), query_cost=0.3, episodes=200)
    assert with_load(cell, WorkloadModel(g=1.0)).questions.mean() < simulate(cell).questions.mean()


def test_load_goes_on_from_bite_to_bite() -> None:
    light, heavy, one = (
        live_meals(BITE, WorkloadModel(g=g), strategy("topo+query-for-all"), meals=20, seed=0, w=0.5, bites=bites)
        for g, bites in ((0.0, 3), (0.5, 3), (0.5, 1))
    )
    assert light["asked"] == [3.0] * 4
    assert light["load"] == pytest.approx(3 * 1.28)
    assert heavy["load"] > 3 * one["load"], "the second bite finds a tired person"
    assert heavy["recovered"] == light["recovered"] == 1.0
