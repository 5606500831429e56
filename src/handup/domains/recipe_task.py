"""A recipe that runs in a stage, as a task: driven turn by turn, shown as panels, with whoever is there to ask."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from handup.core import ConflictingSettings, ManualClock, Person
from handup.core.panels import Phase
from handup.domains.domain import NOBODY, SIMULATED, Workplace
from handup.domains.stage import Stage
from handup.executive.events import Entry, TaskAsked
from handup.executive.executive import Executive
from handup.executive.human_help import People, PeopleAtDesk, pass_time
from handup.executive.machine import Finished, MachinePhase
from handup.executive.measures import measure
from handup.executive.proposals import propose
from handup.executive.run import Run
from handup.executive.run_view import RunView, named
from handup.executive.sources import Files

ANSWER_S = 0.5
"""Seconds for which a step waits for an answer at most."""


@dataclass(frozen=True)
class _AtWorkplace(PeopleAtDesk):
    """People at a workplace, whose stop may come by the robot's link sooner than by the journal."""

    place: Workplace | None = None

    @property
    def stopped(self) -> bool:
        """True while somebody's stop holds."""
        assert self.place is not None
        return self.place.stopped or self.desk.stopped


class RecipeTask:
    """A run of a recipe in a stage. See `handup.domains.Task`.

    Args:
        run: The run, begun or known to its journal.
        stage: Its surroundings.
        place: Its workplace, with the people who are asked.

    Raises:
        ConflictingSettings: Simulated people are wanted where the stage has none.
    """

    def __init__(self, run: Run, stage: Stage, place: Workplace) -> None:
        self.run, self._stage, self._place = run, stage, place
        self.finished: Finished | None = run.machine.finished if run.known else None
        self._watching = RunView(run.machine)
        for entry in place.journal.read(run=run.id):
            if entry.kind.startswith("task."):
                self._watching.told(entry.event)  # type: ignore[arg-type]
        run.follow(self._told)
        clock = stage.clock
        if isinstance(clock, ManualClock):
            clock.advance(max(0.0, run.machine.now_s - clock.now_s()))  # people took time, too
        self._held, self._passing_s = False, 0.0
        files = None if run.sources is None else Files(run.sources)
        self._executive = Executive(run, replace(stage, people=self._people()), files=files)
        self._turns = self._executive.turns()

    def _people(self) -> People | None:
        place, machine = self._place, self.run.machine
        if place.people == NOBODY:
            return None
        if place.people == SIMULATED:
            if self._stage.simulated is None:
                raise ConflictingSettings("nobody is simulated without a world", hint="Use --people page or terminal.")
            return self._stage.simulated(machine)
        desk = place.sit_down(Person(name=place.person))
        return self._stage.with_hands(_AtWorkplace(desk, self.run.id, place=place), machine)

    @property
    def interruptible(self) -> bool:
        """True while an answer is waited for."""
        return bool(self.run.waiting_for)

    def step(self) -> float | None:
        """Run one turn, or wait a moment for an answer."""
        if self.finished is not None:
            return None
        if self._place.stopped:
            self._executive.stop()
        if self.run.waiting_for and self._executive.around.people is not None:
            self._wait_for_people(self._executive.around.people)
        elif isinstance(self._stage.clock, ManualClock):
            pass_time(self._stage.clock, self._passing_s)
        try:
            self._passing_s = next(self._turns).for_s
        except StopIteration as end:
            self.finished = end.value
            self.run.flush()
            return None
        return 0.0 if self.run.waiting_for else self._passing_s

    def _wait_for_people(self, people: People) -> None:
        """Wait for an answer. A simulated robot's time passes with theirs."""
        clock = self._stage.clock
        began, before_s = time.monotonic(), clock.now_s()
        people.wait(self.run.waiting_for, ANSWER_S)
        if isinstance(clock, ManualClock) and clock.now_s() == before_s:
            pass_time(clock, time.monotonic() - began)

    def hold(self, held: bool) -> None:
        """Take note that the robot holds, or goes on."""
        self._held = held
        self._place.show(self.view())

    def view(self) -> Mapping[str, Any]:
        """Return the run as people see it."""
        machine, phase = self.run.machine, Phase.MOVING
        if machine.finished is not None:
            phase = Phase.STOPPED if machine.finished.ending == "stopped" else Phase.DONE
        elif self._held:
            phase = Phase.HOLDING
        elif machine.phase is MachinePhase.ASKING:
            phase = Phase.ASKING
        title = named(machine.frames[0].name if machine.frames else self._place.robot).capitalize()
        watching = self._watching
        return {
            "phase": phase,
            "title": title,
            "doing": watching.doing[:300],
            "why": watching.why,
            "panels": watching.panels(self._stage.in_words()),
        }

    def result(self) -> Mapping[str, Any]:
        """Return how it ended, what was measured, and the rules that people taught."""
        finished = self.finished
        measured = measure(self._place.journal.read(run=self.run.id))
        failure = None if finished is None else finished.failure
        return {
            "ending": None if finished is None else str(finished.ending),
            "reason": "" if finished is None else finished.reason,
            "outputs": {} if finished is None else dict(finished.outputs),
            "result": self._stage.result(),
            "in_words": self._stage.in_words(),
            **measured.to_json(),
            "failed": None if failure is None else {"path": failure.path, "code": failure.code, "why": failure.why},
            "proposals": [proposal.to_json() for proposal in self._proposals()] if measured.questions else [],
        }

    def _proposals(self) -> Any:
        """Return rules that people taught in this run and in those before it on the store."""
        after = self.run.machine.settings.proposed_after
        return propose(self._place.journal.read(), after=after, known=self.run.recoveries)

    def close(self) -> None:
        """Stop what is under way; the run can go on later."""
        self._turns.close()
        self.run.flush()

    def _told(self, event: Entry) -> None:
        """Take note of an event. A question is shown at once: until it is answered no other step shows anything."""
        self._watching.told(event)
        if isinstance(event, TaskAsked):
            self._place.show(self.view())
