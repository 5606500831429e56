"""Rows from CSV, and from Python: what is read and what is refused, with row and line."""

from __future__ import annotations

import numpy as np
import pytest

from examples.food_scores import PLACE, table
from handup.confidence import Sample, ScoreKind, parse_rows
from handup.core import BadData


def test_three_kinds_of_rows_are_read() -> None:
    scores = parse_rows("score,right\n0.5,1\n0.7,0\n")
    assert (scores.kind, scores.raw.tolist(), scores.right.tolist()) == (ScoreKind.SCORE, [0.5, 0.7], [True, False])
    options = parse_rows("target,p_b,p_a\n1,0.2,0.8\n1,0.6,0.4\n")
    assert options.right.tolist() == [True, False]
    assert options.score.tolist() == [0.8, 0.6]
    assert parse_rows("\ufeffVariance, right\n0.001,true\n\n2,false\n").kind is ScoreKind.VARIANCE


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("", "must have rows, got an empty one", None),
        ("score,right\n", "must be rows below the heading, got none", 1),
        ("score,rihgt\n0.5,1\n", "the columns must be .*, got score,rihgt", 1),
        ("score,score\n0.5,1\n", "the columns must be", 1),
        ("p_a,target\n0.5,0\n", "the columns must be", 1),
        ("score,right\n0.5,1\nnan,0\n", "row 2: score must be a number of at least 0, got 'nan'", 3),
        ("score,right\n0.5,1\n\n,0\n-1,1\n", "rows 2, 3: score must be a number of at least 0, got ''", 4),
        ("score,right\n0.5,2\n", "row 1: right must be 0 or 1, got '2'", 2),
        ("score,right\n0.5\n", "row 1: must have 2 cells, got 1", 2),
        ("p_a,p_b,p_c,p_d,target\n0.1,0.2,0.3,0.4,7\n", "row 1: target must lie between 0 and 3, got '7'", 2),
        ("p_a,p_b,target\n0.1,1.2,1\n", "row 1: p_b must be a number from 0 to 1, got '1.2'", 2),
        ("p_a,p_b,target\n0.1,0.2,1.0\n", "row 1: target must lie between 0 and 1, got '1.0'", 2),
        ("variance,right\ninf,1\n", "row 1: variance must be a number of at least 0, got 'inf'", 2),
        ('score,right\n"0.5,1\n', "must be CSV", None),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(text: str, said: str, line: int | None) -> None:
    with pytest.raises(BadData, match=said) as caught:
        parse_rows(text, "rows.csv")
    assert (caught.value.file, caught.value.line) == ("rows.csv", line)


def test_many_bad_rows_are_counted() -> None:
    with pytest.raises(BadData, match=r"rows 1, 2, 3, 4, 5, 6, 7, 8, … \(30 in all\)"):
        parse_rows("score,right\n" + "x,1\n" * 30)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Sample.of_scores([0.5, np.nan], [1, 0]),
        lambda: Sample.of_scores([0.5], [1, 0]),
        lambda: Sample.of_scores(["a"], [1]),
        lambda: Sample.of_scores([[0.5]], [1]),
        lambda: Sample.of_scores([0.5], [2]),
        lambda: Sample.of_scores([0.5], ["yes"]),
        lambda: Sample.of_options([[0.5, 1.5]], [0]),
        lambda: Sample.of_options([[0.5]], [0]),
        lambda: Sample.of_options([[0.5, 0.5]], [2]),
        lambda: Sample.of_options([[0.5, 0.5]], [0.5]),
        lambda: Sample.of_options([[0.5, 0.5], [1.0]], [0, 1]),
        lambda: Sample.of_variances([-1.0], [1]),
    ],
)
def test_a_sample_that_contradicts_itself_is_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadData):
        make()


def test_the_examples_scores_are_those_that_the_example_makes() -> None:
    assert PLACE.read_text(encoding="utf-8") == table()
    assert len(parse_rows(table())) == 100


def test_options_without_any_score_are_refused() -> None:
    with pytest.raises(BadData, match="row 2: the sum of scores must be above 0, got 0"):
        Sample.of_options([[0.4, 0.6], [0.0, 0.0]], [0, 1])
