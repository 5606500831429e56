"""Steering by socket: a push reaches its robot at once and nobody else; late ones, strangers' and a stop's do not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.houses import House

PUSH: dict[str, Any] = {"robot": "plate", "mode": "translate", "push": [1.0, 0.0, -0.5]}


def now_s(home: House) -> float:
    return home.service.now_s()


def test_a_push_reaches_its_robot_with_who_pushed(home: House) -> None:
    with home.live("resident") as ana, home.live("robot") as robot:
        robot.next("hello")
        ana.send("stick", **PUSH, heard_s=now_s(home))
        heard = robot.next("stick")
    assert (heard["by"], heard["mode"], heard["push"], heard["close"]) == ("ana", "translate", [1.0, 0.0, -0.5], False)
    assert heard["device"]


@pytest.mark.parametrize("late_s", [1.5, 3600.0])
def test_a_push_that_is_late_moves_nothing(home: House, late_s: float) -> None:
    with home.live("resident") as ana, home.live("robot") as robot:
        robot.next("hello")
        ana.send("stick", **PUSH, heard_s=now_s(home) - late_s)
        ana.send("stick", **{**PUSH, "push": [0.0, 0.0, 1.0]}, heard_s=now_s(home))
        assert robot.next("stick")["push"] == [0.0, 0.0, 1.0]


def test_during_a_stop_nothing_is_passed_on(home: House) -> None:
    with home.live("resident") as ana, home.live("robot") as robot:
        robot.next("hello")
        home.call("POST", "/stop", "resident")
        robot.next("stopped")
        ana.send("stick", **PUSH, heard_s=now_s(home))
        home.call("POST", "/enable", "resident")
        robot.next("stopped", lambda frame: frame["stopped"] is None)
        ana.send("stick", **{**PUSH, "mode": "rotate"}, heard_s=now_s(home))
        assert robot.next("stick")["mode"] == "rotate"


@pytest.mark.parametrize(
    "wrong",
    [
        {"push": [1.0, 0.0]},
        {"push": [2.0, 0.0, 0.0]},
        {"push": ["a", 0.0, 0.0]},
        {"mode": "fly"},
        {"robot": ""},
        {"more": 1},
        {"heard_s": None},
    ],
    ids=str,
)
def test_a_push_that_is_none_is_refused(home: House, wrong: dict[str, Any]) -> None:
    with home.live("resident") as ana:
        ana.send("stick", **{**PUSH, "heard_s": now_s(home), **wrong})
        assert ana.next("error")["error"]["code"]


@pytest.mark.parametrize("role", ["bystander", "developer", "robot"])
def test_only_those_who_may_let_a_robot_go_on_steer(home: House, role: str) -> None:
    with home.live(role) as other:
        other.send("stick", **PUSH, heard_s=now_s(home))
        assert other.next("error")["error"]["code"] == "HU502"
