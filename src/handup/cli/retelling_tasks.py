"""Entries of runs of recipes in plain words, one line each."""

from __future__ import annotations

from collections.abc import Callable

from handup.desk.record import name_of
from handup.executive import events as task
from handup.executive.events import opened
from handup.executive.ordering import Ordered
from handup.executive.watching import named, what_failed

Shorten = Callable[[str], str]


def tell_task(event: object, short: Shorten) -> str:  # noqa: PLR0911 - a table
    """What happened to a run of a recipe; empty where it is about something else.

    Args:
        event: Of the entry.
        short: Makes a text one short line.
    """
    event = opened(event)
    match event:
        case Ordered():
            where = f" in {short(event.world)}, seed {event.seed}" if event.world else ""
            return f"{short(event.name)} was ordered{where}"
        case task.Started():
            return f"the run began: {short(named(event.main))}"
        case task.Begun():
            again = f", attempt {event.attempt}" if event.attempt > 1 else ""
            return f"about to {short(named(event.action))}{again}{' (perhaps once more)' if event.again else ''}"
        case task.Acted():
            how = {"sensed": ", as the robot saw", "said": ", as a person said"}.get(str(event.known), "")
            return f"it {'worked' if event.ok else f'gave up: {short(event.code)}'}{how}"
        case task.Failed():
            return f"failure {event.number}: {short(what_failed(event.failure))}"
        case task.Recovering():
            return f"recovers with {short(event.recovery)}, use {event.use}"
        case task.Recovered(helped=False):
            return f"{short(event.recovery)} did not help"
        case task.Recovered():
            return f"goes on: {event.hint}{f' at {short(event.level)}' if event.level else ''}"
        case _:
            return _seldom(event, short)


def _seldom(event: object, short: Shorten) -> str:  # noqa: PLR0911 - a table
    match event:
        case task.Answered():
            return f"{short(name_of(event.by))} said: {short(event.said or 'words that were erased')}"
        case task.Asked():
            return f"asked people about {short(event.module)}" if event.module else "asked people how to go on"
        case task.Unanswered():
            return "nobody answered"
        case task.Raised():
            return f"{short(event.monitor)} interrupted: {short(event.code)}"
        case task.Believed():
            said = event.assertion
            return f"the {said.source} holds {short(said.key)} to be {short(str(said.value))}"
        case task.Said():
            return f"the recipe said: {short(event.message)}"
        case task.Resumed():
            return "another program goes on with it"
        case task.Void():
            return f"what was begun had no effect ({short(event.why)})"
        case task.Stopped() | task.Over():
            why = event.why if isinstance(event, task.Stopped) else event.reason
            return f"the run ended, {event.ending}: {short(why)}"
        case task.Reloaded():
            return "the files were read anew"
        case task.ReloadRefused():
            return "new files were wrong; the old ones hold"
        case _:
            return ""
