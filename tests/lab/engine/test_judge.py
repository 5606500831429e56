"""Rule 1: when an order and a bar are told, corrected within their family, by the worst of a claim's comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadSetting
from handup.lab.engine import Bar, Claim, Note, Study, Verdict
from handup.lab.engine.judge import LEAST_TOLD, JudgedClaim, verdict
from handup.lab.engine.stats import ALPHA, Vector, difference
from tests.lab.engine.made_up import results, study

MANY_WIN_FEW_LOSE = np.array([*np.linspace(0.5, 1.5, 40), -60.0, -80.0])
"""Forty people gain about a second each, and two lose more than all of them gain."""


def told(gap: Vector, *, sign: float = 1.0, alike: float = 0.1) -> Verdict:
    """Of an order alone in its family."""
    found = difference(gap, np.zeros(len(gap)))
    return verdict(found, found.p, sign=sign, by=0.0, alike=alike)


def test_an_order_is_told_where_ranks_and_mean_say_the_same_and_not_where_they_do_not() -> None:
    found = difference(MANY_WIN_FEW_LOSE, np.zeros(len(MANY_WIN_FEW_LOSE)))
    assert found.p < ALPHA
    assert found.ranks == 1
    assert found.mean < 0.0
    assert told(MANY_WIN_FEW_LOSE, sign=1.0) is told(MANY_WIN_FEW_LOSE, sign=-1.0) is Verdict.OPEN

    even = np.array([1.0] * 40 + [-40.0])
    assert difference(even, np.zeros(41)).p < ALPHA
    assert told(even) is Verdict.OPEN, "a mean of nothing is on no side"
    gains = MANY_WIN_FEW_LOSE[:40]
    assert told(gains, sign=1.0) is told(-gains, sign=-1.0) is Verdict.HOLDS
    assert told(gains, sign=-1.0) is told(-gains, sign=1.0) is Verdict.FAILS


def test_without_a_clear_test_the_interval_tells_only_that_two_are_alike() -> None:
    alike = np.tile([0.01, -0.01], 20)
    assert told(alike, alike=0.1) is Verdict.FAILS
    assert told(alike, alike=0.001) is Verdict.OPEN
    assert told(np.ones(LEAST_TOLD - 1)) is Verdict.OPEN, "too few"


def test_a_bar_is_told_by_its_interval_alone() -> None:
    found = difference(np.linspace(0.8, 1.2, 40), np.zeros(40))
    told = [verdict(found, None, sign=1.0, by=by, alike=0.1) for by in (0.5, 1.0, 1.5)]
    assert told == [Verdict.HOLDS, Verdict.OPEN, Verdict.FAILS]


@given(st.lists(st.integers(-50, 50), min_size=LEAST_TOLD, max_size=30), st.sampled_from((1.0, -1.0)))
def test_what_holds_is_true_of_the_mean_and_of_the_ranks(numbers: list[int], sign: float) -> None:
    gap = np.array(numbers, dtype=np.float64)
    found = difference(gap, np.zeros(len(gap)))
    if told(gap, sign=sign) is Verdict.HOLDS:
        assert sign * found.mean > 0.0
        assert sign * found.ranks > 0.0


def gains(some: int, *, by: float = 1.0, of: int = 12) -> list[float]:
    """Return gains of units: so many gain so much, the others nothing."""
    return [by] * some + [0.0] * (of - some)


ARMS = {"base": gains(0), "six": gains(6), "all": gains(12), "twin": gains(6), "worse": gains(12, by=-1.0)}
"""The p of `six` against `base` is 1/32: one order bears that, two do not."""
SIX, ALL = Bar(measure="speed", arm="six", than="base"), Bar(measure="speed", arm="all", than="base")
LESS = Bar(measure="speed", arm="all", than="base", less=True)
AT_LEAST = Bar(measure="speed", arm="all", than="base", by=0.5)


def claim(name: str, *bars: Bar, family: str = "", untold: str = "") -> Claim:
    notes = (Note(Verdict.HOLDS, "It gains."), Note(Verdict.FAILS, "It loses."))
    return Claim(name=name, source="here", text="So it is.", bars=bars, notes=notes, family=family, untold=untold)


def judged(*claims: Claim) -> tuple[JudgedClaim, ...]:
    made_up = study(ARMS, claims=claims)
    return made_up.judge(results(made_up, ARMS))


def test_orders_of_a_family_are_corrected_together_and_bars_are_not() -> None:
    twin = Bar(measure="speed", arm="twin", than="base")
    (alone,) = judged(claim("a", SIX))
    assert alone.measured[0].p == pytest.approx(1 / 32)
    assert alone.finding.verdict is Verdict.HOLDS
    both = judged(claim("a", SIX), claim("b", twin), claim("c", AT_LEAST))
    assert [each.finding.verdict for each in both] == [Verdict.OPEN, Verdict.OPEN, Verdict.HOLDS]
    assert both[2].measured[0].p is None
    apart = judged(claim("a", SIX, family="one"), claim("b", twin, family="other"))
    assert {each.finding.verdict for each in apart} == {Verdict.HOLDS}
    shared = judged(claim("a", SIX), claim("b", SIX))
    assert {each.finding.verdict for each in shared} == {Verdict.HOLDS}, "a comparison of two claims is one"


def test_the_worst_comparison_decides_and_its_verdict_chooses_the_note() -> None:
    (found,) = judged(claim("a", ALL, LESS))
    assert (found.finding.verdict, found.finding.why) == (Verdict.FAILS, "It loses.")
    assert [each.verdict for each in found.finding.comparisons] == [Verdict.HOLDS, Verdict.FAILS]
    assert judged(claim("a", ALL))[0].finding.why == "It gains."
    (half,) = judged(claim("a", ALL, SIX, Bar(measure="speed", arm="twin", than="base")))
    assert half.finding.verdict is Verdict.OPEN
    (found,) = judged(claim("a", untold="Nobody was asked."))
    assert (found.finding.verdict, found.finding.why) == (Verdict.OPEN, "Nobody was asked.")


def test_the_record_has_the_claim_the_finding_and_the_corrected_p() -> None:
    record = judged(claim("it", SIX, AT_LEAST))[0].to_json()
    assert list(record) == ["name", "source", "text", "verdict", "numbers", "why", "comparisons", "p"]
    assert record["p"] == [pytest.approx(1 / 32), None]
    assert record["numbers"] == {
        "speed: six, more than base": "0.50 against 0.00; difference +0.50 [+0.25, +0.75]; 6 seeds more, 0 less, 6 the "
        "same; p = 0.031",
        "speed: all, more than base by 0.5": "1.00 against 0.00; difference +1.00 [+1.00, +1.00]; 12 seeds more, 0 "
        "less, 0 the same",
    }


@pytest.mark.parametrize(
    ("bar", "words"),
    [
        (Bar(measure="speed", arm="a", by=0.9), "speed: a, at least 0.9"),
        (Bar(measure="speed", arm="a", by=0.9, less=True), "speed: a, at most 0.9"),
        (Bar(measure="speed", arm="a", than="b", by=-0.2), "speed: a, more than b, or at most 0.2 worse"),
        (Bar(measure="speed", arm="a", than="b", less=True, by=0.0, times=0.5), "speed: a, less than 0.5 × b"),
    ],
)
def test_a_comparison_in_words(bar: Bar, words: str) -> None:
    assert bar.label("speed", "") == words


def test_a_claim_about_a_stranger_and_a_name_of_two_words_are_refused() -> None:
    with pytest.raises(BadSetting, match="compares speed of 'nobody'"):
        study(ARMS, claims=(claim("a", Bar(measure="speed", arm="nobody", by=1.0)),))
    with pytest.raises(BadSetting, match=r"the name of a study must .* got 'a study'"):
        Study(name="a study", title="", figure="", question="", make=lambda batch: {}, arms=("a",))
