"""The replica: batch and stepper agree, the reference code's values reappear, and so do its quirks, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.lab.cell import REPLICA_SELECTORS, Cell, Structure, WorldKind
from handup.lab.replica import batch
from handup.lab.replica.batch import simulate_replica
from handup.lab.replica.stepper import ReplicaEpisode, episodes_of, step_through
from handup.lab.simulate import simulate
from handup.lab.world import EpisodeBlock, Wiring
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
        cell = replica(modules=modules, structure=structure, confidences=(0.95, 0.2), method=method, episodes=3)
        erring = replace(cell, expert=0.9, beta=0.5, query_cost=0.05)
        assert_same(simulate(erring), step_through(erring))


def test_the_cell_decides_which_world_it_is() -> None:
    cell = replica(confidences=(0.9, 0.2), episodes=50)
    assert_same(simulate(cell), simulate_replica(cell))
    assert simulate(cell).recovered.tolist() != simulate(replace(cell, world=WorldKind.DEFAULT)).recovered.tolist()
    assert all(sorted(episode.order) == list(range(1, 10)) for episode in episodes_of(cell)), "nobody asks the state"


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
    settings = {"modules": modules, "confidences": (high, low), "query_cost": query_cost}
    measure = simulate(replica(structure=Structure.CHAIN, episodes=20_000, seed=1, **settings)).summary()["task_cost"]
    assert measure.ci[0] <= 1 - high ** (modules - 4) <= measure.ci[1]
    assert measure.ci[1] - measure.ci[0] < 0.02


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

    def block(self, horizon: int) -> EpisodeBlock:
        nodes = len(self.inputs) + 1
        inputs = np.zeros((nodes, 1, 1), dtype=np.uint16)
        for node, row in enumerate(self.inputs, start=1):
            inputs[node, 0, 0] = sum(1 << each for each in row)
        luck = [*self.luck, *[0.0] * (horizon - len(self.luck))]
        return EpisodeBlock(
            np.array([1.0, *self.confidences])[:, None],
            np.array([0.0, *self.costs])[:, None],
            np.array([True, *self.works])[:, None],
            np.array(luck)[:, None],
            Wiring(inputs, (self.gate,) * nodes),
        )


@dataclass(frozen=True)
class Lived:
    """How it went: what was asked about in turn, and what stood at the end."""

    asked: list[int]
    executions: int
    recovered: bool
    told: dict[int, bool]


class Noting(ReplicaEpisode):
    """An episode that notes what is asked about."""

    def run(self) -> None:
        self.asked: list[int] = []
        super().run()

    def ask(self, module: int, *, is_true: bool) -> None:
        self.asked.append(module)
        super().ask(module, is_true=is_true)


Live = Callable[..., Lived]


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Live:
    """Lets stepper and batch live through an episode made by hand; they must agree."""

    def both(made: Made, method: str, **settings: Any) -> Lived:
        cell = replica(modules=len(made.inputs) + 1, low=0, method=method, **settings)
        block = made.block(cell.horizon)
        episode = Noting(cell, block, 0)
        episode.run()
        monkeypatch.setattr(batch, "blocks", lambda cell: iter([block]))
        rows = simulate(cell)
        assert (rows.questions[0], rows.executions[0]) == (len(episode.asked), episode.acts)
        assert rows.recovered[0] == episode.recovered
        assert rows.load[0] == pytest.approx(sum(made.costs[module - 1] for module in episode.asked))
        return Lived(episode.asked, episode.acts, episode.recovered, episode.told)

    return both


ALONE = ((0,),)
CHAIN = ((0,), (1,))
SIDE_BY_SIDE = ((0,), (0,), (1, 2))
"""Two modules beside each other, and one that takes both."""
ONE, TWO, FOUR = 0.01, 0.02, 0.04
"""Costs that tell by the load who was asked about."""


def test_an_answer_is_the_gate_on_current_inputs(live: Live) -> None:
    method = "graph+workload-aware"
    made = Made(CHAIN, (0.9, 0.1), (True, False), (0.3, 0.3))
    assert live(made, method) == Lived([2], 1, True, {2: True}), "it sets a module right whose inputs are"
    # Nobody asks about the first, which is wrong; so the answer about the second, which works, is no.
    assert live(replace(made, works=(False, True)), method) == Lived([2], 5, False, {2: False})
    beside = Made(SIDE_BY_SIDE, (0.9, 0.9, 0.1), (True, False, False), (0.3, 0.3, 0.3))
    assert not live(beside, method).recovered
    by_or = replace(beside, gate=Gate.OR)
    assert live(by_or, method) == Lived([3], 1, True, {3: True}), "one right input is enough"
    assert live(replace(by_or, works=(False, False, True)), method) == Lived([3], 7, False, {3: False})


def test_an_erring_expert_says_the_opposite(live: Live) -> None:
    # Luck of 0.9 is not below c_e = 0.9: the module had worked until it was asked about.
    made = Made(CHAIN, (1.0, 0.1), (True, True), (0.3, 0.3), luck=(0.9,))
    assert live(made, "graph+workload-aware", expert=0.9) == Lived([2], 5, False, {2: False})
    # The opposite of no is yes: an error about a module with wrong inputs makes the policy succeed.
    wrong = Made(CHAIN, (0.9, 0.1), (False, False), (0.3, 0.3), luck=(0.95,))
    assert live(wrong, "graph+workload-aware", expert=0.9) == Lived([2], 1, True, {2: True})
    # The wrong yes of a first answer stays while nothing upstream is asked about.
    assert live(wrong, "graph+query-then-execute", expert=0.9).told == {2: True}


def test_luck_goes_by_time_step(live: Live) -> None:
    """The first step executes; the answer comes in the second."""
    made = Made(ALONE, (0.1,), (False,), (0.3,), luck=(0.0, 0.95))
    assert live(made, "graph+execute-first", expert=0.9).told == {1: False}
    assert live(made, "graph+workload-aware", expert=0.9).told == {1: True}


def test_asking_upstream_erases_answers_downstream_which_are_paid_for_again(live: Live) -> None:
    """The second has the lower confidence and is asked about first; asking about the first makes that worthless."""
    method = "confidence+workload-aware"
    made = Made(CHAIN, (0.2, 0.1), (False, False), (ONE, TWO))
    assert live(made, method) == Lived([2, 1, 2], 1, True, {1: True, 2: True})
    # Downstream means through others too. The middle one is sure of itself and is never asked about.
    through = Made(((0,), (1,), (2,)), (0.2, 1.0, 0.1), (False, True, False), (ONE, TWO, FOUR))
    assert live(through, method) == Lived([3, 1, 3], 1, True, {1: True, 3: True})
    beside = Made(SIDE_BY_SIDE, (0.2, 0.1, 1.0), (False, False, True), (ONE, TWO, FOUR))
    assert live(beside, method) == Lived([2, 1], 1, True, {1: True, 2: True}), "answers beside are not erased"


def test_asking_a_cached_module_again_erases_its_own_answer(live: Live) -> None:
    made = Made(ALONE, (0.1,), (False,), (ONE,))
    assert live(made, "topo+query-then-execute") == Lived([1], 1, True, {1: True})
    assert live(made, "confidence+query-for-all") == Lived([1, 1, 1, 1], 0, False, {})
    # Its original confidence is back, and it is worth asking about again: 1 - c_e is more than the cost. The second
    # module never has its turn.
    chain = Made(CHAIN, (0.5, 0.1), (False, False), (0.05, 0.05))
    assert live(chain, "graph+query-for-all", expert=0.8).asked == [1] * 6


def test_the_last_step_may_be_a_question_and_the_first_a_success(live: Live) -> None:
    # After the sixth question the policy would succeed, but there is no time left to act.
    made = Made(CHAIN, (0.2, 0.1), (False, True), (ONE, TWO))
    assert live(made, "confidence+query-for-all") == Lived([2, 1, 2, 1, 2, 1], 0, False, {1: True})
    hopeless = Made(CHAIN, (0.9, 0.9), (True, False), (1.0, 1.0))
    assert live(hopeless, "graph+workload-aware") == Lived([], 6, False, {}), "who learns nothing acts to the horizon"
    well = Made(CHAIN, (1.0, 1.0), (True, True), (1.0, 1.0))
    assert live(well, "never+execute-first") == Lived([], 1, True, {}), "the successful execution counts as a step"


@pytest.mark.parametrize("structure", [Structure.AND_THEN_OR, Structure.OR_THEN_AND])
def test_until_confident_stops_after_one_query_in_half_and_half(live: Live, structure: Structure) -> None:
    """The sum that it compares is empty there."""
    made = Made(CHAIN, (0.1, 0.1), (False, False), (ONE, TWO))
    lived = live(made, "topo+until-confident", structure=structure)
    assert lived == Lived([1, 2], 2, True, {1: True, 2: True}), "one, a failed try, and another"
    in_series = live(made, "topo+until-confident", structure=Structure.AND)
    assert in_series == Lived([1, 2], 1, True, {1: True, 2: True})


UNSURE, SURE = (0.6, 0.6), (0.99, 0.99)


@pytest.mark.parametrize(
    ("inputs", "confidences", "settings", "asked"),
    [
        # Confidences multiply over and: 1 - 0.7² is above a half, 1 - 0.7 below, whatever gates there are.
        (SIDE_BY_SIDE, (0.7, 0.7, 0.7), {"structure": Structure.AND}, [1, 2]),
        # Uncertainties add up over or: 0.4 after the first question, and 0.52; no product, and no redundancy either.
        (SIDE_BY_SIDE, (0.8, 0.8, 0.8), {"structure": Structure.OR}, [1]),
        (SIDE_BY_SIDE, (0.74, 0.74, 0.74), {"structure": Structure.OR}, [1, 2]),
        # Answers have the expert's confidence: 0.8 · 0.6 is under a half, 0.9 · 0.6 above.
        (CHAIN, UNSURE, {"expert": 0.8}, [1, 2]),
        (CHAIN, UNSURE, {"expert": 0.9}, [1]),
        (CHAIN, SURE, {}, [1]),  # at least once
        (CHAIN, UNSURE, {"tau": 0.59}, [1]),
        (CHAIN, UNSURE, {"tau": 0.61}, [1, 2]),
    ],
)
def test_until_confident_compares_a_sum_or_a_product_with_tau(
    live: Live,
    inputs: Sequence[Sequence[int]],
    confidences: Sequence[float],
    settings: dict[str, Any],
    asked: list[int],
) -> None:
    gate = Gate.AND if inputs == CHAIN else Gate.OR
    made = Made(inputs, confidences, (True,) * len(inputs), (ONE, TWO, FOUR)[: len(inputs)], gate)
    assert live(made, "topo+until-confident", **settings).asked == asked


SELECTING: list[tuple[str, tuple[float, ...], tuple[float, ...], dict[str, Any], list[int]]] = [
    # Though a question costs more than everything else, brute-force never says none.
    ("brute-force+query-then-execute", (0.9, 0.8), (5.0, 6.0), {}, [1]),
    # The first is so cheap that asking again, which gains nothing, is still the best question there is.
    ("brute-force+query-for-all", (0.9, 0.9), (0.01, 0.5), {}, [1] * 6),
    # An expert who is less sure than the module itself: answered modules are offered again.
    ("confidence+query-for-all", (0.7, 0.9), (ONE, TWO), {"expert": 0.6}, [1] * 6),
    ("topo+query-for-all", (0.9, 0.1), (ONE, TWO), {}, [1, 2]),
    # The best set is both, which begins with the first; binary-tree weighs exactly one question.
    ("binary-tree+query-then-execute", (0.5, 0.1), (ONE, ONE), {}, [2]),
    # The second is lower but dear, and asking about it at last erases the answer about the third.
    ("binary-tree+query-for-all", (0.8, 0.7, 0.9), (0.01, 0.9, 0.02), {}, [1, 3, 2, 3]),
    # The first in order that is worth it, or the least penalty where nothing is.
    ("graph+query-then-execute", (0.8, 0.5, 0.1), (0.3, 0.3, 0.3), {}, [2]),
    ("graph+query-then-execute", (0.8, 0.5, 0.1), (0.3, 0.3, 0.3), {"epsilon": 2.0}, [3]),
    ("graph+query-then-execute", (0.9, 0.8), (0.5, 0.5), {}, [2]),
    # In handup's own world query-for-all goes on in topological order when the selector says none.
    ("never+query-for-all", (0.1, 0.1), (ONE, TWO), {}, []),
    ("topo+workload-aware", (0.5, 0.9), (0.4, 0.4), {}, [1]),
    ("topo+workload-aware", (0.5, 0.9), (0.4, 0.4), {"lambda_": 1.3}, []),
    ("topo+workload-aware", (0.5, 0.9), (0.4, 0.4), {"expert": 0.85}, []),
]


@pytest.mark.parametrize(("method", "confidences", "costs", "settings", "asked"), SELECTING)
def test_what_selectors_offer_where_everything_works(
    live: Live,
    method: str,
    confidences: Sequence[float],
    costs: Sequence[float],
    settings: dict[str, Any],
    asked: list[int],
) -> None:
    made = Made(CHAIN if len(costs) == 2 else SIDE_BY_SIDE, confidences, (True,) * len(costs), costs)
    assert live(made, method, **settings).asked == asked


def test_brute_force_multiplies_whatever_the_structure(live: Live) -> None:
    """The last one decides over an or, and asking about it would gain most; the product prefers the lowest."""
    made = Made(SIDE_BY_SIDE, (0.2, 0.9, 0.5), (True, True, True), (0.03, 0.03, 0.03), gate=Gate.OR)
    assert live(made, "brute-force+query-then-execute", structure=Structure.OR).asked == [1]


def test_graph_offers_answered_modules_that_are_worth_it(live: Live) -> None:
    """It fails, and goes on to ask about the first, though that one was answered, in place of the second."""
    made = Made(CHAIN, (0.5, 0.1), (True, False), (0.05, 0.3))
    assert live(made, "graph+query-then-execute", expert=0.9).asked == [1, 1, 1]
    assert live(made, "graph+query-then-execute", expert=0.96).asked == [1, 2]
    # It says none when all are answered, though the one module would be worth another question.
    alone = Made(ALONE, (0.1,), (False,), (0.05,))
    assert live(alone, "graph+query-for-all", expert=0.8) == Lived([1], 1, True, {1: True})


def test_costs_and_success_weigh_one_to_one_whatever_w() -> None:
    """w prices the episodes afterwards; in handup's own world it changes graph's decisions."""
    cell = replica(confidences=(0.9, 0.2), beta=0.5, episodes=200)
    little, much = simulate(replace(cell, w=0.1)), simulate(replace(cell, w=0.9))
    np.testing.assert_array_equal(little.load, much.load)
    np.testing.assert_array_equal(little.executions, much.executions)
    assert little.objective.tolist() != much.objective.tolist()
    default = replace(cell, world=WorldKind.DEFAULT)
    assert simulate(replace(default, w=0.1)).load.tolist() != simulate(replace(default, w=0.9)).load.tolist()
