"""Interruptibility: features, the forest as arrays, the forward filter, age."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

from handup.core import BadSetting
from handup.lab.studies.interrupt.level_models import exported
from handup.lab.studies.interrupt.watched_person import watch
from handup.people.interruptibility import (
    FILE,
    FeatureSet,
    InterruptibilityModel,
    LevelTrack,
    Sighting,
    feature_names,
    interruptibility_model,
)

SIGHTINGS = watch(9, "noisy", segments=60).sightings
COFFEE = Sighting(at_s=0.0, x_m=2.0, y_m=-0.5, gaze=True, turn_rad=0.1, objects=frozenset({"cup"}))


@cache
def tracks() -> tuple[LevelTrack, ...]:
    found = [interruptibility_model().track()]
    for sighting in SIGHTINGS:
        found.append(found[-1].seen(sighting))
    return tuple(found)


def test_each_set_of_features_has_those_of_the_one_before() -> None:
    names = [feature_names(kind, objects=False) for kind in FeatureSet]
    assert [len(found) for found in names] == [4, 8, 26]
    assert all(more[: len(less)] == less for less, more in pairwise(names))
    for kind in FeatureSet:
        for objects in (False, True):
            assert len(COFFEE.features(kind, objects=objects)) == len(feature_names(kind, objects=objects))
            assert len(feature_names(kind, objects=objects)) - len(feature_names(kind, objects=False)) == 7 * objects


def test_features_say_what_they_are_called() -> None:
    seen = replace(
        COFFEE, at_s=2.0, x_m=3.0, sound_rad=math.atan2(-0.5, 3.0), sound_confidence=0.5, body=(0, 0, 0.5, 0.4)
    )
    found = dict(
        zip(
            feature_names(FeatureSet.EXT, objects=True),
            seen.features(FeatureSet.EXT, objects=True, before=COFFEE),
            strict=True,
        )
    )
    assert found["velocity x"] == 0.5
    assert found["sound near"] == found["in field of view"] == found["cup"] == found["gaze"] == found["face"] == 1.0
    assert [found[f"beyond {limit} m"] for limit in (0.46, 1.22, 3.66)] == [1.0, 1.0, 0.0]
    assert found["body area"] == pytest.approx(0.2)
    assert found["laptop"] == found["face width"] == 0.0


@pytest.mark.parametrize("trees, leaves", [(10, 1), (5, 20)])
def test_a_forest_as_arrays_is_scikit_learns(trees: int, leaves: int) -> None:
    random = np.random.default_rng(trees)
    # Coarse numbers, so that many lie exactly on thresholds of 32 bits.
    features, levels = random.integers(0, 9, (400, 6)) / 10.0, random.integers(0, 4, 400)
    forest = RandomForestClassifier(trees, min_samples_leaf=leaves, random_state=0).fit(features, levels)
    others = np.concatenate([features, random.normal(size=(400, 6))])
    assert exported(forest).probabilities(others) == pytest.approx(forest.predict_proba(others), abs=1e-12)


def test_an_estimate_is_five_probabilities_and_their_age() -> None:
    for track, sighting in zip(tracks()[1:], SIGHTINGS, strict=True):
        found = track.at(sighting.at_s + 1.5)
        assert sum(found.probabilities) == pytest.approx(1.0)
        assert found.free == pytest.approx(found.probabilities[3] + found.probabilities[4])
        assert found.age_s == (1.5 if sighting.in_view else found.age_s)
        assert found.probabilities[0] == (0.0 if sighting.in_view else 1.0)


def test_nothing_is_known_of_somebody_unseen_out_of_view_or_seen_more_than_four_seconds_ago() -> None:
    track = interruptibility_model().track()
    assert (track.at(0.0).probabilities[0], track.at(0.0).age_s) == (1.0, None)
    seen = track.seen(COFFEE)
    assert [seen.at(at_s).probabilities[0] for at_s in (0.0, 4.0, 4.001)] == [0.0, 0.0, 1.0]
    gone = seen.seen(Sighting(at_s=1.0, in_view=False))
    assert (gone.at(1.0).probabilities[0], gone.at(1.0).age_s) == (1.0, 1.0)


@given(st.integers(0, len(SIGHTINGS) - 1))
def test_an_estimate_uses_nothing_after_its_time(count: int) -> None:
    model = interruptibility_model()
    track = model.track()
    for sighting in SIGHTINGS[: count + 1]:
        track = track.seen(sighting)
    now_s = SIGHTINGS[count].at_s
    assert track.at(now_s) == tracks()[count + 1].at(now_s)
    judged = model.forest.probabilities(
        np.array([s.features(model.kind, objects=True) for s in SIGHTINGS if s.in_view])
    )
    assert np.array_equal(model.filtered(judged)[: count + 1], model.filtered(judged[: count + 1]))


def test_without_sightings_the_belief_relaxes_towards_the_usual() -> None:
    model, belief = interruptibility_model(), np.array([0.0, 0.0, 0.0, 1.0])
    values, vectors = np.linalg.eig(model.rates.T)
    usual = np.real(vectors[:, np.argmin(np.abs(values))])
    usual /= usual.sum()
    gaps = [float(np.abs(model.later(belief, seconds) - usual).sum()) for seconds in (0.0, 1.0, 4.0, 60.0, 1e5)]
    assert all(later < sooner for sooner, later in pairwise(gaps))
    assert gaps[-1] < 1e-6
    assert model.later(model.later(belief, 2.0), 3.0) == pytest.approx(model.later(belief, 5.0), abs=1e-4)


def test_four_sightings_in_a_second_count_about_as_one() -> None:
    model = interruptibility_model()
    often = once = model.track().seen(COFFEE)
    for step in range(1, 41):
        often = often.seen(replace(COFFEE, at_s=step / 4.0))
        once = once.seen(replace(COFFEE, at_s=step / 4.0)) if step % 4 == 0 else once
    assert often.at(10.0).probabilities == pytest.approx(once.at(10.0).probabilities, abs=0.06)


def test_calibration_moves_the_probability_of_being_free_and_nothing_else() -> None:
    model = replace(interruptibility_model(), slope=0.5, intercept=-0.4)
    belief = np.array([0.1, 0.2, 0.3, 0.4])
    found = model.calibrated(belief)
    free = 1.0 / (1.0 + math.exp(-(0.5 * math.log(0.7 / 0.3) - 0.4)))
    assert found == pytest.approx([(1 - free) / 3, (1 - free) * 2 / 3, free * 3 / 7, free * 4 / 7])
    assert replace(model, slope=1.0, intercept=0.0).calibrated(belief) == pytest.approx(belief)
    assert model.calibrated(np.array([0.0, 0.0, 0.0, 1.0])).sum() == pytest.approx(1.0)


def test_mistakes_are_told() -> None:
    with pytest.raises(BadSetting, match="go back"):
        interruptibility_model().track().seen(replace(COFFEE, at_s=5.0)).at(4.0)
    with pytest.raises(BadSetting, match="teapot"):
        replace(COFFEE, objects=frozenset({"teapot"}))
    with pytest.raises(BadSetting, match="finite"):
        replace(COFFEE, x_m=math.nan)
    with pytest.raises(BadSetting, match="levels"):
        replace(interruptibility_model(), prior=np.ones(3))


def test_the_shipped_model_is_small_and_says_that_it_is_simulated() -> None:
    model = interruptibility_model()
    assert isinstance(model, InterruptibilityModel)
    assert "simulated" in model.provenance["people"]
    assert len(files("handup.people").joinpath(f"{FILE}.npz").read_bytes()) < 300_000
    assert len(model.forest.roots) == 40
    assert model.forest.counts.sum(axis=1).min() >= 20
