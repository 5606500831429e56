"""A session whose every step is in the journal before it counts, so that a program goes on where another one ended."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from handup.core import (
    Action,
    Availability,
    BadRecord,
    CostModel,
    IllegalCall,
    Outcome,
    Value,
    value_from_json,
    value_to_json,
)
from handup.people.workload import SOMEBODY
from handup.policy import ModuleGraph
from handup.recover.events import Answered, Decided, Event, Executed, NotAnswered
from handup.recover.record import refusing_damage
from handup.recover.session import Session
from handup.recover.settings import Settings
from handup.recover.sides import Book, Look
from handup.recover.state import LEGAL
from handup.recover.trail import (
    Attempt,
    RunBegun,
    RunEnded,
    RunEvent,
    RunForwarded,
    RunSettled,
    RunStarted,
    RunTold,
    RunUnknown,
    Settled,
    Trail,
    question_of,
)
from handup.when import Strategy

OWN = "run."
"""How the kinds of a run's own entries begin; the desk writes others beside them."""


class DurableSession(Session):
    """A session that is written down as it goes. Make one with `DurableSession.of_run`.

    What it is told takes effect only once it is in the journal. One program at a time drives a run: the second one
    takes over what is written, and the first is refused at its next step, so before the robot moves again.

    `recover.run` drives it; use it yourself where you need a loop of your own:

    - before the robot moves, `begin`; afterwards `executed`;
    - after a start, `open_attempt` is an action of which nobody knows what became of it: find out, and `settle` it.
    """

    _book: Book | None = None
    _run: str = ""
    _trail: Trail = Trail()
    _seq: int = 0
    _beside: tuple[RunEvent, ...] = ()

    @classmethod
    def of_run(
        cls,
        book: Book,
        run: str,
        graph: ModuleGraph,
        method: Strategy,
        *,
        settings: Settings | None = None,
        costs: CostModel | None = None,
        availability: Availability | None = None,
    ) -> DurableSession:
        """The session of a run: a new one, or the one that the journal knows, as it was.

        A run goes on with the confidences, costs and questions of the policy that it began with.

        Args:
            book: The journal.
            run: Its id.
            graph: The policy.
            method: The strategy.
            settings: Weights and limits; those that it began with where not given.
            costs: What questions cost over time; for a run that goes on, as it was at its start.
            availability: When questions may be asked.

        Raises:
            BadRecord: The run began with another policy, method or settings, or what is written of it is damaged.
            IllegalCall: Another program began it at this moment.
        """
        trail, told, seq = Trail(), [], 0
        for entry in book.read(run=run):
            if entry.kind.startswith(OWN):
                trail, seq = trail.after(entry.event, entry.key), entry.seq
                told += [entry.event.read()] if isinstance(entry.event, RunTold) else []
        if trail.started is None and seq:
            raise BadRecord(f"run '{run}' has no beginning", hint="Verify the journal.")
        if trail.started is None:
            session = cls(graph, method, settings, costs, availability)
            session._attach(book, run, trail, seq)
            session._write(_started(session))
            return session
        stored = _named(trail.started)
        _refuse_another(run, stored, Session(graph, method, settings).to_json(), settings)
        session = cls.from_json(stored, method=method, costs=costs, availability=availability)
        with refusing_damage():
            for event in told:
                session.told(event)
        session._attach(book, run, trail, seq)
        return session

    # -- what it knows -----------------------------------------------------------------------------------------------

    @property
    def run(self) -> str:
        """The id of the run."""
        return self._run

    @property
    def trail(self) -> Trail:
        """What the journal says of the run beside what the session was told."""
        return self._trail

    @property
    def open_attempt(self) -> Attempt | None:
        """The action that was begun and of which nothing is known."""
        return self._trail.open_attempt

    @property
    def outputs(self) -> dict[str, Value] | None:
        """What the modules said last; None before the first pass, and where it was erased."""
        if self._trail.outputs is None:
            return None
        said = {module: value_from_json(output) for module, output in self._trail.outputs.items()}
        return {module: output for module, output in said.items() if output is not None}

    def question_id(self, module: str) -> str:
        """The id of the present question about a module: the one that is open or put off, or the next one."""
        return question_of(self._run, module, self._trail.turn(module))

    # -- what is written beside --------------------------------------------------------------------------------------

    def passed(
        self,
        outputs: Mapping[str, Value],
        confidences: Mapping[str, float],
        changed: Collection[str] = (),
        renewed: Collection[str] = (),
    ) -> None:
        """The policy ran: `forwarded`, with the outputs, which a program that goes on finds in `outputs`."""
        plain = {module: value_to_json(output) for module, output in outputs.items()}
        entry = RunForwarded(outputs=plain, people=self._trail.people)
        if self.forward_due and "forwarded" in LEGAL[self.phase]:
            with self._writing_beside(entry):
                self.forwarded(confidences, changed=changed, renewed=renewed)
        else:  # the last outputs were erased, and nothing happened since that the session could learn from
            self._write(entry)

    def begin(self) -> str:
        """The robot is about to act: write that down, and give the action its id.

        Raises:
            IllegalCall: No execution was decided, or one is under way.
        """
        self._refuse_illegal("executed")
        if self.open_attempt is not None:
            raise IllegalCall(f"nobody knows what became of '{self.open_attempt.id}'", hint="Settle it first.")
        action = f"{self._run}/act/{len(self._trail.attempts) + 1}"
        self._write(RunBegun(action=action), key=action)
        return action

    def mark_unknown(self) -> None:
        """Write down that nobody knows what became of the open attempt; once."""
        attempt = self.open_attempt
        if attempt is not None and not attempt.unknown:
            self._write(RunUnknown(action=attempt.id), key=attempt.id)

    def settle(self, how: Settled, look: Look | None = None, by: str | None = None) -> None:
        """What became of the open attempt is known after all.

        Args:
            how: How it is known. After `Settled.VOID` the robot may `begin` again, under another id.
            look: What became of it; none for `Settled.VOID`, and evidence of nothing where it is left out otherwise.
            by: Who said so.

        Raises:
            IllegalCall: No attempt is open.
        """
        attempt = self.open_attempt
        if attempt is None:
            raise IllegalCall("no action is open", hint="Settle what `open_attempt` names.")
        entry = RunSettled(action=attempt.id, how=how, by=by)
        if how is Settled.VOID:
            self._write(entry, key=attempt.id)
            return
        seen = look or Look(False, 0.5)
        with self._writing_beside(entry):
            self.executed(seen.ok, certainty=seen.certainty)

    def end(self, reason: str) -> None:
        """The run is over, with everything that belongs to it; once."""
        if self._trail.ended is None:
            self._write(RunEnded(outcome=self.outcome or Outcome.STOPPED, reason=reason))

    # -- inside ------------------------------------------------------------------------------------------------------

    def _attach(self, book: Book, run: str, trail: Trail, seq: int) -> None:
        self._book, self._run, self._trail, self._seq = book, run, trail, seq

    def _keep(self, event: Event) -> None:
        if self._book is not None:
            self._write(*self._beside, RunTold.of(event), key=self._key_of(event))

    def _key_of(self, event: Event) -> str:
        match event:
            case Answered() | NotAnswered():
                return self.question_id(event.module)
            case Decided() if event.decision.action is Action.ASK:
                return self.question_id(event.decision.module or "")
            case Executed() if self._trail.attempts:
                return self._trail.attempts[-1].id
            case _:
                return ""

    @contextmanager
    def _writing_beside(self, *entries: RunEvent) -> Iterator[None]:
        """What is told inside is written in one transaction with these."""
        self._beside = entries
        try:
            yield
        finally:
            self._beside = ()

    def _write(self, *events: RunEvent, key: str = "") -> None:
        if self._book is None:
            raise IllegalCall("the session belongs to no run", hint="Make it with DurableSession.of_run.")
        seq = self._seq
        with self._book.writing() as pen:
            if any(entry.kind.startswith(OWN) for entry in pen.read(seq, run=self._run)):
                raise IllegalCall(
                    f"another program drives run '{self._run}'", hint="Let one program drive a run; end this one."
                )
            for event in events:
                seq = pen.append(event, run=self._run, key=key).seq
        self._seq = seq
        for event in events:
            self._trail = self._trail.after(event, key)


def _started(session: Session) -> RunStarted:
    """How a session begins, without names."""
    record = {**session.to_json(), "events": []}
    people: list[str] = []
    if "workload" in record:
        workload = record["workload"]
        people = sorted({workload["person"], *workload["loads"], *workload["model"]["people"]} - {SOMEBODY})
        record["workload"] = _renamed(workload, {name: f"#{number}" for number, name in enumerate(people)})
    return RunStarted(record=record, modules=session.graph.names, people=tuple(people))


def _named(started: RunStarted) -> dict[str, Any]:
    """The session's record as it was, with names and in the policy's order.

    Raises:
        BadRecord: It is damaged.
    """
    with refusing_damage():
        record = dict(started.record)
        modules = record["policy"]["modules"]
        record["policy"] = {**record["policy"], "modules": {name: modules[name] for name in started.modules}}
        if "workload" in record:
            names = {f"#{number}": name for number, name in enumerate(started.people)}
            record["workload"] = _renamed(record["workload"], names)
    return record


def _renamed(workload: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A workload's record with other names for its people."""

    def keys(record: Mapping[str, Any]) -> dict[str, Any]:
        return {names.get(name, name): value for name, value in record.items()}

    model = {**workload["model"], "people": keys(workload["model"]["people"])}
    person = names.get(workload["person"], workload["person"])
    return {**workload, "model": model, "person": person, "loads": keys(workload["loads"])}


def _refuse_another(run: str, stored: Mapping[str, Any], given: Mapping[str, Any], settings: Settings | None) -> None:
    """Refuse to go on with a run of something else."""
    with refusing_damage():
        others = {
            "another policy": _shape(stored["policy"]) != _shape(given["policy"]),
            "another method": any(stored[key] != _plain(given[key]) for key in ("method", "method_settings")),
            "other settings": settings is not None and Settings(**stored["settings"]) != settings,
        }
    for what, differs in others.items():
        if differs:
            raise BadRecord(
                f"run '{run}' began with {what}",
                hint="Give this one a run id of its own, or go on with what it began with.",
            )


def _shape(policy: Mapping[str, Any]) -> Any:
    """What makes a policy another one: its modules, what feeds them, and what success is."""
    modules = {name: (tuple(each["inputs"]), each["gate"]) for name, each in policy["modules"].items()}
    return list(modules.items()), policy["success"]


def _plain(value: Any) -> Any:
    """As JSON gives it back."""
    return json.loads(json.dumps(value))
