"""Rule 1: when an order and a bar are told, corrected within their family, by the worst of a claim's comparisons.

Rule 2: comparisons of means whose intervals hold together, and ratios of times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadSetting
from handup.lab.engine import Bar, Claim, Finding, Measure, Note, Study, Verdict, judge
from handup.lab.engine.judge import (
    LEAST_TOLD,
    ComparedPoint,
    JudgedClaim,
    MeansClaim,
    MeansComparison,
    Ratio,
    WantedMeans,
    judge_means,
    verdict,
)
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


# -- rule 2 -----------------------------------------------------------------------------------------------------------

COUNT = 400
MEASURES = {
    "lost": Measure(name="lost", label="lost", alike=0.05, is_share=True),
    "failures": Measure(name="failures", label="failed attempts", alike=0.5, is_amount=True),
    "gain": Measure(name="gain", label="gain", alike=0.5),
}
GRAPH, NEVER, TOPO = ComparedPoint("graph", "graph"), ComparedPoint("never", "never"), ComparedPoint("topo", "topo")
Amounts = float | Sequence[float]


@dataclass
class MadeUp:
    """Numbers made by hand: for each metric and point a value, or some in turn; an episode has four decisions."""

    found: Mapping[tuple[str, ComparedPoint], Amounts] = field(default_factory=dict)
    times: Mapping[ComparedPoint, float] = field(default_factory=dict)
    count: int = COUNT
    place: str = "here"

    def has(self, point: ComparedPoint) -> bool:
        return any(point == known for _, known in self.found) or point in self.times

    def measure(self, metric: str) -> Measure:
        return MEASURES[metric]

    def margin(self, metric: str, points: Sequence[ComparedPoint]) -> float:
        return MEASURES[metric].alike

    def amounts(self, metric: str, point: ComparedPoint) -> Vector:
        return np.resize(np.atleast_1d(np.asarray(self.found[metric, point], dtype=np.float64)), self.count)

    def seconds(self, point: ComparedPoint, *, per_decision: bool) -> float | None:
        seconds = self.times.get(point)
        return seconds if seconds is None or per_decision else 4.0 * seconds


def compared(wanted: WantedMeans, metric: str, point: ComparedPoint, other: ComparedPoint) -> MeansComparison:
    return MeansComparison(metric, wanted, ((1, point), (-1, other)))


lower, not_higher, same = (partial(compared, wanted) for wanted in WantedMeans)
slower, as_fast = partial(Ratio, least=1.0), partial(Ratio, least=1.0 / judge.ALIKE, most=judge.ALIKE)


def near(metric: str, point: ComparedPoint, target: float) -> MeansComparison:
    return MeansComparison(metric, WantedMeans.SAME, ((1, point),), target)


def failing(amounts: Mapping[ComparedPoint, Amounts], count: int = COUNT) -> MadeUp:
    return MadeUp({("failures", point): value for point, value in amounts.items()}, count=count)


def by_means(source: MadeUp, *compared: MeansComparison | Ratio, **fields: Any) -> Finding:
    return judge_means(MeansClaim(name="n", source="s", text="T.", compared=compared, **fields), source)


def at(number: int) -> ComparedPoint:
    return ComparedPoint("graph", "graph", (("modules", number),), (f"N = {number}",))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (lower, [Verdict.HOLDS, Verdict.FAILS, Verdict.FAILS, Verdict.OPEN]),
        (not_higher, [Verdict.HOLDS, Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN]),
        (same, [Verdict.FAILS, Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN]),
    ],
)
def test_what_is_wanted_is_told_from_its_opposite_and_from_noise(
    wanted: Callable[..., MeansComparison], expected: list[Verdict]
) -> None:
    below, level, above, noise = (1, 2), (2, 2), (3, 2), ([0, 0, 0, 8], [0, 0, 8, 0])
    sources = [failing({GRAPH: value, NEVER: other}) for value, other in (below, level, above, noise)]
    assert [by_means(source, wanted("failures", GRAPH, NEVER)).verdict for source in sources] == expected


def test_a_mean_is_held_against_a_number_and_a_rise_against_another() -> None:
    source = failing({at(3): 1, at(5): 2, NEVER: 1, TOPO: 9})
    assert by_means(source, near("failures", at(3), 1.2)).verdict is Verdict.HOLDS
    assert by_means(source, near("failures", at(3), 2.0)).verdict is Verdict.FAILS
    assert by_means(source, near("failures", at(3), 1.2)).numbers[1][1] == "1 [1, 1] against 1.2"
    rises = ((1, at(5)), (-1, at(3)), (-1, TOPO), (1, NEVER))
    assert by_means(source, MeansComparison("failures", WantedMeans.LOWER, rises)).verdict is Verdict.HOLDS
    turned = tuple((-sign, point) for sign, point in rises)
    assert by_means(source, MeansComparison("failures", WantedMeans.LOWER, turned)).verdict is Verdict.FAILS


def test_an_event_that_was_never_seen_is_not_taken_for_impossible() -> None:
    source = MadeUp({("lost", GRAPH): 0.0}, count=100)
    compared = by_means(source, near("lost", GRAPH, 0.0)).comparisons[0]
    assert (compared.mean, compared.low) == (0.0, 0.0)
    assert 0.0 < compared.high < 0.05


def test_few_episodes_tell_nothing_and_many_comparisons_make_every_interval_wider() -> None:
    finding = by_means(failing({GRAPH: 0, NEVER: 2}, count=29), lower("failures", GRAPH, NEVER))
    assert finding.verdict is Verdict.OPEN
    (record,) = finding.to_json()["comparisons"]
    assert (record["mean"], record["low"], record["high"]) == (-2.0, None, None)
    source = failing({GRAPH: [0, 0, 0, 0, 8], NEVER: 2})
    better = lower("failures", GRAPH, NEVER)
    assert by_means(source, better).verdict is Verdict.HOLDS
    assert by_means(source, *[better] * 500).verdict is Verdict.OPEN


@pytest.mark.parametrize(
    ("least", "lost", "expected"),
    [(0.75, 1, Verdict.HOLDS), (0.8, 1, Verdict.FAILS), (0.5 + 1e-6, 1, Verdict.HOLDS), (0.5 + 1e-6, 2, Verdict.FAILS)],
)
def test_a_claim_must_be_borne_out_in_a_share_of_its_comparisons(least: float, lost: int, expected: Verdict) -> None:
    points = [at(number) for number in range(4)]
    source = failing({NEVER: 3, **{point: 5 if number < lost else 0 for number, point in enumerate(points)}})
    assert by_means(source, *(lower("failures", point, NEVER) for point in points), share=least).verdict is expected


def test_an_open_comparison_leaves_a_claim_open_unless_others_decide_it() -> None:
    source = failing({GRAPH: [0, 0, 0, 8], NEVER: [0, 0, 8, 0], TOPO: 9})
    undecided, holding = lower("failures", GRAPH, NEVER), lower("failures", GRAPH, TOPO)
    assert by_means(source, undecided, holding).verdict is Verdict.OPEN
    assert by_means(source, undecided, lower("failures", TOPO, GRAPH)).verdict is Verdict.FAILS
    assert by_means(source, undecided, holding, share=0.5).verdict is Verdict.HOLDS


def test_comparisons_whose_numbers_a_run_lacks_are_left_out() -> None:
    source, lacking = failing({GRAPH: 0, NEVER: 9}), lower("failures", GRAPH, TOPO)
    assert by_means(source, lower("failures", GRAPH, NEVER), lacking).verdict is Verdict.HOLDS
    finding = by_means(source, lacking)
    assert (finding.verdict, finding.numbers, finding.why) == (Verdict.OPEN, (), judge.NO_NUMBERS)


def test_nothing_is_lower_than_nothing() -> None:
    source = failing({GRAPH: 0, NEVER: 0, TOPO: 9})
    level, holding = lower("failures", GRAPH, NEVER), lower("failures", GRAPH, TOPO)
    assert (by_means(source, level).verdict, by_means(source, level).why) == (Verdict.OPEN, judge.AT_ZERO)
    assert by_means(source, level, holding).numbers[0][1] == "1 agrees, 0 do not, 0 open; 1 level at zero, left out"
    assert by_means(source, lower("failures", TOPO, GRAPH)).verdict is Verdict.FAILS
    gains = MadeUp({("gain", GRAPH): 0, ("gain", NEVER): 0})
    assert by_means(gains, lower("gain", GRAPH, NEVER)).verdict is Verdict.FAILS


def test_the_worst_numbers_come_first_and_are_few() -> None:
    points = {at(number): number if number > 50 else 0 for number in range(3, 62)}
    finding = by_means(failing({**points, GRAPH: 0}), *(same("failures", point, GRAPH) for point in points))
    assert finding.numbers[0] == ("comparisons", "48 agree, 11 do not, 0 open")
    assert finding.numbers[1][0] == "failed attempts: graph, N = 61 less graph"
    assert (len(finding.numbers), len(finding.comparisons)) == (judge.MOST_SHOWN + 1, len(points))
    assert finding.comparisons[0].mean == 61.0


def test_the_note_of_the_verdict_and_the_place_is_given() -> None:
    notes = (Note(Verdict.HOLDS, "Always."), Note(Verdict.HOLDS, "Here.", "here"), Note(Verdict.FAILS, "Never."))
    better, lead = lower("failures", GRAPH, NEVER), failing({GRAPH: 0, NEVER: 9})
    assert by_means(lead, better, notes=notes).why == "Always. Here."
    assert by_means(replace(lead, place="there"), better, notes=notes).why == "Always."
    assert by_means(failing({GRAPH: 9, NEVER: 0}), better, notes=notes).why == "Never."


def test_it_is_told_where_medians_say_the_opposite() -> None:
    finding = by_means(failing({GRAPH: [0, 0, 20], NEVER: 1}), lower("failures", GRAPH, NEVER))
    assert (finding.verdict, finding.why) == (Verdict.FAILS, judge.MEDIANS[Verdict.HOLDS])
    shares = MadeUp({("lost", GRAPH): [0, 0, 1], ("lost", NEVER): 0})
    assert by_means(shares, same("lost", GRAPH, NEVER)).why == ""


def test_intervals_cover_what_they_say() -> None:
    random, hits = np.random.default_rng(5), 0
    for _ in range(300):
        source = failing({GRAPH: random.integers(0, 9, 60).tolist()}, count=60)
        compared = by_means(source, near("failures", GRAPH, 4.0)).comparisons[0]
        hits += compared.low <= 4.0 <= compared.high
    assert hits >= 300 * 0.92


def test_labels_say_once_what_both_sides_share() -> None:
    other = ComparedPoint("never", "never", (), ("N = 5",))
    source = failing(dict.fromkeys((at(3), at(5), other), 1))
    compared = (lower("failures", at(5), other), same("failures", at(3), at(5)), near("failures", at(3), 1.0))
    labels = [by_means(source, comparison).comparisons[0].label.partition(": ")[2] for comparison in compared]
    assert labels == ["graph less never, N = 5", "graph, N = 3 less N = 5", "graph, N = 3"]


@pytest.mark.parametrize(("ratio", "times"), [(slower, (3.0, 0.3, 1.2)), (as_fast, (1.1, 9.0, 2.0))])
def test_times_are_told_apart_only_beyond_the_slack(ratio: Callable[..., Ratio], times: Sequence[float]) -> None:
    sources = [MadeUp(times={GRAPH: seconds, NEVER: 1.0}) for seconds in times]
    verdicts = [by_means(source, ratio(GRAPH, NEVER)).verdict for source in sources]
    assert verdicts == [Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN]


def test_times_are_those_of_an_episode_or_of_a_decision_and_without_any_nothing_is_told() -> None:
    alone = [by_means(MadeUp(times={GRAPH: 0.5}), Ratio(GRAPH, least=1.0, per_decision=per)) for per in (False, True)]
    assert [each.numbers[1][1] for each in alone] == ["2 s", "0.5 s"]
    assert alone[0].numbers[1][0] == "time per episode: graph"
    finding = by_means(failing({GRAPH: 0, NEVER: 0}), slower(GRAPH, NEVER))
    assert (finding.verdict, finding.numbers, finding.why) == (Verdict.OPEN, (), judge.NO_TIMES)
