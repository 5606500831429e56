"""`handup study`: list, run and cell."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

import pytest

from handup.lab.cell import KEYS
from handup.lab.study import studies
from tests.cli.calls import SRC, assert_one_line_error, here, shell
from tests.lab.study import fakes

METRICS = ("task_cost", "query_cost", "failed_attempts", "timesteps", "J")


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(cast(dict[str, Any], studies.STUDIES), "tiny", fakes.TINY)
    monkeypatch.chdir(tmp_path)


def test_the_list_names_every_study_its_figure_and_its_question() -> None:
    called = here("study", "list")
    assert (called.code, called.err) == (0, "")
    for name in ("modules", "structure", "confidences", "query-costs", "expert", "heterogeneity", "summary"):
        assert name in called.out
    assert "Fig. 7" in called.out


def test_the_list_in_json() -> None:
    found = json.loads(here("study", "list", "--json").out)["studies"]
    assert found[0]["name"] == "modules"
    assert all(set(each) == {"name", "title", "figure", "question", "cells"} for each in found)
    assert all(each["cells"] > 0 for each in found)


@pytest.mark.usefixtures("tiny")
def test_a_run_tells_the_verdicts_and_where_the_report_lies(tmp_path: Path) -> None:
    called = here("study", "run", "tiny", "--episodes", "4", "--jobs", "1", "--seed", "2")
    assert called.code == 0
    assert "studies/tiny/report.html" in called.out
    assert "4 episodes per cell, seed 2" in called.out
    assert (tmp_path / "studies" / "tiny" / "report.html").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["studies"]


@pytest.mark.usefixtures("tiny")
def test_a_run_in_json_and_in_a_folder_of_ones_own() -> None:
    called = here("study", "run", "tiny", "--quick", "--episodes", "3", "--jobs", "1", "--out", "mine", "--json")
    assert called.code == 0
    (found,) = json.loads(called.out)["studies"]
    assert found["name"] == "tiny"
    assert (found["episodes"], found["seed"], found["quick"]) == (3, 0, True)
    assert found["report"] == "mine/tiny/report.html"
    assert Path(found["report"]).exists()


@pytest.mark.usefixtures("tiny")
def test_all_runs_every_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "STUDIES", {"tiny": fakes.TINY})
    called = here("study", "run", "all", "--episodes", "2", "--jobs", "1", "--quick", "--json")
    assert [each["name"] for each in json.loads(called.out)["studies"]] == ["tiny"]


def test_one_cell_in_json_has_every_metric() -> None:
    given = ("--set", "method=troubleshoot", "--set", "confidences=0.9,0.2", "--set", "episodes=20")
    called = here("study", "cell", *given, "--json")
    assert (called.code, called.err) == (0, "")
    found = json.loads(called.out)
    assert set(found["settings"]) == set(KEYS)
    assert found["settings"]["confidences"] == [0.9, 0.2]
    assert found["settings"]["episodes"] == 20
    for metric in METRICS:
        assert set(found[metric]) == {"mean", "ci", "median", "q1", "q3"}
        assert found[metric]["ci"][0] <= found[metric]["mean"] <= found[metric]["ci"][1]


def test_every_setting_can_be_set() -> None:
    given = {
        "modules": "5", "structure": "or-then-and", "confidences": "0.9,0.2", "low": "2", "query_cost": "0.1",
        "beta": "0.2", "expert": "0.9", "method": "graph+workload-aware", "world": "default", "w": "0.4",
        "epsilon": "1.5", "lambda": "0.5", "episodes": "3", "seed": "4",
    }  # fmt: skip
    called = here("study", "cell", "--json", *(part for pair in given.items() for part in ("--set", "=".join(pair))))
    found = json.loads(called.out)["settings"]
    assert found == {**found, "lambda": 0.5, "epsilon": 1.5, "seed": 4, "structure": "or-then-and"}
    tau = here(
        "study", "cell", "--json", "--set", "tau=0.7", "--set", "method=graph+until-confident", "--set", "episodes=3"
    )
    assert json.loads(tau.out)["settings"]["tau"] == 0.7


def test_one_cell_as_a_table() -> None:
    called = here("study", "cell", "--set", "episodes=5")
    assert (called.code, called.err) == (0, "")
    assert all(metric in called.out for metric in METRICS)
    assert "Simulated" in called.out


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("moduls=3",), ("there is no setting 'moduls'", *KEYS)),
        (("modules",), ("KEY=VALUE", *KEYS)),
        (("modules=3", "modules=4"), ("modules is set twice",)),
        (("modules=many",), ("modules is 'many'", "a whole number")),
        (("modules=0",), ("modules is 0", "from 1 to")),
        (("confidences=0.9",), ("two numbers",)),
        (("structure=xor",), ("and, or, and-then-or, or-then-and, chain",)),
        (("world=mars",), ("default, replica",)),
        (("expert=1.5",), ("expert is 1.5", "from 0 to 1")),
        (("beta=nan",), ("beta is 'nan'",)),
        (("method=graph",), ("half a method",)),
        (("method=troubleshoot", "world=replica"), ("the replica knows no method",)),
        (("tau=0.5",), ("has no setting 'tau'",)),
        (("episodes=0",), ("episodes is 0",)),
        (("=3",), ("there is no setting ''",)),
    ],
    ids=str,
)
def test_bad_settings_are_refused_with_the_good_ones(given: tuple[str, ...], words: tuple[str, ...]) -> None:
    called = here("study", "cell", *(part for text in given for part in ("--set", text)))
    assert_one_line_error(called, *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing",), ("there is no study 'nothing'", *studies.STUDIES, "all")),
        (("reachin",), ("Did you mean 'reaching'?", "meal-memory", "recoveries", "recovery-rules", "real-scores")),
        (("modules", "--episodes", "0"), ("episodes is 0",)),
        (("modules", "--seed", "-1"), ("seed is -1",)),
        (("modules", "--jobs", "0"), ("--jobs",)),
    ],
    ids=str,
)
def test_a_run_with_bad_options_is_refused_and_writes_nothing(
    arguments: tuple[str, ...], words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_one_line_error(here("study", "run", *arguments), *words)
    assert not list(tmp_path.iterdir())


def test_a_first_look_says_how_long_it_takes() -> None:
    told = " ".join(here("study", "run", "--help").out.split())
    assert "Of reaching about 6 minutes of one core, of recoveries half a minute." in told


def test_the_help_does_not_wait_for_the_heavy_parts(tmp_path: Path) -> None:
    heavy = "[name for name in sys.modules if 'handup.lab' in name or 'matplotlib' in name]"
    code = f"import sys, handup.cli.main; sys.exit(bool({heavy}))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(SRC)}, cwd=tmp_path, check=False
    )
    assert done.returncode == 0


def test_an_interrupt_ends_it_soon_and_says_how_to_go_on(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "handup",
        "study",
        "run",
        "structure",
        "--quick",
        "--episodes",
        "3000",
        "--jobs",
        "2",
    ]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 120.0
        while process.poll() is None and not list((tmp_path / "studies").glob("cells/*.csv")):
            assert time.monotonic() < deadline, "no cell was done"
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        out, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in told
    assert "give the same command again to go on" in told.splitlines()[-1]


def test_two_runs_in_one_folder_are_told_apart(tmp_path: Path) -> None:
    from handup.lab.study.store import Store

    with Store(tmp_path / "studies").lock():
        called = shell("study", "run", "structure", "--quick", cwd=tmp_path)
    assert called.code == 2
    assert "another run is at work" in called.err


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file", encoding="utf-8")
    called = here("study", "run", "expert", "--episodes", "1", "--out", str(taken))
    assert called.code == 1
    assert str(taken) in called.err
    assert len(called.err.splitlines()) == 1
