"""The page about reaching says what the published study found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from examples import reaching_page
from handup.confidence.metrics import wilson
from handup.lab.reaching.claims import CLAIMS, SUCCESS
from handup.lab.reaching.definition import FIRST_TRYING, Size
from handup.lab.reaching.reading import reading
from handup.lab.reaching.record import KIND, SCHEMA
from handup.lab.reaching.studies import REACHING

MOST_BYTES = 200_000


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return reaching_page.record()


def test_the_page_is_that_of_the_record(found: dict[str, Any]) -> None:
    page = reaching_page.PAGE.read_text(encoding="utf-8")
    assert page == reaching_page.page(found), "run: python -m examples.reaching_page"


def test_the_record_is_of_the_study_as_it_is_defined(found: dict[str, Any]) -> None:
    assert (found["kind"], found["schema"], found["name"]) == (KIND, SCHEMA, REACHING.name)
    assert set(found["seeds"]) == {each.name for each in REACHING.parts}
    assert [(each["key"], each["user"], each["text"]) for each in found["claims"]] == [
        (each.key, each.user, each.text) for each in CLAIMS
    ]
    assert set(found["means"]["U22"]["mixed"]) == set(REACHING.main.methods)


def test_the_record_and_the_pictures_are_small() -> None:
    shown = [reaching_page.PICTURES / name for name in (*reaching_page.SHOWN, *reaching_page.BARS)]
    close = [path for path in map(closely, reaching_page.CLOSE) if path.exists()]
    assert close
    for path in (reaching_page.RECORD, *shown, *close):
        assert path.stat().st_size < MOST_BYTES, path.name


def closely(name: str) -> Path:
    return reaching_page.PICTURES / reaching_page.picture(name)


def test_trials_looked_at_closely_are_shown_where_there_are_some(found: dict[str, Any]) -> None:
    for name, looked_for in found["close"].items():
        there = any(looked_for.values())
        assert (f"(../img/lab/{reaching_page.picture(name)})" in reaching_page.page(found)) == there
        assert closely(name).exists() == there
    none = {**found, "close": {name: {"such a trial": []} for name in found["close"]}}
    assert "-fig-" not in reaching_page.page(none)


def test_the_page_says_what_the_sizes_allow(found: dict[str, Any]) -> None:
    page = reaching_page.page(of_seeds(found, 0))
    assert "Fewer than 50 seeds" not in page
    assert "At the 585 trials of the goal, ≥ 99 % success holds only with at most 1 failure" in page
    assert "585 people, 195 (seeds from 200) at each of 3 tasks" in page
    small = reaching_page.page(of_seeds(found, 0, **{"look-ahead": 24, "gentle": 12}))
    assert "Fewer than 50 seeds per cell have look-ahead (24) and gentle (12)." in small
    assert "At the 30 trials of the goal, ≥ 99 % success cannot hold" in reaching_page.page(of_seeds(found, 0, goal=10))


@pytest.mark.parametrize("failures", [0, 1, 2, 3])
def test_so_many_failures_are_too_many(failures: int) -> None:
    low, _ = wilson(585 - failures, 585)
    most = reaching_page.most_failures(585)
    assert most is not None
    assert (low >= SUCCESS) == (failures <= most)


def of_seeds(found: dict[str, Any], offset: int, **other: int) -> dict[str, Any]:
    """The record as if it were of the study, with all seeds moved, and some parts with fewer."""
    seeds = {each.name: [each.first_seed + offset, other.get(each.name, each.seeds)] for each in REACHING.parts}
    return {**found, "seeds": seeds}


def test_a_record_of_the_study_needs_no_warning_and_others_do(found: dict[str, Any]) -> None:
    assert "!!! warning" not in reaching_page.page(of_seeds(found, 0))
    assert "a trial run with development seeds" in reaching_page.page(of_seeds(found, FIRST_TRYING))
    assert "numbers of a part of the study" in reaching_page.page(of_seeds(found, 0, all=2))


def test_how_long_it_takes_follows_from_the_design(found: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    trials = sum(each.expected for each in REACHING.sittings(Size()))
    monkeypatch.setattr(reaching_page, "SECONDS_PER_TRIAL", 4 * 3600.0 / trials)
    assert "about 4 hours of one core" in reaching_page.page(found)
    half = replace(REACHING, parts=tuple(replace(each, seeds=each.seeds // 2) for each in REACHING.parts))
    monkeypatch.setattr(reaching_page, "REACHING", half)
    assert reaching_page.hours() == 2
    monkeypatch.setattr(reaching_page, "SECONDS_PER_TRIAL", 3600.0 / trials)
    assert "about 1 hour of one core" in reaching_page.page(found)


def test_the_page_has_what_the_reading_says_and_every_claim(found: dict[str, Any]) -> None:
    page = reaching_page.page(found)
    for heading, said in reading(found):
        assert f"### {heading}" in page
        assert all(sentence in page for sentence in said)
    assert page.count("\n- **") == len(found["claims"])
