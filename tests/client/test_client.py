"""Both clients against a real server: ask, wait, answer, watch, stop; and every refusal as an error that says why."""

from __future__ import annotations

import asyncio
import inspect
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from itertools import count
from typing import Any

import pytest

from handup.client import AsyncClient, Changed, Client, Connected, KnownRobot, StopChanged
from handup.core import (
    BadCode,
    BadSetting,
    Box,
    HandupError,
    NotForYou,
    NotPaired,
    Question,
    QuestionKind,
    ReplyKind,
    ServerUnreachable,
    TooFast,
    TooLarge,
)
from handup.desk import ReceiptStatus, Status
from tests.client.both import client_of
from tests.client.servers import Server, free_port

FOOD = Question("Which food is this?", QuestionKind.CHOICE, ("plum", "pear"), guess="pear", sure=0.5)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(32)
_runs = count()


@pytest.fixture(params=["waits", "awaits"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def run(kind: str) -> str:
    return f"{kind}-{next(_runs)}"


@pytest.fixture
def robot(server: Server, kind: str) -> Iterator[Any]:
    with client_of(kind, server.url, server.robot) as client:
        yield client


@pytest.fixture
def ana(server: Server, kind: str) -> Iterator[Any]:
    with client_of(kind, server.url, server.tokens["ana"]) as client:
        yield client


def test_a_question_goes_to_a_person_and_the_answer_comes_back(robot: Any, ana: Any, run: str) -> None:
    asked = robot.ask(FOOD, run=run, step="food", load=0.3)
    assert (asked.id, asked.status, asked.question.prompt) == (f"{run}/food/1", Status.OPEN, FOOD.prompt)
    assert robot.ask(FOOD, run=run, step="food", load=0.3).number == asked.number, "asked again, it is the same"
    assert asked.id in [each.id for each in ana.waiting()]
    receipt = ana.answer(asked.id, "plum", certainty=0.9, device="tablet")
    assert (receipt.accepted, receipt.again) == (True, False)
    told = robot.wait(asked.id)
    assert (told.status, told.answer.value, told.answer.certainty) == (Status.ANSWERED, "plum", 0.9)
    assert robot.record(asked.id).answer == told.answer


def test_waiting_has_an_end(robot: Any, ana: Any, run: str) -> None:
    asked = robot.ask(FOOD, run=run, step="food")
    assert robot.wait(asked.id, timeout_s=0.1) is None
    later = threading.Timer(0.2, lambda: _answer(ana, asked.id))
    later.start()
    assert robot.wait(asked.id, timeout_s=20).status is Status.ANSWERED
    later.join()


def _answer(ana: Any, question: str) -> None:
    ana.answer(question, "plum")


def test_values_of_other_shapes_come_back_as_they_are(robot: Any, ana: Any, run: str) -> None:
    robot.put_picture("plate/1", PNG)
    where = Question("Where is it?", QuestionKind.BOX, image="plate/1")
    asked = robot.ask(where, run=run, step="box")
    box = Box(left=0.1, top=0.2, right=0.3, bottom=0.4)
    assert ana.answer(asked.id, box).accepted
    assert robot.wait(asked.id).answer.value == box


def test_the_other_replies(robot: Any, ana: Any, run: str) -> None:
    asked = robot.ask(FOOD, run=run, step="food")
    assert ana.claim(asked.id).accepted
    assert ana.release(asked.id).accepted
    assert ana.reply(asked.id, ReplyKind.NOT_NOW).accepted
    assert robot.wait(asked.id).status is Status.DEFERRED
    assert ana.reply(asked.id, ReplyKind.LET_ROBOT_TRY).accepted
    assert robot.wait(asked.id).status is Status.DELEGATED
    late = ana.answer(asked.id, "plum")
    assert (late.status, late.accepted) == (ReceiptStatus.LATE, False)
    assert robot.withdraw(asked.id, "no longer needed").status is ReceiptStatus.LATE


def test_a_question_that_is_not_there(robot: Any, ana: Any) -> None:
    assert robot.record("no/such/1") is None
    assert ana.answer("no/such/1", "plum").status is ReceiptStatus.UNKNOWN


def test_who_one_is_and_how_the_server_is(robot: Any, ana: Any) -> None:
    assert (ana.me()["name"], ana.me()["role"]) == ("ana", "resident")
    assert (robot.me()["name"], robot.me()["role"]) == ("plate", "robot")
    assert robot.health()["status"] == "ok"


def test_people_see_what_a_robot_does(robot: Any, ana: Any) -> None:
    robot.put_state("plate", {"phase": "moving", "at_s": 1.0, "title": "Bite 2"})
    (seen,) = [each for each in ana.robots() if each.robot == "plate"]
    assert seen.state["title"] == "Bite 2"


def test_a_stop_holds_until_a_person_enables(robot: Any, ana: Any, run: str) -> None:
    asked = robot.ask(FOOD, run=run, step="food")
    ana.stop("it is too hot")
    try:
        assert robot.health()["status"] == "stopped"
        assert robot.wait(asked.id).cause == "stop"
    finally:
        ana.enable()
    assert robot.health()["status"] == "ok"


def test_a_watcher_hears_of_questions_robots_and_stops(robot: Any, ana: Any, run: str) -> None:
    changes = ana.watch()
    assert isinstance(next(changes), Connected)
    asked = robot.ask(FOOD, run=run, step="food")
    assert _next(changes, Changed).record.id == asked.id
    robot.put_state("plate", {"phase": "moving", "at_s": 1.0, "title": run})
    assert _next(changes, KnownRobot).robot == "plate"
    robot.stop("a wire is loose")
    try:
        while not (stopped := _next(changes, StopChanged)).stop.why:
            pass  # it is told before the server has read why
        assert stopped.stop.why == "a wire is loose"
    finally:
        ana.enable()
    while (now := _next(changes, StopChanged).stop) is not None:
        assert now == stopped.stop  # said at once, and perhaps again when it is in the journal
    changes.close()


def test_a_watcher_begins_with_all_questions_however_few_are_in_the_greeting(tmp_path: Any, kind: str) -> None:
    served = Server(tmp_path, greeted=2)
    served.start()
    try:
        with (
            client_of(kind, served.url, served.robot) as robot,
            client_of(kind, served.url, served.tokens["ana"]) as ana,
        ):
            asked = [robot.ask(Question("Which?"), run="r", step=str(each)).id for each in range(5)]
            changes = ana.watch()
            assert [each.id for each in next(changes).questions] == asked
            changes.close()
    finally:
        served.kill()


def test_a_robot_hears_of_the_questions_that_it_watches(robot: Any, ana: Any, run: str) -> None:
    asked = robot.ask(FOOD, run=run, step="food")
    changes = robot.watch(asked.id)
    assert isinstance(next(changes), Connected)
    ana.answer(asked.id, "plum")
    while (record := _next(changes, Changed).record).status is not Status.ANSWERED:
        pass
    assert record.answer is not None
    assert record.answer.value == "plum"
    changes.close()


def _next(changes: Iterator[Any], kind: type[Any]) -> Any:
    return next(each for each in changes if isinstance(each, kind))


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["waits"])  # the server has one code, and the other client would find it used up
def test_a_code_becomes_a_token_once(server: Server, kind: str) -> None:
    with client_of(kind, server.url, "") as stranger:
        pairing = stranger.pair(server.code, "a test")
        assert (pairing.name, pairing.role) == ("ana", "resident")
        assert pairing.token not in repr(pairing)
        assert stranger.me()["device"] == "a test"
        with pytest.raises(BadCode):
            stranger.pair(server.code)
        stranger.leave()
        with pytest.raises(NotPaired):
            stranger.me()


def test_without_a_token_nothing_is_told(server: Server, kind: str) -> None:
    for token in ("", "x" * 43):
        with client_of(kind, server.url, token) as stranger:
            with pytest.raises(NotPaired) as told:
                stranger.waiting()
            assert told.value.hint
            with pytest.raises(NotPaired):
                next(stranger.watch())


def test_a_role_may_do_so_much(robot: Any, ana: Any, run: str) -> None:
    with pytest.raises(NotForYou):
        ana.ask(FOOD, run=run, step="food")
    with pytest.raises(NotForYou):
        robot.enable()
    with pytest.raises(NotForYou):
        robot.put_state("another", {"phase": "moving", "at_s": 1.0})


def test_what_is_too_large_or_no_picture_is_refused(robot: Any, run: str) -> None:
    with pytest.raises(TooLarge):
        robot.put_picture("big", PNG + bytes(3 * 2**20))
    with pytest.raises(BadSetting, match="no picture"):
        robot.put_picture("plate", b"GIF89a")
    with pytest.raises(HandupError):
        robot.ask(Question("Which?", support="x"), run="", step="food")
    with pytest.raises(BadSetting, match="image"):
        robot.ask(Question("Where?", QuestionKind.BOX), run=run, step="box")


def test_a_server_that_is_not_there(kind: str) -> None:
    with client_of(kind, f"http://127.0.0.1:{free_port()}", "token", patience_s=0.2) as client:
        with pytest.raises(ServerUnreachable, match="no handup server answers"):
            client.health()
        assert client.wait("run/food/1", timeout_s=0.2) is None


def test_who_asks_too_often_is_told_when_to_come_back_and_does(tmp_path: Any, kind: str) -> None:
    slow = Server(tmp_path, per_s=2.0, burst=3.0)
    slow.start()
    try:
        with client_of(kind, slow.url, slow.tokens["ana"]) as patient:
            assert [patient.me()["name"] for _ in range(5)] == ["ana"] * 5
        with client_of(kind, slow.url, slow.tokens["ana"], patience_s=0.0) as hasty:
            with pytest.raises(TooFast):
                [hasty.me() for _ in range(9)]
            hasty.stop("never refused for coming too often")
    finally:
        slow.kill()


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_a_method_reads_as_the_call_that_it_makes(client: type[Client] | type[AsyncClient]) -> None:
    assert list(inspect.signature(client.ask).parameters) == ["self", "question", "run", "step", "attempt", "load"]
    assert (client.ask.__name__, client.ask.__qualname__) == ("ask", "ask")
    assert (client.stop.__doc__ or "").startswith("Stop every robot")


# -- the thread of the client that waits -------------------------------------------------------------------------------


def test_a_signal_ends_a_wait_and_the_client_works_on(server: Server, run: str) -> None:
    with Client(server.url, server.robot) as robot:
        asked = robot.ask(FOOD, run=f"{run}-signal", step="food")
        main = threading.main_thread().ident
        assert main is not None
        threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            robot.wait(asked.id)
        assert robot.record(asked.id) == asked
        robot.withdraw(asked.id, "no longer needed")


def test_a_client_ends_with_its_thread(server: Server) -> None:
    robot = Client(server.url, server.robot)
    changes = robot.watch()
    assert isinstance(next(changes), Connected)
    robot.close()
    robot.close()
    assert "handup client" not in [thread.name for thread in threading.enumerate()]
    with pytest.raises(RuntimeError, match="the client is closed"):
        robot.health()
    changes.close()


@pytest.mark.filterwarnings("error")
def test_a_call_that_begins_while_another_thread_closes_the_client_ends(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = Client(server.url, server.robot)
    schedule, close = asyncio.run_coroutine_threadsafe, robot._loop.close
    scheduled = threading.Event()

    def scheduling(*given: Any) -> Any:
        future = schedule(*given)
        scheduled.set()
        return future

    def closing() -> None:  # the loop runs no more, and takes calls until it is closed
        caller.start()
        assert scheduled.wait(30.0)
        close()

    ends: list[Exception] = []

    def calls() -> None:
        try:
            robot.health()
        except (RuntimeError, CancelledError) as error:
            ends.append(error)

    caller = threading.Thread(target=calls, daemon=True)
    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", scheduling)
    monkeypatch.setattr(robot._loop, "close", closing)
    robot.close()
    caller.join(30.0)
    assert [(type(end), str(end)) for end in ends] == [(RuntimeError, "the client is closed")]


def test_a_wait_ends_once_another_thread_closes_the_client(server: Server) -> None:
    robot = Client(server.url, server.robot)
    asked = robot.ask(FOOD, run=f"closed-{next(_runs)}", step="food")
    threading.Timer(0.2, robot.close).start()
    with pytest.raises(RuntimeError, match="the client is closed"):
        robot.wait(asked.id)
    robot.close()
    with Client(server.url, server.robot) as again:
        again.withdraw(asked.id, "no longer needed")
