"""Real servers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.client.servers import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests of a file that leave it as it was."""
    made = Server(tmp_path_factory.mktemp("server"))
    made.start()
    yield made
    made.kill()


@pytest.fixture
def own_server(server: Server) -> Iterator[Server]:
    """The same one, to be killed, paused and stopped; it recovers afterwards."""
    yield server
    server.recover()
