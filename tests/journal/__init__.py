"""Tests of the journal, on SQLite and on a PostgreSQL server that they start themselves."""
