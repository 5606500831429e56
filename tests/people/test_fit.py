"""Fitting workload on ratings, and scoring questionnaires."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from handup.core import BadData, BadSetting
from handup.people import Difficulty, Distraction, Features, Response, WorkloadModel
from handup.people.ratings import SCALES, Rating, Scale, fit_ratings, likert, predicted, raw, read_ratings, weighted

HEADER = "person,difficulty,response,distraction,rating\n"
KINDS = [Features(d, r, s) for d in Difficulty for r in Response for s in Distraction]
TRUE = WorkloadModel(b=0.30, a_d=0.20, a_r=0.02, a_s=0.05, g=0.3)


def rated(people: int, each: int, *, noise: float = 0.03, timed: bool = False, seed: int = 0) -> list[Rating]:
    """Ratings of people whose coefficients are known."""
    random = np.random.default_rng(seed)
    found: list[Rating] = []
    for person in range(people):
        s, load = random.uniform(0.7, 1.3), 0.0
        for number in range(each):
            features = KINDS[random.integers(len(KINDS))]
            seconds = float(random.uniform(5.0, 60.0))
            load = TRUE.leaked(load, seconds) if timed and number else 0.0
            value = s * TRUE.base(features) + TRUE.g * load + noise * random.normal()
            given = seconds if timed and number else None
            found.append(Rating(f"p{person}", features, float(np.clip(value, 0.0, 1.0)), given, len(found) + 2))
            load += TRUE.rho * TRUE.base(features)
    return found


def test_many_ratings_bring_the_true_coefficients() -> None:
    found = fit_ratings(rated(30, 30))
    for name in ("b", "a_d", "a_r", "a_s"):
        assert getattr(found.model, name) == pytest.approx(getattr(TRUE, name), abs=0.03), name
    assert found.model.g == WorkloadModel().g, "without times nothing is learnt about load"
    assert found.fitted == ("b", "a_d", "a_r", "a_s")


def test_times_bring_g() -> None:
    found = fit_ratings(rated(30, 30, timed=True))
    assert found.model.g == pytest.approx(TRUE.g, abs=0.05)
    assert "g" in found.fitted


def test_with_under_thirty_ratings_only_people_are_fitted() -> None:
    default = WorkloadModel()
    found = fit_ratings(rated(5, 5))
    assert found.fitted == ()
    assert replace(found.model, people={}, evidence=default.evidence) == default
    assert set(found.model.people) == {f"p{number}" for number in range(5)}
    assert fit_ratings(rated(6, 5)).fitted != ()


def test_a_strong_pull_keeps_the_defaults() -> None:
    found = fit_ratings(rated(20, 10), ridge=1e8)
    assert found.model.a_d == pytest.approx(WorkloadModel().a_d, abs=1e-4)


def test_people_left_out_are_predicted_better_than_by_the_defaults() -> None:
    held = fit_ratings(rated(40, 20)).held_out
    assert held is not None
    assert held.fitted < held.defaults
    assert held.fitted < held.mean
    assert fit_ratings(rated(1, 40)).held_out is None


def test_predictions_are_loads() -> None:
    guesses = predicted(WorkloadModel(people={"p0": 5.0}), rated(1, 10))
    assert ((guesses >= 0.0) & (guesses <= 1.0)).all()


def test_a_fit_goes_to_json() -> None:
    found = fit_ratings(rated(8, 6))
    record = json.loads(json.dumps(found.to_json()))
    assert WorkloadModel.from_json(record["model"]) == found.model
    assert record["n"] == 48
    assert "fitted on 48 ratings of 8 people" in found.model.evidence


# -- reading ----------------------------------------------------------------------------------------------------------


def test_both_scales_are_read() -> None:
    unit = read_ratings(HEADER + "a,easy,choice,none,0.25\na,hard,box,distracted,1\n")
    five = read_ratings(HEADER + "a,easy,choice,none,2\na,hard,box,distracted,5\n")
    assert [each.value for each in unit] == [each.value for each in five] == [0.25, 1.0]
    assert five[1].features == Features(Difficulty.HARD, Response.BOX, Distraction.DISTRACTED)
    assert read_ratings(HEADER + "a,easy,choice,none,1\n", Scale.LIKERT)[0].value == 0.0


def test_the_papers_words_and_seconds_are_read() -> None:
    text = "rating,person,difficulty,response,distraction,seconds\n0.3,a,easy,BB,no,\n0.3,a,easy,MCQ,yes,12.5\n"
    first, second = read_ratings(text)
    assert (first.features.response, first.seconds) == (Response.BOX, None)
    assert (second.features.distraction, second.seconds, second.line) == (Distraction.DISTRACTED, 12.5, 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (HEADER, "must have rows"),
        ("person,rating\na,1\n", "lacks 'difficulty'"),
        (HEADER.replace("rating", "rating,mood") + "a,easy,choice,none,1,2\n", "has 'mood'"),
        (HEADER + "a,easy,choice,none,0.3\na,easy,choice,none,nan\n", "row 3: rating must be a number, got 'nan'"),
        (HEADER + "a,easy,choice,none,\n", "row 2: rating must be a number, got ''"),
        (HEADER + "a,easy,choice,none,0.3\n,easy,choice,none,0.4\n", "row 3 must name a person"),
        (HEADER + "a,tricky,choice,none,0.3\n", "row 2: difficulty must be one of easy, hard, got 'tricky'"),
        (HEADER + "a,easy,choice,none,0.3\na,easy,choice,none,7\n", "row 3: 7"),
        (HEADER + "a,easy,choice,none,2\na,easy,choice,none,7\n", "row 3: 7"),
        (HEADER + "a,easy,choice,none,-1\n", "row 2: -1"),
        (HEADER + "a,easy,choice\n", "row 2 must have 5 values, got 3"),
        (HEADER + "a,easy,choice,none,1\n", "every rating is 1"),
        (HEADER.strip() + ",seconds\na,easy,choice,none,0.5,-3\n", "row 2: seconds must be at least 0, got -3"),
        (HEADER + 'a,easy,choice,none,"0.3\n', "must be CSV"),
    ],
)
def test_bad_tables_are_refused_with_their_row(text: str, words: str) -> None:
    with pytest.raises(BadData) as caught:
        read_ratings(text)
    assert words in str(caught.value)


def test_nothing_to_fit_is_refused() -> None:
    with pytest.raises(BadData):
        fit_ratings([])
    with pytest.raises(BadSetting):
        fit_ratings(rated(2, 2), ridge=0.0)


# -- questionnaires ---------------------------------------------------------------------------------------------------


def test_nasa_tlx_worked_by_hand() -> None:
    ratings = dict(zip(SCALES, (80.0, 10.0, 40.0, 20.0, 60.0, 30.0), strict=True))
    weights = dict(zip(SCALES, (5, 0, 3, 2, 4, 1), strict=True))
    assert raw(ratings) == pytest.approx(40.0)
    assert weighted(ratings, weights) == pytest.approx((400 + 0 + 120 + 40 + 240 + 30) / 15)


def test_items_from_one_to_five() -> None:
    assert [likert(each) for each in (1, 2, 3, 4, 5)] == [0.0, 0.25, 0.5, 0.75, 1.0]
    with pytest.raises(BadSetting):
        likert(0)


def test_bad_questionnaires_are_refused() -> None:
    ratings = dict.fromkeys(SCALES, 50.0)
    weights = dict(zip(SCALES, (5, 0, 3, 2, 4, 1), strict=True))
    for wrong in ({}, {**ratings, "mental": 101.0}, {**ratings, "mood": 3.0}):
        with pytest.raises(BadSetting):
            raw(wrong)
    for bad in ({}, {**weights, "mental": 4}, {**weights, "mental": 6}, {**weights, "physical": True}):
        with pytest.raises(BadSetting):
            weighted(ratings, bad)
