"""What the journal's entries make of a memory: all corrections, and an index for each module and encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from handup.core import BadRecord, HandupError
from handup.core.journal import LogEntry
from handup.memory.embedder import Embedding, Encoder
from handup.memory.entry import Remembered, Source, Status
from handup.memory.events import (
    MemoryConfirmed,
    MemoryContradicted,
    MemoryDropped,
    MemoryForgotten,
    MemoryRemembered,
    Weighed,
)
from handup.memory.index import Index, Match
from handup.memory.trust import Trust
from handup.memory.vector import from_text


@dataclass
class Shelf:
    """The vectors of one module and one encoder; the labels are the index's groups."""

    index: Index
    labels: dict[str, int] = field(default_factory=dict)

    def put(self, memory: Remembered, embedding: str) -> None:
        """Add a memory."""
        group = self.labels.setdefault(memory.label, len(self.labels))
        self.index.add(memory.id, from_text(embedding, memory.encoder.dimension), group)

    def groups(self, labels: tuple[str, ...]) -> list[int]:
        """The groups of some labels, as far as there are any."""
        return [self.labels[each] for each in labels if each in self.labels]


class Shelves:
    """A memory's state. Takes in entries one after another; equal journals give equal states."""

    def __init__(self) -> None:
        self.memories: dict[int, Remembered] = {}
        self._shelves: dict[tuple[str, Encoder], Shelf] = {}
        self._taught: dict[tuple[str, str, str], int] = {}
        self._counted: set[tuple[int, str]] = set()
        self._kept: dict[str, dict[int, None]] = {}

    def take(self, line: LogEntry) -> None:
        """Take an entry in. Entries of other rooms, and those about what was erased, change nothing."""
        event = line.event
        match event:
            case MemoryRemembered():
                self._put(line, event)
            case MemoryConfirmed():
                self._weigh(event, lambda trust: trust.confirmed(event.weight))
            case MemoryContradicted():
                self._weigh(event, lambda trust: trust.contradicted(event.weight))
            case MemoryDropped():
                self._end(event.memory, Status.DROPPED)
            case MemoryForgotten():
                for each in event.memories:
                    self._end(each, Status.FORGOTTEN)
            case _:
                pass

    def _put(self, line: LogEntry, event: MemoryRemembered) -> None:
        if event.label is None or event.embedding is None:
            return  # erased
        try:
            encoder = Encoder(event.encoder, event.dimension, event.digest)
            source = Source(question=event.question, run=line.run, picture=event.picture or "")
            memory = Remembered(
                id=line.seq,
                module=event.module,
                label=event.label,
                by=event.by,
                whose=event.whose,
                at_s=line.at_s,
                source=source,
                encoder=encoder,
            )
            self._shelf(memory.module, encoder).put(memory, event.embedding)
        except HandupError as error:
            raise BadRecord(f"memory {line.seq} is damaged ({error.cause})", hint="Verify the journal.") from None
        self.memories[memory.id] = memory
        self._kept.setdefault(memory.module, {})[memory.id] = None
        if source.question:
            self._taught[memory.module, source.question, memory.label] = memory.id

    def _weigh(self, event: Weighed, weighed: Callable[[Trust], Trust]) -> None:
        memory = self.memories.get(event.memory)
        if memory is not None:
            self.memories[memory.id] = replace(memory, trust=weighed(memory.trust))
            self._counted.add((memory.id, event.evidence))

    def _end(self, id_: int, status: Status) -> None:
        memory = self.memories.get(id_)
        if memory is None or not memory.kept:
            return
        self.memories[id_] = replace(memory, status=status)
        self._shelf(memory.module, memory.encoder).index.remove(id_)
        del self._kept[memory.module][id_]

    def _shelf(self, module: str, encoder: Encoder) -> Shelf:
        if (module, encoder) not in self._shelves:
            self._shelves[module, encoder] = Shelf(Index(encoder.dimension))
        return self._shelves[module, encoder]

    # -- asking ------------------------------------------------------------------------------------------------------

    def kept(self, module: str | None = None) -> Iterator[Remembered]:
        """The memories that are used, of a module or of all, the oldest first within a module."""
        for each in self._kept if module is None else (module,):
            yield from (self.memories[id_] for id_ in self._kept.get(each, ()))

    def count(self, module: str) -> int:
        """How many memories of a module are used."""
        return len(self._kept.get(module, ()))

    def taught(self, module: str, question: str, label: str) -> Remembered | None:
        """What a question taught already."""
        id_ = self._taught.get((module, question, label)) if question else None
        return None if id_ is None else self.memories[id_]

    def counted(self, id_: int, evidence: str) -> bool:
        """Whether something has spoken for or against a memory before; nothing is known of what has no id."""
        return bool(evidence) and (id_, evidence) in self._counted

    def best(self, module: str, seen: Embedding, floor: float, labels: tuple[str, ...] | None = None) -> Match | None:
        """The most similar memory at or above a floor, with one of the labels where these are given."""
        shelf = self._shelves.get((module, seen.encoder))
        if shelf is None:
            return None
        return shelf.index.best(seen.vector, floor, None if labels is None else shelf.groups(labels))

    def within(self, module: str, seen: Embedding, floor: float) -> list[Match]:
        """All memories at or above a floor, the most similar first."""
        shelf = self._shelves.get((module, seen.encoder))
        return [] if shelf is None else shelf.index.within(seen.vector, floor)
