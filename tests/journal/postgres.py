"""A PostgreSQL server of the tests' own: started once, on a free port of this machine, gone afterwards.

Use the fixtures in another folder's tests by importing them in its conftest: `from tests.journal.postgres import
database, server`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest

_NUMBERS = count(1)
_SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 60
log_min_messages = fatal
"""


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    port: int
    bin: Path
    folder: Path
    user: str | None

    def url(self, database: str = "postgres", user: str = "tester") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def run(self, *statements: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            for each in statements:
                connection.execute(each.encode())

    def new_database(self) -> str:
        """The URL of a fresh database."""
        name = f"test_{os.getpid()}_{next(_NUMBERS)}"
        self.run(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
        return self.url(name)

    def control(self, *words: str) -> None:
        _call([str(self.bin / "pg_ctl"), "-D", str(self.folder / "data"), "-w", "-t", "30", *words], self.user)

    def start(self) -> None:
        self.control("-l", str(self.folder / "log"), "-o", f"-p {self.port}", "start")

    def stop(self) -> None:
        self.control("-m", "immediate", "stop")


def find_programs() -> Path:
    """The folder with initdb and pg_ctl."""
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    pytest.fail("no PostgreSQL server here; run: apt-get install postgresql", pytrace=False)


def _unprivileged() -> str | None:
    """Who runs the server: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _call(command: list[str], user: str | None) -> None:
    done = subprocess.run(
        command,
        user=user,
        cwd="/",
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if "start" not in command else subprocess.DEVNULL,
        stderr=subprocess.STDOUT if "start" not in command else subprocess.DEVNULL,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(f"{' '.join(command)} failed: {done.stdout}", pytrace=False)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A running server, one for each process that tests."""
    programs, user = find_programs(), _unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="handup-postgres-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        data = folder / "data"
        made = ["-D", str(data), "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"]
        _call([str(programs / "initdb"), *made], user)
        with (data / "postgresql.conf").open("a") as settings:
            settings.write(_SETTINGS)
        rules = data / "pg_hba.conf"
        rules.write_text("host all locked 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
        running = Server(_free_port(), programs, folder, user)
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
