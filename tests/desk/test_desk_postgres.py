"""The same desk on PostgreSQL: the same machine with fewer steps, and the same race."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from handup.core import Person, Question
from handup.desk import Desk, replay
from handup.journal import Journal
from tests.desk.desks import SetClock, answer, run_race
from tests.desk.machine import DeskMachine
from tests.journal.postgres import Server


@pytest.mark.hypothesis
def test_the_desk_on_postgres_under_everything(server: Server) -> None:
    def in_a_database(clock: SetClock) -> tuple[Callable[[], Journal], Callable[[], None]]:
        url = server.new_database()
        return (lambda: Journal.open(url, clock=clock)), (lambda: None)

    class OnPostgres(DeskMachine):
        open_store = staticmethod(in_a_database)

    shorter = settings(
        max_examples=max(4, settings().max_examples // 12),
        stateful_step_count=25,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(OnPostgres, settings=shorter)


def test_two_processes_race_on_postgres(database: str) -> None:
    run_race(database, questions=20)


def test_two_journals_behave_as_one(database: str) -> None:
    people = [Person(name="ana"), Person(name="ben")]
    with Journal.open(database) as robot, Journal.open(database) as tablet:
        asking, answering = Desk(robot, people), Desk(tablet, people)
        record = asking.ask(Question("Which one?"), run="meal", step="food")
        assert answering.reply(answer(record, "ben")).accepted
        told = asking.wait(record.id, timeout_s=20)
        assert told is not None
        assert told.by == "ben"
        assert asking.state == answering.state == replay(robot.read())
