"""Processes, interruptions and errors: the rows are the same whatever happened on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from handup.core import BadSetting, ProcessLost
from handup.lab.cell import Cell
from handup.lab.episodes import Episodes
from handup.lab.study.code import is_ours
from handup.lab.study.runner import Progress, cell_label, effort, run_cells
from handup.lab.study.store import Store
from tests.lab.study import fakes

ROOT = Path(__file__).parents[3]
CELLS = fakes.TINY.cells(episodes=5)
SCRIPT = """
from pathlib import Path
from handup.lab.study.runner import run_cells
from handup.lab.study.store import Store
from tests.lab.study import fakes

if __name__ == "__main__":
    store = Store(Path({folder!r}))
    with store.lock():
        run_cells(fakes.TINY.cells(episodes=5), store, fakes.stuck, jobs=2)
"""


def rows(folder: Path, *, jobs: int = 1) -> bytes:
    """All rows of the tiny study, after running what the folder lacks."""
    store = Store(folder)
    with store.lock():
        run_cells(CELLS, store, fakes.marking, jobs=jobs)
        store.write_rows(folder / "rows.csv", CELLS)
    return (folder / "rows.csv").read_bytes()


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], set[str]]:
    """What was simulated since the last time of asking."""
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv(fakes.MARKS, str(folder))

    def taken() -> set[str]:
        found = set()
        for mark in folder.iterdir():
            found.add(mark.name)
            mark.unlink()
        return found

    return taken


def until(happened: Callable[[], bool]) -> None:
    """Wait for another process; no result depends on how long."""
    deadline = time.monotonic() + 60.0
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.usefixtures("marks")
def test_one_and_two_processes_give_the_same_rows(tmp_path: Path) -> None:
    assert rows(tmp_path / "one", jobs=1) == rows(tmp_path / "two", jobs=2)


def test_what_is_there_is_not_run_again(tmp_path: Path, marks: Callable[[], set[str]]) -> None:
    first = rows(tmp_path / "out")
    assert len(marks()) == len(CELLS)
    assert rows(tmp_path / "out") == first
    assert marks() == set()


def test_a_damaged_cell_alone_is_run_again_and_it_is_said(tmp_path: Path, marks: Callable[[], set[str]]) -> None:
    first = rows(tmp_path / "out")
    marks()
    store = Store(tmp_path / "out")
    path = store.path(CELLS[3])
    path.write_bytes(path.read_bytes()[:-10])
    told: list[Progress] = []
    with store.lock():
        run_cells(CELLS, store, fakes.marking, watch=told.append)
    assert marks() == {CELLS[3].config}
    assert [step.note for step in told if step.note is not None and path.name in step.note]
    assert rows(tmp_path / "out") == first


def test_a_changed_setting_runs_everything_anew(tmp_path: Path, marks: Callable[[], set[str]]) -> None:
    rows(tmp_path / "out")
    marks()
    others = fakes.TINY.cells(episodes=5, seed=1)
    store = Store(tmp_path / "out")
    run_cells(others, store, fakes.marking)
    assert marks() == {cell.config for cell in others}
    assert not marks() & {cell.config for cell in CELLS}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes the way Linux shows them")
def test_a_killed_run_goes_on_to_the_same_rows(tmp_path: Path, marks: Callable[[], set[str]]) -> None:
    out, folder = tmp_path / "out", tmp_path / "marks"
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(folder=str(out)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    process = subprocess.Popen([sys.executable, str(script)], env=environment)
    try:
        until(lambda: process.poll() is not None or len(list((out / "cells").glob("*.csv"))) >= fakes.STUCK_AFTER)
        assert process.poll() is None, "it is stuck, not done"
        workers = {int(mark.read_text()) for mark in folder.iterdir()}
    finally:
        process.kill()
        process.wait()
    until(lambda: not any(is_running(pid) for pid in workers))
    kept = marks()
    assert len(CELLS) > len(kept) >= fakes.STUCK_AFTER
    finished = {path.stem for path in (out / "cells").glob("*.csv")}
    assert finished <= kept
    after = rows(out)
    assert marks() == {cell.config for cell in CELLS} - finished
    assert after == rows(tmp_path / "whole")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_mistake_names_the_cell_and_keeps_the_others(tmp_path: Path, jobs: int) -> None:
    with pytest.raises(ZeroDivisionError) as error:
        run_cells(CELLS, Store(tmp_path), fakes.broken, jobs=jobs)
    assert any("method=troubleshoot" in note for note in error.value.__notes__)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_cell_that_cannot_be_simulated_is_named(tmp_path: Path, jobs: int) -> None:
    with pytest.raises(BadSetting, match=r"method=troubleshoot.*too large") as refused:
        run_cells(CELLS, Store(tmp_path), fakes.refusing, jobs=jobs)
    assert "Take a smaller one." in str(refused.value)


def test_progress_is_told_after_each_cell(tmp_path: Path) -> None:
    told: list[Progress] = []
    run_cells(CELLS, Store(tmp_path), fakes.simulate, watch=told.append)
    assert [step.done for step in told] == list(range(len(CELLS) + 1))
    shares = [step.share for step in told]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)


def test_longer_cells_are_thought_to_take_longer() -> None:
    assert effort(Cell(method="troubleshoot")) > effort(Cell()) < effort(Cell(modules=100))


def test_a_cell_is_called_by_what_differs() -> None:
    cell = Cell(confidences=(0.9, 0.2), method="troubleshoot", lambda_=None)
    assert cell_label(cell) == "cell confidences=0.9,0.2 method=troubleshoot"


def test_an_interrupt_in_this_process_keeps_what_is_done(tmp_path: Path) -> None:
    def interrupting(cell: Cell) -> Episodes:
        if len(list((tmp_path / "cells").glob("*.csv"))) == 3:
            signal.raise_signal(signal.SIGINT)
        return fakes.simulate(cell)

    with pytest.raises(KeyboardInterrupt):
        run_cells(CELLS, Store(tmp_path), interrupting)
    assert len(list((tmp_path / "cells").glob("*.csv"))) == 3


def test_a_process_that_the_system_ends_is_reported_and_what_was_done_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.lock():
        run_cells(CELLS[:1], store, fakes.simulate)
        with pytest.raises(ProcessLost, match="ended from outside"):
            run_cells(CELLS, store, fakes.ended, jobs=2)
    assert store.find(CELLS[0])[0] is not None


def test_rows_of_somebodys_own_method_are_always_made_anew(
    tmp_path: Path, marks: Callable[[], set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(tmp_path)
    assert len(marks()) == len(CELLS)
    monkeypatch.setattr("handup.lab.study.runner.is_ours", lambda cell: cell != CELLS[0])
    rows(tmp_path)
    assert marks() == {CELLS[0].config}
    assert is_ours(CELLS[0])
