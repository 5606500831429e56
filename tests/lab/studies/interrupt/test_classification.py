"""The study of interruptibility: measures, pooled over runs, equal those of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from handup.lab.engine import Bar, columns_of
from handup.lab.engine.claims import Row
from handup.lab.studies.interrupt import classification
from handup.lab.studies.interrupt.classification import FIRST_SEED, GATES, STUDY, PooledRuns, place_of, row_of
from handup.lab.studies.interrupt.level_models import (
    LEVELS,
    Floats,
    Ints,
    LevelClassifier,
    Stretch,
    Stretches,
    fitted,
)
from handup.lab.studies.interrupt.watched_person import world
from handup.people.interruptibility import FeatureSet

RANDOM = np.random.default_rng(1)
AT = place_of("clean", FeatureSet.STD, True).settings
RUNS = 12


def judged(seed: int, sharp: float) -> tuple[Ints, Floats]:
    random = np.random.default_rng((seed, 7))
    levels = random.integers(0, LEVELS, 80)
    chances = random.dirichlet(np.ones(LEVELS), 80) + sharp * np.eye(LEVELS)[levels]
    return levels, chances / chances.sum(axis=1, keepdims=True)


def row(seed: int, sharp: float) -> Row:
    levels, chances = judged(seed, sharp)
    parts = [Stretch(np.zeros((40, 1)), levels[:40]), Stretch(np.zeros((40, 1)), levels[40:])]
    return row_of(seed, tuple(parts), [chances[:40], chances[40:]])


def results(sharp: dict[str, float]) -> PooledRuns:
    size = STUDY.size(episodes=RUNS)
    made: dict[Any, Any] = {}
    for batch in STUDY.batches(size):
        seeds = range(batch.first, batch.first + batch.count)
        made[batch] = columns_of(row(seed, sharp.get(batch.arm, 0.0)) for seed in seeds)
    return STUDY.results(size, made)


def test_measures_are_those_of_all_segments_together() -> None:
    found = results({"forest": 0.6})
    pairs = [judged(seed, 0.6) for seed in range(FIRST_SEED, FIRST_SEED + RUNS)]
    levels, chances = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    told, free, said = chances.argmax(axis=1), levels >= 2, chances[:, 2:].sum(axis=1)
    expected = {
        "mcc": metrics.matthews_corrcoef(levels, told),
        "macro_f1": metrics.f1_score(levels, told, average="macro"),
        "brier": metrics.brier_score_loss(free, said),
        "ece": sum(abs((said - free)[np.minimum((said * 10).astype(int), 9) == b].sum()) for b in range(10))
        / len(said),
        "flips": 60
        * sum(np.sum(np.diff(part >= 0.5)) for _, p in pairs for part in np.split(p[:, 2:].sum(1), 2))
        / len(said),
        **{f"gate_{gate}": np.mean((said >= gate) * np.where(free, 1 - gate, -gate)) for gate in GATES},
    }
    assert {name: found.mean(name, "forest", AT).value for name in expected} == pytest.approx(expected, abs=1e-6)


def test_a_difference_is_resampled_with_the_same_runs_on_both_sides() -> None:
    found = results({"forest": 0.6, "LDCRF": 0.6})
    same = found.of_bar(Bar(measure="mcc", arm="LDCRF", than="forest", where=AT, by=-0.02))
    assert (same.mean, same.ci, same.same) == (0.0, (0.0, 0.0), RUNS)
    better = found.of_bar(Bar(measure="mcc", arm="forest", than="KNN", where=AT, by=0.05))
    assert better.ci[0] > 0.05
    assert better.more == RUNS
    assert found.gain("mcc", "forest", "clean").value == 0.0


def test_asking_never_is_worth_nothing() -> None:
    levels = RANDOM.integers(0, LEVELS, 50)
    never = np.tile([0.5, 0.5, 0.0, 0.0], (50, 1))
    assert row_of(0, (Stretch(np.zeros((50, 1)), levels),), [never])["gates"] == [0.0, 0.0, 0.0]


def test_every_run_is_judged_by_models_that_did_not_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = next(batch for batch in STUDY.batches(STUDY.size(episodes=6)) if batch.arm == "base rate")
    trained: list[Stretches] = []

    def spy(name: str, runs: list[Stretches], kind: FeatureSet, *, objects: bool) -> LevelClassifier:
        trained.extend(runs)
        return fitted(name, runs, kind, objects=objects)

    monkeypatch.setattr("handup.lab.studies.interrupt.classification.fitted", spy)
    rows = STUDY.make(batch)
    assert rows["seed"] == [FIRST_SEED, FIRST_SEED + 1]
    assert len(trained) == 4
    length = world()["run_segments"]
    judged = [classification._run(seed, batch.place.settings, length) for seed in rows["seed"]]
    assert not any(run is held for run in trained for held in judged)
    assert rows["segments"] == [sum(len(stretch.levels) for stretch in run) for run in judged]
