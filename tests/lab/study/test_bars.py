"""When an order and a bar are told: by the test, by the interval, and never against the mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.lab.study.bars import LEAST_TOLD, verdict, worst
from handup.lab.study.claim import Verdict
from handup.lab.study.paired import ALPHA, Vector, difference

MANY_WIN_FEW_LOSE = np.array([*np.linspace(0.5, 1.5, 40), -60.0, -80.0])
"""Forty people gain about a second each, and two lose more than all of them gain."""


def told(gap: Vector, *, sign: float = 1.0, alike: float = 0.1) -> Verdict:
    """Of an order alone in its family."""
    found = difference(gap, np.zeros(len(gap)))
    return verdict(found, found.p, sign=sign, by=0.0, alike=alike)


def test_where_ranks_say_more_and_the_mean_says_less_nothing_is_told() -> None:
    found = difference(MANY_WIN_FEW_LOSE, np.zeros(len(MANY_WIN_FEW_LOSE)))
    assert found.p < ALPHA
    assert found.ranks == 1
    assert found.mean < 0.0
    assert told(MANY_WIN_FEW_LOSE, sign=1.0) is told(MANY_WIN_FEW_LOSE, sign=-1.0) is Verdict.OPEN


def test_where_both_say_the_same_it_is_told() -> None:
    gains = MANY_WIN_FEW_LOSE[:40]
    assert told(gains, sign=1.0) is told(-gains, sign=-1.0) is Verdict.HOLDS
    assert told(gains, sign=-1.0) is told(-gains, sign=1.0) is Verdict.FAILS


def test_a_mean_of_nothing_is_on_no_side() -> None:
    even = np.array([1.0] * 40 + [-40.0])
    assert even.mean() == 0.0
    assert difference(even, np.zeros(41)).p < ALPHA
    assert told(even) is Verdict.OPEN


def test_without_a_clear_test_the_interval_tells_only_that_two_are_alike() -> None:
    alike = np.tile([0.01, -0.01], 20)
    assert told(alike, alike=0.1) is Verdict.FAILS
    assert told(alike, alike=0.001) is Verdict.OPEN
    assert told(np.ones(LEAST_TOLD - 1)) is Verdict.OPEN, "too few"


@pytest.mark.parametrize(("by", "expected"), [(0.5, Verdict.HOLDS), (1.0, Verdict.OPEN), (1.5, Verdict.FAILS)])
def test_a_bar_is_told_by_its_interval_alone(by: float, expected: Verdict) -> None:
    gap = np.linspace(0.8, 1.2, 40)
    found = difference(gap, np.zeros(40))
    assert verdict(found, None, sign=1.0, by=by, alike=0.1) is expected


@given(st.lists(st.integers(-50, 50), min_size=LEAST_TOLD, max_size=30), st.sampled_from((1.0, -1.0)))
def test_what_holds_is_true_of_the_mean_and_of_the_ranks(numbers: list[int], sign: float) -> None:
    gap = np.array(numbers, dtype=np.float64)
    found = difference(gap, np.zeros(len(gap)))
    if told(gap, sign=sign) is Verdict.HOLDS:
        assert sign * found.mean > 0.0
        assert sign * found.ranks > 0.0


def test_a_claim_is_as_good_as_the_worst_of_its_comparisons() -> None:
    assert worst((Verdict.HOLDS, Verdict.OPEN)) is Verdict.OPEN
    assert worst((Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN)) is Verdict.FAILS
