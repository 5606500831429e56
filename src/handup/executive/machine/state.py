"""Everything a machine knows: one mutable record, which the functions beside it change, told by events alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handup.core import BadSetting
from handup.executive.beliefs import Beliefs
from handup.executive.events import Ending, Note, Over, Said
from handup.executive.failure import Failure
from handup.executive.machine.commands import Command, Finished, Phase
from handup.executive.machine.frame import Frame, Tally
from handup.executive.machine.program import Path, Program
from handup.executive.settings import Settings


class Trouble:
    """A failure that is being dealt with.

    Attributes:
        number: Of the failure.
        failure: All of it.
        levels: So many of its levels still stand: fewer once a task was given up.
        seen_rules: Whether any rule was for it at all, used up or not.
    """

    __slots__ = ("failure", "levels", "number", "seen_rules")

    def __init__(self, number: int, failure: Failure) -> None:
        self.number = number
        self.failure = failure
        self.levels = len(failure.levels)
        self.seen_rules = False


class State:
    """Where a run stands."""

    def __init__(self, program: Program, settings: Settings, main: str, params: Mapping[str, Any]) -> None:
        self.program = program
        self.settings = settings
        self.beliefs = Beliefs()
        self.frames: list[Frame] = []
        self.phase = Phase.READY
        self.command: Command | None = None
        self.trouble: Trouble | None = None
        self.number = 0
        self.floor = 0
        self.starts = 0
        self.steps = 0
        self.failures = 0
        self.questions = 0
        self.now_s = 0.0
        self.task_aborts: dict[tuple[Any, ...], int] = {}
        self.passed: set[tuple[str, str]] = set()
        """Faults by monitor and code with which the run ends all the same, for as long as it stands at its end."""
        self.notes: list[Note] = []
        if main not in program.tasks:
            raise BadSetting(f"there is no task '{main}'", hint=f"Known: {', '.join(program.tasks)}.")
        given, wanted = set(params), set(program.tasks[main].recipe.params)
        if given != wanted:
            raise BadSetting(
                f"task '{main}' is given {', '.join(sorted(given)) or 'nothing'}",
                hint=f"It takes {', '.join(sorted(wanted)) or 'nothing'}.",
            )
        self.push_task(main, dict(params), {})

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
        task = self.program.tasks[name]
        frame = Frame(name, task.lines, params, world=self.world, tally=tally, outputs=task.recipe.var)
        if self.frames and (around := self.frames[-1].scope).get("failure") is not None:
            frame.scope |= {"failure": around["failure"], "tried": around["tried"]}
        self.frames.append(frame)

    def say(self, message: str) -> None:
        """What the recipe prints."""
        self.notes.append(Said(message=message[:4000]))

    def finish(
        self, ending: Ending, reason: str, failure: Failure | None = None, outputs: dict[str, Any] | None = None
    ) -> None:
        """The run is over. Where it is done it gives what the top task has set, or else the outputs given here."""
        main = self.frames[0]
        if outputs is None:
            outputs = {name: main.var.get(name) for name in main.outputs} if ending is Ending.DONE else {}
        self.phase, self.trouble = Phase.ENDED, None
        self.command = Finished(ending=ending, reason=reason, outputs=outputs, failure=failure)
        self.notes.append(Over(ending=ending, reason=reason, outputs=outputs, at_s=self.now_s))

    def shown(self) -> dict[str, Any]:
        """Everything that matters for what comes next, as plain data: equal states go on equally."""
        return {
            "frames": [frame.shown() for frame in self.frames],
            "beliefs": self.beliefs.assertions,
            "unheard": self.beliefs.unheard,
            "phase": self.phase,
            "command": self.command,
            "number": self.number,
            "floor": self.floor,
            "starts": self.starts,
            "steps": self.steps,
            "failures": self.failures,
            "questions": self.questions,
            "now_s": self.now_s,
            "task_aborts": dict(self.task_aborts),
            "passed": set(self.passed),
        }
