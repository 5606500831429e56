from __future__ import annotations

import numpy as np
import pytest

from handup.lab.cell import Cell
from handup.lab.episodes import Episodes
from handup.lab.study.claim import Verdict
from handup.lab.study.claims.comparing import (
    Comparison,
    judged,
    lower,
    mean_of,
    near,
    not_higher,
    rises_less,
    same,
)
from handup.lab.study.claims.places import algorithm, selector
from handup.lab.study.results import Results
from tests.lab.study.claims.rows import COUNT, results, rows

ONE, OTHER = selector("graph"), selector("never")
LEVEL = 0.95


def verdict(comparison: Comparison, one: Episodes, other: Episodes) -> Verdict:
    return judged(results({ONE: one, OTHER: other}), comparison, LEVEL).verdict


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (1, 3, Verdict.HOLDS),
        (3, 1, Verdict.FAILS),
        (2, 2, Verdict.FAILS),
        ([0, 0, 0, 8], [0, 0, 8, 0], Verdict.OPEN),
    ],
)
def test_an_order_is_told_from_the_reverse_from_a_tie_and_from_noise(
    one: object, other: object, expected: Verdict
) -> None:
    found = verdict(lower("failed_attempts", ONE, OTHER), rows(failed=one), rows(failed=other))  # type: ignore[arg-type]
    assert found is expected


@pytest.mark.parametrize(
    ("one", "expected"),
    [(2, Verdict.HOLDS), (1, Verdict.HOLDS), (3, Verdict.FAILS), ([2, 2, 2, 2, 2, 2, 2, 6], Verdict.OPEN)],
)
def test_not_higher_allows_for_the_margin_and_for_being_lower(one: object, expected: Verdict) -> None:
    found = verdict(not_higher("failed_attempts", ONE, OTHER), rows(failed=one), rows(failed=2))  # type: ignore[arg-type]
    assert found is expected


@pytest.mark.parametrize(
    ("one", "expected"),
    [(2, Verdict.HOLDS), (1, Verdict.FAILS), (3, Verdict.FAILS), ([2, 2, 2, 2, 2, 2, 2, 6], Verdict.OPEN)],
)
def test_likeness_fails_on_either_side_of_the_margin(one: object, expected: Verdict) -> None:
    found = verdict(same("failed_attempts", ONE, OTHER), rows(failed=one), rows(failed=2))  # type: ignore[arg-type]
    assert found is expected


@pytest.mark.parametrize(("lost", "expected"), [(0.0, Verdict.HOLDS), (0.05, Verdict.OPEN), (0.5, Verdict.FAILS)])
def test_a_share_is_compared_with_a_number(lost: float, expected: Verdict) -> None:
    assert verdict(near("task_cost", ONE, 0.0), rows(lost=lost), rows()) is expected


def test_differences_are_taken_episode_by_episode() -> None:
    noisy = np.tile([0, 40], COUNT // 2)
    assert (
        verdict(lower("failed_attempts", ONE, OTHER), rows(failed=list(noisy)), rows(failed=list(noisy + 1)))
        is Verdict.HOLDS
    )


def test_half_a_question_counts_by_what_it_costs() -> None:
    cheap, dear = selector("graph", query_cost=0.08), selector("never", query_cost=0.08)
    found = results({cheap: rows(questions=3, price=0.08), dear: rows(questions=4, price=0.08)})
    assert judged(found, same("query_cost", cheap, dear), LEVEL).verdict is Verdict.FAILS


def cut(episodes: Episodes, count: int) -> Results:
    base = Cell(episodes=count)
    few = Episodes(**{name: values[:count] for name, values in vars(episodes).items()})
    return Results(base, {ONE.cell(base): few, OTHER.cell(base): few})


def test_an_event_that_was_not_seen_is_not_taken_for_impossible() -> None:
    assert judged(cut(rows(), 40), near("task_cost", ONE, 0.0), LEVEL).verdict is Verdict.OPEN
    assert judged(cut(rows(), 400), near("task_cost", ONE, 0.0), LEVEL).verdict is Verdict.HOLDS


@pytest.mark.parametrize(("count", "expected"), [(1, Verdict.OPEN), (29, Verdict.OPEN), (30, Verdict.HOLDS)])
def test_a_handful_of_episodes_that_agree_tells_nothing(count: int, expected: Verdict) -> None:
    assert judged(cut(rows(), count), same("failed_attempts", ONE, OTHER), LEVEL).verdict is expected


def test_one_episode_has_no_median_interval() -> None:
    comparison = lower("failed_attempts", ONE, OTHER)
    assert judged(cut(rows(), 1), comparison, LEVEL, medians=True).verdict is Verdict.OPEN


@pytest.mark.parametrize(("after", "expected"), [(3, Verdict.HOLDS), (9, Verdict.FAILS), (6, Verdict.FAILS)])
def test_rises_are_compared_with_rises(after: int, expected: Verdict) -> None:
    places = [algorithm(name, expert=e) for name in ("execute-first", "until-confident") for e in (1.0, 0.4)]
    found = results(dict(zip(places, [rows(failed=each) for each in (2, after, 1, 5)], strict=True)))
    comparison = rises_less("failed_attempts", (places[0], places[1]), (places[2], places[3]))
    assert judged(found, comparison, LEVEL).verdict is expected


def test_medians_tell_another_story_than_means() -> None:
    found = results({ONE: rows(failed=[0, 0, 20]), OTHER: rows(failed=1)})
    comparison = lower("failed_attempts", ONE, OTHER)
    assert judged(found, comparison, LEVEL).verdict is Verdict.FAILS
    assert judged(found, comparison, LEVEL, medians=True).verdict is Verdict.HOLDS


def test_task_cost_stays_a_mean_among_medians() -> None:
    found = results({ONE: rows(lost=0.3), OTHER: rows()})
    assert judged(found, same("task_cost", ONE, OTHER), LEVEL, medians=True).verdict is Verdict.FAILS


@pytest.mark.parametrize("medians", [False, True])
def test_intervals_cover_what_they_say(medians: bool) -> None:
    random, base, hit = np.random.default_rng(5), Cell(episodes=60), 0
    for _ in range(300):
        drawn = random.integers(0, 9, 60)
        made = Episodes(np.zeros(60, bool), np.zeros(60), drawn, drawn, np.zeros(60))
        text = judged(Results(base, {ONE.cell(base): made}), near("questions", ONE, 4.0), LEVEL, medians=medians).text
        low, high = (float(each) for each in text.split("[")[1].split("]")[0].split(","))
        hit += low <= 4.0 <= high
    assert hit >= 300 * 0.92


def test_what_is_paid_above_the_mean_price() -> None:
    place = selector("graph", beta=0.6)
    assert mean_of(results({place: rows(questions=2, price=0.42)}), "overpaid", place) == pytest.approx(0.2)


def test_a_missing_cell_has_no_mean() -> None:
    assert np.isnan(mean_of(results({ONE: rows()}), "questions", OTHER))


@pytest.mark.parametrize(
    ("comparison", "label"),
    [
        (
            lower("timesteps", selector("graph", modules=5), selector("never", modules=5)),
            "timesteps: graph less never, N = 5",
        ),
        (
            same("task_cost", selector("topo", expert=0.4), selector("topo", expert=1.0)),
            "Task Cost: topo, c_e = 0.4 less c_e = 1",
        ),
        (near("query_cost", algorithm("until-confident", structure="or"), 0.96), "Query Cost: until-confident, all-or"),
    ],
)
def test_labels_say_once_what_both_sides_share(comparison: Comparison, label: str) -> None:
    assert comparison.label == label
