"""Rows on disk: the same numbers back, whole files only, nothing mixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handup.core import BadSetting
from handup.lab.cell import Cell
from handup.lab.episodes import METRICS
from handup.lab.files import replaced, write_whole
from handup.lab.study.store import COLUMNS, Store
from tests.lab.study.fakes import simulate

CELL = Cell(modules=4, episodes=6, beta=0.3)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path)
    store.save(CELL, simulate(CELL))
    return store


def test_rows_come_back_number_for_number(store: Store) -> None:
    saved, found = simulate(CELL), store.load(CELL)
    assert found is not None
    for metric in METRICS:
        assert np.array_equal(saved.metric(metric), found.metric(metric))
    for name in ("recovered", "questions", "executions"):
        assert np.array_equal(getattr(saved, name), getattr(found, name))
        assert getattr(saved, name).dtype == getattr(found, name).dtype


def test_rows_carry_config_seed_and_versions(store: Store) -> None:
    header, *rows = store.path(CELL).read_text().splitlines()
    assert tuple(header.split(",")) == COLUMNS
    assert len(rows) == 6
    for row in rows:
        assert row.startswith(f"{CELL.config},{CELL.seed},{store.handup},{store.code},{store.numpy},")


def test_a_cell_that_was_not_run_is_not_found(store: Store) -> None:
    assert store.find(replace(CELL, w=0.6)) == (None, None)


@pytest.mark.parametrize(
    "change",
    [{"seed": 1}, {"episodes": 7}, {"method": "never+workload-aware"}, {"epsilon": 0.7}, {"expert": 0.9}, {"low": 2}],
    ids=str,
)
def test_another_setting_is_another_file(store: Store, change: dict[str, Any]) -> None:
    assert store.path(replace(CELL, **change)) != store.path(CELL)


def second(text: str, change: Callable[[str], str]) -> str:
    """The text with its second line, the first row, changed."""
    first, row, rest = text.split("\n", 2)
    return "\n".join((first, change(row), rest))


def with_column(number: int, value: str) -> Callable[[str], str]:
    return lambda row: ",".join(value if place == number else each for place, each in enumerate(row.split(",")))


DAMAGE: dict[str, Callable[[str], str]] = {
    "empty": lambda text: "",
    "cut in a number": lambda text: text[:-3],
    "cut after a row": lambda text: text.rstrip("\n").rpartition("\n")[0] + "\n",
    "a row too many": lambda text: text + text.splitlines()[-1] + "\n",
    "other columns": lambda text: text.replace("task_cost", "cost_task"),
    "of another cell": lambda text: text.replace(CELL.config, "0" * 16),
    "of another seed": lambda text: text.replace(f"{CELL.config},0,", f"{CELL.config},1,"),
    "no number": lambda text: second(text, with_column(9, "zero")),
    "not finite": lambda text: second(text, with_column(9, "nan")),
    "a column short": lambda text: second(text, lambda row: row.rpartition(",")[0]),
    "does not add up": lambda text: second(text, with_column(11, "77")),
    "no text": lambda text: "\x00\xff" + text,
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_file_is_set_aside_with_a_message(store: Store, how: str) -> None:
    path = store.path(CELL)
    path.write_text(DAMAGE[how](path.read_text()), encoding="latin-1")
    found, note = store.find(CELL)
    assert found is None
    assert note is not None
    assert path.name in note
    assert not path.exists()
    assert path.with_suffix(".damaged").exists()


@pytest.mark.parametrize("part", ["handup", "code", "numpy"])
def test_rows_of_another_version_are_set_aside_quietly(store: Store, part: str) -> None:
    versions = {"handup": store.handup, "code": store.code, "numpy": store.numpy, part: "99.0"}
    newer = Store(store.folder, **versions)
    assert newer.find(CELL) == (None, None)
    assert store.path(CELL).with_suffix(".stale").exists()
    assert not store.path(CELL).exists()


def test_a_file_is_replaced_in_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.txt"
    write_whole(path, "before")
    with pytest.raises(ZeroDivisionError), replaced(path) as file:
        file.write(b"half of it")
        raise ZeroDivisionError
    assert path.read_text() == "before"
    assert [each.name for each in path.parent.iterdir()] == ["a.txt"]


def test_all_rows_together_keep_the_order_of_the_cells(store: Store) -> None:
    other = replace(CELL, seed=2)
    store.save(other, simulate(other))
    store.write_rows(store.folder / "rows.csv", (other, CELL))
    header, *rows = (store.folder / "rows.csv").read_text().splitlines()
    assert tuple(header.split(",")) == COLUMNS
    assert [row.split(",")[0] for row in rows] == [other.config] * 6 + [CELL.config] * 6


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with Store(tmp_path).lock(), pytest.raises(BadSetting, match="another run is at work"), Store(tmp_path).lock():
        pass
    with Store(tmp_path).lock():
        pass


def test_what_a_killed_run_left_half_written_is_cleared(store: Store) -> None:
    left = store.cells / f".{CELL.config}.csv.123.tmp"
    left.write_text("half")
    with store.lock():
        assert not left.exists()
    assert store.path(CELL).exists()
