"""Stores that cannot be used: one clear line, and nothing changed."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from sqlalchemy import Engine

from handup.core import BadSetting, DamagedJournal, HandupError, StoreUnavailable
from handup.journal import Journal
from handup.journal.files import Witness
from handup.journal.sqlite import sqlite_engine
from tests.journal.kinds import Noted
from tests.journal.stores import content, copy_of
from tests.journal.test_processes import start


def child(*words: str) -> Any:
    running = start(*words)
    out, err = running.communicate(timeout=100)
    assert running.returncode == 0, err
    return json.loads(out)


def refused(path: Path, *, create: bool = True, readonly: bool = False) -> str:
    """What is said when a path is refused; it must leave everything as it is."""
    folder = path if path.is_dir() else path.parent
    before = content(folder) if folder.is_dir() else {}
    with pytest.raises(StoreUnavailable) as error:
        Journal.open(path, create=create, readonly=readonly)
    assert error.value.exit_code == 2
    assert "\n" not in str(error.value)
    assert (content(folder) if folder.is_dir() else {}) == before
    return error.value.cause


@pytest.mark.parametrize("readonly", [False, True])
def test_what_is_no_journal_is_left_alone(tmp_path: Path, readonly: bool) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("These are my notes. " * 99)
    short = tmp_path / "short"
    short.write_bytes(b"x")
    empty = tmp_path / "empty"
    empty.touch()
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE entries (x)")
    for path in (text, short, other, empty):
        assert "no journal" in refused(path, readonly=readonly)
    folder = tmp_path / "folder"
    folder.mkdir()
    assert "a folder" in refused(folder, readonly=readonly)
    assert "no" in refused(tmp_path / "none" / "journal.db", readonly=readonly)
    assert "no journal at" in refused(tmp_path / "none.db", create=False)
    refused(text / "journal.db", readonly=readonly)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter; pytest's own may not."""
    with TemporaryDirectory(prefix="handup-open-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_files_and_folders_without_rights_are_named_and_stay_as_they_are(open_folder: Path) -> None:
    cases = {"file": (0o444, 0o777, "file"), "folder": (0o666, 0o555, "file"), "hidden": (0o000, 0o777, "file")}
    for name, (mode, folder_mode, where) in {**cases, "log": (0o444, 0o555, "log")}.items():
        path, _ = copy_of(where, open_folder / name)
        for each in path.parent.iterdir():
            each.chmod(mode)
        path.parent.chmod(folder_mode)
    found = child("nobody", str(open_folder))
    for name in (*cases, "log"):
        (open_folder / name).chmod(0o755)
    count = len(copy_of("file", open_folder / "again")[1])
    assert {name for name, answer in found.items() if answer == [count, True]} == {"file read", "folder read"}
    refusals = {name: answer for name, answer in found.items() if answer != [count, True]}
    assert set(refusals) == {f"{name} write" for name in (*cases, "log")} | {"hidden read", "log read"}
    assert all("HU403" in said and "\n" not in said for said in refusals.values())
    assert "journal.db may not be" in refusals["file write"]
    assert "folder" in refusals["folder write"]
    assert "the log of the store" in refusals["log read"], "without its log it would be shorter, silently"


def test_reading_leaves_no_trace_and_sees_what_others_write(tmp_path: Path) -> None:
    path, made = copy_of("file", tmp_path / "store")
    (path.parent / "journal.db.lock").unlink()
    before = content(path.parent)
    with Journal.open(path, readonly=True) as reader:
        assert tuple(reader.read()) == made
        assert reader.verify().ok
        assert content(path.parent) == before
        with Journal.open(path) as writer:
            writer.append(Noted(text="new"))
            assert reader.head().seq == len(made) + 1
        assert reader.verify().entries == len(made) + 1
        with Journal.open(path) as writer:
            writer.append(Noted(text="newer"))
        assert [entry.seq for entry in reader.read(len(made))] == [len(made) + 1, len(made) + 2]


@pytest.mark.parametrize("witnessed", [False, True])
def test_what_is_half_written_just_now_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, witnessed: bool
) -> None:
    path = tmp_path / "journal.db"
    Journal.open(path).close()
    if not witnessed:
        Witness(path).path.unlink()  # as a store that another program has only just made
    whole, since = path.read_bytes(), path.stat().st_mtime_ns
    looks = 0

    def look(*given: Any, **also: Any) -> Engine:
        nonlocal looks
        looks += 1
        path.write_bytes(whole[:100] + bytes(300) + whole[400:] if looks == 1 else whole)
        os.utime(path, ns=(since, since))  # a file system's clock is coarse
        return sqlite_engine(*given, **also)

    monkeypatch.setattr("handup.journal.sqlite.sqlite_engine", look)
    with Journal.open(path) as journal:
        assert journal.verify().ok
    assert looks > 2


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    found = child("fill", str(tmp_path / "journal.db"), "120000")
    assert found["ok"]
    assert found["here"] == found["acknowledged"]
    assert len(found["said"]) == 3
    assert all("HU403" in said and "nothing was changed" in said for said in found["said"])
    with Journal.open(tmp_path / "journal.db") as journal:
        assert [entry.hash for entry in journal.read()] == found["acknowledged"]


def test_a_store_that_may_not_grow_says_that_there_is_no_room(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        made = journal.append(Noted(text="x"))
        with journal._store.writing() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        with pytest.raises(StoreUnavailable, match="no room left"):
            journal.append(Noted(text="y" * 50_000))
        assert list(journal.read()) == made
        with journal._store.writing() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count=1000000")
        journal.append(Noted(text="y" * 50_000))
        assert journal.verify().ok


def test_a_disk_too_full_for_a_new_store_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("handup.journal.opener.migrate", full)
    with pytest.raises(HandupError, match="No space left"):
        Journal.open(tmp_path / "journal.db")
    assert [each.name for each in tmp_path.iterdir()] == ["journal.db.lock"]


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_store_that_goes_away_while_it_is_open_takes_no_more_entries(tmp_path: Path, how: str) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.append(Noted())
        if how == "deleted":
            path.unlink()
        else:
            path.rename(tmp_path / "elsewhere.db")
            path.touch()
        with pytest.raises(StoreUnavailable, match="moved or deleted"):
            journal.append(Noted())
    with pytest.raises(DamagedJournal):
        Journal.open(path)


def test_a_link_to_a_store_is_the_store(tmp_path: Path) -> None:
    path, made = copy_of("file", tmp_path / "store")
    (tmp_path / "link.db").symlink_to(path)
    with Journal.open(tmp_path / "link.db") as journal:
        assert tuple(journal.read()) == made
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["link.db"]


def test_every_connection_syncs_in_full(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db", busy_timeout_s=2.5) as journal, journal._store.writing() as connection:
        wanted = {"synchronous": 2, "journal_mode": "wal", "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 2500}
        assert {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in wanted} == wanted


def test_the_head_alone_is_checked_where_that_is_asked_for(store: str) -> None:
    with Journal.open(store, check="head") as journal:
        journal.append(Noted(text="a"), Noted(text="b"))
        with journal._store.writing() as connection:
            connection.exec_driver_sql("UPDATE entries SET body = '{}' WHERE seq = 1")
    with Journal.open(store, check="head") as journal:
        assert journal.append(Noted(text="stop"))[0].seq == 3, "old damage does not stand in the way"
        assert not journal.verify().ok
    with pytest.raises(DamagedJournal, match="entry 1 is not what was written"):
        Journal.open(store)
    with pytest.raises(BadSetting, match="check must be"):
        Journal.open(store, check="some")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("UPDATE entries SET body = '{}' WHERE seq = 2", "entry 2 is not what was written"),
        ("DELETE FROM entries WHERE seq = 2", "the head is not the last entry's"),
        ("UPDATE head SET seq = 1", "the head is not the last entry's"),
        ("DELETE FROM head", "head is missing"),
    ],
)
def test_a_damaged_head_is_found_even_so(store: str, change: str, why: str) -> None:
    with Journal.open(store) as journal:
        journal.append(Noted(text="a"), Noted(text="b"))
        with journal._store.writing() as connection:
            connection.exec_driver_sql(change)
    with pytest.raises(DamagedJournal, match=why):
        Journal.open(store, check="head")


def test_a_log_that_was_lost_is_found_by_the_head_alone(tmp_path: Path) -> None:
    path, _ = copy_of("log", tmp_path / "store")
    path.with_name("journal.db-wal").unlink()
    with pytest.raises(DamagedJournal, match="had been acknowledged"):
        Journal.open(path, check="head")
