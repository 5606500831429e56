"""Which runs were begun on a store, and on what terms: written down before anything moves, for whoever goes on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from handup.core import event
from handup.core.journal import LogEntry
from handup.executive.events import Over, Started

if TYPE_CHECKING:
    from handup.journal import Journal

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


@dataclass(frozen=True, kw_only=True)
class Last:
    """The run that was begun last.

    Args:
        ordered: On what terms.
        started: What it began with.
        over: How it ended; None while it is under way, or was cut off.
    """

    ordered: Ordered
    started: Started
    over: Over | None


def last_run(journal: Journal) -> Last | None:
    """The run that was begun last on a store; None where there is none. One that was killed before it began is none."""
    for ordered in reversed(_orders(journal.read(run=RUN))):
        events = [entry.event for entry in journal.read(run=ordered.name)]
        started = next((each for each in events if isinstance(each, Started)), None)
        if started is not None:
            over = next((each for each in reversed(events) if isinstance(each, Over)), None)
            return Last(ordered=ordered, started=started, over=over)
    return None


def next_run(journal: Journal, *, world: str, seed: int, drills: bool, people: str) -> Ordered:
    """A new run, with a name of its own, written down."""
    with journal.writing() as pen:
        number = len(_orders(pen.read(0, run=RUN))) + 1
        ordered = Ordered(name=f"run-{number}", world=world, seed=seed, drills=drills, people=people)
        pen.append(ordered, run=RUN)
    return ordered


def _orders(entries: Iterable[LogEntry]) -> list[Ordered]:
    return [entry.event for entry in entries if isinstance(entry.event, Ordered)]
