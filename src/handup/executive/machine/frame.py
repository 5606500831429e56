"""Where a run stands: a stack of frames, each with its place in its steps, and the tallies that outlive a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from handup.executive.failure import Failure
from handup.executive.machine.commands import Spoken
from handup.executive.machine.program import Line, Lines, Path, Rule


class StepTally:
    """What is remembered of one step until it has worked.

    Attributes:
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

    __slots__ = ("aborts", "below", "broken", "questions", "retries", "sets", "spoken", "uses")

    def __init__(self) -> None:
        self.aborts = 0
        self.uses: dict[str, int] = {}
        self.sets: dict[str, Any] = {}
        self.questions: dict[str, int] = {}
        self.spoken: dict[str, dict[str, Spoken]] = {}
        self.retries = 0
        self.below: Tally | None = None
        self.broken: set[tuple[str, Path]] = set()

    def shown(self) -> dict[str, Any]:
        """As plain data."""
        below = None if self.below is None else tallies_shown(self.below)
        return {
            "aborts": self.aborts,
            "uses": dict(self.uses),
            "sets": dict(self.sets),
            "questions": dict(self.questions),
            "spoken": {code: dict(said) for code, said in self.spoken.items()},
            "retries": self.retries,
            "below": below,
            "broken": set(self.broken),
        }


Tally = dict[Path, StepTally]
"""Of a task's steps, for those that have failed and not worked since. It outlives the frame: where the task is started
anew by a retry further up, counts, limits and what people said go on."""


def tallies_shown(tally: Tally) -> dict[Path, Any]:
    """Tallies as plain data."""
    return {path: each.shown() for path, each in tally.items()}


class Cursor:
    """A place in a list of steps; `rounds` counts those of the loop that it stands at."""

    __slots__ = ("index", "lines", "rounds")

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.index = 0
        self.rounds = 0

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

    def shown(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "name": self.name,
            "params": dict(self.params),
            "var": dict(self.var),
            "at": [(cursor.index, cursor.rounds) for cursor in self.cursors],
            "tally": tallies_shown(self.tally),
            "tried": None if self.repair is None else dict(self.repair.tried),
            "branch": None if self.repair is None else self.repair.branch,
        }
