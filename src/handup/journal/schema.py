"""The tables of a journal, for SQLAlchemy Core. Migrations make them; see `migrations/versions`."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, Integer, MetaData, String, Table, Text

REVISION = "0001"
"""The newest revision of the tables: what this handup reads and writes."""

METADATA = MetaData()
_NUMBER = BigInteger().with_variant(Integer, "sqlite")  # INTEGER PRIMARY KEY is the row's own number in SQLite

ENTRIES = Table(
    "entries",
    METADATA,
    Column("seq", _NUMBER, primary_key=True, autoincrement=False),
    Column("at_s", Double, nullable=False),
    Column("run", Text, nullable=False, index=True),
    Column("key", Text, nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
)
HEAD = Table(
    "head",
    METADATA,
    Column("one", Integer, primary_key=True, autoincrement=False),
    Column("seq", _NUMBER, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("at_s", Double, nullable=False),
)
"""One row, number 1, written with every entry: it tells a cut tail, and writers queue for it."""
PEOPLE = Table(
    "people",
    METADATA,
    Column("pseudonym", String(16), primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("salt", String(32), nullable=False),
)
BESIDE = Table(
    "beside",
    METADATA,
    Column("commitment", String(64), primary_key=True),
    Column("pseudonym", String(16), primary_key=True, index=True),
    Column("seq", _NUMBER, nullable=False, index=True),
    Column("salt", String(32), nullable=False),
    Column("value", Text, nullable=False),
)
"""What is personal, once for each person whose it is; erasing one of them takes it from all."""
SNAPSHOTS = Table(
    "snapshots",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("seq", _NUMBER, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("state", Text, nullable=False),
    Column("digest", String(64), nullable=False),
)
