"""The grammar of none, one and many."""

from __future__ import annotations

import pytest

from handup.lab.reaching.failures import ATTEMPTS, Cause
from handup.lab.reaching.words import counted, failed, joined, listed, mean, number, several

REACHED, MISSED = ("is reached", "are reached"), ("is not", "are not")


@pytest.mark.parametrize(
    ("given", "expected"), [((), ""), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")]
)
def test_a_list(given: tuple[str, ...], expected: str) -> None:
    assert joined(given) == expected
    assert listed(given) == (f" ({expected})" if given else "")


@pytest.mark.parametrize(
    ("reached", "missed", "expected"),
    [
        ((), ("time",), "1 is not (time)"),
        (("time",), (), "1 is reached (time)"),
        (("time", "success"), ("questions",), "2 are reached (time and success) and 1 is not (questions)"),
        ((), (), "there is none"),
    ],
)
def test_a_count_names_no_kind_of_which_there_is_none(
    reached: tuple[str, ...], missed: tuple[str, ...], expected: str
) -> None:
    assert counted({REACHED: reached, MISSED: missed}, names=True) == expected


@pytest.mark.parametrize(
    ("measure", "signed", "expected"),
    [
        ("success", False, "50.0 % (40.0 to 60.0)"),
        ("success", True, "+50.0 points (+40.0 to +60.0)"),
        ("total_s", False, "0.5 s (0.4 to 0.6)"),
        ("questions", True, "+0.50 (+0.40 to +0.60)"),
    ],
)
def test_a_number_has_its_unit_and_its_interval(measure: str, signed: bool, expected: str) -> None:
    assert number(measure, [0.5, 0.4, 0.6, 0.01, 60], signed=signed) == expected


def test_what_rounds_to_nothing_has_no_sign() -> None:
    assert number("total_s", [-0.04, -0.2, 0.04], signed=True) == "0.0 s (-0.2 to 0.0)"
    assert number("success", [-0.0, -0.0, 0.0], signed=True) == "0.0 points (0.0 to 0.0)"
    assert number("questions", [-0.001, -0.001, 0.01]) == "0.00 (0.00 to 0.01)"


def test_one_is_not_several() -> None:
    assert [several(count, "trial") for count in (0, 1, 2)] == ["0 trials", "1 trial", "2 trials"]


def test_a_mean_has_no_interval_and_may_be_missing() -> None:
    assert mean("total_s", [12.34, 11.0, 13.0]) == "12.3 s"
    assert mean("time_s", None) == "nothing known"


@pytest.mark.parametrize(
    ("belief", "pose", "expected"),
    [
        (0, 0, "None of 40 attempts with 'x' fails"),
        (1, 0, f"1 of 40 attempts with 'x' fails: 1 × {Cause.BELIEF}"),
        (1, 2, f"3 of 40 attempts with 'x' fail: 2 × {Cause.POSE}, 1 × {Cause.BELIEF}"),
    ],
)
def test_failures_by_cause_the_most_frequent_first(belief: int, pose: int, expected: str) -> None:
    counts = {ATTEMPTS: 40, **dict.fromkeys(map(str, Cause), 0), Cause.BELIEF: belief, Cause.POSE: pose}
    assert failed("with 'x'", counts) == expected
