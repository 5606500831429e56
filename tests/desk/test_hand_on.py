"""Handing a question on to somebody whom the asker has chosen."""

from __future__ import annotations

from handup.core import Limits, Person
from handup.desk import ReceiptStatus
from handup.desk.events import HandedOn
from handup.desk.rules import HandOn
from tests.desk.pure import ANA, BEN, CEM, PureDesk, claim


def asked(*people: Person) -> PureDesk:
    desk = PureDesk(people or (ANA, BEN, CEM))
    desk.ask()
    return desk


def to(desk: PureDesk, name: str) -> ReceiptStatus:
    return desk.do(HandOn(question="r/s/1", to=name)).status


def test_it_goes_to_the_person_who_was_chosen_and_the_first_may_still_answer() -> None:
    desk = asked()
    assert to(desk, "cem") is ReceiptStatus.ACCEPTED
    record = desk.state.records["r/s/1"]
    assert (record.turn, str(record.status), record.passed) == ("cem", "open", ("ana",))
    assert desk.reply(record, "ana", value="plum").accepted
    assert desk.state.records["r/s/1"].by == "ana"


def test_the_journal_says_so_with_the_event_of_someone_else() -> None:
    desk = asked()
    to(desk, "ben")
    (event,) = [entry.event for entry in desk.entries if isinstance(entry.event, HandedOn)]
    assert (event.by, event.turn, event.token) == ("ana", "ben", "")


def test_again_changes_nothing() -> None:
    desk = asked()
    to(desk, "ben")
    count = len(desk.entries)
    assert to(desk, "ben") is ReceiptStatus.ACCEPTED
    assert to(desk, "ana") is ReceiptStatus.ACCEPTED, "it was there before"
    assert len(desk.entries) == count
    assert desk.state.records["r/s/1"].turn == "ben"


def test_someone_else_then_leads_to_whoever_is_left() -> None:
    desk = asked()
    to(desk, "cem")
    assert desk.reply("r/s/1", "cem", "someone-else").accepted
    assert desk.state.records["r/s/1"].turn == "ben"


def test_it_is_held_until_it_fits_the_limits_of_the_new_person() -> None:
    desk = asked(ANA, Person(name="ben", limits=Limits(per_hour=1)))
    desk.ask(step="other", audience=("ben",))
    assert to(desk, "ben") is ReceiptStatus.ACCEPTED
    record = desk.state.records["r/s/1"]
    assert (record.turn, str(record.status)) == ("ben", "held")


def test_it_is_refused_for_strangers_and_while_somebody_has_taken_it_on() -> None:
    desk = asked()
    assert to(desk, "dora") is ReceiptStatus.UNAUTHORISED
    assert claim(desk, desk.state.records["r/s/1"], "ana") is ReceiptStatus.ACCEPTED
    assert to(desk, "ben") is ReceiptStatus.CLAIMED


def test_it_is_refused_when_it_was_put_off_or_is_over() -> None:
    desk = asked()
    assert desk.reply("r/s/1", "ana", "not-now").accepted
    assert to(desk, "ben") is ReceiptStatus.STALE
    assert desk.reply("r/s/1", "ana", value="plum", token="2").accepted
    assert to(desk, "ben") is ReceiptStatus.LATE
    assert desk.do(HandOn(question="r/t/1", to="ben")).status is ReceiptStatus.UNKNOWN
