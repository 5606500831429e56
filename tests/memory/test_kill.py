"""SIGKILL at every write point: what was acknowledged is remembered, nothing half, and nothing twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.journal.postgres import Server
from tests.kill.zygote import ROOT

LEAST = 40
"""So many write points has the course at least."""


def killed(*arguments: str) -> dict[str, Any]:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "tests.memory.killed", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_wherever_it_dies_what_was_acknowledged_is_remembered(tmp_path: Path) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    report = killed("fresh", str(folder))
    assert report["wrong"] == []
    assert report["ended"]
    assert report["died"] >= LEAST


def test_one_store_outlives_many_deaths(tmp_path: Path, server: Server) -> None:
    report = killed("on", server.new_database(), server.new_database(), str(tmp_path))
    assert report["wrong"] == []
    assert report["ended"]
    assert report["died"] >= 10
