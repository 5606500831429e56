"""Where a question is, and the one table of how it gets from there to elsewhere."""

from __future__ import annotations

from enum import StrEnum

from handup.core import IllegalCall


class Status(StrEnum):
    """Where a question is."""

    HELD = "held"
    """It does not fit the limits of the person yet, or the desk is stopped."""
    OPEN = "open"
    """It is before the person."""
    CLAIMED = "claimed"
    """Somebody has taken it on, for the time of a lease."""
    DEFERRED = "deferred"
    """*Not now*: until a time, then it is held for the same person; the robot may take it back before."""
    HANDED_ON = "handed-on"
    """*Someone else*: in passing, on the way to the next person; for good where nobody is left."""
    ANSWERED = "answered"
    DELEGATED = "delegated"
    """*Let the robot try*."""
    WITHDRAWN = "withdrawn"
    """No longer needed, or taken back because of a stop."""
    EXPIRED = "expired"
    """Nobody answered in time."""


class Move(StrEnum):
    """What happens to a question; each is a kind of entry in the journal."""

    ASKED = "desk.asked"
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
"""Where an answer is still welcome."""
BEFORE = (Status.OPEN, Status.CLAIMED)
"""Where a question is before a person."""
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
    **{(status, move): then for status in WAITING for move, then in _ENDS.items()},
    (Status.HELD, Move.OPENED): Status.OPEN,
    (Status.DEFERRED, Move.HELD): Status.HELD,
    (Status.HANDED_ON, Move.HELD): Status.HELD,
    (Status.OPEN, Move.CLAIMED): Status.CLAIMED,
    (Status.CLAIMED, Move.CLAIMED): Status.CLAIMED,
    (Status.CLAIMED, Move.CLAIM_ENDED): Status.OPEN,
}
"""All that may happen to a question. None: it does not exist yet. Everything passes through `held` before it opens, so
that one rule sees to the limits and to the order of asking."""


def after(status: Status | None, move: Move, question: str) -> Status:
    """Where a question is after a move.

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
