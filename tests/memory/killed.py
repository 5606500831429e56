"""A program that learns and is killed, once at each of its write points; in a process of its own, which forks.

Usage: python -m tests.memory.killed fresh FOLDER, or on STORE OTHER_STORE FOLDER. With `fresh`, every life begins on a
copy of an empty store, dies at its write point, and is followed by one that is left alone. With `on`, all lives share
the store, and each comes a point further before it dies. Prints one line of JSON: how many died, and what was wrong.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from handup.core import ManualClock
from handup.journal import Journal
from handup.memory import Memory, Remembered, Source
from tests.kill.points import Points
from tests.memory.inputs import plate

State = tuple[Remembered, ...]
MOST_LIVES = 500


class Nth(Points):
    """Dies at the write point of a number."""

    def __init__(self, number: int) -> None:
        super().__init__("memory", (), -1, seed=0, deadly=False)
        self._left = number

    def meet(self, what: str) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def said(memory: Memory, number: int, label: str, by: str, question: str) -> int:
    """The number of what a person said, however often it is told."""
    source = Source(question=question, run="lunch")
    return memory.remember("food", plate(number), label, by=by, source=source).id


STEPS: tuple[Callable[[Memory], object], ...] = (
    lambda memory: said(memory, 0, "plum", "Ana", "q/1"),
    lambda memory: said(memory, 0, "fig", "Ben", "q/2"),
    lambda memory: said(memory, 1, "pear", "Ana", "q/3"),
    lambda memory: memory.confirm(said(memory, 1, "pear", "Ana", "q/3"), evidence="act/1"),
    lambda memory: memory.contradict(said(memory, 1, "pear", "Ana", "q/3"), evidence="act/2"),
    lambda memory: memory.contradict(said(memory, 1, "pear", "Ana", "q/3"), evidence="act/3"),
    lambda memory: said(memory, 2, "fig", "Ana", "q/4"),
    lambda memory: memory.forget(said(memory, 2, "fig", "Ana", "q/4"), by="Ana"),
    lambda memory: said(memory, 3, "plum", "Ben", "q/5"),
)


def life(store: str, acknowledged: Path, number: int) -> None:
    """All steps from the first on, each acknowledged when it returned."""
    points = Nth(number)
    points.listen()
    with Journal.open(store, clock=ManualClock(5.0)) as journal:
        points.opened(journal)
        memory = Memory(journal)
        for at, step in enumerate(STEPS, start=1):
            step(memory)
            acknowledged.write_text(str(at), encoding="utf-8")


def lived(store: str, acknowledged: Path, number: int) -> bool:
    """Live once; whether the end was reached."""
    if (pid := os.fork()) == 0:
        life(store, acknowledged, number)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def state(store: str) -> State:
    """What is remembered, by a program that starts now."""
    with Journal.open(store, clock=ManualClock(5.0)) as journal:
        assert journal.verify().ok
        return Memory(journal).kept()


def undisturbed(store: str) -> list[State]:
    """What is remembered before and after each step."""
    with Journal.open(store, clock=ManualClock(5.0)) as journal:
        memory = Memory(journal)
        states = [memory.kept()]
        for step in STEPS:
            step(memory)
            states.append(memory.kept())
    return states


def fresh(folder: Path) -> dict[str, object]:
    """Each life on a store of its own."""
    Journal.open(folder / "empty.db").close()
    shutil.copytree(folder, folder.with_name("empty"))

    def store(name: str) -> str:
        shutil.copytree(folder.with_name("empty"), folder / name)
        return str(folder / name / "empty.db")

    expected, wrong, died = undisturbed(store("plain")), [], 0
    for number in range(1, MOST_LIVES):
        path, acknowledged = store(str(number)), folder / f"{number}.acknowledged"
        acknowledged.write_text("0", encoding="utf-8")
        if lived(path, acknowledged, number):
            break
        died += 1
        told = int(acknowledged.read_text(encoding="utf-8"))
        if state(path) not in expected[told : told + 2]:
            wrong.append(f"point {number}: what was acknowledged is lost, or half of something is there")
        if not lived(path, acknowledged, 0) or state(path) != expected[-1]:
            wrong.append(f"point {number}: the next life did not come to the same end")
    return {"died": died, "wrong": wrong, "ended": died < MOST_LIVES - 1}


def on(store: str, plain: str, folder: Path) -> dict[str, object]:
    """All lives on one store."""
    expected, wrong, died = undisturbed(plain), [], 0
    acknowledged, most = folder / "acknowledged", 0
    for number in range(1, MOST_LIVES):
        acknowledged.write_text("0", encoding="utf-8")
        if lived(store, acknowledged, number):
            break
        died += 1
        most = max(most, int(acknowledged.read_text(encoding="utf-8")))
        if state(store) not in expected[most:]:
            wrong.append(f"life {number}: what was acknowledged is lost, or half of something is there")
    if state(store) != expected[-1]:
        wrong.append("the last life did not come to the same end")
    return {"died": died, "wrong": wrong, "ended": died < MOST_LIVES - 1}


if __name__ == "__main__":
    what, *places = sys.argv[1:]
    report = fresh(Path(places[0])) if what == "fresh" else on(places[0], places[1], Path(places[2]))
    sys.stdout.write(json.dumps(report) + "\n")
