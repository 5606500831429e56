"""A backup in a damaged store's place: checked in full, taken when a person says so, and written down."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handup.core import DamagedJournal, StoreUnavailable
from handup.journal import Entry, Journal, JournalRepaired, repair
from handup.journal.files import Witness, note_path
from tests.journal.kinds import Noted
from tests.journal.stores import content, copy_of
from tests.journal.test_damage import damage

ENTRIES = 61
LATER = 5


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    path, _ = copy_of("file", tmp_path / "backup")
    return path


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """The path of a store that went on after the backup, was damaged and put aside."""
    path, _ = copy_of("file", tmp_path / "store")
    with Journal.open(path) as journal:
        journal.append(*(Noted(number=number) for number in range(LATER)))
    damage(path)
    with pytest.raises(DamagedJournal, match="--use-backup"):
        Journal.open(path)
    return path


def entries_of(path: Path) -> list[Entry]:
    with Journal.open(path, readonly=True) as journal:
        return list(journal.read())


@pytest.mark.parametrize("with_witness", [True, False])
def test_a_backup_is_taken_when_a_person_says_so(damaged: Path, backup: Path, with_witness: bool) -> None:
    aside = {name: data for name, data in content(damaged.parent).items() if ".damaged-" in name}
    shutil.copyfile(backup, damaged)
    if with_witness:
        shutil.copyfile(Witness(backup).path, Witness(damaged).path)
    with pytest.raises(DamagedJournal):
        Journal.open(damaged)
    with pytest.raises(StoreUnavailable, match="--use-backup"):
        repair(damaged)
    done = repair(damaged, use_backup=True)
    assert (done.entries, done.lost, done.from_backup) == (ENTRIES, LATER, True)
    with Journal.open(damaged) as journal:
        *kept, told = journal.read()
        assert kept == entries_of(backup)
        source = Path(done.source).name
        assert told.event == JournalRepaired(source=source, last_good=ENTRIES, lost=LATER, from_backup=True)
        assert journal.append(Noted())[0].seq == ENTRIES + 2
        assert journal.verify().ok
    assert {name: data for name, data in content(damaged.parent).items() if ".damaged-" in name} == aside


def test_what_is_no_whole_backup_of_this_journal_is_refused_and_left(damaged: Path, backup: Path) -> None:
    with pytest.raises(StoreUnavailable, match="no backup lies at"):
        repair(damaged, use_backup=True)
    damaged.write_text("my notes " * 999)
    with pytest.raises(StoreUnavailable, match="no journal"):
        repair(damaged, use_backup=True)
    for length in (2, 200):
        damaged.unlink()
        with Journal.open(backup.with_name(f"other-{length}.db")) as other:
            other.append(*(Noted(number=number) for number in range(length)))
        shutil.copyfile(backup.with_name(f"other-{length}.db"), damaged)
        with pytest.raises(StoreUnavailable, match="another journal"):
            repair(damaged, use_backup=True)
    damage(backup)
    shutil.copyfile(backup, damaged)
    before = content(damaged.parent)
    with pytest.raises(DamagedJournal, match=r"damaged, too: entry 21"):
        repair(damaged, use_backup=True)
    assert content(damaged.parent) == before
    assert note_path(damaged).exists(), "everything stays stopped"
    damaged.unlink()
    assert repair(damaged).entries == 20


def test_it_can_be_taken_up_after_a_crash_and_says_it_once(
    damaged: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copyfile(backup, damaged)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            repair(damaged, use_backup=True)
    with pytest.raises(DamagedJournal):
        Journal.open(damaged)
    done = repair(damaged, use_backup=True)
    assert (done.entries, done.lost, done.from_backup) == (ENTRIES, LATER, True)
    assert [entry.kind for entry in entries_of(damaged)].count("journal.repaired") == 1
    Journal.open(damaged).close()


def test_a_note_that_cannot_be_read_does_not_stand_in_the_way(damaged: Path, backup: Path) -> None:
    note_path(damaged).write_text("{")
    shutil.copyfile(backup, damaged)
    done = repair(damaged, use_backup=True)
    assert (done.entries, done.lost) == (ENTRIES, None)
    Journal.open(damaged).close()


def test_a_backup_for_a_store_that_was_lost_altogether(tmp_path: Path, backup: Path) -> None:
    path, _ = copy_of("file", tmp_path / "store")
    path.unlink()
    with pytest.raises(DamagedJournal, match="missing"):
        Journal.open(path)
    shutil.copyfile(backup, path)
    assert repair(path, use_backup=True).lost == 0
    assert len(entries_of(path)) == ENTRIES + 1
