"""The page about reaching says what the published study found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from examples import reaching_page
from handup.lab.reaching.claims import CLAIMS
from handup.lab.reaching.definition import FIRST_TRYING
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
    for path in (reaching_page.RECORD, *shown):
        assert path.stat().st_size < MOST_BYTES, path.name


def of_seeds(found: dict[str, Any], offset: int, **other: int) -> dict[str, Any]:
    """The record as if it were of the study, with all seeds moved, and some parts with fewer."""
    seeds = {each.name: [each.first_seed + offset, other.get(each.name, each.seeds)] for each in REACHING.parts}
    return {**found, "seeds": seeds}


def test_a_record_of_the_study_needs_no_warning_and_others_do(found: dict[str, Any]) -> None:
    assert "!!! warning" not in reaching_page.page(of_seeds(found, 0))
    assert "a trial run with development seeds" in reaching_page.page(of_seeds(found, FIRST_TRYING))
    assert "numbers of a part of the study" in reaching_page.page(of_seeds(found, 0, all=2))


def test_how_long_it_takes_follows_from_the_design(found: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"about {reaching_page.minutes()} minutes of one core" in reaching_page.page(found)
    before = reaching_page.minutes()
    half = replace(REACHING, parts=tuple(replace(each, seeds=each.seeds // 2) for each in REACHING.parts))
    monkeypatch.setattr(reaching_page, "REACHING", half)
    assert reaching_page.minutes() == pytest.approx(before / 2, abs=1.0)


def test_the_page_has_what_the_reading_says_and_every_claim(found: dict[str, Any]) -> None:
    page = reaching_page.page(found)
    for heading, said in reading(found):
        assert f"### {heading}" in page
        assert all(sentence in page for sentence in said)
    assert page.count("\n- **") == len(found["claims"])
