from __future__ import annotations

import math

import pytest

from handup.lab.study.claim import Verdict
from handup.lab.study.claims.places import selector
from handup.lab.study.claims.timing import NOTE, Ratio, TimeJudge, as_fast, slower
from handup.lab.study.results import Results
from tests.lab.study.claims.rows import results, rows, timed

SLOW, FAST = selector("graph"), selector("never")


def judge(ratio: Ratio) -> TimeJudge:
    return TimeJudge(lambda results: (ratio,))


@pytest.mark.parametrize(("seconds", "expected"), [(3.0, Verdict.HOLDS), (0.3, Verdict.FAILS), (1.2, Verdict.OPEN)])
def test_slower_is_told_only_beyond_the_slack(seconds: float, expected: Verdict) -> None:
    finding = judge(slower(SLOW, FAST))(timed({SLOW: seconds, FAST: 1.0}))
    assert finding.verdict is expected
    assert NOTE in finding.why


@pytest.mark.parametrize(("seconds", "expected"), [(1.1, Verdict.HOLDS), (9.0, Verdict.FAILS), (2.0, Verdict.OPEN)])
def test_as_fast_is_within_a_factor(seconds: float, expected: Verdict) -> None:
    assert judge(as_fast(SLOW, FAST))(timed({SLOW: seconds, FAST: 1.0})).verdict is expected


def test_a_time_alone_is_in_seconds_per_episode() -> None:
    finding = judge(Ratio(SLOW, least=1.0))(timed({SLOW: 0.5}, steps=4))
    assert finding.verdict is Verdict.HOLDS
    assert finding.numbers[1] == ("time per episode: graph", "2 s")


def test_the_steps_count_only_per_episode() -> None:
    base = timed({SLOW: 1.0, FAST: 1.0})
    found = {SLOW.cell(base.base): rows(questions=39), FAST.cell(base.base): rows(questions=3)}
    uneven = Results(base.base, found, base.timings)
    assert judge(slower(SLOW, FAST))(uneven).verdict is Verdict.HOLDS
    assert judge(Ratio(SLOW, FAST, least=1.0, per_decision=True))(uneven).verdict is Verdict.OPEN


@pytest.mark.parametrize("bottom", [FAST, None])
def test_without_times_nothing_is_told(bottom: object) -> None:
    ratio = Ratio(SLOW, FAST if bottom else None, least=1.0)
    finding = judge(ratio)(results({SLOW: rows(), FAST: rows()}))
    assert finding.verdict is Verdict.OPEN
    assert finding.why == "This run has no numbers for it: no times were measured."


def test_limits_may_be_open() -> None:
    assert judge(Ratio(SLOW, FAST, most=math.inf))(timed({SLOW: 1e-6, FAST: 1.0})).verdict is Verdict.HOLDS
