"""Studies by name: found by entry points, one at a time, and nothing of the others is imported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.core import BadSetting, ContractViolation
from handup.lab.engine.registry import names, study_of
from tests.lab.engine import coins


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    with coins.installed(tmp_path / "package") as folder:
        yield folder


@pytest.mark.usefixtures("package")
def test_an_outside_study_is_listed_behind_ours_found_and_guessed() -> None:
    assert names()[-1] == "coins"
    assert study_of("coins").question == "Which coin shows more heads?"
    with pytest.raises(BadSetting, match=r"there is no study 'coin'\. Did you mean 'coins'\?"):
        study_of("coin")


def test_an_entry_point_that_leads_elsewhere_is_refused(package: Path) -> None:
    (package / "coins-1.dist-info" / "entry_points.txt").write_text("[handup.studies]\nheads = coins:STUDY\n")
    with pytest.raises(ContractViolation, match=r"entry point 'heads' of handup\.studies leads to 'coins'"):
        study_of("heads")


def test_an_entry_point_that_cannot_be_loaded_is_named(package: Path) -> None:
    (package / "coins-1.dist-info" / "entry_points.txt").write_text("[handup.studies]\nheads = no_such_file:STUDY\n")
    with pytest.raises(ContractViolation, match=r"study 'heads' cannot be loaded from no_such_file:STUDY"):
        study_of("heads")


def test_naming_one_study_imports_nothing_of_the_others(package: Path, tmp_path: Path) -> None:
    code = """
import sys
from handup.lab.engine.registry import study_of
study_of("coins")
rooms = ("handup.domains", "handup.intent", "handup.executive", "handup.lab.studies", "matplotlib")
sys.exit(", ".join(name for name in sys.modules if name.startswith(rooms)) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
