"""Stores to test on: each test that takes `store` runs on both."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journal.postgres import database, server

__all__ = ["database", "server"]


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "journal.db")
    return str(request.getfixturevalue("database"))
