"""What the robot did, written down with the plate as it is afterwards: the simulated world's own memory.

A real plate stays as it is when a program ends. This one lives in the program, so each action leaves the plate in the
journal. An action that is not there did not happen; of one that is only there as begun, nobody knows what became.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from handup.core import Value, event, value_from_json, value_to_json
from handup.domains.feeding.judging import Judged
from handup.domains.feeding.skills import Execution
from handup.journal import Entry, Journal
from handup.recover.events import Answered, Executed, Forwarded
from handup.recover.trail import RunForwarded, RunSettled, RunTold, Settled


@event("feeding.acted", people=("people",), personal={"said": "people"})
@dataclass(frozen=True, kw_only=True)
class Acted:
    """One attempt.

    Args:
        action: Its id.
        said: What the modules said, in JSON; None once somebody was erased whose answers had shaped it.
        confidences: How sure each of them was.
        ok: What the detector saw.
        certainty: How sure it was.
        execution: What came of it, as the simulation knows it.
        judged: Which modules were right, as the simulation knows it.
        plate: The world afterwards, as `World.save` gives it.
        recalled: For each module whose output a person gave before, which memory that is.
        brought: Whether the meant food was on the fork; None in records from before it was written.
        people: Who had answered until then, and whose earlier words it was made on.
    """

    action: str
    said: dict[str, Any] | None
    confidences: dict[str, float]
    ok: bool
    certainty: float
    execution: Execution
    judged: Judged
    plate: dict[str, Any] = field(repr=False)
    recalled: dict[str, int] = field(default_factory=dict)
    brought: bool | None = None
    people: tuple[str, ...] = ()

    @classmethod
    def of_outputs(cls, outputs: Mapping[str, Value], *, execution: Execution, **rest: Any) -> Acted:
        """From outputs as a policy has them."""
        said = {module: value_to_json(each) for module, each in outputs.items()}
        return cls(said=said, execution=execution, brought=execution.is_bite_of(str(outputs["food"])), **rest)

    @property
    def outputs(self) -> dict[str, Value]:
        """What the modules said; nothing where it was erased."""
        return outputs_of(self.said or {})

    @property
    def food(self) -> str | None:
        """The food that was meant; None where it was erased."""
        return None if self.said is None else str(self.said["food"])

    @property
    def got(self) -> bool:
        """Whether the meant food was on the fork."""
        if self.brought is not None:
            return self.brought
        return self.food is not None and self.execution.is_bite_of(self.food)


@dataclass(frozen=True)
class Known:
    """An attempt of which it is known what came of it.

    Args:
        acted: With what is known now, in the place of what the detector saw.
        a_person_looked: Whether somebody said so.
    """

    acted: Acted
    a_person_looked: bool = False


@dataclass(frozen=True, kw_only=True)
class Heard:
    """An answer that still holds, with what it was given for.

    Args:
        answer: What was said.
        outputs: What all modules said in the first pass with it.
        attempts: How many attempts there had been by then.
    """

    answer: Value
    outputs: Mapping[str, Value]
    attempts: int


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


@event("feeding.moving")
@dataclass(frozen=True, kw_only=True)
class Moving:
    """An attempt begins to move the arm. Where nothing follows, its program ended on the way.

    Args:
        action: Its id.
    """

    action: str


class Acts:
    """The attempts of one bite, oldest first, and the answers that came meanwhile.

    Args:
        journal: Where they are kept; only in memory where there is none.
        run: The bite's run.
    """

    def __init__(self, journal: Journal | None = None, run: str = "") -> None:
        self._journal, self._run = journal, run
        entries = () if journal is None else tuple(journal.read(run=run))
        events = [entry.event for entry in entries]
        self.all: list[Acted | HaltedAct] = [each for each in events if isinstance(each, Acted | HaltedAct)]
        self._begun: set[str] = {each.action for each in events if isinstance(each, Moving)}
        self.heard: dict[str, Heard] = heard(entries)

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

    def known(self) -> list[Known]:
        """Those of which the run was told what came of them: not where a person is still asked what is on the fork."""
        if self._journal is None:
            return [Known(each) for each in self.done]
        told: dict[str, Executed] = {}
        by_people: set[str] = set()
        for entry in self._journal.read(run=self._run):
            match entry.event:
                case RunSettled(action=action, how=Settled.SAID):
                    by_people.add(action)
                case RunTold() as each if isinstance(executed := each.read(), Executed):
                    told[entry.key] = executed
        return [
            Known(replace(each, ok=seen.ok, certainty=seen.certainty), each.action in by_people)
            for each in self.done
            if (seen := told.get(each.action)) is not None
        ]

    def has_begun(self, action: str) -> bool:
        """Whether it was written down that the arm was about to move for it."""
        return action in self._begun

    def begin(self, action: str) -> None:
        """The arm is about to move; durable when this returns."""
        if self._journal is not None:
            self._journal.append(Moving(action=action), run=self._run, key=action)
        self._begun.add(action)

    def add(self, acted: Acted | HaltedAct) -> None:
        """One more, with who answered for it; durable when this returns."""
        if self._journal is not None:
            if isinstance(acted, Acted):
                answered = who_answered(self._journal.read(run=self._run))
                acted = replace(acted, people=tuple(dict.fromkeys((*answered, *acted.people))))
            self._journal.append(acted, run=self._run, key=acted.action)
        self.all.append(acted)


def heard(entries: Iterable[Entry]) -> dict[str, Heard]:
    """The answers that a bite's run holds, module by module, as its entries tell them."""
    found: dict[str, Heard] = {}
    fresh: set[str] = set()
    attempts = 0
    for entry in entries:
        match entry.event:
            case Acted():
                attempts += 1
            case RunForwarded(outputs=said) if said is not None:
                outputs = outputs_of(said)
                found |= {each: Heard(answer=outputs[each], outputs=outputs, attempts=attempts) for each in fresh}
                fresh.clear()
            case RunTold() as told:
                match told.read():
                    case Answered(module=module):
                        fresh.add(module)
                    case Forwarded(renewed=gone):
                        found = {module: each for module, each in found.items() if module not in gone}
    return found


def who_answered(entries: Iterable[Entry]) -> tuple[str, ...]:
    """The people whose answers a bite's run was told."""
    told = (entry.event for entry in entries if isinstance(entry.event, RunTold))
    return tuple(dict.fromkeys(each.by for each in told if each.by is not None))


def outputs_of(said: Mapping[str, Any]) -> dict[str, Value]:
    """What modules said, from JSON."""
    found = {module: value_from_json(each) for module, each in said.items()}
    return {module: each for module, each in found.items() if each is not None}
