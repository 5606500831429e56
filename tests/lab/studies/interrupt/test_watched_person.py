"""The simulated person: one truth under every sensing, and the numbers of its file."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from handup.lab.studies.interrupt.watched_person import watch, world
from handup.people.levels import Level
from tests.data import data_folder

PEOPLE = [(watch(seed, "clean", segments=600), watch(seed, "noisy", segments=600)) for seed in range(6)]


def test_the_truth_is_the_same_under_every_sensing() -> None:
    for clean, noisy in PEOPLE:
        assert (clean.level == noisy.level).all()
        assert (clean.activity == noisy.activity).all()
        assert clean.sightings != noisy.sightings
        assert [sighting.in_view for sighting in clean.sightings] == (clean.level > 0).tolist()


def test_labels_follow_the_hidden_activity() -> None:
    numbers = world()
    activity, level = (np.concatenate([getattr(clean, name) for clean, _ in PEOPLE]) for name in ("activity", "level"))
    assert len(numbers["activities"]) == 9
    assert set(np.unique(level)) == set(range(5))
    free = {name: (level[activity == number] >= Level.FREE).mean() for number, name in enumerate(numbers["activities"])}
    assert free["laptop"] < free["eating"] < free["resting"]


def test_sure_levels_are_the_likeliest_of_their_activity_for_the_same_people() -> None:
    for seed, (drawn, _) in enumerate(PEOPLE):
        sure = watch(seed, "clean", segments=600, bouts="sure")
        assert (sure.activity[:60] == drawn.activity[:60]).all()
        for number, kind in enumerate(world()["activities"].values()):
            here = sure.level[sure.activity == number]
            assert len(here) == 0 or here.min() == 1 + int(np.argmax(kind["levels"]))


def test_bouts_are_of_45_segments_on_average() -> None:
    activity = np.concatenate([watch(seed, "clean", segments=2000).activity for seed in range(6)])
    bouts = 1 + int(np.sum(np.diff(activity[activity >= 0]) != 0))
    assert len(activity) / bouts == pytest.approx(45, rel=0.2)


def test_noisy_detectors_miss_more_faces() -> None:
    found = [np.mean([sighting.gaze is not None for p in PEOPLE for sighting in p[n].sightings]) for n in (0, 1)]
    assert found[1] < found[0] - 0.1


def test_slots_are_those_that_people_reported() -> None:
    with (data_folder("distraction") / "reports.csv").open(encoding="utf-8") as file:
        seconds = sorted(slot for row in csv.DictReader(file) if (slot := float(row["seconds"])) > 0.0)
    places = [int(share * len(seconds)) for share in world()["slot_shares"]]
    assert [seconds[place] for place in places] == world()["slot_quantiles_s"]
