"""Paired statistics and repeated measures, against scipy, a textbook, least squares and counting every case."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from handup.confidence.metrics import wilson
from handup.core import BadSetting
from handup.lab.engine import stats as ours
from handup.lab.engine.stats import MOST_EXACT, Vector, difference, holm, newcombe, ratio, shares, wilcoxon


def counted(differences: list[float]) -> float:
    """The definition: of all ways to sign the ranks, the share whose sum is as far from the middle."""
    kept = np.array([each for each in differences if each != 0.0])
    if not len(kept):
        return 1.0
    ranks = stats.rankdata(np.abs(kept))
    middle = ranks.sum() / 2.0
    seen = abs(ranks[kept > 0.0].sum() - middle)
    far = [abs(float(np.dot(signs, ranks)) - middle) >= seen - 1e-9 for signs in product((0, 1), repeat=len(ranks))]
    return float(np.mean(far))


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_wilcoxon_is_what_counting_every_sign_gives_with_ties_and_zeros(numbers: list[int]) -> None:
    halves = [each / 2.0 for each in numbers]
    assert wilcoxon(halves) == pytest.approx(counted(halves), abs=1e-12)


def test_wilcoxon_is_scipys_where_there_are_no_ties_and_of_very_many_the_normal_one() -> None:
    plain = np.random.default_rng(1).normal(0.3, 1.0, 48)
    assert wilcoxon(plain) == pytest.approx(stats.wilcoxon(plain, method="exact").pvalue, rel=1e-9)
    values = np.round(np.random.default_rng(2).normal(0.12, 1.0, MOST_EXACT + 60), 1)
    kept = values[values != 0.0]
    assert len(kept) > MOST_EXACT
    assert wilcoxon(values) == pytest.approx(stats.wilcoxon(kept, correction=True, method="approx").pvalue)
    fewer = kept[:MOST_EXACT]
    normal = stats.wilcoxon(fewer, correction=True, method="approx").pvalue
    assert wilcoxon(fewer) == pytest.approx(normal, rel=0.05)


def test_rounding_breaks_no_ties_and_makes_no_differences() -> None:
    third = 1.0 / 3.0
    assert wilcoxon([0.1 + 0.2 - 0.3] * 6) == 1.0
    assert wilcoxon([third, 1.0 - 2.0 * third, third, third]) == counted([1.0, 1.0, 1.0, 1.0])


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_ranks_lean_to_the_side_on_which_more_of_them_are(numbers: list[int]) -> None:
    kept = np.array([each for each in numbers if each], dtype=np.float64)
    ranks = stats.rankdata(np.abs(kept))
    assert ours.leaning(numbers) == np.sign(ranks[kept > 0.0].sum() - ranks[kept < 0.0].sum())


@given(st.lists(st.floats(0.0, 1.0), max_size=8))
def test_holm_is_the_largest_rejection_that_steps_down(given_p: list[float]) -> None:
    corrected = holm(given_p)
    for alpha in (0.01, 0.05, 0.3):
        rejected = set()
        for rank, position in enumerate(sorted(range(len(given_p)), key=lambda each: given_p[each])):
            if given_p[position] * (len(given_p) - rank) > alpha:
                break
            rejected.add(position)
        assert {position for position, p in enumerate(corrected) if p <= alpha} == rejected


def test_an_interval_over_participants_is_scipys_bootstrap_up_to_chance() -> None:
    values = np.random.default_rng(3).exponential(2.0, 60)
    found = ours.mean(values)
    other = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=4000, random_state=4)
    assert found.value == pytest.approx(values.mean())
    assert found.ci == pytest.approx((other.confidence_interval.low, other.confidence_interval.high), abs=0.08)


def test_a_share_is_of_sums_and_resamples_without_a_whole_say_nothing_of_it() -> None:
    none = ratio(np.zeros(3), np.zeros(3))
    assert (none.value, none.ci) == (0.0, (0.0, 0.0))
    two_of_five = np.array([4.0, 4.0, 0.0, 0.0, 0.0])
    found = ratio(np.array([4.0, 2.0, 0.0, 0.0, 0.0]), two_of_five)
    assert (found.value, found.ci) == (0.75, (0.5, 1.0))


def test_a_difference_counts_who_has_more() -> None:
    found = difference(np.array([2.0, 3.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0, 2.0]))
    assert (found.more, found.less, found.same) == (2, 1, 1)
    assert found.mean == pytest.approx(0.5)
    assert found.ci[0] <= 0.5 <= found.ci[1]
    assert found.p == pytest.approx(counted([1.0, 2.0, 0.0, -1.0]))
    assert found.ranks == 1
    assert set(found.to_json()) == {"mean", "ci", "more", "less", "same", "p"}, "records are as they were"


def pairs(both: int, one: int, other: int, neither: int) -> tuple[Vector, Vector]:
    """So many pairs in which it came true for both, only for the one, only for the other, and for neither."""
    first = [1.0] * (both + one) + [0.0] * (other + neither)
    second = [1.0] * both + [0.0] * one + [1.0] * other + [0.0] * neither
    return np.array(first), np.array(second)


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        ((36, 12, 2, 0), 0.0569, 0.3404),  # Newcombe 1998, method 10
        ((1, 1, 7, 12), -0.507, -0.026),  # airways of children, Bentur and others 2009
    ],
)
def test_a_paired_difference_of_shares_is_the_textbooks(
    table: tuple[int, int, int, int], low: float, high: float
) -> None:
    ones, others = pairs(*table)
    assert newcombe(ones, others) == pytest.approx((low, high), abs=6e-4)
    assert newcombe(others, ones) == pytest.approx((-high, -low), abs=6e-4)


@pytest.mark.parametrize("hits", [150, 75, 0])
def test_equal_pairs_leave_doubt(hits: int) -> None:
    given = pairs(hits, 0, 0, 150 - hits)
    assert difference(*given).ci == (0.0, 0.0)
    low, high = shares(*given).ci
    assert low < -0.01 < 0.01 < high


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_the_interval_of_shares_is_nowhere_narrower_than_either(thirds: list[tuple[int, int]]) -> None:
    ones, others = np.array(thirds).T / 3.0
    low, high = shares(ones, others).ci
    for least, most in (difference(ones, others).ci, newcombe(ones, others)):
        assert low <= least <= most <= high
    assert low <= ones.mean() - others.mean() <= high


def test_means_of_several_trials_are_taken_for_uncorrelated() -> None:
    thirds = np.array([1.0, 2 / 3, 1.0, 1 / 3] * 25)
    low, high = newcombe(thirds, thirds)
    least, most = wilson(75.0, 100)
    assert (low, high) == pytest.approx((-np.hypot(0.75 - least, most - 0.75), np.hypot(most - 0.75, 0.75 - least)))
    assert shares(np.array([]), np.array([])).units == 0


TEXTBOOK = np.array(
    [[8, 9, 6, 5, 8, 7, 10, 12], [7, 5, 2, 3, 4, 5, 2, 6], [1, 2, 3, 1, 5, 6, 7, 8], [6, 5, 8, 9, 8, 7, 2, 1]]
).T.astype(float)
"""Field, Discovering Statistics: eight people, four foods; F(3, 21) = 3.79, ε = .533, F(1.60, 11.19), p = .063."""


def one_way(values: np.ndarray) -> ours.FactorEffect:
    """The effect of one factor: that of the first, where the second makes no difference."""
    return ours.two_way(np.stack([values, values], axis=2))[0]


def test_a_textbook_example() -> None:
    found = one_way(TEXTBOOK)
    assert found.f == pytest.approx(3.794, abs=5e-4)
    assert found.epsilon == pytest.approx(0.533, abs=5e-4)
    assert found.df == pytest.approx((1.599, 11.190), abs=5e-4)
    assert found.p == pytest.approx(0.063, abs=5e-4)


def dummies(codes: np.ndarray) -> np.ndarray:
    """Levels against the first one, adding up to 0, so that terms do not overlap."""
    table = np.eye(codes.max() + 1)
    return np.asarray((table[:, 1:] - table[:, :1])[codes])


def crossed(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("ri,rj->rij", left, right).reshape(len(left), -1))


def unexplained(y: np.ndarray, *parts: np.ndarray) -> float:
    design = np.column_stack([np.ones(len(y)), *parts])
    return float(np.sum((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2))


def by_least_squares(values: np.ndarray) -> list[float]:
    """F of both factors and of both together, from what dummy variables leave unexplained."""
    n, a, b = values.shape
    who, first, second = (dummies(each.ravel()) for each in np.indices(values.shape))
    y = values.ravel()
    sizes = {"a": a - 1, "b": b - 1, "ab": (a - 1) * (b - 1)}
    terms = {"a": first, "b": second, "ab": crossed(first, second)}
    found = []
    for name, term in terms.items():
        others = [each for other, each in terms.items() if other != name]
        everything = [who, *terms.values(), *(crossed(who, each) for other, each in terms.items() if other != name)]
        effect = unexplained(y, who, *others) - unexplained(y, who, *terms.values())
        left = unexplained(y, *everything) - unexplained(y, *everything, crossed(who, term))
        found.append((effect / sizes[name]) / (left / (sizes[name] * (n - 1))))
    return found


@given(st.integers(0, 2**32 - 1), st.integers(4, 7), st.integers(2, 4), st.integers(2, 3))
def test_two_factors_agree_with_least_squares(seed: int, units: int, first: int, second: int) -> None:
    chance = np.random.default_rng(seed)
    values = chance.normal(size=(units, first, second)) + chance.normal(size=(units, 1, 1))
    values += chance.normal(size=(1, first, 1)) + chance.normal(size=(1, first, second))
    effects = ours.two_way(values)
    assert [each.f for each in effects] == pytest.approx(by_least_squares(values), rel=1e-6)
    for each, size in zip(effects, (first - 1, second - 1, (first - 1) * (second - 1)), strict=True):
        assert 1.0 / size - 1e-9 <= each.epsilon <= 1.0 + 1e-9
        assert each.df == pytest.approx((each.epsilon * size, each.epsilon * size * (units - 1)))


def test_levels_that_are_all_the_same_have_no_effect() -> None:
    who = np.arange(5.0)[:, None] * np.ones((5, 3))
    assert one_way(who).p == 1.0
    assert one_way(who + np.array([0.0, 1.0, 2.0])).p == 0.0


@pytest.mark.parametrize(
    "wrong", [np.zeros((2, 3, 2)), np.zeros((5, 1, 2)), np.full((5, 3, 2), np.nan), np.zeros((5, 2))]
)
def test_what_is_too_little_is_refused(wrong: np.ndarray) -> None:
    with pytest.raises(BadSetting):
        ours.two_way(wrong)
