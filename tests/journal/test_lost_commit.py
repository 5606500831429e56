"""A commit whose confirmation is lost: what is said is what became of it."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from handup.core import StoreUnavailable
from handup.journal import Journal
from tests.journal.kinds import Noted
from tests.journal.postgres import Server


class Wire:
    """Stands between a client and the server, and cuts the connection at a commit where told to.

    With `cut` "before", the server never sees the commit; with "after", the client never sees its confirmation.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self.cut = ""
        self.refuse_then = False
        self._refusing = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if self._refusing:
                    client.close()
                else:
                    threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        with suppress(OSError), client, socket.create_connection(("127.0.0.1", self._port)) as server:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    if not (data := ready.recv(65536)):
                        return
                    if ready is client and self.cut and b"COMMIT\0" in data:
                        how, self.cut, self._refusing = self.cut, "", self.refuse_then
                        if how == "after":
                            server.sendall(data)
                            assert server.recv(65536)
                        return
                    (server if ready is client else client).sendall(data)

    def close(self) -> None:
        self._listening.close()


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    made = Wire(server.port)
    yield made
    made.close()


@pytest.fixture
def journal(wire: Wire, server: Server, database: str) -> Iterator[Journal]:
    through = database.replace(f":{server.port}/", f":{wire.port}/")
    with Journal.open(through, busy_timeout_s=1.0) as opened:
        yield opened


def test_what_was_committed_counts_though_the_confirmation_was_lost(wire: Wire, journal: Journal) -> None:
    journal.append(Noted(text="one"))
    wire.cut = "after"
    made = journal.append(Noted(text="two"), Noted(text="three"))
    assert [entry.seq for entry in made] == [2, 3]
    assert list(journal.read(1)) == made
    assert journal.append(Noted())[0].seq == 4
    assert journal.verify().ok


def test_what_was_not_committed_is_said_not_to_be_there(wire: Wire, journal: Journal) -> None:
    wire.cut = "before"
    with pytest.raises(StoreUnavailable) as error:
        journal.append(Noted())
    assert "may or may not" not in str(error.value)
    assert journal.head().seq == 0
    assert journal.append(Noted())[0].seq == 1


@pytest.mark.parametrize(("cut", "there"), [("before", 0), ("after", 1)])
def test_where_it_cannot_be_told_it_is_said_so(
    wire: Wire, journal: Journal, database: str, cut: str, there: int
) -> None:
    wire.cut, wire.refuse_then = cut, True
    with pytest.raises(StoreUnavailable, match="may or may not have been added"):
        journal.append(Noted())
    with Journal.open(database, readonly=True) as reader:
        assert reader.head().seq == there


def test_a_snapshot_that_was_not_confirmed_says_so(wire: Wire, journal: Journal) -> None:
    wire.cut = "after"
    with pytest.raises(StoreUnavailable, match="may or may not"):
        journal.save_snapshot("desk", 0, {})


def test_another_entry_at_the_same_place_is_not_taken_for_ours(
    wire: Wire, journal: Journal, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = journal._store.is_kept

    def after_somebody_else(head: object) -> bool | None:
        with Journal.open(database) as other:
            other.append(Noted(text="theirs"))
        return real(head)  # type: ignore[arg-type]

    monkeypatch.setattr(journal._store, "is_kept", after_somebody_else)
    wire.cut = "before"
    with pytest.raises(StoreUnavailable):
        journal.append(Noted(text="mine"))
    assert [entry.event for entry in journal.read()] == [Noted(text="theirs")]


@pytest.mark.parametrize("kept", [True, False])
def test_a_file_that_does_not_confirm_is_looked_at_too(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    real = Connection._commit_impl

    def lost(self: Connection) -> None:
        monkeypatch.setattr(Connection, "_commit_impl", real)
        if kept:
            real(self)
        raise OperationalError(None, None, OSError("the disk does not answer"))

    with Journal.open(tmp_path_factory.mktemp("store") / "journal.db") as journal:
        monkeypatch.setattr(Connection, "_commit_impl", lost)
        if kept:
            journal.append(Noted())
        else:
            with pytest.raises(StoreUnavailable, match="does not answer"):
                journal.append(Noted())
        assert journal.head().seq == int(kept)
        assert journal.append(Noted())[0].seq == int(kept) + 1
