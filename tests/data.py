"""The shared evaluation data, where it is at hand: named by HANDUP_DATA, or beside the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def data_folder(name: str) -> Path:
    """A folder of the shared data; skips the test, saying why, where there is none."""
    base = Path(os.environ.get("HANDUP_DATA") or ROOT.parent / "shared" / "data")
    if not (base / name).is_dir():
        pytest.skip(f"no shared data: neither HANDUP_DATA nor ../shared/data has the folder {name}")
    return base / name
