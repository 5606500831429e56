"""Whether the two ways to a desk's state, from the first entry and from a snapshot, lead to the same one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from handup.core import BadRecord
from handup.desk.following import SNAPSHOT
from handup.desk.state import DeskState, replay
from handup.journal import Entry, Journal, JournalErased

ATTEMPTS = 3
"""So often the two ways are compared where somebody was erased in the meantime."""


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


def compared(journal: Journal, state: DeskState) -> Comparison:
    """Whether the stored snapshot and the entries after it lead to a state that was replayed from the first entry.

    Robots may write on meanwhile. Where somebody was erased while this read, it replays again.

    Args:
        journal: Where both come from.
        state: What the replay gave.
    """
    for _ in range(ATTEMPTS):
        found = _compared(journal, state)
        if found.same or not _erased(journal.read(state.seq)):
            break
        state = replay(journal.read(limit=state.seq))
    return found


def _compared(journal: Journal, state: DeskState) -> Comparison:
    kept = journal.snapshot(SNAPSHOT)
    if kept is None or kept.seq > state.seq:
        return Comparison(same=True)
    try:
        early = DeskState.from_json(kept.state)
    except BadRecord:
        return Comparison(same=True)  # a desk replays the journal then, too
    tail = list(journal.read(kept.seq, limit=state.seq - kept.seq))
    if _erased(tail):
        return Comparison(same=True)  # and then
    ours, theirs = state.to_json(), replay(tail, early).to_json()
    differs = tuple(name for name in ours if ours[name] != theirs[name])
    return Comparison(same=not differs, snapshot_seq=kept.seq, differs=differs)


def _erased(entries: Iterable[Entry]) -> bool:
    return any(isinstance(each.event, JournalErased) for each in entries)
