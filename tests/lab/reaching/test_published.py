"""The page about reaching says what the published study found, and pages say what their numbers say."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from examples import reaching_page
from handup.lab.reaching import tables
from handup.lab.reaching.claims import CLAIMS
from handup.lab.reaching.reading import compared, reading
from handup.lab.reaching.record import KIND, SCHEMA
from handup.lab.reaching.studies import OURS, PAPER, REACHING

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
    shown = [reaching_page.PICTURES / f"{name}.svg" for name in reaching_page.SHOWN]
    for path in (reaching_page.RECORD, *shown):
        assert path.stat().st_size < MOST_BYTES, path.name


def words(found: dict[str, Any]) -> str:
    return " ".join(sentence for _, said in reading(found) for sentence in said)


def test_other_numbers_give_other_words(found: dict[str, Any]) -> None:
    worse = copy.deepcopy(found)
    worse["versus"]["S1"]["mixed"]["total_s"] = [9.0, 8.0, 10.0, 0.001, 60]
    assert "Worse in time in S1 for mixed users, by 9.00 s" in words(worse)
    better = copy.deepcopy(found)
    for users in better["versus"].values():
        for numbers in users.values():
            numbers.update({"success": [0.1, 0.05, 0.2, 0.01, 60], "total_s": [-5.0, -6.0, -4.0, 0.01, 60]})
            numbers.update({"all_opposing": [-0.1, -0.2, -0.05, 0.01, 60], "questions": [-1.0, -1.2, -0.8, 0.01, 60]})
    assert "In no scene and for no kind of user is assist worse" in words(better)
    for each in better["claims"]:
        each["verdict"] = "does not hold"
    assert "0 are reached, 5 are not (success, time, questions, opposing and every task)" in words(better)
    assert "Refuted, stop-beside" in words(better)


def test_whether_the_look_ahead_matters_is_told_by_the_questions(found: dict[str, Any]) -> None:
    other = copy.deepcopy(found)
    for name, questions in (("0.3", 0.5), ("2", 0.6)):
        for scene in other["look_ahead"][name].values():
            scene["questions"] = [questions] * 3
    assert "from 0.50 to 0.60: what is asked hardly depends" in words(other)


def test_failures_are_told_by_their_counts(found: dict[str, Any]) -> None:
    other = copy.deepcopy(found)
    counts = other["failures"][PAPER]
    counts.update(dict.fromkeys((key for key in counts if key != "attempts"), 0))
    assert "No attempt with the policy failed" in words(other)
    counts["surely wrong from pushes alone"] = 12
    counts["a wrong answer"] = 3
    assert "Confirmed: most failures of the policy are surely wrong beliefs from pushes alone: 12 of 15" in words(other)


@pytest.mark.parametrize(
    ("measure", "numbers", "expected"),
    [
        ("total_s", [-1.0, -2.0, -0.1, 0.01, 60], "better"),
        ("total_s", [1.0, 0.1, 2.0, 0.01, 60], "worse"),
        ("success", [0.1, 0.05, 0.2, 0.01, 60], "better"),
        ("questions", [0.0, -0.1, 0.1, 0.9, 60], "no clear difference"),
        ("total_s", [1.0, 0.1, 2.0, 0.01, 8], "no clear difference"),
    ],
)
def test_an_interval_decides_what_is_better(measure: str, numbers: list[float], expected: str) -> None:
    assert compared(measure, numbers) == expected


def test_every_table_has_a_cell_for_each_column(found: dict[str, Any]) -> None:
    for each in tables.tables(found):
        assert {len(row) for row in each.rows} <= {len(each.columns)}, each.caption
    verdicts = {row[0]: row[-1] for row in tables.goal(found).rows}
    assert set(verdicts) == {"success", "time", "questions", "opposing", "every task"}
    assert f"`{OURS}`" in tables.goal(found).columns
