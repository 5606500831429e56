"""The executive: drives a machine with real actions, monitors, a clock, people and a journal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from handup.core import BadRecipe, Clock, ContractViolation, ManualClock
from handup.executive import events
from handup.executive.action import Aborted, Call, Done, NotStarted, Outcome, RobotAction, Working
from handup.executive.escalation import Escalation, escalate, put_again
from handup.executive.human_help import Heard, People, pass_time
from handup.executive.machine import AskPerson, Finished, LastLook, Looked, Machine, RunAction
from handup.executive.monitors import Lookout, Monitor
from handup.executive.run import Run
from handup.executive.sources import Files, Sources
from handup.executive.validator import abilities_of, require
from handup.recover import Erased
from handup.recover.run_record import Settled
from handup.recover.unknown_outcome import lost_question, meaning_of

SOON_S = 1e-9
"""Shortest wait that counts; the rest of a wait below this is over."""
LOST = "lost"
"""The code of an action that a person says did not work, after its outcome was lost."""
WAITING = "waiting for an answer"
STOP = "Somebody said stop."
Make = Callable[[], RobotAction]
"""An action's class, or a function that makes an action."""


@dataclass(frozen=True, kw_only=True)
class Around:
    """Surroundings of a run.

    Args:
        actions: What the robot can do, by name.
        clock: Source of the time. A `ManualClock` is moved on instead of waited for.
        monitors: Conditions that are looked at while actions work.
        people: Whom to ask; nobody where it is None.
        look_every_s: Interval at which monitors look and a stop is heard while an action works, in seconds.
    """

    actions: Mapping[str, Make]
    clock: Clock
    monitors: Sequence[Monitor] = ()
    people: People | None = None
    look_every_s: float = 1.0


class Executive:
    """Runs a task to a named end. Make a `Run` first: it says what to run, and where it is kept.

    `to_the_end` does everything. A program with a loop of its own drives `turns()` instead, which never blocks: each
    `Working` that it yields says for how long nothing is to be done.

    If an action raises, it is stopped and the exception goes up; what became of it is unknown at the next start.

    Args:
        run: The run.
        around: Actions, clock, monitors and people.
        files: Looked at between steps; when one was written, its new text holds from there on.

    Raises:
        BadRecipe: The recipes or recoveries do not fit the actions and monitors, with everything that is wrong.
    """

    def __init__(self, run: Run, around: Around, *, files: Files | None = None) -> None:
        self.run = run
        self.around = around
        self._files = files
        self._lookout = Lookout(around.monitors)
        self._stop = threading.Event()
        self._why = STOP
        self._new: Sources | None = None
        monitors = {monitor.name: monitor for monitor in around.monitors}
        self._abilities = abilities_of(around.actions, monitors)
        require(self.machine.program.recipes, run.recoveries, abilities=self._abilities)

    @property
    def machine(self) -> Machine:
        """The run's machine."""
        return self.run.machine

    def stop(self, why: str = STOP) -> None:
        """Stop soon: what is under way is stopped, and the run ends as `stopped`. Any thread may call this."""
        self._why = why
        self._stop.set()

    def reload(self, sources: Sources) -> None:
        """Take new recipes and recoveries before the next step. Where they are wrong, the run keeps the old ones."""
        self._new = sources

    def to_the_end(self) -> Finished:
        """Run to the end, waiting by the clock where there is something to wait for."""
        turns = self.turns()
        while True:
            try:
                working = next(turns)
            except StopIteration as end:
                assert isinstance(end.value, Finished)
                return end.value
            if self.run.waiting_for and self.around.people is not None:
                self.around.people.wait(self.run.waiting_for, self.around.look_every_s)
            else:
                pass_time(self.around.clock, working.for_s)

    def turns(self) -> Generator[Working, None, Finished]:
        """Run one turn at a time. Closing the generator stops the action under way."""
        with ExitStack() as stack:
            self.run.claim(stack)
            try:
                return (yield from self._going())
            except Erased:  # nothing is under way: it is noticed when something is to be written, before and after
                self.run.forget(self.around.clock.now_s())
                finished = self.machine.finished
                assert finished is not None
                return finished

    def _going(self) -> Generator[Working, None, Finished]:
        clock = self.around.clock
        if self.run.begin(clock.now_s(), stood_still=isinstance(clock, ManualClock)):
            yield from self._settle()
        while True:
            self._reload()
            command = self.machine.next()
            if isinstance(command, Finished):
                self.run.flush()
                return command
            if self._stopped:
                self.run.tell(events.TaskStopped(why=self._why, at_s=self.around.clock.now_s()))
            elif isinstance(command, AskPerson):
                yield from self._ask(command)
            elif isinstance(command, LastLook):
                self.run.tell(self._look() or Looked(at_s=self.around.clock.now_s()))
            else:
                yield from self._act(command)

    # -- acting ------------------------------------------------------------------------------------------------------

    def _act(self, command: RunAction) -> Generator[Working, None, None]:
        if (fault := self._look()) is not None:
            self.run.tell(fault)
            return
        make = self.around.actions[command.action]
        repeatable = bool(getattr(make, "repeatable", False))
        again = self.run.doubtful(repeatable) or command.again
        now_s, number = self.around.clock.now_s(), command.number
        begun = events.Begun(
            number=number, action=command.action, path=command.path, attempt=command.attempt, again=again, at_s=now_s
        )
        self.run.tell(begun)
        self.run.before(repeatable)
        beliefs = self.machine.beliefs.values
        call = Call(goal=command.goal, attempt=command.attempt, number=number, again=again, beliefs=beliefs)
        action = make()
        ending: events.ActionEnded | events.Raised | events.TaskStopped | None = None
        behind: events.Raised | None = None
        # Whatever interrupts the turns, also closing the generator: an action that has not ended is stopped.
        try:
            action.start(call)
            ending = yield from self._working(action, number)
        finally:
            if not isinstance(ending, events.ActionEnded):
                action.stop()
        if isinstance(ending, events.Raised):
            ending = replace(ending, became=_became(action, call))
        elif isinstance(ending, events.ActionEnded):
            behind = self._see()
        self.run.tell(ending)
        self.run.after(repeatable)
        if behind is not None and isinstance(self.machine.next(), RunAction | LastLook) and not self._stopped:
            self.run.tell(
                behind
            )  # it fails the step or the end that begins at that moment; it is kept for no later one

    def _working(
        self, action: RobotAction, number: int
    ) -> Generator[Working, None, events.ActionEnded | events.Raised | events.TaskStopped]:
        """Take turn after turn, with the monitors looking on in between."""
        steps, alone = action.step(), not self._lookout and self.around.people is None
        nobody_looks_on = alone and isinstance(self.around.clock, ManualClock)
        while True:
            try:
                working = next(steps)
            except StopIteration as end:
                return events.ActionEnded.by_outcome(number, end.value, self.around.clock.now_s())
            left_s = working.for_s
            while True:
                turn_s = left_s if nobody_looks_on else min(left_s, self.around.look_every_s)
                yield Working(turn_s, working.doing)
                left_s -= turn_s
                if self._stopped:
                    return events.TaskStopped(why=self._why, at_s=self.around.clock.now_s())
                if (fault := self._look()) is not None:
                    return fault
                if left_s <= SOON_S:
                    break

    def _look(self) -> events.Raised | None:
        """Return the first fault now, of a monitor or a contradiction. A contradiction waits where none is heard."""
        fault = self._see()
        if fault is None and self.machine.hears_contradictions:
            fault = self._lookout.contradiction(
                self.around.clock.now_s(), self.machine.beliefs, self.machine.program.rules
            )
        return fault

    def _see(self) -> events.Raised | None:
        """Let the monitors look: tell beliefs at once, and return the first fault that is heard."""
        for event in self._lookout.look(self.around.clock.now_s(), self.machine.beliefs):
            if isinstance(event, events.Believed):
                self.run.tell(event)
            elif self.machine.hears(event.monitor, event.code):
                return event
        return None

    @property
    def _stopped(self) -> bool:
        return self._stop.is_set() or (self.around.people is not None and self.around.people.stopped)

    # -- asking ------------------------------------------------------------------------------------------------------

    def _ask(self, command: AskPerson) -> Generator[Working, None, None]:
        people, now_s = self.around.people, self.around.clock.now_s
        if people is None:
            self.run.tell(events.TaskUnanswered(number=command.number, at_s=now_s()))
            return
        step = f"failure:{command.number}:{command.serial}"
        known = self.run.was_asked(step)
        put = self._escalated(command) if known is None else put_again(command, known)
        self.run.asked(
            events.TaskAsked(
                number=command.number,
                question=step,
                path=command.failure.path,
                module=put.module,
                as_input=put.as_input,
                words=dict(put.words),
                posterior=dict(put.posterior),
                at_s=now_s(),
            )
        )
        question = people.ask(put.question, step)
        heard = yield from self._hear(question)
        if heard is None:
            return
        if heard.value is not None:
            self.run.tell(put.meaning(command, heard.value, by=heard.by, at_s=now_s()))
        elif heard.let_try:
            self.run.tell(put.left_to_the_robot(command, by=heard.by, at_s=now_s()))
        else:
            self.run.tell(events.TaskUnanswered(number=command.number, at_s=now_s()))
        self.run.flush()

    def _escalated(self, command: AskPerson) -> Escalation:
        make = self.around.actions.get(command.failure.leaf)
        modules = None if make is None else getattr(make(), "modules", None)
        return escalate(
            command,
            None if modules is None else modules(command.failure),
            takes=getattr(make, "takes", ()),
            rules=[rule.recovery for rule in self.machine.program.rules],
            last=command.turn >= self.machine.settings.questions,
        )

    def _hear(self, question: str) -> Generator[Working, None, Heard | None]:
        """Wait for the reply to a question, and return it. After a stop withdraw the question and return None."""
        people = self.around.people
        assert people is not None
        self.run.waiting_for = question
        try:
            while not self._stopped:
                heard = people.heard(question)
                if heard is not None:
                    return heard
                yield Working(self.around.look_every_s, WAITING)
        finally:
            self.run.waiting_for = ""
        people.withdraw(question)
        return None

    # -- an outcome that was lost: look, repeat it where that is allowed, or ask; never guess --------------------------

    def _settle(self) -> Generator[Working, None, None]:
        """Find out how the action went that was under way when the last program ended.

        1. The action looks itself, where it has a `sense`.
        2. The action is started again, marked as such, where it is `repeatable`.
        3. A person is asked. Where there is nobody, or nobody answers, the run ends as `unanswered`. After a stop
           nobody is waited for.
        """
        command = self.machine.next()
        assert isinstance(command, RunAction)
        make, number = self.around.actions[command.action], command.number
        seen = _sensed(make(), Call(goal=command.goal, attempt=command.attempt, number=number))
        if isinstance(seen, NotStarted):
            self.run.tell(events.Void(number=number, why="not started"))
        elif seen is not None:
            self.run.tell(events.ActionEnded.by_outcome(number, seen, self.around.clock.now_s(), events.Known.SENSED))
        elif getattr(make, "repeatable", False):
            self.run.tell(events.Void(number=number, why="repeatable"))
        else:
            yield from self._ask_about(command)
        self.run.flush()

    def _ask_about(self, lost: RunAction) -> Generator[Working, None, None]:
        people, heard, now_s, number = self.around.people, None, self.around.clock.now_s, lost.number
        if people is not None and not self._stopped:
            goal = ", ".join(f"{name}: {value}" for name, value in lost.goal.items())
            question = people.ask(lost_question(lost.action.replace("_", " "), goal), f"act:{number}")
            self.run.asked(events.TaskAsked(number=number, question=question, path=lost.path, at_s=now_s()))
            heard = yield from self._hear(question)
        if self._stopped:
            self.run.tell(events.TaskStopped(why=self._why, at_s=now_s()))
            return
        meaning = None if heard is None else meaning_of(heard.value, let_try=heard.let_try)
        if heard is None or meaning is None:
            why = f"Nobody could say what became of {lost.path}."
            self.run.tell(events.TaskStopped(why=why, ending=events.Ending.UNANSWERED, at_s=now_s()))
        elif meaning[0] is Settled.VOID:
            self.run.tell(events.Void(number=number, why="not started", by=heard.by))
        else:
            look = meaning[1]
            why = "A person says that it did not work." if look else "A person says to go on, not how it went."
            outcome = Done() if look and look.ok else Aborted(code=LOST, why=why)
            self.run.tell(events.ActionEnded.by_outcome(number, outcome, now_s(), events.Known.SAID, heard.by))

    # -- between steps -----------------------------------------------------------------------------------------------

    def _reload(self) -> None:
        if self.machine.finished is not None or (self._new is None and self._files is None):
            return
        now_s = self.around.clock.now_s()
        try:
            # A reload that a program asked for goes before what the files say; either is taken once.
            asked, self._new = self._new, None
            sources = asked or (self._files.news() if self._files is not None else None)
            if sources is None:
                return
            recipes, recoveries = sources.checked(self._abilities, under_way=self.machine.under_way)
        except BadRecipe as error:
            problems = tuple(str(problem)[:1000] for problem in (error.problems or [error])[:100])
            self.run.refused(events.ReloadRefused(problems=problems, at_s=now_s))
        else:
            self.run.reloaded(sources, recipes, recoveries, now_s)


def _sensed(action: RobotAction, call: Call) -> Outcome | NotStarted | None:
    """Return what an action sees of a start; None where it cannot tell."""
    sense = getattr(action, "sense", None)
    seen: object = None if sense is None else sense(call)
    if not isinstance(seen, Done | Aborted | NotStarted | None):
        raise ContractViolation(f"sense() gave {seen!r}", hint="Return Done, Aborted, NotStarted or None.")
    return seen


def _became(action: RobotAction, call: Call) -> events.Became:
    """Return what is left of a start that was interrupted and stopped. Nobody is asked: a failure is recovered from."""
    seen = _sensed(action, call)
    ways = {Done: events.Became.DONE, Aborted: events.Became.ABORTED, NotStarted: events.Became.NOT_STARTED}
    return next((became for kind, became in ways.items() if isinstance(seen, kind)), events.Became.UNKNOWN)
