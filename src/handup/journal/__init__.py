"""The journal: typed events in one append-only, hash-chained log on SQLite or PostgreSQL; the only source of truth."""

from typing import TYPE_CHECKING

from handup.core.lazy import lazily

if TYPE_CHECKING:
    from handup.journal.chain import Row
    from handup.journal.clock import WallClock
    from handup.journal.entry import Entry, Erasure, Head, Repaired, Snapshot, Verdict
    from handup.journal.events import JournalErased, JournalRepaired
    from handup.journal.exporter import as_csv, as_jsonl, export
    from handup.journal.journal import Journal
    from handup.journal.repairer import repair
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
__getattr__ = lazily(
    __name__,
    {
        "chain": ("Row",),
        "clock": ("WallClock",),
        "entry": ("Entry", "Erasure", "Head", "Repaired", "Snapshot", "Verdict"),
        "events": ("JournalErased", "JournalRepaired"),
        "exporter": ("as_csv", "as_jsonl", "export"),
        "journal": ("Journal",),
        "repairer": ("repair",),
        "writer": ("Writer",),
    },
)
