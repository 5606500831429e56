"""Costs that change, in the batch simulator: the same episodes as with a session, and constant costs as before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action, BadSetting, CostModel, FixedCosts, Outcome
from handup.lab.batch import Terms, run_block
from handup.lab.cell import Cell, Structure, WorldKind
from handup.lab.costs import CostRule, LoadCosts, by_clock, by_load
from handup.lab.episodes import Episodes
from handup.lab.meal import Menu, live_meals
from handup.lab.one_by_one import OneByOne
from handup.lab.simulate import simulate, simulate_blocks
from handup.lab.world import Block, blocks, blocks_of
from handup.people import Workload, WorkloadModel
from handup.recover import Session, Settings
from handup.when import Strategy, methods, strategy
from tests.lab.cells import assert_same, cells
from tests.make import chain_of
from tests.strategies import share_of_examples

STEP_S = 10.0
MOST = {"mip": 3, "hybrid": 7, "troubleshoot": 7}
models = st.builds(
    WorkloadModel,
    rho=st.sampled_from((1.0, 0.3)),
    tau_s=st.sampled_from((20.0, 120.0)),
    g=st.sampled_from((0.0, 0.15, 0.7, 2.0)),
    rho_failed=st.sampled_from((0.0, 0.2)),
    rho_wait=st.sampled_from((0.0, 0.01)),
    practice=st.sampled_from((0.0, 0.5)),
)
EVERY_WAY = ("graph+workload-aware", "brute-force+until-confident", "hybrid+workload-aware", "troubleshoot")
"""Deciders of every kind: column by column, and one by one."""


class Rising:
    """Questions cost more as time goes by."""

    def __init__(self, modules: int) -> None:
        self.modules = modules

    def query_costs(self, now_s: float) -> Sequence[float]:
        return [0.05 * (1 + position % 3) + 0.004 * now_s for position in range(self.modules)]


def by_session(given: Sequence[Block], method: Strategy, terms: Terms, model: WorkloadModel | CostModel) -> Episodes:
    lived = [_live(block, episode, method, terms, model) for block in given for episode in range(len(block))]
    return Episodes(
        np.array([each.outcome is Outcome.RECOVERED for each in lived]),
        np.array([each.tally.load for each in lived]),
        np.array([each.tally.questions for each in lived], dtype=np.int64),
        np.array([each.tally.executions for each in lived], dtype=np.int64),
        np.array([each.tally.objective for each in lived]),
    )


def _live(block: Block, episode: int, method: Strategy, terms: Terms, model: WorkloadModel | CostModel) -> Session:
    graph = block.graph(episode)
    costs: CostModel = model if not isinstance(model, WorkloadModel) else Workload(
        costs=tuple(block.query_costs[:, episode].tolist()), model=model
    )  # fmt: skip
    settings = Settings(w=terms.w, expert=terms.expert, horizon=terms.horizon)
    session = Session(graph, method, settings, costs)
    works, asked, step = block.works[:, episode].copy(), [0] * len(graph), 0
    while session.outcome is None:
        decision = session.next(now_s=step * STEP_S)
        step += 1
        if decision.action is Action.ASK and decision.module is not None:
            module = graph.index(decision.module)
            changed = not works[module]
            works[module] = block.luck[asked[module], module, episode] < terms.expert
            asked[module] += 1
            session.answered(decision.module, changed=changed, now_s=step * STEP_S)
        elif decision.action is Action.ACT:
            ok = bool(graph.circuit.evaluate(works.astype(np.uint8)[:, None])[0])
            session.executed(ok, now_s=step * STEP_S)
    return session


def terms_of(cell: Cell, costs: CostRule) -> Terms:
    return Terms(expert=cell.expert, w=cell.w, horizon=cell.horizon, costs=costs, step_s=STEP_S)


@pytest.mark.parametrize("method", methods())
@share_of_examples(0.1)
@given(st.data())
def test_a_session_with_a_workload_gives_the_same_episodes(method: str, data: st.DataObject) -> None:
    most = MOST.get(method.partition("+")[0], 9)
    cell = data.draw(cells(method=method, most=most, episodes=2 if method.startswith("mip") else 4))
    model = data.draw(models)
    terms, given_blocks = terms_of(cell, by_load(model)), list(blocks(cell))
    assert_same(
        simulate_blocks(given_blocks, cell.strategy, terms), by_session(given_blocks, cell.strategy, terms, model)
    )


@pytest.mark.parametrize("method", EVERY_WAY)
@share_of_examples(0.1)
@given(st.data())
def test_any_costs_of_the_clock_give_the_same_episodes(method: str, data: st.DataObject) -> None:
    cell = data.draw(cells(method=method, most=6, episodes=4))
    rising = Rising(cell.modules)
    terms, given_blocks = terms_of(cell, by_clock(rising)), list(blocks(cell))
    found = simulate_blocks(given_blocks, cell.strategy, terms)
    assert_same(found, by_session(given_blocks, cell.strategy, terms, rising))


@pytest.mark.parametrize("method", methods())
@share_of_examples(0.05)
@given(st.data())
def test_without_g_the_constant_cost_results_come_out_bit_for_bit(method: str, data: st.DataObject) -> None:
    cell = data.draw(cells(method=method, most=MOST.get(method.partition("+")[0], 9), episodes=4))
    plain, loaded = simulate(cell), simulate(cell, by_load(WorkloadModel(g=0.0)))
    for name in ("recovered", "load", "questions", "executions", "objective"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(plain, name), err_msg=name)


@pytest.mark.parametrize("structure", Structure)
@pytest.mark.parametrize("method", EVERY_WAY)
def test_without_g_the_papers_settings_come_out_bit_for_bit(structure: Structure, method: str) -> None:
    cell = Cell(modules=7, structure=structure, confidences=(0.9, 0.2), beta=0.6, method=method, episodes=40)
    plain, loaded = simulate(cell), simulate(cell, by_load(WorkloadModel(g=0.0)))
    for name in ("recovered", "load", "questions", "executions", "objective"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(plain, name), err_msg=name)


@pytest.mark.parametrize("method", ["graph+workload-aware", "confidence+until-confident", "mip+workload-aware"])
def test_in_step_gives_the_same_episodes(method: str) -> None:
    graph = chain_of([0.9, 0.8, 0.4, 0.7], [0.24, 0.34, 0.24, 0.46])
    given_blocks = list(blocks_of(graph, episodes=30, seed=1, expert=0.8))
    terms = Terms(expert=0.8, w=0.5, horizon=8, costs=by_load(WorkloadModel(g=1.0)), step_s=STEP_S)
    one_by_one = [run_block(each, OneByOne(each, strategy(method), terms, {}), terms) for each in given_blocks]
    assert_same(simulate_blocks(given_blocks, strategy(method), terms), Episodes.joined(one_by_one))


def test_load_makes_a_difference_and_constant_costs_do_not() -> None:
    cell = Cell(confidences=(0.9, 0.2), query_cost=0.3, episodes=200)
    plain = simulate(cell)
    assert simulate(cell, by_load(WorkloadModel(g=1.0))).questions.mean() < plain.questions.mean()
    fixed = simulate(cell, by_clock(FixedCosts((0.3,) * cell.modules)))
    np.testing.assert_array_equal(fixed.objective, plain.objective)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(BadSetting, match="replica"):
        simulate(Cell(world=WorldKind.REPLICA, episodes=2), by_load(WorkloadModel()))
    with pytest.raises(BadSetting, match="2 query costs for 10 modules"):
        simulate(Cell(episodes=2), by_clock(FixedCosts((0.1, 0.2))))


def test_load_goes_on_from_bite_to_bite() -> None:
    graph = chain_of([0.9, 0.8, 0.4, 0.7], [0.24, 0.34, 0.24, 0.46])
    always = strategy("topo+query-for-all")
    menu = Menu(meals=20, bites=3)
    light = live_meals(graph, WorkloadModel(g=0.0), always, menu)
    heavy = live_meals(graph, WorkloadModel(g=0.5), always, menu)
    one = live_meals(graph, WorkloadModel(g=0.5), always, Menu(meals=20, bites=1))
    assert light.asked.tolist() == [3.0] * 4
    assert light.load == pytest.approx(3 * 1.28)
    assert heavy.load.mean() > 3 * one.load.mean(), "the second bite finds a tired person"
    np.testing.assert_array_equal(heavy.recovered, light.recovered)


def test_a_starting_load_is_kept() -> None:
    graph = chain_of([0.9, 0.8], 0.3)
    (block,) = blocks_of(graph, episodes=3)
    costs = LoadCosts(block, WorkloadModel(g=1.0), load=np.array([0.0, 1.0, 2.0]))
    assert costs.at(0.0, np.arange(3))[0] == pytest.approx([0.3, 1.3, 2.3])
