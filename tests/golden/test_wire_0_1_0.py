"""Robots and pages of handup 0.1.0 at a server of today: what they sent, as it was recorded, and what they read.

`wire-0.1.0.json` was recorded from the code of 0.1.0 at work: states of its meal, its hand and its recipe, a request of
each kind of its client, one frame of each type that its robots and pages send, and one of each that they were sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handup.core.panels import PANELS, RobotState
from handup.server.legacy_state import OLD_PAGE
from tests.server.houses import NAMES, House, house

FILE = Path(__file__).parent / "wire-0.1.0.json"
WIRE: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
KEYS_OF_STATES = {"picture", "picture_seq", "overlay", "chain", "decision", "items", "summary", "reach", "task"}
"""What 0.1.0 had in place of panels. A page of 0.1.0 that misses them shows title, doing and why."""
WHO = {"/questions": "robot", "/wait": "robot", "/withdraw": "robot", "/robots/plate/state": "robot"}
"""Requests of robots; all others are of people."""
SHOWN = {
    "meal": {"picture", "chain", "decision", "items"},
    "reach": {"scene", "numbers"},
    "run": {"steps", "timeline", "numbers"},
}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path / "house.db") as made:
        yield made


@pytest.mark.parametrize("robot", SHOWN)
def test_a_robot_of_0_1_0_shows_panels(home: House, robot: str) -> None:
    shown: set[str] = set()
    with home.live("robot") as plate, home.live("resident") as ana:
        assert plate.next("hello")["me"]["role"] == "robot"
        for state in WIRE[robot]:
            plate.send("state", state={**state, "robot": NAMES["robot"]})
            heard = ana.next("robot", lambda frame: (frame["state"] or {}).get("at_s") == state["at_s"])  # noqa: B023
            told = RobotState.model_validate(heard["state"])
            assert (told.phase, told.title, told.doing, told.why) == (
                *(state["phase"], state.get("title", ""), state.get("doing", ""), state.get("why", "")),
            )
            assert not KEYS_OF_STATES & set(heard["state"])
            shown |= {panel.panel for panel in told.panels}
        assert home.call("PUT", "/robots/plate/state", "robot", json={**state, "robot": "plate"}).status_code == 204
    assert SHOWN[robot] <= shown <= set(PANELS)


def test_a_page_of_0_1_0_says_that_it_is_old(home: House) -> None:
    """It shows title, doing and why: in each of its robots' states, of any version, also in the greeting."""
    before = WIRE["meal"][0]
    with home.live("robot") as plate, home.live("resident", query="") as old:
        plate.send("state", state={**before, "robot": "plate", "why": "I look."})
        heard = old.next("robot", lambda frame: frame["state"] is not None)
        assert (heard["state"]["title"], heard["state"]["doing"]) == (before["title"], before["doing"])
        assert heard["state"]["why"] == f"{OLD_PAGE} I look."
        with home.live("resident", query="") as later, home.live("resident") as new:
            assert [robot["state"]["why"] for robot in later.next("hello")["robots"]] == [f"{OLD_PAGE} I look."]
            assert [robot["state"]["why"] for robot in new.next("hello")["robots"]] == ["I look."]


def test_every_request_of_0_1_0_is_answered_as_before(home: House) -> None:
    questions: dict[str, str] = {}
    for sent in WIRE["requests"]:
        method, path, body = sent["method"], sent["path"], dict(sent.get("json") or {})
        role = WHO.get(path, "resident") if method != "GET" or path == "/wait" else "resident"
        for name in ("id", "question"):
            if isinstance(body.get(name), str):
                body[name] = _asked(home, questions, body[name])
        params = dict(sent.get("params") or {})
        if "id" in params:
            params |= {"id": _asked(home, questions, params["id"]), "timeout_s": "0"}
        answered = home.call(method, path, role, json=body or None, params=params)
        assert answered.status_code in (200, 204), (sent, answered.text)
        if "/replies" in path or path in ("/claim", "/release", "/withdraw"):
            assert set(answered.json()) == {"status", "message", "again", "record"}
        if path in ("/claim", "/release"):
            assert answered.json()["status"] == "accepted", answered.text


def test_what_it_is_sent_has_everything_that_0_1_0_reads(home: House) -> None:
    """Every key of each frame of 0.1.0 is there, but for those that panels took the place of."""
    before = {frame["type"]: frame for frame in WIRE["heard"]}
    with home.live("robot") as plate, home.live("resident") as ana:
        sent = {frame["type"]: frame for frame in WIRE["sent"]}
        heard = {"hello": plate.next("hello")}
        plate.send("beat", n=sent["beat"]["n"])
        heard["beat"] = plate.next("beat", lambda frame: frame["heard"] == sent["beat"]["n"])
        plate.send("watch", id=home.ask())
        heard["record"] = plate.next("record")
        heard["question"] = ana.next("question")
        plate.send("state", state={**WIRE["meal"][0], "robot": "plate"})
        heard["robot"] = ana.next("robot", lambda frame: frame["state"] is not None)
        push = {key: sent["stick"][key] for key in ("mode", "push", "close")}
        ana.send("stick", **push, robot="plate", heard_s=heard["beat"]["at_s"])
        heard["stick"] = plate.next("stick")
        with home.live("caregiver"):
            heard["people"] = plate.next("people")
        ana.send("stop", token=sent["stop"]["token"])
        heard["stopped"] = plate.next("stopped")
        assert ana.next("stop", lambda frame: frame["written"])["token"] == sent["stop"]["token"]
    assert set(before) == set(heard)
    for kind, frame in before.items():
        assert not _missing(frame, heard[kind]), kind


def _asked(home: House, questions: dict[str, str], recorded: str) -> str:
    """Stand a question of today in for one of the recording."""
    if recorded not in questions:
        questions[recorded] = home.ask(f"stand-in-{len(questions)}")
    return questions[recorded]


def _missing(before: Any, now: Any, where: str = "") -> list[str]:
    if not isinstance(before, dict) or not isinstance(now, dict):
        return []
    lost = [f"{where}{key}" for key in before if key not in now and key not in KEYS_OF_STATES]
    inside = [name for key in before if key in now for name in _missing(before[key], now[key], f"{where}{key}.")]
    return [name for name in lost + inside if not name.startswith(("record.question.", "record.value_schema."))]
