"""One recovery, tried alone on a failure that a journal holds: nothing moves, and the rest of the rules stay away.

A machine is pure, so a run that was written down can be told again up to the moment at which something failed, with its
variables, beliefs and counts as they were. From there the recovery runs with outcomes that the developer gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from handup.core import BadSetting, ResumeHint
from handup.executive.action import Done, Outcome
from handup.executive.events import Acted, Begun, Failed, Note, Recovered, Recovering, Reloaded, Told
from handup.executive.failure import Failure
from handup.executive.machine import Machine, Phase, Reload, RunAction
from handup.executive.machine.failures import climbed
from handup.executive.machine.program import path_matches
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery
from handup.executive.run import Logbook, Written
from handup.executive.settings import Settings
from handup.executive.sources import Sources

if TYPE_CHECKING:
    from handup.journal import Journal

MOST_STEPS = 1000


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """What a recovery would do about a stored failure.

    Args:
        number: The failure's number in the run.
        failure: The failure.
        chosen: Whether the recovery is for it.
        reason: Where it is not, or did not help: why.
        steps: The actions that it starts, in order, with their inputs.
        hint: How the task goes on; None where it does not.
        level: At which task.
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
        recovery: What to try; no other rule is looked at.
        failure: The failure's number in the run, from 1; the last one where not given.
        does: How actions of the recovery end, by name; the others are done, without results.
        program: The recipes and recoveries that the run had, where it was begun without files.

    Raises:
        BadSetting: The journal has no such run or failure, or not its files.
    """
    written = Logbook(book, run).read()
    if written.started is None:
        raise BadSetting(f"there is no run '{run}'", hint="Name a run of this journal.")
    told = _Told(written, program)
    found = told.failures()
    if not found or (failure is not None and failure not in found):
        raise BadSetting(
            f"run '{run}' has no failure {'' if failure is None else failure}".rstrip(),
            hint=f"It has: {', '.join(map(str, found)) or 'none'}.",
        )
    number = max(found) if failure is None else failure
    event, stored = found[number]
    machine = told.until(event, recovery)
    notes = machine.notes()
    if not any(isinstance(note, Recovering) and note.number == number for note in notes):
        return Rehearsal(number=number, failure=stored, chosen=False, reason=_why_not(recovery, stored))
    return _played(machine, recovery, stored, number, notes, does or {})


class _Told:
    """What a machine was told in a run, to be told again."""

    def __init__(self, written: Written, program: tuple[Recipes, tuple[Recovery, ...]] | None) -> None:
        assert written.started is not None
        self._started = written.started
        self._events = written.told
        if written.started.sources:
            program = Sources.from_json(written.started.sources).parsed()
        if program is None:
            raise BadSetting("the journal does not have the run's files", hint="Give its recipes and recoveries.")
        self._recipes, self._recoveries = program

    def failures(self) -> dict[int, tuple[int, Failure]]:
        """Each failure by its number, with the place of the event that brought it; -1 for the very beginning."""
        machine = self._machine(self._recoveries)
        found = {each.number: (-1, each.failure) for each in machine.notes() if isinstance(each, Failed)}
        for place, event in enumerate(self._events):
            self._tell(machine, event)
            found |= {each.number: (place, each.failure) for each in machine.notes() if isinstance(each, Failed)}
        return found

    def until(self, place: int, recovery: Recovery) -> Machine:
        """A machine that has just been told the event, and knows but one recovery from the step before on."""
        if place < 0:
            return self._machine((recovery,))
        last = self._last_ready(place)
        machine = self._machine(self._recoveries)
        for number, event in enumerate(self._events[: place + 1]):
            if number == last:
                machine.tell(Reload(recipes=machine.program.recipes, recoveries=(recovery,)))
                machine.notes()
            self._tell(machine, event)
        return machine

    def _last_ready(self, place: int) -> int:
        """The last event up to this one before which recoveries may be changed."""
        machine, last = self._machine(self._recoveries), 0
        for number, event in enumerate(self._events[: place + 1]):
            if machine.phase in (Phase.READY, Phase.ASKING, Phase.LOOKING):
                last = number
            self._tell(machine, event)
        return last

    def _machine(self, recoveries: Sequence[Recovery]) -> Machine:
        settings = Settings.from_json(self._started.settings)
        return Machine(self._recipes, recoveries, settings, self._started.params, task=self._started.main)

    def _tell(self, machine: Machine, event: Told | Reloaded) -> None:
        if isinstance(event, Reloaded):
            recipes, recoveries = Sources.from_json(event.sources).parsed()
            machine.tell(Reload(recipes=recipes, recoveries=recoveries))
        else:
            machine.tell(event)


def _played(
    machine: Machine,
    recovery: Recovery,
    failure: Failure,
    number: int,
    notes: list[Note],
    does: Mapping[str, Outcome],
) -> Rehearsal:
    """Go on until the recovery is through."""
    steps: list[RunAction] = []
    while True:
        for note in notes:
            if isinstance(note, Recovered) and note.number == number:
                if not note.helped:
                    why = f"'{recovery.name}' did not help: a step of it failed, or no branch was for this case."
                    return Rehearsal(number=number, failure=failure, chosen=True, reason=why, steps=tuple(steps))
                return Rehearsal(
                    number=number, failure=failure, chosen=True, steps=tuple(steps), hint=note.hint, level=note.level
                )
        command = machine.next()
        if not isinstance(command, RunAction) or len(steps) >= MOST_STEPS:
            return Rehearsal(
                number=number, failure=failure, chosen=True, reason="It came to no end.", steps=tuple(steps)
            )
        steps.append(command)
        machine.tell(Begun(number=command.number, action=command.action, path=command.path, at_s=failure.at_s))
        machine.tell(Acted.by_outcome(command.number, does.get(command.action, Done()), failure.at_s))
        notes = machine.notes()


def _why_not(recovery: Recovery, failure: Failure) -> str:
    """The first thing in its `when` that does not fit."""
    when = recovery.when
    seen = [climbed(failure, levels) for levels in range(len(failure.levels), 0, -1)]
    near = next((each for each in seen if path_matches(when.path, each.path)), None)
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
