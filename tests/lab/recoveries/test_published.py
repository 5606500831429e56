"""The page about recoveries says what the published studies found."""

from __future__ import annotations

import pytest

from examples import recovery_page
from handup.domains.kitting.rates import rates_digest
from handup.lab.recoveries import rules
from handup.lab.recoveries.definition import RUNS
from handup.lab.recoveries.studies import RECOVERIES

PAGE = recovery_page.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("study", recovery_page.FIGURES)
def test_the_tables_are_those_of_the_record(study: str) -> None:
    found = list(recovery_page.tables(study))
    assert len(found) >= 3
    for table in found:
        assert table in PAGE, "run: python -m examples.recovery_page"
    assert recovery_page.refreshed(PAGE) == PAGE


def test_the_sentences_have_the_numbers_of_the_record() -> None:
    assert len(list(recovery_page.sentences(recovery_page.record("recoveries")))) > 15
    assert recovery_page.missing(PAGE) == []


def test_the_record_is_of_the_study_as_it_is_defined() -> None:
    found = recovery_page.record("recoveries")
    assert (found["name"], found["runs"], found["seed"]) == (RECOVERIES.name, RUNS, RECOVERIES.first_seed)
    assert [each["text"] for each in found["claims"]] == [each.text for each in RECOVERIES.claims]
    for day in RECOVERIES.days:
        assert list(found["measures"][day.name]) == list(RECOVERIES.ways)
        for way in found["measures"][day.name].values():
            assert sum(way["endings"].values()) == RUNS
    assert found["versions"]["rates"] == rates_digest(), "the world's numbers are those that were published"


def test_the_rules_that_were_counted_are_those_that_there_are() -> None:
    found = recovery_page.record("recovery-rules")
    assert found["rules"]["rules"] == len(rules.shipped())
    assert [tuple(map(tuple, each["rows"])) for each in found["tables"]] == [
        part.table().rows for part in rules.parts()
    ]
    assert f"With {len(rules.shipped())} rules it builds its kits" in PAGE
