"""A PostgreSQL server for the desk's tests."""

from __future__ import annotations

from tests.journal.postgres import database, server

__all__ = ["database", "server"]
