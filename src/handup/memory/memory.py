"""Remembered corrections: what a person said once about an input is not asked again about one like it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from handup.core import BadRecord, BadSetting, HandupError
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
from handup.core.journal import LogEntry
from handup.memory.entry import Recalled, Remembered, Settings, Source, Status, Trust, checked_candidates, reused
from handup.memory.events import (
    KEY,
    Cause,
    Dropping,
    MemoryConfirmed,
    MemoryContradicted,
    MemoryDropped,
    MemoryEvent,
    MemoryForgotten,
    MemoryRemembered,
    Weighed,
)
from handup.memory.index import Embedding, Encoder, Index, Match, from_text, to_text

if TYPE_CHECKING:
    from handup.journal import Journal, Writer

ERASED = "journal.erased"
"""The kind of entry that says that somebody was erased. It belongs to no run."""


class Memory:
    """Corrections of modules, kept in a journal. Not for several threads at a time; several programs may share one.

    - A person's newest word about the same input holds: whatever said otherwise is dropped.
    - What was remembered with another encoder is never compared.
    - What was erased from the journal, by whatever program, is not recalled afterwards.

    Args:
        book: The journal.
        settings: Thresholds and limits.

    Raises:
        BadRecord: What the journal holds of it is damaged.
        StoreUnavailable: The journal cannot be read; so of every method.
    """

    def __init__(self, book: Journal, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._book = book
        self._seen = 0
        self._erasures = 0
        self._shelves = Shelves()
        self.refresh()

    @property
    def book(self) -> Journal:
        """The journal that it is kept in."""
        return self._book

    @property
    def erasures(self) -> int:
        """How often it began again without somebody. Whoever keeps what was recalled drops it when this moves."""
        self.refresh()
        return self._erasures

    # -- using it ----------------------------------------------------------------------------------------------------

    def recall(self, module: str, seen: Embedding, candidates: Sequence[str]) -> Recalled | None:
        """The most similar correction, if it is similar enough; None where the module's own prediction stands.

        Args:
            module: Which module is about to speak.
            seen: What it sees.
            candidates: All labels that are possible now. What was said of something that is no longer on the menu is
                passed over, and the next similar one counts. Of two that are equally similar, the newer one counts.

        Raises:
            BadSetting: The candidates are no list of different labels.
        """
        names = checked_candidates(candidates)
        self.refresh()
        found = self._shelves.best(module, seen, self.settings.threshold, names)
        if found is None:
            return None
        memory = self._shelves.memories[found.key]
        return Recalled(
            memory=memory,
            similarity=found.similarity,
            probabilities=reused(memory.label, found.similarity, names),
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
        """Keep what a person said; durable when this returns.

        What is remembered of the same input with another label is dropped. What would have been recalled for it gains
        trust where it says the same and loses some where it does not, the more the more similar it is. Where the same
        person said the same of the same input before, that memory is confirmed, and none is added.

        Args:
            module: Which module it corrects.
            seen: What the module saw.
            label: What it should have said.
            by: Who said so.
            whose: Who else it belongs to, such as whose plate it is.
            source: Which input it was. A question that is told again, after a crash, changes nothing.
            overrules: The numbers of memories that spoke for this input, and that the person contradicts by what they
                say: dropped, however alike they are and however far they are trusted.

        Returns:
            What is remembered, or was already.

        Raises:
            BadSetting: The module, the label or a name cannot be kept.
        """
        source = source or Source()
        module = check_name("a module", module, MAX_NAME, error=BadSetting)
        label = check_text("a label", label, MAX_OPTION, error=BadSetting, empty=False)
        by = check_person("a name", by, MAX_NAME, error=BadSetting)
        others = check_list("whose", whose, MAX_PEOPLE, error=BadSetting)
        owners = tuple(sorted({by, *(check_person("a name", other, MAX_NAME, error=BadSetting) for other in others)}))
        with self._book.writing() as pen:
            self._catch_up(pen, pen.head.seq)
            if (known := self._shelves.taught(module, source.question, label)) is not None:
                return known
            wrong = self._in_use(overrules)
            same = [each for each in self._shelves.within(module, seen, self.settings.same) if each.key not in wrong]
            best = None if same else self._shelves.best(module, seen, self.settings.threshold)
            alike = [best] if best is not None and best.key not in wrong else same
            events: list[MemoryEvent] = []
            for memory in (self._shelves.memories[id_] for id_ in wrong):
                events += self._against(memory, Cause.SAID, by, source.question, overruled=True)
            events += self._judged(alike, label, by, source.question)
            again = self._said_before(same, label, by, owners)
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
        """Something spoke for a memory: it was acted on and was right, or a person said so.

        Args:
            memory: Its number.
            by: Who said so; None where the robot saw it.
            evidence: The id of the action or question. The same one counts once for a memory.
            certainty: How much it counts, 0 to 1.
            run: In which run.

        Raises:
            BadSetting: There is no such memory.
        """
        return self._weigh(memory, by, evidence, certainty, run, against=None)

    def contradict(
        self, memory: int, *, by: str | None = None, evidence: str = "", certainty: float = 1.0, run: str = ""
    ) -> Remembered:
        """Something spoke against a memory. A person who says that it is wrong is believed: it is dropped.

        Where it was acted on and turned out wrong it loses trust, and is dropped below `Settings.drop_below`. Tell
        only what says that the label was wrong: a fork that slips says nothing about it. The arguments are those of
        `confirm`. What a person says instead is for `remember`.

        Raises:
            BadSetting: There is no such memory.
        """
        return self._weigh(memory, by, evidence, certainty, run, against=Cause.FAILED if by is None else Cause.SAID)

    def forget(self, *memories: int, module: str | None = None, by: str | None = None) -> tuple[int, ...]:
        """Use some memories no more, or with `module` all of one.

        They stay in the journal. To take somebody's out of it, `Journal.erase` the person.

        Args:
            memories: Their numbers.
            module: Of this module all.
            by: Who wants that.

        Returns:
            The numbers of those that were in use.

        Raises:
            BadSetting: There is no such memory.
        """
        person = None if by is None else check_person("a name", by, MAX_NAME, error=BadSetting)
        with self._book.writing() as pen:
            self._catch_up(pen, pen.head.seq)
            wanted = [self._known(each) for each in memories]
            if module is not None:
                wanted += self._shelves.kept(module)
            gone = tuple(sorted({each.id for each in wanted if each.kept}))
            lines = self._append(pen, [MemoryForgotten(memories=gone, by=person)] if gone else [], "")
        self._take(lines)
        return gone

    def count(self, module: str) -> int:
        """How many are in use of a module; as fast for many as for few."""
        self.refresh()
        return self._shelves.count(module)

    def kept(self, module: str | None = None) -> tuple[Remembered, ...]:
        """What is in use, of a module or of all."""
        self.refresh()
        return tuple(self._shelves.kept(module))

    def __getitem__(self, memory: int) -> Remembered:
        """A memory by its number, also one that is no longer used.

        Raises:
            BadSetting: There is none, or it was erased.
        """
        self.refresh()
        return self._known(memory)

    def refresh(self) -> None:
        """Take in what was written since, by any program. Where somebody was erased, begin again without them."""
        head = self._book.head().seq
        if head != self._seen:
            self._catch_up(self._book, head)

    # -- inside ------------------------------------------------------------------------------------------------------

    def _catch_up(self, reader: Journal | Writer, head: int) -> None:
        """Take in everything up to an entry. What is erased after it is found by the next one who catches up."""
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
        return [pen.append(each, run=run, key=KEY) for each in events]

    def _take(self, lines: Sequence[LogEntry]) -> None:
        """Take in what this program wrote, once it is durable."""
        for line in lines:
            self._shelves.take(line)
            self._seen = line.seq

    def _known(self, memory: int) -> Remembered:
        if (found := self._shelves.memories.get(memory)) is None:
            raise BadSetting(f"there is no memory {memory}", hint="It was never there, or somebody was erased.")
        return found

    def _in_use(self, memories: Iterable[int]) -> list[int]:
        """Those that are used, each once: one that was erased or dropped meanwhile says nothing any more."""
        found = self._shelves.memories
        return [each for each in dict.fromkeys(memories) if each in found and found[each].kept]

    def _against(
        self, memory: Remembered, cause: Cause, by: str | None, evidence: str, weight: float = 1.0, *, overruled: bool
    ) -> list[MemoryEvent]:
        """Something spoke against a memory: it is dropped where it is overruled, or hardly trusted any more."""
        spoke = MemoryContradicted(memory=memory.id, cause=cause, by=by, evidence=evidence, weight=weight)
        if overruled:
            return [spoke, MemoryDropped(memory=memory.id, why=Dropping.OVERRULED)]
        if memory.trust.contradicted(weight).value < self.settings.drop_below:
            return [spoke, MemoryDropped(memory=memory.id, why=Dropping.DISTRUSTED)]
        return [spoke]

    def _judged(self, alike: Sequence[Match], label: str, by: str, question: str) -> list[MemoryEvent]:
        """What a person's word says of memories that are alike: all of the same input, else what would be recalled."""
        events: list[MemoryEvent] = []
        for match in alike:
            if self._shelves.counted(match.key, question):
                continue
            memory, weight = self._shelves.memories[match.key], self.settings.weight(match.similarity)
            if memory.label == label:
                events.append(MemoryConfirmed(memory=memory.id, by=by, evidence=question, weight=weight))
            else:
                overruled = match.similarity >= self.settings.same
                events += self._against(memory, Cause.OTHER_ANSWER, by, question, weight, overruled=overruled)
        return events

    def _said_before(self, same: Sequence[Match], label: str, by: str, owners: tuple[str, ...]) -> Remembered | None:
        """Of memories of the same input, that of the same word of the same person."""
        for memory in (self._shelves.memories[found.key] for found in same):
            if (memory.label, memory.by, memory.whose) == (label, by, owners):
                return memory
        return None

    def _room(self, module: str, events: Sequence[MemoryEvent]) -> list[MemoryEvent]:
        """What must go so that one more fits."""
        going = {each.memory for each in events if isinstance(each, MemoryDropped)}
        over = self._shelves.count(module) - len(going) + 1 - self.settings.most
        if over <= 0:
            return []
        left = sorted(
            (each for each in self._shelves.kept(module) if each.id not in going),
            key=lambda memory: (memory.trust.value, memory.id),
        )
        return [MemoryDropped(memory=each.id, why=Dropping.FULL) for each in left[:over]]

    def _weigh(
        self, id_: int, by: str | None, evidence: str, certainty: float, run: str, *, against: Cause | None
    ) -> Remembered:
        weight = check_share("a certainty", certainty, error=BadSetting)
        evidence = check_text("an id", evidence, MAX_ID, error=BadSetting)
        person = None if by is None else check_person("a name", by, MAX_NAME, error=BadSetting)
        with self._book.writing() as pen:
            self._catch_up(pen, pen.head.seq)
            memory = self._known(id_)
            if not memory.kept or self._shelves.counted(id_, evidence):
                return memory
            if against is None:
                events: list[MemoryEvent] = [MemoryConfirmed(memory=id_, by=person, evidence=evidence, weight=weight)]
            else:
                overruled = against is Cause.SAID
                events = self._against(memory, against, person, evidence, weight, overruled=overruled)
            lines = self._append(pen, events, run)
        self._take(lines)
        return self._shelves.memories[id_]


class Shelves:
    """A memory's state. Takes in entries one after another; equal journals give equal states."""

    def __init__(self) -> None:
        self.memories: dict[int, Remembered] = {}
        self._indices: dict[tuple[str, Encoder], Index] = {}
        """By module and encoder; the labels are the groups."""
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

    def _end(self, id_: int, status: Status) -> None:
        memory = self.memories.get(id_)
        if memory is None or not memory.kept:
            return
        self.memories[id_] = replace(memory, status=status)
        self._index(memory.module, memory.encoder).remove(id_)
        del self._kept[memory.module][id_]

    def _index(self, module: str, encoder: Encoder) -> Index:
        if (module, encoder) not in self._indices:
            self._indices[module, encoder] = Index(encoder.dimension)
        return self._indices[module, encoder]

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
        index = self._indices.get((module, seen.encoder))
        return None if index is None else index.best(seen.vector, floor, labels)

    def within(self, module: str, seen: Embedding, floor: float) -> list[Match]:
        """All memories at or above a floor, the most similar first."""
        index = self._indices.get((module, seen.encoder))
        return [] if index is None else index.within(seen.vector, floor)
