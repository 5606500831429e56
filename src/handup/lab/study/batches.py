"""Does batches in several processes. Each is kept as soon as it is over, so that a stopped run can go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from handup.core import BadSetting, HandupError
from handup.lab.study.keeping import Batch, Kept, Row
from handup.lab.study.pool import in_processes

B = TypeVar("B", bound=Batch)
R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Args:
        done: Rows that are there, those of earlier runs included.
        total: Rows of the study.
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


def run_batches(
    batches: Sequence[B],
    kept: Kept[R],
    work: Callable[[B], tuple[R, ...]],
    *,
    jobs: int = 1,
    watch: Watcher = lambda _: None,
) -> dict[B, tuple[R, ...]]:
    """The rows of all batches: those that are kept, and the others made and kept.

    Args:
        batches: What to run; the answer keeps their order.
        kept: Where they are.
        work: Makes the rows of one; found by its name in a module, so that other processes find it too.
        jobs: Processes; with one, everything is done in this process.
        watch: Told after each batch.

    Raises:
        BadSetting: A batch cannot be done; the message names it.
        KeyboardInterrupt: Stopped; what was done is kept.
    """
    found: dict[B, tuple[R, ...]] = {}
    total = sum(each.expected for each in batches)

    def done(note: str | None = None) -> None:
        watch(Progress(sum(map(len, found.values())), total, note))

    for batch in batches:
        rows, note = kept.find(batch)
        if rows is not None:
            found[batch] = rows
        if note is not None:
            done(note)
    missing = [each for each in batches if each not in found]
    done()
    in_turn = jobs == 1 or len(missing) <= 1
    todo = partial(_do, kept=kept, work=work)
    for batch in _in_turn(missing, todo) if in_turn else _in_processes(missing, todo, min(jobs, len(missing))):
        rows, _ = kept.find(batch)
        if rows is None:
            raise BadSetting(f"the rows of {batch.label} are gone", hint="Leave the folder alone during a run.")
        found[batch] = rows
        done()
    return {batch: found[batch] for batch in batches}


def _in_turn(batches: Sequence[B], todo: Callable[[B], _Refusal | None]) -> Iterator[B]:
    for batch in batches:
        _check(batch, todo(batch))
        yield batch


def _in_processes(batches: Sequence[B], todo: Callable[[B], _Refusal | None], jobs: int) -> Iterator[B]:
    for number, refusal in in_processes(todo, batches, jobs):
        _check(batches[number], refusal)
        yield batches[number]


def _do(batch: B, kept: Kept[R], work: Callable[[B], tuple[R, ...]]) -> _Refusal | None:
    """One batch, from its settings to its file."""
    try:
        kept.save(batch, work(batch))
    except HandupError as error:
        return _Refusal(error.cause, error.hint)
    return None


def _check(batch: Batch, refusal: _Refusal | None) -> None:
    if refusal is not None:
        raise BadSetting(f"{batch.label} cannot be made: {refusal.cause}", hint=refusal.hint)
