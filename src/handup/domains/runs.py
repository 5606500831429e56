"""Runs that were begun on a store, by whatever command: written down before anything moves, for whoever goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from handup.core import event
from handup.executive.events import Over, Started
from handup.journal import Journal
from handup.journal.run_log import OrderedRun, Orders
from handup.journal.writer import Writer

RUN = "runs"
"""Name of the run under which a journal keeps the orders of all runs."""


@event("runs.ordered")
@dataclass(frozen=True, kw_only=True)
class Ordered:
    """A run is about to begin.

    Args:
        name: Name of the run.
        world: Name of the robot's world; empty where it brings its own actions.
        seed: Seed of the world in which a recipe runs; None for a task, which has options of its own.
        drills: Whether failures may be injected, into a recipe.
        people: Kind of the people who are asked.
    """

    name: str
    world: str = ""
    seed: int | None = None
    drills: bool = False
    people: str = ""


@event("tasks.started")
@dataclass(frozen=True, kw_only=True)
class TaskStarted:
    """The task of a domain begins, in the run of its name. A recipe begins with `task.started` instead.

    Args:
        options: Options of the task, as ordered.
    """

    options: dict[str, Any] = field(default_factory=dict)


@event("tasks.over")
@dataclass(frozen=True, kw_only=True)
class TaskOver:
    """The task of a domain is over, and stays so.

    Args:
        result: Result of the task.
    """

    result: dict[str, Any] = field(default_factory=dict)


RUNS: Orders[Ordered, Started | TaskStarted, Over | TaskOver] = Orders(
    RUN, Ordered, (Started, TaskStarted), (Over, TaskOver)
)
"""All runs of a store, recipes and tasks, in the order in which they were begun. A robot that works claims `RUN`."""
Last = OrderedRun[Ordered, Started | TaskStarted, Over | TaskOver]
"""The run that was begun last."""


def begin_run(writer: Writer, ordered: Ordered, options: Mapping[str, Any] | None = None) -> Ordered:
    """Write an order down, and return it.

    Args:
        writer: The transaction in which the run was named.
        ordered: The order.
        options: Options of a task, which begins with this; None for a recipe, which writes its own beginning.
    """
    writer.append(ordered, run=RUN)
    if options is not None:
        writer.append(TaskStarted(options=dict(options)), run=ordered.name)
    return ordered


def end_task(journal: Journal, run: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """Write down, once, that the task of a run is over; return the result with its ending."""
    whole = {"ending": "done", "reason": "", **result}
    with journal.writing() as writer:
        if not any(isinstance(entry.event, TaskOver) for entry in writer.read(run=run)):
            writer.append(TaskOver(result=whole), run=run)
    return whole
