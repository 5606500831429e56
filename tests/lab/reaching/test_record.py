"""What pages are made of: intervals for every task, orders one by one, and known poses apart from unknown ones."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from examples import reaching_page
from handup.lab.reaching import tables
from handup.lab.reaching.claims import CLAIMS
from handup.lab.reaching.definition import Sitting
from handup.lab.reaching.judging import judge
from handup.lab.reaching.orderings import orderings
from handup.lab.reaching.reading import CLOSE, reading
from handup.lab.reaching.record import BARS, SHOWN, USERS, record
from handup.lab.reaching.results import Results
from handup.lab.reaching.rows import AttemptRow
from tests.lab.reaching.made_up import ATTEMPT, FAILED, results
from tests.lab.reaching.test_judging import as_claimed

SEEDS = 12
UNKNOWN_S = 7.0
"""So much longer does everything take where the robot does not know the pose."""


def some_unknown(made: Results, every: int) -> Results:
    """The same trials, but every so many people want a pose that is not listed, and are slower for it."""

    def changed(row: Any) -> Any:
        if row.seed % every:
            return row
        attempts = tuple(replace(each, time_s=each.time_s + UNKNOWN_S) for each in row.attempts)
        return replace(row, listed=False, attempts=attempts)

    return Results(made.study, made.size, {key: tuple(map(changed, rows)) for key, rows in made.done.items()})


@pytest.fixture(scope="module")
def made() -> Results:
    return results(as_claimed, seeds=SEEDS)


@pytest.fixture(scope="module")
def found(made: Results) -> dict[str, Any]:
    unknown = some_unknown(made, 4)
    return record(unknown, judge(CLAIMS, unknown), {})


def test_it_is_plain(found: dict[str, Any]) -> None:
    assert json.loads(json.dumps(found)) == found


def test_the_goal_is_told_apart_by_whether_the_pose_is_listed(found: dict[str, Any]) -> None:
    known, unknown = found["goal"]["poses"]["listed"], found["goal"]["poses"]["not listed"]
    assert (known["people"], unknown["people"]) == (27, 9), "three tasks, every fourth of twelve people"
    assert set(known["methods"]) == set(unknown["methods"]) == {"assist", "paper", "manual"}
    for method, numbers in unknown["methods"].items():
        assert numbers["total_s"][0] - known["methods"][method]["total_s"][0] == pytest.approx(UNKNOWN_S, abs=1.0)
        assert numbers["success"][0] == 1.0


def test_where_every_pose_is_listed_nothing_is_said_of_others(made: Results) -> None:
    poses = record(made, judge(CLAIMS, made), {})["goal"]["poses"]
    assert poses["not listed"] == {"people": 0, "methods": {}}
    assert poses["listed"]["people"] == 3 * SEEDS


def test_time_is_compared_once_more_where_the_pose_is_listed(found: dict[str, Any]) -> None:
    mean, low, high, _, people = found["versus_listed"]["S1"]
    assert people == 4 * SEEDS * 3 // 4, "every fourth person wants another pose"
    assert low <= mean <= high
    assert mean == pytest.approx(-5.0, abs=0.1)


def test_questions_are_counted_over_trials(found: dict[str, Any]) -> None:
    trials = (14 * 3 + 3) * SEEDS
    assert found["asked"] == {"paper": [trials, trials], "assist": [0, trials]}


@pytest.mark.parametrize("method", ["manual", "ho", "paper", "assist"])
def test_a_record_of_failures_and_of_no_doubt_is_strict_json_and_can_be_told(method: str) -> None:
    def nobody(sitting: Sitting, task: str, seed: int) -> tuple[AttemptRow, ...]:
        """With one method everything fails, and others differ without any doubt."""
        if sitting.method == method:
            return (FAILED, FAILED)
        return (replace(ATTEMPT, time_s=10.0 * len(sitting.method), opposing=0.1),)

    made = results(nobody, seeds=SEEDS)
    found = record(made, judge(CLAIMS, made), {name: {"each": ()} for name in CLOSE})
    plain = json.loads(json.dumps(found, allow_nan=False))
    assert any(each["method"][0] is None for each in plain["variance"]), "F without end"
    assert "time_s" not in plain["means"]["S1"]["mixed"][method]
    assert (plain["goal"]["ratio"]["time_s"] is None) == (method in ("manual", "assist")), "a ratio of no pairs"
    assert all(said for _, said in reading(plain))
    assert all(table.rows for table in tables.tables(plain) if not table.caption.startswith("Table II "))
    reaching_page.shorten(plain)
    assert reaching_page.page({**plain, "made_at": "2026-01-01"})


def test_every_mean_of_a_task_has_its_interval(found: dict[str, Any]) -> None:
    assert len(found["tasks"]) == 14
    for users in found["tasks"].values():
        assert tuple(users) == USERS
        for methods in users.values():
            assert tuple(methods) == BARS
            for numbers in methods.values():
                assert len(numbers) == len(SHOWN)
                assert all(low <= mean <= high for mean, low, high in filter(None, numbers))
    alone = found["tasks"]["S1 cup/top"]["mixed"]["manual"]
    assert alone[SHOWN.index("predicted")] is None, "alone, nobody predicts anything"


def test_orders_and_verdicts_without_the_rule_are_in_it(found: dict[str, Any], made: Results) -> None:
    assert [row["label"] for row in found["orderings"]] == [row["label"] for row in orderings(judge(CLAIMS, made))]
    told = {(each["key"], each["user"]): each for each in found["claims"]}
    assert told["H1, simple scene", "stop-over"]["without_rule"] == "holds"
    assert told["H1, simple scene", "stop-over"]["family"] == "the paper's orderings"
    assert told["goal: success", "mixed"]["without_rule"] is None


def test_the_look_ahead_has_others_beside_it(found: dict[str, Any]) -> None:
    assert list(found["look_ahead"]) == ["0.1", "0.3", "1", "2"]
    assert list(found["look_ahead_beside"]) == ["manual", "ho", "assist"]
    for scenes in (*found["look_ahead"].values(), *found["look_ahead_beside"].values()):
        assert list(scenes) == ["S1", "S2", "U6", "U22"]
