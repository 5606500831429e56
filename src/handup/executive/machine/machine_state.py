"""State of a machine: its commands, its inputs, the table of what it may be told when, and the stack of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from handup.core import MissingSetting, UnknownName
from handup.executive import events
from handup.executive.beliefs import Beliefs
from handup.executive.failure import Failure
from handup.executive.machine.program import Line, Lines, Path, Program, RecoveryRule
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery
from handup.executive.run_settings import RunSettings


@dataclass(frozen=True, kw_only=True)
class RunAction:
    """Start an action, tell `Begun` just before and `Acted` after.

    Args:
        number: Number of this start in the run.
        action: Name of the action.
        goal: Its inputs.
        attempt: Number of this attempt at the step, from 1.
        path: Task names and the action, with slashes.
        step: The step's path of indices in the innermost task.
        depth: 0 in the recipe, 1 inside a recovery, and so on.
        again: True if an earlier start of this step was interrupted and may have had its effect.
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
class ModuleAnswer:
    """A person's answer about one module.

    Args:
        number: Number of the failure after which they answered.
        right: True if by their answer the module had been right; None if that cannot be told.
        given: True if they gave the module's output: it is the input of the failed step until that works.
    """

    number: int
    right: bool | None = None
    given: bool = False


@dataclass(frozen=True, kw_only=True)
class AskPerson:
    """Ask a person how to go on, and tell `Answered` or `Unanswered`.

    Args:
        number: Number of the failure.
        failure: The failure.
        tried: Names of the recoveries that were used for it, in the order of their first use.
        turn: Number of this question about this fault of the step, from 1. Another code is another fault.
        serial: Number of this question in the run, from 1: no two have the same.
        spoken: Modules that people were asked about since this fault of the step came up, with their answers.
    """

    number: int
    failure: Failure
    tried: tuple[str, ...]
    turn: int
    serial: int = 1
    spoken: Mapping[str, ModuleAnswer] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LastLook:
    """All steps are done: let the monitors look once more, and tell `Raised`, or `Looked` where they see nothing."""


@dataclass(frozen=True, kw_only=True)
class Finished:
    """End of the run.

    Args:
        ending: Kind of ending.
        reason: Reason, one sentence.
        outputs: Outputs of the task, if it is done.
        failure: Failure that ended the run, if any.
    """

    ending: events.Ending
    reason: str
    outputs: Mapping[str, Any] = field(default_factory=dict)
    failure: Failure | None = None


Command = RunAction | AskPerson | LastLook | Finished


@dataclass(frozen=True, kw_only=True)
class Reload:
    """New recipes and recoveries. May be told between two steps."""

    recipes: Recipes
    recoveries: tuple[Recovery, ...]


@dataclass(frozen=True, kw_only=True)
class Looked:
    """Report that the last look saw nothing, so that the task is done. The journal has it as `Over`.

    Args:
        at_s: Time of the look.
    """

    at_s: float = 0.0


Input = events.Told | Reload | Looked
"""Everything that a machine may be told."""


class MachinePhase(StrEnum):
    """Phase of a machine: what it waits for."""

    READY = "ready"
    """Waiting for an action to begin."""
    ACTING = "acting"
    """Waiting for an action to end."""
    ASKING = "asking"
    """Waiting for a person."""
    LOOKING = "looking"
    """Waiting for the last look of the monitors."""
    ENDED = "ended"


LEGAL: Mapping[MachinePhase, tuple[type[Input], ...]] = {
    MachinePhase.READY: (events.Begun, events.Believed, events.Raised, events.Resumed, events.TaskStopped, Reload),
    MachinePhase.ACTING: (
        events.ActionEnded,
        events.Void,
        events.Believed,
        events.Raised,
        events.Resumed,
        events.TaskStopped,
    ),
    MachinePhase.ASKING: (
        events.TaskAnswered,
        events.TaskUnanswered,
        events.Believed,
        events.Resumed,
        events.TaskStopped,
        Reload,
    ),
    MachinePhase.LOOKING: (Looked, events.Believed, events.Raised, events.Resumed, events.TaskStopped, Reload),
    MachinePhase.ENDED: (),
}
"""Legal inputs of each phase: the one table of them."""
EXPECTED: Mapping[MachinePhase, str] = {
    MachinePhase.READY: "Tell Begun and start the action that next() names.",
    MachinePhase.ACTING: "Tell Acted when the action ended.",
    MachinePhase.ASKING: "Tell Answered or Unanswered.",
    MachinePhase.LOOKING: "Let the monitors look, and tell Raised or Looked.",
    MachinePhase.ENDED: "Make a new machine for the next run.",
}


# -- where a run stands: a stack of frames, and what outlives them -----------------------------------------------------


@dataclass(slots=True)
class StepTally:
    """Record of one step, kept until the step has worked.

    Args:
        aborts: How often it aborted.
        uses: How often each recovery was used for it, in the order of their first use.
        sets: Inputs that a person gave for its next attempts.
        questions: Count of questions about it, by the code of the failure.
        spoken: Answers of people about modules, by the code of the failure.
        retries: Count of its runs under the policy `retry` for failures without a recovery.
        below: For a step that runs a task: the tallies of that task's own steps.
        broken: Of this step and those of its recoveries, by path and place: the ones that a monitor interrupted when
            they may have had their effect, and have not worked since.
    """

    aborts: int = 0
    uses: dict[str, int] = field(default_factory=dict)
    sets: dict[str, Any] = field(default_factory=dict)
    questions: dict[str, int] = field(default_factory=dict)
    spoken: dict[str, dict[str, ModuleAnswer]] = field(default_factory=dict)
    retries: int = 0
    below: Tally | None = None
    broken: set[tuple[str, Path]] = field(default_factory=set)


Tally = dict[Path, StepTally]
"""Records of a task's steps that have failed and not worked since. They outlive the frame: when the task is started
anew by a retry further up, counts, limits and answers of people stay."""


@dataclass(slots=True, eq=False)
class Cursor:
    """Place in a list of steps; `rounds` counts those of the loop at this place."""

    lines: Lines
    index: int = 0
    rounds: int = 0

    @property
    def line(self) -> Line | None:
        """Step at this place; None behind the last one."""
        return self.lines[self.index] if self.index < len(self.lines) else None


@dataclass(slots=True, eq=False, kw_only=True)
class Repair:
    """State of a recovery, beyond that of a task's frame.

    Args:
        rule: The recovery.
        number: Number of the failure.
        failure: The failure, with all its levels.
        seen: The failure as the rule matched it: in full, or only up to a task around the leaf.
        trying: True while its immediate steps are under way.
        branch: Index of the branch that was taken; None before.
        tried: Results of the immediate steps.
    """

    rule: RecoveryRule
    number: int
    failure: Failure
    seen: Failure
    trying: bool = True
    branch: int | None = None
    tried: dict[str, Any] = field(default_factory=lambda: {"ok": True, "code": ""})


class Frame:
    """Task or recovery that is under way."""

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
        """Begin again at the first step, without variables."""
        self.var.clear()
        self.cursors = [Cursor(self.lines)]

    def step_done(self) -> None:
        """Count the current step as done: forget its record, and move on to the next one."""
        cursor = self.cursors[-1]
        if self.tally and cursor.line is not None:
            self.tally.pop(cursor.line.path, None)
        cursor.index += 1
        cursor.rounds = 0

    def of(self, path: Path) -> StepTally:
        """Return the record of a step; make one if there is none."""
        if path not in self.tally:
            self.tally[path] = StepTally()
        return self.tally[path]

    @property
    def path(self) -> Path:
        """Path of the current step; behind the last one, where outputs are checked, the number of steps."""
        line = self.cursors[-1].line
        return (len(self.lines),) if line is None else line.path


@dataclass(slots=True, eq=False)
class Trouble:
    """A failure that is being dealt with.

    Args:
        number: Number of the failure.
        failure: The failure, with all its levels.
        levels: Number of its levels that still stand: fewer once a task was given up.
        seen_rules: True if any rule was meant for it, used up or not.
    """

    number: int
    failure: Failure
    levels: int
    seen_rules: bool = False


class MachineState:
    """State of a run. Only events change it, and only by code of this folder.

    Attributes:
        program: Recipes and recoveries that it runs now.
        settings: The limits.
        beliefs: Beliefs about the world.
        frames: The tasks and recoveries that are under way, from the top.
        phase: Phase: what is waited for.
        command: Command that is due; None while it is being worked out.
        trouble: The failure that is being dealt with.
        started: The number of the last start.
        floor: Highest number that a lost start may have taken.
        now_s: Latest time that was told.
        passed: Faults, by monitor and code, in spite of which the run may end, as long as it stands at its end.
        notes_due: Notes that were not handed out yet.
    """

    def __init__(self, program: Program, settings: RunSettings, main: str, params: Mapping[str, Any]) -> None:
        self.program = program
        self.settings = settings
        self.beliefs = Beliefs()
        self.frames: list[Frame] = []
        self.phase = MachinePhase.READY
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
            raise UnknownName(f"there is no task '{main}'", hint=f"Known: {', '.join(program.lines)}.")
        inputs, needed = set(params), set(program.recipes.tasks[main].params)
        if inputs != needed:
            kind = MissingSetting if needed - inputs else UnknownName
            raise kind(
                f"the inputs of task '{main}' must be ({', '.join(sorted(needed))}), got ({', '.join(sorted(inputs))})",
                hint="Give exactly these inputs.",
            )
        self.push_task(main, dict(params), {})

    @property
    def number(self) -> int:
        """Highest number that a start has taken, or a lost start may have taken."""
        return max(self.started, self.floor)

    @property
    def depth(self) -> int:
        """Number of recoveries at work, each inside the one before."""
        return sum(frame.repair is not None for frame in self.frames)

    @property
    def outer(self) -> Frame:
        """Innermost task outside of recoveries: the recoveries at work are there for its current step."""
        # Frames below the first recovery belong to it.
        inside = next((index for index, frame in enumerate(self.frames) if frame.repair is not None), len(self.frames))
        return self.frames[inside - 1]

    @property
    def broken(self) -> set[tuple[str, Path]]:
        """Steps that are marked as perhaps done already: see `StepTally`."""
        known = self.outer.tally.get(self.outer.path)
        return set() if known is None else known.broken

    @property
    def world(self) -> dict[str, Any]:
        """Names that every expression may read, with their values."""
        return {"database": self.program.recipes.database, "beliefs": self.beliefs.values}

    @property
    def path(self) -> str:
        """Task names from the top, with slashes."""
        return "/".join([frame.name for frame in self.frames])

    def push_task(self, name: str, params: Mapping[str, Any], tally: Tally) -> None:
        """Begin a task on top of the stack."""
        lines, outputs = self.program.lines[name], self.program.recipes.tasks[name].var
        frame = Frame(name, lines, params, world=self.world, tally=tally, outputs=outputs)
        # A task that a recovery calls may read the failure as the recovery does.
        if self.frames and (around := self.frames[-1].scope).get("failure") is not None:
            frame.scope |= {"failure": around["failure"], "tried": around["tried"]}
        self.frames.append(frame)

    def say(self, message: str) -> None:
        """Note a message that the recipe prints."""
        self.notes_due.append(events.TaskPrinted(message=message[:4000]))

    def finish(
        self, ending: events.Ending, reason: str, failure: Failure | None = None, outputs: dict[str, Any] | None = None
    ) -> None:
        """End the run. Without `outputs`, a run that is done gives what the top task has set."""
        main = self.frames[0]
        if outputs is None:
            outputs = {name: main.var.get(name) for name in main.outputs} if ending is events.Ending.DONE else {}
        self.phase, self.trouble = MachinePhase.ENDED, None
        self.command = Finished(ending=ending, reason=reason, outputs=outputs, failure=failure)
        self.notes_due.append(events.Over(ending=ending, reason=reason, outputs=outputs, at_s=self.now_s))
