"""Old tables are brought up to date, newer ones are left alone."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text

from handup.core import NewerJournal, StoreUnavailable
from handup.journal import Journal, schema
from handup.journal.address import address_of
from handup.journal.schema import known_revisions
from tests.journal.kinds import Noted, Said
from tests.journal.stores import content, copy_of

EXTRA = Path(__file__).parent / "migrations"


def with_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "REVISION", "0002")
    monkeypatch.setattr(schema, "VERSIONS", (*schema.VERSIONS, EXTRA))


def test_the_newest_migration_is_the_revision_of_the_code() -> None:
    assert known_revisions()[-1] == schema.REVISION


def test_the_migrations_make_the_tables_that_the_code_knows(journal: Journal) -> None:
    with journal._store.writing() as connection:
        found = inspect(connection)
        assert set(found.get_table_names()) == {*schema.METADATA.tables, "alembic_version"}
        for name, table in schema.METADATA.tables.items():
            columns = {each["name"]: each for each in found.get_columns(name)}
            assert list(columns) == [column.name for column in table.columns]
            for column in table.columns:
                assert columns[column.name]["nullable"] == column.nullable
                kind = column.type.dialect_impl(connection.dialect)
                assert columns[column.name]["type"].python_type is kind.python_type
            indexed = {tuple(each["column_names"]) for each in found.get_indexes(name) if not each["unique"]}
            assert indexed == {tuple(column.name for column in index.columns) for index in table.indexes}
            key = found.get_pk_constraint(name)["constrained_columns"]
            assert key == [column.name for column in table.primary_key.columns]


def test_an_older_store_is_brought_up_to_date_with_everything_in_it(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal.open(store) as journal:
        made = journal.append(Said(by="Ann", words="yes"), Noted())
    with_second(monkeypatch)
    with pytest.raises(StoreUnavailable, match="older revision, 0001"):
        Journal.open(store, readonly=True)
    with Journal.open(store) as journal:
        assert list(journal.read()) == made
        with journal._store.writing() as connection:
            assert connection.execute(text("SELECT mood FROM head")).scalar() == "calm"
        journal.append(Noted())
    with Journal.open(store) as journal:
        assert journal.verify().entries == 3


def test_a_copy_is_put_beside_first_and_never_over_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, made = copy_of("log", tmp_path)
    (tmp_path / "journal.db.before-0001").write_text("mine")
    with monkeypatch.context() as patched:
        with_second(patched)
        Journal.open(path).close()
    assert (tmp_path / "journal.db.before-0001").read_text() == "mine"
    with Journal.open(tmp_path / "journal.db.before-0001-2") as old:
        assert tuple(old.read()) == made


def test_it_is_not_migrated_under_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = copy_of("file", tmp_path)
    with Journal.open(path) as user:
        with monkeypatch.context() as patched:
            with_second(patched)
            with pytest.raises(StoreUnavailable, match="another program has it open"):
                Journal.open(path, busy_timeout_s=0.05)
        user.append(Noted())
    Journal.open(path).close()


def test_several_that_migrate_at_once_do_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, made = copy_of("file", tmp_path)
    with_second(monkeypatch)
    opened: list[Journal] = []
    threads = [threading.Thread(target=lambda: opened.append(Journal.open(path, busy_timeout_s=30))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 4
    for journal in opened:
        assert tuple(journal.read()) == made
        journal.close()
    assert len([each for each in tmp_path.iterdir() if ".before-" in each.name]) == 1


def test_several_that_make_a_store_at_once_make_one(store: str) -> None:
    opened: list[Journal] = []
    threads = [threading.Thread(target=lambda: opened.append(Journal.open(store, busy_timeout_s=30))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seqs = [journal.append(Noted())[0].seq for journal in opened]
    assert seqs == [1, 2, 3, 4]
    for journal in opened:
        journal.close()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, made = copy_of("file", tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE head ADD COLUMN mood TEXT")
    before = path.read_bytes()
    with monkeypatch.context() as patched:
        with_second(patched)
        with pytest.raises(StoreUnavailable):
            Journal.open(path)
    assert path.read_bytes() == before
    with Journal.open(path) as journal:
        assert tuple(journal.read()) == made


@pytest.mark.parametrize("readonly", [False, True])
def test_newer_tables_are_left_alone(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readonly: bool
) -> None:
    with monkeypatch.context() as patched:
        with_second(patched)
        with Journal.open(store) as journal:
            journal.append(Noted())
    before = content(tmp_path)
    with pytest.raises(NewerJournal, match="0002"):
        Journal.open(store, readonly=readonly)
    assert content(tmp_path) == before


def test_newer_tables_in_postgres_stay_as_they_are(database: str) -> None:
    Journal.open(database).close()
    url = address_of(database).url
    assert url is not None
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(NewerJournal, match="9999"):
        Journal.open(database)
    with engine.begin() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "9999"
    engine.dispose()
