"""A program that drives a run and is held up just before the robot moves: `python -m tests.recover.program STORE DIR`.

It says that it is there by making `there` in DIR, and goes on when `go` is there.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from handup.core import Person
from handup.desk import Desk
from handup.journal import Journal
from handup.recover import Episode, run
from tests.recover.house import Household, right
from tests.recover.robot import Robot, SensingRobot

LONGEST_S = 30.0


def drive(store: str, robot: Robot, name: str = "bite") -> Episode:
    """One program with a store of its own."""
    with Journal.open(store) as journal, Desk(journal, [Person(name="Maya")], channels=[Household(right)]) as desk:
        return run(robot, "troubleshoot", desk, run=name)


def wait_for(path: Path) -> None:
    until = time.monotonic() + LONGEST_S
    while not path.exists():
        assert time.monotonic() < until, f"{path.name} did not come"
        time.sleep(0.01)


if __name__ == "__main__":
    folder = Path(sys.argv[2])

    def at(moment: str) -> None:
        if moment == "before":
            (folder / "there").touch()
            wait_for(folder / "go")

    drive(sys.argv[1], SensingRobot(folder / "effects.jsonl", at=at))
