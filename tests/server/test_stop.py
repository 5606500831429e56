"""Stop waits for nothing: not for the store, not for the threads, not for its own body. And it is latched."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from handup.desk import Desk
from handup.desk.events import Stopped
from handup.journal import Journal
from handup.server import Bounds
from handup.server.stops import Stopping
from handup.server.tokens import Access
from tests.deadlines import AT_ONCE_S, TOLD_S, soon
from tests.server.houses import CHOICE, House, house


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
        soon(lambda: home.service._queued > home.service.settings.bounds.threads)
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
            assert time.monotonic() - began < TOLD_S
        lock.execute("ROLLBACK")
        for each in busy:
            assert each.result(30).status_code in {200, 503}
        soon(lambda: home.service.desk.state.stopped)
    with Journal.open(store, create=False) as journal, Desk(journal) as desk:
        assert desk.stopped, "it is latched in the journal"


def test_a_stop_takes_everything_back_and_holds_until_somebody_enables(home: House) -> None:
    id_ = home.ask()
    with home.live("robot") as robot:
        assert home.call("POST", "/stop", "resident", json={"why": "hot"}).json() == {"stopped": True, "written": True}
        written = robot.next("stopped", lambda frame: frame["stopped"]["written"])["stopped"]
        assert (written["by"], written["why"]) == ("ana", "hot")
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
        soon(lambda: home.service._waiters)
        home.call("POST", "/stop", "operator")
        assert waiting.result(10).status_code == 200, "long before it would be told to ask again"


def test_waiting_while_stopped_does_not_spin(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    home.call("POST", "/stop", "operator")
    id_, waits, wait = home.ask(), [], home.service.wait

    async def counted(question: str, timeout_s: float) -> None:
        waits.append(timeout_s)
        await wait(question, timeout_s)

    monkeypatch.setattr(home.service, "wait", counted)
    assert home.call("GET", "/wait", "robot", params={"id": id_, "timeout_s": 0.4}).status_code == 204
    assert waits == [0.4], "once, for the whole time"


def test_a_hundred_stops_are_one(home: House) -> None:
    with home.live("resident") as ana, home.live("robot") as robot:
        for _ in range(100):
            ana.send("stop")
        assert robot.next("stopped")["stopped"]["by"] == "ana"
        ana.next("stop", lambda frame: frame["written"])
        ana.send("draft", id="none", value=1)
        ana.next("error")  # all before it were read
    assert _stops(home) == ["ana"]
    assert home.call("POST", "/stop", "robot", json={"token": "r"}).json()["stopped"] is True
    assert home.call("POST", "/stop", "robot", json={"token": "r"}).json() == {"stopped": True, "written": True}
    assert _stops(home) == ["ana", "plate"]


def _stops(home: House) -> list[str]:
    """Who said stop, by the journal."""
    return [each.event.by for each in home.service.journal.read() if isinstance(each.event, Stopped)]


def test_a_stop_of_somebody_who_is_not_asked_counts_too(home: House) -> None:
    assert home.call("POST", "/stop", "developer").status_code == 200
    assert home.call("POST", "/enable", "developer").status_code == 403
    assert home.call("POST", "/stop", "robot").status_code == 200
    assert home.call("POST", "/enable", "robot").status_code == 403
    assert home.call("GET", "/health", None).json()["status"] == "stopped"


def test_a_stop_says_whether_it_is_written(home: House, tmp_path: Path) -> None:
    home.token("resident")
    with home.live("robot") as robot, closing(sqlite3.connect(tmp_path / "house.db", isolation_level=None)) as lock:
        robot.next("hello")
        lock.execute("BEGIN IMMEDIATE")
        robot.send("stop", why="hot", token="mine")
        heard = robot.next("stopped")["stopped"]
        assert (heard["written"], heard["seq"]) == (False, None)
        assert robot.next("stop") == {"type": "stop", "token": "mine", "written": False}
        with home.live("resident") as ana:
            assert ana.next("hello")["stopped"]["written"] is False
        lock.execute("ROLLBACK")
        heard = robot.next("stopped", lambda frame: frame["stopped"]["written"])["stopped"]
        assert heard["seq"] == home.service.desk.state.last_stop
        robot.send("stop", why="hot", token="mine")
        assert robot.next("stop")["written"] is True
    assert _stops(home) == ["plate"]


def test_nobody_lifts_a_stop_that_they_did_not_see(home: House) -> None:
    with home.live("robot") as robot:
        home.call("POST", "/stop", "resident", json={"why": "one"})
        first = robot.next("stopped", lambda frame: frame["stopped"]["written"])["stopped"]["seq"]
        home.call("POST", "/stop", "caregiver", json={"why": "a hand in the way"})
        second = robot.next("stopped", lambda frame: frame["stopped"]["by"] == "cem" and frame["stopped"]["written"])
    refused = home.call("POST", "/enable", "resident", json={"stop": first})
    assert (refused.status_code, "newer stop" in refused.json()["error"]["cause"]) == (409, True)
    assert home.call("GET", "/health", None).json()["status"] == "stopped"
    assert home.call("POST", "/enable", "resident", json={"stop": "one"}).status_code == 422
    assert home.call("POST", "/enable", "resident", json={"stop": second["stopped"]["seq"]}).status_code == 200
    assert home.call("GET", "/health", None).json()["status"] == "ok"


def test_enabling_lifts_no_stop_that_came_while_it_waited(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    home.call("POST", "/stop", "resident")
    entered, goes_on, desk = threading.Event(), threading.Event(), home.service.desk
    enable = desk.enable

    def slow(by: str, stop: int | None = None) -> None:
        entered.set()
        goes_on.wait(10)
        enable(by, stop)

    monkeypatch.setattr(desk, "enable", slow)
    with ThreadPoolExecutor(1) as others:
        enabling = others.submit(home.call, "POST", "/enable", "resident")
        assert entered.wait(10)
        assert home.call("POST", "/stop", "caregiver").json()["written"] is True
        goes_on.set()
        assert enabling.result(10).status_code == 409
    assert home.call("GET", "/health", None).json()["status"] == "stopped"


@pytest.mark.parametrize("kind", ["draft", "watch"])
def test_a_frame_that_waits_for_the_store_keeps_no_stop_waiting(
    home: House, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    async def never(question: str) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(home.service, "record", never)
    with home.live("resident" if kind == "draft" else "robot") as sender, home.live("caregiver") as cem:
        sender.send(kind, id="meal/x/1", **({"value": 1} if kind == "draft" else {}))
        sender.send("stop")
        assert cem.next("stopped")["stopped"] is not None


def test_a_stop_is_told_before_its_body_comes(home: House) -> None:
    with home.live("robot") as robot:
        robot.next("hello")

        async def slowly() -> list[bool]:
            service = home.service
            begun = service.stopping.begin("ana", service.now_s())
            held = service.stopped is not None
            return [held, await service.stop("ana", "hot", service.now_s(), "t", begun=begun), bool(begun)]

        portal = home.client.portal
        assert portal is not None
        assert portal.call(slowly) == [True, True, True]
        assert robot.next("stopped")["stopped"]["why"] == ""
        assert robot.next("stopped", lambda frame: frame["stopped"]["written"])["stopped"]["why"] == "hot"
    assert _stops(home) == ["ana"]


def test_a_reply_that_says_stop_never_comes_too_often(tmp_path: Path) -> None:
    few = Bounds(per_s=0.001, burst=2)
    with house(tmp_path / "few.db", bounds=few) as home:
        stop = {"question": "", "kind": "stop", "token": "s"}
        said = [home.call("POST", "/replies", "resident", json=stop).status_code for _ in range(6)]
        assert said == [200] * 6
        other = {"question": "meal/x/1", "kind": "not_now", "token": "n"}
        assert [home.call("POST", "/replies", "resident", json=other).status_code for _ in range(4)][-1] == 429
        assert home.call("POST", "/replies", "resident", json=stop).status_code == 200


def test_the_writer_of_stops_outlives_whatever_happens(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def stop(self, by: str, why: str, *, token: str) -> None:
            raise RuntimeError("odd")

    async def say() -> None:
        stopping = Stopping(cast("Desk", Broken()), lambda _: None)
        stopping.start()
        assert not await stopping.stop("ana", "", 0.0)
        assert stopping.pending is not None
        assert stopping._thread.is_alive()
        stopping.close()

    with caplog.at_level(logging.ERROR, "handup.server"):
        asyncio.run(say())
    assert "could not be written" in caplog.text


def test_a_follower_that_fails_stops_everything(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(timeout_s: float) -> None:
        raise RuntimeError("odd")

    with home.live("robot") as robot:
        robot.next("hello")
        monkeypatch.setattr(home.service.desk, "watch", odd)
        assert "cannot be followed" in robot.next("stopped")["stopped"]["why"]
    assert home.call("GET", "/health", None).json()["status"] == "damaged"


def test_who_is_revoked_while_access_is_built_again_stays_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal.open(tmp_path / "house.db") as journal:
        access = Access(journal)
        paired = access.robot_token("plate")
        revoking = threading.Thread(target=access.revoke, args=(paired.grant.id,))
        take = Access.take

        def slow(self: Access, entries: object) -> bool:
            ended = take(self, entries)  # type: ignore[arg-type]
            if self is not access and not revoking.ident:
                revoking.start()
                revoking.join(0.2)  # or it waits until access is built
            return ended

        monkeypatch.setattr(Access, "take", slow)
        access.build_again()
        revoking.join(10)
        assert access.find(paired.token) is None
