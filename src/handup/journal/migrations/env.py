"""Script that alembic runs: the migrations of a journal, on the connection and in the transaction that it is given."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
