"""Calls of the `handup` command: as a user's shell makes them, and within this process where there are many."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from handup.cli.main import run

SRC = Path(__file__).parents[2] / "src"

POLICY = """\
modules:
  camera: {confidence: 0.7, query_cost: 0.2}
  haptics: {confidence: 0.4, query_cost: 0.5}
  fusion: {confidence: 0.9, query_cost: 0.1, inputs: [camera, haptics], gate: or}
  grasp: {confidence: 0.3, query_cost: 0.3, inputs: [fusion, camera], question: "How should I hold it?"}
"""


@dataclass(frozen=True)
class Called:
    """How a call went."""

    code: int
    out: str
    err: str


def shell(*arguments: str | bytes, cwd: Path, columns: int = 80) -> Called:
    """A real process, in a folder of its own, on a terminal of some width."""
    environment = {**os.environ, "PYTHONPATH": str(SRC), "COLUMNS": str(columns)}
    done = subprocess.run(
        [sys.executable, "-m", "handup", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        timeout=120,
        check=False,
        text=True,
        encoding="utf-8",
    )
    return Called(done.returncode, done.stdout, done.stderr)


def here(*arguments: str, cwd: Path | None = None) -> Called:
    """Call the same entry point within this process. It is quicker: use it unless the process itself is tested."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.chdir(cwd or "."),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(sys, "argv", ["handup", *arguments])
        patch.setenv("COLUMNS", "80")
        try:
            run()
        except SystemExit as stop:
            code = stop.code
    assert isinstance(code, int)
    return Called(code, out.getvalue(), err.getvalue())


def assert_one_line_error(called: Called, *words: str, names: Sequence[str] = ()) -> None:
    """Exit code 2, nothing on stdout, one line on stderr that says what to do."""
    assert called.code == 2
    assert called.out == ""
    lines = called.err.splitlines()
    assert len(lines) == 1, called.err
    assert lines[0].startswith("handup: ")
    for word in (*words, *names):
        assert word in lines[0]
