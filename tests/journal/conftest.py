"""Stores to test on: each test that takes `store` runs on both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.core import ManualClock
from handup.journal import Journal
from tests.journal.postgres import database, server

__all__ = ["database", "server"]


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "journal.db")
    return str(request.getfixturevalue("database"))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1000.0)


@pytest.fixture
def journal(store: str, clock: ManualClock) -> Iterator[Journal]:
    with Journal.open(store, clock=clock) as opened:
        yield opened
