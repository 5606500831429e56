"""A PostgreSQL server for a benchmark: with full sync, on the disk that is measured, gone afterwards."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

Places = Callable[[str], str]
SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
port = {port}
"""
err = Console(stderr=True)


@contextmanager
def postgres_server(folder: Path, url: str | None) -> Iterator[Places | None]:
    """Where databases are: for each name the URL of one; None where no server's programs are installed.

    Args:
        folder: Where the server keeps its files, if one is started.
        url: A database that is there already; it is used for everything.
    """
    if url is not None:
        yield lambda _name: url
        return
    programs = _programs()
    if programs is None:
        err.print("No PostgreSQL here; only SQLite is measured.")
        yield None
        return
    user = None if os.geteuid() else "nobody"  # a server refuses to run as root
    with _home(folder, user) as home:
        data, port = home / "data", _free_port()
        made = ("-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        _call(user, programs / "initdb", *made)
        with (data / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write(SETTINGS.format(port=port))
        control = (programs / "pg_ctl", "-D", data, "-w", "-l", home / "log")
        _call(user, *control, "start")

        def database(name: str) -> str:
            _call(user, programs / "createdb", "-h", "127.0.0.1", "-p", port, "-U", "bench", name)
            return f"postgresql://bench@127.0.0.1:{port}/{name}"

        try:
            yield database
        finally:
            _call(user, *control, "-m", "fast", "stop")


@contextmanager
def _home(folder: Path, user: str | None) -> Iterator[Path]:
    """A folder that the server's user can reach: in the one that is measured, if possible."""
    if user is None:
        yield folder
        return
    folder.chmod(0o711)
    found = subprocess.run(["test", "-x", str(folder)], user=user, check=False)
    if found.returncode == 0:
        home = folder / "postgres"
        home.mkdir()
        shutil.chown(home, user)
        yield home
        return
    with tempfile.TemporaryDirectory(prefix="bench-postgres-", dir="/tmp") as other:
        err.print(f"PostgreSQL may not reach that folder as '{user}'; its files lie in {other}.")
        shutil.chown(other, user)
        yield Path(other)


def _programs() -> Path | None:
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists():
            return folder
    found = shutil.which("initdb")
    return None if found is None else Path(found).resolve().parent


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _call(user: str | None, *command: object) -> None:
    subprocess.run(
        [str(each) for each in command],
        user=user,
        cwd="/",
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
