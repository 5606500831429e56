"""Willingness: Bayes' rule over kinds of people, each person's own record, and what is shipped."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadRecord, BadSetting
from handup.people import (
    BUSYNESS_AT,
    Busyness,
    Evidence,
    HelpRecord,
    WillingKind,
    WillingnessModel,
    disturbances,
    willingness_model,
)
from handup.people.answers import shipped_record
from handup.people.willingness import PLACES
from tests.oracles import willingness as oracle

LEVELS = st.integers(0, 4)
HISTORIES = st.lists(st.tuples(LEVELS, st.booleans()), max_size=12)
History = list[tuple[int, bool]]


def told(history: History, model: WillingnessModel | None = None) -> WillingnessModel:
    model = model or willingness_model()
    for level, answered in history:
        model = model.asked("Ada", level, answered=answered)
    return model


def chance(model: WillingnessModel, level: int, person: str | None = "Ada", **more: Any) -> float:
    return model.chance(level, person=person, **more).probability


def test_a_stranger_answers_as_people_of_the_study_did() -> None:
    model = willingness_model()
    free, medium, high = (chance(model, level, None) for level in (3, 2, 1))
    assert free == pytest.approx(0.52, abs=0.03)
    assert medium == pytest.approx(0.33, abs=0.03)
    assert high == pytest.approx(0.1, abs=0.03)
    assert chance(model, 4, None) == free, "the study's people all knew of the robot"
    assert model.chance(3).evidence is Evidence.NOT_FROM_HOMES
    assert str(Evidence.NOT_FROM_HOMES) == "human data, not from homes"


@given(HISTORIES, LEVELS)
def test_a_record_moves_the_chance_by_bayes_rule(history: History, level: int) -> None:
    model = told(history)
    kinds = [(kind.share, kind.chances) for kind in model.kinds]
    places = [(PLACES[BUSYNESS_AT[at]], answered) for at, answered in history]
    assert chance(model, level) == pytest.approx(oracle.chance(kinds, places, PLACES[BUSYNESS_AT[level]]), abs=1e-9)


@given(HISTORIES, LEVELS)
def test_an_answer_raises_the_chance_at_its_level_and_silence_lowers_it(history: History, level: int) -> None:
    model = told(history)
    silent, before, helped = (
        chance(found, level) for found in (told([(level, False)], model), model, told([(level, True)], model))
    )
    assert 0.0 < silent <= before + 1e-12
    assert before <= helped + 1e-12 < 1.0


@given(HISTORIES)
def test_the_busier_a_person_is_the_less_likely_they_answer(history: History) -> None:
    model = told(history)
    chances = [chance(model, level) for level in (4, 3, 2, 1)]
    assert chances == sorted(chances, reverse=True)


@given(HISTORIES, st.randoms(use_true_random=False))
def test_only_the_counts_of_a_record_matter(history: History, random: Any) -> None:
    mixed = list(history)
    random.shuffle(mixed)
    assert told(history).people.get("Ada") == told(mixed).people.get("Ada")


def test_a_person_who_never_helps_is_soon_left_alone() -> None:
    model = told([(3, False)] * 5)
    assert chance(model, 3) < 0.12
    assert chance(told([(3, True)] * 5), 3) > 0.8


@given(HISTORIES)
def test_records_are_ones_own_and_can_be_forgotten(history: History) -> None:
    model = told(history)
    assert chance(model, 3, "Tom") == chance(willingness_model(), 3, None)
    assert model.forget("Ada") == willingness_model()


@given(HISTORIES)
def test_json_and_back(history: History) -> None:
    model = told(history)
    assert WillingnessModel.from_json(json.loads(json.dumps(model.to_json()))) == model


@given(HISTORIES, LEVELS, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_load_never_makes_anybody_willing(history: History, level: int, load: float, more: float) -> None:
    model = replace(told(history), load_weight=-1.5)
    low, high = sorted((load, more))
    assert 0.0 < chance(model, level, load=high) <= chance(model, level, load=low) < 1.0
    assert chance(model, level, load=0.5) == chance(model, level), "nothing is added at the mean load"


def test_the_study_shows_no_effect_of_load() -> None:
    low, high = shipped_record("willingness", "fitted-willingness")["load"]["ci"]
    assert low < 0.0 < high
    assert willingness_model().load_weight == 0.0


def test_unknown_levels_count_as_unknown() -> None:
    model = told([(0, True)])
    assert model.people["Ada"] == HelpRecord((0, 0, 0, 1), (0, 0, 0, 1))
    assert chance(model, 3) > chance(model, 3, None)


@pytest.mark.parametrize(
    "change", [{"schema": 2}, {"kind": "x"}, {"kinds": []}, {"kinds": [{"share": 1}]}, {"people": {"a": {}}}]
)
def test_damaged_records_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadRecord):
        WillingnessModel.from_json(willingness_model().to_json() | change)


def test_what_cannot_be_is_refused() -> None:
    model = willingness_model()
    with pytest.raises(BadSetting, match="level must be a whole number from 0 to 4, got 5"):
        model.chance(5)
    with pytest.raises(BadSetting, match="load must lie between 0 and 1, got 2"):
        model.chance(3, load=2.0)
    with pytest.raises(BadSetting, match="load_weight must be at most 0"):
        replace(model, load_weight=0.5)
    with pytest.raises(BadSetting, match="kind"):
        WillingKind(0.5, (0.5, 0.5))
    with pytest.raises(BadSetting, match="P\\(answers\\) of a kind"):
        WillingKind(0.5, (1.0, 0.5, 0.5, 0.5))
    with pytest.raises(BadSetting, match="answered requests"):
        HelpRecord((1, 0, 0, 0), (2, 0, 0, 0))


def test_levels_are_the_studys_three_states() -> None:
    assert BUSYNESS_AT == {4: Busyness.FREE, 3: Busyness.FREE, 2: Busyness.MEDIUM, 1: Busyness.HIGH, 0: None}


def test_disturbance_by_activity_has_intervals_and_a_source() -> None:
    found = disturbances()
    for activity, mean in (("study", 3.3), ("meal", 2.1), ("rest", 1.9), ("leisure", 2.0)):
        assert round(found[activity].mean, 1) == mean
        assert 1.0 <= found[activity].low < found[activity].mean < found[activity].high <= 5.0
        assert found[activity].evidence is Evidence.NOT_FROM_HOMES
    assert sum(activity.reports for activity in found.values()) == 9180
    means = [activity.mean for activity in found.values()]
    assert means == sorted(means, reverse=True)
