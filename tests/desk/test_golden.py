"""Entries that were once written are read for ever, and lead to the same state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from handup.core import Question, event_type
from handup.desk import Desk, DeskState, Move, Status, replay
from handup.desk.deadlines import Fact
from handup.journal import Journal
from tests.desk.checking import assert_in_order, assert_one_answer_each, assert_table_respected
from tests.desk.desks import SetClock, answer, at
from tests.desk.make_golden import FOLDER, PEOPLE

VERSIONS = (1, 2)


def lines(version: int) -> list[dict[str, Any]]:
    text = (FOLDER / f"desk-v{version}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def facts(version: int) -> list[Fact]:
    return [
        Fact(
            **{name: line[name] for name in ("seq", "at_s", "run", "key")},
            event=event_type(line["kind"]).from_body(line["body"], line["version"]),
        )
        for line in lines(version)
    ]


def expected(version: int) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((FOLDER / f"desk-v{version}.state.json").read_text(encoding="utf-8"))
    return record


@pytest.mark.parametrize("version", VERSIONS)
def test_old_entries_lead_to_the_state_they_led_to(version: int) -> None:
    state = replay(facts(version))
    assert json.loads(json.dumps(state.to_json())) == expected(version)
    assert DeskState.from_json(expected(version)) == state


@pytest.mark.parametrize("version", VERSIONS)
def test_old_entries_keep_to_the_rules(version: int) -> None:
    entries = facts(version)
    assert_table_respected(entries)
    assert_one_answer_each(entries)
    assert_in_order(entries)


def test_the_latest_has_every_kind_of_entry_and_every_status() -> None:
    kinds = {line["kind"] for line in lines(VERSIONS[-1])}
    assert kinds == {*Move, "desk.stopped", "desk.enabled", "desk.person", "desk.presence", "journal.erased"}
    assert {record["status"] for record in expected(VERSIONS[-1])["records"]} >= {
        *("answered", "handed-on", "delegated", "withdrawn", "expired", "held")
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_a_desk_goes_on_where_an_old_journal_ended(version: int, tmp_path: Path) -> None:
    clock = SetClock()
    with Journal.open(at(tmp_path), clock=clock) as journal:
        for fact in facts(version):
            clock.set(fact.at_s)
            journal.append(fact.event, run=fact.run, key=fact.key)
        desk = Desk(journal, [each for each in PEOPLE if each.name != "dora"])  # who was erased
        assert json.loads(json.dumps(desk.state.to_json())) == expected(version)
        desk.enable("ana")
        record = desk.ask(Question("And now?", to=("cem",)), run="golden/2", step="more")
        assert record.status is Status.OPEN
        assert desk.reply(answer(record, "cem")).accepted
