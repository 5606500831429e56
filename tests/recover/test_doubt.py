"""A robot that doubts its own look has a person look; after a crash by the same question; if nobody does, by itself."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

from handup.core import ContractViolation, Outcome, Question, QuestionKind, ReplyKind, Value
from handup.desk import Desk, Record
from handup.recover import Look, Settings
from handup.recover.run_record import RunSettled, Settled
from tests.recover.house import House, Killed
from tests.recover.robot import RIGHT, SensingRobot
from tests.soak import swept

DID_IT = Question(
    "Did it work?", QuestionKind.YES_NO, doing="looking", why="I cannot see it.", effects=("Good.", "So.")
)


class Doubting(SensingRobot):
    """Sees everything as failed, and knows that it sees badly."""

    asks: Any = DID_IT

    def __init__(self, log: Path) -> None:
        super().__init__(log, wrong=(), certainty=0.6)

    def act(self, outputs: Any, action_id: str) -> Look:
        super().act(outputs, action_id)
        return Look(False, 0.6)

    def sense(self, action_id: str) -> Look | None:
        seen = super().sense(action_id)
        return Look(False, 0.6) if seen is None or seen.started else seen

    def doubt(self, action_id: str) -> Any:
        return self.asks


class Eyes(House):
    """People who look, or do not."""

    looks: Value | ReplyKind | None = True

    def _said(self, record: Record, desk: Desk) -> Value | ReplyKind | None:
        return self.looks if record.step.startswith("act:") else RIGHT


def house(folder: Path, looks: Value | ReplyKind | None) -> Eyes:
    made = Eyes(folder, robot=Doubting, settings=Settings(max_executions=1, expired_s=1.0))
    made.looks = looks
    return made


@pytest.mark.parametrize("worked", [True, False])
def test_what_the_person_sees_counts(tmp_path: Path, worked: bool) -> None:
    seen = house(tmp_path, worked)
    episode = seen.live()
    assert (episode.outcome is Outcome.RECOVERED) is worked
    assert [(each.ok, each.settled) for each in episode.actions] == [(worked, Settled.SAID)]
    assert [each.how for each in seen.written(RunSettled)] == [Settled.SAID]


def test_left_to_the_robot_its_own_look_counts(tmp_path: Path) -> None:
    episode = house(tmp_path, ReplyKind.LET_ROBOT_TRY).live()
    assert [(each.ok, each.certainty, each.settled) for each in episode.actions] == [(False, 0.6, Settled.SENSED)]


@pytest.mark.parametrize("counts", swept((False, True), test=(True,)))
def test_killed_anywhere_the_person_is_asked_once_and_nothing_is_done_twice(tmp_path: Path, counts: bool) -> None:
    whole = house(tmp_path / "whole", True)
    whole.folder.mkdir()
    whole.live()
    for write in range(1, whole.writes + 1):
        folder = tmp_path / f"{write}"
        folder.mkdir()
        seen = house(folder, True)
        with contextlib.suppress(Killed):
            seen.live(dies_at=(write, counts))
        episode = seen.live()
        assert episode.outcome is Outcome.RECOVERED
        assert len(seen.done) == 1
        asked = {entry.key for entry in seen.entries() if entry.key.startswith("bite/act:")}
        assert len(asked) == 1, write


def test_a_doubt_that_is_no_yes_no_question_is_refused(tmp_path: Path) -> None:
    class Odd(Doubting):
        asks = Question("How?")

    with pytest.raises(ContractViolation, match=r"doubt\(\) gave"):
        house(tmp_path, True).live(policy=Odd(tmp_path / "effects.jsonl"))
