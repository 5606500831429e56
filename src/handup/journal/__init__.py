"""The journal: typed events in one append-only, hash-chained log on SQLite or PostgreSQL; the only source of truth."""

from typing import TYPE_CHECKING

from handup.core.lazy import lazily

if TYPE_CHECKING:
    from handup.journal.chain import StoredEntry
    from handup.journal.clock import WallClock
    from handup.journal.entry import ChainVerdict, Entry, Erasure, Head, Repaired, Snapshot
    from handup.journal.events import JournalErased, JournalRepaired
    from handup.journal.exporter import as_csv, as_jsonl, export
    from handup.journal.journal import Journal
    from handup.journal.repairer import repair
    from handup.journal.writer import Writer

__all__ = [
    "ChainVerdict",
    "Entry",
    "Erasure",
    "Head",
    "Journal",
    "JournalErased",
    "JournalRepaired",
    "Repaired",
    "Snapshot",
    "StoredEntry",
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
        "chain": ("StoredEntry",),
        "clock": ("WallClock",),
        "entry": ("Entry", "Erasure", "Head", "Repaired", "Snapshot", "ChainVerdict"),
        "events": ("JournalErased", "JournalRepaired"),
        "exporter": ("as_csv", "as_jsonl", "export"),
        "journal": ("Journal",),
        "repairer": ("repair",),
        "writer": ("Writer",),
    },
)
