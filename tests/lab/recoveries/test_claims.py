"""Claims about runs: when they hold, when they do not, when nobody can tell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handup.core import BadSetting
from handup.lab.recoveries.claim import Bar, Claim
from handup.lab.recoveries.judging import judge
from handup.lab.recoveries.results import Results
from handup.lab.recoveries.rows import RunRow
from handup.lab.recoveries.studies import RECOVERIES
from handup.lab.study.claim import Verdict
from tests.lab.recoveries.made_up import FULL, NONE, ROW, TINY, results

MORE = Bar(measure="kits", way=FULL, than=NONE, day="usual")


def told(found: Results, *bars: Bar) -> Verdict:
    (judged,) = judge([Claim(name="one", source="handup", text="It is so.", bars=bars)], found)
    return judged.finding.verdict


def kits(ours: int, theirs: int, *, needed: int = 0) -> Results:
    def row(way: str, number: int) -> RunRow:
        return replace(ROW, kits=(ours if way == FULL else theirs), interventions=needed)

    return results(row)


def test_an_order_holds_fails_or_is_open() -> None:
    assert told(kits(3, 1), MORE) is Verdict.HOLDS
    assert told(kits(1, 3), MORE) is Verdict.FAILS
    assert told(kits(2, 2), MORE) is Verdict.FAILS, "alike is not more"
    noisy = results(lambda way, number: replace(ROW, kits=2 + (way == FULL) * (1 if number % 2 else -1)))
    assert told(noisy, MORE) is Verdict.OPEN


def test_a_mean_at_least_and_at_most() -> None:
    alone = Bar(measure="alone", way=FULL, day="usual", by=0.9)
    few = Bar(measure="interventions", way=FULL, day="usual", less=True, by=0.5)
    assert (told(kits(2, 2), alone), told(kits(2, 2), few)) == (Verdict.HOLDS, Verdict.HOLDS)
    assert (told(kits(2, 2, needed=1), alone), told(kits(2, 2, needed=1), few)) == (Verdict.FAILS, Verdict.FAILS)


def test_the_worst_of_several_counts() -> None:
    assert told(kits(3, 1), MORE, replace(MORE, less=True)) is Verdict.FAILS


def test_few_runs_tell_nothing() -> None:
    few = results(lambda way, number: replace(ROW, kits=3 * (way == FULL)), runs=11)
    assert told(few, MORE) is Verdict.OPEN


def test_what_runs_cannot_tell_is_open_and_says_why() -> None:
    (judged,) = judge([Claim(name="x", source="section 2.5", text="Fast.", untold="Nobody timed it.")], kits(1, 1))
    assert (judged.finding.verdict, judged.finding.why) == (Verdict.OPEN, "Nobody timed it.")


def test_the_reason_says_what_is_true() -> None:
    (judged,) = judge([Claim(name="one", source="handup", text="So.", bars=(MORE,))], kits(2, 2))
    assert judged.finding.why == "All 24 pairs of runs came to the same."
    (numbers,) = dict(judged.finding.numbers).values()
    assert "2.00 against 2.00" in numbers


def test_a_claim_about_what_is_not_run_is_refused() -> None:
    stranger = replace(MORE, than="retry")
    with pytest.raises(BadSetting, match="more than retry"):
        replace(TINY, claims=(Claim(name="one", source="handup", text="So.", bars=(stranger,)),))


def test_the_study_compares_full_rules_with_everything_on_both_days() -> None:
    assert RECOVERIES.ours == FULL
    assert {"none", "restart", "retry", "no hierarchy", "no counts", "no beliefs"} < set(RECOVERIES.ways)
    assert [day.factor for day in RECOVERIES.days] == [1.0, 3.0]
    assert RECOVERIES.first_seed == 1000
    compared = {(bar.than, bar.day) for claim in RECOVERIES.claims for bar in claim.bars if bar.way == FULL}
    for day in ("usual", "hard"):
        assert {(way, day) for way in ("none", "restart", "retry", "no hierarchy", "no counts")} < compared
    assert len({claim.name for claim in RECOVERIES.claims}) == len(RECOVERIES.claims)
