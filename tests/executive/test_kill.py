"""A program killed at any moment: the next one goes on, and nothing happens twice that may not."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from handup.executive.events import Resumed
from handup.journal import Journal
from tests.executive.robot import Ground

ROOT = Path(__file__).parents[2]
KILLS = 6


def begin(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "tests.executive.program", str(folder)], cwd=ROOT)


def firm(folder: Path) -> list[tuple[str, int, bool]]:
    """The effects of what may not be repeated, in their order."""
    effects = Ground(folder / "world.jsonl").effects()
    return [(each["does"], each["n"], each["ok"]) for each in effects if each["does"] != "look"]


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_again_and_again_a_run_comes_to_the_same_end(tmp_path: Path, seed: int) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    assert begin(whole).wait(timeout=120) == 0
    chance = random.Random(seed)
    lives, log = 0, Ground(killed / "world.jsonl")
    while not (killed / "end.json").exists():
        program = begin(killed)
        lives += 1
        if lives <= KILLS:
            until = len(log.effects()) + chance.randint(1, 6)
            while program.poll() is None and len(log.effects()) < until:
                time.sleep(0.0005)
            time.sleep(chance.random() * 0.006)
            program.kill()
        program.wait(timeout=120)
    assert json.loads((killed / "end.json").read_text()) == json.loads((whole / "end.json").read_text())
    assert firm(killed) == firm(whole)
    effects = log.effects()
    numbers = [each["number"] for each in effects]
    assert len(set(numbers)) == len(numbers)
    seen: set[tuple[str, int]] = set()
    for each in effects:  # a look at the same part is a repeat, and is marked, unless the recipe went back by itself
        key = (each["does"], each["n"])
        assert key not in seen or each["again"] or each["does"] != "look", each
        seen.add(key)
    with Journal.open(killed / "journal.db", readonly=True) as journal:
        assert journal.verify().ok
        resumed = [each for each in journal.read(run="kits") if isinstance(each.event, Resumed)]
    assert len(resumed) >= 3
