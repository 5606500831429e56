"""What rows say: metrics, quartiles, and intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from handup.confidence.metrics import wilson
from handup.lab.episodes import METRICS, Episodes, MetricMeasure, student

ROWS = Episodes(
    recovered=np.array([True, True, False, True]),
    load=np.array([0.0, 0.32, 0.64, 0.0]),
    questions=np.array([0, 1, 2, 0]),
    executions=np.array([1, 2, 4, 3]),
    objective=np.array([0.0, 1.16, 3.32, 1.0]),
)


def test_the_metrics_of_the_paper() -> None:
    assert METRICS == ("task_cost", "query_cost", "failed_attempts", "timesteps", "J")
    assert ROWS.metric("task_cost").tolist() == [0, 0, 1, 0]
    assert ROWS.metric("query_cost").tolist() == [0.0, 0.32, 0.64, 0.0]
    assert ROWS.metric("failed_attempts").tolist() == [0, 1, 4, 2]
    assert ROWS.metric("timesteps").tolist() == [1, 3, 6, 3]
    assert ROWS.metric("J").tolist() == [0.0, 1.16, 3.32, 1.0]


def test_a_metric_that_does_not_exist_is_not_made_up() -> None:
    with pytest.raises(KeyError):
        ROWS.metric("time")


def test_parts_are_joined_in_order() -> None:
    joined = Episodes.joined([ROWS, ROWS])
    assert len(joined) == 8
    for name in METRICS:
        assert joined.metric(name).tolist() == [*ROWS.metric(name), *ROWS.metric(name)]


def test_the_summary_has_every_metric_and_wilson_only_for_the_share() -> None:
    summary = ROWS.summary()
    assert tuple(summary) == METRICS
    assert summary["task_cost"].ci == wilson(1.0, 4)
    for name in METRICS[1:]:
        assert summary[name].ci == student(ROWS.metric(name)), name


def test_a_measure_as_a_record() -> None:
    measure = MetricMeasure.of(np.array([5.0, 1.0, 3.0, 2.0, 4.0]))
    low, high = student(np.array([5.0, 1.0, 3.0, 2.0, 4.0]))
    assert measure.to_json() == {"mean": 3.0, "ci": [low, high], "median": 3.0, "q1": 2.0, "q3": 4.0}


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30))
def test_students_interval_is_scipys(values: list[float]) -> None:
    array = np.array(values)
    scale = stats.sem(array)
    if scale == 0.0:
        assert student(array) == (array.mean(), array.mean())
    else:
        assert student(array) == pytest.approx(stats.t.interval(0.95, len(array) - 1, array.mean(), scale), abs=1e-9)


def test_one_value_has_no_width() -> None:
    assert student(np.array([0.7])) == (0.7, 0.7)


@given(st.integers(1, 500), st.floats(0.0, 1.0))
def test_wilsons_interval_is_scipys_and_holds_the_share(count: int, part: float) -> None:
    right = round(part * count)
    low, high = wilson(right, count)
    known = stats.binomtest(right, count).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((known.low, known.high), abs=1e-12)
    assert 0.0 <= low <= right / count + 1e-12
    assert right / count - 1e-12 <= high <= 1.0
