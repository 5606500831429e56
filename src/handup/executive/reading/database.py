"""The database: plain data that grounds the names of one environment."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from handup.core.yaml_document import Unreadable
from handup.executive.problem import Problem
from handup.executive.reading.notes import Notes
from handup.executive.reading.resting import collector_resting
from handup.executive.reading.values import check_format, data_in, table_of


@collector_resting()
def scan_database(text: str, file: str) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """A database from the text of a file, None if it cannot be read to its end; and everything that is wrong."""
    notes = Notes(file)
    found: dict[str, Any] | None = None
    with suppress(Unreadable):
        table = table_of(notes.read(text), "the file", notes, hint="Start with 'format: 1', then the data.")
        if table is not None:
            check_format(table, notes)
            found = {key: data_in(entry.value, notes) for key, entry in table.entries.items() if key != "format"}
    return found, tuple(notes.problems)
