"""Help, version, doctor and bench."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import handup
from handup.cli import doctor
from handup.cli.main import app, command_of
from handup.cli.options import COMMANDS as LISTED
from handup.core.installation import install_command
from handup.lab.bench import decisions, executive, harness, simulator
from handup.lab.bench.harness import TimedCalls
from tests.cli.calls import here, shell
from tools import command_pages

STUDY = [["study"], ["study", "list"], ["study", "run"], ["study", "cell"]]
BENCH = [["bench"], ["bench", "decisions"], ["bench", "simulator"], ["bench", "executive"], ["bench", "intent"]]
PEOPLE = [["people"], ["people", "evaluate"]]
WORKLOAD = [["workload"], ["workload", "fit"], ["workload", "show"]]
JOURNAL = [["journal"], *(["journal", verb] for verb in ("verify", "export", "replay", "triage", "erase", "repair"))]
RECIPE = [["recipe"], ["recipe", "check"], ["recipe", "show"], ["recipe", "test"]]
PLAIN = [
    *(["decide"], ["ask"], ["answer"], ["meal"], ["plate"], ["reach"], ["serve"], ["pair"], ["page"]),
    *(["advise"], ["calibrate"], ["doctor"], ["run"], ["inject"]),
]
COMMANDS = [[], *PLAIN, *BENCH, *JOURNAL, *PEOPLE, *RECIPE, *STUDY, *WORKLOAD]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_help_of_every_command_shows_an_example_and_exit_codes(command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--help"])
    assert result.exit_code == 0
    assert "Example: handup" in result.output
    assert "Exit codes: 0" in result.output
    assert "--help" in result.output


def test_every_command_is_in_this_test() -> None:
    help_text = CliRunner().invoke(app, ["--help"]).output
    listed = help_text.split("Commands:")[1].split("Example:")[0]
    names = {line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2:3].strip()}
    assert names == {command[0] for command in COMMANDS if command}


@pytest.mark.parametrize("name", LISTED)
def test_a_command_is_listed_with_the_first_sentence_of_its_own_help(name: str) -> None:
    own = " ".join(command_of(name).help.split("\n\n")[0].split())
    assert own.startswith(LISTED[name])
    assert len(own) == len(LISTED[name]) or own[len(LISTED[name])] == " "


def test_the_docs_list_the_options_that_commands_have() -> None:
    """Run `python -m tools.command_pages` after a change of a help text."""
    text = command_pages.FILE.read_text(encoding="utf-8")
    assert command_pages.page(text) == text


def test_only_the_command_that_is_called_is_imported(tmp_path: Path) -> None:
    code = """
import sys
from handup.cli.main import app
app(sys.argv[1:], standalone_mode=False)
sys.exit(", ".join(name for name in sys.modules if name.startswith(("sqlalchemy", "scipy", "handup.cli.meal"))) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code, "--help"], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "command", [[], ["bench"], ["journal"], ["people"], ["recipe"], ["study"], ["workload"]], ids=" ".join
)
def test_without_a_command_the_help_is_shown(command: list[str]) -> None:
    called = here(*command)
    assert (called.code, called.err) == (0, "")
    assert called.out == here(*command, "--help").out


def test_the_version_is_the_packages(tmp_path: Path) -> None:
    called = shell("--version", cwd=tmp_path)
    assert (called.code, called.out, called.err) == (0, f"handup {handup.__version__}\n", "")


def test_doctor_finds_a_working_install(tmp_path: Path) -> None:
    called = here("doctor", cwd=tmp_path)
    assert (called.code, called.err) == (0, "")
    assert "self-test" in called.out
    assert "passed" in called.out
    assert not list(tmp_path.iterdir())


def test_doctor_tells_in_json_what_is_installed() -> None:
    called = here("doctor", "--json")
    found = json.loads(called.out)
    assert set(found) == {"handup", "python", "base", "extras", "self_test"}
    assert found["self_test"] is True
    assert all(found["base"].values())
    assert set(found["extras"]) == {"lab", "mip", "models", "sim", "web", "trees", "postgres", "notify", "docs"}


def test_doctor_names_the_command_that_installs_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(doctor.EXTRAS, "lab", ("no_such_package_at_all",))
    called = here("doctor")
    assert called.code == 0, "an extra is not needed"
    assert install_command("lab") in called.out


def test_doctor_fails_where_the_base_install_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "BASE", ("no_such_package_at_all",))
    called = here("doctor", "--json")
    assert called.code == 1
    assert json.loads(called.out)["base"] == {"no_such_package_at_all": None}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "SIZES", (5, 10))
    monkeypatch.setattr(harness, "BUDGET_S", 0.0)


@pytest.mark.usefixtures("quick")
def test_bench_decisions_measures_ours_beside_the_textbook_in_json() -> None:
    result = CliRunner().invoke(app, ["bench", "decisions", "--json", "--seed", "3"])
    assert result.exit_code == 0
    found: dict[str, Any] = json.loads(result.stdout)
    assert set(found) == {"seed", "rows"}
    assert found["seed"] == 3
    keys = {"selector", "structure", "modules", "us", "baseline", "baseline_us", "ratio"}
    assert all(set(row) == keys for row in found["rows"])
    assert {"topo", "graph", "binary-tree", "mip", "troubleshoot"} <= {row["selector"] for row in found["rows"]}
    for row in found["rows"]:
        assert row["us"] > 0.0
        if row["ratio"] is not None:
            assert row["ratio"] == pytest.approx(row["baseline_us"] / row["us"])


@pytest.mark.usefixtures("quick")
def test_bench_decisions_prints_a_table_for_people() -> None:
    called = here("bench", "decisions")
    assert called.code == 0
    assert "textbook µs" in called.out
    assert "troubleshoot" in called.out


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator, "SIZES", (5, 10))
    monkeypatch.setattr(simulator, "WORK", 20_000)
    monkeypatch.setattr(simulator, "STEPPED", 5)


@pytest.mark.usefixtures("little_work")
def test_bench_simulator_counts_episodes_beside_one_at_a_time_in_json() -> None:
    result = CliRunner().invoke(app, ["bench", "simulator", "--json", "--seed", "3"])
    assert result.exit_code == 0
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["seed"] == 3
    assert [row["modules"] for row in found["rows"]] == [5, 10]
    for row in found["rows"]:
        assert (row["world"], row["method"]) == ("replica", "graph+workload-aware")
        assert row["episodes_per_s"] > 0.0
        assert row["ratio"] == pytest.approx(row["episodes_per_s"] / row["baseline_episodes_per_s"])


@pytest.mark.usefixtures("little_work")
def test_bench_simulator_prints_a_table_for_people() -> None:
    called = here("bench", "simulator")
    assert called.code == 0
    assert "episodes/s" in called.out
    assert "one by one" in called.out


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, count in (("TASKS", 4), ("ACTIONS", 20), ("DURABLE", 20), ("REPEATS", 1)):
        monkeypatch.setattr(executive, name, count)


@pytest.mark.usefixtures("few_steps")
def test_bench_executive_measures_ours_beside_others_in_json() -> None:
    result = CliRunner().invoke(app, ["bench", "executive", "--json"])
    assert result.exit_code == 0
    rows: list[dict[str, Any]] = json.loads(result.stdout)["rows"]
    assert [row["unit"] for row in rows[:5]] == ["µs/step", "µs/step", "steps/s", "steps/s", "s"]
    trees, script, ruamel = "py_trees", "sqlite3, plain script", "ruamel.yaml, reading only"
    assert [row["baseline"] for row in rows[:5]] == [trees, trees, script, script, ruamel]
    assert [row["bar"] for row in rows[:5]] == [50.0, 50.0, 2000.0, None, 1.0]
    assert all(row["name"].startswith("refused: ") and row["bar"] == 1.0 for row in rows[5:])
    for row in rows:
        assert row["processor"] > 0.0
        assert row["wall"] > 0.0
        if row["bar"] is not None:
            kept = row["wall"] >= row["bar"] if row["unit"] == "steps/s" else row["processor"] <= row["bar"]
            assert row["kept"] is kept


@pytest.mark.usefixtures("few_steps")
def test_bench_executive_prints_a_table_for_people() -> None:
    called = here("bench", "executive")
    assert called.code == 0
    assert "beside it" in called.out
    assert "refused: 200,000 values" in called.out


@pytest.mark.parametrize(
    ("took_us", "option", "code"), [(51.0, "--check", 1), (51.0, "--json", 0), (49.0, "--check", 0)]
)
def test_bench_executive_fails_where_a_promise_is_broken_if_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, took_us: float, option: str, code: int
) -> None:
    step = partial(executive.row_of, "a step", "µs/step", TimedCalls(processor_s=[took_us / 1e6], wall_s=[9e9]), 50.0)
    other = partial(executive.row_of, "without a promise", "s", TimedCalls(processor_s=[9e9], wall_s=[9e9]), None)
    monkeypatch.setattr(executive, "measures", lambda: [step, other])
    called = here("bench", "executive", option)
    assert called.code == code
    assert ("Worse than promised here: a step." in called.err) == bool(code)


@pytest.mark.usefixtures("few_steps")
def test_bench_executive_says_how_to_install_what_it_compares_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py_trees.behaviour", None)
    called = here("bench", "executive")
    assert called.code == 2
    assert install_command("trees") in called.err
