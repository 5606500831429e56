"""The study of asking robots: what a session counts, and when a robot asks."""

from __future__ import annotations

import numpy as np
import pytest

from handup.lab.studies.interrupt import asking_robots
from handup.lab.studies.interrupt.asking_robots import GATES, rule_of, session
from handup.lab.studies.interrupt.watched_person import world

ALWAYS = rule_of("unaware", 0, "clean")


@pytest.mark.parametrize(("level", "inappropriate"), [(1, True), (2, True), (3, False), (4, False)])
def test_requests_are_taken_or_ignored_and_inappropriate_while_the_person_is_busy(
    level: int, inappropriate: bool
) -> None:
    row = session(1, np.full(1800, level), ALWAYS)
    assert row["requests"] - row["ignored"] in (row["needs"], row["needs"] - 1)
    assert row["inappropriate"] == (row["requests"] if inappropriate else 0)
    assert row["waited_s"] >= row["requests"]
    assert row["resuming_s"] > 0.0
    assert row["own_tasks"] > 10.0 if inappropriate else row["own_tasks"] == 0.0


def test_nobody_helps_who_is_not_there() -> None:
    row = session(1, np.zeros(1800, dtype=np.int64), ALWAYS)
    assert row["requests"] == row["ignored"] > 20
    assert (row["needs"], row["inappropriate"], row["resuming_s"]) == (1, 0, 0.0)
    never = session(1, np.full(1800, 2), lambda now, needed: False)
    assert (never["requests"], never["own_tasks"]) == (0, 30.0)
    assert never["waited_s"] == pytest.approx(1800.0 - 45.0 * never["robot_tasks"], abs=0.1)


def test_an_aware_robot_asks_where_the_gate_says_or_when_its_patience_ends() -> None:
    seed, patience_s = 5, int(world()["patience_s"])
    estimates, level = asking_robots._estimates(seed, "noisy"), asking_robots._person(seed, "noisy").level
    for arm, gate in GATES.items():
        asks = rule_of(arm, seed, "noisy")
        for now in range(0, 1800, 7):
            there = bool(level[now] > 0)
            if arm == "unaware":
                assert asks(now, now)
            elif gate is None:
                assert asks(now, now) == bool(level[now] >= 3)
                assert asks(now, now - patience_s) == there
            else:
                assert asks(now, now) == (estimates[now].free >= gate)
                assert asks(now, now - patience_s) == there
