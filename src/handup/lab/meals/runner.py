"""Eats sittings in several processes. Each is kept as soon as it is over, so that a stopped run can go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from handup.core import BadSetting, HandupError
from handup.lab.meals.definition import Sitting
from handup.lab.meals.eating import eat, robot
from handup.lab.meals.rows import MealRow
from handup.lab.meals.store import KeptMeals
from handup.lab.study.pool import in_processes

Eaten = dict[Sitting, tuple[MealRow, ...]]


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Args:
        done: Meals that are there, those of earlier runs included.
        total: Meals of the study.
        note: Something to tell, where there is something.
    """

    done: int
    total: int
    note: str | None = None


Watcher = Callable[[Progress], None]


@dataclass(frozen=True)
class _Refusal:
    """An error that a person can do something about, as another process reports it."""

    cause: str
    hint: str


def run_sittings(
    sittings: Sequence[Sitting], kept: KeptMeals, *, jobs: int = 1, watch: Watcher = lambda _: None
) -> Eaten:
    """The meals of all sittings: those that are kept, and the others eaten and kept.

    Args:
        sittings: What to run; the answer keeps their order.
        kept: Where they are.
        jobs: Processes, each of which loads the networks once; with one, everything is done in this process.
        watch: Told after each sitting.

    Raises:
        BadSetting: A meal cannot be eaten; the message names it.
        KeyboardInterrupt: Stopped; what was eaten is kept.
    """
    found: Eaten = {}
    total = sum(len(each.orders) for each in sittings)

    def done(note: str | None = None) -> None:
        watch(Progress(sum(map(len, found.values())), total, note))

    for sitting in sittings:
        meals, note = kept.find(sitting)
        if meals is not None:
            found[sitting] = meals
        if note is not None:
            done(note)
    missing = [each for each in sittings if each not in found]
    done()
    work = _in_processes if jobs > 1 and len(missing) > 1 else _in_turn
    for sitting in work(missing, kept, min(jobs, len(missing))):
        meals, _ = kept.find(sitting)
        if meals is None:
            raise BadSetting(f"the rows of {_label(sitting)} are gone", hint="Leave the folder alone during a run.")
        found[sitting] = meals
        done()
    return {sitting: found[sitting] for sitting in sittings}


def _in_turn(sittings: Sequence[Sitting], kept: KeptMeals, jobs: int) -> Iterator[Sitting]:
    for sitting in sittings:
        _check(sitting, _eat(sitting, kept))
        yield sitting


def _in_processes(sittings: Sequence[Sitting], kept: KeptMeals, jobs: int) -> Iterator[Sitting]:
    for number, refusal in in_processes(partial(_eat, kept=kept), sittings, jobs):
        _check(sittings[number], refusal)
        yield sittings[number]


def _eat(sitting: Sitting, kept: KeptMeals) -> _Refusal | None:
    """One sitting, from its orders to its file."""
    try:
        kept.save(sitting, eat(sitting, robot()))
    except HandupError as error:
        return _Refusal(error.cause, error.hint)
    return None


def _check(sitting: Sitting, refusal: _Refusal | None) -> None:
    if refusal is not None:
        raise BadSetting(f"{_label(sitting)} cannot be eaten: {refusal.cause}", hint=refusal.hint)


def _label(sitting: Sitting) -> str:
    return f"the meals of participant {sitting.participant.number} with {sitting.arm.label}"
