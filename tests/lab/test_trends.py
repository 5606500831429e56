"""The trends that the paper's figures show reappear in the replica of its code, by the paper's own statistics."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from handup.lab.cell import Cell, Structure, WorldKind
from handup.lab.episodes import Episodes, MetricMeasure
from handup.lab.simulate import simulate

GOOD = ("confidence", "brute-force", "graph")
SEPARATE_TO_CLOSE = ((1.0, 0.1), (0.9, 0.2), (0.8, 0.3), (0.7, 0.4))


@cache
def lived(method: str, **settings: Any) -> Episodes:
    return simulate(Cell(world=WorldKind.REPLICA, method=method, episodes=600, seed=3, **settings))


def median(metric: str, method: str, **settings: Any) -> float:
    return MetricMeasure.of(lived(method, **settings).metric(metric)).median


def task_cost(method: str, **settings: Any) -> float:
    return float(lived(method, **settings).metric("task_cost").mean())


@pytest.mark.parametrize("modules", [5, 10, 25, 100])
@pytest.mark.parametrize("what", GOOD)
def test_fig_7_selectors_do_not_notice_the_number_of_modules(what: str, modules: int) -> None:
    method = f"{what}+workload-aware"
    assert task_cost(method, modules=modules) == 0.0
    assert median("query_cost", method, modules=modules) == pytest.approx(0.96)
    assert median("timesteps", method, modules=modules) == 4.0


@pytest.mark.parametrize("modules", [5, 10, 25, 100])
def test_fig_7_who_does_not_ask_by_confidence_gets_slower_with_every_module(modules: int) -> None:
    assert median("timesteps", "never+workload-aware", modules=modules) == 2 * modules


def test_fig_8_order_of_the_querying_algorithms() -> None:
    failed = [
        median("failed_attempts", f"graph+{when}")
        for when in ("execute-first", "query-then-execute", "until-confident", "workload-aware")
    ]
    assert failed == [3.0, 2.0, 0.0, 0.0]


def test_fig_8_all_or_needs_little_help() -> None:
    never = {each: median("failed_attempts", "never+workload-aware", structure=each) for each in Structure}
    assert never[Structure.OR] == 0.0
    assert never[Structure.AND] == never[Structure.OR_THEN_AND] == 20.0
    alone = {each: task_cost("never+workload-aware", structure=each) for each in Structure}
    assert alone[Structure.OR] + 0.3 < alone[Structure.AND_THEN_OR] < alone[Structure.AND]


@pytest.mark.parametrize("what", GOOD)
def test_fig_9_the_closer_the_confidences_the_more_is_lost(what: str) -> None:
    costs = [task_cost(f"{what}+workload-aware", confidences=each) for each in SEPARATE_TO_CLOSE]
    assert costs[0] == 0.0
    assert all(after > before + 0.1 for before, after in pairwise(costs))


@pytest.mark.parametrize("confidences", SEPARATE_TO_CLOSE[1:])
def test_fig_9_until_confident_bears_close_confidences_best(confidences: tuple[float, float]) -> None:
    steady = task_cost("graph+until-confident", confidences=confidences)
    for when in ("execute-first", "workload-aware"):
        assert steady < task_cost(f"graph+{when}", confidences=confidences)


@pytest.mark.parametrize("cost", [0.08, 0.16, 0.64])
@pytest.mark.parametrize("what", GOOD)
def test_fig_10_dearer_questions_are_asked_all_the_same(what: str, cost: float) -> None:
    method = f"{what}+workload-aware"
    assert median("timesteps", method, query_cost=cost) == 4.0
    assert median("query_cost", method, query_cost=cost) == pytest.approx(3 * cost)


@pytest.mark.parametrize("what", GOOD)
def test_fig_11_the_worse_the_answers_the_more_is_lost(what: str) -> None:
    costs = [task_cost(f"{what}+workload-aware", expert=each) for each in (1.0, 0.8, 0.6, 0.4)]
    assert costs == sorted(costs)
    assert costs[0] == 0.0
    assert costs[-1] > 0.9


def test_fig_12_knowing_costs_helps_where_confidences_overlap_and_costs_differ() -> None:
    def gap(confidences: tuple[float, float], beta: float) -> float:
        settings = {"confidences": confidences, "beta": beta}
        return task_cost("confidence+workload-aware", **settings) - task_cost("graph+workload-aware", **settings)

    gaps = {(each, beta): gap(each, beta) for each in SEPARATE_TO_CLOSE for beta in (0.0, 0.2, 0.4, 0.6)}
    assert min(gaps.values()) > -0.01
    assert gaps[(0.7, 0.4), 0.6] > gaps[(0.7, 0.4), 0.2] > 0.05
    assert gaps[(0.7, 0.4), 0.6] > gaps[(0.8, 0.3), 0.6] > gaps[(0.9, 0.2), 0.6] - 0.01
