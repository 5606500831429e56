"""A server that is killed and started again loses nothing, and clients need not care."""

from __future__ import annotations

import threading

import pytest

from handup.client import Changed, Client, Connected, Lost
from handup.core import Question, QuestionKind
from handup.desk import Status
from tests.client.servers import Server

FOOD = Question("Which food is this?", QuestionKind.CHOICE, ("plum", "pear"))


def test_waiting_and_watching_survive_a_server_that_is_killed(own_server: Server) -> None:
    with Client(own_server.url, own_server.robot) as robot, Client(own_server.url, own_server.tokens["ana"]) as ana:
        asked = robot.ask(FOOD, run="lunch", step="food")
        told: list[object] = []
        waits = threading.Thread(target=lambda: told.append(robot.wait(asked.id)))
        waits.start()
        changes = ana.watch()
        assert isinstance(next(changes), Connected)
        own_server.kill()
        assert isinstance(next(each for each in changes if isinstance(each, Lost)), Lost)
        own_server.start()
        again = next(changes)
        assert isinstance(again, Connected), "lost is said once"
        assert [each.id for each in again.questions] == [asked.id]
        assert again.questions[0].status is Status.OPEN
        assert ana.answer(asked.id, "plum").accepted
        changed = next(each for each in changes if isinstance(each, Changed))
        assert changed.record.status is Status.ANSWERED
        waits.join(20)
        (found,) = told
        assert getattr(found, "status", None) is Status.ANSWERED
        changes.close()


@pytest.mark.parametrize("paused", [False, True])
def test_what_is_sent_while_the_server_is_away_arrives_once(own_server: Server, paused: bool) -> None:
    with Client(own_server.url, own_server.robot, patience_s=60) as robot:
        first = robot.ask(FOOD, run="lunch", step="food")
        if paused:
            own_server.pause()
        else:
            own_server.kill()
        back = threading.Timer(1.0, own_server.resume if paused else own_server.start)
        back.start()
        assert robot.ask(FOOD, run="lunch", step="food").number == first.number
        second = robot.ask(FOOD, run="lunch", step="skill")
        assert second.status is not Status.EXPIRED
        back.join()
