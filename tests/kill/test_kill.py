"""SIGKILL at every write point: no acknowledged answer is lost, and nothing is done twice.

`make test` plays 5 seeds on each store: among them one whose programs die while the store is made, and one whose
programs run at the same time. `make soak PART=kill` plays 200, and dies at every single point of each:
HANDUP_KILL_SEEDS=200 HANDUP_KILL_EVERY=1.
"""

from __future__ import annotations

import os

import pytest

from tests.kill.conftest import Play
from tests.kill.episode import Report
from tests.kill.points import only_one_of

SEEDS = int(os.environ.get("HANDUP_KILL_SEEDS", "5"))
EVERY = os.environ.get("HANDUP_KILL_EVERY", "") == "1"
LEAST_POINTS = 25
"""So many points has the smallest episode."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_nothing_is_lost_and_nothing_is_done_twice_wherever_a_program_is_killed(play: Play, seed: int) -> None:
    report = play(seed, every=EVERY)
    assert report.wrong == []
    assert len(report.died) >= LEAST_POINTS, "hardly anybody died"
    assert report.outcome


@pytest.mark.parametrize("seed", (pytest.param(1, marks=pytest.mark.soak), 2))
def test_every_point_that_an_undisturbed_episode_meets_is_deadly(play: Play, seed: int) -> None:
    report = play(seed, dry=True, every=True)
    assert report.wrong == []
    assert [name for name in report.missed if not only_one_of(name)] == []
    assert share_of_those_that_exclude_each_other(report) >= 0.3


def share_of_those_that_exclude_each_other(report: Report) -> float:
    """The share of the points that exclude each other at which somebody died."""
    died = sum(only_one_of(name) for name in report.died)
    return died / (died + sum(only_one_of(name) for name in report.missed))
