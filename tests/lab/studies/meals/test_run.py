"""Meals that are really eaten: one tiny run with its folder, a memory that is used, and the same answers for all."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handup.core import MissingExtra
from handup.desk import SkippingClock
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.meal_result import Served
from handup.domains.feeding.order import Order
from handup.domains.feeding.truth import LossCause
from handup.journal import Journal
from handup.lab.engine import StudyOutcome, run_study
from handup.lab.engine.results import rows_of
from handup.lab.studies.meals import meal_rows
from handup.lab.studies.meals.meal_rows import eat, networks, person
from handup.lab.studies.meals.studies import FORGETS, MEMORY, REMEMBERS
from handup.lab.studies.meals.study import Menu
from tests.lab.studies.meals.made_up import PAIRED, TWO

SEED = 295_100
TINY = replace(PAIRED, name="meal-tiny", places=(Menu(plates=("savory salad",)),), bites=2)
SIZE = TINY.size(participants=2, seed=SEED)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    return run_study(TINY, SIZE, out=tmp_path_factory.mktemp("whole"))


def served(order: Order, folder: Path, number: int) -> Served:
    """A meal eaten without the study."""
    with (
        Journal.open(folder / "meal.db", clock=SkippingClock()) as journal,
        Meal(order, journal, modules=networks()) as table,
    ):
        return table.eat([table.simulated(person(number))])


def test_the_folder_has_rows_figures_and_a_report(whole: StudyOutcome) -> None:
    assert {path.name for path in whole.folder.iterdir()} == {
        *("rows.csv", "bites.csv", "study.json", "report.md", "report.html"),
        *("meal-tiny.svg", "meal-tiny.png", "meal-tiny-triage.svg", "meal-tiny-triage.png"),
    }
    rows, bites = (
        list(csv.DictReader((whole.folder / name).read_text(encoding="utf-8").splitlines()))
        for name in ("rows.csv", "bites.csv")
    )
    assert (len(rows), len(bites)) == (4, 8)
    assert {row["seed"] for row in rows} == {str(SEED), str(SEED + 1)}
    assert {row["networks"] for row in rows} == {networks().networks}
    for column in ("config", "handup", "code", "numpy", "mujoco", "care", "motor", "bites", "queries", "J", "J_true"):
        assert all(row[column] != "" for row in rows), column
    assert sum(float(row["bites"]) for row in rows) == sum(bite["got"] == "True" for bite in bites)
    record = json.loads((whole.folder / "study.json").read_text(encoding="utf-8"))
    assert (record["participants"], record["plates"], record["seed"], record["looks"]) == (2, 1, SEED, "hard")
    assert set(record["measures"]) == {triage["arm"] for triage in record["triage"]} == set(TINY.arms)


@pytest.mark.soak
def test_rows_are_what_the_meal_itself_says(whole: StudyOutcome, tmp_path: Path) -> None:
    bites = [bite for arm in TINY.arms for row in whole.results.rows(arm) for bite in row["bites_taken"]]
    assert any(not bite["got"] for bite in bites)
    assert all(bite["got"] or sum(bite["chances"]) == pytest.approx(1.0, abs=1e-5) for bite in bites)
    order = TINY.meal(TWO, "savory salad", SEED, "hard", kitchen=0)
    plain, row = served(order, tmp_path, 0), whole.results.rows(TWO)[0]
    counts = {str(cause): sum(bite["cause"] == cause for bite in row["bites_taken"]) for cause in LossCause}
    assert counts == plain.triage
    assert [bite["J_true"] for bite in row["bites_taken"]] == [round(bite.true_objective, 6) for bite in plain.bites]


@pytest.mark.soak
def test_the_same_question_gets_the_same_answer_whoever_asks(tmp_path: Path) -> None:
    """Pairing: two methods on one plate with one person hear the same."""
    answers = []
    for method in ("topo+query-for-all", "topo+query-then-execute"):
        order = Order(looks="hard", method=method, seed=295_007, bites=1, attempts=1)
        (folder := tmp_path / method).mkdir()
        served(order, folder, 0)
        with Journal.open(folder / "meal.db") as journal:
            events = [entry.event for entry in journal.read(run=order.run_of(1)) if entry.kind == "desk.answered"]
        answers.append(events[0])
    assert answers[0] == answers[1]


@pytest.mark.soak
def test_a_robot_that_remembers_does_not_ask_the_same_of_the_same_plate_and_one_that_forgets_does() -> None:
    """The only bite of the same plate on two days."""
    once = {**vars(MEMORY.meal(FORGETS, "thanksgiving", 296_924, "hard", kitchen=296_924)), "bites": 1}
    bites: dict[str, list[dict[str, Any]]] = {}
    for batch in MEMORY.batches(MEMORY.size(participants=3))[8:10]:
        decides = {"memory": batch.arm == REMEMBERS, "orders": [once, {**once, "name": "again"}]}
        rows = rows_of(eat(replace(batch, decides=json.dumps(decides))))
        bites[batch.arm] = [row["bites_taken"][0] for row in rows]
    first, second = bites[REMEMBERS]
    assert first["asked"][0] == second["recalled"][0] == "food"
    assert len(second["asked"]) < len(first["asked"])
    assert set(second["recalled_wrong"]) <= set(second["recalled"])
    first, second = bites[FORGETS]
    assert first == second and "food" in first["asked"] and first["recalled"] == []


def test_without_the_simulation_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    meal_rows.networks.cache_clear()
    with pytest.raises(MissingExtra, match=r"\[models\]"):
        run_study(TINY, SIZE, out=tmp_path)
    assert list(tmp_path.iterdir()) == []
