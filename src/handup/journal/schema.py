"""The tables of a journal, for SQLAlchemy Core, and the migrations that make them, by alembic."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import BigInteger, Column, Connection, Double, Integer, MetaData, String, Table, Text, inspect, text

from handup.core import NewerJournal, StoreUnavailable

REVISION = "0001"
"""Newest revision of the tables, which this handup reads and writes."""
VERSIONS: tuple[Path, ...] = (Path(__file__).parent / "migrations" / "versions",)
"""Folders of the migrations."""

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
"""One row, number 1, written with every entry: it shows when the tail was cut off, and writers queue for it."""
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
"""Personal values, one row for each owner; erasing one owner takes the value from all of them."""
SNAPSHOTS = Table(
    "snapshots",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("seq", _NUMBER, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("state", Text, nullable=False),
    Column("digest", String(64), nullable=False),
)


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a store's tables; None where it has none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revisions = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
    return str(revisions[0]) if revisions else None


def known_revisions() -> tuple[str, ...]:
    """Return the revisions that this handup can bring up to date, and its own, oldest first."""
    return tuple(sorted(path.stem.split("_")[0] for folder in VERSIONS for path in folder.glob("[0-9]*.py")))


def check_known(revision: str | None, shown: str) -> None:
    """Refuse a revision that this handup does not know.

    Raises:
        NewerJournal: It was written by a newer handup.
    """
    if revision is not None and revision not in known_revisions():
        raise NewerJournal(
            f"the store {shown} has tables of revision {revision!r}, and this handup knows {REVISION}",
            hint="Open it with the handup that wrote it, or a newer one; nothing was changed.",
        )


def check_current(revision: str | None, shown: str) -> None:
    """Refuse to read tables of an older revision, which only a program that writes brings up to date."""
    if revision != REVISION:
        raise StoreUnavailable(
            f"the store {shown} has tables of an older revision, {revision}",
            hint="Open it once to write, which brings it up to date; nothing was changed.",
        )


def migrate(connection: Connection) -> None:
    """Make or change the tables, within the transaction that the connection is in."""
    from alembic import command  # noqa: PLC0415  heavy, and needed once in a store's life
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("path_separator", "newline")
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("version_locations", "\n".join(str(folder).replace("%", "%%") for folder in VERSIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
