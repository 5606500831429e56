"""The journal: typed events in one append-only, hash-chained log on SQLite or PostgreSQL; the only truth there is."""

from handup.journal.chain import Row
from handup.journal.clock import WallClock
from handup.journal.entry import Entry, Erasure, Head, Repaired, Snapshot, Verdict
from handup.journal.events import JournalErased, JournalRepaired
from handup.journal.export import as_csv, as_jsonl, export
from handup.journal.journal import Journal
from handup.journal.repair import repair
from handup.journal.writer import Writer

__all__ = [
    "Entry",
    "Erasure",
    "Head",
    "Journal",
    "JournalErased",
    "JournalRepaired",
    "Repaired",
    "Row",
    "Snapshot",
    "Verdict",
    "WallClock",
    "Writer",
    "as_csv",
    "as_jsonl",
    "export",
    "repair",
]
