"""Worlds in which recipes run: the surroundings of a robot there, and the run of a recipe as a task."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from handup.core import ConflictingSettings, ManualClock, Person, Question
from handup.core.panels import Phase
from handup.domains.domain import NOBODY, SIMULATED, Workplace
from handup.executive.escalation import FIXED
from handup.executive.events import Entry, TaskAsked
from handup.executive.executive import Around, Executive
from handup.executive.failure import Failure
from handup.executive.human_help import Heard, People, PeopleAtDesk, pass_time
from handup.executive.machine import AskPerson, Finished, Machine, MachinePhase
from handup.executive.measures import measure
from handup.executive.proposals import propose
from handup.executive.run import Run
from handup.executive.run_view import RunView, named
from handup.executive.sources import Files, Sources


@dataclass(frozen=True, kw_only=True)
class Stage(Around):
    """A robot in a world, and everything that a run has around it there.

    Args:
        simulated: Function that makes a simulated person to ask; None if this world has none.
        sights: Function that describes what somebody in the world would see, to help real people answer.
        put_right: Function that puts right what made the robot fail, when a real person says that they did so.
        result: Function that returns the result of the work, as plain data.
        in_words: Function that returns the same in words, which may be empty.
        lasts_s: Seconds that the world's own task lasts; None if it has no fixed length.
        unit: Action that counts as one unit of the work; empty if there is none.
        close: Function that closes files.
    """

    simulated: Callable[[Machine], People] | None = None
    sights: Callable[[], str] = str
    put_right: Callable[[Failure], object] = lambda failure: None
    result: Callable[[], dict[str, Any]] = dict
    in_words: Callable[[], str] = str
    lasts_s: float | None = None
    unit: str = ""
    close: Callable[[], None] = lambda: None


@dataclass(frozen=True, kw_only=True)
class Home:
    """Place where the world of one run is kept.

    Args:
        path: The file.
        whose: Name of the run; a file with the world of another run is refused.
        new: Whether the world begins now; otherwise the file must exist.
    """

    path: Path
    whose: str
    new: bool = False


@dataclass(frozen=True, kw_only=True)
class Drill:
    """A failure that can be brought about, for practice.

    Args:
        part: Part of the world that fails.
        failure: Name of the failure.
        words: Description of what a person there would see.
    """

    part: str
    failure: str
    words: str


class Simulation(Protocol):
    """A world in which recipes run: a `Domain` brings it as its `world`."""

    def stage(self, *, seed: int = 0, home: Home | None = None, drills: bool = False) -> Stage:
        """Return a stage to run in.

        Args:
            seed: All chance comes from it.
            home: Place where the world is kept; None to keep nothing.
            drills: Whether failures may be injected.

        Raises:
            StoreUnavailable, BadRecord: The world is not where it should be, or it is another one's.
        """
        ...

    def sources(self, *, asking: bool) -> Sources:
        """Return the recipe, recoveries and database that the world brings.

        Args:
            asking: Whether there is somebody to ask when recoveries run out.
        """
        ...

    def endings(self) -> Sources:
        """Return the rules that end the work when its time is over, which is no fault to ask people about."""
        ...

    def drills(self) -> Sequence[Drill]:
        """Return every failure that can be brought about."""
        ...

    def inject(self, home: Home, part: str, failure: str) -> None:
        """Bring about a failure at its next opportunity, in the world of a run that may be under way.

        Raises:
            BadSetting: There is no such part, or no such failure of it, or this world takes no drills.
            StoreUnavailable, BadRecord: The world is not where it should be, or it is another one's.
        """
        ...


MAX_SUPPORT = 2000
"""Most letters that are shown of what helps to answer."""
ANSWER_S = 0.5
"""Seconds for which a step waits for an answer at most."""


@dataclass(frozen=True, kw_only=True)
class PeopleAtWorkplace(PeopleAtDesk):
    """Real people who are asked about a simulated world: they read what they would see in it.

    If they say that they put something right, it is put right in the simulation. Their stop may come by the robot's
    link sooner than by the journal.

    Args:
        place: The workplace.
        stage: Surroundings of the robot.
        machine: Machine of the run.
    """

    place: Workplace
    stage: Stage
    machine: Machine

    @property
    def stopped(self) -> bool:
        """True while somebody's stop holds."""
        return self.place.stopped or self.desk.stopped

    def ask(self, question: Question, step: str) -> str:
        """Put a question, with what somebody there would see."""
        support = " ".join(filter(None, (question.support, self.stage.sights())))
        return super().ask(replace(question, support=support[:MAX_SUPPORT]), step)

    def heard(self, question: str) -> Heard | None:
        """Return the reply. If they say that they put the fault right, the stage does so in the simulation."""
        heard, asked = super().heard(question), self.machine.next()
        if heard is not None and heard.value == FIXED and isinstance(asked, AskPerson):
            self.stage.put_right(asked.failure)
        return heard


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
        return PeopleAtWorkplace(desk, self.run.id, place=place, stage=self._stage, machine=machine)

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
        # Rules that people taught, in this run and in those before it on the store.
        after, known = self.run.machine.settings.proposed_after, self.run.recoveries
        taught = propose(self._place.journal.read(), after=after, known=known) if measured.questions else ()
        return {
            "ending": None if finished is None else str(finished.ending),
            "reason": "" if finished is None else finished.reason,
            "outputs": {} if finished is None else dict(finished.outputs),
            "result": self._stage.result(),
            "in_words": self._stage.in_words(),
            **measured.to_json(),
            "failed": None if failure is None else {"path": failure.path, "code": failure.code, "why": failure.why},
            "proposals": [proposal.to_json() for proposal in taught],
        }

    def close(self) -> None:
        """Stop what is under way; the run can go on later."""
        self._turns.close()
        self.run.flush()

    def _told(self, event: Entry) -> None:
        """Take note of an event. A question is shown at once: until it is answered no other step shows anything."""
        self._watching.told(event)
        if isinstance(event, TaskAsked):
            self._place.show(self.view())
