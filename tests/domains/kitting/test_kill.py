"""A program killed at any moment: the next one goes on, and the world comes to the same end, to the second."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handup.domains.kitting.store import Effect, Store
from handup.journal import Journal

ROOT = Path(__file__).parents[3]


def live(folder: Path, die_at: int = 0) -> int:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.domains.kitting.program", str(folder), str(die_at)]
    return subprocess.run(command, cwd=ROOT, check=False, timeout=300).returncode


def end(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / "end.json").read_text())
    return record


def effects(folder: Path) -> tuple[Effect, ...]:
    store = Store(folder / "world.db")
    try:
        return store.effects()
    finally:
        store.close()


@pytest.mark.slow
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
    with Journal.open(killed / "journal.db", readonly=True) as journal:
        assert journal.verify().ok
