"""A PostgreSQL server of one's own, for benchmarks and tests: on a free port of this machine, gone afterwards.

It ends with the program that started it, even if that is killed: a shell between them waits for a word on a pipe, and
the pipe's end is as good as a word.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

Places = Callable[[str], str]
SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
log_min_messages = fatal
"""
WAIT_S = 30.0
_KEEPER = """
"$@" >/dev/null 2>&1 &
if read -r _; then kill -QUIT $!; wait; else kill -QUIT $!; wait; rm -rf "$0"; fi
"""
err = Console(stderr=True)


class Server:
    """A server with files of its own in a folder; `start` and `stop` as often as needed."""

    def __init__(self, programs: Path, folder: Path, *, user: str | None, owner: str, settings: str = "") -> None:
        self.programs, self.folder, self.user, self.owner = programs, folder, user, owner
        self.data = folder / "data"
        self.port = free_port()
        self._keeper: subprocess.Popen[bytes] | None = None
        made = ("-D", self.data, "-U", owner, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        _call(user, programs / "initdb", *made)
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as written:
            written.write(SETTINGS + settings)

    def url(self, database: str = "postgres", user: str | None = None) -> str:
        """The URL of one of its databases."""
        return f"postgresql://{user or self.owner}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, self.data, self.programs / "postgres", "-D", self.data, "-p", str(self.port)],
            user=self.user,
            cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        until = time.monotonic() + WAIT_S
        while not self.answers():
            if time.monotonic() > until:
                self.stop()
                raise TimeoutError(f"the PostgreSQL server in {self.folder} does not answer")
            time.sleep(0.02)

    def answers(self) -> bool:
        """Whether it lets somebody in."""
        asked = [str(self.programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(asked, check=False).returncode == 0

    def stop(self) -> None:
        """End it at once, as a crash would. What was committed is there when it is started again."""
        if self._keeper is not None:
            self._keeper.communicate(b"\n", timeout=WAIT_S)
            self._keeper = None


@contextmanager
def postgres_server(folder: Path, url: str | None) -> Iterator[Places | None]:
    """Where databases are: for each name the URL of one; None where no server's programs are installed.

    Args:
        folder: Where the server keeps its files, if one is started; they are written with full sync.
        url: A database that is there already; it is used for everything.
    """
    if url is not None:
        yield lambda _name: url
        return
    programs = find_programs()
    if programs is None:
        err.print("No PostgreSQL here; only SQLite is measured.")
        yield None
        return
    user = None if os.geteuid() else "nobody"  # a server refuses to run as root
    with _home(folder, user) as home:
        server = Server(programs, home, user=user, owner="bench")
        server.start()

        def database(name: str) -> str:
            _call(user, programs / "createdb", "-h", "127.0.0.1", "-p", server.port, "-U", "bench", name)
            return server.url(name)

        try:
            yield database
        finally:
            server.stop()


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


def find_programs() -> Path | None:
    """The folder with the server's programs; None where there are none."""
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    found = shutil.which("initdb")
    return None if found is None else Path(found).resolve().parent


def free_port() -> int:
    """A port of this machine that nobody uses just now."""
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
