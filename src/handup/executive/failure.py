"""Failures: one nested account of what went wrong, from the top task down to the action that gave up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

IN_RECOVERY = "recovery:"
"""Beginning of the name of a recovery where it stands among the tasks of a path."""


@dataclass(frozen=True, kw_only=True)
class FailureLevel:
    """Part of a failure that one task adds.

    Args:
        task: Name of the task.
        step: Path of indices of the step that failed (`(2,)`, or `(3, 0)` inside a choice or loop).
        name: Name of the action, task or op that the step runs.
        params: Inputs of the task.
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
    """One failure: what went wrong, where, and how often.

    Args:
        levels: Tasks from the top one down to the one whose step failed.
        leaf: The action or op that failed, or the monitor that raised it.
        kind: `action`, `op`, `monitor`, `check` (an output was not set) or `recovery`.
        code: Stable word for what went wrong, such as `no_plan`.
        why: Explanation, one sentence.
        goal: Inputs of the leaf.
        fields: Details that the leaf gave, by name.
        beliefs: Beliefs at that moment, by key.
        contradictions: Keys on which script and monitor disagree.
        at_s: Time of the failure.
        depth: 0 in the recipe, 1 inside a recovery, 2 inside a recovery of that, and so on.
    """

    levels: tuple[FailureLevel, ...]
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
