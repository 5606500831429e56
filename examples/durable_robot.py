"""A robot that can be killed and started again at will: it goes on where it was, and does nothing twice.

Answer it, end it with `kill -9` at any moment, and run it again. With `--auto` nobody is needed to answer.
"""

import argparse
import time
from collections.abc import Mapping
from pathlib import Path

from handup import HandupError, Look, Module, ModuleGraph, Pass, Question, run
from handup.core import Person, Value
from handup.desk import Callback, Desk, Terminal
from handup.journal import Journal

WORDS = {"thing": "What is this?", "grip": "How shall I hold it?", "force": "How firmly?"}
TRUTH = {"thing": "mug", "grip": "by the handle", "force": "gently"}


class Robot:
    """Three modules, and an arm that takes its time."""

    def __init__(self, world: Path, seconds: float) -> None:
        self.world, self.seconds = world.open("a+", encoding="utf-8", buffering=1), seconds
        self.graph = ModuleGraph.chain(Module(name, 0.8, 0.3, question=Question(WORDS[name])) for name in WORDS)

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        """What each module says; an answer replaces it. The camera is wrong, and the grip follows from what it says."""
        said = TRUTH if answers.get("thing") == "mug" else {"thing": "bowl", "grip": "by the rim", "force": "gently"}
        return Pass(outputs={**said, **answers}, confidences={"thing": 0.4, "grip": 0.8, "force": 0.9})

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """Lift it, with a mark before the arm moves and one after it. Kill the program here, and see `sense`."""
        self.world.write(f"{action_id} begun\n")  # where power may fail: os.fsync(…), too
        print(f"{action_id}: lifting a {outputs['thing']} {outputs['grip']}, {outputs['force']} …", flush=True)
        time.sleep(self.seconds)
        self.world.write(f"{action_id} {'lifted' if outputs == TRUTH else 'dropped'}\n")
        return Look(outputs == TRUTH)

    def sense(self, action_id: str) -> Look | None:
        """What the marks say of an action whose outcome was lost; None, so a person is asked, where it was begun."""
        self.world.seek(0)
        marks = [line.split()[1] for line in self.world if line.startswith(f"{action_id} ")] or ["not begun"]
        print(f"{action_id}: what became of it before the program ended? It was {marks[-1]}.", flush=True)
        return None if marks[-1] == "begun" else Look(marks[-1] == "lifted", started=marks[-1] != "not begun")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folder", type=Path, default=Path("durable-robot"))
    options.add_argument("--auto", action="store_true")
    folder, auto = vars(options.parse_args()).values()
    folder.mkdir(exist_ok=True)  # below: asked about "act:1", a lift that was broken off, it says what it sees
    person = Callback(lambda asked: TRUTH.get(asked.step, "It had not started")) if auto else Terminal("you")
    try:
        with Journal.open(folder / "journal.db") as book, Desk(book, [Person(name="you")], channels=[person]) as desk:
            episode = run(Robot(folder / "did.txt", 1.0 if auto else 3.0), "troubleshoot", desk, run="mug")
        print(f"{episode.outcome}: {episode.reason} Questions: {episode.tally.questions}.")
    except (HandupError, KeyboardInterrupt) as error:
        raise SystemExit(str(error) or "Ended here. The same command goes on from here.") from None
