"""The measurement of plans about goals: its rows, its problems and the other solver."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from benchmarks import intent as benchmark
from handup.cli.bench import app
from handup.domains.reaching.scenes import scene
from handup.intent import solve
from handup.lab.bench import intent
from handup.lab.bench.intent import first_step_value, instances, plan_by_pouct


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intent, "INSTANCES", 4)
    monkeypatch.setattr(intent, "THEIRS", 1)
    monkeypatch.setattr(intent, "PLANNING_S", 0.02)
    monkeypatch.setattr(benchmark, "INSTANCES", 3)


@pytest.mark.usefixtures("little")
def test_the_command_gives_a_row_for_each_setup() -> None:
    done = CliRunner().invoke(app, ["intent", "--json", "--seed", "3"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["rows"]
    assert [(row["goals"], row["askable"]) for row in rows] == [(4, 4), (6, 6), (18, 10), (22, 10), (22, 22)]
    for row in rows[:4]:
        assert 0.0 < row["us_median"] <= row["us_p99"]
        assert row["gap"] == 0.0, "exact"
        assert row["baseline_us"] > row["us_median"]
        assert row["regret_baseline"] >= -1e-9
    assert rows[4]["baseline_us"] is None
    table = CliRunner().invoke(app, ["intent"])
    assert "POUCT µs" in table.stdout


def test_a_first_step_is_worth_the_plan_if_it_is_the_plans_own() -> None:
    found = list(instances(scene("S1").goals, 10, seed=1, look_ahead_s=2.0, count=30))
    plans = [solve(each) for each in found]
    assert {plan.question is None for plan in plans} == {True, False}
    for problem, plan in zip(found, plans, strict=True):
        move = plan.move if plan.question is None else None
        assert first_step_value(problem, move, plan.question) == pytest.approx(plan.lower, abs=1e-9)


def test_the_other_solver_finds_a_legal_first_step_that_is_no_better() -> None:
    (problem,) = instances(scene("S1").goals, 10, seed=2, look_ahead_s=2.0, count=1)
    move, question = plan_by_pouct(problem, seconds=0.05, seed=0)
    assert (move is None) != (question is None)
    assert first_step_value(problem, move, question) <= solve(problem).lower + 1e-9


@pytest.mark.usefixtures("little")
def test_the_benchmark_shows_how_t_decides_and_bounds_close(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark.main(["--json"])
    found = json.loads(capsys.readouterr().out)
    assert {row["look_ahead_s"] for row in found["look_ahead"]} == set(benchmark.LOOK_AHEADS)
    gaps = [row["mean_gap"] for row in found["depth"]]
    assert gaps == sorted(gaps, reverse=True)
    benchmark.main([])
    assert "Exact plans by T" in capsys.readouterr().out
