"""How far a decision is from flipping."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action, Costs, Decision
from handup.policy import Belief, ModuleGraph
from handup.recover import Session
from handup.when import Flips, Strategy, flips_at, strategy
from tests.make import chain_of
from tests.strategies import module_lists, share_of_examples, uncertain
from tests.when.test_pairs import GATES

METHODS = (
    "troubleshoot",
    "graph+workload-aware",
    "confidence+workload-aware",
    "brute-force+query-then-execute",
    "binary-tree+query-then-execute",
    "topo+until-confident",
    "hybrid+workload-aware",
)


def flips(method: str | Strategy, belief: Belief, costs: Costs) -> tuple[Decision, Flips]:
    chosen = strategy(method) if isinstance(method, str) else method
    decision = chosen.decide(belief, costs, 0.0)
    return decision, flips_at(chosen, belief, costs, 0.0, decision)


# -- appendix B: one module of confidence .1 among certain ones, a question of .1 -----------------------------------

APPENDIX_B = Belief.of(chain_of((1.0, 0.1, 1.0), 0.1))


@pytest.mark.parametrize("method", ["brute-force+query-then-execute", "binary-tree+query-then-execute"])
def test_product_selectors_ask_up_to_the_critical_query_cost(method: str) -> None:
    _, found = flips(method, APPENDIX_B, Costs.of(APPENDIX_B.graph.query_costs))
    assert found.module == "m1"
    assert found.query_cost == pytest.approx(0.9, abs=1e-9)


def test_workload_aware_asks_up_to_the_critical_query_cost_and_lambda() -> None:
    _, found = flips("confidence+workload-aware", APPENDIX_B, Costs.of(APPENDIX_B.graph.query_costs))
    assert found.query_cost == pytest.approx(0.9, abs=1e-9)
    assert found.confidence == pytest.approx(0.9, abs=1e-9)
    assert found.parameters == {"lambda": pytest.approx(9.0, abs=1e-9)}


def test_graph_finds_a_module_worth_asking_up_to_the_critical_epsilon() -> None:
    _, found = flips("graph+workload-aware", APPENDIX_B, Costs.of(APPENDIX_B.graph.query_costs))
    assert found.parameters["epsilon"] == pytest.approx(9.0, abs=1e-9)


def test_graph_with_execute_first_reports_the_critical_epsilon_though_it_asks_the_least_bad_one() -> None:
    belief = APPENDIX_B.after_execution(False)
    decision, found = flips("graph+execute-first", belief, Costs.of(belief.graph.query_costs))
    assert decision.action is Action.ASK
    assert found.parameters["epsilon"] == pytest.approx(9.0, abs=1e-9)


def test_until_confident_flips_at_the_probability_of_success() -> None:
    belief = Belief.of(chain_of((0.1, 0.6))).after_answer(0, changed=True, expert=1.0)
    _, found = flips("topo+until-confident", belief, Costs.of(belief.graph.query_costs))
    assert found.parameters == {"tau": pytest.approx(0.6, abs=1e-9)}


@pytest.mark.parametrize("confidence", [0.05, 0.2, 0.35])
def test_troubleshoot_flips_at_the_query_cost_that_can_be_worked_out_by_hand(confidence: float) -> None:
    # One module, ample time. Ask: q/2 + 1/2, then success. Act: (1 - c)(1/2 + q/2 + 1/2). Equal where
    # q c = 1 - 2c, that is q = (1 - 2c) / c.
    belief = Belief.of(chain_of((confidence,), 0.3))
    decision, found = flips("troubleshoot", belief, Costs.of([0.3], time_left=1000.0))
    assert decision.action is Action.ASK
    assert found.query_cost == pytest.approx((1 - 2 * confidence) / confidence, rel=1e-6)


def test_where_nothing_would_change_the_decision_there_is_no_value() -> None:
    _, found = flips("never+execute-first", Belief.of(chain_of((0.5, 0.5))), Costs.of([0.3, 0.3]))
    assert found == Flips(None, None, None, None, {})


def test_an_answered_module_has_no_confidence_to_vary() -> None:
    belief = Belief.of(chain_of((0.9, 0.1), 0.1)).after_answer(1, changed=True, expert=0.6).after_execution(False)
    decision, found = flips("troubleshoot", belief, Costs.of([3.0, 0.1], expert=0.6))
    assert (decision.action, decision.module) == (Action.ASK, "m1")
    assert found.confidence is None


def test_the_record_is_flat_and_names_every_number() -> None:
    _, found = flips("graph+workload-aware", APPENDIX_B, Costs.of(APPENDIX_B.graph.query_costs))
    assert set(found.to_json()) == {"module", "query_cost", "confidence", "w", "epsilon", "lambda"}


def test_a_session_tells_how_far_its_pending_decision_is_from_flipping() -> None:
    session = Session(APPENDIX_B.graph, "confidence+workload-aware")
    session.next(0.0)
    assert session.flips().query_cost == pytest.approx(0.9, abs=1e-9)


@dataclass(frozen=True)
class Between:
    """Asks while the question costs between two numbers."""

    low: float
    high: float
    name: ClassVar[str] = "between"

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        asks = self.low < costs.query[0] < self.high
        return Decision(action=Action.ASK if asks else Action.ACT, module=belief.graph.names[0], reason="So.")

    def parameters(self, costs: Costs) -> dict[str, float]:
        return {}

    def with_parameter(self, name: str, value: float) -> Between:
        raise NotImplementedError


@pytest.mark.parametrize(("between", "nearest"), [(Between(0.2, 0.9), 0.2), (Between(0.0, 0.35), 0.35)])
def test_of_two_borders_the_nearer_one_is_reported(between: Between, nearest: float) -> None:
    belief = Belief.of(chain_of((0.5, 0.5), 0.3))
    decision, found = flips(between, belief, Costs.of(belief.graph.query_costs))
    assert decision.action is Action.ASK
    assert found.query_cost == pytest.approx(nearest, abs=1e-9)


# -- whatever is reported is really a border --------------------------------------------------------------------------


def with_number(
    name: str, value: float, chosen: Strategy, belief: Belief, costs: Costs, module: int
) -> tuple[Strategy, Belief, Costs]:
    """The same problem with one number changed, by means of its own."""
    if name == "query_cost":
        query = costs.query.copy()
        query[module] = value
        return chosen, belief, replace(costs, query=query)
    if name == "confidence":
        rows = list(belief.chances)
        rows[module] = (*rows[module][:-1], value)
        return chosen, replace(belief, chances=tuple(rows)), costs
    if name == "w":
        return chosen, belief, replace(costs, w=value)
    return chosen.with_parameter(name, value), belief, costs


def start_of(name: str, chosen: Strategy, belief: Belief, costs: Costs, module: int) -> float:
    numbers = {"query_cost": costs.query[module], "confidence": belief.confidences[module], "w": costs.w}
    return float({**numbers, **chosen.parameters(costs)}[name])


@pytest.mark.parametrize("method", METHODS)
@share_of_examples(0.25)
@given(
    data=st.data(),
    graph=st.one_of(
        st.lists(uncertain, min_size=1, max_size=4).map(chain_of),
        module_lists(most=4, confidence=uncertain).map(ModuleGraph),
        st.just(GATES),
    ),
    w=st.floats(0.05, 0.95),
    failed=st.booleans(),
)
def test_the_decision_differs_just_beyond_and_not_just_before_what_is_reported(
    method: str, data: st.DataObject, graph: ModuleGraph, w: float, failed: bool
) -> None:
    belief = Belief.of(graph).after_execution(False) if failed else Belief.of(graph)
    costs, chosen = Costs.of(graph.query_costs, w=w), strategy(method)
    decision, found = flips(chosen, belief, costs)
    module = 0 if found.module is None else graph.index(found.module)
    numbers = {"query_cost": found.query_cost, "confidence": found.confidence, "w": found.w, **found.parameters}
    numbers.pop("epsilon", None)  # may be a critical value of the rule, where no decision changes
    for name, value in numbers.items():
        if value is None:
            continue
        start = start_of(name, chosen, belief, costs, module)
        step = max(1e-9, 1e-7 * abs(value)) * (1.0 if value >= start else -1.0)

        def differs(at: float, name: str = name) -> bool:
            problem = with_number(name, _inside(name, at), chosen, belief, costs, module)
            return not problem[0].decide(problem[1], problem[2], 0.0).same_choice(decision)

        if abs(value - start) <= 2 * abs(step):
            assert differs(value + step) or differs(value - step), f"{name} at {value}, where it stands"
        else:
            assert differs(value + step), f"{name} beyond {value}"
            assert not differs(value - step), f"{name} before {value}"


def _inside(name: str, value: float) -> float:
    """Beyond the border, within the range of the number."""
    high = 1.0 if name in {"confidence", "w", "tau"} else float("inf")
    return min(max(value, 0.0), high)
