"""Attempts of the robot, written down with the plate as it is afterwards: the simulated world's own memory.

A real plate stays as it is when a program ends. This one lives in the program, so each action leaves the plate in the
journal. An action that is not there did not happen; of one that is only there as begun, nobody knows what became.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from handup.core import Value, event, value_from_json
from handup.domains.feeding.skills import SkillExecution
from handup.domains.feeding.truth import BiteJudgement
from handup.journal import Entry, Journal
from handup.recover.events import Executed, Forwarded, ModuleAnswered
from handup.recover.run_record import RunForwarded, RunSettled, RunTold, Settled


@event("feeding.acted", people=("people",), personal={"said": "people"})
@dataclass(frozen=True, kw_only=True)
class BiteAttempt:
    """One attempt at a bite.

    Args:
        action: Id of the action.
        said: Outputs of the modules, in JSON; None once somebody was erased whose answers had shaped them.
        confidences: Confidence of each module.
        ok: True if the detector saw food on the fork.
        certainty: Certainty of the detector, from 0.5 to 1.
        execution: What came of it, as the simulation knows it.
        judged: Modules that were right, as the simulation knows it.
        plate: World afterwards, as `World.save` gives it.
        recalled: Id of the memory behind each module whose output a person gave before.
        brought: True if the meant food was on the fork; None in records from before it was written.
        people: People who had answered until then, or whose earlier words it was made on.
    """

    action: str
    said: dict[str, Any] | None
    confidences: dict[str, float]
    ok: bool
    certainty: float
    execution: SkillExecution
    judged: BiteJudgement
    plate: dict[str, Any] = field(repr=False)
    recalled: dict[str, int] = field(default_factory=dict)
    brought: bool | None = None
    people: tuple[str, ...] = ()

    @property
    def outputs(self) -> dict[str, Value]:
        """Outputs of the modules; nothing if they were erased."""
        return outputs_of(self.said or {})

    @property
    def food(self) -> str | None:
        """Food that was meant; None if it was erased."""
        return None if self.said is None else str(self.said["food"])

    @property
    def got(self) -> bool:
        """True if the meant food was on the fork."""
        if self.brought is not None:
            return self.brought
        return self.food is not None and self.execution.is_bite_of(self.food)


@dataclass(frozen=True)
class KnownAttempt:
    """Attempt whose outcome is known.

    Args:
        acted: Attempt with what is known now, in place of what the detector saw.
        a_person_looked: True if a person said it.
    """

    acted: BiteAttempt
    a_person_looked: bool = False


@dataclass(frozen=True, kw_only=True)
class HeldAnswer:
    """An answer that still holds, with what it was given for.

    Args:
        answer: The answer.
        outputs: Outputs of all modules in the first pass with it.
        attempts: Number of attempts until then.
    """

    answer: Value
    outputs: Mapping[str, Value]
    attempts: int


@event("feeding.halted")
@dataclass(frozen=True, kw_only=True)
class HaltedAct:
    """Attempt that somebody stopped on its way: nobody looked at the fork, so nobody knows what became of it.

    Args:
        action: Id of the action.
        seconds: Simulated seconds that it had taken.
        plate: World at that moment, as `World.save` gives it.
    """

    action: str
    seconds: float
    plate: dict[str, Any] = field(repr=False)


@event("feeding.moving")
@dataclass(frozen=True, kw_only=True)
class Moving:
    """Attempt that begins to move the arm. If nothing follows, its program ended on the way.

    Args:
        action: Id of the action.
    """

    action: str


class AttemptLog:
    """The attempts of one bite, oldest first, and the answers that came meanwhile.

    Args:
        journal: Journal to keep them in; None to keep them in memory only.
        run: Id of the run of the bite.
    """

    def __init__(self, journal: Journal | None = None, run: str = "") -> None:
        self._journal, self._run = journal, run
        entries = () if journal is None else tuple(journal.read(run=run))
        events = [entry.event for entry in entries]
        self.all: list[BiteAttempt | HaltedAct] = [
            record for record in events if isinstance(record, BiteAttempt | HaltedAct)
        ]
        self.begun: set[str] = {record.action for record in events if isinstance(record, Moving)}
        """Actions of which it was written down that the arm was about to move for them."""
        self.heard: dict[str, HeldAnswer] = heard(entries)

    @property
    def done(self) -> list[BiteAttempt]:
        """Attempts that were carried through."""
        return [attempt for attempt in self.all if isinstance(attempt, BiteAttempt)]

    @property
    def last(self) -> BiteAttempt | None:
        """Latest attempt that was carried through."""
        return self.done[-1] if self.done else None

    def of(self, action: str) -> BiteAttempt | HaltedAct | None:
        """Return the attempt with this id."""
        return next((attempt for attempt in self.all if attempt.action == action), None)

    def known(self) -> list[KnownAttempt]:
        """Return the attempts whose outcome the run was told, without those about which a person is still asked."""
        if self._journal is None:
            return [KnownAttempt(attempt) for attempt in self.done]
        outcomes: dict[str, Executed] = {}
        by_people: set[str] = set()
        for entry in self._journal.read(run=self._run):
            match entry.event:
                case RunSettled(action=action, how=Settled.SAID):
                    by_people.add(action)
                case RunTold() as told if isinstance(executed := told.read(), Executed):
                    outcomes[entry.key] = executed
        return [
            KnownAttempt(replace(attempt, ok=seen.ok, certainty=seen.certainty), attempt.action in by_people)
            for attempt in self.done
            if (seen := outcomes.get(attempt.action)) is not None
        ]

    def begin(self, action: str) -> None:
        """Note that the arm is about to move; durable when this returns."""
        if self._journal is not None:
            self._journal.append(Moving(action=action), run=self._run, key=action)
        self.begun.add(action)

    def add(self, acted: BiteAttempt | HaltedAct) -> None:
        """Add an attempt, with the people who answered for it; durable when this returns."""
        if self._journal is not None:
            if isinstance(acted, BiteAttempt):
                told = (entry.event for entry in self._journal.read(run=self._run))
                answered = (event.by for event in told if isinstance(event, RunTold) and event.by is not None)
                acted = replace(acted, people=tuple(dict.fromkeys((*answered, *acted.people))))
            self._journal.append(acted, run=self._run, key=acted.action)
        self.all.append(acted)


def heard(entries: Iterable[Entry]) -> dict[str, HeldAnswer]:
    """Return the answers that a bite's run holds, by module, as its entries tell them."""
    answers: dict[str, HeldAnswer] = {}
    fresh: set[str] = set()
    attempts = 0
    for entry in entries:
        match entry.event:
            case BiteAttempt():
                attempts += 1
            case RunForwarded(outputs=record) if record is not None:
                outputs = outputs_of(record)
                answers |= {
                    module: HeldAnswer(answer=outputs[module], outputs=outputs, attempts=attempts) for module in fresh
                }
                fresh.clear()
            case RunTold() as told:
                match told.read():
                    case ModuleAnswered(module=module):
                        fresh.add(module)
                    # A module that was run anew has an output of its own again.
                    case Forwarded(renewed=gone):
                        answers = {module: answer for module, answer in answers.items() if module not in gone}
    return answers


def outputs_of(said: Mapping[str, Any]) -> dict[str, Value]:
    """Return the outputs of modules, from JSON."""
    outputs = {module: value_from_json(output) for module, output in said.items()}
    return {module: output for module, output in outputs.items() if output is not None}
