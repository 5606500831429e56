"""What a journal promises to whoever writes and reads it, on both stores."""

from __future__ import annotations

import math
import random
import threading
import time
from pathlib import Path

import pytest

from handup.core import BadRecord, BadSetting, IllegalCall, ManualClock, StoreUnavailable, Unknown
from handup.core.event import _BY_KIND
from handup.journal import Head, Journal, WallClock
from tests.journal.kinds import Met, Noted, Said


def test_an_empty_journal_stands_at_nothing(journal: Journal) -> None:
    assert journal.head() == Head(seq=0, hash="0" * 64, at_s=0.0)
    assert list(journal.read()) == []
    assert journal.verify().ok


def test_what_is_appended_is_read_back_in_order(journal: Journal) -> None:
    made = [*journal.append(Noted(text="a"), Noted(text="ü \0 \U0001f37d"), run="r", key="k"), *journal.append(Noted())]
    assert [entry.seq for entry in made] == [1, 2, 3]
    assert list(journal.read()) == made
    assert journal.head() == Head(seq=3, hash=made[-1].hash, at_s=1000.0)
    assert [entry.previous for entry in made] == ["0" * 64, made[0].hash, made[1].hash]


def test_it_is_all_there_when_the_store_is_opened_again(store: str) -> None:
    with Journal.open(store) as journal:
        made = journal.append(Said(by="Ann", words="yes"), Met(who=("Ann", "Bob"), where="here", notes={"a": "b"}))
    with Journal.open(store) as journal:
        assert list(journal.read()) == made
        assert journal.verify().ok


def test_entries_are_found_by_run_and_key_and_number(journal: Journal) -> None:
    for number in range(6):
        journal.append(Noted(number=number), run=f"run-{number % 2}", key=f"key-{number % 3}")
    assert [entry.seq for entry in journal.read(run="run-1")] == [2, 4, 6]
    assert [entry.seq for entry in journal.read(key="key-0")] == [1, 4]
    assert [entry.seq for entry in journal.read(2, run="run-1", key="key-0")] == [4]
    assert [entry.seq for entry in journal.read(3, limit=2)] == [4, 5]
    assert list(journal.read(limit=0)) == []
    assert list(journal.read(run="none")) == []


def test_long_journals_are_read_in_parts(journal: Journal) -> None:
    journal.append(*(Noted(number=number) for number in range(600)))
    assert [entry.seq for entry in journal.read()] == list(range(1, 601))
    assert [entry.seq for entry in journal.read(100, limit=300)] == list(range(101, 401))
    assert [row.seq for row in journal.rows(599)] == [600]
    with journal.writing() as writer:
        assert [entry.seq for entry in writer.read(limit=512)] == list(range(1, 513))


def test_an_exception_takes_the_whole_transaction_back(journal: Journal) -> None:
    journal.append(Said(by="Ann", words="before"))
    with pytest.raises(ZeroDivisionError), journal.writing() as writer:
        writer.append(Said(by="Bob", words="never"))
        assert [entry.seq for entry in writer.read()] == [1, 2]
        raise ZeroDivisionError
    assert journal.head().seq == 1
    assert journal.append(Noted())[0].seq == 2
    assert journal.verify().ok


def test_one_bad_event_takes_its_whole_append_back(journal: Journal) -> None:
    with pytest.raises(BadSetting):
        journal.append(Noted(), object())
    for bad in (Noted(number=math.nan), Noted(text="\ud800"), Said(by="a\0b"), Said(by="x" * 2000)):
        with pytest.raises(BadSetting):
            journal.append(Noted(), bad)
    with pytest.raises(BadSetting):
        journal.append(Noted(), run="\0")
    assert journal.head().seq == 0


def test_names_may_be_as_long_as_they_may_be(journal: Journal) -> None:
    draw = random.Random(1)
    long = "".join(chr(draw.randrange(0x10000, 0x20000)) for _ in range(600))
    made = journal.append(Said(by=long, words=long), run=long, key=long)
    assert list(journal.read(run=long, key=long)) == made
    with pytest.raises(BadSetting):
        journal.append(Noted(), key=long + "x")


def test_an_event_that_is_too_large_is_refused(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handup.journal.personal.MOST_BODY", 1000)
    for large in (Noted(text="x" * 1000), Said(by="Ann", words="x" * 1000)):
        with pytest.raises(BadSetting, match="at most"):
            journal.append(large)
    assert journal.head().seq == 0


def test_appending_nothing_changes_nothing(journal: Journal) -> None:
    assert journal.append() == []
    with journal.writing():
        pass
    assert journal.head().seq == 0


def test_a_writer_sees_what_others_committed_and_ends_with_its_block(journal: Journal, store: str) -> None:
    with Journal.open(store) as other:
        other.append(Noted(text="theirs"))
        with journal.writing() as writer:
            assert [entry.seq for entry in writer.read()] == [1]
            assert writer.append(Noted(text="mine")).seq == 2
            assert other.head().seq == 1, "not committed yet"
        assert other.head().seq == 2
    with pytest.raises(IllegalCall, match="after its transaction"):
        writer.append(Noted())


def test_a_second_transaction_in_the_same_thread_is_refused_and_not_waited_for(journal: Journal) -> None:
    with journal.writing() as writer:
        writer.append(Noted())
        with pytest.raises(IllegalCall, match="already"):
            journal.append(Noted())
    assert journal.head().seq == 1


def test_time_never_runs_backwards(journal: Journal, store: str, clock: ManualClock) -> None:
    journal.append(Noted())
    with Journal.open(store, clock=ManualClock(10.0)) as late:
        with late.writing() as writer:
            assert writer.at_s == 1000.0
        assert late.append(Noted())[0].at_s == 1000.0
    clock.advance(0.25)
    assert journal.append(Noted())[0].at_s == 1000.25
    assert abs(WallClock().now_s() - time.time()) < 60


@pytest.mark.parametrize("odd", [math.nan, math.inf])
def test_a_clock_that_is_no_clock_is_refused(store: str, odd: float) -> None:
    with Journal.open(store, clock=ManualClock(odd)) as journal, pytest.raises(BadSetting, match="clock"):
        journal.append(Noted())


def test_waiting_ends_at_once_when_this_journal_writes(journal: Journal) -> None:
    assert not journal.wait(0, 0.0)
    assert not journal.wait(0, 0.02)
    done: list[bool] = []
    waiting = threading.Thread(target=lambda: done.append(journal.wait(0, 30.0)))
    waiting.start()
    journal.append(Noted())
    waiting.join(30)
    assert done == [True]
    assert journal.wait(0, 0.0)


def test_waiting_ends_when_another_one_writes(journal: Journal, store: str) -> None:
    done: list[bool] = []
    waiting = threading.Thread(target=lambda: done.append(journal.wait(0, 600.0)))
    waiting.start()
    with Journal.open(store) as other:
        other.append(Noted())
        waiting.join(60)
    assert done == [True]


def test_a_closed_journal_says_so(store: str) -> None:
    journal = Journal.open(store)
    journal.close()
    journal.close()
    for call in (journal.head, journal.verify, lambda: journal.append(Noted()), lambda: list(journal.read())):
        with pytest.raises(IllegalCall, match="closed"):
            call()


def test_only_reading_changes_nothing(store: str) -> None:
    with Journal.open(store) as journal:
        journal.append(Noted(text="x"))
        with Journal.open(store, readonly=True) as reader:
            assert [entry.seq for entry in reader.read()] == [1]
            journal.append(Noted(text="y"))
            assert reader.wait(1, 5.0)
            assert reader.head().seq == 2
            assert reader.verify().ok
            for call in (
                lambda: reader.append(Noted()),
                lambda: reader.erase("x"),
                lambda: reader.save_snapshot("a", 1, {}),
            ):
                with pytest.raises(IllegalCall, match="reading only"):
                    call()


def test_a_store_that_is_not_there_is_made_only_when_asked(store: str, tmp_path: Path) -> None:
    for readonly in (False, True):
        with pytest.raises(StoreUnavailable, match="no journal"):
            Journal.open(store, create=False, readonly=readonly)
    assert list(tmp_path.iterdir()) == []


def test_a_kind_that_its_room_does_not_know_is_named_and_can_still_be_read_raw(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.append(Said(by="Ann", words="yes"))
    monkeypatch.delitem(_BY_KIND, "test.said")
    with pytest.raises(BadRecord, match=r"test\.said"):
        list(journal.read())
    assert journal.verify().ok
    assert [row.kind for row in journal.rows()] == ["test.said"]
    assert [body for _, body in journal.bodies()] == [{"by": "Ann", "words": "yes", "loud": False}]


def test_a_room_that_is_not_there_disturbs_nobody(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    journal.append(Said(by="Ann", words="yes"))
    for kind in [each for each in _BY_KIND if each.startswith("test.")]:
        monkeypatch.delitem(_BY_KIND, kind)
    [entry] = journal.read()
    assert entry.event == Unknown(kind="test.said", version=1, body={"by": "Ann", "words": "yes", "loud": False})


def test_the_store_is_named_without_its_password() -> None:
    from handup.journal.address import address_of

    shown = address_of("postgresql://ann:secret@example.org/robots?sslpassword=secret").shown
    assert shown == "postgresql://ann:***@example.org/robots"
    assert address_of("sqlite:////tmp/x.db").path == Path("/tmp/x.db")
    for bad in ("mysql://x/y", "", "sqlite://", "postgresql://h:x/y", ":memory:"):
        with pytest.raises(BadSetting):
            address_of(bad)
