"""A desk on a journal of its own, with a clock that can be set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.desk import Desk
from handup.journal import Journal
from tests.desk.desks import PEOPLE, SetClock, at


@pytest.fixture
def clock() -> SetClock:
    return SetClock(1000.0)


@pytest.fixture
def journal(tmp_path: Path, clock: SetClock) -> Iterator[Journal]:
    with Journal.open(at(tmp_path), clock=clock) as journal:
        yield journal


@pytest.fixture
def desk(journal: Journal) -> Desk:
    return Desk(journal, PEOPLE)
