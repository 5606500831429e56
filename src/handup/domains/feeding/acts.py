"""What the robot did, written down with the plate as it is afterwards: the simulated world's own memory.

A real plate stays as it is when a program ends. This one lives in the program, so each action leaves the plate in the
journal. An action that is not there did not happen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from handup.core import Value, event, value_from_json, value_to_json
from handup.domains.feeding.judging import Cause, Judged
from handup.domains.feeding.skills import Execution
from handup.journal import Journal


@event("feeding.acted")
@dataclass(frozen=True, kw_only=True)
class Acted:
    """One attempt.

    Args:
        action: Its id.
        said: What the modules said, in JSON.
        confidences: How sure each of them was.
        ok: What the detector saw.
        certainty: How sure it was.
        execution: What came of it, as the simulation knows it.
        judged: Which modules were right, as the simulation knows it.
        plate: The world afterwards, as `World.save` gives it.
    """

    action: str
    said: dict[str, Any]
    confidences: dict[str, float]
    ok: bool
    certainty: float
    execution: Execution
    judged: Judged
    plate: dict[str, Any] = field(repr=False)

    @classmethod
    def of_outputs(cls, outputs: Mapping[str, Value], **rest: Any) -> Acted:
        """From outputs as a policy has them."""
        return cls(said={module: value_to_json(each) for module, each in outputs.items()}, **rest)

    @property
    def outputs(self) -> dict[str, Value]:
        """What the modules said."""
        found = {module: value_from_json(each) for module, each in self.said.items()}
        return {module: each for module, each in found.items() if each is not None}

    @property
    def food(self) -> str:
        """The food that was meant."""
        return str(self.said["food"])

    @property
    def got(self) -> bool:
        """Whether the meant food was on the fork."""
        return self.execution.is_bite_of(self.food)

    @property
    def cause(self) -> Cause:
        """Why it was lost, if it was."""
        return self.judged.cause(self.execution, seen=self.ok)


@event("feeding.halted")
@dataclass(frozen=True, kw_only=True)
class HaltedAct:
    """An attempt that somebody stopped on its way: nobody looked at the fork, so nobody knows what became of it.

    Args:
        action: Its id.
        seconds: How far it had come, in simulated time.
        plate: The world then, as `World.save` gives it.
    """

    action: str
    seconds: float
    plate: dict[str, Any] = field(repr=False)


class Acts:
    """The attempts of one bite, oldest first.

    Args:
        journal: Where they are kept; only in memory where there is none.
        run: The bite's run.
    """

    def __init__(self, journal: Journal | None = None, run: str = "") -> None:
        self._journal, self._run = journal, run
        events = () if journal is None else [entry.event for entry in journal.read(run=run)]
        self.all: list[Acted | HaltedAct] = [each for each in events if isinstance(each, Acted | HaltedAct)]

    @property
    def done(self) -> list[Acted]:
        """Those that were carried through."""
        return [each for each in self.all if isinstance(each, Acted)]

    @property
    def last(self) -> Acted | None:
        """The latest that was carried through."""
        return self.done[-1] if self.done else None

    def of(self, action: str) -> Acted | HaltedAct | None:
        """The one with this id."""
        return next((each for each in self.all if each.action == action), None)

    def add(self, acted: Acted | HaltedAct) -> None:
        """One more; durable when this returns."""
        if self._journal is not None:
            self._journal.append(acted, run=self._run, key=acted.action)
        self.all.append(acted)
