"""A journal with a clock that can be set, on both stores."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from handup.core import ManualClock
from handup.journal import Journal


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1000.0)


@pytest.fixture
def journal(store: str, clock: ManualClock) -> Iterator[Journal]:
    with Journal.open(store, clock=clock) as opened:
        yield opened
