"""Records and states as plain JSON, and the sentences that people read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from handup.core import BadRecord, ReplyKind
from handup.desk import DeskState, Status
from handup.desk.record import name_of, span, thanks, too_late
from tests.desk.pure import PureDesk


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "1 second"),
        (0.4, "1 second"),
        (90.0, "90 seconds"),
        (119.5, "120 seconds"),
        (120.0, "2 minutes"),
        (121.0, "3 minutes"),
        (7200.0, "2 hours"),
        (200_000.0, "3 days"),
    ],
)
def test_a_stretch_of_time_in_words(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_who_was_erased_is_somebody() -> None:
    assert [name_of(each) for each in ("ana", None, "erased-12ab")] == ["ana", "somebody", "somebody"]


@pytest.mark.parametrize("kind", ReplyKind)
def test_every_reply_is_thanked_for_in_one_sentence_or_two(kind: ReplyKind) -> None:
    assert thanks(kind, 60.0).endswith(".")


def test_every_status_has_a_sentence_for_the_asker_and_the_person() -> None:
    desk = PureDesk()
    record = desk.ask()
    for status in Status:
        moved = replace(record, status=status)
        assert moved.told.endswith(".")
        assert too_late(moved, "ana").endswith(".")


def test_a_state_goes_to_json_and_back() -> None:
    desk = PureDesk()
    desk.reply(desk.ask(), "ana")
    desk.reply(desk.ask(step="t"), "ana", "someone-else")
    desk.ask(step="u")
    desk.reply("", "ben", "stop")
    record = json.loads(json.dumps(desk.state.to_json(), allow_nan=False))
    assert DeskState.from_json(record) == desk.state


@pytest.mark.parametrize(
    "change", [{"schema": 2}, {"records": [{}]}, {"seq": None, "records": 3}, {"put": {"ana": [1]}}]
)
def test_a_damaged_state_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadRecord):
        DeskState.from_json({**DeskState().to_json(), **change})
