"""Stop never waits: not for an action, not for a person, not while it is unknown what became of an action."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handup.core import ManualClock, Question
from handup.executive import Around, Ending, Executive, Run
from handup.executive.executive import STOP
from handup.executive.human_help import Heard
from handup.journal import Journal
from tests.executive.making import action, recipe, recipes
from tests.executive.robot import acting, by_name

MAIN = recipes(recipe("main", action("pick")))


class Silent:
    """Somebody who is asked and says nothing."""

    stopped = False

    def __init__(self) -> None:
        self.open: list[str] = []
        self.asked = 0

    def ask(self, question: Question, step: str) -> str:
        self.open.append(step)
        self.asked += 1
        return step

    def heard(self, question: str) -> Heard | None:
        return None

    def wait(self, question: str, for_s: float) -> None:
        pass

    def withdraw(self, question: str) -> None:
        self.open.remove(question)


@contextmanager
def cut_off(path: Path, people: Silent) -> Iterator[Executive]:
    """A run whose last program ended while it was picking, which cannot be sensed."""
    actions = by_name(acting("pick", lasts_s=5.0))
    with Journal.open(path) as journal:
        turns = Executive(Run(MAIN, book=journal, run="r"), Around(actions=actions, clock=ManualClock())).turns()
        next(turns)
        turns.close()
    with Journal.open(path) as journal:
        yield Executive(Run(MAIN, book=journal, run="r"), Around(actions=actions, clock=ManualClock(), people=people))


@pytest.mark.parametrize("why", ["The battery is low.", STOP])
def test_stop_is_heard_while_a_person_is_asked_about_a_lost_action(tmp_path: Path, why: str) -> None:
    people = Silent()
    with cut_off(tmp_path / "j.db", people) as executive:
        turns = executive.turns()
        next(turns)
        assert people.open == ["act:1"]
        executive.stop(why)
        with pytest.raises(StopIteration) as end:
            next(turns)
    assert (end.value.value.ending, end.value.value.reason) == (Ending.STOPPED, why)
    assert people.open == []


def test_nobody_is_asked_about_a_lost_action_after_a_stop(tmp_path: Path) -> None:
    people = Silent()
    with cut_off(tmp_path / "j.db", people) as executive:
        executive.stop()
        assert executive.to_the_end().ending is Ending.STOPPED
    assert people.asked == 0
