"""`Memory`: corrections of modules in a journal, reused for similar inputs instead of asking again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from handup.core import BadRecord, HandupError, Malformed, OutOfRange, UnknownName
from handup.core.checks import (
    MAX_ID,
    MAX_NAME,
    MAX_OPTION,
    MAX_PEOPLE,
    check_list,
    check_name,
    check_person,
    check_share,
    check_text,
)
from handup.core.log_entry import LogEntry
from handup.memory.entry import (
    MemorySettings,
    MemoryStatus,
    Recalled,
    Remembered,
    Source,
    Trust,
    checked_candidates,
    reused,
)
from handup.memory.events import (
    KEY,
    DropCause,
    Dropping,
    MemoryConfirmed,
    MemoryContradicted,
    MemoryDropped,
    MemoryEvent,
    MemoryForgotten,
    MemoryRemembered,
    Weighed,
)
from handup.memory.index import Embedding, Encoder, Match, VectorIndex, from_text, to_text

if TYPE_CHECKING:
    from handup.journal import Journal, Writer

ERASED = "journal.erased"
"""Kind of the entry that records the erasing of a person. It belongs to no run."""


class Memory:
    """Memory of corrections, kept in a journal. Not for several threads at a time; several programs may share one.

    - The newest answer about the same input holds: memories with another label are dropped.
    - Memories of another encoder are never compared.
    - A memory that was erased from the journal, by any program, is not recalled afterwards.

    Args:
        book: The journal.
        settings: Thresholds and limits.

    Raises:
        BadRecord: An entry of a memory in the journal is damaged.
        StoreUnavailable: The journal cannot be read. All methods raise this.
    """

    def __init__(self, book: Journal, settings: MemorySettings | None = None) -> None:
        self.settings = settings or MemorySettings()
        self._book = book
        self._seen = 0
        self._erasures = 0
        self._shelves = Shelves()
        self.refresh()

    @property
    def book(self) -> Journal:
        """Journal in which the memory is kept."""
        return self._book

    @property
    def erasures(self) -> int:
        """Number of times that erased people were left out. When it changes, drop every `Recalled` that you keep."""
        self.refresh()
        return self._erasures

    # -- using it ----------------------------------------------------------------------------------------------------

    def recall(self, module: str, seen: Embedding, candidates: Sequence[str]) -> Recalled | None:
        """Return the most similar correction, of equals the newest, or None where none is similar enough.

        Args:
            module: Name of the module whose prediction may be replaced.
            seen: Its input.
            candidates: All labels that are possible now. Corrections with other labels are passed over.

        Raises:
            Malformed: The candidates are not a list of different labels.
        """
        names = checked_candidates(candidates)
        self.refresh()
        match = self._shelves.best(module, seen, self.settings.threshold, names)
        if match is None:
            return None
        memory = self._shelves.memories[match.key]
        return Recalled(
            memory=memory,
            similarity=match.similarity,
            probabilities=reused(memory.label, match.similarity, names),
        )

    def remember(
        self,
        module: str,
        seen: Embedding,
        label: str,
        *,
        by: str,
        whose: Iterable[str] = (),
        source: Source | None = None,
        overrules: Iterable[int] = (),
    ) -> Remembered:
        """Remember a correction; it is durable when this returns.

        Memories of the same input with another label are dropped. The memory that would have been recalled for the
        input gains trust if it has the same label and loses trust otherwise, more with more similarity. If the same
        person gave the same label for the same input before, that memory is confirmed, and none is added.

        Args:
            module: Name of the module that is corrected.
            seen: Input of the module.
            label: The right label.
            by: Name of the person who gave it.
            whose: Names of the other people to whom the input belongs, such as the owner of the plate.
            source: Source of the input. A question that is given again, after a crash, changes nothing.
            overrules: Numbers of memories that were recalled for this input and that the person contradicts. They are
                dropped whatever their similarity and trust.

        Returns:
            The new memory, or the one that was there already.

        Raises:
            Malformed: The module, the label or a name is empty, too long or not of one line.
        """
        source = source or Source()
        module = check_name("a module", module, MAX_NAME, error=Malformed)
        label = check_text("a label", label, MAX_OPTION, error=Malformed, empty=False)
        by = check_person("a name", by, MAX_NAME, error=Malformed)
        people = check_list("whose", whose, MAX_PEOPLE, error=Malformed)
        owners = tuple(sorted({by, *(check_person("a name", person, MAX_NAME, error=Malformed) for person in people)}))
        # Read and write under one lock: another program may teach the same question at the same moment.
        with self._book.writing() as pen:
            self._catch_up(pen, pen.head.seq)
            if (known := self._shelves.taught(module, source.question, label)) is not None:
                return known
            wrong = self._in_use(overrules)
            matches = self._shelves.within(module, seen, self.settings.same)
            same = [match for match in matches if match.key not in wrong]
            best = None if same else self._shelves.best(module, seen, self.settings.threshold)
            alike = [best] if best is not None and best.key not in wrong else same
            events: list[MemoryEvent] = []
            for memory in (self._shelves.memories[id_] for id_ in wrong):
                events += self._against(memory, DropCause.SAID, by, source.question, overruled=True)
            events += self._judged(alike, label, by, source.question)
            again = self._repeated(same, label, by, owners)
            if again is None:
                events += self._room(module, events)
                events.append(
                    MemoryRemembered(
                        module=module,
                        encoder=seen.encoder.name,
                        dimension=seen.encoder.dimension,
                        digest=seen.encoder.digest,
                        by=by,
                        whose=owners,
                        label=label,
                        embedding=to_text(seen.vector),
                        question=source.question,
                        picture=source.picture,
                    )
                )
            lines = self._append(pen, events, source.run)
        self._take(lines)
        return self._shelves.memories[lines[-1].seq if again is None else again.id]

    def confirm(
        self, memory: int, *, by: str | None = None, evidence: str = "", certainty: float = 1.0, run: str = ""
    ) -> Remembered:
        """Record evidence for a memory: the robot acted on it with success, or a person said that it is right.

        Args:
            memory: Number of the memory.
            by: Name of the person who said so; None where the robot saw it.
            evidence: Id of the action or question. The same one counts once for a memory.
            certainty: Weight of the evidence, 0 to 1.
            run: Id of the run.

        Raises:
            UnknownName, OutOfRange: There is no such memory, or the certainty is outside 0 to 1.
        """
        return self._weigh(memory, by, evidence, certainty, run, against=None)

    def contradict(
        self, memory: int, *, by: str | None = None, evidence: str = "", certainty: float = 1.0, run: str = ""
    ) -> Remembered:
        """Record evidence against a memory.

        If a person says that it is wrong, it is dropped. If the robot acted on it and failed, it loses trust, and is
        dropped below `MemorySettings.drop_below`. Record only failures that show a wrong label: a slip of the fork
        is none.
        The arguments are those of `confirm`. Give the right label to `remember`.

        Raises:
            UnknownName, OutOfRange: There is no such memory, or the certainty is outside 0 to 1.
        """
        return self._weigh(
            memory, by, evidence, certainty, run, against=DropCause.FAILED if by is None else DropCause.SAID
        )

    def forget(self, *memories: int, module: str | None = None, by: str | None = None) -> tuple[int, ...]:
        """Stop using some memories, or with `module` all memories of a module.

        They stay in the journal. To remove a person's data from it, use `Journal.erase`.

        Args:
            memories: Numbers of the memories.
            module: Name of a module whose memories are all meant.
            by: Name of the person who wants that.

        Returns:
            The numbers of those that were in use.

        Raises:
            UnknownName: There is no such memory.
        """
        person = None if by is None else check_person("a name", by, MAX_NAME, error=Malformed)
        with self._book.writing() as pen:
            self._catch_up(pen, pen.head.seq)
            chosen = [self._known(number) for number in memories]
            if module is not None:
                chosen += self._shelves.kept(module)
            gone = tuple(sorted({memory.id for memory in chosen if memory.kept}))
            lines = self._append(pen, [MemoryForgotten(memories=gone, by=person)] if gone else [], "")
        self._take(lines)
        return gone

    def count(self, module: str) -> int:
        """Return the number of memories of a module that are in use; as fast for many as for few."""
        self.refresh()
        return self._shelves.count(module)

    def kept(self, module: str | None = None) -> tuple[Remembered, ...]:
        """Return the memories that are in use, of a module or of all."""
        self.refresh()
        return tuple(self._shelves.kept(module))

    def __getitem__(self, memory: int) -> Remembered:
        """Return a memory by its number, also one that is no longer used.

        Raises:
            UnknownName: There is none, or it was erased.
        """
        self.refresh()
        return self._known(memory)

    def refresh(self) -> None:
        """Read the entries written since, by any program. If a person was erased, read all again without them."""
        head = self._book.head().seq
        if head != self._seen:
            self._catch_up(self._book, head)

    # -- inside ------------------------------------------------------------------------------------------------------

    def _catch_up(self, reader: Journal | Writer, head: int) -> None:
        """Read all entries up to number `head`. A person erased after it is noticed the next time."""
        if self._seen and any(line.kind == ERASED for line in reader.read(self._seen, run="")):
            self._seen, self._shelves = 0, Shelves()
            self._erasures += 1
        if head > self._seen:
            for line in reader.read(self._seen, key=KEY):
                if line.seq > head:
                    break
                self._shelves.take(line)
        self._seen = head

    def _append(self, pen: Writer, events: Iterable[MemoryEvent], run: str) -> list[LogEntry]:
        return [pen.append(event, run=run, key=KEY) for event in events]

    def _take(self, lines: Sequence[LogEntry]) -> None:
        """Apply the entries that this program wrote, once they are durable."""
        for line in lines:
            self._shelves.take(line)
            self._seen = line.seq

    def _known(self, memory: int) -> Remembered:
        if (record := self._shelves.memories.get(memory)) is None:
            raise UnknownName.of("a memory", memory, "be in the journal", hint="Its person may have been erased.")
        return record

    def _in_use(self, memories: Iterable[int]) -> list[int]:
        """Return the numbers that are still used, each once: others were erased or dropped meanwhile."""
        known = self._shelves.memories
        return [number for number in dict.fromkeys(memories) if number in known and known[number].kept]

    def _against(
        self,
        memory: Remembered,
        cause: DropCause,
        by: str | None,
        evidence: str,
        weight: float = 1.0,
        *,
        overruled: bool,
    ) -> list[MemoryEvent]:
        """Return the events of evidence against a memory, which is dropped if it is overruled or no longer trusted."""
        contradicted = MemoryContradicted(memory=memory.id, cause=cause, by=by, evidence=evidence, weight=weight)
        if overruled:
            return [contradicted, MemoryDropped(memory=memory.id, why=Dropping.OVERRULED)]
        if memory.trust.contradicted(weight).value < self.settings.drop_below:
            return [contradicted, MemoryDropped(memory=memory.id, why=Dropping.DISTRUSTED)]
        return [contradicted]

    def _judged(self, alike: Sequence[Match], label: str, by: str, question: str) -> list[MemoryEvent]:
        """Return the events of a person's label as evidence for or against similar memories."""
        events: list[MemoryEvent] = []
        for match in alike:
            if self._shelves.counted(match.key, question):
                continue
            memory, weight = self._shelves.memories[match.key], self.settings.weight(match.similarity)
            if memory.label == label:
                events.append(MemoryConfirmed(memory=memory.id, by=by, evidence=question, weight=weight))
            else:
                overruled = match.similarity >= self.settings.same
                events += self._against(memory, DropCause.OTHER_ANSWER, by, question, weight, overruled=overruled)
        return events

    def _repeated(self, same: Sequence[Match], label: str, by: str, owners: tuple[str, ...]) -> Remembered | None:
        """Return the memory of the same input in which the same person gave the same label, or None."""
        for memory in (self._shelves.memories[match.key] for match in same):
            if (memory.label, memory.by, memory.whose) == (label, by, owners):
                return memory
        return None

    def _room(self, module: str, events: Sequence[MemoryEvent]) -> list[MemoryEvent]:
        """Return the events that drop memories so that one more fits beside those that `events` leave."""
        going = {event.memory for event in events if isinstance(event, MemoryDropped)}
        over = self._shelves.count(module) - len(going) + 1 - self.settings.most
        if over <= 0:
            return []
        left = sorted(
            (memory for memory in self._shelves.kept(module) if memory.id not in going),
            key=lambda memory: (memory.trust.value, memory.id),
        )
        return [MemoryDropped(memory=memory.id, why=Dropping.FULL) for memory in left[:over]]

    def _weigh(
        self, id_: int, by: str | None, evidence: str, certainty: float, run: str, *, against: DropCause | None
    ) -> Remembered:
        weight = check_share("a certainty", certainty, error=OutOfRange)
        evidence = check_text("an id", evidence, MAX_ID, error=Malformed)
        person = None if by is None else check_person("a name", by, MAX_NAME, error=Malformed)
        with self._book.writing() as pen:
            self._catch_up(pen, pen.head.seq)
            memory = self._known(id_)
            if not memory.kept or self._shelves.counted(id_, evidence):
                return memory
            if against is None:
                events: list[MemoryEvent] = [MemoryConfirmed(memory=id_, by=person, evidence=evidence, weight=weight)]
            else:
                overruled = against is DropCause.SAID
                events = self._against(memory, against, person, evidence, weight, overruled=overruled)
            lines = self._append(pen, events, run)
        self._take(lines)
        return self._shelves.memories[id_]


class Shelves:
    """State of a memory, built from its entries one after another; equal journals give equal states."""

    def __init__(self) -> None:
        self.memories: dict[int, Remembered] = {}
        self._indices: dict[tuple[str, Encoder], VectorIndex] = {}
        """Vectors by module and encoder; the labels are the groups."""
        self._taught: dict[tuple[str, str, str], int] = {}
        self._counted: set[tuple[int, str]] = set()
        self._kept: dict[str, dict[int, None]] = {}

    def take(self, line: LogEntry) -> None:
        """Apply an entry. Entries of other rooms, and those about erased memories, change nothing."""
        event = line.event
        match event:
            case MemoryRemembered():
                self._put(line, event)
            case MemoryConfirmed():
                self._weigh(event, lambda trust: trust.confirmed(event.weight))
            case MemoryContradicted():
                self._weigh(event, lambda trust: trust.contradicted(event.weight))
            case MemoryDropped():
                self._end(event.memory, MemoryStatus.DROPPED)
            case MemoryForgotten():
                for number in event.memories:
                    self._end(number, MemoryStatus.FORGOTTEN)
            case _:
                pass

    def _put(self, line: LogEntry, event: MemoryRemembered) -> None:
        if event.label is None or event.embedding is None:
            return  # The person was erased, and the label and the embedding with them.
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
            vector = from_text(event.embedding, encoder.dimension)
            self._index(memory.module, encoder).add(memory.id, vector, memory.label)
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

    def _end(self, id_: int, status: MemoryStatus) -> None:
        memory = self.memories.get(id_)
        if memory is None or not memory.kept:
            return
        self.memories[id_] = replace(memory, status=status)
        self._index(memory.module, memory.encoder).remove(id_)
        del self._kept[memory.module][id_]

    def _index(self, module: str, encoder: Encoder) -> VectorIndex:
        if (module, encoder) not in self._indices:
            self._indices[module, encoder] = VectorIndex(encoder.dimension)
        return self._indices[module, encoder]

    # -- asking ------------------------------------------------------------------------------------------------------

    def kept(self, module: str | None = None) -> Iterator[Remembered]:
        """Yield the memories that are used, of a module or of all, the oldest first within a module."""
        for name in self._kept if module is None else (module,):
            yield from (self.memories[id_] for id_ in self._kept.get(name, ()))

    def count(self, module: str) -> int:
        """Return the number of memories of a module that are used."""
        return len(self._kept.get(module, ()))

    def taught(self, module: str, question: str, label: str) -> Remembered | None:
        """Return the memory that a question has taught already, or None."""
        id_ = self._taught.get((module, question, label)) if question else None
        return None if id_ is None else self.memories[id_]

    def counted(self, id_: int, evidence: str) -> bool:
        """Return whether this evidence for or against a memory was counted before; False for evidence without an id."""
        return bool(evidence) and (id_, evidence) in self._counted

    def best(self, module: str, seen: Embedding, floor: float, labels: tuple[str, ...] | None = None) -> Match | None:
        """Return the most similar memory at or above a floor, with one of the labels where these are given."""
        index = self._indices.get((module, seen.encoder))
        return None if index is None else index.best(seen.vector, floor, labels)

    def within(self, module: str, seen: Embedding, floor: float) -> list[Match]:
        """Return all memories at or above a floor, the most similar first."""
        index = self._indices.get((module, seen.encoder))
        return [] if index is None else index.within(seen.vector, floor)
