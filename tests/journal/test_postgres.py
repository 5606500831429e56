"""What is particular to PostgreSQL: servers that are not there, go away, or refuse."""

from __future__ import annotations

import builtins
import socket
import threading
from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg.errors import SyntaxError
from sqlalchemy import text

from handup.core import DamagedJournal, MissingExtra, StoreUnavailable
from handup.journal import Journal
from handup.journal.postgres import CHANNEL, PostgresStore
from tests.journal.kinds import Noted, Said
from tests.journal.postgres import Server


def refused(url: str) -> str:
    with pytest.raises(StoreUnavailable) as error:
        Journal.open(url)
    assert "sesame" not in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_server_that_is_not_there(server: Server) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        said = refused(f"postgresql://ann:sesame@127.0.0.1:{free.getsockname()[1]}/x")
    assert "ann:***@" in said
    assert "can be reached" in said
    assert "does not exist" in refused(server.url("nowhere"))


def test_a_wrong_password_is_not_repeated(server: Server) -> None:
    server.run("DROP ROLE IF EXISTS locked", "CREATE ROLE locked LOGIN PASSWORD 'right'")
    said = refused(f"postgresql://locked:sesame@127.0.0.1:{server.port}/postgres")
    assert "Check user and password" in said


def test_a_user_without_rights(server: Server, database: str) -> None:
    server.run("DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN")
    name = database.rsplit("/", 1)[1]
    assert "Grant the user" in refused(server.url(name, "guest"))


def test_a_driver_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "psycopg":
            raise ModuleNotFoundError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"\[postgres\]"):
        Journal.open("postgresql://localhost/x")


@pytest.fixture
def own_server(server: Server) -> Iterator[Server]:
    yield server
    assert server.answers()


def test_it_goes_on_when_the_server_was_away(own_server: Server) -> None:
    server = own_server
    with Journal.open(server.new_database()) as journal:
        journal.append(Said(by="Ann", words="before"))
        assert not journal.wait(1, 0.0)
        server.stop()
        try:
            with pytest.raises(StoreUnavailable):
                journal.append(Noted(text="never"))
            with pytest.raises(StoreUnavailable):
                journal.wait(1, 1.0)
        finally:
            server.start()
        assert journal.append(Noted(text="after"))[0].seq == 2
        assert journal.wait(1, 5.0)
        assert journal.verify().entries == 2


def test_a_connection_lost_within_a_transaction_takes_it_back(server: Server, database: str) -> None:
    with Journal.open(database) as journal:
        with pytest.raises(StoreUnavailable), journal.writing() as writer:
            writer.append(Noted(text="never"))
            pid = writer.connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
            server.run(f"SELECT pg_terminate_backend({pid})")
            writer.append(Noted(text="never"))
        assert journal.append(Noted(text="first"))[0].seq == 1


def test_a_damaged_one_is_refused_every_time_and_can_be_read(database: str) -> None:
    with Journal.open(database) as journal:
        journal.append(Noted(text="a"), Noted(text="b"))
        with journal._store.writing() as connection:
            connection.execute(text("UPDATE entries SET body = '{\"said\"\\:{}}' WHERE seq = 2"))
    for _ in range(2):
        with pytest.raises(DamagedJournal, match="entry 2 is not what was written"):
            Journal.open(database)
    with Journal.open(database, readonly=True) as reader:
        assert reader.verify().bad_seq == 2


def test_waiting_hears_of_other_machines_by_itself(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handup.journal.journal.LISTENING_S", 60.0)
    listening, real = threading.Event(), PostgresStore.listen

    def listen(store: PostgresStore, told: Callable[[], None]) -> bool:
        started = real(store, told)
        listening.set()
        return started

    monkeypatch.setattr(PostgresStore, "listen", listen)
    with Journal.open(database) as journal, Journal.open(database) as other:
        done: list[bool] = []
        waiting = threading.Thread(target=lambda: done.append(journal.wait(0, 50.0)))
        waiting.start()
        assert listening.wait(20)
        other.append(Noted())
        waiting.join(20)
        assert done == [True]
        before = threading.active_count()
    assert threading.active_count() == before - 1, "the listener is gone"
    assert CHANNEL


def test_a_listener_that_cannot_listen_leaves_no_connection(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handup.journal.postgres.CHANNEL", "no such name")
    with Journal.open(database) as journal:
        with pytest.raises(SyntaxError):
            journal.wait(0, 1.0)
        name = database.rsplit("/", 1)[1]
        with psycopg.connect(server.url()) as connection:
            asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND query LIKE 'LISTEN%%'"
            assert connection.execute(asked, (name,)).fetchone() == (0,)


def test_settings_of_a_connection(database: str) -> None:
    with Journal.open(database, busy_timeout_s=2.5) as journal, journal._store.writing() as connection:
        wanted = {"synchronous_commit": "on", "lock_timeout": "2500ms", "idle_in_transaction_session_timeout": "30s"}
        assert {name: connection.execute(text(f"SHOW {name}")).scalar() for name in wanted} == wanted
    with Journal.open(database, readonly=True) as reader, pytest.raises(StoreUnavailable, match="only be read"):
        reader._store.read(lambda connection: connection.execute(text("DELETE FROM head")))
