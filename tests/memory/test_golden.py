"""Entries that were once written are read for ever, and lead to the same memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from handup.core import event_of
from handup.memory import Match
from handup.memory.memory import Shelves
from tests.memory.inputs import plate
from tests.memory.make_golden import FOLDER, plain

VERSIONS = (1,)


@dataclass(frozen=True, kw_only=True)
class Fact:
    seq: int
    at_s: float
    run: str
    key: str = ""
    kind: str
    event: object


def lines(version: int) -> list[dict[str, Any]]:
    text = (FOLDER / f"memory-v{version}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def shelves(version: int) -> Shelves:
    made = Shelves()
    for line in lines(version):
        body, number = line.pop("body"), line.pop("version")
        made.take(Fact(**line, event=event_of(line["kind"], number, body)))
    return made


@pytest.mark.parametrize("version", VERSIONS)
def test_old_entries_lead_to_the_memory_they_led_to(version: int) -> None:
    expected = json.loads((FOLDER / f"memory-v{version}.state.json").read_text(encoding="utf-8"))
    assert [plain(each) for each in shelves(version).memories.values()] == expected


def test_the_vectors_are_read_as_they_were() -> None:
    assert shelves(1).within("food", plate(0, 0.95), 0.5) == [Match(8, 0.949999988079071)]


def test_the_latest_has_every_kind_of_entry_and_every_end() -> None:
    kinds = {line["kind"].removeprefix("memory.") for line in lines(VERSIONS[-1])}
    assert kinds == {"remembered", "confirmed", "contradicted", "dropped", "forgotten", "journal.erased"}
    assert {str(each.status) for each in shelves(VERSIONS[-1]).memories.values()} == {"kept", "dropped", "forgotten"}
    assert {line["body"]["why"] for line in lines(VERSIONS[-1]) if line["kind"] == "memory.dropped"} == {
        "overruled",
        "full",
    }
