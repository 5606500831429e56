"""Calibration sets as in the paper's appendix C.1."""

from __future__ import annotations

import pytest

from handup.confidence.calibration_sets import (
    PASSES,
    LabelEntry,
    Ranked,
    food_entries,
    of_entries,
    skill_entries,
    spread_of,
)
from handup.core import BadData

SEEN = [
    Ranked(("grape", "olive", "plum", "bean", "pea", "fig"), (0.7, 0.1, 0.08, 0.05, 0.04, 0.03)),
    Ranked(("melon", "mango"), (0.6, 0.3)),
    Ranked(("tofu", "cheese"), (0.5, 0.4)),
]


def test_every_true_food_has_an_entry_of_the_top_five_labels() -> None:
    entries = food_entries(SEEN, ["grape", "melon"])
    assert [entry.truth for entry in entries] == ["grape", "melon"]
    assert entries[0].prediction.labels == ("grape", "olive", "plum", "bean", "pea")
    assert not any(entry.substituted for entry in entries)


def test_a_food_that_was_not_predicted_gets_an_unmatched_prediction() -> None:
    entries = food_entries(SEEN, ["grape", "paneer"])
    assert entries[1] == LabelEntry(SEEN[1].best(5), "paneer", substituted=True)
    both = food_entries(SEEN, ["grape", "paneer", "seitan"])
    assert [entry.prediction.top for entry in both] == ["grape", "melon", "tofu"]


def test_or_else_a_matched_one() -> None:
    entries = food_entries(SEEN[:1], ["grape", "melon"])
    assert entries[1] == LabelEntry(SEEN[0].best(5), "melon", substituted=True)
    with pytest.raises(BadData, match="must have predictions, got none"):
        food_entries([], ["grape"])


def test_entries_make_a_sample_with_runner_ups() -> None:
    sample = of_entries(food_entries(SEEN, ["grape", "paneer"]))
    assert sample.score.tolist() == [0.7, 0.6]
    assert sample.right.tolist() == [True, False]
    assert sample.second is not None
    assert sample.second.tolist() == [0.1, 0.3]


def test_skills_are_kept_for_valid_boxes_only_and_three_of_them() -> None:
    skills = Ranked(("skewer", "scoop", "twirl", "push"), (0.6, 0.2, 0.1, 0.1))
    entries = skill_entries([(skills, "skewer", True), (skills, "scoop", False)])
    assert len(entries) == 1
    assert entries[0].prediction.labels == ("skewer", "scoop", "twirl")


def test_labels_are_sorted_by_their_scores() -> None:
    ranked = Ranked(("a", "b"), (0.1235, 0.87))
    assert ranked.labels == ("b", "a")
    assert ranked.scores == (0.87, 0.1235)


def test_the_spread_of_passes_is_the_mean_variance() -> None:
    passes = [[float(number % 2), 0.0, 0.0, 0.0] for number in range(PASSES)]
    assert spread_of(passes) == pytest.approx(0.25 / 4)
    with pytest.raises(BadData):
        spread_of([[1.0, 2.0]])
    with pytest.raises(BadData):
        Ranked((), ())
