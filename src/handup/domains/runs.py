"""Runs that were begun on a store, and on what terms: written down before anything moves, for whoever goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from handup.core import event
from handup.executive.events import Over, Started
from handup.journal import Journal
from handup.journal.run_log import OrderedRun, Orders

RUN = "runs"
"""The run under which a journal keeps which runs were begun on it."""


@event("runs.ordered")
@dataclass(frozen=True, kw_only=True)
class Ordered:
    """A run is about to begin.

    Args:
        name: Of the run.
        world: Where the robot is; empty where it brings its own actions.
        seed: Of the world.
        drills: Whether failures may be injected.
        people: Who is asked.
    """

    name: str
    world: str = ""
    seed: int = 0
    drills: bool = False
    people: str = ""


@event("tasks.started")
@dataclass(frozen=True, kw_only=True)
class TaskStarted:
    """The task of a domain begins, in the run of its name. A recipe begins with `task.started` instead.

    Args:
        options: What was ordered.
    """

    options: dict[str, Any] = field(default_factory=dict)


@event("tasks.over")
@dataclass(frozen=True, kw_only=True)
class TaskOver:
    """The task of a domain is over, and stays so.

    Args:
        result: What came of it.
    """

    result: dict[str, Any] = field(default_factory=dict)


RUNS: Orders[Ordered, Started | TaskStarted, Over | TaskOver] = Orders(
    RUN, "run", Ordered, (Started, TaskStarted), (Over, TaskOver)
)
"""All runs of a store, recipes and tasks, in the order in which they were begun."""
Last = OrderedRun[Ordered, Started | TaskStarted, Over | TaskOver]
"""The run that was begun last."""


def next_run(
    journal: Journal, *, world: str, seed: int, drills: bool, people: str, options: Mapping[str, Any] | None = None
) -> Ordered:
    """Order a new run under a name of its own.

    Args:
        journal: The store.
        world: As in `Ordered`, like what follows.
        seed: Likewise.
        drills: Likewise.
        people: Likewise.
        options: What is ordered of a task, which begins then; None for a recipe, which begins by itself.
    """
    with journal.writing() as writer:
        ordered = Ordered(name=RUNS.next_name(writer), world=world, seed=seed, drills=drills, people=people)
        writer.append(ordered, run=RUN)
        if options is not None:
            writer.append(TaskStarted(options=dict(options)), run=ordered.name)
    return ordered


def end_task(journal: Journal, run: str, result: Mapping[str, Any]) -> None:
    """Write down that the task of a run is over."""
    with journal.writing() as writer:
        writer.append(TaskOver(result=dict(result)), run=run)
