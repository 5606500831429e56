"""`handup.run` on a robot whose desk is on another machine."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handup import Look, Module, ModuleGraph, Outcome, Pass, Question, QuestionKind, run
from handup.client import Client, RemoteDesk, RobotLink, calls
from handup.core import IllegalCall, Person, ReplyKind, Value
from handup.journal import Journal
from handup.recover import AskingDesk, Episode, Settings, TimeUnit
from handup.whom import Options, PersonNow
from tests.client.people import Ana
from tests.client.servers import Server
from tests.deadlines import soon


class Cupboard:
    """It thinks the handle is on the left; truly it is on the right."""

    graph = ModuleGraph.chain(
        [
            Module("side", 0.5, 0.3, question=Question("Where is the handle?", QuestionKind.CHOICE, ("left", "right"))),
            Module("force", 0.9, 0.3, question=Question("How hard?", QuestionKind.NUMBER, low=1, high=20)),
        ]
    )

    def __init__(self) -> None:
        self.did: list[str] = []

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        return Pass(outputs={"side": "left", "force": 5.0, **answers}, confidences={"side": 0.5, "force": 0.9})

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        self.did.append(action_id)
        return Look(outputs["side"] == "right")


def driven(server: Server, folder: Path, policy: Cupboard, name: str) -> Episode:
    with (
        Client(server.url, server.robot) as client,
        RobotLink(server.url, server.robot, "plate") as link,
        Journal.open(folder / "robot.db", clock=link.clock) as journal,
    ):
        desk: AskingDesk = RemoteDesk(client, link, journal)
        return run(policy, "troubleshoot", desk, run=name)


def test_a_run_asks_far_away_and_ends_as_it_would_at_home(own_server: Server, tmp_path: Path) -> None:
    policy = Cupboard()
    with Ana(own_server, {"side": "right", "force": 5.0}) as ana:
        episode = driven(own_server, tmp_path, policy, "drawer-1")
    assert (episode.outcome, episode.answers["side"]) == (Outcome.RECOVERED, "right")
    assert "drawer-1/side/1" in ana.asked
    assert policy.did == [action.id for action in episode.actions]
    again = driven(own_server, tmp_path, Cupboard(), "drawer-1")
    assert (again.outcome, again.actions) == (episode.outcome, episode.actions), "what is over is over"


def test_a_question_that_is_not_answered_in_time_goes_on_to_the_next_person(own_server: Server, tmp_path: Path) -> None:
    options = Options(people=tuple(PersonNow(person=Person(name=name)) for name in ("ana", "ben")), step_s=1.0)
    settings = Settings(time=TimeUnit.SECONDS, horizon=1e6, ask_time=0.5, act_time=100.0)
    done: list[Episode] = []
    with (
        Client(own_server.url, own_server.robot) as client,
        RobotLink(own_server.url, own_server.robot, "plate") as link,
        Journal.open(tmp_path / "robot.db", clock=link.clock) as journal,
        Client(own_server.url, own_server.tokens["ben"], patience_s=60) as ben,
    ):
        desk = RemoteDesk(client, link, journal)

        def drive() -> None:
            done.append(
                run(Cupboard(), "joint", desk, run="drawer-9", settings=settings, options=options, look_every_s=0.2)
            )

        drives = threading.Thread(target=drive)
        drives.start()
        soon(lambda: any(record.turn == "ben" for record in ben.waiting()), 30)
        with Ana(own_server, {"side": "right", "force": 5.0}):
            drives.join(60)
    (episode,) = done
    assert episode.outcome is Outcome.RECOVERED


def test_a_server_that_cannot_hand_on_says_what_to_do(own_server: Server, tmp_path: Path, monkeypatch: Any) -> None:
    older = replace(calls.hand_on("drawer-10/side/1", "ben"), path="/not-known-yet")
    with (
        Client(own_server.url, own_server.robot) as client,
        RobotLink(own_server.url, own_server.robot, "plate") as link,
        Journal.open(tmp_path / "robot.db", clock=link.clock) as journal,
    ):
        monkeypatch.setattr(client, "hand_on", lambda *_: client._wait_for(lambda: client._client._do(older)))
        with pytest.raises(IllegalCall, match=r"older than this robot's program. Update the server"):
            RemoteDesk(client, link, journal).hand_on("drawer-10/side/1", "ben")


def test_a_run_goes_on_when_the_server_was_killed_meanwhile(own_server: Server, tmp_path: Path) -> None:
    policy = Cupboard()
    done: list[Episode] = []
    drives = threading.Thread(target=lambda: done.append(driven(own_server, tmp_path, policy, "drawer-2")))
    drives.start()
    with Client(own_server.url, own_server.tokens["ana"], patience_s=60) as ana:
        soon(ana.waiting, 20)
        own_server.kill()
        own_server.start()
    with Ana(own_server, {"side": "right", "force": 5.0}):
        drives.join(60)
    (episode,) = done
    assert episode.outcome is Outcome.RECOVERED
    assert len(set(policy.did)) == len(policy.did), "nothing was done twice"


def test_a_stop_ends_the_run_for_good_also_once_it_is_lifted(own_server: Server, tmp_path: Path) -> None:
    policy = Cupboard()
    done: list[Episode] = []
    drives = threading.Thread(target=lambda: done.append(driven(own_server, tmp_path, policy, "drawer-3")))
    drives.start()
    with Client(own_server.url, own_server.tokens["ana"]) as ana:
        soon(ana.waiting, 20)
        ana.stop("it is too hot")
        drives.join(30)
        (episode,) = done
        assert episode.outcome is Outcome.STOPPED
        ana.enable()
    did = list(policy.did)
    assert driven(own_server, tmp_path, policy, "drawer-3").outcome is Outcome.STOPPED
    assert policy.did == did
    with Ana(own_server, {"side": "right", "force": 5.0}):
        assert driven(own_server, tmp_path, policy, "drawer-4").outcome is Outcome.RECOVERED


def test_a_stop_that_is_heard_while_the_program_is_down_still_ends_the_run(own_server: Server, tmp_path: Path) -> None:
    with (
        Client(own_server.url, own_server.robot) as client,
        RobotLink(own_server.url, own_server.robot, "plate") as link,
        Client(own_server.url, own_server.tokens["ana"]) as ana,
        Journal.open(tmp_path / "robot.db", clock=link.clock) as journal,
    ):
        desk = RemoteDesk(client, link, journal)
        soon(lambda: not desk.stopped)
        before = journal.head().seq
        ana.stop()
        soon(lambda: desk.stopped)
        ana.enable()
        soon(lambda: not desk.stopped)
        assert desk.stopped_since(before)
        assert RemoteDesk(client, link, journal).stopped_since(before), "the journal knows"
        assert not desk.stopped_since(journal.head().seq)
        assert desk.free_from_s(5.0) == 5.0


class Shower(Cupboard):
    """It shows words of its own, without a phase, and moves until a person sees that it does."""

    def __init__(self, seen_by: Client) -> None:
        super().__init__()
        self.link: RobotLink | None = None
        self._seen_by = seen_by

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        if self.link is not None:
            self.link.state({"title": "The drawer", "doing": "opening the drawer"})
        return super().forward(answers)

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        soon(lambda: shown_to(self._seen_by)["phase"] == "moving")
        return super().act(outputs, action_id)


def shown_to(person: Client) -> Mapping[str, Any]:
    """The state of the robot that a person sees; a phase of nothing before there is one."""
    return next((robot.state or {} for robot in person.robots() if robot.robot == "plate"), {}) or {"phase": ""}


def test_people_see_what_the_run_is_at_and_that_it_has_finished(own_server: Server, tmp_path: Path) -> None:
    ends: list[Episode] = []
    with (
        Client(own_server.url, own_server.tokens["ana"]) as ana,
        Client(own_server.url, own_server.robot) as client,
        Journal.open(tmp_path / "robot.db") as journal,
    ):
        policy = Shower(ana)

        def drive() -> None:
            with RobotLink(own_server.url, own_server.robot, "plate") as policy.link:
                ends.append(run(policy, "troubleshoot", RemoteDesk(client, policy.link, journal), run="drawer-6"))

        drives = threading.Thread(target=drive)
        drives.start()
        soon(ana.waiting, 20)
        (question,) = ana.waiting()
        soon(lambda: shown_to(ana)["phase"] == "asking")
        assert shown_to(ana)["title"] == "The drawer"
        assert question.step == "side"
        ana.answer(question.id, "right")
        with Ana(own_server, {"side": "right", "force": 5.0}):
            drives.join(60)
        assert ends[0].outcome is Outcome.RECOVERED
        last = shown_to(ana)
        assert (last["phase"], last["title"], last["doing"]) == ("done", "The drawer", "finished: it worked")


def test_not_now_is_waited_for_and_the_later_answer_counts(own_server: Server, tmp_path: Path) -> None:
    policy = Cupboard()
    done: list[Episode] = []
    drives = threading.Thread(target=lambda: done.append(driven(own_server, tmp_path, policy, "drawer-5")))
    drives.start()
    with Client(own_server.url, own_server.tokens["ana"]) as ana:
        soon(ana.waiting, 20)
        (first,) = ana.waiting()
        until_s = ana.health()["now_s"] + 2.0
        assert ana.reply(first.id, ReplyKind.NOT_NOW, until_s=until_s).accepted
    with Ana(own_server, {"side": "right", "force": 5.0}):
        drives.join(60)
    assert done[0].outcome is Outcome.RECOVERED
