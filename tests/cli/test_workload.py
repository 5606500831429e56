"""`handup workload`: fitted on ratings, shown, and careful with bad tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from handup.people import WorkloadModel
from tests.cli.calls import assert_one_line_error, here

HEADER = "person,difficulty,response,distraction,rating\n"


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    rows = [
        f"p{person},{('easy', 'hard')[number % 2]},{('choice', 'box')[number // 2 % 2]},none,{random.integers(1, 6)}"
        for person in range(5)
        for number in range(8)
    ]
    path = tmp_path / "ratings.csv"
    path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_show_gives_the_defaults_and_says_what_they_are() -> None:
    called = here("workload", "show")
    assert (called.code, called.err) == (0, "")
    assert "mean 0.32; evidence: illustrative" in called.out
    assert "Load F over a meal" in called.out


def test_show_in_json() -> None:
    found = json.loads(here("workload", "show", "--json").out)
    assert found["mean_cost"] == 0.32
    assert found["costs"] == {"M1": 0.24, "M2": 0.34, "M3": 0.24, "M4": 0.46}
    assert WorkloadModel.from_json(found["model"]) == WorkloadModel()
    loads = [row["load"] for row in found["meal"]]
    assert loads[0] == 0.0
    assert max(loads) > loads[-1] > 0.0


def test_fit_saves_what_show_reads(ratings: Path, tmp_path: Path) -> None:
    saved = tmp_path / "model.json"
    found = json.loads(here("workload", "fit", str(ratings), "--save", str(saved), "--json").out)
    assert (found["n"], found["people"], found["fitted"]) == (40, 5, ["b", "a_d", "a_r", "a_s", "s_person"])
    assert set(found["leave_one_person_out"]) == {"rmse", "defaults_rmse", "mean_rmse"}
    assert WorkloadModel.from_json(json.loads(saved.read_text(encoding="utf-8"))).to_json() == found["model"]
    assert "fitted on 40 ratings of 5 people" in here("workload", "show", "--model", str(saved)).out


def test_fit_for_people(ratings: Path, tmp_path: Path) -> None:
    called = here("workload", "fit", str(ratings))
    assert called.code == 0
    assert "People left out: error" in called.out
    few = tmp_path / "few.csv"
    few.write_text(HEADER + "a,easy,choice,none,0.4\n", encoding="utf-8")
    called = here("workload", "fit", str(few))
    assert "only s of each person is fitted" in called.out
    assert "cannot be told" in called.out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (HEADER, "must have rows"),
        ("score,right\n0.2,1\n", "lacks 'person'"),
        (HEADER + "a,easy,choice,none,0.4\na,easy,choice,none,nan\n", "row 3"),
        (HEADER + "a,easy,choice,none,3\na,easy,choice,none,9\n", "row 3"),
    ],
)
def test_bad_tables_are_refused_and_nothing_is_written(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text(text, encoding="utf-8")
    called = here("workload", "fit", "ratings.csv", "--save", "model.json", cwd=tmp_path)
    assert_one_line_error(called, words, "ratings.csv", "[HU108]")
    assert [each.name for each in tmp_path.iterdir()] == ["ratings.csv"]


def test_bad_calls_are_refused(ratings: Path, tmp_path: Path) -> None:
    assert_one_line_error(here("workload", "fit", str(tmp_path / "none.csv")), "there is no such file", "none.csv")
    assert_one_line_error(here("workload", "fit", str(ratings), "--scale", "loud"), "--scale must be one of")
    assert_one_line_error(here("workload", "fit", str(ratings), "--ridge", "0"), "ridge must be above 0")
    assert_one_line_error(here("workload", "show", "--model", str(ratings)), "no JSON", "ratings.csv")
    (tmp_path / "other.json").write_text('{"kind": "fish"}', encoding="utf-8")
    other = here("workload", "show", "--model", str(tmp_path / "other.json"))
    assert_one_line_error(other, "must be of a workload-model", "[HU202]")
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"person\xff")
    assert_one_line_error(here("workload", "fit", str(latin)), "no UTF-8")


def test_the_ratings_are_never_written_over(ratings: Path, tmp_path: Path) -> None:
    before = ratings.read_bytes()
    for place in (ratings, tmp_path / "nowhere" / "model.json", tmp_path):
        called = here("workload", "fit", str(ratings), "--save", str(place))
        assert_one_line_error(called, "--save must")
    assert ratings.read_bytes() == before


def test_one_rating_on_another_scale_is_named_itself(ratings: Path) -> None:
    lines = ratings.read_text(encoding="utf-8").splitlines()
    lines[5] = ",".join([*lines[5].split(",")[:-1], "7"])
    ratings.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert_one_line_error(here("workload", "fit", str(ratings)), "row 6: 7")
