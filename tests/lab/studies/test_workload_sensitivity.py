"""The study of the workload coefficients: what it tries, what it finds, what it writes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from handup.lab.engine import run_study
from handup.lab.studies import workload_sensitivity
from handup.lab.studies.workload_sensitivity import (
    CONFIDENCES,
    STUDY,
    VARIED,
    CoefficientSetting,
    Sensitivity,
    bite,
    models,
)
from handup.people import BITE, WorkloadModel

FEW = ("troubleshoot", "graph+workload-aware", "never+execute-first")


def test_every_set_of_coefficients_keeps_the_mean_cost() -> None:
    for quick in (False, True):
        tried = models(quick=quick)
        assert tried[0] == WorkloadModel()
        for model in tried:
            assert sum(model.base(question) for question in BITE.values()) / 4 == pytest.approx(0.32)
        assert {model.a_d for model in tried} >= {0.0, 0.2}
        assert {model.a_r for model in tried} >= {0.0, 0.2}
        assert {model.tau_s for model in tried} >= {60.0, 240.0}
        batches = STUDY.batches(STUDY.size(quick=quick))
        assert len({batch.config for batch in batches}) == len(batches) == 2 * len(tried)
    assert STUDY.cells == 2 * 68 * 23
    assert bite(WorkloadModel()).query_costs.tolist() == [0.24, 0.34, 0.24, 0.46]
    assert bite(WorkloadModel()).confidences.tolist() == list(CONFIDENCES.values())


def setting(**methods: tuple[list[float], tuple[float, ...]]) -> CoefficientSetting:
    rows: dict[str, dict[str, Any]] = {
        method.replace("_", "+"): {"J": objective, "asked": asked} for method, (objective, asked) in methods.items()
    }
    return CoefficientSetting(dict.fromkeys(VARIED, 0.0), 0.2, rows)


def about(value: float) -> list[float]:
    return [value, value + 0.1, value + 0.2]


def test_flips_are_found_and_only_where_they_are_clear() -> None:
    skill, box = (0.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.5, 0.0)
    default = setting(troubleshoot=(about(1.0), skill), a_b=(about(2.0), skill), c_d=(about(3.0), box))
    other = setting(troubleshoot=(about(1.5), box), a_b=(about(1.0), skill), c_d=(about(0.5), box))
    noisy = setting(troubleshoot=([0.0, 5.0, 1.0], skill), a_b=([4.9, 0.0, 1.0], skill), c_d=(about(9.0), box))
    weight = Sensitivity(0.5, (default, other, noisy))
    assert [(flip["what"], flip["before"], flip["after"]) for flip in weight.flips] == [
        ("best", "troubleshoot", "c+d"),
        ("best pair", "a+b", "c+d"),
        ("asked", "skill", "box > skill"),
    ]
    assert weight.summary()[2:4] == ("1 of 3", "1 of 3")


def test_all_methods_live_through_the_same_meals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workload_sensitivity, "METHODS", FEW)
    monkeypatch.setattr(workload_sensitivity, "EXTRAS", (0.0, 0.2))
    outcome = run_study(STUDY, STUDY.size(quick=True, episodes=3), out=tmp_path)
    folder = outcome.folder
    drawn = {f"workload-sensitivity-w{w}.{kind}" for w in (50, 80) for kind in ("svg", "png")}
    assert {path.name for path in folder.iterdir()} == {"rows.csv", "study.json", "report.md", "report.html", *drawn}
    rows = list(csv.DictReader((folder / "rows.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 2 * len(models(quick=True)) * len(FEW)
    never = {row["J_mean"] for row in rows if row["method"] == FEW[2] and row["w"] == "0.5"}
    assert len(never) == 1, "a method that never asks does not mind what questions cost"
    record = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    assert ([weight["w"] for weight in record["weights"]], record["meals"]) == ([0.5, 0.8], 3)
    assert "illustrative" in outcome.report.read_text(encoding="utf-8")
