"""A program killed at any moment: the next one goes on, and the world comes to the same end, to the second."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from handup.domains.kitting.hall_state import Effect, WorldFile
from handup.executive.measures import measure
from handup.journal import Journal
from tests.domains.kitting.program import LOOKING, build, look
from tests.forks import ended, started


def live(folder: Path, die_at: int = 0, program: Callable[[Path, int], None] = build) -> int | None:
    folder.mkdir(exist_ok=True)
    return ended(started(program, folder, die_at))


def end(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / "end.json").read_text())
    return record


def effects(folder: Path) -> tuple[Effect, ...]:
    store = WorldFile(folder / "world.db")
    try:
        return store.effects()
    finally:
        store.close()


def measured_in(folder: Path) -> dict[str, Any]:
    with Journal.open(folder / "journal.db", readonly=True) as journal:
        return measure(journal.read()).to_json()


def test_killed_again_and_again_the_world_comes_to_the_same_end(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert live(whole) == 0
    last = end(whole)["writes"]
    assert last > 200
    lives = [live(killed, die_at) for die_at in (1, 2, 31, 48, 77, 10, 53)]
    assert lives == [-9] * len(lives)
    assert live(killed) == 0
    first, second = end(whole), end(killed)
    for record in (first, second):
        del record["writes"]
    assert second == first
    assert [(each.action, each.at_s, each.code) for each in effects(killed)] == [
        (each.action, each.at_s, each.code) for each in effects(whole)
    ]
    assert any(each.code for each in effects(whole)), "something went wrong on the way"
    numbers = [each.number for each in effects(killed)]
    assert len(set(numbers)) == len(numbers)
    assert not any(each.again for each in effects(killed)), "nothing was repeated, marked or not"
    assert measured_in(killed) == measured_in(whole)
    with Journal.open(killed / "journal.db", readonly=True) as journal:
        assert journal.verify().ok


def lives(done: tuple[Effect, ...]) -> list[list[Effect]]:
    """What each program did: the calls of the next one are numbered beyond all that the last may have made."""
    found: list[list[Effect]] = []
    for each in done:
        if not found or each.number != found[-1][-1].number + 1:
            found.append([])
        found[-1].append(each)
    return found


def test_looks_whose_starts_were_lost_are_repeated_and_marked(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert live(whole, 0, look) == 0
    expected = [each.action for each in effects(whole)]
    assert not any(each.again for each in effects(whole))
    died = [live(killed, die_at, look) for die_at in (9, 12, 7, 14, 3)]
    assert died == [-9] * len(died)
    assert live(killed, 0, look) == 0
    first, second = end(whole), end(killed)
    assert (second["ending"], second["outputs"]) == (first["ending"], first["outputs"])
    reached, repeats = 0, []
    for program in lives(effects(killed)):
        did = [each.action for each in program]
        began = max(at for at in range(reached + 1) if expected[at : at + len(did)] == did)
        repeats += program[: reached - began]
        reached = max(reached, began + len(did))
    assert reached == len(expected), "everything was done"
    assert repeats, "something was repeated"
    assert all(each.again and each.action in LOOKING for each in repeats), "marked, and only looks"
    numbers = [each.number for each in effects(killed)]
    assert len(set(numbers)) == len(numbers)
