"""Migrations of a journal's tables, for alembic. Run by `handup.journal.migrate`; there is no ini file."""
