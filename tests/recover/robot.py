"""A robot for tests whose effects are counted: what it does stays in a file, whatever becomes of the program."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from handup.core import Value
from handup.policy import ModuleGraph
from handup.recover import Look, Pass
from tests.make import chain_of

RIGHT, WRONG = "right", "wrong"


class Robot:
    """A chain of modules `m0`, `m1` … of which some are wrong until a person says what is right.

    An action succeeds when all modules are right, or at the tries named in `lucky`, counted from 1 over the whole log.
    Its one effect is a line in `log`, appended in one write, so it is there or not.

    Args:
        log: Where effects go. Processes may share it.
        wrong: Which modules are wrong.
        confidences: One per module.
        query: What a question costs.
        certainty: How sure it is of what it sees.
        at: Called with "before" and "after" an effect: for ending the program there.
    """

    def __init__(
        self,
        log: Path,
        *,
        wrong: Collection[str] = ("m1",),
        confidences: Sequence[float] = (0.9, 0.2, 0.9),
        query: float = 0.3,
        certainty: float = 1.0,
        lucky: Collection[int] = (),
        at: Callable[[str], None] | None = None,
    ) -> None:
        self.graph: ModuleGraph = chain_of(tuple(confidences), query)
        self.log = log
        self.passes = 0
        self._wrong = frozenset(wrong)
        self._certainty = certainty
        self._lucky = frozenset(lucky)
        self._at = at or (lambda moment: None)

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        self.passes += 1
        outputs = {name: answers.get(name, WRONG if name in self._wrong else RIGHT) for name in self.graph.names}
        confidences = {module.name: module.confidence for module in self.graph.modules if module.name not in answers}
        return Pass(outputs=outputs, confidences=confidences)

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        assert set(outputs) == set(self.graph.names), "it acts on everything that was said"
        self._at("before")
        ok = all(said == RIGHT for said in outputs.values()) or len(effects(self.log)) + 1 in self._lucky
        append_line(self.log, {"action": action_id, "ok": ok, "outputs": dict(outputs)})
        self._at("after")
        return Look(ok, self._certainty)


class SensingRobot(Robot):
    """One that can look at what it did."""

    def sense(self, action_id: str) -> Look | None:
        done = [each for each in effects(self.log) if each["action"] == action_id]
        return Look(bool(done[-1]["ok"]), self._certainty) if done else Look(False, started=False)


def append_line(log: Path, record: Mapping[str, object]) -> None:
    """One line, in one write that other processes' lines cannot come between."""
    number = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(number, (json.dumps(record) + "\n").encode())
    finally:
        os.close(number)


def effects(log: Path) -> list[dict[str, object]]:
    """What the robot did, oldest first."""
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []
