"""One nested account of what went wrong, from the task at the top down to the action that gave up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

IN_RECOVERY = "recovery:"
"""How the name of a recovery begins where it stands among the tasks of a path."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """What one task adds to a failure.

    Args:
        task: Its name.
        step: Which of its steps failed, as a path of indices (`(2,)`, or `(3, 0)` inside a choice or loop).
        name: What that step runs: an action, a task, an op.
        params: The task's own inputs.
        aborts: How often this step has aborted since it last worked, this time included; a `retry` further up changes
            nothing in that.
        task_aborts: How often this task (by name, in this place of the tree) has aborted since the run began.
    """

    task: str
    step: tuple[int, ...]
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    aborts: int = 1
    task_aborts: int = 1


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What went wrong, where, and how often.

    Args:
        levels: From the top task down to the one whose step failed.
        leaf: The action or op that failed, or the monitor that raised it.
        kind: `action`, `op`, `monitor`, `check` (an output was not set) or `recovery`.
        code: The stable word.
        why: One sentence.
        goal: What the leaf was to do.
        fields: Its own fields.
        beliefs: What was believed at that moment.
        contradictions: Keys on which script and monitor disagree.
        at_s: When.
        depth: 0 in the recipe, 1 inside a recovery, 2 inside a recovery of that, and so on.
    """

    levels: tuple[Level, ...]
    leaf: str
    kind: str
    code: str
    why: str = ""
    goal: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    beliefs: Mapping[str, Any] = field(default_factory=dict)
    contradictions: tuple[str, ...] = ()
    at_s: float = 0.0
    depth: int = 0

    @property
    def path(self) -> str:
        """Task names from the top to the leaf, with slashes: `build_kits/fill_kit/perceive/segment`."""
        return "/".join([*(level.task for level in self.levels), self.leaf])
