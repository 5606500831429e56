"""A memory on a journal of its own, on both stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.core import ManualClock
from handup.journal import Journal
from handup.memory import Memory
from tests.journal.postgres import database, server

__all__ = ["database", "server"]


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "journal.db")
    return str(request.getfixturevalue("database"))


@pytest.fixture
def journal(store: str) -> Iterator[Journal]:
    with Journal.open(store, clock=ManualClock(1000.0)) as opened:
        yield opened


@pytest.fixture
def memory(journal: Journal) -> Memory:
    return Memory(journal)
