"""Runs that were begun on a store, by whatever command: written down before anything moves, for whoever goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from handup.core import event
from handup.executive.events import Over, Started
from handup.journal import Journal
from handup.journal.writer import Writer

RUN = "runs"
"""Name of the run under which a journal keeps the orders of all runs. A robot that works claims it."""


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


@dataclass(frozen=True, kw_only=True)
class OrderedRun:
    """A run that was ordered, and how far it has come.

    Args:
        order: The order, with the run's name.
        mark: Hash of the order's entry, which no other run has on any store.
        begun: The first event with which it began; None before that.
        over: The last event with which it ended; None while it goes on, or where it was cut off.
    """

    order: Ordered
    mark: str
    begun: Started | TaskStarted | None
    over: Over | TaskOver | None


def orders(log: Journal | Writer) -> list[Ordered]:
    """Return the orders of all runs of a store, recipes and tasks, oldest first."""
    return [entry.event for entry in log.read(run=RUN) if isinstance(entry.event, Ordered)]


def next_name(log: Journal | Writer, prefix: str) -> str:
    """Return the name of the next run, under which nothing is written yet.

    Args:
        log: The transaction that writes its order.
        prefix: Beginning of the name, before its number.
    """
    names = {order.name for order in orders(log)}
    first = 1 + sum(name.startswith(f"{prefix}-") for name in names)
    numbered = (f"{prefix}-{number}" for number in count(first))
    return next(name for name in numbered if name not in names and not any(log.read(run=name, limit=1)))


def find_run(log: Journal | Writer, name: str) -> OrderedRun | None:
    """Return the run of a name; None where none was ordered under it."""
    for entry in log.read(run=RUN):
        if isinstance(entry.event, Ordered) and entry.event.name == name:
            own = [written.event for written in log.read(run=name)]
            begun = next((event for event in own if isinstance(event, Started | TaskStarted)), None)
            over = next((event for event in reversed(own) if isinstance(event, Over | TaskOver)), None)
            return OrderedRun(order=entry.event, mark=entry.hash, begun=begun, over=over)
    return None


def latest_run(log: Journal | Writer, wanted: Callable[[Ordered], bool] = lambda order: True) -> OrderedRun | None:
    """Return the run that was begun last; None where there is none. It goes on unless it is over.

    Args:
        log: The journal, or a transaction.
        wanted: Whether a run of this order counts.
    """
    for order in filter(wanted, reversed(orders(log))):
        run = find_run(log, order.name)
        if run is not None and run.begun is not None:
            return run
    return None


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
