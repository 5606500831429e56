"""The types of the page: made from the server's description, and complete."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from handup.core.kinds import RULES
from handup.core.panels import PANELS
from handup.server.models import FRAMES
from tools import page_types


def test_the_page_has_the_types_that_the_server_describes() -> None:
    assert page_types.FILE.read_text(encoding="utf-8") == page_types.page_types(), page_types.STALE


def test_types_that_are_out_of_date_are_refused_with_the_command_that_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_types, "FILE", tmp_path / "wire.ts")
    monkeypatch.setattr(sys, "argv", ["page_types", "--check"])
    with pytest.raises(SystemExit, match="Run: make wire"):
        page_types.main()
    monkeypatch.setattr(sys, "argv", ["page_types"])
    page_types.main()
    monkeypatch.setattr(sys, "argv", ["page_types", "--check"])
    page_types.main()


def test_it_runs_as_make_runs_it() -> None:
    root = page_types.FILE.parents[2]
    subprocess.run([sys.executable, "-m", "tools.page_types", "--check"], cwd=root, check=True, timeout=60)


def test_every_kind_panel_and_frame_of_people_is_in_them() -> None:
    text = page_types.page_types()
    for panel in PANELS.values():
        assert f"export interface {panel.__name__} {{" in text
    for kind in RULES:
        assert f'"{kind}"' in text
    for name in ("FromPerson", "ToPerson"):
        for frame in FRAMES[name]:
            assert f"export interface {frame.__name__} {{" in text
