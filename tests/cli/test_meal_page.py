"""`handup meal` at the page: a whole meal through the API; killed anywhere it goes on; stopped it stays stopped."""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from handup.cli import built_page, harness, meal
from handup.client import Client, RobotLink, link_protocol
from handup.client.child_server import ChildServer, is_free
from handup.core import BadSetting, Outcome
from handup.core.installation import install_command
from handup.desk import SkippingClock
from handup.desk.events import Answered, Withdrawn
from handup.desk.screen import Keyboard
from handup.domains.domain import SIMULATED, Halted, Workplace
from handup.domains.feeding.attempt_record import BiteAttempt, HaltedAct
from handup.domains.feeding.household import next_meal
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.meal_result import Served
from handup.domains.feeding.memory_modules import memory_in
from handup.domains.feeding.modules import Modules
from handup.domains.feeding.order import MealOrdered, MealTerms, Order
from handup.domains.feeding.policy import DOUBT_BELOW
from handup.domains.runs import TaskOver, end_task
from handup.journal import Journal
from handup.recover.run_record import RunBegun, RunEnded, RunSettled, Settled
from handup.server import Access
from tests.cli.calls import assert_one_line_error, here
from tests.cli.sitting import Sitting, free_port, until
from tests.deadlines import AFTER_HOLD_S, HOLD_S, MOTION_S, NOTICE_S, STOP_S

ALWAYS = "topo+query-for-all"
PAGE = ("meal", "--people", "page", "--no-browser", "--linger", "0")
KILLS = int(os.environ.get("HANDUP_MEAL_KILLS", "3"))
"""How many programs are killed in one meal; many more in the soak run."""


def events(sitting: Sitting) -> list[object]:
    return [entry.event for entry in sitting.entries()]


def assert_nothing_twice(sitting: Sitting) -> None:
    """Every attempt once, every question answered once, and a journal that is whole."""
    with Journal.open(sitting.store, readonly=True) as journal:
        assert journal.verify().ok
    found = sitting.entries()
    acted = [each.event.action for each in found if isinstance(each.event, BiteAttempt | HaltedAct)]
    begun = [each.event.action for each in found if isinstance(each.event, RunBegun)]
    void = [e.event.action for e in found if isinstance(e.event, RunSettled) and e.event.how is Settled.VOID]
    assert len(set(acted)) == len(acted)
    assert len(set(begun)) == len(begun)
    assert set(acted) | set(void) <= set(begun)
    assert not set(acted) & set(void)
    answered = Counter(each.key for each in found if isinstance(each.event, Answered))
    assert set(answered.values()) <= {1}


def test_a_whole_meal_and_then_another_one(tmp_path: Path) -> None:
    with Sitting(tmp_path, "--bites", "2", "--method", ALWAYS, "--speed", "20", "--json") as sitting:
        assert sitting.finish() == 0
        served = json.loads(sitting.printed)
        assert (served["got"], served["queries"], served["executions"]) == (2, 8, 2)
        assert [each["outcome"] for each in served["bites"]] == ["recovered", "recovered"]
        assert served["seconds"] < 300
        assert "Begins meal-1 (savory salad, 2 bites)" in sitting.said
        until(lambda: is_free(sitting.port))
        sitting.start()
        until(lambda: "Begins meal-2" in sitting.said)
        orders = [each for each in events(sitting) if isinstance(each, MealOrdered)]
        assert [each.order["seed"] for each in orders] == [0, 1], "another plate"
        assert [entry.run for entry in sitting.entries() if isinstance(entry.event, TaskOver)] == ["meal-1"]


def keep_open(sitting: Sitting) -> None:
    """A page, as far as the server can tell, until the server ends."""
    with suppress(*link_protocol.FAILS), connect(**link_protocol.how(sitting.client.address)) as socket:
        beaten = -math.inf
        while True:
            if time.monotonic() > beaten + link_protocol.BEAT_S:
                beaten = time.monotonic()
                socket.send(link_protocol.frame("beat"))
            socket.recv(timeout=link_protocol.SILENT_S)


def test_it_begins_and_goes_on_only_once_a_page_is_open(tmp_path: Path) -> None:
    with Sitting(tmp_path, "--wait", "--bites", "1", "--speed", "4", "--json") as sitting:
        for begins in ("Begins meal-1", "Goes on with meal-1"):
            until(lambda: harness.WAITING in sitting.said)
            assert begins in sitting.said
            assert "--no-wait" in sitting.said, "nobody can press Enter here"
            if begins.startswith("Begins"):
                sitting.kill_robot()
                sitting.start()
        assert not [event for event in events(sitting) if isinstance(event, RunBegun)]
        threading.Thread(target=keep_open, args=[sitting], daemon=True).start()
        assert sitting.reach("moving")
        sitting.kill_robot()
        sitting.start()
        assert sitting.finish() == 0
        assert harness.WAITING not in sitting.said, "the page was open all the time"


class Somebody(Keyboard):
    """A link that hears of a person after a while, or never; and a keyboard at which Enter is pressed, or never."""

    live = True

    def __init__(self, *, comes: bool, enter: bool = False, live: bool = True) -> None:
        super().__init__()
        self._comes, self._enter, self.live, self._looks = comes, enter, live, 0

    @property
    def people(self) -> int:
        self._looks += 1
        return int(self._comes and self._looks > 2)

    def hold(self, timeout_s: float, *, only_heard: bool) -> bool:
        return only_heard

    def line(self, gone: Callable[[], bool]) -> str | None:
        if self._enter:
            return ""
        if not self._comes:
            raise EOFError
        while not gone():
            pass
        return None

    def drop(self) -> None:
        pass


@pytest.mark.parametrize(
    ("link", "typing"),
    [
        (Somebody(comes=False), Somebody(comes=False, enter=True)),
        (Somebody(comes=True), Somebody(comes=True)),
        (Somebody(comes=True), Somebody(comes=False)),
        (Somebody(comes=True), Somebody(comes=False, live=False)),
    ],
    ids=["Enter", "somebody comes", "Ctrl-D, and somebody comes", "no terminal, and somebody comes"],
)
def test_waiting_ends_with_the_page_or_with_enter(
    link: Any, typing: Somebody, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.await_page(link, typing)
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(harness.WAITING)
    assert ("press Enter" in line) == typing.live


def test_what_is_served_at_the_page_makes_the_robot_ask(tmp_path: Path) -> None:
    """The first three meals of a store, in one home, as the page has them, with what was said at the ones before."""
    wanted = Order(plate=meal.PAGE_PLATE, looks=meal.PAGE_LOOKS, rest_s=6.0, doubt_below=DOUBT_BELOW)
    modules, asked = Modules.load(), []
    terms = MealTerms(people=SIMULATED, accuracy=1.0, networks=modules.networks, memory=True)
    with Journal.open(tmp_path / "m.db", clock=SkippingClock()) as journal:
        for seed in range(3):
            order = next_meal(journal, wanted, terms, own_seed=True, own_kitchen=True).order
            assert (order.seed, order.kitchen) == (seed, 0)
            with Meal(order, journal, modules=modules, memory=memory_in(journal)) as table:
                asked.append(table.eat([table.simulated(accuracy=1.0)]).to_json()["queries"])
            end_task(journal, order.name, {})
    assert min(asked) >= 1
    assert max(asked) <= 15


def test_what_is_served_at_the_page_where_nothing_is_ordered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[Order] = []

    def eat(order: Order, *rest: object) -> Served:
        wanted.append(order)
        raise BadSetting("enough", hint="Stop.")

    monkeypatch.setattr(meal, "eat", eat)
    here("meal")
    here("meal", "--plate", "noodles", "--looks", "easy")
    assert [(each.plate, each.looks, each.seed) for each in wanted] == [
        (meal.PAGE_PLATE, meal.PAGE_LOOKS, 0),
        ("noodles", "easy", 0),
    ]


def test_ctrl_c_leaves_the_meal_with_one_line_and_the_same_command_goes_on(tmp_path: Path) -> None:
    with Sitting(tmp_path, "--bites", "1", "--speed", "0.5", "--json") as sitting:
        assert sitting.reach("moving")
        sitting.robot.send_signal(signal.SIGINT)
        assert sitting.robot.wait(30) == 130
        last = sitting.said.splitlines()[-1]
        assert last.startswith("Left. The meal is kept in handup-meals")
        assert "Traceback" not in sitting.said
        until(lambda: is_free(sitting.port))
        sitting.start()
        until(lambda: "Goes on with meal-1" in sitting.said)


def test_ctrl_c_after_the_last_bite_loses_no_result(tmp_path: Path) -> None:
    with Sitting(tmp_path, "--bites", "1", "--speed", "20", "--linger", "600", "--json") as sitting:
        assert sitting.reach("done")
        until(lambda: "The page stays for another 600 s; Ctrl-C ends it." in sitting.said)
        sitting.robot.send_signal(signal.SIGINT)
        assert sitting.robot.wait(30) == 0
        assert json.loads(sitting.printed)["got"] == 1


def test_killed_again_and_again_it_goes_on_with_the_same_question(tmp_path: Path) -> None:
    """Robot, server and both are killed, in every phase; nothing is asked, answered or done twice."""
    bites = min(max(KILLS // 2, 2), 20)
    arguments = ("--bites", str(bites), "--method", ALWAYS, "--speed", "1.5", "--rest", "2", "--json")
    targets = ["robot", "server", "both"]
    phases = ["asking", "moving", "asking", "resting", "deciding"]
    kills = 0
    with Sitting(tmp_path, *arguments) as sitting:
        for number in range(KILLS):
            wanted, target = phases[number % len(phases)], targets[number % len(targets)]
            if not sitting.reach(wanted):
                break
            open_before = [each.id for each in until(lambda: sitting.client.waiting() or [None]) if each is not None]
            if target in {"server", "both"}:
                sitting.kill_server()
            if target in {"robot", "both"}:
                sitting.kill_robot()
                sitting.start()
            kills += 1
            until(lambda: sitting.robot.poll() is not None or sitting.phase() != "gone")
            if wanted == "asking":
                assert [each.id for each in until(sitting.client.waiting)] == open_before, (number, target)
                until(sitting.answer)
        assert kills >= min(KILLS, 20)
        if sitting.robot.poll() is None:
            assert sitting.finish() == 0, sitting.said
        served = json.loads(sitting.printed)
        assert served["got"] >= bites - bites // 4
        assert_nothing_twice(sitting)
        assert not [each for each in events(sitting) if isinstance(each, Withdrawn)]
        assert len([each for each in events(sitting) if isinstance(each, MealOrdered)]) == 1


def test_a_stop_on_the_page_ends_the_motion_and_the_bite_goes_on_after_enable(tmp_path: Path) -> None:
    with Sitting(tmp_path, "--bites", "1", "--speed", "0.3", "--json") as sitting:
        assert sitting.reach("moving")
        sitting.client.stop()
        stopped = time.monotonic()
        until(lambda: any(isinstance(event, HaltedAct) for event in events(sitting)))
        assert time.monotonic() - stopped < STOP_S
        until(lambda: sitting.phase() == "stopped")
        before = len(sitting.entries())
        sitting.kill_robot()
        assert len(sitting.entries()) == before, "nothing happens before somebody enables it"
        sitting.start("--speed", "20")
        until(lambda: sitting.phase() == "stopped")
        sitting.client.enable()
        assert sitting.finish() == 0
        assert json.loads(sitting.printed)["bites"][0]["outcome"] == "recovered"
        ended = [each.outcome for each in events(sitting) if isinstance(each, RunEnded)]
        assert ended == [Outcome.STOPPED, Outcome.RECOVERED]
        assert_nothing_twice(sitting)


@pytest.mark.soak
def test_a_server_that_hangs_makes_the_arm_hold(tmp_path: Path) -> None:
    with Sitting(tmp_path, "--bites", "1", "--speed", "0.7", "--json") as sitting:
        assert sitting.reach("moving")
        os.kill(sitting.server_pid(), signal.SIGSTOP)
        try:
            time.sleep(MOTION_S)
            assert not [each for each in events(sitting) if isinstance(each, BiteAttempt)]
        finally:
            os.kill(sitting.server_pid(), signal.SIGCONT)
        assert sitting.finish() == 0
        assert json.loads(sitting.printed)["executions"] >= 1


@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL])
def test_the_arm_holds_within_a_second_of_the_last_heartbeat(tmp_path: Path, how: signal.Signals) -> None:
    """A thread moves the arm as a skill does; the server hangs or dies; no stride comes later than a second after."""
    strides: list[float] = []
    over = threading.Event()
    with Journal.open(tmp_path / "m.db") as journal:
        token = Access(journal).robot_token("arm").token

        def knows(url: str) -> bool:
            with Client(url, token, patience_s=0.0) as client:
                return bool(client.me())

        server = ChildServer(str(tmp_path / "m.db"), knows, port=free_port(), folder=tmp_path)
        with RobotLink(server.url, token, "arm") as link:
            guard = Workplace(journal, "meal", link=link).guard

            def move() -> None:
                guard.begin()
                while not over.is_set():
                    with suppress(Halted):
                        guard(0.004 * len(strides))
                        strides.append(time.monotonic())

            mover = threading.Thread(target=move, daemon=True)
            try:
                server.wait()
                assert link.hold(20.0)
                mover.start()
                until(lambda: len(strides) > 100)
                pid = server.pid
                assert pid is not None
                os.kill(pid, how)
                silent = time.monotonic()
                if how is signal.SIGSTOP:
                    time.sleep(AFTER_HOLD_S)
                    os.kill(pid, signal.SIGCONT)
                until(lambda: strides[-1] > silent + 1.5)
                gap, began = max((later - each, each) for each, later in pairwise(strides))
                assert gap > 0.1, "it held, and went on when the server was back"
                assert began < silent + HOLD_S + NOTICE_S, "within a second, and what this machine needs to notice"
            finally:
                over.set()
                server.close()
                mover.join(10)


def test_one_robot_for_each_store_and_none_where_the_port_is_taken(tmp_path: Path) -> None:
    with Sitting(tmp_path, "--bites", "1", "--method", ALWAYS) as sitting:
        second = here(*PAGE, "--store", str(sitting.store))
        assert_one_line_error(second, "a robot is at work on this store", "--store")
        other = here(*PAGE, "--store", str(tmp_path / "other.db"), "--port", str(sitting.port))
        assert_one_line_error(other, f"port {sitting.port} is taken by another program", "--port")
    with socket.create_server(("127.0.0.1", free_port())) as taken:
        port = taken.getsockname()[1]
        called = here(*PAGE, "--store", str(tmp_path / "third.db"), "--port", str(port))
        assert_one_line_error(called, f"port {port} is taken by another program", "--port")


def test_without_the_extra_or_the_page_or_a_folder_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "handup-meals").write_text("no folder")
    assert_one_line_error(here(*PAGE), "handup-meals", "--store")
    with monkeypatch.context() as patched:
        patched.setattr(harness, "find_spec", lambda name: None)
        assert_one_line_error(here(*PAGE), install_command("web"))
    with monkeypatch.context() as patched:
        patched.setattr(built_page, "PAGE", "no-such-page.html")
        assert_one_line_error(here(*PAGE), "the page must be built first", "make page")
