"""`handup people evaluate`: scores on people it has not seen, and plain words about bad files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.calls import assert_one_line_error, here
from tests.data import data_folder

HEADER = "person,request,busyness,asked_before,helped_before,helped,prosociality\n"


def table(path: Path, people: range, seed: int) -> Path:
    """Rows of people of whom every second never helps, and the rest while they are free."""
    random = np.random.default_rng(seed)
    rows = []
    for person in people:
        for number in range(6):
            busyness = ("free time", "medium", "high")[int(random.integers(3))]
            helped = int(person % 2 and busyness == "free time" and random.random() < 0.9)
            rows.append(f"{person},{number + 1},{busyness},0.4,0.0,{helped},3.5")
    path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return table(tmp_path / "train.csv", range(30), 0)


@pytest.fixture
def unseen(tmp_path: Path) -> Path:
    return table(tmp_path / "test.csv", range(100, 120), 1)


def test_the_scores_in_json(train: Path, unseen: Path) -> None:
    called = here("people", "evaluate", "--train", str(train), "--test", str(unseen), "--json")
    assert (called.code, called.err) == (0, "")
    found = json.loads(called.out)
    helped = [line.split(",")[5] == "1" for line in unseen.read_text().splitlines()[1:]]
    trained = [line.split(",")[5] == "1" for line in train.read_text().splitlines()[1:]]
    assert found["n"] == 120
    assert found["base_brier"] == pytest.approx(np.mean((np.mean(trained) - np.array(helped)) ** 2))
    assert 0.0 < found["brier"] < 0.7 * found["base_brier"]
    assert 0.8 < found["auc"] <= 1.0
    assert (found["people"], found["in_both"]) == (20, [])
    assert sum(part["n"] for part in found["reliability"]) == 120


def test_the_table_shows_predictions_beside_what_happened(train: Path, unseen: Path) -> None:
    called = here("people", "evaluate", "--train", str(train), "--test", str(unseen))
    assert (called.code, called.err) == (0, "")
    assert "120 requests to 20 people: Brier 0." in called.out
    assert "predicted / helped" in called.out
    assert "█" in called.out


def test_a_name_in_both_files_counts_as_two_people_and_is_told(train: Path) -> None:
    called = here("people", "evaluate", "--train", str(train), "--test", str(train), "--json")
    assert called.code == 0
    assert "30 names stand in both files ('0', '1', '10'" in called.err
    assert "counted as different" in called.err
    assert len(json.loads(called.out)["in_both"]) == 30


def test_the_rows_of_the_test_choose_nothing(train: Path, unseen: Path, tmp_path: Path) -> None:
    def of(path: Path) -> object:
        found = json.loads(here("people", "evaluate", "--train", str(train), "--test", str(path), "--json").out)
        return found["chosen"], found["trained_on"]

    assert of(unseen) == of(table(tmp_path / "more.csv", range(200, 210), 5))


def test_one_class_has_no_auc(train: Path, tmp_path: Path) -> None:
    one = tmp_path / "one.csv"
    one.write_text(HEADER + "x,1,high,0.4,0.0,0,3.5\nx,2,high,0.4,0.0,0,3.5\n", encoding="utf-8")
    found = json.loads(here("people", "evaluate", "--train", str(train), "--test", str(one), "--json").out)
    assert found["auc"] is None
    called = here("people", "evaluate", "--train", str(train), "--test", str(one))
    assert "AUC none, since all requests ended alike" in called.out


def test_columns_that_are_not_used_are_named(train: Path, unseen: Path) -> None:
    unseen.write_text(unseen.read_text().replace("helped_before", "helped_befor"), encoding="utf-8")
    called = here("people", "evaluate", "--train", str(train), "--test", str(unseen), "--json")
    assert called.code == 0
    assert "columns that are not used: helped_befor" in called.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the table must have a header, got an empty text"),
        (HEADER, "the table must have rows, got only its header"),
        (
            HEADER + "x,1,sleepy,0.4,0.0,0,3.5\n",
            "test.csv:2: row 2: busyness must be one of free time, medium, high, got 'sleepy'",
        ),
        (HEADER + "x,1,high,0.4,0.0,maybe,3.5\n", "test.csv:2: row 2: helped must be 0 or 1, got 'maybe'"),
    ],
)
def test_a_bad_file_is_told_in_one_line(train: Path, unseen: Path, text: str, words: str) -> None:
    unseen.write_text(text, encoding="utf-8")
    called = here("people", "evaluate", "--train", str(train), "--test", str(unseen))
    assert_one_line_error(called, words)


def test_a_file_that_is_not_there_is_told(train: Path, tmp_path: Path) -> None:
    called = here("people", "evaluate", "--train", str(train), "--test", str(tmp_path / "no.csv"))
    assert_one_line_error(called, "there is no such file")


def test_a_third_of_the_studys_people_left_out_is_predicted_as_well_as_promised(tmp_path: Path) -> None:
    lines = (data_folder("helping") / "requests.csv").read_text(encoding="utf-8").splitlines()
    people = sorted({int(line.split(",")[0]) for line in lines[1:]})
    left_out = {str(person) for person in people[::3]}
    for name, wanted in (("a.csv", False), ("b.csv", True)):
        rows = [line for line in lines[1:] if (line.split(",")[0] in left_out) is wanted]
        (tmp_path / name).write_text("\n".join([lines[0], *rows]) + "\n", encoding="utf-8")
    called = here("people", "evaluate", "--train", str(tmp_path / "a.csv"), "--test", str(tmp_path / "b.csv"), "--json")
    found = json.loads(called.out)
    assert found["brier"] <= 0.140
    assert found["auc"] >= 0.85
