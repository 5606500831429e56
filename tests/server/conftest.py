"""A server on a store of its own, and one that many tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.houses import House, house


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path / "house.db") as made:
        yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """For tests that leave no trace which others would see."""
    with house(tmp_path_factory.mktemp("house") / "house.db") as made:
        yield made
