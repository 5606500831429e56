"""Erasing a person: no trace in the files, and nothing is recalled."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest

from handup.core import BadSetting
from handup.journal import Journal
from handup.memory import Memory, Source
from handup.memory.index import to_text
from tests.journal.test_erase import bytes_beside
from tests.memory.inputs import MENU, plate

NAME = "Ännchen von Tharau"
SECRET = "Wörterbuch-7411"
PICTURE = "plate-8812.png"


def test_what_an_erased_person_said_is_not_recalled(journal: Journal, memory: Memory) -> None:
    known = memory.remember("food", plate(0), "plum", by=NAME)
    memory.remember("food", plate(1), "pear", by="Ben", whose=[NAME])
    memory.remember("food", plate(2), "fig", by="Ben")
    memory.confirm(known.id, by="Ben")
    journal.erase(NAME)
    assert [memory.recall("food", plate(number), MENU) for number in (0, 1)] == [None, None]
    assert memory.recall("food", plate(2), MENU) is not None
    assert [each.label for each in memory.kept()] == ["fig"]
    with pytest.raises(BadSetting, match="got 1"):
        memory.confirm(known.id)
    assert Memory(journal).kept() == memory.kept()
    assert journal.verify().ok


def test_also_where_another_program_erased(store: str) -> None:
    with Journal.open(store) as mine, Journal.open(store) as theirs:
        memory = Memory(mine)
        memory.remember("food", plate(), "plum", by=NAME)
        theirs.erase(NAME)
        made = memory.remember("food", plate(), "fig", by="Ben")
        assert [each.id for each in memory.kept()] == [made.id]


def test_no_byte_of_it_is_left_in_the_files(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    secrets = [NAME.encode(), SECRET.encode(), PICTURE.encode()]
    with Journal.open(path) as journal:
        memory = Memory(journal)
        for number in range(6):
            source = Source(question=f"lunch/food/{number}", run="lunch", picture=PICTURE)
            seen = plate(number, 0.97, aside=(number + 3) % 7)
            memory.remember("food", seen, f"{SECRET} {number}", by=NAME, whose=["Ben"], source=source)
            secrets += [to_text(seen.vector).encode(), b64decode(to_text(seen.vector))]
        memory.remember("food", plate(7, aside=6), "stays", by="Ben")
        written = bytes_beside(path)
        assert all(secret in written for secret in secrets if len(secret) != 32), "raw floats are not stored"
        journal.erase(NAME)
        assert [each.label for each in memory.kept()] == ["stays"]
        assert not any(secret in bytes_beside(path) for secret in secrets)
    left = bytes_beside(path)
    assert not any(secret in left for secret in secrets)
    assert b"stays" in left
