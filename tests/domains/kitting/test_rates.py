"""The numbers of the world: fixed, each with a reason, and complete."""

from importlib.resources import files
from typing import Any

import pytest
from ruamel.yaml import YAML

from handup.core import BadSetting
from handup.domains.kitting import CAUSES, KittingWorld, rates
from handup.domains.kitting.actions import KINDS
from handup.domains.kitting.rates import rates_digest
from tests.domains.kitting.steps import only

FIXED = "e2584b496f325de49b2254e0f69b64a4dcda9c6694d74f8cce9a1ffa5a6fd50e"
"""Of all numbers since 16 November 2026: rules are to fit the world, not the other way."""


def table() -> dict[str, Any]:
    text = files("handup.domains.kitting").joinpath("data/rates.yaml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = YAML(typ="safe", pure=True).load(text)
    return loaded


def test_the_numbers_are_those_that_every_published_study_was_run_with() -> None:
    assert rates_digest() == FIXED


def test_every_number_has_a_reason() -> None:
    loaded = table()
    entries = [
        each for part in ("rules", "durations_s", "causes", "seeing", "people") for each in loaded[part].values()
    ]
    entries += [each for name, each in loaded["arena"].items() if name != "stations"]
    assert all(len(each["reason"]) > 5 for each in entries)


def test_the_file_says_since_when_it_is_fixed_and_what_cannot_be_shown() -> None:
    text = files("handup.domains.kitting").joinpath("data/rates.yaml").read_text(encoding="utf-8")
    assert "Written on 16 November 2026, before the first recovery rule" in text
    assert "cannot show that" in text


def test_every_cause_has_its_rate_and_every_rate_its_cause() -> None:
    assert set(rates().causes) == set(CAUSES)


def test_every_action_has_its_duration() -> None:
    assert set(rates().durations_s) | {"wait", "navigate"} == set(KINDS)


def test_what_removes_a_cause_is_an_action() -> None:
    assert {action for each in rates().causes.values() for action in each.removed_by} <= set(KINDS)


def test_codes_of_causes_are_codes_of_their_actions() -> None:
    wrong = [
        (cause.name, action)
        for cause in CAUSES.values()
        for action, code in cause.spoils.items()
        if code not in KINDS[action].codes
    ]
    assert wrong == []


def test_a_world_without_faults_and_one_with_a_single_fault() -> None:
    quiet = rates().without_faults()
    assert all(each.rate == 0.0 for each in quiet.causes.values())
    assert {name for name, each in only("slip", 1.0).causes.items() if each.rate > 0.0} == {"slip"}


def test_everything_more_often_is_still_a_probability() -> None:
    assert rates().times(2.0).causes["slip"].rate == pytest.approx(2.0 * rates().causes["slip"].rate)
    assert all(each.rate <= 1.0 for each in rates().times(1000.0).causes.values())


def test_a_seed_is_a_whole_number_from_0() -> None:
    with pytest.raises(BadSetting, match="seed must be at least 0, got -1"):
        KittingWorld(-1)
