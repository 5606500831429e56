"""What a machine wants done, what it waits for, and which events are legal then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from handup.executive.events import (
    Acted,
    Answered,
    Begun,
    Believed,
    Ending,
    Raised,
    Resumed,
    Stopped,
    Told,
    Unanswered,
    Void,
)
from handup.executive.failure import Failure
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery


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

    ending: Ending
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


Input = Told | Reload | Looked
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
    Phase.READY: (Begun, Believed, Raised, Resumed, Stopped, Reload),
    Phase.ACTING: (Acted, Void, Believed, Raised, Resumed, Stopped),
    Phase.ASKING: (Answered, Unanswered, Believed, Resumed, Stopped, Reload),
    Phase.LOOKING: (Looked, Believed, Raised, Resumed, Stopped, Reload),
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
