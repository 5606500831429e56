"""A run: kept batch by batch, resumed, never mixed with rows of other code or settings, written as a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handup.core import BadSetting, ContractViolation
from handup.lab.engine import Batch, Columns, Study, StudyProgress, here, processes, run_study, seed_option
from handup.lab.engine.runner import Workers
from handup.lab.engine.store import RowStore
from tests.lab.engine.made_up import make, study

ARMS = ("slow", "fast")
WHEN = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)


def counting(made: list[Batch], stop_after: int = 99) -> Workers:
    """Return workers that note what they make, and are stopped by the user after so many."""

    def work(study: Study, size: Any, batches: Any, numbers: Any) -> Iterator[tuple[int, Any]]:
        for number, columns in here(study, size, batches, numbers):
            if len(made) == stop_after:
                raise KeyboardInterrupt
            made.append(batches[number])
            yield number, columns

    return work


def refuse(batch: Batch) -> Columns:
    raise BadSetting("the robot is at lunch", hint="Wait.")


def fail(batch: Batch) -> Columns:
    raise RuntimeError("no")


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "rows" / "made-up").glob("*.json"))


def test_processes_make_the_same_files_as_this_process(tmp_path: Path) -> None:
    for name, workers in (("one", here), ("two", processes(2))):
        run_study(study(ARMS), out=tmp_path / name, workers=workers, now=lambda: WHEN)
    files = {path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()}
    assert len(files) > 10
    for path in files:
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes(), path


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    first: list[Batch] = []
    with pytest.raises(KeyboardInterrupt):
        run_study(study(ARMS), out=tmp_path, workers=counting(first, stop_after=2))
    assert len(kept(tmp_path)) == 2
    again: list[Batch] = []
    told: list[StudyProgress] = []
    run_study(study(ARMS), out=tmp_path, workers=counting(again), watch=told.append)
    assert len(again) == 4
    assert not set(first) & set(again)
    assert [step.done for step in told] == [8, 12, 16, 20, 24]
    assert told[-1].share == 1.0


def test_rows_of_other_code_are_set_aside_and_made_again(tmp_path: Path) -> None:
    run_study(study(ARMS), out=tmp_path)
    newer = replace(study(ARMS), make=_other)
    made: list[Batch] = []
    run_study(newer, out=tmp_path, workers=counting(made))
    assert len(made) == 6
    assert len(list((tmp_path / "rows" / "made-up").glob("*.stale"))) == 6
    run_study(newer, newer.size(seed=100), out=tmp_path)
    assert len(kept(tmp_path)) == 12, "a changed setting is another file"


def _other(batch: Batch) -> Columns:
    """Stand in another file than `made_up.make`, so that its digest is another."""
    return make(batch)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"speed": [', '"speed": [7, '),
        lambda text: text.replace("3333", "3334"),
        lambda text: "[]",
        lambda text: text.replace('"columns"', '"rows"'),
    ],
)
def test_a_damaged_file_is_put_aside_told_and_made_again(tmp_path: Path, spoil: Callable[[str], str]) -> None:
    run_study(study(ARMS), out=tmp_path)
    path = kept(tmp_path)[0]
    before = path.read_bytes()
    path.write_text(spoil(before.decode()), encoding="utf-8")
    notes: list[str | None] = []
    run_study(study(ARMS), out=tmp_path, watch=lambda step: notes.append(step.note))
    assert any(note is not None and f"{path.name} is damaged" in note for note in notes)
    assert path.with_suffix(".damaged").exists()
    assert path.read_bytes() == before


@pytest.mark.parametrize("workers", [here, processes(2)], ids=["here", "processes"])
def test_a_batch_that_cannot_be_made_is_named(tmp_path: Path, workers: Workers) -> None:
    with pytest.raises(BadSetting, match=r"units \d+ to \d+ of 'slow' cannot be made: the robot is at lunch"):
        run_study(replace(study(ARMS[:1], block=4), make=refuse), out=tmp_path, workers=workers)
    with pytest.raises(RuntimeError) as error:
        run_study(replace(study(ARMS[:1], block=4), make=fail), out=tmp_path, workers=workers)
    assert re.search(r"while making units \d+ to \d+ of 'slow'", "".join(getattr(error.value, "__notes__", ())))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"seed": [0]}, "must have columns of 4 rows, got 1"),
        ({"seed": np.arange(4)}, "ndarray is not JSON"),
        ([1, 2, 3, 4], "no attribute"),
        ({}, "must have columns of 4 rows, got"),
    ],
    ids=str,
)
def test_rows_that_are_none_are_refused_and_not_kept(tmp_path: Path, columns: Any, words: str) -> None:
    made_up = replace(study(ARMS), make=lambda batch: columns)
    with pytest.raises(ContractViolation, match=words):
        run_study(made_up, out=tmp_path)
    assert not list(tmp_path.glob("rows/*/*"))


def test_a_first_run_and_one_that_goes_on_have_the_same_rows(tmp_path: Path) -> None:
    made_up = replace(study(ARMS), make=lambda batch: {**make(batch), "pair": [(1, 2)] * batch.count})
    first, again = (run_study(made_up, out=tmp_path).results.made for _ in range(2))
    assert first == again


def test_options_without_a_count_and_a_seed_are_refused() -> None:
    with pytest.raises(BadSetting, match=r"options of 'made-up' must .* got \['seed'\]"):
        replace(study(ARMS), options=(seed_option(),))


def test_two_runs_in_one_folder_are_told_apart_and_leftovers_removed(tmp_path: Path) -> None:
    made_up = study(ARMS)
    store = RowStore(tmp_path, made_up.name, made_up.stamp())
    store.rows.mkdir(parents=True)
    (store.rows / ".half.tmp").write_text("{", encoding="utf-8")
    with store.lock(), pytest.raises(BadSetting, match="another run is at work"):
        run_study(made_up, out=tmp_path)
    assert not list(store.rows.glob(".*.tmp"))


def test_the_folder_has_record_rows_figure_and_report(tmp_path: Path) -> None:
    outcome = run_study(study(ARMS), out=tmp_path, now=lambda: WHEN)
    names = sorted(path.name for path in outcome.folder.iterdir())
    assert names == ["made-up.png", "made-up.svg", "report.html", "report.md", "rows.csv", "study.json"]
    record = json.loads((outcome.folder / "study.json").read_text(encoding="utf-8"))
    assert record["command"] == "handup study run made-up --runs 12 --seed 0"
    assert (record["evidence"], record["made_at"]) == ("simulated", "2026-11-18T12:00:00+00:00")
    assert set(record["measures"][""]) == set(ARMS)
    lines = (outcome.folder / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "config,study,arm,handup,code,seed,speed"
    assert len(lines) == 25
    page = (outcome.folder / "report.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "Who is fast?" in page
    assert "<script" not in page


def test_the_longest_is_made_first_and_rows_have_the_order_of_the_study(tmp_path: Path) -> None:
    made_up, made = study(ARMS, block=5), list[Batch]()
    outcome = run_study(made_up, out=tmp_path, workers=counting(made))
    assert [batch.count for batch in made] == sorted((batch.count for batch in made), reverse=True)
    assert list(outcome.results.made) == list(made_up.batches(made_up.size()))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"runs": 0}, "--runs must lie between 1 and 99, got 0"),
        ({"runs": 100}, "--runs must lie between 1 and 99, got 100"),
        ({"seed": -1}, "--seed must lie between .* got -1"),
        ({"episodes": 3}, "'made-up' takes no --episodes"),
    ],
)
def test_a_size_out_of_range_is_refused_and_a_quick_one_has_its_own_defaults(given: dict[str, Any], words: str) -> None:
    made_up = study(ARMS)
    with pytest.raises(BadSetting, match=words):
        made_up.size(**given)
    assert made_up.size(quick=True)["runs"] == 4
    assert made_up.command(made_up.size(quick=True, seed=3)) == "handup study run made-up --runs 4 --seed 3 --quick"
