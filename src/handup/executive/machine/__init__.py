"""The pure machine of a run: it is told what happened, and says what to do next, and the same again on replay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from handup.core import IllegalCall, ResumeHint
from handup.executive import events
from handup.executive.beliefs import CONTRADICTION, Assertion, BeliefSource
from handup.executive.machine.failures import fail, go_on
from handup.executive.machine.machine_state import (
    EXPECTED,
    LEGAL,
    AskPerson,
    Command,
    Finished,
    Frame,
    Input,
    LastLook,
    Looked,
    MachinePhase,
    MachineState,
    ModuleAnswer,
    Reload,
    RunAction,
    Trouble,
)
from handup.executive.machine.program import Program
from handup.executive.machine.steps import acted, advance
from handup.executive.recipe import Recipe, Recipes
from handup.executive.recovery import Recovery
from handup.executive.run_settings import RunSettings

__all__ = [
    "AskPerson",
    "Finished",
    "Input",
    "LastLook",
    "Looked",
    "Machine",
    "MachinePhase",
    "ModuleAnswer",
    "Reload",
    "RunAction",
]


class Machine(MachineState):
    """Pure state machine that runs a recipe with its recoveries, without doing anything itself.

    `next` says what is to be done, `tell` takes in what happened. All changes come from `tell`, so the same events
    always make the same state: a run that was killed is rebuilt by telling a new machine what the journal holds.

    Args:
        recipes: The tasks and the database.
        recoveries: The rules.
        settings: Limits, and the policy for failures without a recovery.
        params: Inputs of the task.
        task: The task to run; None for the recipes' main one.

    Raises:
        UnknownName: There is no such task, or it does not take one of the inputs.
        MissingSetting: It needs inputs that are not given.
    """

    def __init__(
        self,
        recipes: Recipes,
        recoveries: Iterable[Recovery] = (),
        settings: RunSettings | None = None,
        params: Mapping[str, Any] | None = None,
        *,
        task: str | None = None,
    ) -> None:
        super().__init__(Program.of(recipes, recoveries), settings or RunSettings(), task or recipes.main, params or {})
        advance(self)

    def next(self) -> Command:
        """Return the command that is due. Asking changes nothing."""
        assert self.command is not None
        return self.command

    @property
    def hears_contradictions(self) -> bool:
        """True if a contradiction could be recovered from now.

        Not in the immediate steps of a recovery, where it would be taken for their result, nor at the greatest depth of
        recoveries, where it would be taken for one that did not help. It waits until then.
        """
        repairs = [frame.repair for frame in self.frames if frame.repair is not None]
        return not repairs or (not repairs[-1].trying and len(repairs) < self.settings.depth)

    def hears(self, monitor: str, code: str) -> bool:
        """Return whether a fault of a monitor fails what is under way.

        It does not while a recovery is under way for it, which it would end; nor at the end of a run once it was said
        that the task is done in spite of it.
        """
        failures = [frame.repair.failure for frame in self.frames if frame.repair is not None]
        repaired = any((failure.kind, failure.leaf, failure.code) == ("monitor", monitor, code) for failure in failures)
        return not repaired and (monitor, code) not in self.passed

    @property
    def under_way(self) -> tuple[Recipe, ...]:
        """Remaining steps of the tasks and recoveries that are under way, by the files that they began with.

        The step before each place is included, since a task may go one step back. For a reload: new files must fit.
        """
        return tuple(_to_come(frame) for frame in self.frames)

    def notes(self) -> list[events.Note]:
        """Return the notes since the last call, each once: failures, recoveries, messages of the recipe."""
        noted, self.notes_due = self.notes_due, []
        return noted

    def tell(self, event: Input) -> None:
        """Take in what happened.

        Raises:
            IllegalCall: That cannot happen now, or is about another start or failure than the one under way.
        """
        if not isinstance(event, LEGAL[self.phase]):
            raise IllegalCall(
                f"a machine was told {type(event).__name__} while it is {self.phase}", hint=EXPECTED[self.phase]
            )
        self._take(event)
        advance(self)

    def _take(self, event: Input) -> None:
        if not isinstance(event, Reload | events.Believed | events.Void):
            self.now_s = max(self.now_s, event.at_s)
        match event:
            case events.Begun():
                self._refuse_other(event.number, self._running().number)
                self.phase, self.started = MachinePhase.ACTING, event.number
                self.starts += 1
            case events.ActionEnded() | events.Void():
                self._refuse_other(event.number, self.started)
                self._acted(event)
            case events.Raised():
                self._raised(event)
            case events.Believed():
                self.beliefs.say(event.assertion)
            case events.TaskAnswered() | events.TaskUnanswered():
                self._refuse_other(event.number, self._asking().number)
                self._answered(event)
            case events.TaskStopped():
                self.finish(event.ending, event.why, outputs={})
            case events.Resumed():
                # Starts up to that number may be lost in a crash, so the next start takes a higher one.
                self.floor = max(self.floor, event.number)
                if self.phase is MachinePhase.READY:
                    self.command = replace(self._running(), number=self.number + 1)
            case Reload():
                self._reload(event)
            case Looked():
                self.finish(events.Ending.DONE, "The task is done.")

    def _acted(self, event: events.ActionEnded | events.Void) -> None:
        if isinstance(event, events.Void):
            self.phase, self.command = MachinePhase.READY, None
            return
        for key, value in event.beliefs.items():
            self.beliefs.say(Assertion(key=key, value=value, source=BeliefSource.SCRIPT, at_s=event.at_s))
        acted(self, event)

    def _answered(self, event: events.TaskAnswered | events.TaskUnanswered) -> None:
        asked = self._asking()
        if isinstance(event, events.TaskUnanswered):
            reason = event.why or f"{asked.failure.path} failed ({asked.failure.code}), and nobody answered."
            self.finish(events.Ending.UNANSWERED, reason, asked.failure)
            return
        self.command, self.phase = None, MachinePhase.READY
        levels = len(asked.failure.levels)
        frame = self.frames[levels - 1]
        step = frame.of(frame.path)
        step.sets.update(event.sets or {})
        if event.module:
            step.spoken.setdefault(asked.failure.code, {})[event.module] = ModuleAnswer(
                number=event.number, right=event.right, given=event.module in (event.sets or {})
            )
        for key, value in (event.beliefs or {}).items():
            self.beliefs.say(Assertion(key=key, value=value, source=BeliefSource.PERSON, at_s=event.at_s))
        trouble = Trouble(event.number, asked.failure, levels, seen_rules=True)
        if event.hint is None:
            self.trouble = trouble
            return
        # A person may name a task that is not on the path of the failure: then the run ends.
        if not go_on(self, trouble, event.hint, event.level, event.sets or {}, seen=levels):
            go_on(self, trouble, ResumeHint.NONE, None, {}, seen=levels)

    def _raised(self, event: events.Raised) -> None:
        command = self.command
        action = command if isinstance(command, RunAction) else None  # at the end of a run there is none
        became = {} if event.became is None else {"became": str(event.became)}
        # Its next start will say that this one may have had its effect: see `RunAction.again`.
        if action is not None and event.became not in (None, events.Became.NOT_STARTED):
            self.outer.of(self.outer.path).broken.add((action.path, action.step))
        self.command, self.phase = None, MachinePhase.READY
        before = self.failures
        fail(
            self,
            kind="monitor",
            leaf=event.monitor,
            code=event.code,
            why=event.why,
            goal={} if action is None else action.goal,
            fields={**({} if action is None else {"action": action.action}), **became, **event.fields},
        )
        # In the immediate steps of a recovery it was no failure, so it has not been heard.
        if event.monitor == CONTRADICTION and self.failures > before:
            self.beliefs.hear(event.fields.get("key", ""))

    def _reload(self, event: Reload) -> None:
        """Take in new files: recoveries hold at once, recipes for tasks that begin or restart from now on."""
        self.program = Program.of(event.recipes, event.recoveries)
        for frame in self.frames:
            frame.scope["database"] = event.recipes.database
        if self.phase is MachinePhase.READY:
            self.command = None  # its inputs are computed again, from the new database

    def _running(self) -> RunAction:
        assert isinstance(self.command, RunAction)
        return self.command

    def _asking(self) -> AskPerson:
        assert isinstance(self.command, AskPerson)
        return self.command

    def _refuse_other(self, number: int, due: int) -> None:
        if number != due:
            raise IllegalCall(f"the machine must be told of number {due}, got {number}", hint="Tell events in order.")

    @property
    def finished(self) -> Finished | None:
        """End of the run; None while it goes on."""
        command = self.command
        return command if isinstance(command, Finished) else None


def _to_come(frame: Frame) -> Recipe:
    steps = [line.step for line in frame.lines[max(0, frame.cursors[0].index - 1) :]]
    if frame.repair is not None and frame.repair.trying:
        steps += [step for branch in frame.repair.rule.recovery.branches for step in branch.steps]
    return Recipe(name=frame.name, params=tuple(frame.params), var=frame.outputs, steps=tuple(steps))
