"""A study of meals from its definition to its folder, stopped on its way, and from the command."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from handup.core import MissingExtra
from handup.desk import SkippingClock
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.order import Order
from handup.journal import Journal
from handup.lab.meals import eating, studies
from handup.lab.meals.definition import Sitting, Size
from handup.lab.meals.eating import Robot, made_with, robot
from handup.lab.meals.rows import MealRow
from handup.lab.meals.run import Outcome, run_meals
from handup.lab.meals.runner import run_sittings
from handup.lab.meals.store import kept_meals
from handup.lab.study import code
from handup.lab.study.batches import Progress
from tests.cli.calls import assert_one_line_error, here
from tests.lab.meals.made_up import SEED, TINY

SIZE = Size(participants=2)
NOW = datetime(2026, 11, 16, tzinfo=UTC)


def run(out: Path, **rest: Any) -> Outcome:
    return run_meals(TINY, SIZE, out, now=lambda: NOW, **rest)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One run that nobody stopped."""
    return run(tmp_path_factory.mktemp("whole"))


def counting(monkeypatch: pytest.MonkeyPatch) -> list[Sitting]:
    """The sittings that are eaten from now on."""
    eaten: list[Sitting] = []
    real = eating.eat

    def counted(sitting: Sitting, own: Robot) -> tuple[MealRow, ...]:
        eaten.append(sitting)
        return real(sitting, own)

    monkeypatch.setattr("handup.lab.meals.runner.eat", counted)
    return eaten


def test_the_folder_has_rows_figures_tables_and_a_report(whole: Outcome) -> None:
    names = {path.name for path in whole.folder.iterdir()}
    assert names == {
        *("rows.csv", "bites.csv", "study.json", "tables.md", "report.html"),
        *("meal-tiny.svg", "meal-tiny.png", "meal-tiny-triage.svg", "meal-tiny-triage.png"),
    }
    assert {path.name for path in whole.folder.parent.iterdir()} == {"meals", "meal-tiny", ".lock"}
    with (whole.folder / "rows.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    assert {row["seed"] for row in rows} == {str(SEED), str(SEED + 1)}
    assert {row["networks"] for row in rows} == {robot().modules.networks}
    for column in ("config", "handup", "code", "numpy", "mujoco", "care", "motor", "bites", "queries", "J", "J_true"):
        assert all(row[column] != "" for row in rows), column
    with (whole.folder / "bites.csv").open(encoding="utf-8") as file:
        assert all((row["cause"] == "") == (row["got"] == "True") for row in csv.DictReader(file))
    page = whole.report.read_text(encoding="utf-8")
    assert "Tiny &lt;meals&gt;" in page
    assert "simulated" in page
    assert "<script" not in page
    record = json.loads((whole.folder / "study.json").read_text(encoding="utf-8"))
    assert set(record["measures"]) == set(TINY.labels)


def test_a_stopped_run_goes_on_where_it_was(whole: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    eaten = counting(monkeypatch)

    def stop(step: Progress) -> None:
        if step.done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, watch=stop)
    assert len(eaten) == 1
    seen: list[int] = []
    again = run(tmp_path, watch=lambda step: seen.append(step.done))
    assert len(eaten) == 4
    assert len(set(eaten)) == 4
    assert seen[0] == 1
    for name in ("rows.csv", "bites.csv", "tables.md", "meal-tiny.svg", "report.html"):
        assert (again.folder / name).read_bytes() == (whole.folder / name).read_bytes(), name


def test_what_is_damaged_or_of_other_networks_is_eaten_again(
    whole: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sittings = tuple(TINY.sittings(SIZE))
    kept = kept_meals(tmp_path, made_with())
    for sitting, meals in whole.results.eaten.items():
        kept.save(sitting, meals)
    first, second = (kept.path(each) for each in sittings[:2])
    first.write_text(first.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    second.write_text(second.read_text(encoding="utf-8").replace(robot().modules.networks, "others"), encoding="utf-8")
    eaten, notes = counting(monkeypatch), []
    found = run_sittings(sittings, kept, watch=lambda step: notes.append(step.note))
    assert eaten == list(sittings[:2])
    assert found == whole.results.eaten
    assert any(note is not None and "damaged" in note for note in notes)
    assert first.with_suffix(".damaged").exists()
    assert second.with_suffix(".stale").exists()


def test_two_processes_eat_the_same(whole: Outcome, tmp_path: Path) -> None:
    kept = kept_meals(tmp_path, made_with())
    assert run_sittings(tuple(TINY.sittings(SIZE)), kept, jobs=2) == whole.results.eaten


def test_the_same_question_gets_the_same_answer_whoever_asks(tmp_path: Path) -> None:
    """Pairing: two methods on one plate with one person hear the same."""
    sitting = next(TINY.sittings(SIZE))
    said = []
    for number, method in enumerate(("topo+query-for-all", "topo+query-then-execute")):
        order = Order(looks="hard", method=method, seed=SEED + 7, bites=1, attempts=1)
        with (
            Journal.open(tmp_path / f"{number}.db", clock=SkippingClock()) as journal,
            Meal(order, journal, modules=robot().modules) as table,
        ):
            table.eat([table.simulated(sitting.participant.person)])
            answered = [entry.event for entry in journal.read(run=order.run_of(1)) if entry.kind == "desk.answered"]
            said.append(answered[0])
    assert said[0] == said[1]


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(cast(dict[str, Any], studies.STUDIES), TINY.name, TINY)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("tiny")
def test_the_command_runs_a_study_and_says_what_it_found() -> None:
    given = ("study", "run", "meal-tiny", "--participants", "2", "--jobs", "1", "--out", "mine")
    called = here(*given)
    assert called.code == 0, called.err
    assert "Report: mine/meal-tiny/report.html" in called.out
    assert "2 participants" in called.out
    again = here(*given, "--json")
    (found,) = json.loads(again.out)["studies"]
    assert (found["name"], found["participants"], found["seed"], found["looks"]) == ("meal-tiny", 2, SEED, "hard")
    assert {each["arm"] for each in found["triage"]} == set(TINY.labels)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("meal-lunch",), ("'meal-lunch'", "meal-methods")),
        (("meal-tiny", "--episodes", "4"), ("takes no --episodes", "--participants")),
        (("meal-tiny", "--participants", "1"), ("1 participants",)),
        (("meal-tiny", "--looks", "ugly"), ("ugly",)),
        (("structure", "--participants", "4"), ("takes no --participants",)),
        (("meal-tiny", "--data", "."), ("takes no --data",)),
    ],
)
def test_wrong_options_are_refused_in_one_line(given: tuple[str, ...], words: tuple[str, ...]) -> None:
    called = here("study", "run", *given)
    assert called.code == 2
    assert_one_line_error(called, *words)


def test_the_list_names_them() -> None:
    called = here("study", "list", "--json")
    listed = {each["name"]: each for each in json.loads(called.out)["studies"]}
    assert listed["meal-heterogeneity"]["figure"] == "Fig. 6 d"
    assert listed["meal-methods"]["cells"] == 4
    assert listed["meal-memory"]["cells"] == 4


def test_the_rows_of_cells_do_not_depend_on_the_code_of_meals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in code.ROOMS:
        shutil.copytree(Path(code.__file__).parents[2] / room, tmp_path / room)
    monkeypatch.setattr(code, "__file__", str(tmp_path / "lab" / "study" / "code.py"))
    fresh = code.code_digest.__wrapped__
    before = fresh()
    (tmp_path / "lab" / "meals" / "rows.py").write_text("CHANGED = True\n", encoding="utf-8")
    assert fresh() == before
    (tmp_path / "lab" / "cell.py").write_text("CHANGED = True\n", encoding="utf-8")
    assert fresh() != before


def test_without_the_simulation_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    eating.robot.cache_clear()
    with pytest.raises(MissingExtra, match=r"handup\[sim\]"):
        run(tmp_path)
    assert list(tmp_path.iterdir()) == []
