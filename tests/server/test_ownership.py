"""A run belongs to the robot that asked first in it; a hello holds no more than it may."""

from __future__ import annotations

from pathlib import Path

from handup.server import Bounds
from tests.server.houses import CHOICE, House, house


def other(home: House) -> dict[str, str]:
    return {"Authorization": f"Bearer {home.service.access.robot_token('other').token}"}


def test_another_robot_neither_asks_waits_nor_takes_back_also_after_a_restart(tmp_path: Path) -> None:
    with house(tmp_path / "house.db") as home:
        id_ = home.ask()
    with house(tmp_path / "house.db") as home:
        asked = {"question": CHOICE, "run": "meal", "step": "drink"}
        calls = (
            home.client.post("/api/v1/questions", json=asked, headers=other(home)),
            home.client.get("/api/v1/wait", params={"id": id_, "timeout_s": 0}, headers=other(home)),
            home.client.post("/api/v1/withdraw", json={"id": id_, "why": "x"}, headers=other(home)),
            home.client.post("/api/v1/hand-on", json={"id": id_, "to": "ben"}, headers=other(home)),
        )
        assert [(each.status_code, each.json()["error"]["code"]) for each in calls] == [(403, "HU502")] * 4
        assert home.ask() == id_, "it is still its own robot's"


def test_a_known_question_is_not_asked_with_other_words(home: House) -> None:
    assert home.ask() == home.ask(why="I tried once.")
    asked = {"question": {**CHOICE, "prompt": "Another?"}, "run": "meal", "step": "food"}
    refused = home.call("POST", "/questions", "robot", json=asked)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "HU201")


def test_a_hello_says_how_many_more_questions_wait(tmp_path: Path) -> None:
    with house(tmp_path / "house.db", bounds=Bounds(greeted=2)) as home:
        for step in ("a", "b", "c"):
            home.ask(step)
        with home.live("resident") as live:
            hello = live.next("hello")
        assert (len(hello["questions"]), hello["more"]) == (2, 1)
