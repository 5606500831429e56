"""Erasing a person: gone from the bytes, and the chain is whole."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from handup.core import DamagedJournal
from handup.journal import Journal, JournalErased
from tests.journal.kinds import Met, Noted, Said

SECRET = "Wörterbuch-7411"
NAME = "Ännchen von Tharau"


def bytes_beside(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in sorted(path.parent.iterdir()) if each.is_file())


def test_an_erased_person_is_read_as_a_pseudonym_and_the_chain_holds(journal: Journal) -> None:
    before = journal.append(Said(by=NAME, words=SECRET), Said(by="Bob", words="mine"), Noted(text="plain"))
    done = journal.erase(NAME)
    assert done.pseudonym is not None
    assert (done.values, done.seq, done.kept_in, done.scrubbed) == (1, 4, (), True)
    entries = list(journal.read())
    assert [entry.hash for entry in entries[:3]] == [entry.hash for entry in before]
    assert entries[0].event == Said(by=f"erased-{done.pseudonym}", words=None)
    assert entries[1].event == Said(by="Bob", words="mine")
    assert entries[3].event == JournalErased(pseudonym=done.pseudonym, values=1)
    assert entries[3].key == done.pseudonym
    assert journal.verify().ok


def test_what_belongs_to_several_goes_with_any_of_them(journal: Journal) -> None:
    journal.append(Met(who=("Ann", "Bob"), where="a café", notes={"a": SECRET}))
    done = journal.erase("Bob")
    assert done.values == 2
    assert next(journal.read()).event == Met(who=("Ann", f"erased-{done.pseudonym}"))
    assert journal.verify().ok
    assert journal.erase("Ann").values == 0
    assert journal.verify().ok


def test_erasing_twice_or_nobody_changes_nothing_and_says_so(journal: Journal) -> None:
    journal.append(Said(by=NAME, words=SECRET))
    journal.erase(NAME)
    for name in (NAME, "nobody"):
        again = journal.erase(name)
        assert (again.pseudonym, again.values, again.seq) == (None, 0, None)
    assert journal.head().seq == 2


def test_the_same_name_later_is_somebody_new(journal: Journal) -> None:
    journal.append(Said(by=NAME, words="old"))
    first = journal.erase(NAME).pseudonym
    journal.append(Said(by=NAME, words="new"))
    assert [entry.event for entry in journal.read()][-1] == Said(by=NAME, words="new")
    second = journal.erase(NAME).pseudonym
    assert first != second
    assert journal.verify().ok


def test_a_person_keeps_one_pseudonym_and_it_says_nothing(journal: Journal) -> None:
    journal.append(Said(by=NAME), Said(by=NAME), Said(by="Bob"), Said(by=None, words="nobody's"))
    bodies = [row.body for row in journal.rows()]
    assert bodies[0] == bodies[1] != bodies[2]
    assert NAME not in "".join(bodies)
    assert [entry.event for entry in journal.read()][-1] == Said(by=None, words="nobody's")
    assert journal.verify().ok


def test_an_erased_person_can_be_named_again_by_what_is_left_of_them(journal: Journal) -> None:
    journal.append(Said(by=NAME, words="old"))
    left = f"erased-{journal.erase(NAME).pseudonym}"
    journal.append(Said(by=left), Said(by="erased-0123456789abcdef"))
    assert [entry.event for entry in journal.read()][-2:] == [Said(by=left), Said(by="erased-0123456789abcdef")]
    assert journal.verify().ok
    assert journal.erase("erased-0123456789abcdef").pseudonym is not None, "that one was only a name"


def test_no_byte_of_it_is_left_in_the_files(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        for number in range(40):
            journal.append(Said(by=NAME, words=f"{SECRET} {number} " + SECRET * 300), Said(by="Bob", words="stays"))
        journal.save_snapshot("desk", 4, {"asked": NAME, "said": SECRET})
        assert SECRET.encode() in bytes_beside(path)
        with Journal.open(path, readonly=True) as reader:
            list(reader.read(limit=3))
            assert journal.erase(NAME).values == 40
            assert journal.snapshot("desk") is None
            for gone in (NAME, SECRET):
                assert gone.encode() not in bytes_beside(path)
        assert b"stays" in bytes_beside(path)
        assert journal.append(Noted()), "it goes on"
    for gone in (NAME, SECRET):
        assert gone.encode() not in bytes_beside(path)
    with Journal.open(path) as journal:
        assert journal.verify().ok


def test_old_copies_beside_the_store_are_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.append(Said(by=NAME))
        old = tmp_path / "journal.db.before-0000"
        old.touch()
        assert journal.erase(NAME).kept_in == (str(old),)


def test_damage_found_while_the_bytes_are_cleaned_is_told_as_damage(tmp_path: Path) -> None:
    class Broken:
        def execute(self, _: str) -> None:
            error = sqlite3.DatabaseError("database disk image is malformed")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error

    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append(Said(by=NAME))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("handup.journal.sqlite._truncate", lambda _: Broken().execute(""))
            with pytest.raises(DamagedJournal, match="malformed"):
                journal.erase(NAME)
