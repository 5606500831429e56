"""The paper's querying algorithms with its selectors, step by step."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action, Costs, Decision, Outcome, default_horizon
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.recover import Session, Settings
from handup.what import SELECTORS
from handup.when import WHENS, Strategy, methods, strategy
from tests.make import chain_of
from tests.strategies import module_lists, query_costs, share_of_examples, uncertain

CHAIN = chain_of((0.9, 0.2, 0.6), 0.3)
SELECTOR_NAMES = ("never", "topo", "confidence", "brute-force", "mip", "binary-tree", "graph", "hybrid")
WHEN_NAMES = ("execute-first", "query-then-execute", "until-confident", "workload-aware", "query-for-all")
PAIRS = [f"{what}+{when}" for what in SELECTOR_NAMES for when in WHEN_NAMES]
GATES = ModuleGraph(
    [
        Module("camera", 0.7, 0.2),
        Module("haptics", 0.4, 0.5),
        Module("fusion", 0.9, 0.1, ("camera", "haptics"), Gate.OR),
        Module("grasp", 0.3, 0.3, ("fusion", "camera")),
    ]
)


def shown(decision: Decision) -> str:
    return f"ask {decision.module}" if decision.action is Action.ASK else str(decision.action)


def courses(method: str | Strategy, graph: ModuleGraph = CHAIN, *, steps: int | None = None) -> str:
    """An episode in which every try fails, in words."""
    session = Session(graph, method, Settings(horizon=steps))
    said = []
    while session.outcome is None:
        decision = session.next(0.0)
        said.append(shown(decision))
        if decision.action is Action.ACT:
            session.executed(False)
        elif decision.action is Action.ASK and decision.module is not None:
            session.answered(decision.module, changed=True)
    return ", ".join(said[:-1])


def decide(
    method: str | Strategy, belief: Belief, *, expert: float = 1.0, now_s: float = 0.0, query: float | None = None
) -> Decision:
    costs = Costs.of(belief.graph.query_costs if query is None else [query] * len(belief.graph), expert=expert)
    return (strategy(method) if isinstance(method, str) else method).decide(belief, costs, now_s)


@pytest.mark.parametrize(
    ("method", "course"),
    [
        ("topo+execute-first", "act, ask m0, act, ask m1, act, ask m2"),
        ("confidence+execute-first", "act, ask m1, act, ask m2, act, ask m0"),
        ("never+execute-first", "act, act, act, act, act, act"),
        ("topo+query-then-execute", "ask m0, act, ask m1, act, ask m2, act"),
        ("never+query-then-execute", "act, act, act, act, act, act"),
        ("topo+query-for-all", "ask m0, ask m1, ask m2, act, act, act"),
        ("confidence+query-for-all", "ask m1, ask m2, ask m0, act, act, act"),
        ("never+query-for-all", "ask m0, ask m1, ask m2, act, act, act"),
        ("confidence+until-confident", "ask m1, act, ask m2, act, ask m0, act"),
        ("topo+until-confident", "ask m0, ask m1, act, ask m2, act, act"),
        ("never+until-confident", "act, act, act, act, act, act"),
        ("confidence+workload-aware", "ask m1, ask m2, act, act, act, act"),
        ("topo+workload-aware", "act, act, act, act, act, act"),
        ("graph+workload-aware", "ask m1, ask m2, act, act, act, act"),
        ("never+workload-aware", "act, act, act, act, act, act"),
    ],
)
def test_the_course_of_an_episode_in_which_every_try_fails(method: str, course: str) -> None:
    assert courses(method, steps=6) == course


@pytest.mark.parametrize("selector", SELECTOR_NAMES)
def test_execute_first_acts_before_it_asks_anything(selector: str) -> None:
    assert decide(f"{selector}+execute-first", Belief.of(CHAIN)).action is Action.ACT


@pytest.mark.parametrize("selector", SELECTOR_NAMES)
def test_execute_first_asks_at_most_one_question_between_two_tries(selector: str) -> None:
    said = courses(f"{selector}+execute-first").split(", ")
    assert not any(a.startswith("ask") and b.startswith("ask") for a, b in pairwise(said))


def test_until_confident_asks_once_even_where_it_is_confident_from_the_start() -> None:
    sure = Belief.of(chain_of((0.99, 0.98)))
    assert decide("topo+until-confident", sure).action is Action.ASK
    assert decide("topo+until-confident", sure.after_answer(0, changed=False, expert=1.0)).action is Action.ACT


def test_until_confident_asks_again_before_every_try() -> None:
    belief = Belief.of(chain_of((0.99, 0.98))).after_answer(0, changed=False, expert=1.0).after_execution(False)
    assert shown(decide("topo+until-confident", belief)) == "ask m1"


def test_until_confident_wants_more_than_tau_not_just_tau() -> None:
    half = Belief.of(chain_of((0.1, 0.5))).after_answer(0, changed=True, expert=1.0)
    assert decide(strategy("topo+until-confident", tau=0.5), half).action is Action.ASK
    assert decide(strategy("topo+until-confident", tau=0.49), half).action is Action.ACT


@given(confidence=uncertain, expert=st.floats(0.0, 1.0), factor=st.sampled_from((0.5, 1.0, 2.0)))
def test_workload_aware_asks_just_down_to_where_gain_meets_load(
    confidence: float, expert: float, factor: float
) -> None:
    belief = Belief.of(chain_of((confidence,)))
    method = strategy("topo+workload-aware", lambda_=factor)
    gain = expert - confidence
    if gain <= 0.0:
        assert (decide(method, belief, expert=expert, query=0.1).action is Action.ACT) == (gain < factor * 0.1)
        return
    boundary = gain / factor
    assert decide(method, belief, expert=expert, query=boundary * (1 + 1e-9)).action is Action.ACT
    assert decide(method, belief, expert=expert, query=boundary * (1 - 1e-9)).action is Action.ASK


@pytest.mark.parametrize(("confidence", "query"), [(0.5, 0.5), (0.25, 0.75), (0.0, 1.0), (1.0, 0.0)])
def test_workload_aware_asks_where_gain_and_load_are_equal(confidence: float, query: float) -> None:
    belief = Belief.of(chain_of((confidence,)))
    assert decide("topo+workload-aware", belief, query=query).action is Action.ASK


def test_workload_aware_looks_at_what_a_question_costs_now() -> None:
    belief = Belief.of(CHAIN)
    assert shown(decide("confidence+workload-aware", belief, query=0.79)) == "ask m1"
    assert decide("confidence+workload-aware", belief, query=0.81).action is Action.ACT


@pytest.mark.parametrize("selector", SELECTOR_NAMES)
@pytest.mark.parametrize("graph", [CHAIN, GATES])
def test_query_for_all_asks_about_every_module_once_before_it_acts(selector: str, graph: ModuleGraph) -> None:
    said = courses(f"{selector}+query-for-all", graph).split(", ")
    assert sorted(said[: len(graph)]) == sorted(f"ask {name}" for name in graph.names)
    assert set(said[len(graph) :]) == {"act"}


def test_query_for_all_keeps_the_selectors_order_and_falls_back_on_the_topological_one() -> None:
    dear = chain_of((0.9, 0.2, 0.95), 0.3)
    assert courses("brute-force+query-for-all", dear, steps=3) == "ask m1, ask m0, ask m2"


@pytest.mark.parametrize("when", [each for each in WHEN_NAMES if each != "query-for-all"])
def test_never_asks_nothing(when: str) -> None:
    assert set(courses(f"never+{when}").split(", ")) == {"act"}


def test_the_papers_algorithms_give_forty_pairs() -> None:
    assert tuple(SELECTORS.names()[: len(SELECTOR_NAMES)]) == SELECTORS.names()
    assert set(PAIRS) == {each for each in methods() if "+" in each}
    assert len(PAIRS) == 40
    assert set(WHEN_NAMES) == set(WHENS.names())


@pytest.mark.parametrize("graph", [CHAIN, GATES], ids=["chain", "gates"])
@pytest.mark.parametrize("method", PAIRS)
def test_every_pair_goes_on_to_the_horizon_when_every_try_fails(method: str, graph: ModuleGraph) -> None:
    session = Session(graph, method)
    for _ in range(default_horizon(len(graph))):
        decision = session.next(0.0)
        assert decision.action in (Action.ACT, Action.ASK)
        assert decision.reason.strip()
        if decision.action is Action.ACT:
            session.executed(False)
        elif decision.module is not None:
            session.answered(decision.module, changed=True)
    assert session.next(0.0).action is Action.YIELD
    assert session.outcome is Outcome.HORIZON


@pytest.mark.parametrize("method", PAIRS)
def test_a_try_that_succeeds_ends_every_pairs_episode(method: str) -> None:
    session = Session(CHAIN, method)
    while session.next(0.0).action is Action.ASK:
        assert session.pending is not None and session.pending.module is not None
        session.answered(session.pending.module, changed=True)
    session.executed(True)
    assert session.outcome is Outcome.RECOVERED


@share_of_examples(0.2)
@given(modules=module_lists(most=5), method=st.sampled_from([each for each in PAIRS if "execute" not in each]))
def test_nothing_is_learnt_from_a_failure(modules: list[Module], method: str) -> None:
    belief = Belief.of(ModuleGraph(modules)).after_answer(0, changed=None, expert=0.9)
    failed = belief.after_execution(False)
    # asks_since_act is the one thing an algorithm may look at; another answer makes it equal again
    before = belief.after_answer(0, changed=None, expert=0.9)
    after = failed.after_answer(0, changed=None, expert=0.9)
    first, second = decide(method, before), decide(method, after)
    assert first.same_choice(second)
    assert [each.value for each in first.alternatives] == [each.value for each in second.alternatives]


@share_of_examples(0.3)
@given(modules=module_lists(most=5), cost=query_costs, method=st.sampled_from(PAIRS))
def test_alternatives_are_sorted_and_name_open_modules(modules: list[Module], cost: float, method: str) -> None:
    belief = Belief.of(ModuleGraph(modules)).after_answer(0, changed=True, expert=1.0).blocked(len(modules) - 1, 10.0)
    decision = decide(method, belief, query=cost)
    values = [each.value for each in decision.alternatives]
    assert values == sorted(values)
    named = {each.module for each in decision.alternatives if each.action is Action.ASK}
    assert belief.graph.names[0] not in named and belief.graph.names[-1] not in named


def blocked_after_failure(until_s: float) -> Belief:
    """Asking about m1 is what would help, it may not be asked about yet, and acting has failed."""
    return Belief.of(chain_of((1.0, 0.2), 0.3)).after_execution(False).blocked(1, until_s)


def test_a_pair_waits_for_a_question_that_it_would_ask_when_acting_is_futile() -> None:
    decision = decide("confidence+workload-aware", blocked_after_failure(60.0))
    assert (decision.action, decision.module, decision.until_s) == (Action.WAIT, "m1", 60.0)
    assert "may not be asked about yet" in decision.reason


def test_a_pair_does_not_wait_while_acting_may_succeed() -> None:
    fresh = Belief.of(chain_of((1.0, 0.2), 0.3)).blocked(1, 60.0)
    assert decide("confidence+workload-aware", fresh).action is Action.ACT
    unsure = Belief.of(chain_of((1.0, 0.2), 0.3)).after_execution(False, certainty=0.9).blocked(1, 60.0)
    assert decide("confidence+workload-aware", unsure).action is Action.ACT


def test_a_pair_does_not_wait_for_a_question_that_it_would_not_ask() -> None:
    assert decide("confidence+workload-aware", blocked_after_failure(60.0), query=0.9).action is Action.ACT
    assert decide("never+workload-aware", blocked_after_failure(60.0)).action is Action.ACT


def test_a_pair_asks_something_else_rather_than_wait() -> None:
    both = Belief.of(chain_of((0.3, 0.2), 0.3)).after_execution(False).blocked(1, 60.0)
    assert shown(decide("confidence+workload-aware", both)) == "ask m0"


def test_a_pair_asks_when_the_wait_is_over() -> None:
    assert shown(decide("confidence+workload-aware", blocked_after_failure(60.0), now_s=60.0)) == "ask m1"


def test_a_pair_gives_up_when_what_would_help_may_not_be_asked_any_more() -> None:
    decision = decide("confidence+workload-aware", blocked_after_failure(math.inf))
    assert (decision.action, decision.module) == (Action.YIELD, "m1")
    assert "may not be asked about any more" in decision.reason


@pytest.mark.parametrize("method", PAIRS)
def test_decisions_of_every_pair_stay_decisions_where_confidences_are_extreme(method: str) -> None:
    belief = Belief.of(chain_of((0.0, 1.0, 0.0), (0.0, 0.0, 1e6)))
    decision = decide(method, belief)
    assert all(math.isfinite(each.value) for each in decision.alternatives), "JSON knows no infinity"
    assert decision.reason.strip()
