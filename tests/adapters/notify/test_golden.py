"""Notices that were once written are read for ever, and mean the same."""

from __future__ import annotations

import json
from pathlib import Path

from handup.adapters.notify.notify_service import Course
from handup.core import event_type
from handup.desk.events import NoticeBegun, NoticeEnded, NoticeOutcome
from handup.journal import Entry

LINES = [json.loads(line) for line in (Path(__file__).parent / "golden" / "told-v1.jsonl").read_text().splitlines()]
ENTRIES = [
    Entry(
        seq=line["seq"],
        at_s=line["at_s"],
        run="told",
        key="meal/food/1",
        kind=line["kind"],
        version=line["version"],
        event=event_type(line["kind"]).from_body(line["body"], line["version"]),
        previous="",
        hash="",
    )
    for line in LINES
]


def test_every_field_is_read_as_it_was_meant() -> None:
    begun = [entry.event for entry in ENTRIES if isinstance(entry.event, NoticeBegun)]
    ended = [entry.event for entry in ENTRIES if isinstance(entry.event, NoticeEnded)]
    assert [(event.reminder, event.attempt, event.way) for event in begun] == [
        (0, 1, "note"),
        (0, 2, "note"),
        (1, 1, "note"),
        (0, 1, "note"),
    ]
    assert [(event.outcome, event.why) for event in ended] == [
        (NoticeOutcome.FAILED, "the server answered 500"),
        (NoticeOutcome.SENT, ""),
        (NoticeOutcome.SENT, ""),
        (NoticeOutcome.UNSURE, "the server ended the connection"),
    ]
    assert begun[0].person.startswith("erased-")
    assert begun[3].person == "ben"


def test_they_lead_to_the_course_that_they_led_to() -> None:
    last = LINES[6]["body"]
    course = Course.of(ENTRIES, person="ben", way="note", opened_s=last["opened_s"])
    assert (course.reminder, course.attempt, course.outcome, course.sent) == (0, 1, NoticeOutcome.UNSURE, False)
    assert Course.of(ENTRIES, person="ana", way="note", opened_s=LINES[0]["body"]["opened_s"]) == Course()
