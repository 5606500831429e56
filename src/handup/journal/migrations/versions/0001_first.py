"""The first tables. This file is never changed: journals of this revision exist."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables of an empty store."""
    op.create_table(
        "entries",
        sa.Column("seq", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("at_s", sa.Double, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_index("ix_entries_run", "entries", ["run"])
    op.create_index("ix_entries_key", "entries", ["key"])
    head = op.create_table(
        "head",
        sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("at_s", sa.Double, nullable=False),
    )
    op.create_table(
        "people",
        sa.Column("pseudonym", sa.String(16), primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("salt", sa.String(32), nullable=False),
    )
    op.create_table(
        "beside",
        sa.Column("commitment", sa.String(64), primary_key=True),
        sa.Column("pseudonym", sa.String(16), primary_key=True),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("salt", sa.String(32), nullable=False),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_index("ix_beside_pseudonym", "beside", ["pseudonym"])
    op.create_index("ix_beside_seq", "beside", ["seq"])
    op.create_table(
        "snapshots",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
    )
    op.bulk_insert(head, [{"one": 1, "seq": 0, "hash": "0" * 64, "at_s": 0.0}])
