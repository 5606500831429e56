"""Metrics against scikit-learn and against plain loops; their intervals by simulation."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.confidence.metrics import (
    brier,
    estimates,
    reliability_bins,
    risk_coverage,
    row_losses,
    weighted_aurc,
    weighted_ece,
    wilson,
)

cases = st.lists(st.tuples(st.integers(0, 10).map(lambda tenth: tenth / 10), st.booleans()), min_size=1, max_size=30)


def log_loss(chances: np.ndarray, right: np.ndarray) -> float:
    return float(row_losses(chances, right)["log_loss"].mean())


def ece(chances: np.ndarray, right: np.ndarray) -> float:
    return float(weighted_ece(chances, right, np.ones((1, len(right))))[0])


def aurc(chances: np.ndarray, right: np.ndarray) -> float:
    return float(weighted_aurc(chances, right, np.ones((1, len(right))))[0])


def arrays(rows: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([p for p, _ in rows]), np.array([right for _, right in rows])


def test_brier_and_log_loss_are_scikit_learns() -> None:
    from sklearn.metrics import brier_score_loss
    from sklearn.metrics import log_loss as theirs

    generator = np.random.default_rng(0)
    chances, right = generator.uniform(0.01, 0.99, 200), generator.random(200) < 0.4
    assert brier(chances, right) == pytest.approx(brier_score_loss(right, chances))
    assert log_loss(chances, right) == pytest.approx(theirs(right, chances))


def test_log_loss_of_a_broken_certainty_is_finite() -> None:
    assert log_loss(np.array([1.0]), np.array([False])) == pytest.approx(13.8155, abs=1e-3)


@given(cases)
def test_aurc_is_the_mean_over_all_orders_of_equal_scores(rows: list[tuple[float, bool]]) -> None:
    chances, right = arrays(rows[:6])
    orders = [
        order
        for order in permutations(range(len(chances)))
        if all(chances[a] >= chances[b] for a, b in pairwise(order))
    ]
    areas = [np.mean(np.cumsum(~right[list(order)]) / np.arange(1, len(order) + 1)) for order in orders]
    assert aurc(chances, right) == pytest.approx(np.mean(areas))


@given(cases, st.integers(0, 100))
def test_weights_are_rows_taken_so_often(rows: list[tuple[float, bool]], seed: int) -> None:
    chances, right = arrays(rows)
    weights = np.random.default_rng(seed).multinomial(len(rows), np.full(len(rows), 1 / len(rows)))
    repeated = np.repeat(np.arange(len(rows)), weights)
    area = weighted_aurc(chances, right, weights[None, :].astype(float))[0]
    assert area == pytest.approx(aurc(chances[repeated], right[repeated]))
    error = weighted_ece(chances, right, np.ones((1, len(rows))))[0]
    assert error == pytest.approx(ece(chances, right))


@given(cases, st.integers(0, 100))
def test_no_metric_depends_on_the_order_of_rows(rows: list[tuple[float, bool]], seed: int) -> None:
    chances, right = arrays(rows)
    mixed = np.random.default_rng(seed).permutation(len(rows))
    for metric in (brier, log_loss, ece, aurc):
        assert metric(chances[mixed], right[mixed]) == pytest.approx(metric(chances, right))


def test_bins_hold_equal_mass_and_the_calibration_error_is_their_mean_gap() -> None:
    generator = np.random.default_rng(3)
    chances = generator.random(200)
    right = generator.random(200) < chances
    bins = reliability_bins(chances, right)
    assert [each.n for each in bins] == [20] * 10
    gaps = sum(each.n * abs(each.said - each.happened) for each in bins) / 200
    assert ece(chances, right) == pytest.approx(gaps)
    assert len(reliability_bins(chances[:30], right[:30])) == 5, "six rows to a bin at least"
    assert len(reliability_bins(np.full(60, 0.7), right[:60])) == 1, "equal probabilities stay together"


def test_the_risk_coverage_curve_ends_at_the_error_rate() -> None:
    chances, right = np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, False, True, False])
    coverage, risk = risk_coverage(chances, right)
    assert coverage.tolist() == [0.25, 0.75, 1.0]
    assert risk.tolist() == pytest.approx([0.0, 1 / 3, 0.5])


def test_wilson_is_scipys() -> None:
    from scipy.stats import binomtest

    for hits, count in ((0, 10), (3, 10), (10, 10), (50, 120)):
        theirs = binomtest(hits, count).proportion_ci(method="wilson")
        assert wilson(hits, count) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_intervals_hold_their_value_and_are_the_same_for_a_seed() -> None:
    generator = np.random.default_rng(5)
    chances = generator.random((2, 80))
    right = generator.random(80) < chances.mean(axis=0)
    found = estimates(chances, right, seed=3)
    assert found == estimates(chances, right, seed=3)
    assert set(found) == {"accuracy", "brier", "log_loss", "ece", "aurc"}
    for each in found.values():
        assert each.ci[0] <= each.value <= each.ci[1]
        assert each.ci[0] < each.ci[1]


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    generator = np.random.default_rng(8)
    misses = {"brier": 0, "accuracy": 0, "ece": 0}
    for draw in range(100):
        chances = generator.random(150)
        right = generator.random(150) < chances
        found = estimates(chances, right, seed=draw)
        truth = {"brier": 1 / 6, "accuracy": 0.5, "ece": 0.0}
        for name in misses:
            misses[name] += not found[name].ci[0] <= truth[name] <= found[name].ci[1]
    assert all(count <= 13 for count in misses.values()), misses
