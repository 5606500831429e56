"""The study of real scores: what it compares, writes and refuses."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handup.core import BadData, BadSetting
from handup.lab.chains import CALIBRATED, KNOWNO, SAID, SIZES
from handup.lab.engine import columns_of, run_study
from handup.lab.studies import real_scores
from handup.lab.studies.real_scores import METRICS, OURS, STUDY, Condition, ScoreComparison, ScoredArm, compared_at
from handup.when import strategy
from tests.data import data_folder
from tests.lab.scores import write_streams

FEW = (Condition(1), Condition(2))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_scores, "CONDITIONS", FEW)


def made(data: Path, **given: Any) -> ScoreComparison:
    """Return rows made here."""
    size = STUDY.size(data=str(data), **given)
    return ScoreComparison(STUDY, size, {batch: STUDY.make(batch) for batch in STUDY.batches(size)})


@pytest.mark.usefixtures("few")
def test_the_same_again_however_the_draws_are_shared_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_streams(tmp_path)
    before = made(data, episodes=30)
    monkeypatch.setattr(real_scores, "DRAWS_AT_ONCE", 2)
    assert made(data, episodes=30).rows("chains") == before.rows("chains")
    assert made(data, episodes=30, seed=1).chains(1) != before.chains(1)


@pytest.mark.usefixtures("few")
def test_methods_are_what_they_are_called(tmp_path: Path) -> None:
    found = made(write_streams(tmp_path), episodes=30)
    for at in FEW:
        never = {metric: found.by_draw(metric, at, ScoredArm(real_scores.NEVER)) for metric in METRICS}
        assert not never["help_rate"].any()
        assert not never["workload"].any()
        rows = found.chains(at.modules)
        assert never["success"] == pytest.approx(np.array([np.mean(row["alone"]) for row in rows]))
        assert (found.by_draw("help_rate", at, ScoredArm(real_scores.ALWAYS)) == 1.0).all()
        unsure = np.array([1.0 - row["single"] for row in rows])
        assert found.by_draw("help_rate", at, ScoredArm(KNOWNO)) == pytest.approx(unsure)


def test_every_place_compares_what_the_docs_name() -> None:
    main, arms = real_scores.MAIN, real_scores.ARMS
    assert {(at.modules, at.expert) for at in main} == {(k, expert) for k in SIZES for expert in (0.8, 0.9, 0.97)}
    assert all(at.arms == arms for at in main)
    labels = {"never", "always", "graph+workload-aware, calibrated", "KnowNo sets", "troubleshoot, calibrated"}
    assert {arm.label for arm in real_scores.PLAIN} == labels
    assert {arm.said for arm in arms if arm.method == "troubleshoot"} == {"calibrated", "raw", "platt", "interval"}
    assert STUDY.cells == 172


def made_up(tmp_path: Path, ours: float) -> ScoreComparison:
    """Return rows in which every method comes to 1 but calibrated `troubleshoot`, with a little noise."""
    size = STUDY.size(data=str(write_streams(tmp_path)), episodes=60)
    noise = np.random.default_rng(0)
    rows = []
    for draw, k in product(range(6), SIZES):
        means = [ours if arm == OURS else 1.0 for _, arm in compared_at(k)]
        methods = [(mean + noise.normal(scale=0.01, size=len(METRICS))).tolist() for mean in means]
        right = (noise.random(10) < 0.5).tolist()
        said = {name: noise.random(10).tolist() for name in SAID}
        streams = [(draw + module) % 5 for module in range(k)]
        row = {"draw": draw, "modules": k, "streams": streams, "chosen": ["platt"] * k, "alone": right}
        rows.append({**row, "said": said, "sets": [2] * 10, "single": 0.5, "methods": methods})
    batch = replace(STUDY.batches(size)[0], count=6, rows=len(rows))
    return ScoreComparison(STUDY, size, {batch: columns_of(rows)})


@pytest.mark.parametrize(("ours", "lowest", "beaten"), [(0.5, 12, 0), (1.5, 0, 12)])
def test_the_answer_says_where_troubleshoot_is_best(tmp_path: Path, ours: float, lowest: int, beaten: int) -> None:
    answer = STUDY.answer(made_up(tmp_path, ours), ())
    assert f"the lowest J at {lowest} of 12 places, clear of chance over streams at {lowest}" in answer
    assert f"another method is lower beyond chance at {beaten}" in answer


def test_areas_favour_confidences_that_know(tmp_path: Path) -> None:
    found = made_up(tmp_path, 1.0)
    before = found.aurc(1, CALIBRATED)
    for row in found.chains(1):
        row["said"][CALIBRATED][:] = np.where(row["alone"], 0.9, 0.1).tolist()
    assert found.aurc(1, CALIBRATED).value < before.value
    assert 0.0 <= found.aurc(1, KNOWNO).value <= 1.0


def test_the_folder_says_nothing_of_this_machine_and_other_data_are_other_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = strategy("graph+workload-aware")  # what it decides does not matter here
    monkeypatch.setattr(real_scores, "strategy", lambda name: quick if name == "troubleshoot" else strategy(name))
    data = write_streams(tmp_path / "data")
    size = STUDY.size(data=str(data), episodes=20)
    folder = run_study(STUDY, size, out=tmp_path / "out").folder
    assert {path.suffix for path in folder.iterdir()} == {".csv", ".html", ".json", ".md", ".svg", ".png"}
    rows = list(csv.DictReader((folder / "rows.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 2 * STUDY.cells
    record = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    assert record["evidence"] == "real scores in a synthetic composition"
    assert len(record["places"]) == len(real_scores.CONDITIONS)
    for path in folder.iterdir():
        assert str(tmp_path).encode() not in path.read_bytes(), "where data lie is not published"
    batch = STUDY.batches(size)[0]
    write_streams(data, seed=1)
    assert STUDY.batches(size)[0].config != batch.config
    with pytest.raises(BadData, match="have changed"):
        STUDY.make(batch)


def test_bad_calls_are_refused(tmp_path: Path) -> None:
    data = str(write_streams(tmp_path / "data"))
    for given, words in (
        ({}, "--data must be given"),
        ({"data": str(tmp_path / "nowhere")}, "there is no folder"),
        ({"data": str(tmp_path)}, "CSV files"),
        ({"data": data, "episodes": 25}, "--episodes must be a multiple of 10, got 25"),
    ):
        with pytest.raises((BadSetting, BadData), match=words):
            STUDY.size(**given)


@pytest.mark.usefixtures("few")
def test_on_the_real_streams_interval_confidences_are_worse_than_calibrated_ones() -> None:
    found = made(data_folder("module-scores"), episodes=100)
    assert len(found.streams) == 10
    longest = {"college_medicine", "high_school_biology", "professional_accounting"}
    assert {stream.name for stream in found.streams if stream.rows == 100} == longest
    gap = found.spread("J", Condition(2), ScoredArm("troubleshoot", "interval"), OURS)
    assert gap.ci_draws[0] > 0.0
    promised, alone = (
        found.over_draws(1, value) for value in (lambda row: row["said"]["interval"], lambda row: row["alone"])
    )
    assert promised.value > alone.value + 0.2
