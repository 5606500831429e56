"""Memory: remembered corrections, reused for similar inputs instead of asking again (the paper's C.3)."""

from handup.memory.entry import Recalled, Remembered, Settings, Source, Status, Trust, reused
from handup.memory.events import (
    Cause,
    Dropping,
    MemoryConfirmed,
    MemoryContradicted,
    MemoryDropped,
    MemoryForgotten,
    MemoryRemembered,
)
from handup.memory.index import Embedder, Embedding, Encoder, Index, Match, Picture, check_embedder
from handup.memory.memory import Memory

__all__ = [
    "Cause", "Dropping", "Embedder", "Embedding", "Encoder", "Index", "Match", "Memory", "MemoryConfirmed",
    "MemoryContradicted", "MemoryDropped", "MemoryForgotten", "MemoryRemembered", "Picture", "Recalled", "Remembered",
    "Settings", "Source", "Status", "Trust", "check_embedder", "reused",
]  # fmt: skip
