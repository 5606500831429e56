"""The batch simulator: a session stepped one by one gives the same episodes, and exact averages the same means."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action, ContractViolation, Costs, Decision
from handup.lab.batch import EpisodeTerms
from handup.lab.cell import SCHEMA, Cell, Structure, WorldKind
from handup.lab.episodes import Episodes
from handup.lab.evaluation import Evaluation, Expected
from handup.lab.simulate import is_known_pair, simulate, simulate_blocks, vectorised
from handup.lab.world import MOST_ASKED, EpisodeBlock, blocks, blocks_of
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.what import Graph, Selection, Situation
from handup.when import Pair, Strategy, WorkloadAware, check_strategy, methods, strategy
from tests.lab.cells import assert_same, block_of, by_session, cells, terms_of
from tests.make import chain_of
from tests.strategies import share_of_examples

MOST = {"mip": 3, "hybrid": 7, "troubleshoot": 7}
"""Methods that look further take fewer modules here."""


@dataclass(frozen=True)
class Blaming:
    """Somebody's own strategy: looks at failures, at the clock and at its setting, and gives up in time."""

    name: ClassVar[str] = "blaming"
    patience: float = 3.0

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        if costs.time_left <= self.patience and belief.progress.failures:
            return Decision(action=Action.YIELD, reason="It takes too long.")
        wrong = np.where(belief.free(now_s) & ~belief.answered, belief.wrong, -1.0)
        worst = int(wrong.argmax())
        if wrong[worst] > 0.4 + costs.query[worst] and belief.progress.asks_since_act < 2:
            return Decision(action=Action.ASK, module=belief.graph.names[worst], reason="It is most likely wrong.")
        return Decision(action=Action.ACT, reason="Nothing is likely wrong.")

    def parameters(self, costs: Costs) -> dict[str, float]:
        return {"patience": self.patience}

    def with_parameter(self, name: str, value: float) -> Blaming:
        assert name == "patience"
        return replace(self, patience=value)


@dataclass(frozen=True)
class Stubborn:
    """Asks about the first module for ever."""

    name: ClassVar[str] = "stubborn"

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        free = belief.free(now_s)[0]
        action = Action.ASK if free else Action.ACT
        return Decision(action=action, module=belief.graph.names[0], reason="First things first.")

    def parameters(self, costs: Costs) -> dict[str, float]:
        return {}

    def with_parameter(self, name: str, value: float) -> Stubborn:
        return self


@dataclass(frozen=True)
class Waiting(Stubborn):
    """Waits where there is nothing to wait for."""

    name: ClassVar[str] = "waiting"

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        return Decision(action=Action.WAIT, until_s=now_s + 5.0, reason="No hurry.")


@dataclass(frozen=True)
class Last:
    """Somebody's own selector: the last open module, unless executions failed."""

    name: ClassVar[str] = "last"

    def select(self, situation: Situation) -> Selection:
        none = np.full(len(situation.open), np.nan)
        if not situation.open.any() or situation.belief.progress.failures >= 2:
            return Selection(None, "Enough.", none)
        return Selection(int(np.flatnonzero(situation.open)[-1]), "The last one.", none)


# -- the same episodes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", methods())
@share_of_examples(0.1)
@given(st.data())
def test_a_session_gives_the_same_episodes(method: str, data: st.DataObject) -> None:
    most = MOST.get(method.partition("+")[0], 14)
    cell = data.draw(cells(method=method, most=most, episodes=2 if method.startswith("mip") else 5))
    assert_same(simulate(cell), by_session(blocks(cell), cell.strategy, terms_of(cell)))


@pytest.mark.parametrize("outside", [Blaming(), Blaming(6.0), Stubborn(), Pair(Last(), WorkloadAware(0.1))])
@share_of_examples(0.15)
@given(st.data())
def test_a_strategy_of_somebodys_own_lives_the_same_episodes(outside: Strategy, data: st.DataObject) -> None:
    cell = data.draw(cells(method="troubleshoot", most=7, episodes=20))
    terms = terms_of(cell)
    assert_same(simulate_blocks(blocks(cell), outside, terms), by_session(blocks(cell), outside, terms))


def test_somebodys_own_strategies_are_good_ones_and_do_what_they_are_for() -> None:
    check_strategy(Blaming())
    cell = Cell(modules=4, structure=Structure.OR, confidences=(0.7, 0.3), query_cost=0.1, episodes=60)
    found = simulate_blocks(blocks(cell), Blaming(), terms_of(cell))
    steps = found.metric("timesteps")
    assert (~found.recovered & (steps < cell.horizon)).any(), "it gives up"
    assert found.questions.max() > 0
    assert found.executions.max() > 1


def test_a_module_is_not_asked_about_more_often_than_a_session_asks() -> None:
    cell = Cell(modules=5, structure=Structure.CHAIN, expert=0.5, episodes=20)
    found = simulate_blocks(blocks(cell), Stubborn(), terms_of(cell))
    assert found.questions.tolist() == [MOST_ASKED] * 20
    assert (found.executions >= 1).all()


@dataclass(frozen=True)
class Nagging(Stubborn):
    """Asks about the first module for ever, even when it may not."""

    name: ClassVar[str] = "nagging"

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        return Decision(action=Action.ASK, module=belief.graph.names[0], reason="Once more.")


@pytest.mark.parametrize(("wrong", "words"), [(Waiting(), "'waiting' waits.*check_strategy"), (Nagging(), "6th time")])
def test_who_breaks_the_contract_is_told_so(wrong: Strategy, words: str) -> None:
    cell = Cell(episodes=3)
    with pytest.raises(ContractViolation, match=words):
        simulate_blocks(blocks(cell), wrong, terms_of(cell))


PLAIN = ("never", "topo", "confidence", "graph", "binary-tree")


@pytest.mark.parametrize("method", methods())
def test_which_methods_decide_for_many_episodes_at_once(method: str) -> None:
    """So that the test above compares two things, and studies are fast."""
    what, _, when = method.partition("+")
    terms = EpisodeTerms(expert=1.0, w=0.5, horizon=20)
    in_series = vectorised(strategy(method), terms, is_series=True) is not None
    in_gates = vectorised(strategy(method), terms, is_series=False) is not None
    assert in_series == (what in (*PLAIN, "brute-force"))
    assert in_gates == (what in PLAIN and when != "until-confident")


def test_an_outside_rule_is_never_taken_for_one_of_handups() -> None:
    pair = Pair(Last(), WorkloadAware())
    assert vectorised(pair, EpisodeTerms(expert=1.0, w=0.5, horizon=20), is_series=True) is None
    assert vectorised(Blaming(), EpisodeTerms(expert=1.0, w=0.5, horizon=20), is_series=True) is None
    assert not is_known_pair(pair)
    assert not is_known_pair(Blaming())
    assert is_known_pair(strategy("graph+workload-aware"))


# -- exact averages --------------------------------------------------------------------------------------------------

A, B = Module("a", 0.6, 0.2), Module("b", 0.3, 0.4)
EITHER = Module("c", 0.7, 0.1, ("a", "b"), Gate.OR)
POLICIES = {
    "chain": chain_of((0.9, 0.2, 0.6), (0.3, 0.5, 0.1)),
    "or": ModuleGraph([A, B, EITHER]),
    "mixed": ModuleGraph([A, B, EITHER, Module("d", 0.5, 0.3, ("c", "a"))]),
    "expression": ModuleGraph(
        [Module("a", 0.5, 0.1), Module("b", 0.9, 0.2), Module("c", 0.3, 0.3)], success="all(a, any(b, c))"
    ),
}


def all_courses(graph: ModuleGraph, expert: float, asks: int) -> tuple[EpisodeBlock, np.ndarray]:
    """Every way in which states and the first answers about each module can turn out, with its probability."""
    modules = len(graph)
    right = np.array(list(product((0, 1), repeat=modules * (1 + asks))), dtype=np.bool_).T
    chances = np.concatenate([graph.confidences, np.full(modules * asks, expert)])[:, None]
    luck = np.zeros((MOST_ASKED, modules, right.shape[1]))
    luck[:asks] = np.where(right[modules:], 0.0, 1.0).reshape(asks, modules, right.shape[1])
    return block_of(graph, right[:modules], luck), np.where(right, chances, 1.0 - chances).prod(axis=0)


def assert_exact(method: str, graph: ModuleGraph, terms: EpisodeTerms, asks: int) -> Episodes:
    """All courses together have the exact averages."""
    block, weights = all_courses(graph, terms.expert, asks)
    found = simulate_blocks([block], strategy(method), terms)
    exact = Evaluation(strategy=strategy(method), graph=graph, expert=terms.expert, w=terms.w, horizon=terms.horizon)
    for name, wanted in vars(exact.run()).items():
        assert float((getattr(found, name) * weights).sum()) == pytest.approx(wanted, abs=1e-9), name
    return found


@pytest.mark.parametrize("policy", list(POLICIES))
@pytest.mark.parametrize("method", methods())
def test_all_courses_together_have_the_exact_averages(method: str, policy: str) -> None:
    graph = POLICIES[policy]
    assert_exact(method, graph, EpisodeTerms(expert=1.0, w=0.3, horizon=2 * len(graph)), 0)


PAIRS = ("graph+workload-aware", "topo+query-for-all", "confidence+until-confident", "brute-force+execute-first")


@pytest.mark.parametrize("policy", ["chain", "or", "expression"])
@pytest.mark.parametrize("method", PAIRS)
def test_answers_that_err_have_the_exact_averages_too(method: str, policy: str) -> None:
    assert_exact(method, POLICIES[policy], EpisodeTerms(expert=0.8, w=0.5, horizon=2 * len(POLICIES[policy])), 1)


def test_asking_again_has_the_exact_averages_too() -> None:
    found = assert_exact(
        "troubleshoot", chain_of((0.4, 0.3), (0.1, 0.2)), EpisodeTerms(expert=0.6, w=0.5, horizon=7), 4
    )
    assert found.questions.max() >= 3, "something is asked about twice"


def assert_means(found: Episodes, expected: Sequence[Expected]) -> None:
    """What episodes came to, less the exact averages for their own policies, is 0 in the mean."""
    for name in ("objective", "recovered", "questions", "executions"):
        off = getattr(found, name) - np.array([getattr(each, name) for each in expected])
        assert abs(off.mean()) <= 4.0 * off.std() / len(off) ** 0.5 + 1e-12, name


@pytest.mark.parametrize("structure", list(Structure))
@pytest.mark.parametrize("method", ["troubleshoot", "graph+workload-aware", "topo+query-then-execute"])
def test_the_means_of_random_policies_are_the_exact_ones(method: str, structure: Structure) -> None:
    modules = 3 if method == "troubleshoot" else 4
    cell = Cell(modules=modules, structure=structure, confidences=(0.8, 0.4), low=1, expert=0.9, method=method)
    cell = replace(cell, episodes=600, seed=5)
    exact: dict[bytes, Expected] = {}
    expected = []
    for block in blocks(cell):
        for episode in range(len(block)):
            wiring = b"" if block.wiring is None else block.wiring.inputs[:, :, episode].tobytes()
            kind = wiring + block.confidences[:, episode].tobytes()
            if kind not in exact:
                graph = block.graph(episode)
                exact[kind] = Evaluation(strategy=cell.strategy, graph=graph, expert=cell.expert).run()
            expected.append(exact[kind])
    assert_means(simulate(cell), expected)


@pytest.mark.parametrize("policy", list(POLICIES))
@pytest.mark.parametrize("expert", [1.0, 0.7])
def test_the_means_of_a_given_policy_are_the_exact_ones(policy: str, expert: float) -> None:
    graph, method = POLICIES[policy], strategy("graph+workload-aware")
    given_blocks = blocks_of(graph, episodes=4000, seed=2, expert=expert)
    steps = 2 * len(graph)
    found = simulate_blocks(given_blocks, method, EpisodeTerms(expert=expert, w=0.5, horizon=steps))
    assert_means(found, [Evaluation(strategy=method, graph=graph, expert=expert, horizon=steps).run()])


# -- the same rows whenever and in whatever order ---------------------------------------------------------------------

SOME = [
    Cell(method="graph+workload-aware", beta=0.3, expert=0.8, confidences=(0.9, 0.2), episodes=200),
    Cell(method="troubleshoot", structure=Structure.OR, modules=5, confidences=(0.6, 0.2), episodes=60, seed=3),
    Cell(method="hybrid+until-confident", structure=Structure.AND_THEN_OR, modules=6, episodes=60),
    Cell(method="confidence+until-confident", world=WorldKind.REPLICA, expert=0.8, episodes=200),
]


def fingerprint(found: Episodes) -> str:
    columns = (found.recovered, found.questions, found.executions, np.round(found.load * 1e6).astype(np.int64))
    return hashlib.sha256(b"".join(each.astype("<i8").tobytes() for each in columns)).hexdigest()[:12]


GOLDEN = {1: ["9ade46d8e85c", "3d82a360c7ea", "89197372d1ea", "6da3548f66d7"]}
"""For each schema the rows of `SOME`. Where they change, raise `SCHEMA` in lab/cell.py and add a line."""


def test_neither_repetition_nor_order_nor_other_draws_change_rows_but_seeds_do() -> None:
    """Where rows change, the schema has to be raised."""
    assert [fingerprint(simulate(cell)) for cell in SOME] == GOLDEN[SCHEMA]
    np.random.seed(12345)  # the generator that nobody should use
    assert [fingerprint(simulate(cell)) for cell in reversed(SOME)] == GOLDEN[SCHEMA][::-1]
    others = [fingerprint(simulate(replace(cell, seed=cell.seed + 1))) for cell in SOME]
    assert not set(others) & set(GOLDEN[SCHEMA])


# -- pairing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("structure", list(Structure))
def test_who_never_asks_recovers_just_where_everything_works(structure: Structure) -> None:
    cell = Cell(modules=6, structure=structure, confidences=(0.8, 0.4), low=2, episodes=300)
    found = simulate(cell.with_method("never+execute-first"))
    (block,) = blocks(cell)
    np.testing.assert_array_equal(found.recovered, block.succeeds(block.works, np.arange(300)))
    assert 0 < found.recovered.sum() < 300
    assert (found.executions == np.where(found.recovered, 1, cell.horizon)).all()


@pytest.mark.parametrize("method", ["graph+workload-aware", "topo+query-for-all", "troubleshoot", "topo+execute-first"])
def test_true_answers_never_spoil_an_episode_that_would_have_gone_well(method: str) -> None:
    """Only if both live through the same states."""
    cell = Cell(modules=5, structure=Structure.OR, confidences=(0.8, 0.4), low=2, episodes=150)
    untouched = simulate(cell.with_method("never+execute-first")).recovered
    recovered = simulate(cell.with_method(method)).recovered
    assert (recovered >= untouched).all()
    assert recovered.sum() > untouched.sum()


def test_methods_that_ask_the_same_get_the_same_answers() -> None:
    """On a chain both ask about everything; only the order differs, and luck goes by module, not by time."""
    cell = Cell(structure=Structure.CHAIN, expert=0.9, confidences=(0.5, 0.5), episodes=400)
    one, other = (simulate(cell.with_method(f"{what}+query-for-all")) for what in ("topo", "brute-force"))
    np.testing.assert_array_equal(one.recovered, other.recovered)
    assert 0 < one.recovered.sum() < 400


# -- invariants ------------------------------------------------------------------------------------------------------


@given(st.sampled_from([method for method in methods() if not method.startswith("mip")]), st.data())
def test_rows_hang_together(method: str, data: st.DataObject) -> None:
    cell = data.draw(cells(method=method, most=6, episodes=8))
    found = simulate(cell)
    steps, horizon = found.questions + found.executions, cell.horizon
    assert (steps <= horizon).all()
    assert (found.executions[found.recovered] >= 1).all()
    lost = np.where(found.recovered, steps - 1, horizon)
    np.testing.assert_allclose(found.objective, cell.w * found.load + (1 - cell.w) * lost, atol=1e-9)
    if method not in ("troubleshoot", "joint"):
        assert (found.questions <= cell.modules).all(), "a pair asks about each module once"
        assert (steps[~found.recovered] == horizon).all(), "a pair does not give up"
    if method.startswith("never") and not method.endswith("query-for-all"):
        assert not found.questions.any()


def test_an_episode_by_hand() -> None:
    """m1 is wrong. Execute first: it fails, m1 is asked about as the only one worth it, and then all is well."""
    graph = chain_of((0.9, 0.2, 0.9), (0.3, 0.5, 0.3))
    block = block_of(graph, np.array([[True], [False], [True]]))
    found = simulate_blocks([block], strategy("graph+execute-first"), EpisodeTerms(expert=1.0, w=0.4, horizon=6))
    assert (found.recovered[0], found.questions[0], found.executions[0]) == (True, 1, 2)
    assert found.load[0] == 0.5
    assert found.objective[0] == pytest.approx(0.4 * 0.5 + 0.6 * 2)


def test_wrong_answers_by_hand() -> None:
    """The answer is wrong where luck is not below the expert's confidence, and a pair does not ask again."""
    graph = chain_of((0.2,), 0.1)
    luck = np.full((MOST_ASKED, 1, 2), 0.0)
    luck[0, 0] = (0.8, 0.79)
    block = block_of(graph, np.array([[True, False]]), luck)
    found = simulate_blocks([block], strategy("graph+workload-aware"), EpisodeTerms(expert=0.8, w=0.5, horizon=2))
    assert found.recovered.tolist() == [False, True], "the first had worked until it was asked about"
    assert found.executions.tolist() == [1, 1]


def test_of_equally_good_sets_binary_tree_takes_the_larger() -> None:
    """Asking about m1 alone and about both cost 0.3 alike; the larger set begins with m0."""
    graph = chain_of((0.5, 0.1), (0.5, 0.1))
    block = block_of(graph, np.array([[False], [True]]))
    terms = EpisodeTerms(expert=1.0, w=0.5, horizon=4)
    found = simulate_blocks([block], strategy("binary-tree+query-then-execute"), terms)
    assert (found.recovered[0], found.questions[0], found.load[0]) == (True, 1, 0.5)
    assert_same(found, by_session([block], strategy("binary-tree+query-then-execute"), terms))


def test_giving_up_costs_the_time_that_was_left() -> None:
    graph = chain_of((0.5, 0.5))
    block = block_of(graph, np.array([[False], [False]]))
    found = simulate_blocks([block], Blaming(3.0), EpisodeTerms(expert=1.0, w=0.25, horizon=4))
    lost = found.metric("timesteps")[0]
    assert lost < 4
    assert found.objective[0] == pytest.approx(0.25 * found.load[0] + 0.75 * 4)


def test_decisions_on_one_policy_are_not_taken_for_those_on_another() -> None:
    def policy(gate: Gate) -> ModuleGraph:
        return ModuleGraph([Module("a", 0.5, 0.3), Module("b", 0.5, 0.3), Module("c", 0.9, 0.3, ("a", "b"), gate)])

    both = [block_of(policy(gate), np.array([[True], [False], [True]])) for gate in Gate]
    terms = EpisodeTerms(expert=1.0, w=0.5, horizon=6)
    apart = Episodes.joined(simulate_blocks([each], strategy("troubleshoot"), terms) for each in both)
    assert len(set(apart.questions.tolist())) == 2
    assert_same(simulate_blocks(both, strategy("troubleshoot"), terms), apart)


@dataclass(frozen=True)
class Shy(Graph):
    """A selector made from one of handup's that never asks."""

    name: ClassVar[str] = "shy"

    def select(self, situation: Situation) -> Selection:
        return Selection(None, "It is shy.", np.full(len(situation.open), np.nan))


class Bold(Pair):
    """A pair that always acts."""

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        return Decision(action=Action.ACT, reason="It is bold.")


@pytest.mark.parametrize("outside", [Pair(Shy(), WorkloadAware()), Bold(Graph(), WorkloadAware())])
def test_what_is_derived_from_handups_rules_keeps_its_own(outside: Strategy) -> None:
    cell = Cell(episodes=3)
    assert not simulate_blocks(blocks(cell), outside, terms_of(cell)).questions.any()


@pytest.mark.parametrize("known", range(1, 8))
def test_at_the_very_threshold_batch_and_session_agree(known: int) -> None:
    """r̂ is a product of so many confidences up to the last digit; a tie is not above τ."""
    cell = Cell(modules=8, structure=Structure.CHAIN, confidences=(0.9, 0.9), low=0, query_cost=0.1, episodes=3)
    cell = replace(cell, method="topo+until-confident", tau=0.9**known)
    assert_same(simulate(cell), by_session(blocks(cell), cell.strategy, terms_of(cell)))
