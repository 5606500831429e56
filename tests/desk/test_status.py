"""The one transition table: each row, and each pair that is refused."""

from __future__ import annotations

import itertools

import pytest

from handup.core import IllegalCall
from handup.desk import TABLE, Move, Status
from handup.desk.status import WAITING, after

ENDS = {
    Move.ANSWERED: Status.ANSWERED,
    Move.DEFERRED: Status.DEFERRED,
    Move.HANDED_ON: Status.HANDED_ON,
    Move.DELEGATED: Status.DELEGATED,
    Move.WITHDRAWN: Status.WITHDRAWN,
    Move.EXPIRED: Status.EXPIRED,
}
ROWS: list[tuple[Status | None, Move, Status]] = [
    (None, Move.ASKED, Status.HELD),
    (Status.HELD, Move.OPENED, Status.OPEN),
    (Status.OPEN, Move.CLAIMED, Status.CLAIMED),
    (Status.CLAIMED, Move.CLAIMED, Status.CLAIMED),
    (Status.CLAIMED, Move.CLAIM_ENDED, Status.OPEN),
    (Status.DEFERRED, Move.HELD, Status.HELD),
    (Status.HANDED_ON, Move.HELD, Status.HELD),
    (Status.OPEN, Move.HELD, Status.HELD),
    (Status.CLAIMED, Move.HELD, Status.HELD),
    *((status, Move.JOINED, status) for status in WAITING),
    *((status, move, then) for status in WAITING for move, then in ENDS.items()),
]


@pytest.mark.parametrize(("status", "move", "then"), ROWS)
def test_each_row_leads_where_it_says(status: Status | None, move: Move, then: Status) -> None:
    assert after(status, move, "r/s/1") is then


def test_the_table_has_these_rows_and_no_others() -> None:
    assert {(status, move, then) for (status, move), then in TABLE.items()} == set(ROWS)


@pytest.mark.parametrize(
    ("status", "move"), [pair for pair in itertools.product((None, *Status), Move) if pair not in TABLE]
)
def test_everything_else_is_refused_at_the_door(status: Status | None, move: Move) -> None:
    with pytest.raises(IllegalCall, match="r/s/1"):
        after(status, move, "r/s/1")


@pytest.mark.parametrize("status", [Status.ANSWERED, Status.DELEGATED, Status.WITHDRAWN, Status.EXPIRED])
def test_an_end_has_no_way_on(status: Status) -> None:
    assert not any(start is status for start, _ in TABLE)
