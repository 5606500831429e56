"""Which pushes count: the latest of whoever steers, one person at a time, and no junk."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from handup.client.link_protocol import TURN_S, Sticks

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda each: st.lists(each, max_size=4) | st.dictionaries(st.text(max_size=5), each, max_size=4),
    max_leaves=6,
)


def frame(device: str = "a", **instead: Any) -> dict[str, Any]:
    return {"by": "ana", "device": device, "mode": "translate", "push": [1.0, 0.0, 0.0], "close": False, **instead}


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_the_latest_push_counts_and_says_when_it_was_heard() -> None:
    clock = Clock()
    sticks = Sticks(clock)
    sticks.hear(frame())
    clock.now_s += 0.1
    sticks.hear(frame(push=[0, -3, 0.5], mode="rotate", close=True))
    found = sticks.latest
    assert found is not None
    assert (found.push, found.mode, found.close, found.heard_s) == ((0.0, -1.0, 0.5), "rotate", True, clock.now_s)


def test_another_device_steers_only_after_a_while_of_silence() -> None:
    clock = Clock()
    sticks = Sticks(clock)
    sticks.hear(frame("a"))
    clock.now_s += TURN_S / 2
    sticks.hear(frame("b"))
    assert sticks.latest is not None
    assert sticks.latest.device == "a"
    clock.now_s += TURN_S
    sticks.hear(frame("b"))
    assert sticks.latest.device == "b"


def test_a_page_that_only_lies_there_takes_nobodys_turn() -> None:
    clock = Clock()
    sticks = Sticks(clock)

    def steering(*frames: dict[str, Any]) -> str:
        for each in frames:
            sticks.hear(each)
        assert sticks.latest is not None
        return sticks.latest.device

    resting = [0.0, 0.0, 0.0]
    for _ in range(20):
        assert steering(frame("tablet", push=resting), frame("phone")) == "phone", "who pushes steers"
        clock.now_s += 0.1
    assert steering(frame("phone", push=resting), frame("tablet", push=resting)) == "phone", "both rest"
    clock.now_s += TURN_S / 2
    assert steering(frame("tablet")) == "phone", "soon after the last push it is still its turn"
    clock.now_s += TURN_S
    assert steering(frame("phone", push=resting), frame("tablet")) == "tablet"


def test_to_close_the_hand_is_a_push() -> None:
    clock = Clock()
    sticks = Sticks(clock)
    sticks.hear(frame("a", push=[0, 0, 0], close=True))
    sticks.hear(frame("b"))
    assert sticks.latest is not None
    assert (sticks.latest.device, sticks.latest.idle) == ("a", False)


@given(st.dictionaries(st.sampled_from(["by", "device", "mode", "push", "close"]), JSON))
def test_junk_neither_moves_nor_breaks_anything(junk: dict[str, Any]) -> None:
    sticks = Sticks(Clock())
    sticks.hear(junk)
    found = sticks.latest
    assert found is None or all(-1.0 <= each <= 1.0 for each in found.push)
