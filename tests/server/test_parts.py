"""The small parts by themselves: buckets, robots, drafts, views."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from handup.core.panels import Phase, RobotState
from handup.server.auth import MOST_BUCKETS, Buckets
from handup.server.hub import EACH_S, EACH_TURN_S, LinkedRobot, RobotHub
from handup.server.service import Drafts, ReplyDraft
from handup.server.stops import Pool
from handup.server.tokens import code_digest


def test_a_bucket_fills_with_time_and_never_beyond_its_size() -> None:
    now_s = 0.0
    buckets = Buckets(per_s=2.0, burst=3.0, now_s=lambda: now_s)
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]
    assert buckets.take("b"), "everybody has one of their own"
    now_s = 0.5
    assert [buckets.take("a") for _ in range(2)] == [True, False]
    now_s = 1000.0
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]


def test_only_so_many_buckets_are_remembered() -> None:
    buckets = Buckets(per_s=1.0, burst=1.0)
    for number in range(MOST_BUCKETS + 10):
        buckets.take(str(number))
    assert len(buckets._left) == MOST_BUCKETS


def test_people_are_told_of_many_robots_less_often_and_of_the_last_state_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 100.0
    monkeypatch.setattr("handup.server.hub.time.monotonic", lambda: now_s)
    told: list[tuple[str, bool, str]] = []

    def tell(robot: LinkedRobot) -> None:
        told.append((robot.name, robot.alive, (robot.state or {}).get("title", "")))

    robots = RobotHub(1.0, lambda: now_s, tell)
    for number in range(50):
        robots.heard(str(number))
    told.clear()
    for number in range(10):
        robots.put("0", RobotState(robot="0", phase=Phase.MOVING, at_s=0.0, title=str(number)))
    assert told == []
    now_s += 50 * EACH_S + 0.01
    robots.tick(slept=False)
    assert told == [("0", True, "9")]
    told.clear()
    now_s += 2.0
    robots.heard("0")
    robots.tick(slept=False)
    assert len(told) == 49, "silence is told at once"
    assert robots.alive == 1
    told.clear()
    now_s += 2.0
    robots.tick(slept=True)
    assert told == [], "who slept blames nobody"


def test_a_robot_that_flaps_is_told_once_a_second_and_as_it_is_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    monkeypatch.setattr("handup.server.hub.time.monotonic", lambda: now_s)
    told: list[tuple[float, bool]] = []
    robots = RobotHub(0.1, lambda: now_s, lambda robot: told.append((round(now_s, 2), robot.alive)))
    robots.heard("plate")
    told.clear()
    for step in range(100):  # heard for a moment, silent for a moment, for ten seconds
        now_s = 100.0 + step * 0.1
        if step % 4 == 0:
            robots.heard("plate")
        robots.tick(slept=False)
    assert told[0] == (100.2, False), "the first change at once"
    assert len(told) <= 10
    assert all(later[0] - sooner[0] >= EACH_TURN_S - 0.01 for sooner, later in pairwise(told))
    robots.heard("plate")
    now_s += 5.0
    robots.tick(slept=False)
    assert told[-1][1] is False
    robots.tick(slept=True)
    assert robots.alive == 0, "who was not alive is not so because the server slept"


def test_what_a_thread_of_the_pool_raises_is_told_and_it_goes_on() -> None:
    pool = Pool(1)
    cancelled = pool.submit(list)
    cancelled.cancel()
    wrong, right = pool.submit(lambda: 1 / 0), pool.submit(lambda: 7)
    pool.start()
    with pytest.raises(ZeroDivisionError):
        wrong.result(10)
    assert right.result(10) == 7
    busy, go = threading.Event(), threading.Event()

    def keep_busy() -> None:
        busy.set()
        go.wait(10)

    pool.submit(keep_busy)
    busy.wait(10)
    waiting = pool.submit(list)
    pool.close()
    assert waiting.cancelled()
    go.set()


def test_drafts_are_so_many_at_most() -> None:
    drafts = Drafts(2)
    for question in ("a", "b", "c"):
        drafts.put("ana", question, ReplyDraft(question, 0.0))
    assert drafts.get("ana", "a") is None
    assert drafts.get("ana", "c") == ReplyDraft("c", 0.0)


def test_a_code_is_the_same_however_it_is_typed() -> None:
    assert code_digest("ABCD-EFGH") == code_digest(" abcd efgh ") != code_digest("ABCD-EFGJ")
