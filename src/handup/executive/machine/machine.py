"""The machine: told what happened, says what to do next. Pure, so a run is rebuilt by telling it the same again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from handup.core import IllegalCall, ResumeHint
from handup.executive.beliefs import CONTRADICTION, Assertion, Beliefs, Source
from handup.executive.events import (
    Acted,
    Answered,
    Became,
    Begun,
    Believed,
    Ending,
    Note,
    Raised,
    Resumed,
    Stopped,
    Unanswered,
    Void,
)
from handup.executive.machine.commands import (
    EXPECTED,
    LEGAL,
    AskPerson,
    Command,
    Finished,
    Input,
    Looked,
    Phase,
    Reload,
    RunAction,
    Spoken,
)
from handup.executive.machine.failures import fail, go_on
from handup.executive.machine.program import Program
from handup.executive.machine.state import Frame, State, Trouble
from handup.executive.machine.steps import acted, advance
from handup.executive.recipe import Recipe, Recipes
from handup.executive.recovery import Recovery
from handup.executive.settings import Settings


class Machine:
    """Runs a recipe with its recoveries, without doing anything itself.

    `next` says what is to be done, `tell` takes in what happened. All changes come from `tell`, so the same events
    always make the same state: a run that was killed is rebuilt by telling a new machine what the journal holds.

    Args:
        recipes: The tasks and the database.
        recoveries: The rules.
        settings: Limits, and what happens when no rule is left.
        params: Inputs of the task.
        task: The task to run; the recipes' main one where it is not given.

    Raises:
        BadSetting: There is no such task, or it takes other inputs.
    """

    def __init__(
        self,
        recipes: Recipes,
        recoveries: Iterable[Recovery] = (),
        settings: Settings | None = None,
        params: Mapping[str, Any] | None = None,
        *,
        task: str | None = None,
    ) -> None:
        program = Program.of(recipes, recoveries)
        self._state = State(program, settings or Settings(), task or recipes.main, params or {})
        advance(self._state)

    def next(self) -> Command:
        """What is to be done now. Asking changes nothing."""
        assert self._state.command is not None
        return self._state.command

    @property
    def phase(self) -> Phase:
        """What is waited for."""
        return self._state.phase

    @property
    def beliefs(self) -> Beliefs:
        """What is held to be true."""
        return self._state.beliefs

    @property
    def hears_contradictions(self) -> bool:
        """Whether a contradiction could be recovered from here.

        It could not in the immediate steps of a recovery, where it would be taken for their result, nor as deep in
        recoveries as they may stand, where it would be taken for a recovery that did not help. It waits until then.
        """
        repairs = [frame.repair for frame in self._state.frames if frame.repair is not None]
        return not repairs or (not repairs[-1].trying and len(repairs) < self._state.settings.depth)

    def hears(self, monitor: str, code: str) -> bool:
        """Whether a fault of a monitor fails what is under way.

        It does not while a recovery is under way for it, which it would end; nor at the end of a run once it was said
        that the task is done in spite of it.
        """
        failures = [frame.repair.failure for frame in self._state.frames if frame.repair is not None]
        repaired = any((each.kind, each.leaf, each.code) == ("monitor", monitor, code) for each in failures)
        return not repaired and (monitor, code) not in self._state.passed

    @property
    def settings(self) -> Settings:
        """The limits."""
        return self._state.settings

    @property
    def program(self) -> Program:
        """What it runs now."""
        return self._state.program

    @property
    def number(self) -> int:
        """Up to here numbers of starts are taken: by the last one, or by some that may be lost."""
        return max(self._state.number, self._state.floor)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The tasks and recoveries that are under way, from the top, for views. Nobody else changes them."""
        return tuple(self._state.frames)

    @property
    def under_way(self) -> tuple[Recipe, ...]:
        """What is still to come of the tasks and recoveries that are under way, by the files that they began with.

        The step before each place is among it, since a task may go one back. For a reload: it must fit new files.
        """
        return tuple(_to_come(frame) for frame in self._state.frames)

    @property
    def now_s(self) -> float:
        """The latest time told."""
        return self._state.now_s

    def notes(self) -> list[Note]:
        """What is to be noted since the last call: failures, recoveries, what the recipe said. Each is given once."""
        noted, self._state.notes = self._state.notes, []
        return noted

    def tell(self, event: Input) -> None:
        """Take in what happened.

        Raises:
            IllegalCall: That cannot happen now, or is about another start or failure than the one under way.
        """
        state = self._state
        if not isinstance(event, LEGAL[state.phase]):
            raise IllegalCall(
                f"a machine was told {type(event).__name__} while it is {state.phase}", hint=EXPECTED[state.phase]
            )
        self._take(event)
        advance(state)

    def _take(self, event: Input) -> None:
        state = self._state
        if not isinstance(event, Reload | Believed | Void):
            state.now_s = max(state.now_s, event.at_s)
        match event:
            case Begun():
                self._refuse_other(event.number, self._running().number)
                state.phase, state.number = Phase.ACTING, event.number
                state.starts += 1
            case Acted() | Void():
                self._refuse_other(event.number, state.number)
                self._acted(event)
            case Raised():
                self._raised(event)
            case Believed():
                state.beliefs.say(event.assertion)
            case Answered() | Unanswered():
                self._refuse_other(event.number, self._asking().number)
                self._answered(event)
            case Stopped():
                state.finish(event.ending, event.why, outputs={})
            case Resumed():
                state.floor = max(state.floor, event.number)
                if state.phase is Phase.READY:
                    state.command = replace(self._running(), number=max(state.number, state.floor) + 1)
            case Reload():
                self._reload(event)
            case Looked():
                state.finish(Ending.DONE, "The task is done.")

    def _acted(self, event: Acted | Void) -> None:
        state = self._state
        if isinstance(event, Void):
            state.phase, state.command = Phase.READY, None
            return
        for key, value in event.beliefs.items():
            state.beliefs.say(Assertion(key=key, value=value, source=Source.SCRIPT, at_s=event.at_s))
        acted(state, event)

    def _answered(self, event: Answered | Unanswered) -> None:
        state, asked = self._state, self._asking()
        if isinstance(event, Unanswered):
            reason = event.why or f"{asked.failure.path} failed ({asked.failure.code}), and nobody answered."
            state.finish(Ending.UNANSWERED, reason, asked.failure)
            return
        state.command, state.phase = None, Phase.READY
        levels = len(asked.failure.levels)
        frame = state.frames[levels - 1]
        step = frame.of(frame.path)
        step.sets.update(event.sets or {})
        if event.module:
            given = event.module in (event.sets or {})
            said = Spoken(number=event.number, right=event.right, given=given)
            step.spoken.setdefault(asked.failure.code, {})[event.module] = said
        for key, value in (event.beliefs or {}).items():
            state.beliefs.say(Assertion(key=key, value=value, source=Source.PERSON, at_s=event.at_s))
        trouble = Trouble(event.number, asked.failure, levels, seen_rules=True)
        if event.hint is None:
            state.trouble = trouble
            return
        if not go_on(state, trouble, event.hint, event.level, event.sets or {}, seen=levels):
            go_on(state, trouble, ResumeHint.NONE, None, {}, seen=levels)

    def _raised(self, event: Raised) -> None:
        state, command = self._state, self._state.command
        action = command if isinstance(command, RunAction) else None  # at the end of a run there is none
        became = {} if event.became is None else {"became": str(event.became)}
        if action is not None and event.became not in (None, Became.NOT_STARTED):
            state.outer.of(state.outer.path).broken.add((action.path, action.step))
        state.command, state.phase = None, Phase.READY
        before = state.failures
        fail(
            state,
            kind="monitor",
            leaf=event.monitor,
            code=event.code,
            why=event.why,
            goal={} if action is None else action.goal,
            fields={**({} if action is None else {"action": action.action}), **became, **event.fields},
        )
        if event.monitor == CONTRADICTION and state.failures > before:
            state.beliefs.hear(event.fields.get("key", ""))

    def _reload(self, event: Reload) -> None:
        """New recoveries hold at once; new recipes for tasks that begin, or begin again, from now on."""
        state = self._state
        state.program = Program.of(event.recipes, event.recoveries)
        for frame in state.frames:
            frame.scope["database"] = event.recipes.database
        if state.phase is Phase.READY:
            state.command = None  # its inputs are computed again, from the new database

    def _running(self) -> RunAction:
        assert isinstance(self._state.command, RunAction)
        return self._state.command

    def _asking(self) -> AskPerson:
        assert isinstance(self._state.command, AskPerson)
        return self._state.command

    def _refuse_other(self, given: int, due: int) -> None:
        if given != due:
            raise IllegalCall(f"a machine was told of number {given}", hint=f"Number {due} is under way.")

    @property
    def finished(self) -> Finished | None:
        """How it ended; None while it goes on."""
        command = self._state.command
        return command if isinstance(command, Finished) else None


def _to_come(frame: Frame) -> Recipe:
    steps = [line.step for line in frame.lines[max(0, frame.cursors[0].index - 1) :]]
    if frame.repair is not None and frame.repair.trying:
        steps += [step for branch in frame.repair.rule.recovery.branches for step in branch.steps]
    return Recipe(name=frame.name, params=tuple(frame.params), var=frame.outputs, steps=tuple(steps))
