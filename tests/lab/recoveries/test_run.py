"""The studies of recoveries from their definition to their folders, stopped on the way, and from the command."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from handup.core import BadRecord, BadSetting
from handup.domains.kitting.rates import rates_digest
from handup.domains.kitting.running import run_once
from handup.lab.recoveries import rows as making
from handup.lab.recoveries import rules, studies
from handup.lab.recoveries.definition import HARD, Shift, Size
from handup.lab.recoveries.rows import RunRow, do, kept_runs
from handup.lab.recoveries.run import Outcome, run_recoveries
from handup.lab.study.batches import Progress, run_batches
from tests.cli.calls import assert_one_line_error, here
from tests.lab.recoveries.made_up import FULL, ROW, SEED, TINY

SIZE = Size(runs=2)
NOW = datetime(2026, 11, 16, tzinfo=UTC)


def run(out: Path, **rest: Any) -> Outcome:
    return run_recoveries(TINY, SIZE, out, now=lambda: NOW, **rest)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One run that nobody stopped."""
    return run(tmp_path_factory.mktemp("whole"))


def test_the_folder_has_rows_figures_tables_and_a_report(whole: Outcome) -> None:
    names = {path.name for path in whole.folder.iterdir()}
    drawn = {f"tiny{part}.{kind}" for part in ("", "-minutes") for kind in ("svg", "png")}
    assert names == {"rows.csv", "study.json", "tables.md", "report.html", *drawn}
    with (whole.folder / "rows.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * 2
    assert {row["seed"] for row in rows} == {str(SEED), str(SEED + 1)}
    for column in ("config", "handup", "code", "rates", "numpy", "way", "day", "kits", "interventions", "ending"):
        assert all(row[column] != "" for row in rows), column
    page = whole.report.read_text(encoding="utf-8")
    assert "Tiny &lt;runs&gt;" in page
    assert "simulated" in page
    assert "<script" not in page
    record = json.loads((whole.folder / "study.json").read_text(encoding="utf-8"))
    assert set(record["measures"]["hard"]) == set(TINY.ways)
    assert record["versions"]["rates"] == rates_digest(), "which numbers of the world these are"


def test_a_row_is_what_the_run_was(whole: Outcome) -> None:
    row = whole.results.runs(FULL, "hard")[0]
    again = run_once(SEED, FULL, rates=HARD.rates)
    assert (row.kits, row.faults, row.recoveries) == (again.kits, again.measures.failures, again.recoveries)
    assert row.ended_s == pytest.approx(again.ended_s, abs=1e-3)


def test_a_run_without_rules_breaks_off_and_loses_the_rest_of_its_time(whole: Outcome) -> None:
    for row in whole.results.runs("none", "usual"):
        assert row.broke_off
        assert row.interventions == 1
        assert row.ended_s + row.lost_s == pytest.approx(2700.0, abs=0.01)
        assert (row.faults, row.unresolved) == (1, 1)


def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds that are run from now on."""
    seeds: list[int] = []
    real = run_once

    def counted(seed: int, *given: Any, **rest: Any) -> Any:
        seeds.append(seed)
        return real(seed, *given, **rest)

    monkeypatch.setattr(making, "run_once", counted)
    return seeds


def test_a_stopped_run_goes_on_where_it_was(whole: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = counting(monkeypatch)

    def stop(step: Progress) -> None:
        if step.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, watch=stop)
    assert len(seeds) == 2
    again = run(tmp_path)
    assert len(seeds) == 8
    for name in ("rows.csv", "tables.md", "tiny.svg", "tiny-minutes.svg", "report.html"):
        assert (again.folder / name).read_bytes() == (whole.folder / name).read_bytes(), name


def test_rows_of_other_code_are_made_again(whole: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shifts = tuple(TINY.shifts(SIZE))
    kept = kept_runs(tmp_path)
    for shift, rows in whole.results.done.items():
        kept.save(shift, rows)
    first, second = (kept.path(each) for each in shifts[:2])
    first.write_text(first.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    text = second.read_text(encoding="utf-8")
    second.write_text(text.replace(str(kept.stamp["code"]), "other code"), encoding="utf-8")
    seeds, notes = counting(monkeypatch), []
    found = run_batches(shifts, kept, do, watch=lambda step: notes.append(step.note))
    assert len(seeds) == 4
    assert found == dict(whole.results.done)
    assert any(note is not None and "damaged" in note for note in notes)
    assert second.with_suffix(".stale").exists()


def test_two_processes_make_the_same(whole: Outcome, tmp_path: Path) -> None:
    shifts = tuple(TINY.shifts(SIZE))
    assert run_batches(shifts, kept_runs(tmp_path), do, jobs=2) == dict(whole.results.done)


def test_a_row_goes_to_json_and_back() -> None:
    assert RunRow.from_json(json.loads(json.dumps(ROW.to_json()))) == ROW
    with pytest.raises(BadRecord, match="other fields"):
        RunRow.from_json({"seed": 1})


def test_wrong_sizes_and_studies_are_refused() -> None:
    for wrong in ({"runs": 1}, {"seed": -1}):
        with pytest.raises(BadSetting):
            Size(**wrong)
    with pytest.raises(BadSetting, match="no way of running"):
        _ = Shift(study="x", way="magic", day=HARD, first_seed=0, expected=1).config


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(studies, "RECOVERIES", TINY)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("tiny")
def test_the_command_runs_the_study_and_says_what_it_found() -> None:
    given = ("study", "run", "recoveries", "--episodes", "2", "--jobs", "1", "--out", "mine")
    called = here(*given)
    assert called.code == 0, called.err
    assert "Report: mine/tiny/report.html" in called.out
    assert "2 runs of each way on each day" in called.out
    (found,) = json.loads(here(*given, "--json").out)["studies"]
    assert (found["runs"], found["seed"], found["days"]) == (2, SEED, {"usual": 1.0, "hard": 3.0})


def test_the_rules_are_counted_drawn_and_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    called = here("study", "run", "recovery-rules", "--out", "mine")
    assert called.code == 0, called.err
    assert "all five were necessary" in called.out
    folder = tmp_path / "mine" / "recovery-rules"
    assert {path.name for path in folder.iterdir()} == {
        *("report.html", "study.json", "tables.md"),
        *("recovery-rules.svg", "recovery-rules.png"),
    }
    (found,) = json.loads(here("study", "run", "recovery-rules", "--out", "mine", "--json").out)["studies"]
    assert found["theirs"] == 18
    assert found["rules"]["rules"] == len(rules.shipped()) >= 18


def test_every_way_to_resume_and_every_factor_is_used_by_some_rule() -> None:
    for part in rules.parts():
        for entry, shares in part.shares.items():
            assert all(0.0 < share <= 1.0 for share in shares.values()), entry


def test_one_by_one_agrees_with_the_shares() -> None:
    listed = rules.one_by_one().rows
    hints = next(part for part in rules.parts() if part.name == "c")
    for hint, shares in hints.shares.items():
        counted = sum(hint in row[3].split(", ") for row in listed) / len(listed)
        assert next(iter(shares.values())) == pytest.approx(counted)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("recoveries", "--participants", "4"), ("takes no --participants",)),
        (("recoveries", "--episodes", "1"), ("1 runs",)),
        (("recovery-rules", "--seed", "4"), ("takes no --episodes or --seed",)),
    ],
)
def test_wrong_options_are_refused_in_one_line(given: tuple[str, ...], words: tuple[str, ...]) -> None:
    called = here("study", "run", *given)
    assert called.code == 2
    assert_one_line_error(called, *words)


def test_the_list_names_them() -> None:
    listed = {each["name"]: each for each in json.loads(here("study", "list", "--json").out)["studies"]}
    assert listed["recoveries"]["cells"] == 28
    assert listed["recovery-rules"]["figure"] == "Fig. 2.6"
