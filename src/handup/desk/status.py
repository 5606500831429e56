"""Status of a question, and the one table of its transitions."""

from __future__ import annotations

from enum import StrEnum

from handup.core import IllegalCall


class Status(StrEnum):
    """Status of a question."""

    HELD = "held"
    """It does not fit the limits of the person yet, or the desk is stopped."""
    OPEN = "open"
    """It is before the person."""
    CLAIMED = "claimed"
    """A person has claimed it, for the time of a lease."""
    DEFERRED = "deferred"
    """A person said *not now*. Later it is held for the same person again, unless the robot takes it back before."""
    HANDED_ON = "handed-on"
    """A person said *someone else*. It goes on to the next person at once; it ends here where nobody is left."""
    ANSWERED = "answered"
    DELEGATED = "delegated"
    """A person said *let the robot try*."""
    WITHDRAWN = "withdrawn"
    """No longer needed, or taken back because of a stop."""
    EXPIRED = "expired"
    """Nobody answered in time."""


class Move(StrEnum):
    """Transition of a question; each is a kind of entry in the journal."""

    ASKED = "desk.asked"
    JOINED = "desk.joined"
    HELD = "desk.held"
    OPENED = "desk.opened"
    CLAIMED = "desk.claimed"
    CLAIM_ENDED = "desk.claim-ended"
    ANSWERED = "desk.answered"
    DEFERRED = "desk.deferred"
    HANDED_ON = "desk.handed-on"
    DELEGATED = "desk.delegated"
    WITHDRAWN = "desk.withdrawn"
    EXPIRED = "desk.expired"


WAITING = (Status.HELD, Status.OPEN, Status.CLAIMED, Status.DEFERRED)
"""Statuses in which an answer is still accepted."""
BEFORE = (Status.OPEN, Status.CLAIMED)
"""Statuses in which a question is before a person."""
_ENDS = {
    Move.ANSWERED: Status.ANSWERED,
    Move.DEFERRED: Status.DEFERRED,
    Move.HANDED_ON: Status.HANDED_ON,
    Move.DELEGATED: Status.DELEGATED,
    Move.WITHDRAWN: Status.WITHDRAWN,
    Move.EXPIRED: Status.EXPIRED,
}
TABLE: dict[tuple[Status | None, Move], Status] = {
    (None, Move.ASKED): Status.HELD,
    **{(status, Move.JOINED): status for status in WAITING},
    **{(status, move): then for status in WAITING for move, then in _ENDS.items()},
    (Status.HELD, Move.OPENED): Status.OPEN,
    (Status.DEFERRED, Move.HELD): Status.HELD,
    (Status.HANDED_ON, Move.HELD): Status.HELD,
    **{(status, Move.HELD): Status.HELD for status in BEFORE},
    (Status.OPEN, Move.CLAIMED): Status.CLAIMED,
    (Status.CLAIMED, Move.CLAIMED): Status.CLAIMED,
    (Status.CLAIMED, Move.CLAIM_ENDED): Status.OPEN,
}
"""All transitions of a question, from None where it does not exist yet. Every question is held before it opens, so that
one rule keeps the limits and the order of asking. It is held again where the person says that they are busy."""


def after(status: Status | None, move: Move, question: str) -> Status:
    """Return the status of a question after a move.

    Raises:
        IllegalCall: The table has no such move.
    """
    then = TABLE.get((status, move))
    if then is None:
        where = "does not exist" if status is None else f"is {status}"
        raise IllegalCall(
            f"'{move}' cannot happen to question '{question}', which {where}",
            hint="Use the desk, which keeps to the table; if it wrote this itself, verify the journal.",
        )
    return then
