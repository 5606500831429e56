"""Runs cells in several processes. Each is kept as soon as it is done, so that a stopped run can go on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from handup.core import BadSetting, HandupError
from handup.lab.cell import Cell
from handup.lab.episodes import Episodes
from handup.lab.study.code import is_ours
from handup.lab.study.pool import in_processes
from handup.lab.study.store import Store

Simulator = Callable[[Cell], Episodes]
"""Must be found by its name in a module, so that other processes find it too."""
EFFORT = {"mip": 1.8, "troubleshoot": 0.5, "hybrid": 0.08}
"""About so many milliseconds per module and episode; for the order and the estimate of the time left only."""
LITTLE_EFFORT = 0.005


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Args:
        done: Cells that are there, those of earlier runs included.
        total: Cells of the study.
        share: How much of the work is done, 0 to 1.
        note: Something to tell, where there is something.
    """

    done: int
    total: int
    share: float
    note: str | None = None


Watcher = Callable[[Progress], None]


@dataclass(frozen=True)
class _Refusal:
    """An error that a person can do something about, as another process reports it."""

    cause: str
    hint: str


def run_cells(
    cells: Sequence[Cell], store: Store, simulator: Simulator, *, jobs: int = 1, watch: Watcher = lambda _: None
) -> dict[Cell, Episodes]:
    """The episodes of all cells: those that the store has, and the others simulated and put there.

    Args:
        cells: What to run; the answer keeps their order.
        store: Held under its `lock` by the caller.
        simulator: Gives the episodes of a cell.
        jobs: Processes; with one, everything is done in this process.
        watch: Told after each cell.

    Raises:
        BadSetting: A cell cannot be simulated; the message names it.
        KeyboardInterrupt: Stopped; what was done is kept.
    """
    found: dict[Cell, Episodes] = {}
    for cell in cells:
        episodes, note = store.find(cell) if is_ours(cell) else (None, None)
        if episodes is not None:
            found[cell] = episodes
        if note is not None:
            watch(_progress(found, cells, note))
    missing = sorted((cell for cell in cells if cell not in found), key=effort, reverse=True)
    watch(_progress(found, cells))
    simulate = _in_processes if jobs > 1 and len(missing) > 1 else _in_turn
    for cell in simulate(missing, store, simulator, min(jobs, len(missing))):
        episodes, _ = store.find(cell)
        if episodes is None:
            raise BadSetting(f"the rows of {cell_label(cell)} are gone", hint="Leave the folder alone during a run.")
        found[cell] = episodes
        watch(_progress(found, cells))
    return {cell: found[cell] for cell in cells}


def effort(cell: Cell) -> float:
    """About how long a cell takes, in milliseconds of some machine."""
    return cell.episodes * cell.modules * EFFORT.get(cell.method.partition("+")[0], LITTLE_EFFORT)


def cell_label(cell: Cell) -> str:
    """A cell in the words of `handup study cell --set`: what differs from the defaults."""
    usual = Cell().to_json()
    changed = (f"{key}={_text(value)}" for key, value in cell.to_json().items() if value != usual[key])
    return " ".join(("cell", *changed))


def _text(value: object) -> str:
    return ",".join(f"{each:g}" for each in value) if isinstance(value, list) else str(value)


def _progress(found: Collection[Cell], cells: Sequence[Cell], note: str | None = None) -> Progress:
    total = sum(effort(cell) for cell in cells)
    return Progress(len(found), len(cells), sum(effort(cell) for cell in found) / total if total else 1.0, note)


def _in_turn(cells: Sequence[Cell], store: Store, simulator: Simulator, jobs: int) -> Iterator[Cell]:
    for cell in cells:
        _check(cell, _simulate(cell, store, simulator))
        yield cell


def _in_processes(cells: Sequence[Cell], store: Store, simulator: Simulator, jobs: int) -> Iterator[Cell]:
    """Cells as they get done."""
    work = partial(_simulate, store=store, simulator=simulator)
    for number, refusal in in_processes(work, cells, jobs):
        _check(cells[number], refusal)
        yield cells[number]


def _simulate(cell: Cell, store: Store, simulator: Simulator) -> _Refusal | None:
    """One cell, from its settings to its file."""
    try:
        with _Named(cell):
            store.save(cell, simulator(cell))
    except HandupError as error:
        return _Refusal(error.cause, error.hint)
    return None


def _check(cell: Cell, refusal: _Refusal | None) -> None:
    if refusal is not None:
        raise BadSetting(f"{cell_label(cell)} cannot be simulated: {refusal.cause}", hint=refusal.hint)


@dataclass(frozen=True)
class _Named:
    """Errors on the way say which cell it was."""

    cell: Cell

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            error.add_note(f"while simulating {cell_label(self.cell)}")
