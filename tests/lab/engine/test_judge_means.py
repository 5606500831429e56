"""Rule 2: comparisons of means whose intervals hold together, and ratios of times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from handup.lab.engine import Finding, Measure, Note, Verdict, judge_means
from handup.lab.engine.judge_means import ComparedPoint, MeansClaim, MeansComparison, Ratio, WantedMeans, find
from handup.lab.engine.stats import Vector

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


def difference(wanted: WantedMeans, metric: str, point: ComparedPoint, other: ComparedPoint) -> MeansComparison:
    return MeansComparison(metric, wanted, ((1, point), (-1, other)))


lower, not_higher, same = (partial(difference, wanted) for wanted in WantedMeans)
slower, as_fast = partial(Ratio, least=1.0), partial(Ratio, least=1.0 / judge_means.ALIKE, most=judge_means.ALIKE)


def near(metric: str, point: ComparedPoint, target: float) -> MeansComparison:
    return MeansComparison(metric, WantedMeans.SAME, ((1, point),), target)


def failing(amounts: Mapping[ComparedPoint, Amounts], count: int = COUNT) -> MadeUp:
    return MadeUp({("failures", point): value for point, value in amounts.items()}, count=count)


def judged(source: MadeUp, *compared: MeansComparison | Ratio, **fields: Any) -> Finding:
    return find(MeansClaim(name="n", source="s", text="T.", compared=compared, **fields), source)


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
    assert [judged(source, wanted("failures", GRAPH, NEVER)).verdict for source in sources] == expected


def test_a_mean_is_held_against_a_number_and_a_rise_against_another() -> None:
    source = failing({at(3): 1, at(5): 2, NEVER: 1, TOPO: 9})
    assert judged(source, near("failures", at(3), 1.2)).verdict is Verdict.HOLDS
    assert judged(source, near("failures", at(3), 2.0)).verdict is Verdict.FAILS
    assert judged(source, near("failures", at(3), 1.2)).numbers[1][1] == "1 [1, 1] against 1.2"
    rises = ((1, at(5)), (-1, at(3)), (-1, TOPO), (1, NEVER))
    assert judged(source, MeansComparison("failures", WantedMeans.LOWER, rises)).verdict is Verdict.HOLDS
    turned = tuple((-sign, point) for sign, point in rises)
    assert judged(source, MeansComparison("failures", WantedMeans.LOWER, turned)).verdict is Verdict.FAILS


def test_an_event_that_was_never_seen_is_not_taken_for_impossible() -> None:
    source = MadeUp({("lost", GRAPH): 0.0}, count=100)
    compared = judged(source, near("lost", GRAPH, 0.0)).comparisons[0]
    assert (compared.mean, compared.low) == (0.0, 0.0)
    assert 0.0 < compared.high < 0.05


def test_few_episodes_tell_nothing_and_many_comparisons_make_every_interval_wider() -> None:
    finding = judged(failing({GRAPH: 0, NEVER: 2}, count=29), lower("failures", GRAPH, NEVER))
    assert finding.verdict is Verdict.OPEN
    (record,) = finding.to_json()["comparisons"]
    assert (record["mean"], record["low"], record["high"]) == (-2.0, None, None)
    source = failing({GRAPH: [0, 0, 0, 0, 8], NEVER: 2})
    better = lower("failures", GRAPH, NEVER)
    assert judged(source, better).verdict is Verdict.HOLDS
    assert judged(source, *[better] * 500).verdict is Verdict.OPEN


@pytest.mark.parametrize(
    ("least", "lost", "expected"),
    [(0.75, 1, Verdict.HOLDS), (0.8, 1, Verdict.FAILS), (0.5 + 1e-6, 1, Verdict.HOLDS), (0.5 + 1e-6, 2, Verdict.FAILS)],
)
def test_a_claim_must_be_borne_out_in_a_share_of_its_comparisons(least: float, lost: int, expected: Verdict) -> None:
    points = [at(number) for number in range(4)]
    source = failing({NEVER: 3, **{point: 5 if number < lost else 0 for number, point in enumerate(points)}})
    assert judged(source, *(lower("failures", point, NEVER) for point in points), share=least).verdict is expected


def test_an_open_comparison_leaves_a_claim_open_unless_others_decide_it() -> None:
    source = failing({GRAPH: [0, 0, 0, 8], NEVER: [0, 0, 8, 0], TOPO: 9})
    undecided, holding = lower("failures", GRAPH, NEVER), lower("failures", GRAPH, TOPO)
    assert judged(source, undecided, holding).verdict is Verdict.OPEN
    assert judged(source, undecided, lower("failures", TOPO, GRAPH)).verdict is Verdict.FAILS
    assert judged(source, undecided, holding, share=0.5).verdict is Verdict.HOLDS


def test_comparisons_whose_numbers_a_run_lacks_are_left_out() -> None:
    source, lacking = failing({GRAPH: 0, NEVER: 9}), lower("failures", GRAPH, TOPO)
    assert judged(source, lower("failures", GRAPH, NEVER), lacking).verdict is Verdict.HOLDS
    finding = judged(source, lacking)
    assert (finding.verdict, finding.numbers, finding.why) == (Verdict.OPEN, (), judge_means.NO_NUMBERS)


def test_nothing_is_lower_than_nothing() -> None:
    source = failing({GRAPH: 0, NEVER: 0, TOPO: 9})
    level, holding = lower("failures", GRAPH, NEVER), lower("failures", GRAPH, TOPO)
    assert (judged(source, level).verdict, judged(source, level).why) == (Verdict.OPEN, judge_means.AT_ZERO)
    assert judged(source, level, holding).numbers[0][1] == "1 agrees, 0 do not, 0 open; 1 level at zero, left out"
    assert judged(source, lower("failures", TOPO, GRAPH)).verdict is Verdict.FAILS
    gains = MadeUp({("gain", GRAPH): 0, ("gain", NEVER): 0})
    assert judged(gains, lower("gain", GRAPH, NEVER)).verdict is Verdict.FAILS


def test_the_worst_numbers_come_first_and_are_few() -> None:
    points = {at(number): number if number > 50 else 0 for number in range(3, 62)}
    finding = judged(failing({**points, GRAPH: 0}), *(same("failures", point, GRAPH) for point in points))
    assert finding.numbers[0] == ("comparisons", "48 agree, 11 do not, 0 open")
    assert finding.numbers[1][0] == "failed attempts: graph, N = 61 less graph"
    assert (len(finding.numbers), len(finding.comparisons)) == (judge_means.MOST_SHOWN + 1, len(points))
    assert finding.comparisons[0].mean == 61.0


def test_the_note_of_the_verdict_and_the_place_is_given() -> None:
    notes = (Note(Verdict.HOLDS, "Always."), Note(Verdict.HOLDS, "Here.", "here"), Note(Verdict.FAILS, "Never."))
    better, lead = lower("failures", GRAPH, NEVER), failing({GRAPH: 0, NEVER: 9})
    assert judged(lead, better, notes=notes).why == "Always. Here."
    assert judged(replace(lead, place="there"), better, notes=notes).why == "Always."
    assert judged(failing({GRAPH: 9, NEVER: 0}), better, notes=notes).why == "Never."


def test_it_is_told_where_medians_say_the_opposite() -> None:
    finding = judged(failing({GRAPH: [0, 0, 20], NEVER: 1}), lower("failures", GRAPH, NEVER))
    assert (finding.verdict, finding.why) == (Verdict.FAILS, judge_means.MEDIANS[Verdict.HOLDS])
    shares = MadeUp({("lost", GRAPH): [0, 0, 1], ("lost", NEVER): 0})
    assert judged(shares, same("lost", GRAPH, NEVER)).why == ""


def test_intervals_cover_what_they_say() -> None:
    random, hits = np.random.default_rng(5), 0
    for _ in range(300):
        source = failing({GRAPH: random.integers(0, 9, 60).tolist()}, count=60)
        compared = judged(source, near("failures", GRAPH, 4.0)).comparisons[0]
        hits += compared.low <= 4.0 <= compared.high
    assert hits >= 300 * 0.92


def test_labels_say_once_what_both_sides_share() -> None:
    other = ComparedPoint("never", "never", (), ("N = 5",))
    source = failing(dict.fromkeys((at(3), at(5), other), 1))
    compared = (lower("failures", at(5), other), same("failures", at(3), at(5)), near("failures", at(3), 1.0))
    labels = [judged(source, comparison).comparisons[0].label.partition(": ")[2] for comparison in compared]
    assert labels == ["graph less never, N = 5", "graph, N = 3 less N = 5", "graph, N = 3"]


@pytest.mark.parametrize(("ratio", "times"), [(slower, (3.0, 0.3, 1.2)), (as_fast, (1.1, 9.0, 2.0))])
def test_times_are_told_apart_only_beyond_the_slack(ratio: Callable[..., Ratio], times: Sequence[float]) -> None:
    sources = [MadeUp(times={GRAPH: seconds, NEVER: 1.0}) for seconds in times]
    verdicts = [judged(source, ratio(GRAPH, NEVER)).verdict for source in sources]
    assert verdicts == [Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN]


def test_times_are_those_of_an_episode_or_of_a_decision_and_without_any_nothing_is_told() -> None:
    alone = [judged(MadeUp(times={GRAPH: 0.5}), Ratio(GRAPH, least=1.0, per_decision=per)) for per in (False, True)]
    assert [each.numbers[1][1] for each in alone] == ["2 s", "0.5 s"]
    assert alone[0].numbers[1][0] == "time per episode: graph"
    finding = judged(failing({GRAPH: 0, NEVER: 0}), slower(GRAPH, NEVER))
    assert (finding.verdict, finding.numbers, finding.why) == (Verdict.OPEN, (), judge_means.NO_TIMES)
