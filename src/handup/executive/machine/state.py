"""What a machine knows, what it wants done, what it waits for, and what may be told then. Told by events alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from handup.core import BadSetting
from handup.executive import events
from handup.executive.beliefs import Beliefs
from handup.executive.failure import Failure
from handup.executive.machine.program import Line, Lines, Path, Program, Rule
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery
from handup.executive.settings import Settings


@dataclass(frozen=True, kw_only=True)
class RunAction:
    """Start an action, tell `Begun` just before and `Acted` after.

    Args:
        number: Of this start in the run.
        action: Its name.
        goal: Its inputs.
        attempt: Which attempt at this step.
        path: Task names down to it, with slashes.
        step: The step's path of indices in the innermost task.
        depth: 0 in the recipe, 1 inside a recovery, and so on.
        again: Whether a start of this step was interrupted that may have had its effect.
    """

    number: int
    action: str
    goal: Mapping[str, Any]
    attempt: int
    path: str
    step: tuple[int, ...]
    depth: int
    again: bool = False


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """What a person said of a module.

    Args:
        number: Of the failure after which they did.
        right: Whether the module had been right, by what they said; None where that cannot be told.
        given: Whether they gave its output: then that is the input of the failed step until it works.
    """

    number: int
    right: bool | None = None
    given: bool = False


@dataclass(frozen=True, kw_only=True)
class AskPerson:
    """Ask a person how to go on, and tell `Answered` or `Unanswered`.

    Args:
        number: Of the failure.
        failure: What went wrong.
        tried: The recoveries that were used for it, in the order of their first use.
        turn: Which question about this fault of the step, from 1. Another code is another fault.
        serial: Which question of the run, from 1: no two have the same.
        spoken: The modules that people were asked about since this fault of the step came up, and what they said.
    """

    number: int
    failure: Failure
    tried: tuple[str, ...]
    turn: int
    serial: int = 1
    spoken: Mapping[str, Spoken] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LastLook:
    """All steps are done: let the monitors look once more, and tell `Raised`, or `Looked` where they see nothing."""


@dataclass(frozen=True, kw_only=True)
class Finished:
    """The run is over.

    Args:
        ending: How.
        reason: One sentence.
        outputs: What the task gave, where it is done.
        failure: What ended it, where something did.
    """

    ending: events.Ending
    reason: str
    outputs: Mapping[str, Any] = field(default_factory=dict)
    failure: Failure | None = None


Command = RunAction | AskPerson | LastLook | Finished


@dataclass(frozen=True, kw_only=True)
class Reload:
    """Recipes and recoveries were read anew. Told between two steps."""

    recipes: Recipes
    recoveries: tuple[Recovery, ...]


@dataclass(frozen=True, kw_only=True)
class Looked:
    """The last look has seen nothing, so the task is done. The journal has it as `Over`.

    Args:
        at_s: When.
    """

    at_s: float = 0.0


Input = events.Told | Reload | Looked
"""Everything that a machine is told."""


class Phase(StrEnum):
    """What a machine waits for."""

    READY = "ready"
    """For an action to begin."""
    ACTING = "acting"
    """For an action to end."""
    ASKING = "asking"
    """For a person."""
    LOOKING = "looking"
    """For the last look of the monitors."""
    ENDED = "ended"


LEGAL: Mapping[Phase, tuple[type[Input], ...]] = {
    Phase.READY: (events.Begun, events.Believed, events.Raised, events.Resumed, events.Stopped, Reload),
    Phase.ACTING: (events.Acted, events.Void, events.Believed, events.Raised, events.Resumed, events.Stopped),
    Phase.ASKING: (events.Answered, events.Unanswered, events.Believed, events.Resumed, events.Stopped, Reload),
    Phase.LOOKING: (Looked, events.Believed, events.Raised, events.Resumed, events.Stopped, Reload),
    Phase.ENDED: (),
}
"""The one table of what may be told when."""
EXPECTED: Mapping[Phase, str] = {
    Phase.READY: "Tell Begun and start the action that next() names.",
    Phase.ACTING: "Tell Acted when the action ended.",
    Phase.ASKING: "Tell Answered or Unanswered.",
    Phase.LOOKING: "Let the monitors look, and tell Raised or Looked.",
    Phase.ENDED: "Make a new machine for the next run.",
}


# -- where a run stands: a stack of frames, and what outlives them -----------------------------------------------------


@dataclass(slots=True)
class StepTally:
    """What is remembered of one step until it has worked.

    Args:
        aborts: How often it aborted.
        uses: How often each recovery was used for it, in the order of their first use.
        sets: Inputs that a person gave for its next attempts.
        questions: How often people were asked about it, by the code of the failure.
        spoken: What they said of modules, by the code of the failure.
        retries: How often it ran again because nobody knew better.
        below: For a step that runs a task: the tallies of that task's own steps.
        broken: Of this step and those of its recoveries, by path and place: which were interrupted by a monitor when
            they may have had their effect, and have not worked since.
    """

    aborts: int = 0
    uses: dict[str, int] = field(default_factory=dict)
    sets: dict[str, Any] = field(default_factory=dict)
    questions: dict[str, int] = field(default_factory=dict)
    spoken: dict[str, dict[str, Spoken]] = field(default_factory=dict)
    retries: int = 0
    below: Tally | None = None
    broken: set[tuple[str, Path]] = field(default_factory=set)


Tally = dict[Path, StepTally]
"""Of a task's steps, for those that have failed and not worked since. It outlives the frame: where the task is started
anew by a retry further up, counts, limits and what people said go on."""


@dataclass(slots=True, eq=False)
class Cursor:
    """A place in a list of steps; `rounds` counts those of the loop that it stands at."""

    lines: Lines
    index: int = 0
    rounds: int = 0

    @property
    def line(self) -> Line | None:
        """The step that it stands at; None behind the last one."""
        return self.lines[self.index] if self.index < len(self.lines) else None


@dataclass(slots=True, eq=False, kw_only=True)
class Repair:
    """What a frame of a recovery knows beyond that of a task.

    Args:
        rule: The recovery.
        number: Of the failure.
        failure: All of it.
        seen: As it was matched: all of it, or only up to a task around the leaf.
        trying: Whether its immediate steps are under way.
        branch: The branch that was taken.
        tried: What the immediate steps gave.
    """

    rule: Rule
    number: int
    failure: Failure
    seen: Failure
    trying: bool = True
    branch: int | None = None
    tried: dict[str, Any] = field(default_factory=lambda: {"ok": True, "code": ""})


class Frame:
    """A task, or a recovery, that is under way."""

    __slots__ = ("cursors", "lines", "name", "outputs", "params", "repair", "scope", "tally", "var")

    def __init__(
        self,
        name: str,
        lines: Lines,
        params: Mapping[str, Any],
        *,
        world: Mapping[str, Any],
        tally: Tally,
        outputs: tuple[str, ...] = (),
        repair: Repair | None = None,
    ) -> None:
        self.name = name
        self.lines = lines
        self.params = params
        self.outputs = outputs
        self.repair = repair
        self.tally = tally
        self.var: dict[str, Any] = {}
        self.cursors = [Cursor(lines)]
        self.scope: dict[str, Any] = {**world, "params": params, "var": self.var, "aborts": 0}

    def restart(self) -> None:
        """From the first step on, without variables."""
        self.var.clear()
        self.cursors = [Cursor(self.lines)]

    def step_done(self) -> None:
        """The step that it stands at has worked: what was remembered of it is over, and the next one follows."""
        cursor = self.cursors[-1]
        if self.tally and cursor.line is not None:
            self.tally.pop(cursor.line.path, None)
        cursor.index += 1
        cursor.rounds = 0

    def of(self, path: Path) -> StepTally:
        """What is remembered of a step, from now on."""
        if path not in self.tally:
            self.tally[path] = StepTally()
        return self.tally[path]

    @property
    def path(self) -> Path:
        """Of the step that it stands at; behind the last one, where outputs are checked, the number of steps."""
        line = self.cursors[-1].line
        return (len(self.lines),) if line is None else line.path


@dataclass(slots=True, eq=False)
class Trouble:
    """A failure that is being dealt with.

    Args:
        number: Of the failure.
        failure: All of it.
        levels: So many of its levels still stand: fewer once a task was given up.
        seen_rules: Whether any rule was for it at all, used up or not.
    """

    number: int
    failure: Failure
    levels: int
    seen_rules: bool = False


class State:
    """Where a run stands. Only events change it: nobody outside this folder does.

    Attributes:
        program: What it runs now.
        settings: The limits.
        beliefs: What is held to be true.
        frames: The tasks and recoveries that are under way, from the top.
        phase: What is waited for.
        command: What is to be done; None while that is being found.
        trouble: The failure that is being dealt with.
        started: The number of the last start.
        floor: Up to here numbers of starts may be taken by some that were lost.
        now_s: The latest time told.
        passed: Faults by monitor and code with which the run ends all the same, for as long as it stands at its end.
        notes_due: What is to be noted, and was not given yet.
    """

    def __init__(self, program: Program, settings: Settings, main: str, params: Mapping[str, Any]) -> None:
        self.program = program
        self.settings = settings
        self.beliefs = Beliefs()
        self.frames: list[Frame] = []
        self.phase = Phase.READY
        self.command: Command | None = None
        self.trouble: Trouble | None = None
        self.started = 0
        self.floor = 0
        self.starts = 0
        self.steps = 0
        self.failures = 0
        self.questions = 0
        self.now_s = 0.0
        self.task_aborts: dict[tuple[Any, ...], int] = {}
        self.passed: set[tuple[str, str]] = set()
        self.notes_due: list[events.Note] = []
        if main not in program.lines:
            raise BadSetting(f"there is no task '{main}'", hint=f"Known: {', '.join(program.lines)}.")
        given, wanted = set(params), set(program.recipes.tasks[main].params)
        if given != wanted:
            raise BadSetting(
                f"task '{main}' is given {', '.join(sorted(given)) or 'nothing'}",
                hint=f"It takes {', '.join(sorted(wanted)) or 'nothing'}.",
            )
        self.push_task(main, dict(params), {})

    @property
    def number(self) -> int:
        """Up to here numbers of starts are taken: by the last one, or by some that may be lost."""
        return max(self.started, self.floor)

    @property
    def depth(self) -> int:
        """So many recoveries are at work, each inside the one before."""
        return sum(frame.repair is not None for frame in self.frames)

    @property
    def outer(self) -> Frame:
        """The innermost task outside of recoveries: those that are at work are there for the step it stands at."""
        inside = next((index for index, frame in enumerate(self.frames) if frame.repair is not None), len(self.frames))
        return self.frames[inside - 1]

    @property
    def broken(self) -> set[tuple[str, Path]]:
        """The steps that are marked as perhaps done already: see `StepTally`."""
        known = self.outer.tally.get(self.outer.path)
        return set() if known is None else known.broken

    @property
    def world(self) -> dict[str, Any]:
        """What every expression may read."""
        return {"database": self.program.recipes.database, "beliefs": self.beliefs.values}

    @property
    def path(self) -> str:
        """Task names from the top, with slashes."""
        return "/".join([frame.name for frame in self.frames])

    def push_task(self, name: str, params: Mapping[str, Any], tally: Tally) -> None:
        """Begin a task."""
        lines, outputs = self.program.lines[name], self.program.recipes.tasks[name].var
        frame = Frame(name, lines, params, world=self.world, tally=tally, outputs=outputs)
        if self.frames and (around := self.frames[-1].scope).get("failure") is not None:
            frame.scope |= {"failure": around["failure"], "tried": around["tried"]}
        self.frames.append(frame)

    def say(self, message: str) -> None:
        """What the recipe prints."""
        self.notes_due.append(events.Said(message=message[:4000]))

    def finish(
        self, ending: events.Ending, reason: str, failure: Failure | None = None, outputs: dict[str, Any] | None = None
    ) -> None:
        """The run is over. Where it is done it gives what the top task has set, or else the outputs given here."""
        main = self.frames[0]
        if outputs is None:
            outputs = {name: main.var.get(name) for name in main.outputs} if ending is events.Ending.DONE else {}
        self.phase, self.trouble = Phase.ENDED, None
        self.command = Finished(ending=ending, reason=reason, outputs=outputs, failure=failure)
        self.notes_due.append(events.Over(ending=ending, reason=reason, outputs=outputs, at_s=self.now_s))
