"""A memory on a journal of its own, on both stores."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from handup.core import ManualClock
from handup.journal import Journal
from handup.memory import Memory


@pytest.fixture
def journal(store: str) -> Iterator[Journal]:
    with Journal.open(store, clock=ManualClock(1000.0)) as opened:
        yield opened


@pytest.fixture
def memory(journal: Journal) -> Memory:
    return Memory(journal)
