"""Repeated measures against a textbook's numbers and against least squares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from handup.core import BadSetting
from handup.lab.study.anova import one_way, two_way

TEXTBOOK = np.array(
    [[8, 9, 6, 5, 8, 7, 10, 12], [7, 5, 2, 3, 4, 5, 2, 6], [1, 2, 3, 1, 5, 6, 7, 8], [6, 5, 8, 9, 8, 7, 2, 1]]
).T.astype(float)
"""Field, Discovering Statistics: eight people, four foods; F(3, 21) = 3.79, ε = .533, F(1.60, 11.19), p = .063."""


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
    effects = two_way(values)
    assert [each.f for each in effects] == pytest.approx(by_least_squares(values), rel=1e-6)
    for each, size in zip(effects, (first - 1, second - 1, (first - 1) * (second - 1)), strict=True):
        assert 1.0 / size - 1e-9 <= each.epsilon <= 1.0 + 1e-9
        assert each.df == pytest.approx((each.epsilon * size, each.epsilon * size * (units - 1)))


def test_two_levels_are_a_paired_t_test() -> None:
    values = np.random.default_rng(3).normal(size=(9, 2)) + np.array([0.0, 0.7])
    found, t = one_way(values), stats.ttest_rel(values[:, 0], values[:, 1])
    assert (found.f, found.p) == pytest.approx((t.statistic**2, t.pvalue))
    assert found.epsilon == pytest.approx(1.0)


def test_levels_that_are_all_the_same_have_no_effect() -> None:
    who = np.arange(5.0)[:, None] * np.ones((5, 3))
    assert one_way(who).p == 1.0
    assert one_way(who + np.array([0.0, 1.0, 2.0])).p == 0.0


@pytest.mark.parametrize("wrong", [np.zeros((2, 3)), np.zeros((5, 1)), np.full((5, 3), np.nan), np.zeros((5, 2, 2))])
def test_what_is_too_little_is_refused(wrong: np.ndarray) -> None:
    with pytest.raises(BadSetting):
        one_way(wrong)
