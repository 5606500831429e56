"""SIGKILL at every write point: no acknowledged answer is lost, and nothing is done twice.

The ordinary run plays 50 seeds on each store. `make soak` plays hundreds, and dies at every single point of each:
HANDUP_KILL_SEEDS=200 HANDUP_KILL_EVERY=1.
"""

from __future__ import annotations

import os

import pytest

from tests.kill.conftest import Play
from tests.kill.episode import Report
from tests.kill.points import only_one_of

SEEDS = int(os.environ.get("HANDUP_KILL_SEEDS", "50"))
EVERY = os.environ.get("HANDUP_KILL_EVERY", "") == "1"
CHUNK = 5
LEAST_POINTS = 25
"""So many points has the smallest episode."""

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_nothing_is_lost_and_nothing_is_done_twice_wherever_a_program_is_killed(play: Play, first: int) -> None:
    reports = [play(seed, every=EVERY) for seed in range(first, min(first + CHUNK, SEEDS))]
    assert {report.seed: report.wrong for report in reports if report.wrong} == {}
    assert all(len(report.died) >= LEAST_POINTS for report in reports), "hardly anybody died"
    assert all(report.outcome for report in reports)


@pytest.mark.parametrize("seed", (1, 2))
def test_every_point_that_an_undisturbed_episode_meets_is_deadly(play: Play, seed: int) -> None:
    report = play(seed, dry=True, every=True)
    assert report.wrong == []
    assert [name for name in report.missed if not only_one_of(name)] == []
    assert share_of_those_that_exclude_each_other(report) >= 0.3


def share_of_those_that_exclude_each_other(report: Report) -> float:
    """The share of the points that exclude each other at which somebody died."""
    died = sum(only_one_of(name) for name in report.died)
    return died / (died + sum(only_one_of(name) for name in report.missed))
