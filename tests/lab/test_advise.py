"""Which method is recommended on a policy, who does the same, and how near the choice is to flipping."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import logit

from handup.core import BadSetting
from handup.lab.advise import (
    BASELINES,
    EVERYTHING,
    NEVER,
    SCALES,
    Advice,
    Effort,
    Knob,
    MethodKind,
    Search,
    Setting,
    advise,
    kind_of,
    methods_for,
    moved,
    nearness,
)  # fmt: skip
from handup.lab.batch import EpisodeTerms
from handup.lab.evaluation import Evaluation
from handup.lab.simulate import CachedSelector, simulate_blocks
from handup.lab.world import blocks_of
from handup.policy import Gate, Module, ModuleGraph, load_policy, parse_policy
from handup.when import DEFAULT, methods, strategy
from tests.cli.calls import POLICY
from tests.lab.cells import assert_same, by_session
from tests.make import chain_of

EXAMPLES = Path(__file__).parents[2] / "examples" / "policies"
GATES = parse_policy(POLICY)
SMALL = {
    "bite": load_policy(EXAMPLES / "bite.yaml"),
    "visuo-haptic": load_policy(EXAMPLES / "visuo_haptic.yaml"),
    "gates": GATES,
    "dear questions": chain_of([0.9, 0.7, 0.8], query=3.0),
}
QUICK = Effort(episodes=120, steps=2, halvings=3, decisions=300)


@pytest.fixture(scope="module")
def bite() -> Advice:
    return advise(SMALL["bite"], episodes=1000)


# -- one decision for all episodes of a policy ------------------------------------------------------------------------


@pytest.mark.parametrize("expert", [1.0, 0.8])
@pytest.mark.parametrize("name", ["bite", "visuo-haptic", "gates"])
def test_episodes_in_step_are_those_of_sessions(name: str, expert: float) -> None:
    graph, selectors = SMALL[name], dict[str, CachedSelector]()
    given = list(blocks_of(graph, episodes=10, seed=3, expert=expert))
    terms = EpisodeTerms(expert=expert, w=0.4, horizon=7)
    for method in methods():
        assert_same(
            simulate_blocks(given, strategy(method), terms, selectors), by_session(given, strategy(method), terms)
        )


# -- the ranking ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_the_recommendation_is_that_of_the_exact_averages(name: str) -> None:
    graph = SMALL[name]
    advice = advise(graph, episodes=1000)
    exact = {row.method: Evaluation(strategy=strategy(row.method), graph=graph).run() for row in advice.rows}
    lowest = min(each.objective for each in exact.values())
    assert exact[advice.recommended.method].objective <= lowest + 1e-9
    pairs = [each for row in advice.rows for each in row.methods if kind_of(each) is MethodKind.PAIR]
    best = min(exact[advice.row_of(each).method].objective for each in pairs)
    assert exact[advice.best_pair.method].objective <= best + 1e-9


def test_the_exact_averages_lie_in_or_near_the_intervals(bite: Advice) -> None:
    for row in bite.rows:
        exact = Evaluation(strategy=strategy(row.method), graph=SMALL["bite"]).run()
        for value, measure in ((exact.objective, row.measures["J"]), (exact.recovered, row.measures["success"])):
            half = (measure.ci[1] - measure.ci[0]) / 2.0
            assert abs(value - measure.mean) <= 2.0 * half + 1e-9, row.method


def test_every_method_stands_in_one_row(bite: Advice) -> None:
    found = [method for row in bite.rows for method in row.methods]
    assert sorted(found) == sorted(methods_for(SMALL["bite"]))
    assert {DEFAULT, NEVER, EVERYTHING, "mip+execute-first"} <= set(found)
    means = [row.measures["J"].mean for row in bite.rows]
    assert means == sorted(means)


def test_methods_in_one_row_live_through_identical_episodes(bite: Advice) -> None:
    lived = Setting.of(SMALL["bite"]).live(methods_for(SMALL["bite"]), 1000, 0)
    for row in bite.rows:
        for other in row.same_as:
            assert np.allclose(lived[row.method].objective, lived[other].objective, rtol=0.0, atol=1e-9)
            assert np.array_equal(lived[row.method].questions, lived[other].questions)
    assert "confidence+query-then-execute" in bite.row_of("confidence+until-confident").methods
    assert NEVER in bite.row_of("topo+workload-aware").methods  # no question upstream is worth its cost
    row = bite.row_of("graph+workload-aware")
    gap = lived["graph+workload-aware"].objective - lived[DEFAULT].objective
    assert row.difference.mean == pytest.approx(float(gap.mean())), "differences are paired"
    assert not row.ties
    assert bite.recommended.difference.mean == 0.0


def test_where_nothing_can_fail_and_questions_cost_all_that_never_ask_first_are_one() -> None:
    advice = advise(chain_of([1.0, 1.0]), episodes=20)
    assert advice.recommended.method == DEFAULT
    assert NEVER in advice.recommended.same_as
    assert advice.recommended.measures["J"].mean == 0.0
    assert advice.recommended.measures["success"].mean == 1.0


def test_one_module_is_a_policy_too() -> None:
    advice = advise(chain_of([0.5], query=0.1), episodes=50, horizon=4)
    assert advice.recommended.measures["J"].mean <= advice.row_of(DEFAULT).measures["J"].mean
    assert advice.recommended.measures["success"].mean == 1.0


def test_the_front_is_what_no_other_beats_in_both(bite: Advice) -> None:
    points = {row.method: (row.measures["success"].mean, row.measures["query_cost"].mean) for row in bite.rows}
    for row in bite.rows:
        success, load = points[row.method]
        beaten = any(s >= success and c <= load + 1e-12 and (s, c) != (success, load) for s, c in points.values())
        assert row.on_front is not beaten
    assert bite.row_of(NEVER).on_front


def test_rows_repeat_with_the_seed_and_differ_without() -> None:
    first, again, other = (advise(GATES, episodes=100, seed=seed) for seed in (5, 5, 6))
    assert [row.to_json() for row in first.rows] == [row.to_json() for row in again.rows]
    assert [row.to_json() for row in first.rows] != [row.to_json() for row in other.rows]


def test_mip_is_for_small_policies() -> None:
    assert not any(method.startswith("mip") for method in methods_for(chain_of([0.9] * 13)))
    assert any(method.startswith("mip") for method in methods_for(chain_of([0.9] * 12)))


@pytest.mark.parametrize(
    "given", [{"episodes": 1}, {"expert": 1.5}, {"w": -0.1}, {"w": math.nan}, {"horizon": 0}, {"seed": -1}]
)
def test_bad_numbers_are_refused(given: dict[str, float]) -> None:
    ((name, value),) = given.items()
    with pytest.raises(BadSetting, match=f"{name} (is|must .* got) {value}"):
        advise(GATES, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("w", [0.0, 1.0])
@pytest.mark.parametrize("expert", [0.0, 1.0])
def test_the_ends_of_the_scales_are_simulated_too(w: float, expert: float) -> None:
    advice = advise(chain_of([0.5, 0.6]), w=w, expert=expert, episodes=30)
    near = nearness(advice, effort=Effort(episodes=20, steps=1, halvings=1, decisions=50))
    assert set(near.recommended) == set(Knob)


# -- flips ------------------------------------------------------------------------------------------------------------


def test_a_flip_lies_between_a_value_without_and_one_with_a_better_method(bite: Advice) -> None:
    near = nearness(bite, effort=QUICK)
    search, method = Search(bite, QUICK), bite.best_pair_method
    pairs = [each for each in bite.contenders if kind_of(each) is MethodKind.PAIR]
    sides = 0
    for knob, flip in near.best_pair.items():
        scale = SCALES[knob]
        for value, by, end in (
            (flip.below, flip.below_by, scale.least),
            (flip.above, flip.above_by, scale.most),
        ):
            if value is None:
                continue
            sides += 1
            assert search.better(knob, value, method, pairs) == by
            width = abs(scale.bend(end) - scale.bend(flip.now)) / QUICK.steps / 2**QUICK.halvings
            towards = 1.0 if value < flip.now else -1.0
            inside = scale.unbend(scale.bend(value) + towards * width)
            if inside != pytest.approx(flip.now):
                assert search.better(knob, inside, method, pairs) is None
    assert sides >= 2


def test_with_true_confidences_and_a_true_expert_nobody_takes_over_from_the_optimum(bite: Advice) -> None:
    flips = nearness(bite, effort=Effort(episodes=60, steps=2, halvings=1, decisions=300)).recommended
    for knob in (Knob.QUERY_COST, Knob.W, Knob.CONFIDENCE):
        assert flips[knob].below is None
        assert flips[knob].above is None
        assert flips[knob].range == (SCALES[knob].least, SCALES[knob].most)
    assert flips[Knob.EXPERT].above is None
    assert flips[Knob.EXPERT].range[1] == 1.0


def test_a_method_that_is_worse_already_is_found_so_at_the_first_step(bite: Advice) -> None:
    effort = Effort(episodes=60, steps=1, halvings=1, decisions=300)
    flip = Search(bite, effort).flips(NEVER, [DEFAULT])[Knob.QUERY_COST]
    assert flip.below_by == DEFAULT
    assert flip.below is not None
    assert flip.below < 1.0


def test_the_search_ends_where_decisions_are_too_many(bite: Advice) -> None:
    starved = Effort(episodes=20, steps=2, halvings=1, decisions=1)
    flip = Search(bite, starved).flips(DEFAULT, [NEVER])[Knob.W]
    assert (flip.below, flip.above) == (None, None)
    assert flip.range == (0.5, 0.5)


def test_a_method_that_needs_too_many_decisions_is_left_out() -> None:
    place = Setting.of(GATES)
    assert DEFAULT in place.live([DEFAULT], 30, 0, decisions=1000)
    assert DEFAULT not in place.live([DEFAULT], 30, 0, decisions=2)


def test_moving_a_knob_changes_that_number_alone() -> None:
    place = Setting.of(SMALL["visuo-haptic"])
    dearer = moved(place, Knob.QUERY_COST, 2.0).graph
    assert dearer.query_costs.tolist() == pytest.approx([0.32] * 4)
    assert dearer.confidences.tolist() == place.graph.confidences.tolist()
    assert dearer.success == place.graph.success
    surer = moved(place, Knob.CONFIDENCE, 1.0).graph
    assert logit(surer.confidences) == pytest.approx(logit(place.graph.confidences) + 1.0)
    assert surer.query_costs.tolist() == place.graph.query_costs.tolist()
    assert (moved(place, Knob.W, 0.3).w, moved(place, Knob.EXPERT, 0.7).expert) == (0.3, 0.7)
    certain = ModuleGraph([Module("a", 1.0), Module("b", 0.0, inputs=("a",), gate=Gate.OR)])
    assert moved(Setting.of(certain), Knob.CONFIDENCE, -2.0).graph.confidences.tolist() == [1.0, 0.0]


# -- the paper's three cases, in small --------------------------------------------------------------------------------


def test_bite_acquisition(bite: Advice) -> None:
    """The paper takes graph+workload-aware; on these assumed confidences it repeats failures that nobody asks about."""
    assert bite.recommended.method == DEFAULT
    assert bite.recommended.measures["success"].mean == 1.0
    assert bite.row_of("graph+workload-aware").measures["success"].ci[1] < 0.6
    assert bite.best_pair_method == "confidence+until-confident"


def test_bite_acquisition_with_the_papers_binary_confidences() -> None:
    """At (1, 0.1) the paper's choice is as good as any pair, and ours does the same."""
    advice = advise(chain_of([1.0, 0.1, 1.0, 0.1]), episodes=200)
    assert advice.row_of("graph+workload-aware").ties
    assert "graph+workload-aware" in advice.best_pair.methods


def test_visuo_haptic_feeding() -> None:
    advice = advise(SMALL["visuo-haptic"], episodes=300)
    assert advice.recommended.method == DEFAULT
    assert not advice.row_of("graph+workload-aware").ties
    assert advice.best_pair_method == "mip+execute-first"


def test_a_swarm_of_a_hundred() -> None:
    swarm = load_policy(EXAMPLES / "swarm.yaml")
    assert len(swarm) == 100
    assert all(module.gate is Gate.OR for module in swarm.modules if module.inputs)
    chosen = [DEFAULT, "confidence+until-confident", "confidence+workload-aware", *BASELINES]
    lived = Setting.of(swarm).live(chosen, 16, 0)
    mean = {method: float(found.objective.mean()) for method, found in lived.items()}
    assert min(mean, key=lambda each: mean[each]) == DEFAULT
    assert lived["confidence+until-confident"].recovered.all()
