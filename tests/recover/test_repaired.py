"""A journal that was repaired may lack what the robot did last, so nothing moves before a person has enabled it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from handup.core import DamagedJournal, Outcome
from handup.desk import DeskState, replay
from handup.journal import Journal, repair
from handup.recover.run_record import RunBegun
from tests.recover.house import House, Killed
from tests.recover.robot import Robot
from tests.recover.test_run import die

REASON = "The journal was repaired, so what the robot did last may be missing from it."


def damaged_at(house: House, kind: type) -> Path:
    """The store, put aside because its first entry of a kind was changed behind its back."""
    store = house.folder / "journal.db"
    seq = next(entry.seq for entry in house.entries() if isinstance(entry.event, kind))
    with closing(sqlite3.connect(store)) as raw, raw:
        raw.execute("UPDATE entries SET body = replace(body, '{', '{ ') WHERE seq = ?", (seq,))
    with pytest.raises(DamagedJournal):
        Journal.open(store)
    return store


def after_an_action(tmp_path: Path) -> House:
    """A house whose robot acted just before its program was killed."""
    house = House(tmp_path)
    with pytest.raises(Killed):
        house.live(policy=Robot(house.log, at=die("after")))
    assert house.done == ["bite/act/1"]
    return house


def assert_nothing_moves_until_enabled(house: House) -> None:
    episode = house.live()
    assert (episode.outcome, episode.reason) == (Outcome.STOPPED, REASON)
    assert house.live(name="too-early").outcome is Outcome.STOPPED
    assert house.done == ["bite/act/1"]
    with house.desk() as desk:
        assert desk.stopped
        desk.enable("Maya")
    assert house.live().outcome is Outcome.STOPPED, "a stopped run stays stopped"
    assert house.live(name="next").outcome is Outcome.RECOVERED
    assert house.done == ["bite/act/1", "next/act/1"]


def test_a_run_whose_last_action_was_lost_ends_as_stopped_and_repeats_nothing(tmp_path: Path) -> None:
    house = after_an_action(tmp_path)
    repair(damaged_at(house, RunBegun), clock=house.clock)
    assert_nothing_moves_until_enabled(house)


def test_so_does_one_that_goes_on_from_a_backup(tmp_path: Path) -> None:
    house = House(tmp_path / "house")
    house.folder.mkdir()
    with pytest.raises(Killed):
        house.live((9, True))
    backup = tmp_path / "backup"
    shutil.copyfile(house.folder / "journal.db", backup)
    with pytest.raises(Killed):
        house.live(policy=Robot(house.log, at=die("after")))
    store = damaged_at(house, RunBegun)
    shutil.copyfile(backup, store)
    assert repair(store, use_backup=True, clock=house.clock).lost
    assert_nothing_moves_until_enabled(house)


def test_a_repair_lifted_before_the_run_goes_on_ends_it_all_the_same(tmp_path: Path) -> None:
    house = after_an_action(tmp_path)
    repair(damaged_at(house, RunBegun), clock=house.clock)
    with house.desk() as desk:
        assert desk.state.stopped is not None
        assert desk.state.stopped.by == "the repair of the journal"
        assert DeskState.from_json(desk.state.to_json()) == desk.state == replay(desk.journal.read())
        desk.enable("Maya")
    episode = house.live()
    assert (episode.outcome, episode.reason) == (Outcome.STOPPED, REASON)
    assert house.done == ["bite/act/1"]
