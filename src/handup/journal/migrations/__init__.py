"""Migrations of a journal's tables, for alembic. Run by `handup.journal.schema.migrate`; there is no ini file."""
