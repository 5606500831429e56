"""Session whose every step is in the journal before it counts, so that another program can go on with it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

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
from handup.journal.run_log import RunLog
from handup.people import Workload
from handup.people.workload import SOMEBODY
from handup.policy import ModuleGraph
from handup.recover.events import Decided, Event, Executed, ModuleAnswered, NotAnswered, Rerouted, refusing_damage
from handup.recover.protocols import Look
from handup.recover.run_record import (
    Attempt,
    RunBegun,
    RunEnded,
    RunEvent,
    RunForwarded,
    RunSettled,
    RunStarted,
    RunTold,
    RunToldOfPeople,
    RunUnknown,
    Settled,
    Trail,
    question_of,
)
from handup.recover.session import Session
from handup.recover.settings import Settings
from handup.recover.state import LEGAL
from handup.when import OptionSource, Strategy

if TYPE_CHECKING:
    from handup.journal import Entry, Journal, Writer

OWN = "run."
"""Prefix of the kinds of a run's own entries."""
ERASED_NAME = "erased-"
"""Prefix of the name that replaces an erased person's."""


class DurableSession(Session):
    """A session that is written down as it goes. Make it with `DurableSession.of_run`.

    What it is told takes effect only once it is in the journal. Where another program has written to the run, it is
    refused at its next step.

    `recover.run` drives it; use it yourself where you need a loop of your own:

    - claim the run with `with journal.holding(run) as hold:` for as long as you drive it;
    - before the robot moves, `begin`, then `hold.check()` and `check_alone`; afterwards `executed`;
    - after a start, `open_attempt` is an action of which nobody knows what became of it: find out, and `settle` it;
    - `refresh` now and then: where somebody was erased, it forgets what they said.
    """

    _log: RunLog | None = None
    _trail: Trail = Trail()
    _beside: tuple[RunEvent, ...] = ()

    @classmethod
    def of_run(
        cls,
        book: Journal,
        run: str,
        graph: ModuleGraph,
        method: Strategy,
        *,
        settings: Settings | None = None,
        costs: CostModel | None = None,
        availability: Availability | None = None,
        options: OptionSource | None = None,
    ) -> DurableSession:
        """Return the session of a run: a new one, or the one that the journal knows, as it was.

        A run goes on with the confidences and costs that it began with. The words of its questions are the policy's
        own, now as then: the journal does not keep them.

        Args:
            book: The journal.
            run: Its id.
            graph: The policy.
            method: The strategy.
            settings: Weights and limits; those that it began with where not given.
            costs: What questions cost over time; for a run that goes on, as it was at its start.
            availability: When questions may be asked.
            options: Everything that may be weighed, with whom.

        Raises:
            BadRecord: The run began with another policy, method or settings, or what is written of it is damaged.
            IllegalCall: Another program began it at this moment.
        """
        log = RunLog(book, run, OWN)
        trail, events = _read(log.read(RunStarted))
        if trail.started is None:
            session = cls(graph, method, settings, costs, availability, options)
            session._log = log
            session._write(_started_of(session))
            return session
        stored = _record_of(trail.started, graph)
        _refuse_another(run, stored, Session(graph, method, settings).to_json(), settings)
        session = cls._from(trail.started, events, graph, method, costs, availability, options)
        session._log, session._trail = log, trail
        return session

    @classmethod
    def _from(
        cls,
        started: RunStarted,
        events: Iterable[Event],
        graph: ModuleGraph,
        method: Strategy,
        costs: CostModel | None,
        availability: Availability | None,
        options: OptionSource | None,
    ) -> Self:
        """Return the session that the journal knows; it writes nothing yet."""
        if isinstance(costs, Workload) and _somebody_erased(started):
            costs = None  # the one that is written is the same one, without them
        session = cls.from_json(
            _record_of(started, graph), method=method, costs=costs, availability=availability, options=options
        )
        with refusing_damage():
            for event in events:
                session.told(event)
        return session

    # -- what it knows -----------------------------------------------------------------------------------------------

    @property
    def run(self) -> str:
        """The id of the run."""
        return "" if self._log is None else self._log.run

    @property
    def trail(self) -> Trail:
        """Summary of the run's entries, beside the session's own events."""
        return self._trail

    @property
    def first(self) -> int:
        """Number of the run's first entry in the journal."""
        return 0 if self._log is None else self._log.first

    @property
    def open_attempt(self) -> Attempt | None:
        """The action that was begun and whose outcome is not known."""
        return self._trail.open_attempt

    @property
    def outputs(self) -> dict[str, Value] | None:
        """Last outputs of the modules; None before the first pass, and after they were erased."""
        if self._trail.outputs is None:
            return None
        values = {module: value_from_json(output) for module, output in self._trail.outputs.items()}
        return {module: output for module, output in values.items() if output is not None}

    def begun_s(self, attempt: Attempt) -> float:
        """Return when an action was begun."""
        assert self._log is not None
        return next(entry.at_s for entry in self._log.journal.read(run=self.run, key=attempt.id))

    def question_id(self, module: str) -> str:
        """Return the id of the present question about a module: the one that is open or put off, or the next one."""
        return question_of(self.run, module, self._trail.turn(module))

    # -- what is written beside --------------------------------------------------------------------------------------

    def passed(
        self,
        outputs: Mapping[str, Value],
        confidences: Mapping[str, float],
        changed: Collection[str] = (),
        renewed: Collection[str] = (),
        people: Collection[str] = (),
    ) -> None:
        """Take in a pass of the policy: `forwarded`, with the outputs, which a program that goes on finds in `outputs`.

        Args:
            outputs: What each module says.
            confidences: As for `forwarded`, as are `changed` and `renewed`.
            changed: Modules that say something else than before.
            renewed: Modules whose answer no longer holds.
            people: Whose earlier words are in the outputs, beside those who answered.

        Raises:
            Erased: Somebody was erased whose answers, or whose earlier words, may have shaped the outputs.
        """
        plain = {module: value_to_json(output) for module, output in outputs.items()}
        entry = RunForwarded(outputs=plain, people=tuple(dict.fromkeys((*self._trail.people, *people))))
        if self.forward_due and "forwarded" in LEGAL[self.phase]:
            with self._writing_beside(entry):
                self.forwarded(confidences, changed=changed, renewed=renewed)
        else:  # the last outputs were erased, and nothing happened since that the session could learn from
            self._write(entry)

    def begin(self) -> str:
        """Write down that the robot is about to act, and return the action's id.

        Raises:
            IllegalCall: No execution was decided, or one is under way.
        """
        self._refuse_illegal("executed")
        if self.open_attempt is not None:
            raise IllegalCall(f"nobody knows what became of '{self.open_attempt.id}'", hint="Settle it first.")
        action = f"{self.run}/act/{len(self._trail.attempts) + 1}"
        self._write(RunBegun(action=action), key=action)
        return action

    def mark_unknown(self) -> None:
        """Write down that nobody knows what became of the open attempt; once."""
        attempt = self.open_attempt
        if attempt is not None and not attempt.unknown:
            self._write(RunUnknown(action=attempt.id), key=attempt.id)

    def settle(self, how: Settled, look: Look | None = None, by: str | None = None) -> None:
        """Take in how the open attempt went, now that it is known after all.

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
        """Write down that the run is over, with everything that belongs to it; once."""
        if self._trail.ended is None:
            self._write(RunEnded(outcome=self.outcome or Outcome.STOPPED, reason=reason))

    def refresh(self) -> bool:
        """Forget what erased people said, and what it had shaped.

        Returns:
            True when somebody was erased since the last call.
        """
        return self._log is not None and self._log.forgotten(self._log.journal, self._build_again)

    def check_alone(self) -> None:
        """Make sure that no other program has written to the run.

        Raises:
            IllegalCall: Another one has.
        """
        if self._log is not None:
            self._log.check_alone()

    # -- inside ------------------------------------------------------------------------------------------------------

    def _keep(self, event: Event) -> None:
        if self._log is not None:
            self._write(*self._beside, RunTold.of(event), key=self._key_of(event))

    def _key_of(self, event: Event) -> str:
        match event:
            case ModuleAnswered() | NotAnswered():
                return self.question_id(event.module)
            case Rerouted():
                return self.question_id(event.decision.module or "")
            case Decided() if event.decision.action is Action.ASK:
                return self.question_id(event.decision.module or "")
            case Executed() if self._trail.attempts:
                return self._trail.attempts[-1].id
            case _:
                return ""

    @contextmanager
    def _writing_beside(self, *entries: RunEvent) -> Iterator[None]:
        """Write these entries in one transaction with the event that is told inside."""
        self._beside = entries
        try:
            yield
        finally:
            self._beside = ()

    def _write(self, *events: RunEvent, key: str = "") -> None:
        if self._log is None:
            raise IllegalCall("the session belongs to no run", hint="Make it with DurableSession.of_run.")
        people = set(self._trail.people)

        # Runs inside the transaction when somebody was erased meanwhile: refuses events that may hold their words.
        def forget(transaction: Writer) -> bool:
            again = self._build_again(transaction)
            changed = people != set(self._trail.people)
            return again and any(_may_name(event, people, changed) for event in events)

        self._log.append(events, lambda _: key, forget)
        for event in events:
            self._trail = self._trail.after(event, key)

    def _build_again(self, journal: Journal | Writer) -> bool:
        """Build everything again from the journal, without what was erased; return whether the run had begun."""
        log = self._log
        assert log is not None
        if self._trail.started is None:
            return False
        trail, events = _read(log.own(journal.read(run=log.run)))
        assert trail.started is not None
        again = self._from(
            trail.started, events, self.graph, self.strategy, self._first_costs, self._availability, self._options
        )
        self._state, self._events = again._state, again._events
        self._first_costs, self._cost_model = again._first_costs, again._cost_model
        self._trail = trail
        return True


def _read(entries: Iterable[Entry]) -> tuple[Trail, list[Event]]:
    """Return the trail of a run's own entries, and the events of its session."""
    trail, events = Trail(), []
    for entry in entries:
        trail = trail.after(entry.event, entry.key)
        events += [entry.event.read()] if isinstance(entry.event, RunTold) else []
    return trail, events


def _may_name(event: RunEvent, people: set[str], changed: bool) -> bool:
    """Return whether an event may hold a word of a person who was erased, of this run or remembered."""
    match event:
        case RunToldOfPeople():
            return True
        case RunForwarded(people=shaped_by):
            return changed or bool(set(shaped_by) - people)
        case RunTold(by=by) | RunSettled(by=by):
            return by is not None
    return False


# -- how a run begins: without anybody's name, and without the words of its questions ----------------------------------


def _started_of(session: Session) -> RunStarted:
    """Return the entry of a session's start, without questions, whose words may name people: the policy has them."""
    record = {**session.to_json(), "events": []}
    record["policy"] = _worded(record["policy"], {})
    people: list[str] = []
    if "workload" in record:
        workload = record["workload"]
        people = sorted({workload["person"], *workload["loads"], *workload["model"]["people"]} - {SOMEBODY})
        record["workload"] = _renamed(workload, {name: f"#{number}" for number, name in enumerate(people)})
    return RunStarted(record=record, modules=session.graph.names, people=tuple(people))


def _record_of(started: RunStarted, graph: ModuleGraph) -> dict[str, Any]:
    """Return the session's record as it was, with names, in the policy's order, and with a policy's questions.

    Raises:
        BadRecord: It is damaged.
    """
    with refusing_damage():
        record = dict(started.record)
        modules = record["policy"]["modules"]
        words = {name: module["question"] for name, module in graph.to_json()["modules"].items()}
        policy = {**record["policy"], "modules": {name: modules[name] for name in started.modules}}
        record["policy"] = _worded(policy, words)
        if "workload" in record:
            names = {f"#{number}": name for number, name in enumerate(started.people)}
            record["workload"] = _renamed(record["workload"], names)
    return record


def _somebody_erased(started: RunStarted) -> bool:
    """Return whether a person was erased whom the workload had known."""
    return any(name.startswith(ERASED_NAME) for name in started.people)


def _refuse_another(run: str, stored: Mapping[str, Any], given: Mapping[str, Any], settings: Settings | None) -> None:
    """Refuse to go on with a run of something else.

    Raises:
        BadRecord: The policy, the method or the settings are others.
    """
    with refusing_damage():
        others = {
            "another policy": _shape(stored["policy"]) != _shape(given["policy"]),
            "another method": any(stored[key] != _plain(given[key]) for key in ("method", "method_settings")),
            "other settings": settings is not None and _differs(Settings.of_record(stored), settings),
        }
    for what, differs in others.items():
        if differs:
            raise BadRecord(
                f"run '{run}' began with {what}",
                hint="Give this one a run id of its own, or go on with what it began with.",
            )


def _differs(stored: Settings, settings: Settings) -> bool:
    """Return whether settings differ; without a horizon they agree with the default at the run's start."""
    return stored != (replace(settings, horizon=stored.horizon) if settings.horizon is None else settings)


def _worded(policy: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    """Return a policy's record with other words for its questions."""
    modules = {name: {**module, "question": words.get(name)} for name, module in policy["modules"].items()}
    return {**policy, "modules": modules}


def _renamed(workload: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a workload's record with other names for its people."""

    def keys(record: Mapping[str, Any]) -> dict[str, Any]:
        return {names.get(name, name): value for name, value in record.items()}

    model = {**workload["model"], "people": keys(workload["model"]["people"])}
    person = names.get(workload["person"], workload["person"])
    return {**workload, "model": model, "person": person, "loads": keys(workload["loads"])}


def _shape(policy: Mapping[str, Any]) -> Any:
    """Return what tells policies apart: the modules, what feeds them, and what success is."""
    modules = {name: (tuple(module["inputs"]), module["gate"]) for name, module in policy["modules"].items()}
    return list(modules.items()), policy["success"]


def _plain(value: Any) -> Any:
    """Return a value as JSON gives it back."""
    return json.loads(json.dumps(value))
