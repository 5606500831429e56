"""The paper's single orders, by user."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handup.domains.reaching import Strategy
from handup.lab.reaching.claim import Family
from handup.lab.reaching.claims import CLAIMS
from handup.lab.reaching.definition import Sitting
from handup.lab.reaching.judging import Judged, judge
from handup.lab.reaching.orderings import WORDS, orderings
from handup.lab.reaching.rows import AttemptRow
from tests.lab.reaching.made_up import results
from tests.lab.reaching.test_judging import as_claimed


def but_for_one(sitting: Sitting, task: str, seed: int) -> tuple[AttemptRow, ...]:
    """As claimed, but for people who rotate first and are slow with the policy."""
    attempts = as_claimed(sitting, task, seed)
    slow = sitting.method == "paper" and sitting.user == "rotate-first"
    return tuple(replace(each, time_s=each.time_s + 60.0) for each in attempts) if slow else attempts


@pytest.fixture(scope="module")
def judged() -> tuple[Judged, ...]:
    return judge(CLAIMS, results(but_for_one))


def test_every_comparison_of_the_papers_claims_is_in_one_row_for_each_user(judged: tuple[Judged, ...]) -> None:
    rows = orderings(judged)
    bars = {bar for each in CLAIMS if each.family is Family.PAPER for bar in each.bars if not bar.alone}
    assert len(rows) * len(Strategy) == len(bars)
    assert len({row["label"] for row in rows}) == len(rows)
    for row in rows:
        assert tuple(row["users"]) == tuple(map(str, Strategy)), row["label"]
        assert not any(user in row["label"] for user in Strategy)


def test_an_order_is_told_for_each_user_with_its_difference(judged: tuple[Judged, ...]) -> None:
    rows = {row["label"]: row for row in orderings(judged)}
    row = rows["time (s), U6 cup/top: paper, less than ho"]
    assert row["claims"] == ["H1, simple scene"]
    assert row["sources"] == ["section V-D"]
    assert {user: cell["verdict"] for user, cell in row["users"].items()} == {
        "stop-beside": "reappears",
        "stop-over": "reappears",
        "rotate-first": "does not",
    }
    mean, low, high = row["users"]["rotate-first"]["difference"]
    assert low <= mean <= high
    assert mean == pytest.approx(40.0)
    assert row["users"]["rotate-first"]["p"] < 0.05
    assert row["users"]["rotate-first"]["people"] == 12


def test_an_order_that_two_claims_state_names_both(judged: tuple[Judged, ...]) -> None:
    rows = {row["label"]: row for row in orderings(judged)}
    row = rows["mode changes, S1 cup/top: paper, less than ho+no-assist"]
    assert row["claims"] == ["questions save effort", "the policy helps on hard tasks"]
    assert len(row["sources"]) == 2


def test_too_few_people_tell_no_order() -> None:
    few = orderings(judge(CLAIMS, results(as_claimed, seeds=3)))
    single = [row for row in few if "all scenes" not in row["label"] and "/" in row["label"]]
    assert single
    assert {cell["verdict"] for row in single for cell in row["users"].values()} == {"cannot be told"}
    assert set(WORDS.values()) == {"reappears", "does not", "cannot be told"}
