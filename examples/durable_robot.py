"""A robot that can be killed and started again at will: it goes on where it was, and does nothing twice.

Run `python -m examples.durable_robot`, answer it, end it with `kill -9` at any moment, run it again. Or answer it from
another shell: `handup answer --by you --store durable-robot/journal.db`. With `--auto` nobody is needed.
"""

import argparse
import time
from collections.abc import Mapping
from pathlib import Path

from handup import Look, Module, ModuleGraph, Pass, Question, run
from handup.core import Person, Value
from handup.desk import Desk
from handup.desk.callback import Callback
from handup.desk.terminal import Terminal
from handup.journal import Journal

WORDS = {"thing": "What is this?", "grip": "How shall I hold it?", "force": "How firmly?"}
TRUTH = {"thing": "mug", "grip": "by the handle", "force": "gently"}


class Robot:
    """Three modules, and an arm that takes its time."""

    def __init__(self, world: Path, seconds: float) -> None:
        self.world, self.seconds = world, seconds
        self.graph = ModuleGraph.chain(Module(name, 0.8, 0.3, question=Question(WORDS[name])) for name in WORDS)

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        """What each module says; an answer replaces it. The camera is wrong, and the grip follows from what it says."""
        said = TRUTH if answers.get("thing") == "mug" else {"thing": "bowl", "grip": "by the rim", "force": "gently"}
        return Pass(outputs={**said, **answers}, confidences={"thing": 0.4, "grip": 0.8, "force": 0.9})

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """Lift it. Kill the program here, and nobody knows whether it was done, until `sense` has looked."""
        print(f"{action_id}: lifting a {outputs['thing']} {outputs['grip']}, {outputs['force']} …", flush=True)
        time.sleep(self.seconds)
        with self.world.open("a", encoding="utf-8") as world:
            world.write(f"{action_id} {'lifted' if outputs == TRUTH else 'dropped'}\n")
        return Look(outputs == TRUTH)

    def sense(self, action_id: str) -> Look:
        """What the world says of an action whose outcome was lost."""
        done = self.world.read_text("utf-8") if self.world.exists() else ""
        looks = [Look("lifted" in line) for line in done.splitlines() if line.startswith(f"{action_id} ")]
        print(f"{action_id}: was this done before the program ended? {'Yes' if looks else 'No'}.", flush=True)
        return looks[0] if looks else Look(False, started=False)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folder", type=Path, default=Path("durable-robot"))
    options.add_argument("--auto", action="store_true")
    folder, auto = vars(options.parse_args()).values()
    folder.mkdir(exist_ok=True)
    person = Callback(lambda record: TRUTH[record.step]) if auto else Terminal("you")
    with Journal.open(folder / "journal.db") as book, Desk(book, [Person(name="you")], channels=[person]) as desk:
        episode = run(Robot(folder / "did.txt", 1.0 if auto else 3.0), "troubleshoot", desk, run="mug")
    print(f"{episode.outcome}: {episode.reason} Questions: {episode.tally.questions}.")
