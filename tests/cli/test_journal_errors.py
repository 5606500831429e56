"""A store that cannot be used: one clear line on stderr, exit code 2, nothing changed, whichever command it is."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from handup.journal import Journal
from tests.cli.calls import SRC, Called, assert_one_line_error, here, shell
from tests.cli.histories import content, history
from tests.journal.kinds import Noted
from tests.journal.postgres import Server

COMMANDS = {
    "verify": ["verify", "{}"],
    "export": ["export", "{}"],
    "replay": ["replay", "{}"],
    "erase": ["erase", "{}", "Ana", "--yes"],
    "repair": ["repair", "{}", "--yes"],
}
AS_NOBODY = """
import os, sys, tempfile
from handup.cli import journal, journal_replay
from handup.cli.main import run
from handup.journal import Journal
with tempfile.TemporaryDirectory() as folder:  # what is imported late must be there before the rights are gone
    Journal.open(folder + "/warm.db").close()
    with Journal.open(folder + "/warm.db", readonly=True) as warm:
        warm.verify()
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
run()
"""


def arguments(command: str, store: str) -> list[str]:
    return ["journal", *(word.format(store) for word in COMMANDS[command])]


def missing(folder: Path) -> list[str]:
    return ["there is no journal at", "Check the path"]


def directory(folder: Path) -> list[str]:
    (folder / "robot.db").mkdir()
    return ["robot.db is a folder, no journal"]


def no_database(folder: Path) -> list[str]:
    (folder / "robot.db").write_bytes(b"Dear diary, " * 1000)
    return ["robot.db", "no journal", "left as it is"]


def empty_file(folder: Path) -> list[str]:
    (folder / "robot.db").touch()
    return ["robot.db is empty, no journal"]


def something_else(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "robot.db")) as raw, raw:
        raw.execute("CREATE TABLE recipes (name TEXT)")
    return ["a database of something else"]


def newer(folder: Path) -> list[str]:
    with closing(sqlite3.connect(history(folder, "robot.db"))) as raw, raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    return ["'9999'", "a newer one"]


CASES: list[Callable[[Path], list[str]]] = [missing, directory, no_database, empty_file, something_else, newer]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HANDUP_STORE", raising=False)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_file_that_is_no_usable_journal(case: Callable[[Path], list[str]], command: str, folder: Path) -> None:
    words = case(folder)
    before = content(folder)
    assert_one_line_error(here(*arguments(command, "robot.db")), *words)
    assert content(folder) == before


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("store", "words"),
    [
        ("mysql://root@localhost/x", ["got 'mysql'"]),
        ("postgresql://host:port/x", ["cannot be read"]),
        ("sqlite://", ["none is named"]),
        ("", ["none is named"]),
        ("no/such/folder/robot.db", ["no/such/folder"]),
    ],
)
def test_a_store_that_names_nothing(store: str, words: list[str], command: str, folder: Path) -> None:
    assert_one_line_error(here(*arguments(command, store)), *words)


@pytest.mark.parametrize("command", ["verify", "export", "replay", "erase"])
def test_a_database_that_cannot_be_reached(command: str, folder: Path) -> None:
    with socket.socket() as taken:  # bound, so nobody listens there
        taken.bind(("127.0.0.1", 0))
        store = f"postgresql://robot:very-secret@127.0.0.1:{taken.getsockname()[1]}/handup"
        called = here(*arguments(command, store))
    assert_one_line_error(called, "127.0.0.1", "Check that the server runs")
    assert "very-secret" not in called.err


@pytest.mark.parametrize("command", ["verify", "export", "replay", "erase"])
def test_a_database_without_a_journal(command: str, database: str) -> None:
    assert_one_line_error(here(*arguments(command, database)), "there is no journal in", "Check the name")


def test_a_database_that_does_not_exist(server: Server) -> None:
    assert_one_line_error(here("journal", "verify", server.url("nowhere")), "does not exist")


def test_the_commands_work_on_postgresql(database: str, folder: Path) -> None:
    with Journal.open(database) as journal:
        journal.append(Noted(text="hello"), run="lunch")
    assert "is whole: 1 entry" in here("journal", "verify", database).out
    assert '"text": "hello"' in here("journal", "export", database).out
    assert "test.noted" in here("journal", "replay", database).out
    assert here("journal", "erase", database, "Ana", "--yes").code == 1
    assert_one_line_error(here("journal", "repair", database, "--yes"), "Restore the database from a backup")


def test_a_name_that_is_no_text_makes_no_traceback(folder: Path) -> None:
    assert_one_line_error(shell("journal", "verify", b"\xff.db", cwd=folder), "there is no journal at")


def test_a_locked_store_is_not_changed(folder: Path) -> None:
    store = history(folder)
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        called = here("journal", "erase", "handup.db", "Ana", "--yes")
        assert_one_line_error(called, "is locked by another program", "nothing was changed")
        other.execute("ROLLBACK")
    assert here("journal", "verify").code == 0
    assert "Ana" in here("journal", "export").out


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody can reach."""
    path = Path(tempfile.mkdtemp(prefix="handup-rights-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def as_nobody(*words: str, cwd: Path) -> Called:
    """The command, as a user without rights."""
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SRC)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Called(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("command", ["verify", "erase", "repair"])
def test_a_file_without_permission(command: str, open_folder: Path) -> None:
    store = history(open_folder)
    for each in open_folder.iterdir():
        each.chmod(0o000)
    called = as_nobody(*arguments(command, str(store)), cwd=open_folder)
    for each in open_folder.iterdir():
        each.chmod(0o600)
    assert_one_line_error(called, "handup.db", "permission")


def test_a_store_that_may_only_be_read_is_read_and_not_erased_from(open_folder: Path) -> None:
    store = str(history(open_folder))
    for each in open_folder.iterdir():
        each.chmod(0o444)
    open_folder.chmod(0o555)
    before = content(open_folder)
    assert as_nobody(*arguments("verify", store), cwd=open_folder).code == 0
    assert_one_line_error(as_nobody(*arguments("erase", store), cwd=open_folder), "may not be")
    assert content(open_folder) == before
    open_folder.chmod(0o755)


def test_an_export_to_a_folder_without_permission_is_one_line(open_folder: Path) -> None:
    store = str(history(open_folder))
    for each in open_folder.iterdir():
        each.chmod(0o444)
    open_folder.chmod(0o555)
    called = as_nobody("journal", "export", store, "--to", str(open_folder / "all.csv"), cwd=open_folder)
    assert (called.code, called.out) == (1, "")
    assert called.err.count("\n") == 1
    assert "Permission denied" in called.err
    open_folder.chmod(0o755)
