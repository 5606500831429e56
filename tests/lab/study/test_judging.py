"""Claims made of bars: corrected together, judged by the worst, told in the words of the study."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from handup.lab.study.bar_claim import BarClaim
from handup.lab.study.claim import Verdict
from handup.lab.study.judging import Judged, Measured, finding, judge, measure
from handup.lab.study.paired import Difference, difference

ALIKE = {"speed": 0.2, "calm": 0.2}


@dataclass(frozen=True)
class Bar:
    """A comparison of which the gains are known."""

    gains: tuple[float, ...]
    measure: str = "speed"
    sign: float = 1.0
    by: float | None = None

    @property
    def label(self) -> str:
        return f"{self.measure} of {sum(each != 0.0 for each in self.gains)} changed"

    @property
    def is_order(self) -> bool:
        return self.by is None

    @property
    def needed(self) -> float:
        return self.by or 0.0


def gains(some: int, *, each: float = 1.0, of: int = 12) -> tuple[float, ...]:
    """So many of the units gain so much, the others nothing."""
    return (each,) * some + (0.0,) * (of - some)


def compare(bar: Bar) -> Difference:
    return difference(np.array(bar.gains), np.zeros(len(bar.gains)))


def claim(*bars: Bar, untold: str = "") -> BarClaim[Bar]:
    return BarClaim(name="it", source="here", text="It is so.", bars=bars, untold=untold)


def judged(*claims: BarClaim[Bar]) -> tuple[Judged[Bar], ...]:
    return judge(claims, compare, ALIKE, numbers=lambda each: f"{each.found.mean:g}", why=lambda each: each.bar.label)


SIX = Bar(gains(6))
"""Its p is 1/32: one order bears that, two do not."""
MORE, LESS = Bar(gains(12)), Bar(gains(12), sign=-1.0)


def test_orders_are_corrected_together_and_bars_are_not() -> None:
    bar = Bar(gains(12), by=0.5)
    alone, both = (
        measure({SIX: compare(SIX)}, ALIKE),
        measure({each: compare(each) for each in (SIX, LESS, bar)}, ALIKE),
    )
    assert alone[SIX].p == pytest.approx(1 / 32)
    assert alone[SIX].verdict is Verdict.HOLDS
    assert both[SIX].p == pytest.approx(1 / 32), "the larger of two is not multiplied"
    assert both[LESS].p == pytest.approx(2 / 2**11)
    assert (both[bar].p, both[bar].verdict) == (None, Verdict.HOLDS)
    twins = [Bar(gains(6), "calm"), SIX]
    assert {each.verdict for each in measure({one: compare(one) for one in twins}, ALIKE).values()} == {Verdict.OPEN}


def test_a_comparison_of_two_claims_is_one_comparison() -> None:
    asked: list[Bar] = []

    def once(bar: Bar) -> Difference:
        asked.append(bar)
        return compare(bar)

    first, second = judge(
        [claim(SIX), claim(SIX)], once, ALIKE, numbers=lambda each: "", why=lambda each: each.bar.label
    )
    assert asked == [SIX]
    assert first.measured == second.measured
    assert first.finding.verdict is Verdict.HOLDS, "and is corrected as one"


def test_the_first_of_the_worst_says_why() -> None:
    other = Bar(gains(11), sign=-1.0)
    (found,) = judged(claim(MORE, LESS, other))
    assert (found.finding.verdict, found.finding.why) == (Verdict.FAILS, LESS.label)
    assert found.finding.numbers == ((MORE.label, "1"), (LESS.label, "1"), (other.label, f"{11 / 12:g}"))
    assert [each.verdict for each in found.finding.comparisons] == [Verdict.HOLDS, Verdict.FAILS, Verdict.FAILS]
    assert finding(found.measured[:1], lambda _: "", lambda each: each.bar.label).verdict is Verdict.HOLDS


def test_what_is_nearer_than_alike_is_told_by_its_measure() -> None:
    bar = Bar((0.1, -0.1) * 10)
    assert measure({bar: compare(bar)}, {"speed": 0.2})[bar].verdict is Verdict.FAILS
    assert measure({bar: compare(bar)}, {"speed": 0.001})[bar].verdict is Verdict.OPEN


def test_a_claim_without_bars_says_why_it_cannot_be_told() -> None:
    first, second = judged(claim(untold="Nobody was asked."), claim(MORE))
    assert (first.finding.verdict, first.finding.why, first.measured) == (Verdict.OPEN, "Nobody was asked.", ())
    assert second.finding.verdict is Verdict.HOLDS


def test_the_record_has_the_claim_the_finding_and_the_corrected_p() -> None:
    (found,) = judged(claim(SIX, Bar(gains(12), by=0.5)))
    record = found.to_json()
    assert list(record) == ["name", "source", "text", "verdict", "numbers", "why", "comparisons", "p"]
    assert (record["name"], record["verdict"], record["p"]) == ("it", "holds", [pytest.approx(1 / 32), None])


def test_numbers_stand_side_by_side() -> None:
    found = compare(MORE)
    order, bar = Measured(MORE, found, 0.0123, Verdict.HOLDS), Measured(MORE, found, None, Verdict.HOLDS)
    shown = "3.00 against 2.00; difference +1.00 [+1.00, +1.00]; 12 runs more, 0 less, 0 the same"
    assert order.numbers(3.0, 2.0, units="runs") == f"{shown}; p = 0.012"
    assert bar.numbers(3.0, 2.0, units="runs", of=" of 0.5 times") == shown.replace(
        "difference", "difference of 0.5 times"
    )
