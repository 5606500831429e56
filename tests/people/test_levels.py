"""Levels of interruptibility: estimates, their drift, and what a detector that errs would say."""

from __future__ import annotations

import numpy as np
import pytest

from handup.core import OutOfRange, WrongSize
from handup.people import Level, LevelEstimate, LevelForecast
from handup.people.levels import Five


def test_free_is_levels_three_and_four_together() -> None:
    assert LevelEstimate((0.1, 0.2, 0.3, 0.25, 0.15)).free == pytest.approx(0.4)
    assert LevelEstimate.certain(Level.AWARE).free == 1.0


def test_somebody_is_very_busy_where_no_level_is_likelier() -> None:
    assert LevelEstimate((0.0, 0.4, 0.2, 0.4, 0.0)).very_busy
    assert not LevelEstimate((0.0, 0.39, 0.2, 0.41, 0.0)).very_busy
    assert not LevelEstimate((1.0, 0.0, 0.0, 0.0, 0.0), None).very_busy


def test_a_level_drifts_towards_the_usual_ones_and_grows_older() -> None:
    forecast = LevelForecast(bout_s=60.0, usual=(0.0, 0.4, 0.3, 0.2, 0.1))
    now = LevelEstimate.certain(Level.FREE, 1.0)
    half = forecast.after(now, 60.0 * np.log(2.0))
    assert half.probabilities == pytest.approx((0.0, 0.2, 0.15, 0.6, 0.05))
    assert half.age_s == pytest.approx(1.0 + 60.0 * np.log(2.0))
    assert forecast.after(now, 1e6).probabilities == pytest.approx(forecast.usual)
    assert forecast.after(LevelEstimate((0.0, 0.0, 0.0, 1.0, 0.0), None), 5.0).age_s is None


def test_outlooks_are_bayes_rule_and_keep_the_mean() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        rows = tuple(tuple((row / row.sum()).tolist()) for row in random.dirichlet(np.ones(5), 5))
        drawn = random.dirichlet(np.ones(5))
        estimate = LevelEstimate(tuple((drawn / drawn.sum()).tolist()))
        forecast = LevelForecast(bout_s=90.0, seen=rows)  # type: ignore[arg-type]
        later = np.array(forecast.after(estimate, 30.0).probabilities)
        found = list(forecast.outlooks(estimate, 30.0))
        said = later @ np.array(rows)
        assert [probability for probability, _ in found] == pytest.approx(said.tolist())
        for index, (_, seen) in enumerate(found):
            assert seen.probabilities == pytest.approx((later * np.array(rows)[:, index] / said[index]).tolist())
        mean = sum(probability * np.array(seen.probabilities) for probability, seen in found)
        assert mean == pytest.approx(later)


def test_a_detector_that_never_errs_says_the_level_itself() -> None:
    for probability, seen in LevelForecast().outlooks(LevelEstimate.certain(Level.BUSY), 10.0):
        assert 0.0 < probability < 1.0
        assert max(seen.probabilities) == 1.0


@pytest.mark.parametrize("wrong", [(0.5, 0.5), (0.5, 0.5, 0.5, 0.0, 0.0), (1.2, -0.2, 0.0, 0.0, 0.0)])
def test_what_is_no_probability_is_refused(wrong: Five) -> None:
    with pytest.raises((OutOfRange, WrongSize), match="probabilities of levels must"):
        LevelEstimate(wrong)


def test_wrong_numbers_of_a_forecast_are_refused() -> None:
    with pytest.raises(OutOfRange, match="bout_s must be finite and above 0, got 0"):
        LevelForecast(bout_s=0.0)
    with pytest.raises(WrongSize, match="seen must have 5 rows, got 1"):
        LevelForecast(seen=((0.2,) * 5,))  # type: ignore[arg-type]
    with pytest.raises(OutOfRange, match="the age of a level must be finite and at least 0"):
        LevelEstimate.certain(3, -1.0)
