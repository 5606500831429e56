"""The study of the workload coefficients: what it tries, what it finds, what it writes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from handup.core import BadSetting
from handup.lab.meal import Meals, Menu
from handup.lab.study import workload
from handup.lab.study.workload import CONFIDENCES, METHODS, Sensitivity, Setting, bite, explore, models
from handup.lab.study.workload_page import reading
from handup.people import BITE, WorkloadModel
from tests.cli.calls import assert_one_line_error, here

FEW = ("troubleshoot", "graph+workload-aware", "never+execute-first")


def test_every_set_of_coefficients_keeps_the_mean_cost() -> None:
    for quick in (False, True):
        tried = models(quick=quick)
        assert tried[0] == WorkloadModel()
        for model in tried:
            assert sum(model.base(each) for each in BITE.values()) / 4 == pytest.approx(0.32)
        assert {model.a_d for model in tried} >= {0.0, 0.2}
        assert {model.a_r for model in tried} >= {0.0, 0.2}
        assert {model.tau_s for model in tried} >= {60.0, 240.0}
        assert len({json.dumps(model.to_json()) for model in tried}) == len(tried)


def test_the_policy_has_the_costs_of_the_model() -> None:
    assert bite(WorkloadModel()).query_costs.tolist() == [0.24, 0.34, 0.24, 0.46]
    assert bite(WorkloadModel()).confidences.tolist() == list(CONFIDENCES.values())


def test_the_same_meals_for_all_and_the_same_again() -> None:
    one, two = (explore(Menu(meals=4, bites=2), quick=True, methods=FEW) for _ in range(2))
    assert workload.rows([one]) == workload.rows([two])
    never = [each.meals["never+execute-first"].objective for each in one.settings]
    assert all((each == never[0]).all() for each in never), "who never asks does not mind what questions cost"


def meals_of(objective: float, asked: tuple[float, ...]) -> Meals:
    return Meals(objective + np.array([0.0, 0.1, 0.2]), np.ones(3), np.ones(3), np.array(asked))


def test_flips_are_found_and_only_where_they_are_clear() -> None:
    skill, box = (0.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.5, 0.0)
    default = Setting(
        WorkloadModel(), {"troubleshoot": meals_of(1.0, skill), "a+b": meals_of(2.0, skill), "c+d": meals_of(3.0, box)}
    )
    other = Setting(
        WorkloadModel(g=0.3),
        {"troubleshoot": meals_of(1.5, box), "a+b": meals_of(1.0, skill), "c+d": meals_of(0.5, box)},
    )
    noisy = Setting(
        WorkloadModel(g=0.2),
        {
            "troubleshoot": Meals(np.array([0.0, 5.0, 1.0]), np.ones(3), np.ones(3), np.array(skill)),
            "a+b": Meals(np.array([4.9, 0.0, 1.0]), np.ones(3), np.ones(3), np.array(skill)),
            "c+d": meals_of(9.0, box),
        },
    )
    found = Sensitivity(Menu(meals=3), False, default, (default, other, noisy))
    flips = [(each.what, each.before, each.after) for each in found.flips()]
    assert flips == [
        ("best", "troubleshoot", "c+d"),
        ("best pair", "a+b", "c+d"),
        ("asked", "skill", "box > skill"),
    ]
    assert "another one is better beyond the 95 % interval of the difference in 1" in reading(found)[1]


def test_the_command_writes_rows_figures_and_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workload, "METHODS", FEW)
    monkeypatch.setattr(explore, "__kwdefaults__", {**(explore.__kwdefaults__ or {}), "methods": FEW})
    called = here(
        "study", "run", "workload-sensitivity", "--quick", "--episodes", "3", "--out", str(tmp_path), "--json"
    )
    assert (called.code, called.err) == (0, "")
    (found,) = json.loads(called.out)["studies"]
    assert found["evidence"] == "simulated"
    assert [each["w"] for each in found["weights"]] == [0.5, 0.8]
    folder = tmp_path / "workload-sensitivity"
    assert Path(found["report"]) == folder / "report.html"
    rows = list(csv.DictReader((folder / "rows.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 2 * len(models(quick=True)) * len(FEW)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "illustrative" in page
    assert "simulated" in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert {each.suffix for each in folder.iterdir()} == {".csv", ".html", ".json", ".svg", ".png"}


def test_too_few_meals_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="1 meals"):
        explore(Menu(meals=1))
    called = here("study", "run", "workload-sensitivity", "--episodes", "99999", "--out", str(tmp_path))
    assert_one_line_error(called, "99999 meals")
    assert not list(tmp_path.iterdir())


def test_it_is_listed() -> None:
    listed = json.loads(here("study", "list", "--json").out)["studies"]
    (found,) = (each for each in listed if each["name"] == "workload-sensitivity")
    assert found["cells"] == 2 * len(models()) * len(METHODS)
