"""The wheel has all that commands need: its copy alone runs them, in an empty folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import outside
from tests.data import ROOT

QUICKEST = """
import sys
import handup
assert handup.__file__.startswith(sys.argv[1]), handup.__file__
from handup.cli.main import run
from handup.lab.bench import simulator
simulator.SIZES, simulator.WORK, simulator.REPEATS, simulator.STEPPED = (3,), 30, 1, 1
sys.argv = ["handup", "bench", "simulator", "--json"]
run()
"""
"""A benchmark of little work."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, and return a folder in which it is installed."""
    wheels, folder = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("copy")
    python = [sys.executable, "-m"]
    subprocess.run([*python, "hatchling", "build", "-t", "wheel", "-d", str(wheels)], cwd=ROOT, check=True)
    (wheel,) = wheels.glob("*.whl")
    pip = [*python, "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--target", str(folder)]
    subprocess.run([*pip, str(wheel)], check=True)
    return folder


def printed(copy: Path, cwd: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=outside.environment(copy),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_commands_run_in_an_empty_folder(copy: Path, tmp_path: Path) -> None:
    assert "Example: handup bench decisions" in printed(copy, tmp_path, "-m", "handup", "bench", "decisions", "--help")
    assert json.loads(printed(copy, tmp_path, "-c", QUICKEST, str(copy)))
    studies = json.loads(printed(copy, tmp_path, "-m", "handup", "study", "list", "--json"))["studies"]
    assert {"summary", "meal-memory", "reaching"} <= {study["name"] for study in studies}
    assert list(tmp_path.iterdir()) == []
