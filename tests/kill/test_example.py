"""The example robot as its user meets it: a program of its own, ended by `kill -9` again and again, and restarted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

from tests.kill.checks import done_twice
from tests.kill.reader import read
from tests.kill.zygote import ROOT

KILLS = 3
LONGEST_S = 120.0


def start(folder: Path) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, "-m", "examples.durable_robot", "--auto", "--folder", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    )


def killed(program: subprocess.Popen[str], after_s: float) -> bool:
    """Kill a program at a moment, unless it was done before; whether it was killed."""
    try:
        program.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        os.kill(program.pid, signal.SIGKILL)
        program.communicate()
    return program.returncode == -signal.SIGKILL


def test_the_example_robot_does_nothing_twice_however_often_it_is_killed(tmp_path: Path) -> None:
    random, folder = Random(5), tmp_path / "robot"
    kills = sum(killed(start(folder), random.uniform(0.2, 1.0)) for _ in range(KILLS))
    last = start(folder)
    said, _ = last.communicate(timeout=LONGEST_S)
    assert last.returncode == 0
    assert said.splitlines()[-1].startswith("recovered: ")
    lines = [line.split() for line in (folder / "did.txt").read_text("utf-8").splitlines()]
    done = [{"action": action, "ok": how == "lifted"} for action, how in lines if how != "begun"]
    begun = [action for action, how in lines if how == "begun"]
    book = read(str(folder / "journal.db"))
    assert kills > 0
    assert len(set(begun)) == len(begun), "no id moves the arm twice"
    assert book.faults == ()
    assert list(done_twice(book, done)) == []
    assert [each["ok"] for each in done].count(True) == 1
