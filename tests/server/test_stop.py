"""Stop waits for nothing: not for the store, not for the threads, not for its own body. And it is latched."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from handup.desk import Desk
from handup.journal import Journal
from tests.server.houses import CHOICE, House

AT_ONCE_S = 0.5
"""Far below the five seconds that a locked store makes others wait."""


@pytest.mark.parametrize("way", ["socket", "request", "reply"])
def test_a_stop_comes_through_while_threads_are_busy_and_the_store_is_locked(
    home: House, way: str, tmp_path: Path
) -> None:
    store = tmp_path / "house.db"
    with (
        home.live("robot") as robot,
        home.live("resident") as ana,
        ThreadPoolExecutor(20) as others,
        closing(sqlite3.connect(store, isolation_level=None)) as lock,
    ):
        robot.next("hello")
        lock.execute("BEGIN IMMEDIATE")
        asked = {"question": CHOICE, "run": "meal"}
        busy = [
            others.submit(home.call, "POST", "/questions", "robot", json={**asked, "step": str(step)})
            for step in range(16)
        ]
        time.sleep(0.3)
        began = time.monotonic()
        said = None
        if way == "socket":
            ana.send("stop", why="hot")
        elif way == "request":
            said = others.submit(home.call, "POST", "/stop", "resident", json={"why": "hot"})
        else:
            reply = {"question": "", "kind": "stop", "token": "s"}
            said = others.submit(home.call, "POST", "/replies", "resident", json=reply)
        stopped = robot.next("stopped")["stopped"]
        assert time.monotonic() - began < AT_ONCE_S
        assert stopped["by"] == "ana"
        assert home.call("GET", "/health", None).json()["status"] == "stopped"
        if said is not None:
            answered = said.result(10)
            assert answered.status_code == (202 if way == "request" else 200)
            assert time.monotonic() - began < 2.5
        lock.execute("ROLLBACK")
        for each in busy:
            assert each.result(30).status_code in {200, 503}
        until = time.monotonic() + 10.0
        while not home.service.desk.state.stopped and time.monotonic() < until:
            time.sleep(0.02)
    with Journal.open(store, create=False) as journal, Desk(journal) as desk:
        assert desk.stopped, "it is latched in the journal"


def test_a_stop_takes_everything_back_and_holds_until_somebody_enables(home: House) -> None:
    id_ = home.ask()
    with home.live("robot") as robot:
        assert home.call("POST", "/stop", "resident", json={"why": "hot"}).json() == {"stopped": True, "written": True}
        assert robot.next("stopped")["stopped"]["why"] == "hot"
        assert home.call("GET", f"/questions/{id_}", "robot").json()["cause"] == "stop"
        assert home.answer(home.ask("after"))["status"] == "stopped"
        assert home.call("POST", "/enable", "caregiver").json()["stopped"] is False
        assert robot.next("stopped")["stopped"] is None
    assert home.call("GET", "/health", None).json()["status"] == "ok"


def test_a_stop_by_another_program_comes_to_every_socket(home: House, tmp_path: Path) -> None:
    with home.live("robot") as robot:
        robot.next("hello")
        with Journal.open(tmp_path / "house.db") as journal, Desk(journal) as desk:
            desk.stop("the button", "pressed")
            assert robot.next("stopped")["stopped"]["by"] == "the button"
            desk.enable("ana")
        assert robot.next("stopped")["stopped"] is None


def test_whoever_waits_is_woken_by_a_stop(home: House) -> None:
    id_ = home.ask()
    with ThreadPoolExecutor(1) as others:
        waiting = others.submit(home.call, "GET", "/wait", "robot", params={"id": id_, "timeout_s": 20})
        time.sleep(0.3)
        began = time.monotonic()
        home.call("POST", "/stop", "operator")
        assert waiting.result(10).status_code == 200
        assert time.monotonic() - began < 5.0


def test_waiting_while_stopped_does_not_spin(home: House) -> None:
    home.call("POST", "/stop", "operator")
    id_ = home.ask()
    began = time.monotonic()
    assert home.call("GET", "/wait", "robot", params={"id": id_, "timeout_s": 0.4}).status_code == 204
    assert time.monotonic() - began >= 0.4


def test_a_hundred_stops_are_one(home: House) -> None:
    with home.live("resident") as ana, home.live("robot") as robot:
        for _ in range(100):
            ana.send("stop")
        assert robot.next("stopped")["stopped"]["by"] == "ana"
    assert home.call("POST", "/stop", "robot").json()["stopped"] is True


def test_a_stop_of_somebody_who_is_not_asked_counts_too(home: House) -> None:
    assert home.call("POST", "/stop", "developer").status_code == 200
    assert home.call("POST", "/enable", "developer").status_code == 403
    assert home.call("POST", "/stop", "robot").status_code == 200
    assert home.call("POST", "/enable", "robot").status_code == 403
    assert home.call("GET", "/health", None).json()["status"] == "stopped"
