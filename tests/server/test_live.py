"""The socket: who hears what, heartbeats, silence, slow readers, and junk."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Role
from handup.server import Beats, Bounds, Grant
from handup.server.hub import Hub, Socket
from tests.server.houses import House, house

STATE: dict[str, Any] = {"robot": "plate", "phase": "looking", "at_s": 1.0, "title": "Bite 2 of 5"}
SHOWN = {**STATE, "doing": "", "why": "", "panels": []}


def test_hello_tells_everything_to_begin_with(home: House) -> None:
    id_ = home.ask()
    home.call("PUT", "/robots/plate/state", "robot", json=STATE)
    with home.live("resident") as live:
        hello = live.next("hello")
    assert set(hello) == {
        *(
            "type",
            "server",
            "me",
            "now_s",
            "beat_s",
            "hold_s",
            "stopped",
            "questions",
            "more",
            "people",
            "robots",
            "busy",
        ),
    }
    assert (hello["beat_s"], hello["hold_s"], hello["stopped"]) == (0.25, 1.0, None)
    assert [each["id"] for each in hello["questions"]] == [id_]
    assert hello["robots"] == [
        {"robot": "plate", "alive": True, "last_s": hello["robots"][0]["last_s"], "state": SHOWN}
    ]
    with home.live("robot") as robot:
        hello = robot.next("hello")
    assert (hello["questions"], hello["robots"], hello["me"]["role"], hello["people"]) == ([], [], "robot", 0)


def test_a_robot_hears_how_many_could_answer_and_people_do_not(home: House) -> None:
    with home.live("robot") as robot:
        assert robot.next("hello")["people"] == 0
        with home.live("developer"), home.live("resident") as ana:
            assert ana.next("hello")["people"] is None
            assert robot.next("people", lambda frame: frame["people"] > 0)["people"] == 1, "a developer only looks"
            with home.live("robot") as other:
                assert other.next("hello")["people"] == 1
        assert robot.next("people", lambda frame: frame["people"] == 0)


def test_a_question_comes_to_people_and_its_answer_to_the_robot_and_all_tablets(home: House) -> None:
    with home.live("resident") as ana, home.live("caregiver") as cem, home.live("robot") as robot:
        id_ = home.ask()
        robot.send("watch", id=id_)
        assert robot.next("record")["record"]["status"] == "open"
        for each in (ana, cem):
            assert each.next("question")["record"]["id"] == id_
        ana.send("reply", question=id_, kind="answer", value="plum", token="1")
        receipt = ana.next("receipt")
        assert (receipt["token"], receipt["receipt"]["status"]) == ("1", "accepted")
        answered = robot.next("record", lambda frame: frame["record"]["status"] == "answered")
        assert answered["record"]["answer"]["value"] == "plum"
        assert cem.next("question", lambda frame: frame["record"]["status"] == "answered")["record"]["by"] == "ana"
        cem.send("reply", question=id_, kind="answer", value="pear", token="2")
        assert cem.next("receipt")["receipt"]["status"] == "late"


def test_a_question_of_others_does_not_come_to_a_resident(home: House) -> None:
    with home.live("resident") as ana:
        home.ask("theirs", to=["cem"])
        mine = home.ask("mine", to=["ana"])
        assert ana.next("question")["record"]["id"] == mine


def test_the_state_of_a_robot_comes_to_people_and_its_silence_too(tmp_path: Path) -> None:
    with (
        house(tmp_path / "house.db", beats=Beats(beat_s=0.05, hold_s=1.0, silent_s=30.0)) as home,
        home.live("resident") as ana,
        home.live("robot") as robot,
    ):
        assert ana.next("robot")["alive"] is True
        robot.send("state", state=STATE)
        assert ana.next("robot", lambda frame: frame["state"] is not None)["state"] == SHOWN
        silent = ana.next("robot", lambda frame: not frame["alive"])
        assert silent["state"] == SHOWN, "what it said last is still known"
        back: dict[str, Any] = {}
        while not back.get("alive"):  # one beat is not enough: it changes once in a second
            robot.send("beat")
            back = ana.next(("robot", "beat"))
        assert back["state"] == SHOWN


def test_a_stop_that_comes_while_the_greeting_waits_comes_after_it(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = home.service
    made = service.hello

    def hello(socket: Socket) -> str:
        frame = made(socket)
        service.spawn(service.stopping.stop("ana", "hot", service.now_s()))  # runs before anything is written
        return frame

    monkeypatch.setattr(service, "hello", hello)
    with home.live("robot") as robot:
        first = json.loads(robot.socket.receive_text())
        assert (first["type"], first["stopped"]) == ("hello", None)
        assert robot.next("stopped")["stopped"]["by"] == "ana", "what comes last is what holds"


def test_a_stop_between_joining_and_greeting_is_in_the_greeting() -> None:
    async def read() -> None:
        hub = Hub(Bounds(), Beats())
        socket = hub.join(_grant())
        hub.broadcast("stop", urgent=True)
        hub.tick(1.0)
        socket.greet("hello, it is stopped")
        for number in range(20):
            hub.broadcast(f"stop {number}", urgent=True)
        assert await socket.next() == "hello, it is stopped"
        assert [await socket.next() for _ in range(8)] == [f"stop {number}" for number in range(12, 20)]

    asyncio.run(read())


def test_a_beat_is_answered_with_its_number(shared: House) -> None:
    with shared.live("robot") as robot:
        robot.next("hello")
        assert robot.next("beat")["heard"] is None
        heard = 0
        for number in (1, 2, 17):
            robot.send("beat", n=number)
            while heard != number:
                heard = robot.next("beat", lambda frame: frame["heard"] is not None)["heard"]
        robot.send("beat")
        assert robot.next("beat")["heard"] == 17
        for wrong in (-1, 1.5, "1", True, 2**53, [1]):
            robot.send("beat", n=wrong)
            assert robot.next("error")["error"]["code"] == "HU507"


def test_who_beats_gets_no_more_beats_than_who_does_not() -> None:
    async def count() -> None:
        hub = Hub(Bounds(), Beats(beat_s=60.0))
        socket = hub.join(_grant())
        socket.greet("hello")
        socket.number = 3
        socket.beat(1.0)
        hub.tick(2.0)
        assert [await socket.next() for _ in range(2)] == ["hello", '{"type":"beat","at_s":1.0,"heard":3}']
        assert not socket._latest

    asyncio.run(count())


def test_a_silent_socket_is_closed_and_one_that_beats_is_not(tmp_path: Path) -> None:
    with (
        house(tmp_path / "house.db", beats=Beats(beat_s=0.02, hold_s=0.1, silent_s=0.4)) as home,
        home.live("caregiver") as silent,
        home.live("resident") as live,
    ):
        live.next("hello")
        with ThreadPoolExecutor(1) as others:
            gone = others.submit(silent.next, "bye")
            while not gone.done():
                live.send("beat")
                live.next("beat")
        assert "connect again" in gone.result()["why"]
        live.send("beat")
        live.next("beat")


def test_frames_are_for_their_roles(shared: House) -> None:
    with shared.live("resident") as ana, shared.live("robot") as robot, shared.live("developer") as dev:
        ana.send("state", state=STATE)
        assert ana.next("error")["error"]["code"] == "HU502"
        robot.send("reply", question="a/b/1", kind="answer", value="plum", token="1")
        assert robot.next("error")["error"]["code"] == "HU502"
        robot.send("state", state={**STATE, "robot": "another"})
        assert robot.next("error")["error"]["code"] == "HU502"
        dev.send("reply", question="a/b/1", kind="answer", value="plum", token="1")
        assert dev.next("error")["error"]["code"] == "HU502"


def test_a_wrong_reply_gets_an_error_with_its_token(shared: House) -> None:
    with shared.live("resident") as ana:
        ana.send("reply", question="a/b/1", kind="answer", token="1")
        wrong = ana.next("error")
        assert (wrong["token"], wrong["error"]["code"]) == ("1", "HU109")


def test_only_so_many_sockets(tmp_path: Path) -> None:
    with house(tmp_path / "house.db", bounds=Bounds(sockets_each=1)) as home, home.live("resident"):
        from tests.server.houses import WebSocketDenialResponse

        with pytest.raises(WebSocketDenialResponse) as refused, home.live("resident"):
            pass
        assert refused.value.status_code == 429


# -- slow readers -----------------------------------------------------------------------------------------------------


def _grant(role: Role = Role.RESIDENT) -> Grant:
    return Grant(id="1", role=role, name="ana", device="", until_s=1e12, digest="")


def test_a_slow_reader_gets_the_latest_state_and_is_let_go_when_too_much_waits() -> None:
    async def read() -> None:
        socket = Hub(Bounds(waiting_frames=3), Beats()).join(_grant())
        socket.greet("hello")
        for number in range(1000):
            socket.send(f"beat {number}", slot="beat")
            socket.send(f"state {number}", slot="robot plate")
        socket.send("question")
        socket.send("stop", urgent=True)
        read = [await socket.next() for _ in range(5)]
        assert read == ["hello", "stop", "question", "beat 999", "state 999"]
        for number in range(4):
            socket.send(f"question {number}")
        last = await socket.next()
        assert last is not None
        assert json.loads(last)["type"] == "bye"
        assert await socket.next() is None

    asyncio.run(read())


def test_a_stuck_socket_is_cut() -> None:
    async def tick() -> None:
        hub = Hub(Bounds(), Beats(silent_s=0.01))
        socket = hub.join(_grant())
        socket.sending_since = time.monotonic() - 1.0
        hub.tick(1.0)
        assert socket.ending_since is not None
        socket.ending_since -= 2.0
        hub.tick(1.0)
        assert socket.cut.is_set()

    asyncio.run(tick())


def test_a_process_that_slept_blames_nobody_for_silence() -> None:
    async def tick() -> None:
        hub = Hub(Bounds(), Beats(hold_s=0.01, silent_s=0.02))
        socket = hub.join(_grant())
        await asyncio.sleep(0.05)
        assert hub.tick(1.0) is True
        assert socket.ending_since is None

    asyncio.run(tick())


# -- junk -------------------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)
TYPES = st.sampled_from(["beat", "stop", "reply", "draft", "state", "watch", "hello", ""]) | JSON
FIELDS = st.sampled_from(["id", "value", "at_s", "state", "question", "kind", "token", "why", "until_s", "device"])
FRAMES = st.builds(lambda kind, rest: {**rest, "type": kind}, TYPES, st.dictionaries(FIELDS, JSON, max_size=5))


@given(text=st.text() | st.builds(json.dumps, FRAMES | JSON))
@pytest.mark.parametrize("role", ["resident", "robot"])
def test_junk_gets_an_error_or_nothing_and_never_ends_the_server(shared: House, role: str, text: str) -> None:
    with shared.live(role) as live:
        live.next("hello")
        live.socket.send_text(text)
        live.send("nonsense")
        until = live.next("error", lambda frame: frame["error"]["cause"] == "there is no frame of this type")
        assert until["error"]["code"] == "HU507"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 30_000,
        '{"type":' * 5_000,
        '{"type": "draft", "id": "a", "value": ' + "[" * 2000 + "]" * 2000 + "}",
        "1" * 60_000,
    ],
    ids=["deep", "deep objects", "deep value", "a long number"],
)
@pytest.mark.parametrize("role", ["resident", "robot"])
def test_deep_and_long_frames(shared: House, role: str, text: str) -> None:
    with shared.live(role) as live:
        live.socket.send_text(text)
        assert live.next("error")["error"]["code"] in {"HU507", "HU508", "HU502"}


def test_a_frame_that_is_too_large_or_no_text(shared: House) -> None:
    with shared.live("resident") as live:
        live.socket.send_text(json.dumps({"type": "beat", "junk": "x" * 70_000}))
        assert live.next("error")["error"]["code"] == "HU507"
        live.socket.send_bytes(b"\x00\xff" * 100)
        assert live.next("error")["error"]["code"] == "HU507"


def test_who_sends_only_junk_is_let_go(shared: House) -> None:
    with shared.live("resident") as live:
        for _ in range(60):
            live.socket.send_text("junk")
        assert "wrong" in live.next("bye")["why"]
    assert shared.call("GET", "/health", None).status_code == 200
