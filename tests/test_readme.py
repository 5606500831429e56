"""CI runs every command and program that the README shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
COMMANDS = [line for kind, text in BLOCK.findall(README) if kind == "bash" for line in text.strip().splitlines()]
FIRST_LOOK = ".venv/bin/handup study run summary --quick"
PROGRAMS = [text for kind, text in BLOCK.findall(README) if kind == "python"]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, check=False
    )


def test_the_readme_shows_commands_and_one_program() -> None:
    assert "make demo" in COMMANDS
    assert "make test" in COMMANDS
    assert len(PROGRAMS) == 1


@pytest.mark.parametrize("command", [line for line in COMMANDS if line not in ("make test", FIRST_LOOK)])
def test_command_runs(command: str) -> None:
    """`make test` is what runs this very test."""
    words = shlex.split(command)
    if words[0] == ".venv/bin/handup":
        words[:1] = [sys.executable, "-m", "handup"]
    if words[0] == ".venv/bin/python":
        words[0] = sys.executable
    if words[0] == "make":
        assert words[1:] == ["demo"]  # tests/page/test_meal.py eats at the page
        words = [sys.executable, "-m", "handup", "meal", "--people", "simulated", "--bites", "1"]
        assert "$(BIN)/handup meal --people page" in (ROOT / "Makefile").read_text(encoding="utf-8")
    done = run(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert done.stderr == ""


def test_a_first_look_at_studies_runs_and_imports_nothing_of_the_worlds() -> None:
    assert FIRST_LOOK in COMMANDS
    code = """
import sys
from handup.cli.main import app
app(sys.argv[1:], standalone_mode=False)
rooms = ("handup.domains", "handup.intent", "handup.executive")
sys.exit(", ".join(name for name in sys.modules if name.startswith(rooms)) or 0)
"""
    done = run(sys.executable, "-c", code, *shlex.split(FIRST_LOOK)[1:])
    assert (done.returncode, done.stderr) == (0, "")
    assert "Report: " in done.stdout


def test_program_is_ten_lines_and_recovers() -> None:
    lines = [line for line in PROGRAMS[0].splitlines() if line.strip()]
    assert len(lines) == 10
    done = run(sys.executable, "-c", PROGRAMS[0])
    assert done.returncode == 0, done.stderr
    assert "ask grasp" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("act")


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / target).exists(), target
