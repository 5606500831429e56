"""A robot holds within a second of the last heartbeat that it trusts, however the server is lost, and goes on after."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

from handup.client import Client, KnownRobot, RobotLink
from handup.client.address import Challenge, ServerAddress
from handup.core import BadSetting, ServerRefused, StoreUnavailable
from handup.desk.events import Stopped
from handup.journal import Journal
from tests.client.proxy import Proxy
from tests.client.servers import Server, free_port
from tests.deadlines import AT_ONCE_S, GIVE_UP_S, HOLD_S, IN_FLIGHT_S, soon

PNG = b"\x89PNG\r\n\x1a\n" + bytes(32)


@contextmanager
def link_of(server: Server, url: str | None = None) -> Iterator[RobotLink]:
    with RobotLink(url or server.url, server.robot, "plate") as link:
        assert link.hold(timeout_s=10)
        yield link


def holds_in_time(link: RobotLink) -> None:
    """The server was lost just now: the robot moves on for a second at most, by the time at which it looks."""
    lost_s = looked_s = time.monotonic()
    while link.alive:
        assert looked_s - lost_s < HOLD_S + IN_FLIGHT_S
        time.sleep(0.01)
        looked_s = time.monotonic()
    assert not link.hold(timeout_s=0.05)


def seen(server: Server) -> bool:
    """Whether people see the robot as alive."""
    with Client(server.url, server.tokens["ana"]) as ana:
        return any(each.robot == "plate" and each.alive for each in ana.robots())


def beats_go_through(proxy: Proxy, count: int = 3) -> None:
    """Wait until the robot has sent so many more beats."""
    before = proxy.passed_there
    soon(lambda: proxy.passed_there >= before + count)


def test_a_robot_that_is_linked_may_move_and_people_see_it(own_server: Server) -> None:
    with link_of(own_server) as link:
        link.picture("live/plate", PNG)
        link.state({"phase": "moving", "title": "Bite 1", "picture": "live/plate", "picture_seq": 1})
        with Client(own_server.url, own_server.tokens["ana"]) as ana:
            soon(lambda: any(each.alive and each.state for each in ana.robots()))
            (robot,) = [each for each in ana.robots() if each.robot == "plate"]
            assert robot.state is not None
            assert (robot.state["title"], robot.state["robot"]) == ("Bite 1", "plate")
            changes = ana.watch()
            next(changes)
            link.close()
            assert not link.alive
            closed = time.monotonic()
            gone = next(each for each in changes if isinstance(each, KnownRobot) and not each.alive)
            assert gone.robot == "plate"
            assert time.monotonic() - closed < 2 * HOLD_S
            changes.close()


def test_a_server_that_is_killed(own_server: Server) -> None:
    with link_of(own_server) as link:
        own_server.kill()
        holds_in_time(link)
        assert link.problem is not None
        own_server.start()
        assert link.hold(timeout_s=10)
        assert link.problem is None


def test_a_server_that_sleeps(own_server: Server) -> None:
    with link_of(own_server) as link:
        own_server.pause()
        holds_in_time(link)
        own_server.resume()
        assert link.hold(timeout_s=10)
        own_server.pause()
        holds_in_time(link)
        time.sleep(GIVE_UP_S)
        assert not link.alive
        own_server.resume()
        assert link.hold(timeout_s=10)


def test_a_connection_that_is_cut_is_made_again(own_server: Server) -> None:
    with Proxy(own_server.port, own_server.front) as proxy, link_of(own_server, proxy.url) as link:
        proxy.cut()
        soon(lambda: link.problem is not None)
        assert link.hold(timeout_s=5)


def test_a_half_open_connection(own_server: Server) -> None:
    with Proxy(own_server.port, own_server.front) as proxy, link_of(own_server, proxy.url) as link:
        soon(lambda: seen(own_server))
        proxy.swallow = True
        holds_in_time(link)
        soon(lambda: not seen(own_server), 3 * HOLD_S)
        proxy.swallow = False
        assert link.hold(timeout_s=10), "a connection whose frames lost bytes is made anew"
        soon(lambda: seen(own_server))


def test_a_connection_that_is_broken_in_one_way(own_server: Server) -> None:
    with Proxy(own_server.port, own_server.front) as proxy, link_of(own_server, proxy.url) as link:
        soon(lambda: seen(own_server))
        beats_go_through(proxy)  # the server has repeated some of them
        proxy.swallow_there = True
        holds_in_time(link)  # though the server's beats still come in
        proxy.swallow_there = False
        assert link.hold(timeout_s=10), "a connection whose frames lost bytes is made anew"


def test_a_stop_before_the_greeting_is_obeyed() -> None:
    stopped = {"type": "stopped", "stopped": {"by": "ana", "why": "hot", "at_s": 1.0}}
    hello = {"type": "hello", "now_s": 1.0, "stopped": None}

    def talk(socket: ServerConnection) -> None:
        for frame in (stopped, hello):
            socket.send(json.dumps(frame))
        with suppress(ConnectionClosed):
            socket.recv()

    with serve(talk, "127.0.0.1", 0, subprotocols=[Subprotocol("handup")]) as strange:
        threading.Thread(target=strange.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{strange.socket.getsockname()[1]}"
        with RobotLink(url, "token", "plate") as link:
            soon(lambda: link.stopped)
            soon(lambda: link.problem is not None)
            assert link.stopped
            assert not link.alive
        strange.shutdown()


def test_beats_that_were_held_up_are_not_news(own_server: Server) -> None:
    with Proxy(own_server.port, own_server.front) as proxy, link_of(own_server, proxy.url) as link:
        beats_go_through(proxy)
        proxy.hold_back()
        holds_in_time(link)
        proxy.pass_on()
        assert link.hold(timeout_s=10)


def test_a_stop_is_heard_at_once_and_stays_whatever_happens_to_the_server(own_server: Server) -> None:
    with link_of(own_server) as link, Client(own_server.url, own_server.tokens["ana"]) as ana:
        ana.stop("it is too hot")
        soon(lambda: link.stopped, AT_ONCE_S)
        assert not link.alive
        assert link.stop_heard is not None
        assert link.stop_heard.why == "it is too hot"
        own_server.kill()
        soon(lambda: not link.heard)
        assert link.stopped
        own_server.start()
        assert link.hold(timeout_s=10, only_heard=True)
        assert link.stopped, "it is in the journal"
        assert not link.alive
        ana.enable()
        assert link.hold(timeout_s=2)


def test_a_robot_that_stops_everything_holds_at_once_and_tells_when_it_can(own_server: Server) -> None:
    with link_of(own_server) as link, Client(own_server.url, own_server.tokens["ana"]) as ana:
        own_server.kill()
        link.stop("a wire is loose")
        assert link.stopped
        own_server.start()
        soon(lambda: ana.health()["status"] == "stopped")
        assert link.stopped
        ana.enable()
        assert link.hold(timeout_s=5)


def test_a_stop_that_was_lost_with_the_server_is_said_again_by_who_heard_it(own_server: Server) -> None:
    with (
        link_of(own_server) as link,
        Client(own_server.url, own_server.tokens["ana"], patience_s=0.0) as ana,
        closing(sqlite3.connect(own_server.store, isolation_level=None)) as lock,
    ):
        lock.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="could not write it yet"):
            ana.stop("hot")
        soon(lambda: link.stopped)
        own_server.kill()
        lock.execute("ROLLBACK")
        own_server.start()
        soon(lambda: ana.health()["status"] == "stopped")
        assert link.stopped
        soon(lambda: link._own_stop is None)
        ana.enable()
        assert link.hold(timeout_s=5)


def test_a_robots_own_stop_is_not_lost_behind_another_one(own_server: Server) -> None:
    with link_of(own_server) as link, Client(own_server.url, own_server.tokens["ana"]) as ana:
        own_server.kill()
        link.stop("a finger in the gripper")
        own_server.start()
        soon(lambda: link._own_stop is None)
        ana.stop("another one")
        with Journal.open(own_server.store, create=False) as journal:
            said = [each.event.by for each in journal.read() if isinstance(each.event, Stopped)]
        assert said[-2:] == ["plate", "ana"]
        link._own_stop = ("own", "t")
        link._take_stop({"by": "ana", "why": "", "at_s": 1.0, "written": True})
        assert link._own_stop is not None, "only its own receipt ends it"
        soon(lambda: link._own_stop is None)
        ana.enable()
        assert link.hold(timeout_s=5)


def test_a_robot_knows_whether_somebody_could_answer(own_server: Server) -> None:
    with link_of(own_server) as link, Client(own_server.url, own_server.tokens["ana"]) as ana:
        assert link.people == 0
        changes = ana.watch()
        next(changes)
        soon(lambda: link.people == 1)
        with link_of(own_server) as late:
            assert late.people == 1, "it is in the greeting"
        changes.close()
        soon(lambda: link.people == 0)


HELLO = {"type": "hello", "now_s": 1.0, "stopped": None, "me": {"id": "somebody"}}


@contextmanager
def stranger(port: int, proof: Callable[[str], str]) -> Iterator[list[str]]:
    """Another program on a robot's port: it greets and beats like a server, and keeps what it is sent."""
    heard: list[str] = []

    def asked(connection: ServerConnection, request: Request) -> Response | None:
        heard.append(f"{request.path} {request.headers}")
        if "/proof" not in request.path:
            return None
        return connection.respond(200, json.dumps({"proof": proof(request.path)}))

    def talk(socket: ServerConnection) -> None:
        socket.send(json.dumps(HELLO))
        with suppress(ConnectionClosed):
            while True:
                socket.send(json.dumps({"type": "beat", "at_s": 1.0}))
                time.sleep(0.05)

    with serve(talk, "127.0.0.1", port, subprotocols=[Subprotocol("handup")], process_request=asked) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield heard
        made.shutdown()


def wrong(path: str) -> str:
    return "0" * 64


def test_another_program_on_the_servers_port_is_not_trusted_and_gets_no_token(own_server: Server) -> None:
    with link_of(own_server) as link:
        own_server.kill()
        holds_in_time(link)
        with stranger(own_server.port, wrong) as heard:
            soon(lambda: isinstance(link.problem, ServerRefused))
            asked = len(heard)
            soon(lambda: len(heard) > asked + 2)  # it has tried again
            assert not link.alive
            assert "not read this robot's store" in str(link.problem)
            assert not any(own_server.robot in each or "/live" in each for each in heard)
        own_server.start()
        assert link.hold(timeout_s=10), "the right one is trusted again"


@pytest.mark.parametrize("said", [None, [], {}, {"proof": 1}, {"proof": ""}, {"proof": "\ud800"}])
def test_what_is_no_proof_is_none(said: object) -> None:
    address = ServerAddress("http://127.0.0.1:1", "a-token")
    assert not Challenge(address=address, id="0123").met_by(said)


def test_a_robot_that_knows_its_id_trusts_no_first_server_either(own_server: Server) -> None:
    with Client(own_server.url, own_server.robot) as robot:
        id_ = robot.me()["id"]
    port = free_port()
    with (
        stranger(port, wrong) as heard,
        RobotLink(f"http://127.0.0.1:{port}", own_server.robot, "plate", id=id_) as link,
    ):
        soon(lambda: isinstance(link.problem, ServerRefused))
        assert not link.alive
        assert not any(own_server.robot in each for each in heard)
    with RobotLink(own_server.url, own_server.robot, "plate", id=id_) as link:
        assert link.hold(timeout_s=10)


def test_a_proof_that_is_passed_on_from_the_server_is_none(own_server: Server) -> None:
    def passed_on(path: str) -> str:
        return str(httpx.get(f"{own_server.url}{path}", trust_env=False).json()["proof"])

    with Client(own_server.url, own_server.robot) as robot:
        id_ = robot.me()["id"]
    port = free_port()
    with (
        stranger(port, passed_on) as heard,
        RobotLink(f"http://127.0.0.1:{port}", own_server.robot, "plate", id=id_) as link,
    ):
        soon(lambda: isinstance(link.problem, ServerRefused))
        assert not link.alive
        assert not any("/live" in each for each in heard)


def test_nothing_is_raised_into_the_robots_loop(own_server: Server) -> None:
    with RobotLink(f"http://127.0.0.1:{free_port()}", "token", "plate") as lonely:
        lonely.state({"phase": "moving"})
        lonely.state({"phase": object()})
        lonely.state({"phase": "moving", "title": "x" * 100_000})
        lonely.picture("live/plate", b"none")
        for number in range(20):
            lonely.picture(f"live/{number}", PNG)
        lonely.stop()
        assert lonely.stopped
        assert not lonely.hold(timeout_s=0.3)
        soon(lambda: lonely.problem is not None)
    lonely.state({"phase": "done"})
    lonely.close()
    with RobotLink(own_server.url, "x" * 43, "plate") as stranger:
        soon(lambda: stranger.problem is not None)
        assert not stranger.alive
    with link_of(own_server) as link:
        link.picture("live/plate", b"none")
        link.state({"phase": "no such phase"})
        link.state({"phase": "moving", "title": "after"})
        soon(lambda: _title(own_server) == "after")
        assert link.alive


def _title(server: Server) -> object:
    with Client(server.url, server.tokens["ana"]) as ana:
        return next(((each.state or {}).get("title") for each in ana.robots()), None)


def test_an_address_that_is_none_is_told_at_once() -> None:
    with pytest.raises(BadSetting):
        RobotLink("here", "token", "plate")
