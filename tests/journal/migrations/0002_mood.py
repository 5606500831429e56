"""A migration that only the tests know: entries get a column more."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("head", sa.Column("mood", sa.Text, nullable=False, server_default="calm"))
