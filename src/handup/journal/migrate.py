"""Bringing a store's tables to the newest revision, by alembic."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from handup.core import NewerJournal
from handup.journal import schema

VERSIONS: tuple[Path, ...] = (Path(__file__).parent / "migrations" / "versions",)
"""Where the migrations lie."""


def revision_of(connection: Connection) -> str | None:
    """The revision of a store's tables; None where it has none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
    return str(found[0]) if found else None


def known_revisions() -> tuple[str, ...]:
    """The revisions that this handup can bring up to date, and its own, oldest first."""
    return tuple(sorted(path.stem.split("_")[0] for folder in VERSIONS for path in folder.glob("[0-9]*.py")))


def check_known(revision: str | None, shown: str) -> None:
    """Raise where a revision is none of this handup's.

    Raises:
        NewerJournal: It was written by a newer handup.
    """
    if revision is not None and revision not in known_revisions():
        raise NewerJournal(
            f"the store {shown} has tables of revision {revision!r}, and this handup knows {schema.REVISION}",
            hint="Open it with the handup that wrote it, or a newer one; nothing was changed.",
        )


def migrate(connection: Connection) -> None:
    """Make or change the tables, within the transaction that the connection is in."""
    from alembic import command  # noqa: PLC0415  heavy, and needed once in a store's life
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("path_separator", "newline")
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("version_locations", "\n".join(str(each).replace("%", "%%") for each in VERSIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
