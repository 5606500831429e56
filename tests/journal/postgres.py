"""A PostgreSQL server of the tests' own: started once, on a free port of this machine, gone afterwards.

The fixtures stand in `tests/conftest.py` for all rooms: imported in several places they would start several servers.
"""

from __future__ import annotations

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from benchmarks import server as servers

_NUMBERS = count(1)
_SETTINGS = """
fsync = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 60
"""


class Server(servers.Server):
    """A server that runs."""

    def run(self, *statements: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            for each in statements:
                connection.execute(each.encode())

    def new_database(self) -> str:
        """The URL of a fresh database."""
        name = f"test_{os.getpid()}_{next(_NUMBERS)}"
        self.run(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
        return self.url(name)


def find_programs() -> Path:
    """The folder with initdb and postgres."""
    if found := servers.find_programs():
        return found
    pytest.fail("no PostgreSQL server here; run: apt-get install postgresql", pytrace=False)


def unprivileged() -> str | None:
    """Who runs the server: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A running server, one for each process that tests."""
    programs, user = find_programs(), unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="handup-postgres-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        running = Server(programs, folder, user=user, owner="tester", settings=_SETTINGS)
        rules = running.data / "pg_hba.conf"
        rules.write_text("host all locked 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
        running.start()
        try:
            yield running
        finally:
            running.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def database(server: Server) -> str:
    """The URL of a fresh database."""
    return server.new_database()
