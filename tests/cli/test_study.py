"""`handup study`: list, run, cell and protocol."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.lab.cell import KEYS
from handup.lab.engine import registry
from handup.lab.engine.store import RowStore
from tests import outside
from tests.cli.calls import SRC, assert_one_line_error, here
from tests.lab.engine import coins

METRICS = ("task_cost", "query_cost", "failed_attempts", "timesteps", "J")


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Install a small study of an outside package, and go to an empty folder."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with coins.installed(tmp_path / "package") as folder:
        yield folder


def test_the_list_names_every_study_its_figure_and_its_question() -> None:
    called = here("study", "list")
    assert (called.code, called.err) == (0, "")
    for name in registry.names():
        assert name in called.out
    assert "Fig. 7" in called.out


def test_the_list_in_json() -> None:
    found = json.loads(here("study", "list", "--json").out)["studies"]
    assert {"summary", "meal-methods", "recoveries", "reaching", "real-scores"} <= {each["name"] for each in found}
    assert all(set(each) == {"name", "title", "figure", "question", "cells"} for each in found)
    assert all(each["cells"] > 0 for each in found)


@pytest.mark.usefixtures("package")
def test_a_run_tells_the_answer_the_verdicts_and_where_the_report_lies() -> None:
    called = here("study", "run", "coins", "--tosses", "40", "--jobs", "1", "--seed=2")
    assert called.code == 0
    for words in ("Holds: ", "heads of 20", "bent", "studies/coins/report.html", "tosses 40, seed 2"):
        assert words in called.out
    assert sorted(path.name for path in Path().iterdir()) == ["studies"]


@pytest.mark.usefixtures("package")
def test_a_run_in_json_and_in_a_folder_of_ones_own() -> None:
    called = here("study", "run", "--quick", "--out", "mine", "--json", "coins")
    assert called.code == 0
    (found,) = json.loads(called.out)["studies"]
    assert (found["name"], found["tosses"], found["seed"], found["quick"]) == ("coins", 24, 7, True)
    assert found["report"] == "mine/coins/report.html"
    assert Path(found["report"]).exists()


def test_the_help_of_a_study_has_its_own_options(package: Path) -> None:
    called = here("study", "run", "coins", "--help")
    assert called.code == 0
    assert "--cluster" in called.out
    assert "--tosses" in called.out.partition("Options of coins:")[2]
    assert "Usage" in here("study", "run", "--help").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing",), ("there is no study 'nothing'", "summary", "reaching", "all")),
        (("reachin",), ("Did you mean 'reaching'?", "meal-memory", "recovery-rules")),
        (("coins", "--tosses", "0"), ("--tosses must lie between 1 and 1000, got 0",)),
        (("coins", "--tosses", "many"), ("--tosses must be a whole number, got 'many'",)),
        (("coins", "--tosses"), ("--tosses must have a value",)),
        (("coins", "--episodes", "3"), ("'coins' takes no --episodes", "--tosses, --seed")),
        (("coins", "more"), ("'coins' takes no more",)),
        (("coins", "--seed", "-1"), ("--seed must lie between", "got -1")),
        (("coins", "--jobs", "0"), ("--jobs",)),
        (("modules", "--episodes", "0"), ("--episodes must lie between 1 and", "got 0")),
        (("meal-methods", "--looks", "ugly"), ("--looks must be hard or easy, got 'ugly'",)),
        (("real-scores",), ("--data must be given",)),
        (("coins", "--cluster", "somewhere"), ("--cluster must be the address of a scheduler, got 'somewhere'",)),
        (("coins", "--cluster", "local:1", "--jobs", "2"), ("--jobs and --cluster must not stand together",)),
        (("nothing", "--looks", "summary"), ("there is no study 'nothing'",)),
        (("nothing", "--help"), ("there is no study 'nothing'",)),
        (("--tosses", "coins"), ("no study is named",)),
    ],
    ids=str,
)
def test_a_run_with_bad_options_is_refused_and_writes_nothing(
    package: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert_one_line_error(here("study", "run", *arguments), *words)
    assert not list(Path().iterdir())


def test_the_help_does_not_wait_for_the_heavy_parts(tmp_path: Path) -> None:
    heavy = "[name for name in sys.modules if 'handup.lab' in name or 'matplotlib' in name]"
    code = f"import sys, handup.cli.main; sys.exit(bool({heavy}))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(SRC)}, cwd=tmp_path, check=False
    )
    assert done.returncode == 0


def test_an_interrupt_ends_it_soon_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = coins.install(tmp_path / "package", seconds=0.1)
    process = subprocess.Popen(
        [sys.executable, "-m", "handup", "study", "run", "coins", "--tosses", "1000", "--jobs", "2"],
        cwd=tmp_path,
        env=outside.environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        while process.poll() is None and not list((tmp_path / "studies").glob("rows/coins/*.json")):
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        out, told = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in told
    assert "of 2000 rows of 'coins' are kept; give the same command again to go on" in told.splitlines()[-1]


@pytest.mark.usefixtures("package")
def test_two_runs_in_one_folder_are_told_apart() -> None:
    with RowStore(Path("studies"), "coins", {}).lock():
        called = here("study", "run", "coins", "--jobs", "1")
    assert_one_line_error(called, "another run is at work")


@pytest.mark.usefixtures("package")
def test_a_place_that_cannot_be_written_is_named() -> None:
    Path("taken").write_text("a file", encoding="utf-8")
    called = here("study", "run", "coins", "--out", "taken", "--jobs", "1")
    assert called.code == 1
    assert "taken" in called.err
    assert len(called.err.splitlines()) == 1


def test_the_protocol_of_a_real_participant() -> None:
    called = here("study", "protocol", "meal-methods", "--participant", "2", "--json")
    meals = json.loads(called.out)["meals"]
    assert len(meals) == 8
    assert all(meal["command"].startswith("handup meal --people page") for meal in meals)
    assert_one_line_error(here("study", "protocol", "summary"), "no study of meals 'summary'", "meal-memory")
    assert_one_line_error(
        here("study", "protocol", "meal-home", "--participant", "0"), "participant must lie between 1"
    )


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
        (("modules=3", "modules=4"), ("modules must be set once, and is set twice",)),
        (("modules=many",), ("modules must be a whole number, got 'many'",)),
        (("modules=0",), ("modules must be a whole number from 1 to", "got 0")),
        (("confidences=0.9",), ("two numbers",)),
        (("structure=xor",), ("and, or, and-then-or, or-then-and, chain",)),
        (("world=mars",), ("default, replica",)),
        (("expert=1.5",), ("expert must lie between 0 and 1, got 1.5",)),
        (("beta=nan",), ("beta must lie between 0 and 1, got nan",)),
        (("method=graph",), ("half a method",)),
        (("method=troubleshoot", "world=replica"), ("the replica knows no method",)),
        (("tau=0.5",), ("has no setting 'tau'",)),
        (("episodes=0",), ("episodes must be a whole number from 1 to",)),
        (("=3",), ("there is no setting ''",)),
    ],
    ids=str,
)
def test_bad_settings_are_refused_with_the_good_ones(given: tuple[str, ...], words: tuple[str, ...]) -> None:
    called = here("study", "cell", *(part for text in given for part in ("--set", text)))
    assert_one_line_error(called, *words)
