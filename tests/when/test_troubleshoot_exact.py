"""With a true expert, `troubleshoot` values every first step as brute force does, wherever an episode stands."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action
from handup.policy import Gate, Module, ModuleGraph
from handup.when import Troubleshoot
from handup.when.plan.problem import PlanProblem, Values
from handup.when.troubleshoot import plan
from tests.make import chain_of
from tests.oracles.pomdp import Pomdp
from tests.strategies import module_lists, query_costs, share_of_examples, uncertain
from tests.when.episodes import Moment, pomdp_of, random_graph

NEAR = 1e-9

weights = st.sampled_from((0.5, 0.5, 0.0, 1.0)) | st.floats(0.0, 1.0)
confidences = uncertain | st.sampled_from((0.0, 0.5, 1.0))
durations = st.sampled_from((1.0, 0.5, 2.0, 3.0)) | st.floats(0.1, 5.0)


@st.composite
def chains(draw: st.DrawFn) -> ModuleGraph:
    """Two to four modules that are all needed."""
    pairs = draw(st.lists(st.tuples(confidences, query_costs), min_size=2, max_size=4))
    return chain_of([confidence for confidence, _ in pairs], [cost for _, cost in pairs])


@st.composite
def gate_graphs(draw: st.DrawFn) -> ModuleGraph:
    """One to four modules under any gates."""
    return ModuleGraph(draw(module_lists(most=4, confidence=confidences)))


policies = chains() | gate_graphs()


@st.composite
def moments(draw: st.DrawFn, graph: ModuleGraph, pomdp: Pomdp) -> Moment:
    """The start of an episode, or any moment that failures and answers can lead to."""
    moment = Moment.start(graph, pomdp)
    for _ in range(draw(st.integers(0, 4))):
        module = draw(st.none() | st.integers(0, len(graph) - 1))
        if module is None:
            chance, then = moment.after_failure(pomdp)
        else:
            chance, then = moment.after_answer(pomdp, module, draw(st.booleans()))
        if then is None or chance < 1e-4 or then.left <= NEAR:
            break
        moment = then
    return moment


def planned(moment: Moment, pomdp: Pomdp, askable: tuple[bool, ...] | None = None) -> Values:
    allowed = ~moment.belief.answered if askable is None else ~moment.belief.answered & np.array(askable)
    return plan(PlanProblem(moment.belief, moment.costs(pomdp), allowed))


def compare(values: Values, pomdp: Pomdp, moment: Moment) -> None:
    """Every value that is reported is the optimum's after that first step."""
    assert values.exact
    assert values.give_up == pytest.approx((1 - pomdp.w) * moment.left, abs=NEAR)
    fail = float(pomdp.after_failure(moment.vector).sum())
    if math.isinf(values.act):
        assert fail >= 1.0 - 2 * NEAR, "only acting that is sure to fail has no value"
    else:
        assert values.act == pytest.approx(pomdp.act_value(moment.vector, moment.left), abs=NEAR)
    for module, value in enumerate(values.ask.tolist()):
        if not math.isnan(value):
            assert value == pytest.approx(pomdp.ask_value(moment.vector, moment.left, module), abs=NEAR), module
    best = min(values.act, values.give_up, float(np.nanmin(values.ask, initial=math.inf)))
    assert best == pytest.approx(pomdp.value(moment.vector, moment.left), abs=NEAR), "nothing better was left out"


@given(graph=chains(), w=weights, horizon=st.none() | st.integers(1, 9))
def test_chains_from_the_start(graph: ModuleGraph, w: float, horizon: int | None) -> None:
    pomdp = pomdp_of(graph, w=w, horizon=horizon)
    start = Moment.start(graph, pomdp)
    values = planned(start, pomdp)
    assert values.planner == "series"
    compare(values, pomdp, start)


@given(graph=gate_graphs(), w=weights, horizon=st.none() | st.integers(1, 9))
def test_gate_graphs_from_the_start(graph: ModuleGraph, w: float, horizon: int | None) -> None:
    pomdp = pomdp_of(graph, w=w, horizon=horizon)
    start = Moment.start(graph, pomdp)
    compare(planned(start, pomdp), pomdp, start)


@given(data=st.data(), graph=policies, w=weights, horizon=st.none() | st.integers(1, 9))
def test_in_the_middle_of_an_episode(data: st.DataObject, graph: ModuleGraph, w: float, horizon: int | None) -> None:
    pomdp = pomdp_of(graph, w=w, horizon=horizon)
    moment = data.draw(moments(graph, pomdp))
    compare(planned(moment, pomdp), pomdp, moment)


@given(data=st.data(), graph=policies, w=weights, horizon=st.floats(0.5, 15.0), act_time=durations)
def test_time_in_seconds_with_unequal_durations(
    data: st.DataObject, graph: ModuleGraph, w: float, horizon: float, act_time: float
) -> None:
    ask_time = tuple(data.draw(durations) for _ in range(len(graph)))
    pomdp = pomdp_of(graph, w=w, horizon=horizon, act_time=act_time, ask_time=ask_time)
    moment = data.draw(moments(graph, pomdp))
    compare(planned(moment, pomdp), pomdp, moment)


@share_of_examples(0.5)
@given(data=st.data(), graph=policies)
def test_questions_that_take_no_time(data: st.DataObject, graph: ModuleGraph) -> None:
    pomdp = pomdp_of(graph, ask_time=(0.0,) * len(graph))
    moment = data.draw(moments(graph, pomdp))
    compare(planned(moment, pomdp), pomdp, moment)


@given(data=st.data(), graph=policies, w=weights)
def test_with_modules_that_may_not_be_asked_about(data: st.DataObject, graph: ModuleGraph, w: float) -> None:
    askable = tuple(data.draw(st.booleans()) for _ in range(len(graph)))
    pomdp = pomdp_of(graph, w=w, askable=askable)
    moment = data.draw(moments(graph, pomdp))
    values = planned(moment, pomdp, askable)
    assert all(math.isnan(value) for value, open_ in zip(values.ask, askable, strict=True) if not open_)
    compare(values, pomdp, moment)


@pytest.mark.parametrize("seed", range(6))
def test_five_modules(seed: int) -> None:
    random = np.random.default_rng(seed)
    graph = random_graph(random, 5, series=seed % 2 == 0)
    pomdp = pomdp_of(graph, w=float(random.uniform(0.2, 0.8)))
    start = Moment.start(graph, pomdp)
    compare(planned(start, pomdp), pomdp, start)
    _, failed = start.after_failure(pomdp)
    assert failed is not None
    compare(planned(failed, pomdp), pomdp, failed)


@given(data=st.data(), graph=policies, w=weights)
def test_the_decision_is_a_step_of_least_value(data: st.DataObject, graph: ModuleGraph, w: float) -> None:
    pomdp = pomdp_of(graph, w=w)
    moment = data.draw(moments(graph, pomdp))
    decision = Troubleshoot().decide(moment.belief, moment.costs(pomdp), 0.0)
    chosen = {
        Action.ACT: lambda: pomdp.act_value(moment.vector, moment.left),
        Action.ASK: lambda: pomdp.ask_value(moment.vector, moment.left, graph.index(decision.module or "")),
        Action.YIELD: lambda: (1 - w) * moment.left,
    }[decision.action]()
    assert chosen == pytest.approx(pomdp.value(moment.vector, moment.left), abs=1e-8)


def test_shared_inputs_are_not_taken_for_independent_ones() -> None:
    graph = ModuleGraph(
        [
            Module("camera", 0.6, 0.3),
            Module("left", 0.8, 0.2, ("camera",)),
            Module("right", 0.7, 0.2, ("camera",)),
            Module("grasp", 0.9, 0.4, ("left", "right"), Gate.OR),
        ]
    )
    pomdp = pomdp_of(graph)
    start = Moment.start(graph, pomdp)
    values = planned(start, pomdp)
    assert values.planner == "gates"
    compare(values, pomdp, start)
