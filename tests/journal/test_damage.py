"""A damaged store: put aside under another name, everything stopped, never silently shorter or empty."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handup.core import DamagedJournal, HandupError, NewerJournal, StoreUnavailable
from handup.journal import Journal, JournalRepaired, repair
from tests.journal.kinds import Noted
from tests.journal.stores import content, copy_of

PARTS = [("file", "journal.db"), ("log", "journal.db"), ("log", "journal.db-wal")]


def is_safe(path: Path, made: object) -> bool:
    """Open a store that may be damaged: True when all of it is there, False when it was refused. Nothing between."""
    for readonly in (True, False):
        try:
            with Journal.open(path, readonly=readonly) as journal:
                if readonly and not journal.verify().ok:
                    continue
                assert tuple(journal.read()) == made
        except (DamagedJournal, NewerJournal, StoreUnavailable):
            if not readonly:
                return False
    with Journal.open(path) as journal:
        assert tuple(journal.read()) == made
    return True


@pytest.mark.parametrize(("where", "part"), PARTS)
def test_a_file_cut_at_any_length_is_never_silently_shorter(tmp_path: Path, where: str, part: str) -> None:
    whole, _ = copy_of(where, tmp_path / "whole")
    size = whole.with_name(part).stat().st_size
    lengths = {0, 1, 31, 32, 99, 100, 511, size // 2, size - 1, *range(0, size, max(1, size // 13))}
    lengths |= {each + 7 for each in range(0, size - 7, max(1, size // 7))}
    for number, length in enumerate(sorted(lengths)):
        path, made = copy_of(where, tmp_path / str(number))
        with path.with_name(part).open("rb+") as file:
            file.truncate(length)
        assert not is_safe(path, made), length
        with pytest.raises((DamagedJournal, StoreUnavailable)):
            Journal.open(path)


@pytest.mark.parametrize(("where", "part"), PARTS)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_a_flipped_bit_is_found_or_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, where: str, part: str, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("flip")
    path, made = copy_of(where, folder)
    draw = random.Random(seed)
    damaged = bytearray(path.with_name(part).read_bytes())
    for _ in range(draw.choice((1, 1, 1, 8))):
        at = draw.randrange(min(len(damaged), draw.choice((100, 4096, len(damaged)))))
        damaged[at] ^= 1 << draw.randrange(8)
    path.with_name(part).write_bytes(damaged)
    is_safe(path, made)
    shutil.rmtree(folder)


def test_a_witness_that_was_cut_does_no_harm(tmp_path: Path) -> None:
    for number, text in enumerate(("", "0", "00000000000000000099 ff 00\n")):
        path, made = copy_of("log", tmp_path / str(number))
        (path.parent / "journal.db.witness").write_text(text)
        assert is_safe(path, made)


@pytest.mark.parametrize("how", ["deleted", "emptied", "log deleted", "older backup", "another"])
def test_a_store_that_lacks_what_was_acknowledged_is_damaged(tmp_path: Path, how: str) -> None:
    path, made = copy_of("log", tmp_path / "store")
    if how == "deleted":
        path.unlink()
    elif how == "emptied":
        path.write_bytes(b"")
    elif how == "log deleted":
        path.with_name("journal.db-wal").unlink()
    elif how == "older backup":
        older, _ = copy_of("file", tmp_path / "older")
        path.with_name("journal.db-wal").unlink()
        shutil.copyfile(older, path)
    else:
        path.with_name("journal.db-wal").unlink()
        path.unlink()
        with Journal.open(tmp_path / "other.db") as other:
            other.append(*(Noted(number=number) for number in range(200)))
        shutil.copyfile(tmp_path / "other.db", path)
    with pytest.raises(DamagedJournal) as first:
        Journal.open(path)
    assert "put aside as" in first.value.cause
    for readonly, create in ((False, True), (True, True), (False, False)):
        with pytest.raises(DamagedJournal):
            Journal.open(path, readonly=readonly, create=create)
    assert not path.exists(), "never silently empty"
    done = repair(path)
    assert done.lost == (None if how == "another" else len(made) - done.entries)
    with Journal.open(path) as journal:
        assert journal.head().seq == done.entries + 1


def damage(path: Path) -> None:
    """Change an entry in the middle."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE entries SET body = replace(body, 'entry', 'emtry') WHERE seq = 21")
        connection.commit()


def test_it_is_put_aside_unchanged_and_everything_stays_stopped(tmp_path: Path) -> None:
    path, _ = copy_of("file", tmp_path)
    damage(path)
    before = path.read_bytes()
    with pytest.raises(DamagedJournal, match="entry 21 is not what was written"):
        Journal.open(path)
    note = json.loads((tmp_path / "journal.db.stopped").read_text())
    aside = tmp_path / note["moved_to"]
    assert aside.name.startswith("journal.db.damaged-")
    assert aside.read_bytes() == before
    assert "entry 21" in note["why"]
    assert note["witnessed_seq"] == 61
    assert note["at"].endswith("+00:00")
    lying = content(tmp_path)
    for _ in range(2):
        with pytest.raises(DamagedJournal, match="handup journal repair"):
            Journal.open(path)
    assert content(tmp_path) == lying


def test_nothing_is_overwritten_when_it_happens_again_in_the_same_second(tmp_path: Path) -> None:
    for _ in range(3):
        path, _ = copy_of("file", tmp_path)
        damage(path)
        with pytest.raises(DamagedJournal):
            Journal.open(path)
        (tmp_path / "journal.db.stopped").unlink()
    aside = [each.name for each in tmp_path.iterdir() if ".damaged-" in each.name and each.name[-1] in "Z23"]
    assert len(aside) == 3


def test_reading_only_tells_and_changes_nothing(tmp_path: Path) -> None:
    path, _ = copy_of("file", tmp_path)
    damage(path)
    before = content(tmp_path)
    with Journal.open(path, readonly=True) as journal:
        verdict = journal.verify()
    assert (verdict.ok, verdict.bad_seq, verdict.entries) == (False, 21, 20)
    assert content(tmp_path) == before


def test_it_is_not_moved_from_under_another_program(tmp_path: Path) -> None:
    path, _ = copy_of("file", tmp_path)
    with Journal.open(path) as user:
        damage(path)
        with pytest.raises(DamagedJournal, match="another program has it open"):
            Journal.open(path)
        assert path.exists()
        assert not (tmp_path / "journal.db.stopped").exists()
        assert not user.verify().ok
    with pytest.raises(DamagedJournal, match="put aside as"):
        Journal.open(path)


def test_a_repair_keeps_the_good_part_and_says_what_it_did(tmp_path: Path) -> None:
    path, made = copy_of("file", tmp_path)
    damage(path)
    with pytest.raises(DamagedJournal):
        Journal.open(path)
    aside = {name: data for name, data in content(tmp_path).items() if ".damaged-" in name}
    done = repair(path)
    assert (done.entries, done.lost, done.values_lost) == (20, 41, 0)
    with Journal.open(path) as journal:
        *good, told = journal.read()
        assert tuple(good) == made[:20]
        assert told.event == JournalRepaired(source=Path(done.source).name, last_good=20, lost=41)
        assert journal.append(Noted())[0].seq == 22
    assert {name: data for name, data in content(tmp_path).items() if ".damaged-" in name} == aside
    with pytest.raises(StoreUnavailable, match="not put aside"):
        repair(path)
    with Journal.open(done.source, readonly=True) as damaged:
        assert not damaged.verify().ok, "what was put aside can still be looked at"


@pytest.mark.parametrize(("where", "part"), PARTS)
def test_whatever_is_damaged_can_be_repaired_to_a_good_beginning(tmp_path: Path, where: str, part: str) -> None:
    draw = random.Random(5)
    for number in range(6):
        path, made = copy_of(where, tmp_path / str(number))
        data = bytearray(path.with_name(part).read_bytes())
        at = draw.randrange(len(data))
        data[at : at + 900] = bytes(900)
        path.with_name(part).write_bytes(data[: draw.choice((None, len(data) * 2 // 3))])
        try:
            with Journal.open(path) as journal:
                assert tuple(journal.read()) == made
        except DamagedJournal:
            done = repair(path)
            with Journal.open(path) as journal:
                assert journal.verify().ok
                hashes = [entry.hash for entry in journal.read()]
                assert hashes[:-1] == [entry.hash for entry in made[: done.entries]]
                assert done.lost == len(made) - done.entries


def test_what_is_lost_beside_the_chain_is_told(tmp_path: Path) -> None:
    path, _ = copy_of("file", tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE people SET name = 'Eve' WHERE name = 'Bob'")
        connection.execute("DELETE FROM beside WHERE seq = 2")
        connection.commit()
    with pytest.raises(DamagedJournal):
        Journal.open(path)
    done = repair(path)
    assert (done.entries, done.lost, done.values_lost) == (61, 0, 2)
    with Journal.open(path) as journal:
        assert journal.verify().ok
    path.write_bytes(b"")
    with pytest.raises(DamagedJournal):
        Journal.open(path)
    assert repair(path).entries == 0


def test_putting_aside_and_repairing_can_be_taken_up_after_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, made = copy_of("log", tmp_path)
    damage(path)
    real, moves = Path.rename, 0

    def dying(self: Path, target: Path) -> Path:
        nonlocal moves
        moves += 1
        if moves == 2:
            raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "rename", dying)
    with pytest.raises(KeyboardInterrupt):
        Journal.open(path)
    with pytest.raises(DamagedJournal):
        Journal.open(path)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            repair(path)
    assert repair(path).entries == 20
    with Journal.open(path) as journal:
        assert tuple(journal.read(limit=20)) == made[:20]


def test_an_unreadable_note_stops_too_and_can_be_repaired(tmp_path: Path) -> None:
    path, _ = copy_of("file", tmp_path)
    damage(path)
    with pytest.raises(DamagedJournal):
        Journal.open(path)
    (tmp_path / "journal.db.stopped").write_text("{")
    with pytest.raises(DamagedJournal):
        Journal.open(path)
    assert repair(path).entries == 20


def test_a_schema_that_is_no_text_any_more_is_damage(tmp_path: Path) -> None:
    path, _ = copy_of("file", tmp_path)
    whole = path.read_bytes()
    assert b"at_s DOUBLE NOT NULL" in whole
    path.write_bytes(whole.replace(b"at_s DOUBLE NOT NULL", b"at_s DOUBLE NOT \xceULL", 1))
    with pytest.raises(DamagedJournal):
        Journal.open(path, readonly=True)
    with pytest.raises(DamagedJournal, match="put aside"):
        Journal.open(path)
    assert repair(path).entries == 0


def test_every_error_is_one_of_handup(tmp_path: Path) -> None:
    path, _ = copy_of("file", tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE beside")
        connection.commit()
    with Journal.open(path, readonly=True) as journal, pytest.raises(HandupError):
        list(journal.read())
    with pytest.raises(DamagedJournal):
        Journal.open(path)
