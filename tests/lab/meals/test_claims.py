"""Claims on made-up rows: each verdict can come out, and for the right reason."""

from __future__ import annotations

import pytest

from handup.core import BadSetting
from handup.lab.meals.claim import Bar, Claim
from handup.lab.meals.judging import RULES, judge, told_apart
from handup.lab.meals.results import Results
from handup.lab.meals.studies import NOT_ASKED, STUDIES
from handup.lab.study.bars import LEAST_TOLD
from handup.lab.study.claim import Verdict
from handup.lab.study.paired import ALPHA
from tests.lab.meals.made_up import ONE, PAIRED, TWO, meal, results, some_of_five


def claim(*bars: Bar) -> Claim:
    return Claim(name="it", source="here", text="It is so.", bars=bars)


MORE = claim(Bar(measure="bites", arm=ONE, than=TWO))


def of(one: int, other: int) -> Results:
    """One arm gets so many, the other so many; every second participant gets one more."""
    return results(lambda label, who: some_of_five((one if label == ONE else other) + who % 2))


@pytest.mark.parametrize(
    ("one", "other", "verdict"), [(4, 2, "holds"), (2, 4, "does not hold"), (3, 3, "does not hold")]
)
def test_an_order_holds_fails_or_is_alike(one: int, other: int, verdict: str) -> None:
    (judged,) = judge([MORE], of(one, other))
    assert str(judged.finding.verdict) == verdict
    assert f"{one + 0.5:.2f} against {other + 0.5:.2f}" in judged.finding.numbers[0][1]


def test_an_order_cannot_be_told_where_people_differ_more_than_arms() -> None:
    found = results(lambda label, who: some_of_five(1 + (who // (2 if label == ONE else 3)) % 4), participants=16)
    (judged,) = judge([MORE], found)
    assert judged.finding.verdict is Verdict.OPEN
    assert judged.finding.why.startswith("16 participants do not tell")


def test_a_handful_of_participants_tells_nothing() -> None:
    few = results(lambda label, who: some_of_five(5 if label == ONE else 0), participants=LEAST_TOLD - 1)
    bar = claim(Bar(measure="bites", arm=ONE, than=TWO, by=-0.2))
    assert [each.finding.verdict for each in judge([MORE, bar], few)] == [Verdict.OPEN, Verdict.OPEN]


def test_less_is_the_other_side() -> None:
    asking = results(lambda label, who: some_of_five(3, asked=1 if label == ONE else 6))
    fewer = claim(Bar(measure="queries", arm=ONE, than=TWO, less=True))
    more = claim(Bar(measure="queries", arm=ONE, than=TWO))
    assert [each.finding.verdict for each in judge([fewer, more], asking)] == [Verdict.HOLDS, Verdict.FAILS]


@pytest.mark.parametrize(("count", "verdict"), [(4, Verdict.HOLDS), (3, Verdict.FAILS)])
def test_a_bar_of_not_much_worse(count: int, verdict: Verdict) -> None:
    found = results(lambda label, who: some_of_five(count if label == ONE else 4))
    (judged,) = judge([claim(Bar(measure="bites", arm=ONE, than=TWO, by=-0.2))], found)
    assert judged.finding.verdict is verdict


@pytest.mark.parametrize(("asked", "verdict"), [(3, Verdict.HOLDS), (4, Verdict.FAILS)])
def test_a_bar_of_a_share(asked: int, verdict: Verdict) -> None:
    found = results(lambda label, who: some_of_five(3, asked=asked if label == ONE else 6))
    (judged,) = judge([claim(Bar(measure="queries", arm=ONE, than=TWO, less=True, share=0.5))], found)
    assert judged.finding.verdict is verdict


def test_a_bar_whose_interval_reaches_both_sides_is_open() -> None:
    found = results(lambda label, who: some_of_five(3 + (who % 2 if label == ONE else 0)))
    (judged,) = judge([claim(Bar(measure="bites", arm=ONE, than=TWO, by=0.5))], found)
    assert judged.finding.verdict is Verdict.OPEN
    assert judged.measured[0].p is None


def test_a_claim_needs_all_of_its_bars() -> None:
    good, bad = Bar(measure="bites", arm=ONE, than=TWO), Bar(measure="queries", arm=ONE, than=TWO, less=True)
    found = results(lambda label, who: some_of_five(4, asked=6) if label == ONE else some_of_five(2, asked=1))
    (judged,) = judge([claim(good, bad)], found)
    assert judged.finding.verdict is Verdict.FAILS
    assert "questions" in judged.finding.why
    assert len(judged.finding.numbers) == len(judged.finding.comparisons) == 2


def test_holm_takes_all_orders_of_the_study_together() -> None:
    # Six participants that differ, all in one way, have p = 1/32, which one order bears and five do not.
    found = results(
        lambda label, who: some_of_five(4) if label == ONE or who % 2 else some_of_five(2, asked=3), participants=12
    )
    orders = [
        claim(Bar(measure=measure, arm=ONE, than=TWO, less=measure != "bites"))
        for measure in ("bites", "queries", "workload", "executions", "J_true")
    ]
    (alone,) = judge(orders[:1], found)
    assert alone.finding.verdict is Verdict.HOLDS
    assert alone.measured[0].p == pytest.approx(2 / 64)
    together = judge(orders, found)
    assert together[0].measured[0].p == pytest.approx(5 * 2 / 64)
    assert all(each.finding.verdict is Verdict.OPEN for each in together)
    assert told_apart([alone]) == MORE.bars
    assert told_apart(together) == ()


def test_bars_are_not_corrected_and_that_is_said() -> None:
    found, bar = of(4, 2), claim(Bar(measure="bites", arm=ONE, than=TWO, by=0.5))
    alone, together = judge([bar], found), judge([bar, MORE], found)
    assert alone[0] == together[0]
    assert "bars, unlike orders, are not corrected for their number" in RULES


def test_where_ranks_and_mean_are_on_different_sides_nothing_is_told_and_that_is_said() -> None:
    # Of 24 participants 22 are asked one question more, and two are asked 40 fewer.
    few_lose = results(lambda label, who: some_of_five(3, asked=40 * (label == TWO) if who <= 2 else label == ONE))
    more, less = Bar(measure="queries", arm=ONE, than=TWO), Bar(measure="queries", arm=ONE, than=TWO, less=True)
    found = [each for (each,) in (judge([claim(more)], few_lose), judge([claim(less)], few_lose))]
    assert all((each.measured[0].p or 0.0) < ALPHA for each in found), "as the test alone would have it"
    assert told_apart(found) == ()
    assert [each.finding.verdict for each in found] == [Verdict.OPEN, Verdict.OPEN]
    assert "Where ranks and mean are on different sides it cannot be told." in RULES


def test_what_nobody_was_asked_cannot_be_told() -> None:
    (judged,) = judge([Claim(name="joy", source="here", text="People like it.", untold=NOT_ASKED)], of(4, 2))
    assert judged.finding.verdict is Verdict.OPEN
    assert judged.finding.why == NOT_ASKED


def test_the_sentence_names_what_makes_the_difference() -> None:
    found = results(
        lambda label, who: (
            some_of_five(4, cause="physics", blamed="food")
            if label == ONE
            else some_of_five(1, cause="box", blamed="food")
        )
    )
    (judged,) = judge([MORE], found)
    assert "lost to 'box', 0.00 against 4.00" in judged.finding.why


def test_every_claim_of_every_study_is_about_its_own_arms() -> None:
    for study in STUDIES.values():
        names = [each.name for each in study.claims]
        assert len(names) == len(set(names))
        for each in study.claims:
            assert bool(each.bars) != bool(each.untold)
            for bar in each.bars:
                assert any({bar.arm, bar.than} <= {arm.label for arm in menu} for menu in study.menus)
                assert bar.measure in study.measures
                assert set(bar.part.meals) <= set(range(1, len(study.plates) + 1))


def test_the_plates_of_a_participant_are_averaged_first() -> None:
    made = of(3, 2)
    sitting = next(each for each in made.eaten if each.arm.label == ONE)
    uneven = (meal(sitting, 1, some_of_five(5)), meal(sitting, 2, some_of_five(2)))
    found = Results(PAIRED, made.size, {**made.eaten, sitting: uneven})
    assert found.values("bites", ONE)[0] == pytest.approx(3.5)
    assert len(found.values("bites", ONE)) == made.participants == 24


def test_arms_that_ate_other_plates_are_not_compared() -> None:
    made = of(3, 2)
    sitting = next(iter(made.eaten))
    swapped = tuple(reversed(made.eaten[sitting]))
    with pytest.raises(BadSetting, match="same plates"):
        Results(PAIRED, made.size, {**made.eaten, sitting: swapped})
