"""The state again from what is written, for a person who wants to see it: from the first entry, and from a snapshot.

Reads a journal without a desk, changes nothing, and takes in entries of kinds that nobody here knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from handup.core import BadRecord, Body, event_of
from handup.desk.following import SNAPSHOT
from handup.desk.state import DeskState, replay
from handup.journal import Journal, JournalErased, Row

ATTEMPTS = 3
"""So often the two ways are compared where somebody was erased in the meantime."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """An entry for a person to read.

    Args:
        seq: Its number.
        at_s: When it was written.
        run: The run it belongs to.
        key: What it is about.
        kind: The kind of event.
        event: The event; `Unknown` where nobody here knows its room.
        body: Its fields as a plain record, with names and what is personal.
    """

    seq: int
    at_s: float
    run: str
    key: str
    kind: str
    event: object
    body: Body


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Whether two ways lead to one state.

    Args:
        same: Whether they do.
        snapshot_seq: The entry of the snapshot that the second way began with; None where there is none of use.
        differs: What differs, by the names of the state's fields.
    """

    same: bool
    snapshot_seq: int | None = None
    differs: tuple[str, ...] = ()


def told(journal: Journal, after: int = 0, until: int | None = None) -> Iterator[Told]:
    """The entries beyond `after` and up to `until`, in order.

    Raises:
        BadRecord: An entry of the desk or of a run is of a newer version than this handup knows.
    """
    for row, body in journal.bodies(after):
        if until is not None and row.seq > until:
            return
        yield _told(row, body)


def _told(row: Row, body: Body) -> Told:
    made = event_of(row.kind, row.version, body)
    return Told(seq=row.seq, at_s=row.at_s, run=row.run, key=row.key, kind=row.kind, event=made, body=body)


def compared(journal: Journal, state: DeskState) -> Comparison:
    """Whether the stored snapshot and the entries after it lead to a state that was replayed from the first entry.

    Robots may write on meanwhile. Where somebody was erased while this read, it replays again.

    Args:
        journal: Where both come from.
        state: What the replay gave.
    """
    for _ in range(ATTEMPTS):
        found = _compared(journal, state)
        if found.same or not _erased(told(journal, state.seq)):
            break
        state = replay(told(journal, 0, state.seq))
    return found


def _compared(journal: Journal, state: DeskState) -> Comparison:
    kept = journal.snapshot(SNAPSHOT)
    if kept is None or kept.seq > state.seq:
        return Comparison(same=True)
    try:
        early = DeskState.from_json(kept.state)
    except BadRecord:
        return Comparison(same=True)  # a desk replays the journal then, too
    if _erased(told(journal, kept.seq, state.seq)):
        return Comparison(same=True)  # and then
    ours, theirs = state.to_json(), replay(told(journal, kept.seq, state.seq), early).to_json()
    differs = tuple(name for name in ours if ours[name] != theirs[name])
    return Comparison(same=not differs, snapshot_seq=kept.seq, differs=differs)


def _erased(entries: Iterable[Told]) -> bool:
    return any(isinstance(each.event, JournalErased) for each in entries)
