"""The page about meals says what the published studies found."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples import meal_tables
from handup.lab.meals.studies import STUDIES

PAGE = Path(__file__).parents[3] / "docs" / "lab" / "meals.md"


@pytest.mark.parametrize("study", STUDIES)
def test_the_tables_are_those_of_the_record(study: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for table in meal_tables.tables(study).split("\n\n"):
        assert table in page, f"run: python -m examples.meal_tables {study}"


@pytest.mark.parametrize("study", STUDIES)
def test_a_record_is_of_the_study_as_it_is_defined(study: str) -> None:
    found = meal_tables.record(study)
    assert (found["name"], found["seed"], found["participants"]) == (study, STUDIES[study].first_seed, 48)
    assert [each["text"] for each in found["claims"]] == [each.text for each in STUDIES[study].claims]
    for each in found["triage"]:
        assert sum(cause["bites"] for cause in each["causes"]) == each["lost"], "every lost bite has one cause"
