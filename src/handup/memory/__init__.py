"""Memory: remembered corrections, reused for similar inputs instead of asking again (the paper's C.3)."""

from typing import TYPE_CHECKING

from handup.core.moved import moved_names
from handup.memory.entry import MemorySettings, MemoryStatus, Recalled, Remembered, Source, Trust, reused
from handup.memory.events import (
    DropCause,
    Dropping,
    MemoryConfirmed,
    MemoryContradicted,
    MemoryDropped,
    MemoryForgotten,
    MemoryRemembered,
)
from handup.memory.index import Embedder, Embedding, Encoder, Match, Picture, VectorIndex, check_embedder
from handup.memory.memory import Memory

__all__ = [
    "DropCause",
    "Dropping",
    "Embedder",
    "Embedding",
    "Encoder",
    "Match",
    "Memory",
    "MemoryConfirmed",
    "MemoryContradicted",
    "MemoryDropped",
    "MemoryForgotten",
    "MemoryRemembered",
    "MemorySettings",
    "MemoryStatus",
    "Picture",
    "Recalled",
    "Remembered",
    "Source",
    "Trust",
    "VectorIndex",
    "check_embedder",
    "reused",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = moved_names(__name__)
