"""Rehearsal of one recovery on a failure that a journal holds: nothing moves, and no other rule is used.

A machine is pure, so a run that was written down can be replayed up to the moment at which something failed, with its
variables, beliefs and counts as they were. From there the recovery runs with outcomes that the developer gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from handup.core import MissingSetting, ResumeHint, UnknownName
from handup.executive.action import Done, Outcome
from handup.executive.events import ActionEnded, Begun, Failed, Note, Recovered, Recovering
from handup.executive.failure import Failure
from handup.executive.machine import Machine, MachinePhase, Reload, RunAction
from handup.executive.machine.failures import climbed
from handup.executive.machine.program import path_matches
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery
from handup.executive.run import Logbook, Written, retold
from handup.executive.run_settings import RunSettings
from handup.executive.sources import Sources

if TYPE_CHECKING:
    from handup.journal import Journal

MOST_STEPS = 1000


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """Outcome of a rehearsal: what a recovery would do about a stored failure.

    Args:
        number: The failure's number in the run.
        failure: The failure.
        chosen: True if the recovery is meant for this failure.
        reason: Why it was not chosen or did not help; empty otherwise.
        steps: Actions that it starts, in order, with their inputs.
        hint: How the task goes on; None if it does not.
        level: Name of the task at which it goes on.
    """

    number: int
    failure: Failure
    chosen: bool
    reason: str = ""
    steps: tuple[RunAction, ...] = ()
    hint: ResumeHint | None = None
    level: str = ""


def rehearse(
    book: Journal,
    run: str,
    recovery: Recovery,
    *,
    failure: int | None = None,
    does: Mapping[str, Outcome] | None = None,
    program: tuple[Recipes, tuple[Recovery, ...]] | None = None,
) -> Rehearsal:
    """Try one recovery alone on a failure of a run that a journal holds.

    Args:
        book: The journal.
        run: The run's id.
        recovery: The recovery to try; no other rule is looked at.
        failure: The failure's number in the run, from 1; None for the last one.
        does: Outcomes of actions of the recovery, by name; all others succeed, without results.
        program: The recipes and recoveries of the run, if it was begun without files.

    Raises:
        UnknownName: The journal has no such run or failure.
        MissingSetting: It does not hold the files of the run, and no program was given.
    """
    written = Logbook(book, run).read()
    if written.started is None:
        raise UnknownName(f"run must be in this journal, got '{run}'", hint="Name a run of this journal.")
    if written.started.sources:
        program = Sources.from_json(written.started.sources).parsed()
    if program is None:
        raise MissingSetting(
            "the journal must hold the files of the run, got none", hint="Give its recipes and recoveries."
        )
    moments = _moments(written, program)
    if not moments or (failure is not None and failure not in moments):
        raise UnknownName(
            f"run '{run}' has no failure {'' if failure is None else failure}".rstrip(),
            hint=f"It has: {', '.join(map(str, moments)) or 'none'}.",
        )
    number = max(moments) if failure is None else failure
    moment = moments[number]
    machine = _until(moment, recovery, written, program)
    notes = machine.notes()
    if not any(isinstance(note, Recovering) and note.number == number for note in notes):
        return Rehearsal(number=number, failure=moment.failure, chosen=False, reason=_why_not(recovery, moment.failure))
    return _played(machine, recovery, Rehearsal(number=number, failure=moment.failure, chosen=True), notes, does or {})


class _Moment(NamedTuple):
    """Place in a run at which something failed.

    Args:
        place: Index of the event that brought the failure; -1 for the very beginning.
        ready: Index of the last event up to that one before which recoveries may be changed.
        failure: The failure.
    """

    place: int
    ready: int
    failure: Failure


def _moments(written: Written, program: tuple[Recipes, tuple[Recovery, ...]]) -> dict[int, _Moment]:
    """Replay all of a run, and return each failure by its number."""
    machine, ready = _machine(written, *program), 0
    moments: dict[int, _Moment] = {}
    for place in range(-1, len(written.told)):
        if place >= 0:
            # A machine takes no other rules while an action is under way, so they are changed before it began.
            ready = ready if machine.phase is MachinePhase.ACTING else place
            machine.tell(retold(written.told[place]))
        for note in machine.notes():
            if isinstance(note, Failed):
                moments[note.number] = _Moment(place, ready, note.failure)
    return moments


def _until(
    moment: _Moment, recovery: Recovery, written: Written, program: tuple[Recipes, tuple[Recovery, ...]]
) -> Machine:
    """Return a machine at that moment that knows only one recovery from the last safe event on."""
    recipes, recoveries = program
    machine = _machine(written, recipes, (recovery,) if moment.place < 0 else recoveries)
    for place, event in enumerate(written.told[: moment.place + 1]):
        if place == moment.ready:
            machine.tell(Reload(recipes=machine.program.recipes, recoveries=(recovery,)))
            machine.notes()
        machine.tell(retold(event))
    return machine


def _machine(written: Written, recipes: Recipes, recoveries: tuple[Recovery, ...]) -> Machine:
    started = written.started
    assert started is not None
    return Machine(recipes, recoveries, RunSettings.from_json(started.settings), started.params, task=started.main)


def _played(
    machine: Machine, recovery: Recovery, begun: Rehearsal, notes: list[Note], does: Mapping[str, Outcome]
) -> Rehearsal:
    """Go on until the recovery has helped or failed, or has taken too many steps."""
    steps: list[RunAction] = []
    while True:
        for note in notes:
            if isinstance(note, Recovered) and note.number == begun.number:
                if note.helped:
                    return replace(begun, steps=tuple(steps), hint=note.hint, level=note.level)
                why = f"'{recovery.name}' did not help: a step of it failed, or no branch was for this case."
                return replace(begun, reason=why, steps=tuple(steps))
        command = machine.next()
        if not isinstance(command, RunAction) or len(steps) >= MOST_STEPS:
            return replace(begun, reason="It did not come to an end.", steps=tuple(steps))
        steps.append(command)
        at_s = begun.failure.at_s
        # No time passes in a rehearsal.
        machine.tell(Begun(number=command.number, action=command.action, path=command.path, at_s=at_s))
        machine.tell(ActionEnded.by_outcome(command.number, does.get(command.action, Done()), at_s))
        notes = machine.notes()


def _why_not(recovery: Recovery, failure: Failure) -> str:
    """Return the first reason why its `when` does not fit the failure."""
    when = recovery.when
    seen = [climbed(failure, levels) for levels in range(len(failure.levels), 0, -1)]
    near = next((view for view in seen if path_matches(when.path, view.path)), None)
    if near is None:
        return f"It is for {when.path}, and {failure.path} failed."
    aborts = near.levels[-1].aborts
    if when.codes and near.code not in when.codes:
        return f"It is for {', '.join(when.codes)}, and the code is {near.code}."
    if aborts < when.least or (when.most is not None and aborts > when.most):
        return f"It is for aborts {when.least}..{'' if when.most is None else when.most}, and this is abort {aborts}."
    if when.contradiction is not None and when.contradiction not in near.contradictions:
        return f"Script and monitor do not disagree on {when.contradiction}."
    return "Its condition does not hold for this failure."
