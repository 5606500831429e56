"""`handup journal`: verify, erase and repair, and where they find the store."""

from __future__ import annotations

import io
import json
import os
import pty
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from handup.core import DamagedJournal
from handup.desk import replay
from handup.journal import Journal, JournalErased
from tests.cli.calls import SRC, assert_one_line_error, here, shell
from tests.cli.histories import content, history
from tests.journal.kinds import Noted


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HANDUP_STORE", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    yield tmp_path


@pytest.fixture
def store(folder: Path) -> Path:
    return history(folder)


def damage(store: Path, seq: int = 7) -> None:
    """Somebody changes an entry behind the journal's back."""
    with closing(sqlite3.connect(store)) as raw, raw:
        raw.execute("UPDATE entries SET body = replace(body, '{', '{ ') WHERE seq = ?", (seq,))


# -- verify -----------------------------------------------------------------------------------------------------------


def test_a_whole_journal_is_called_whole_in_two_lines(store: Path, folder: Path) -> None:
    before = content(folder)
    called = here("journal", "verify", cwd=folder)
    assert (called.code, called.err) == (0, "")
    first, second = called.out.splitlines()
    with Journal.open(store, readonly=True) as journal:
        head = journal.head()
    assert first == f"handup.db is whole: {head.seq} entries, 2026-11-15 12:00:03 to 2026-11-16 12:01 UTC."
    assert second == f"Head: {head.hash}"
    assert content(folder) == before, "not a byte is changed"


def test_verify_says_it_in_json(store: Path) -> None:
    found = json.loads(here("journal", "verify", str(store), "--json").out)
    assert found["ok"] is True
    assert (found["bad_seq"], found["why"], found["hint"]) == (None, "", "")
    assert len(found["head"]) == 64
    assert found["first_s"] < found["last_s"]


def test_an_empty_journal_is_whole(folder: Path) -> None:
    Journal.open("handup.db").close()
    assert here("journal", "verify").out == "handup.db is whole and has no entry yet.\n"
    assert json.loads(here("journal", "verify", "--json").out)["head"] is None


def test_a_changed_entry_is_named_with_what_to_do(store: Path, folder: Path) -> None:
    damage(store)
    before = content(folder)
    called = here("journal", "verify")
    assert (called.code, called.err) == (1, "")
    assert called.out.splitlines() == [
        "handup.db is DAMAGED: entry 7 is not what was written.",
        "Good until then: 6 entries.",
        "Keep the robot stopped, close every program on it, then run: handup journal repair handup.db",
    ]
    found = json.loads(here("journal", "verify", "--json").out)
    assert (found["ok"], found["bad_seq"], found["entries"]) == (False, 7, 6)
    assert "handup journal repair" in found["hint"]
    assert content(folder) == before, "not even a damaged one is changed"


def test_a_journal_that_was_put_aside_is_damaged_too(store: Path) -> None:
    damage(store)
    with pytest.raises(DamagedJournal):
        Journal.open(store)
    called = here("journal", "verify")
    assert called.code == 1
    assert called.out.startswith("DAMAGED: the journal ")
    assert "handup.db is damaged: entry 7 is not what was written; it lies in " in called.out
    assert "handup journal repair " in called.out


def test_verify_works_while_a_robot_writes(store: Path, folder: Path) -> None:
    with Journal.open(store) as journal:
        journal.append(Noted(text="just now"))
        with journal.writing() as writer:
            writer.append(Noted(text="not there yet"))
            called = shell("journal", "verify", cwd=folder)
    assert called.code == 0
    assert "is whole" in called.out


# -- where the store is -----------------------------------------------------------------------------------------------


def test_the_store_is_named_or_the_environments_or_in_this_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("named.db", "environment.db", "handup.db"):
        Journal.open(name).close()
    assert here("journal", "verify").out.startswith("handup.db ")
    monkeypatch.setenv("HANDUP_STORE", "environment.db")
    assert here("journal", "verify").out.startswith("environment.db ")
    assert here("journal", "verify", "named.db").out.startswith("named.db ")
    assert "environment.db" in here("journal", "erase", "Ana", "--yes").out
    monkeypatch.setenv("HANDUP_STORE", "")
    assert "handup.db" in here("journal", "erase", "Ana", "--yes").out


# -- erase ------------------------------------------------------------------------------------------------------------


def test_erasing_says_what_was_done_and_what_is_not_reached(store: Path, folder: Path) -> None:
    called = here("journal", "erase", "handup.db", "Ana", "--yes", cwd=folder)
    assert (called.code, called.err) == (0, "")
    first, second, third = called.out.splitlines()
    assert first.startswith("Erased from handup.db: the name Ana and ")
    assert "under the pseudonym" in second
    assert third == "Exports and backups that were made before are not reached."
    assert not any(b"Ana" in data or b"cherry tomato" in data for data in content(folder).values())
    assert "is whole" in here("journal", "verify").out


def test_older_copies_that_may_hold_it_are_named(store: Path, folder: Path) -> None:
    (folder / "handup.db.before-0000").write_bytes(b"Ana")
    called = here("journal", "erase", "handup.db", "Ana", "--yes")
    assert called.code == 0
    assert "An older copy may still hold it; delete it when you do not need it: " in called.out
    assert "handup.db.before-0000" in called.out
    again = json.loads(here("journal", "erase", "handup.db", "Ben", "--yes", "--json").out)
    assert [Path(each).name for each in again["kept_in"]] == ["handup.db.before-0000"]
    assert again["scrubbed"] is True


def test_a_name_that_nobody_has_is_said_and_found_wrong(store: Path) -> None:
    called = here("journal", "erase", "handup.db", "Anna", "--yes")
    assert (called.code, called.err) == (1, "")
    assert called.out == "Nobody in handup.db is called Anna: nothing was erased. Check the spelling.\n"


@pytest.mark.parametrize("command", [["erase", "handup.db", "Ana"], ["repair"]], ids=" ".join)
def test_without_a_terminal_a_change_needs_yes(command: list[str], store: Path, folder: Path) -> None:
    damage(store) if command[0] == "repair" else None
    before = content(folder)
    assert_one_line_error(here("journal", *command), "must be confirmed", "Give --yes")
    assert content(folder) == before


def at_a_terminal(folder: Path, typed: str, *arguments: str) -> tuple[int, str]:
    """A person at a terminal, who types something."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    command = [sys.executable, "-m", "handup", *arguments]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        assert process.stdout is not None
        said = process.stdout.read().decode()
    os.close(ours)
    return process.returncode, said


def test_at_a_terminal_a_person_confirms(store: Path, folder: Path) -> None:
    code, said = at_a_terminal(folder, "n\n", "journal", "erase", "handup.db", "Ana")
    assert code == 130
    assert "Erase Ana from handup.db, for ever? [y/N]" in said
    code, said = at_a_terminal(folder, "y\n", "journal", "erase", "handup.db", "Ana")
    assert code == 0
    assert "Erased from handup.db: the name Ana" in said


def test_a_damaged_journal_is_not_erased_from_nor_put_aside(store: Path, folder: Path) -> None:
    damage(store)
    before = content(folder)
    called = here("journal", "erase", "handup.db", "Ana", "--yes")
    assert_one_line_error(called, "entry 7 is not what was written", "handup journal repair")
    assert content(folder) == before


# -- repair -----------------------------------------------------------------------------------------------------------


def test_a_repair_says_what_was_kept_and_lost(store: Path, folder: Path) -> None:
    with Journal.open(store, readonly=True) as journal:
        entries = journal.head().seq
    damage(store)
    called = here("journal", "repair", "--yes", cwd=folder)
    assert (called.code, called.err) == (0, "")
    assert called.out.startswith(f"Repaired handup.db: 6 entries kept, {entries - 6} lost.\n")
    assert "The damaged one is kept as it was: " in called.out
    assert "handup.db.damaged-" in called.out
    whole = here("journal", "verify")
    assert whole.code == 0
    assert "7 entries" in whole.out, "the repair itself is written down"
    told = here("journal", "replay").out
    assert "STOP: repaired: 6 entries kept" in told
    assert "STOPPED by the repair of the journal at " in told


def test_a_repaired_journal_stays_stopped_until_a_person_enables_it(store: Path) -> None:
    damage(store)
    said = here("journal", "repair", "--yes").out.splitlines()[-1]
    assert said == "The robot stays stopped: look at it, then run: handup answer --enable --store handup.db"
    with Journal.open(store, readonly=True) as journal:
        assert replay(journal.read()).stopped is not None
    assert here("answer", "--enable", "--store", "handup.db").code == 0
    with Journal.open(store, readonly=True) as journal:
        assert replay(journal.read()).stopped is None


def test_a_journal_that_was_put_aside_can_be_repaired(store: Path) -> None:
    damage(store)
    with pytest.raises(DamagedJournal):
        Journal.open(store)
    found = json.loads(here("journal", "repair", "--yes", "--json").out)
    assert (found["repaired"], found["entries"]) == (True, 6)


def test_a_whole_journal_is_not_repaired(store: Path, folder: Path) -> None:
    before = content(folder)
    called = here("journal", "repair", "--yes")
    assert (called.code, called.out) == (0, "handup.db is whole: there is nothing to repair.\n")
    assert json.loads(here("journal", "repair", "--yes", "--json").out)["repaired"] is False
    assert content(folder) == before


def test_a_damaged_journal_that_is_in_use_is_left(store: Path, folder: Path) -> None:
    with Journal.open(store):
        damage(store)
        called = here("journal", "repair", "--yes")
    assert_one_line_error(called, "another program has it open", "close every program")


def test_a_backup_takes_the_place_of_a_damaged_journal(store: Path, folder: Path) -> None:
    shutil.copyfile(store, folder / "backup")
    with Journal.open(store) as journal:
        entries = journal.head().seq
        journal.append(JournalErased(pseudonym="x", values=0))
    damage(store)
    assert_one_line_error(here("journal", "repair", "--use-backup", "--yes"), "not put aside", "without --use-backup")
    with pytest.raises(DamagedJournal):
        Journal.open(store)
    shutil.copyfile(folder / "backup", store)
    called = here("journal", "repair", "--use-backup", "--yes")
    assert called.out.startswith(f"Repaired handup.db: {entries} entries kept, 1 lost.\n")
    assert "erase them again" in called.out
    assert here("journal", "verify").code == 0
