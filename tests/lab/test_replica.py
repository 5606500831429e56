"""The replica: batch and stepper agree, the reference code's values reappear, and so do its quirks, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.lab.cell import REPLICA_SELECTORS, Cell, Structure, WorldKind
from handup.lab.episodes import Episodes
from handup.lab.replica import batch, stepper
from handup.lab.replica.batch import simulate_replica
from handup.lab.replica.stepper import Episode, episodes_of, step_through
from handup.lab.replica.world import STATE, ReplicaBlock, replica_blocks
from handup.lab.simulate import simulate
from handup.lab.wiring import Wiring, random_wiring
from handup.policy import Gate
from handup.when import WHENS
from tests.lab.cells import assert_same, cells
from tests.strategies import share_of_examples

METHODS = [f"{what}+{when}" for what in REPLICA_SELECTORS for when in WHENS.names()]
SANITY = Cell(world=WorldKind.REPLICA, modules=10, confidences=(1.0, 0.1), query_cost=0.32, episodes=1001)


def replica(**settings: Any) -> Cell:
    return Cell(world=WorldKind.REPLICA, **settings)


# -- batch and stepper -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@share_of_examples(0.2)
@given(st.data())
def test_the_stepper_gives_the_same_episodes(method: str, data: st.DataObject) -> None:
    cell = data.draw(cells(method=method, world=WorldKind.REPLICA, most=12, episodes=6))
    assert_same(simulate(cell), step_through(cell))


@pytest.mark.parametrize("modules", [33, 70])
@pytest.mark.parametrize("structure", list(Structure))
def test_wide_policies_too(structure: Structure, modules: int) -> None:
    """Around the widths of words, and beyond one word."""
    for method in ("graph+workload-aware", "confidence+until-confident"):
        cell = replica(
            modules=modules,
            structure=structure,
            confidences=(0.95, 0.2),
            expert=0.9,
            beta=0.5,
            query_cost=0.05,
            method=method,
            episodes=3,
        )
        assert_same(simulate(cell), step_through(cell))


def test_the_cell_decides_which_world_it_is() -> None:
    cell = replica(confidences=(0.9, 0.2), episodes=50)
    assert_same(simulate(cell), simulate_replica(cell))
    assert simulate(cell).recovered.tolist() != simulate(replace(cell, world=WorldKind.DEFAULT)).recovered.tolist()


@given(st.sampled_from(METHODS), st.data())
def test_rows_hang_together(method: str, data: st.DataObject) -> None:
    cell = data.draw(cells(method=method, world=WorldKind.REPLICA, most=10, episodes=10))
    found = simulate(cell)
    steps = found.questions + found.executions
    assert (steps <= cell.horizon).all()
    assert (steps[~found.recovered] == cell.horizon).all()
    assert (found.executions[found.recovered] >= 1).all()
    np.testing.assert_allclose(
        found.objective, cell.w * found.load + (1 - cell.w) * (steps - found.recovered), atol=1e-9
    )
    if cell.beta == 0.0:
        np.testing.assert_allclose(found.load, cell.query_cost * found.questions, atol=1e-9)


# -- the reference code's values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "query_cost", "steps", "failed"),
    [
        ("graph+workload-aware", 0.96, 4, 0),
        ("confidence+workload-aware", 0.96, 4, 0),
        ("brute-force+workload-aware", 0.96, 4, 0),
        ("graph+execute-first", 0.96, 7, 3),
        ("graph+query-then-execute", 0.96, 6, 2),
        ("graph+until-confident", 0.96, 4, 0),
    ],
)
def test_the_sanity_values(method: str, query_cost: float, steps: int, failed: int) -> None:
    summary = simulate(SANITY.with_method(method)).summary()
    assert summary["query_cost"].median == pytest.approx(query_cost)
    assert summary["timesteps"].median == steps
    assert summary["failed_attempts"].median == failed


@pytest.mark.parametrize(
    ("modules", "high", "low", "query_cost"), [(10, 0.9, 0.2, 0.32), (20, 0.95, 0.3, 0.5), (7, 0.8, 0.5, 0.25)]
)
def test_task_cost_on_a_chain_is_the_chance_that_a_high_module_fails(
    modules: int, high: float, low: float, query_cost: float
) -> None:
    """u_h < q < u_l: the three low ones are asked about in time, the others, N - 4 of them, never."""
    assert 1 - high < query_cost < 1 - low
    cell = replica(
        modules=modules,
        structure=Structure.CHAIN,
        confidences=(high, low),
        query_cost=query_cost,
        episodes=20_000,
        seed=1,
    )
    measure = simulate(cell).summary()["task_cost"]
    assert measure.ci[0] <= 1 - high ** (modules - 4) <= measure.ci[1]
    assert measure.ci[1] - measure.ci[0] < 0.02


# -- what chance decides ----------------------------------------------------------------------------------------------


def test_the_state_counts_as_a_module_that_always_works_and_costs_nothing() -> None:
    (block,) = replica_blocks(replica(confidences=(0.5, 0.5), episodes=50))
    assert block.works.shape == (10, 50)
    assert block.works[STATE].all()
    assert (block.confidences[STATE] == 1.0).all()
    assert (block.query_costs[STATE] == 0.0).all()
    assert not block.works[1:].all()
    for episode in episodes_of(replica(episodes=3)):
        assert sorted(episode.order) == list(range(1, 10))


@pytest.mark.parametrize(("modules", "low"), [(10, 3), (4, 3), (3, 2)])
def test_three_modules_are_low_or_two_where_there_are_no_more(modules: int, low: int) -> None:
    (block,) = replica_blocks(replica(modules=modules, episodes=50))
    assert ((block.confidences == 0.1).sum(axis=0) == low).all()


def test_noise_is_drawn_for_every_episode_by_itself() -> None:
    """The original reuses one sequence for all trials."""
    (block,) = replica_blocks(replica(expert=0.8, episodes=50))
    assert block.luck.shape == (20, 50)
    assert len(np.unique(block.luck)) == block.luck.size


@pytest.mark.parametrize("structure", list(Structure))
def test_the_policies_are_the_worlds(structure: Structure) -> None:
    from handup.lab.world import Draw, stream

    (block,) = replica_blocks(replica(structure=structure, episodes=20, seed=4))
    wanted = random_wiring(10, structure, 20, stream(4, 0, Draw.WIRING))
    np.testing.assert_array_equal(block.wiring.inputs, wanted.inputs)
    assert block.wiring.gates == wanted.gates


# -- quirks, on episodes made by hand ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Made:
    """One episode made by hand. Node 0 is the state; the lists leave it out.

    Args:
        inputs: For each module the nodes that it takes.
        confidences: For each module.
        works: For each module.
        costs: For each module; powers of 2 tell by the load who was asked about.
        gate: Of all modules.
        luck: For each time step; answers are true where it is below c_e.
    """

    inputs: Sequence[Sequence[int]]
    confidences: Sequence[float]
    works: Sequence[bool]
    costs: Sequence[float]
    gate: Gate = Gate.AND
    luck: Sequence[float] = ()

    def block(self, horizon: int) -> ReplicaBlock:
        nodes = len(self.inputs) + 1
        inputs = np.zeros((nodes, 1, 1), dtype=np.uint16)
        for node, row in enumerate(self.inputs, start=1):
            inputs[node, 0, 0] = sum(1 << each for each in row)
        luck = [*self.luck, *[0.0] * (horizon - len(self.luck))]
        return ReplicaBlock(
            Wiring(inputs, (self.gate,) * nodes),
            np.array([1.0, *self.confidences])[:, None],
            np.array([0.0, *self.costs])[:, None],
            np.array([True, *self.works])[:, None],
            np.array(luck)[:, None],
        )


@dataclass(frozen=True)
class Lived:
    """How it went: what was asked about in turn, and what stood at the end."""

    asked: list[int]
    executions: int
    recovered: bool
    told: dict[int, bool]


@dataclass(frozen=True)
class Stage:
    """Lets batch and stepper live through an episode made by hand."""

    monkeypatch: pytest.MonkeyPatch

    def live(self, made: Made, method: str, **settings: Any) -> Lived:
        """Both; they must agree."""
        cell = replica(modules=len(made.inputs) + 1, low=0, method=method, **settings)
        block = made.block(cell.horizon)
        asked: list[int] = []
        lived: list[Episode] = []
        ask = Episode.ask

        def noted(episode: Episode, module: int, *, is_true: bool) -> None:
            asked.append(module)
            lived.append(episode)
            ask(episode, module, is_true=is_true)

        with self.monkeypatch.context() as patch:
            patch.setattr(batch, "replica_blocks", lambda cell: iter([block]))
            patch.setattr(stepper, "replica_blocks", lambda cell: iter([block]))
            patch.setattr(Episode, "ask", noted)
            rows: Episodes = step_through(cell)
            assert_same(simulate(cell), rows)
        assert rows.questions[0] == len(asked)
        assert rows.load[0] == pytest.approx(sum(made.costs[module - 1] for module in asked))
        told = lived[0].told if lived else {}
        return Lived(asked, int(rows.executions[0]), bool(rows.recovered[0]), told)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(monkeypatch)


CHAIN = ((0,), (1,))
SIDE_BY_SIDE = ((0,), (0,), (1, 2))
"""Two modules beside each other, and one that takes both."""
ONE, TWO, FOUR = 0.01, 0.02, 0.04
"""Costs that tell by the load who was asked about."""


def test_an_answer_sets_a_module_right_whose_inputs_are(stage: Stage) -> None:
    made = Made(CHAIN, (0.9, 0.1), (True, False), (0.3, 0.3))
    assert stage.live(made, "graph+workload-aware") == Lived([2], 1, True, {2: True})


def test_an_answer_is_the_gate_on_current_inputs(stage: Stage) -> None:
    """Nobody asks about the first, which is wrong; so the answer about the second, which works, is no."""
    made = Made(CHAIN, (0.9, 0.1), (False, True), (0.3, 0.3))
    assert stage.live(made, "graph+workload-aware") == Lived([2], 5, False, {2: False})


def test_an_or_gate_is_answered_with_one_right_input(stage: Stage) -> None:
    made = Made(SIDE_BY_SIDE, (0.9, 0.9, 0.1), (True, False, False), (0.3, 0.3, 0.3))
    assert not stage.live(made, "graph+workload-aware").recovered
    by_or = replace(made, gate=Gate.OR)
    assert stage.live(by_or, "graph+workload-aware") == Lived([3], 1, True, {3: True})
    none = replace(by_or, works=(False, False, True))
    assert stage.live(none, "graph+workload-aware") == Lived([3], 7, False, {3: False})


def test_an_erring_expert_says_the_opposite(stage: Stage) -> None:
    """Luck of 0.9 is not below c_e = 0.9: the module had worked until it was asked about."""
    made = Made(CHAIN, (1.0, 0.1), (True, True), (0.3, 0.3), luck=(0.9,))
    assert stage.live(made, "graph+workload-aware", expert=0.9) == Lived([2], 5, False, {2: False})


def test_the_opposite_of_no_is_yes(stage: Stage) -> None:
    """An error about a module with wrong inputs makes the policy succeed."""
    made = Made(CHAIN, (0.9, 0.1), (False, False), (0.3, 0.3), luck=(0.95,))
    assert stage.live(made, "graph+workload-aware", expert=0.9) == Lived([2], 1, True, {2: True})


def test_an_answer_stands_in_whatever_the_inputs_say_later(stage: Stage) -> None:
    """The wrong yes of a first answer stays while nothing upstream is asked about."""
    made = Made(CHAIN, (0.9, 0.1), (False, False), (0.3, 0.3), luck=(0.95,))
    episode_told = stage.live(made, "graph+query-then-execute", expert=0.9).told
    assert episode_told == {2: True}


def test_luck_goes_by_time_step(stage: Stage) -> None:
    """The first step executes; the answer comes in the second."""
    made = Made(((0,),), (0.1,), (False,), (0.3,), luck=(0.0, 0.95))
    assert stage.live(made, "graph+execute-first", expert=0.9).told == {1: False}
    assert stage.live(made, "graph+workload-aware", expert=0.9).told == {1: True}


def test_asking_upstream_erases_answers_downstream_which_are_paid_for_again(stage: Stage) -> None:
    """The second has the lower confidence and is asked about first; asking about the first makes that worthless."""
    made = Made(CHAIN, (0.2, 0.1), (False, False), (ONE, TWO))
    assert stage.live(made, "confidence+workload-aware") == Lived([2, 1, 2], 1, True, {1: True, 2: True})


def test_downstream_means_through_others_too(stage: Stage) -> None:
    """The middle one is sure of itself and is never asked about."""
    made = Made(((0,), (1,), (2,)), (0.2, 1.0, 0.1), (False, True, False), (ONE, TWO, FOUR))
    assert stage.live(made, "confidence+workload-aware") == Lived([3, 1, 3], 1, True, {1: True, 3: True})


def test_answers_beside_are_not_erased(stage: Stage) -> None:
    made = Made(SIDE_BY_SIDE, (0.2, 0.1, 1.0), (False, False, True), (ONE, TWO, FOUR))
    assert stage.live(made, "confidence+workload-aware") == Lived([2, 1], 1, True, {1: True, 2: True})


def test_asking_a_cached_module_again_erases_its_own_answer(stage: Stage) -> None:
    made = Made(((0,),), (0.1,), (False,), (ONE,))
    once = stage.live(made, "topo+query-then-execute")
    assert once == Lived([1], 1, True, {1: True})
    again = stage.live(replace(made, works=(False,)), "confidence+query-for-all")
    assert again == Lived([1, 1, 1, 1], 0, False, {})


def test_an_erased_answer_brings_the_original_confidence_back(stage: Stage) -> None:
    """Worth asking about again and again: 1 - c_e is more than the cost. The second module never has its turn."""
    made = Made(CHAIN, (0.5, 0.1), (False, False), (0.05, 0.05))
    assert stage.live(made, "graph+query-for-all", expert=0.8).asked == [1] * 6


def test_an_episode_whose_last_step_is_a_query_ends_unexecuted(stage: Stage) -> None:
    """After the sixth question the policy would succeed, but there is no time left to act."""
    made = Made(CHAIN, (0.2, 0.1), (False, True), (ONE, TWO))
    lived = stage.live(made, "confidence+query-for-all")
    assert lived == Lived([2, 1, 2, 1, 2, 1], 0, False, {1: True})


def test_the_successful_execution_counts_as_a_step() -> None:
    found = simulate(replica(confidences=(1.0, 1.0), method="never+execute-first", episodes=5))
    assert found.metric("timesteps").tolist() == [1] * 5
    assert found.metric("J").tolist() == [0] * 5


def test_who_learns_nothing_acts_to_the_horizon(stage: Stage) -> None:
    made = Made(CHAIN, (0.9, 0.9), (True, False), (1.0, 1.0))
    assert stage.live(made, "graph+workload-aware") == Lived([], 6, False, {})


@pytest.mark.parametrize("structure", [Structure.AND_THEN_OR, Structure.OR_THEN_AND])
def test_until_confident_stops_after_one_query_in_half_and_half(stage: Stage, structure: Structure) -> None:
    """The sum that it compares is empty there."""
    made = Made(CHAIN, (0.1, 0.1), (False, False), (ONE, TWO))
    lived = stage.live(made, "topo+until-confident", structure=structure)
    assert lived == Lived([1, 2], 2, True, {1: True, 2: True}), "one, a failed try, and another"
    in_series = stage.live(made, "topo+until-confident", structure=Structure.AND)
    assert in_series == Lived([1, 2], 1, True, {1: True, 2: True})


def test_until_confident_multiplies_confidences_over_and(stage: Stage) -> None:
    """1 - 0.7² is above a half, 1 - 0.7 below: two of three are asked about, whatever gates there are."""
    made = Made(SIDE_BY_SIDE, (0.7, 0.7, 0.7), (True, True, True), (ONE, TWO, FOUR), gate=Gate.OR)
    assert stage.live(made, "topo+until-confident", structure=Structure.AND).asked == [1, 2]


def test_until_confident_sums_uncertainties_over_or(stage: Stage) -> None:
    """With 0.8 the sum is 0.4 after the first question, with 0.74 it is 0.52: no product, and no redundancy either."""
    made = Made(SIDE_BY_SIDE, (0.8, 0.8, 0.8), (True, True, True), (ONE, TWO, FOUR), gate=Gate.OR)
    assert stage.live(made, "topo+until-confident", structure=Structure.OR).asked == [1]
    unsure = replace(made, confidences=(0.74, 0.74, 0.74))
    assert stage.live(unsure, "topo+until-confident", structure=Structure.OR).asked == [1, 2]


def test_until_confident_believes_answers_with_the_experts_confidence(stage: Stage) -> None:
    """0.8 · 0.6 is under a half, 0.8 · 0.8 above."""
    made = Made(CHAIN, (0.6, 0.6), (True, True), (ONE, TWO))
    assert stage.live(made, "topo+until-confident", expert=0.8).asked == [1, 2]
    assert stage.live(made, "topo+until-confident", expert=0.9).asked == [1]


def test_until_confident_asks_at_least_once(stage: Stage) -> None:
    made = Made(CHAIN, (0.99, 0.99), (True, True), (ONE, TWO))
    assert stage.live(made, "topo+until-confident").asked == [1]


def test_tau_moves_the_threshold_of_until_confident(stage: Stage) -> None:
    made = Made(CHAIN, (0.6, 0.6), (True, True), (ONE, TWO))
    assert stage.live(made, "topo+until-confident", tau=0.59).asked == [1]
    assert stage.live(made, "topo+until-confident", tau=0.61).asked == [1, 2]


def test_brute_force_multiplies_whatever_the_structure(stage: Stage) -> None:
    """The last one decides over an or, and asking about it would gain most; the product prefers the lowest."""
    made = Made(SIDE_BY_SIDE, (0.2, 0.9, 0.5), (True, True, True), (0.03, 0.03, 0.03), gate=Gate.OR)
    assert stage.live(made, "brute-force+query-then-execute", structure=Structure.OR).asked == [1]


def test_brute_force_never_says_none(stage: Stage) -> None:
    """Though a question costs more than everything else."""
    made = Made(CHAIN, (0.9, 0.8), (True, True), (5.0, 6.0))
    assert stage.live(made, "brute-force+query-then-execute").asked == [1]


def test_brute_force_offers_answered_modules(stage: Stage) -> None:
    """The first is so cheap that asking again, which gains nothing, is still the best question there is."""
    made = Made(CHAIN, (0.9, 0.9), (True, True), (0.01, 0.5))
    assert stage.live(made, "brute-force+query-for-all").asked == [1] * 6


def test_confidence_offers_answered_modules(stage: Stage) -> None:
    """An expert who is less sure than the module itself."""
    made = Made(CHAIN, (0.7, 0.9), (True, True), (ONE, TWO))
    assert stage.live(made, "confidence+query-for-all", expert=0.6).asked == [1] * 6


def test_topo_offers_only_unasked_modules(stage: Stage) -> None:
    made = Made(CHAIN, (0.9, 0.1), (False, False), (ONE, TWO))
    assert stage.live(made, "topo+query-for-all") == Lived([1, 2], 1, True, {1: True, 2: True})


def test_binary_tree_weighs_exactly_one_query(stage: Stage) -> None:
    """The best set is both, which begins with the first; the best single question is the second."""
    made = Made(CHAIN, (0.5, 0.1), (True, True), (ONE, ONE))
    assert stage.live(made, "binary-tree+query-then-execute").asked == [2]


def test_binary_tree_offers_only_unasked_modules_and_weighs_cost(stage: Stage) -> None:
    """The second is lower but dear, and asking about it at last erases the answer about the third."""
    made = Made(SIDE_BY_SIDE, (0.8, 0.7, 0.9), (True, True, True), (0.01, 0.9, 0.02))
    assert stage.live(made, "binary-tree+query-for-all").asked == [1, 3, 2, 3]


def test_graph_takes_the_first_in_order_that_is_worth_it(stage: Stage) -> None:
    made = Made(SIDE_BY_SIDE, (0.8, 0.5, 0.1), (True, True, True), (0.3, 0.3, 0.3))
    assert stage.live(made, "graph+query-then-execute").asked == [2]
    assert stage.live(made, "graph+query-then-execute", epsilon=2.0).asked == [3]


def test_graph_takes_the_least_penalty_where_nothing_is_worth_it(stage: Stage) -> None:
    made = Made(CHAIN, (0.9, 0.8), (True, True), (0.5, 0.5))
    assert stage.live(made, "graph+query-then-execute").asked == [2]


def test_graph_offers_answered_modules_that_are_worth_it(stage: Stage) -> None:
    """It fails, and goes on to ask about the first, though that one was answered, in place of the second."""
    made = Made(CHAIN, (0.5, 0.1), (True, False), (0.05, 0.3))
    assert stage.live(made, "graph+query-then-execute", expert=0.9).asked == [1, 1, 1]
    assert stage.live(made, "graph+query-then-execute", expert=0.96).asked == [1, 2]


def test_graph_says_none_when_all_are_answered(stage: Stage) -> None:
    """Though the one module would be worth another question."""
    made = Made(((0,),), (0.1,), (False,), (0.05,))
    assert stage.live(made, "graph+query-for-all", expert=0.8) == Lived([1], 1, True, {1: True})


def test_query_for_all_stops_when_the_selector_says_none(stage: Stage) -> None:
    """In handup's own world it goes on in topological order."""
    made = Made(CHAIN, (0.1, 0.1), (True, True), (ONE, TWO))
    assert stage.live(made, "never+query-for-all") == Lived([], 1, True, {})


def test_workload_aware_weighs_gain_against_cost(stage: Stage) -> None:
    made = Made(CHAIN, (0.5, 0.9), (True, True), (0.4, 0.4))
    assert stage.live(made, "topo+workload-aware").asked == [1]
    assert stage.live(made, "topo+workload-aware", lambda_=1.3).asked == []
    assert stage.live(made, "topo+workload-aware", expert=0.85).asked == []


def test_costs_and_success_weigh_one_to_one_whatever_w() -> None:
    """w prices the episodes afterwards; in handup's own world it changes graph's decisions."""
    cell = replica(confidences=(0.9, 0.2), beta=0.5, episodes=200)
    little, much = simulate(replace(cell, w=0.1)), simulate(replace(cell, w=0.9))
    np.testing.assert_array_equal(little.load, much.load)
    np.testing.assert_array_equal(little.executions, much.executions)
    assert little.objective.tolist() != much.objective.tolist()
    default = replace(cell, world=WorldKind.DEFAULT)
    assert simulate(replace(default, w=0.1)).load.tolist() != simulate(replace(default, w=0.9)).load.tolist()
