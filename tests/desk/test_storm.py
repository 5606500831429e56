"""A storm of failures: thousands of questions, several people, and no hour that is too full. Nothing is lost."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
import pytest

from handup.core import Limits, Person, QuietHours
from handup.desk import Status
from handup.desk.deadlines import next_due_s
from handup.desk.question_state import replay
from tests.desk.checking import assert_in_order, assert_limits_hold
from tests.desk.pure import PureDesk

START_S = datetime(2025, 3, 29, 18, 0, tzinfo=UTC).timestamp()
"""The evening before the clocks go forward in Berlin."""
PEOPLE = (
    Person(
        name="ana",
        limits=Limits(at_once=1, per_hour=7, quiet=(QuietHours(start="22:00", end="06:00", zone="Europe/Berlin"),)),
    ),
    Person(name="ben", limits=Limits(at_once=3, per_hour=11, load_per_hour=2.0)),
    Person(name="cem", limits=Limits(at_once=2, load_per_hour=1.5)),
)


def drain(desk: PureDesk, until_s: float = math.inf) -> None:
    """Let time pass, and everybody answer what comes before them, until nothing waits or it is too late."""
    while desk.state.waiting:
        while before := [each for each in desk.state.waiting if each.status is Status.OPEN]:
            desk.reply(before[0], str(before[0].turn), token=f"at last {len(desk.entries)}")
        due_s = next_due_s(desk.state, desk.now_s)
        if due_s > until_s or due_s == math.inf:
            return
        desk.now_s = max(desk.now_s, due_s)
        desk.tick()


@pytest.mark.parametrize(
    ("seed", "asks", "pause_s"),
    [(1, 300, 0.0), (2, 300, 0.0), (3, 2000, 20_000.0)],
    ids=["one storm", "another storm", "a hundred storms"],
)
def test_limits_hold_nothing_is_lost_and_what_is_held_comes_out_in_order(seed: int, asks: int, pause_s: float) -> None:
    random = np.random.default_rng(seed)
    desk = PureDesk(PEOPLE, now_s=START_S)
    loads: dict[str, float] = {}
    for number in range(asks):
        if pause_s and number % 20 == 0:
            later_s = desk.now_s + float(random.exponential(pause_s))
            drain(desk, later_s)
            desk.now_s = later_s
        desk.now_s += float(random.exponential(5.0))
        audience = tuple(str(name) for name in random.permutation(["ana", "ben", "cem"])[: int(random.integers(1, 4))])
        record = desk.ask(step=str(number), audience=audience, load=float(random.choice([0.1, 0.25, 0.4])))
        loads[record.id] = record.load
        for each in [each for each in desk.state.waiting if each.status is Status.OPEN]:
            if random.random() < 0.5:
                kind = str(random.choice(["answer", "answer", "answer", "not-now", "someone-else"]))
                desk.reply(each, str(each.turn), kind, token=str(len(desk.entries)))
    drain(desk)
    ended = {each.key: type(each.event).__name__ for each in desk.entries}
    assert set(ended) == set(loads)
    assert set(ended.values()) <= {"Answered", "HandedOn"}
    assert_in_order(desk.entries)
    assert_limits_hold(desk.entries, PEOPLE, loads)
    assert replay(desk.entries, desk.start) == desk.state
