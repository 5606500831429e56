"""Remembering, recalling and letting go, on both stores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from handup.core import BadSetting, ManualClock, event_type
from handup.journal import Journal
from handup.memory import Memory, MemorySettings, MemoryStatus, Source
from handup.memory.events import KEY
from tests.memory.inputs import ENCODER, MENU, OTHER, plate


def told(memory: Memory, number: int = 0, menu: tuple[str, ...] = MENU, alike: float = 1.0) -> str | None:
    """What is recalled for an input."""
    found = memory.recall("food", plate(number, alike), menu)
    return None if found is None else found.label


def kinds(journal: Journal) -> list[str]:
    return [row.kind.removeprefix("memory.") for row in journal.rows()]


def test_what_was_said_is_recalled_for_something_alike(journal: Journal, memory: Memory) -> None:
    source = Source(question="lunch/food/1", run="lunch", picture="plate-1.png")
    made = memory.remember("food", plate(), "plum", by="Ana", whose=["Maya"], source=source)
    found = memory.recall("food", plate(alike=0.95), MENU)
    assert found is not None
    assert found.memory == made
    assert found.similarity == pytest.approx(0.95)
    assert found.probabilities == pytest.approx({"plum": 0.95, "pear": 0.025, "fig": 0.025})
    assert found.reason == "a person said 'plum' of something 95 % alike"
    assert (made.by, made.whose, made.at_s, made.source) == ("Ana", ("Ana", "Maya"), 1000.0, source)
    assert (made.encoder, made.id) == (ENCODER, 1)
    assert made.trust.value == pytest.approx(0.9)
    [row] = journal.rows()
    assert (row.run, row.key) == ("lunch", KEY)


def test_otherwise_the_prediction_of_the_module_stands(memory: Memory) -> None:
    assert told(memory) is None
    memory.remember("food", plate(), "plum", by="Ana")
    assert told(memory, alike=0.89) is None
    assert told(memory, alike=0.91) == "plum"
    assert memory.recall("skill", plate(), MENU) is None, "each module has a memory of its own"
    assert memory.recall("food", plate(encoder=OTHER), MENU) is None, "another encoder is never compared"


def test_what_is_no_longer_on_the_menu_is_passed_over(memory: Memory) -> None:
    memory.remember("food", plate(), "plum", by="Ana")
    memory.remember("food", plate(alike=0.93), "pear", by="Ana")
    assert told(memory) == "plum"
    assert told(memory, menu=("pear", "rice")) == "pear"
    assert told(memory, menu=("rice",)) is None
    assert told(memory, menu=("rice", "plum")) == "plum", "it comes back with the menu"


def test_the_most_similar_counts_and_of_equals_the_newest(memory: Memory) -> None:
    for number, food in enumerate(MENU):
        memory.remember("food", plate(number), food, by="Ana")
    assert [told(memory, number) for number in range(3)] == list(MENU)
    memory.remember("food", plate(5), "plum", by="Ana")
    newest = memory.remember("food", plate(5), "plum", by="Ben")
    found = memory.recall("food", plate(5), MENU)
    assert found is not None
    assert found.memory.id == newest.id


def test_a_newer_word_about_the_same_input_holds(journal: Journal, memory: Memory) -> None:
    wrong = memory.remember("food", plate(), "plum", by="Ana")
    memory.remember("food", plate(alike=0.99), "fig", by="Ben")
    assert told(memory) == "fig"
    assert memory[wrong.id].status is MemoryStatus.DROPPED
    assert kinds(journal) == ["remembered", "contradicted", "dropped", "remembered"]


def test_another_word_about_something_alike_costs_trust(memory: Memory) -> None:
    known = memory.remember("food", plate(), "plum", by="Ana")
    memory.remember("food", plate(alike=0.94), "fig", by="Ana")
    assert 0.6 < memory[known.id].trust.value < 0.9
    assert memory[known.id].kept
    assert (told(memory), told(memory, alike=0.94)) == ("plum", "fig"), "both are right about their own"
    memory.remember("food", plate(alike=0.975, aside=6), "pear", by="Ana")
    assert memory[known.id].status is MemoryStatus.DROPPED, "too much spoke against it"


def test_the_same_word_about_something_alike_gives_trust(memory: Memory) -> None:
    known = memory.remember("food", plate(), "plum", by="Ana")
    memory.remember("food", plate(alike=0.94), "plum", by="Ana")
    assert memory[known.id].trust.value > 0.9
    assert len(memory.kept("food")) == 2


def test_the_same_word_of_the_same_person_is_kept_once(journal: Journal, memory: Memory) -> None:
    known = memory.remember("food", plate(), "plum", by="Ana", source=Source(question="q/1"))
    again = memory.remember("food", plate(alike=0.99), "plum", by="Ana", source=Source(question="q/2"))
    assert again.id == known.id
    assert again.trust.value > known.trust.value
    assert memory.remember("food", plate(alike=0.99), "plum", by="Ana", source=Source(question="q/2")) == again
    others = memory.remember("food", plate(), "plum", by="Ben", source=Source(question="q/3"))
    assert others.id != known.id, "when Ana is erased, Ben has still said it"
    assert kinds(journal) == ["remembered", "confirmed", "confirmed", "remembered"]


def test_a_question_teaches_once_however_often_it_is_told(journal: Journal, memory: Memory) -> None:
    source = Source(question="lunch/food/1")
    first = memory.remember("food", plate(), "plum", by="Ana", source=source)
    assert memory.remember("food", plate(), "plum", by="Ana", source=source) == first
    memory.contradict(first.id, by="Ana")
    after = memory.remember("food", plate(), "plum", by="Ana", source=source)
    assert after.status is MemoryStatus.DROPPED, "what was dropped does not come back by telling it again"
    assert kinds(journal) == ["remembered", "contradicted", "dropped"]


def test_a_memory_that_turns_out_wrong_is_dropped(journal: Journal, memory: Memory) -> None:
    known = memory.remember("food", plate(), "plum", by="Ana")
    assert memory.contradict(known.id, certainty=0.5, evidence="act/1").kept
    assert memory.contradict(known.id, certainty=0.5, evidence="act/1").kept, "the same action counts once"
    assert memory.contradict(known.id, evidence="act/2").status is MemoryStatus.DROPPED
    assert told(memory) is None
    assert memory.confirm(known.id).status is MemoryStatus.DROPPED, "and stays so"
    assert kinds(journal) == ["remembered", "contradicted", "contradicted", "dropped"]


def test_one_that_was_right_before_stands_a_failure(memory: Memory) -> None:
    known = memory.remember("food", plate(), "plum", by="Ana")
    memory.confirm(known.id, evidence="act/1")
    memory.confirm(known.id, evidence="act/1")
    assert memory[known.id].trust.right == pytest.approx(2.8)
    assert memory.contradict(known.id, evidence="act/2").kept
    assert memory.contradict(known.id, evidence="act/3").status is MemoryStatus.DROPPED


def test_a_person_who_says_it_is_wrong_is_believed(memory: Memory) -> None:
    known = memory.remember("food", plate(), "plum", by="Ana")
    for number in range(5):
        memory.confirm(known.id, evidence=f"act/{number}")
    assert memory.contradict(known.id, by="Ben").status is MemoryStatus.DROPPED


def test_one_that_a_person_overrules_is_dropped_however_far_it_is_trusted(journal: Journal, memory: Memory) -> None:
    known, other = (memory.remember("food", plate(each), "plum", by="Ana") for each in (0, 1))
    for number in range(5):
        memory.confirm(known.id, evidence=str(number))
    source = Source(question="tuesday/food/1")
    given: dict[str, Any] = {"by": "Ben", "source": source, "overrules": [known.id, known.id, 99]}
    made = memory.remember("food", plate(alike=0.91), "fig", **given)
    assert [each.id for each in memory.kept()] == [other.id, made.id]
    written = journal.head().seq
    assert memory.remember("food", plate(alike=0.91), "fig", **given) == made, "told again, it changes nothing"
    assert journal.head().seq == written
    assert Memory(journal).kept() == memory.kept()


def test_so_many_of_a_module_are_counted(memory: Memory) -> None:
    first = memory.remember("food", plate(0), "plum", by="Ana")
    memory.remember("food", plate(1), "pear", by="Ana")
    memory.remember("skill", plate(1), "scoop", by="Ana")
    memory.forget(first.id)
    assert [memory.count(each) for each in ("food", "skill", "box")] == [1, 1, 0]


def test_what_is_forgotten_is_not_recalled(journal: Journal, memory: Memory) -> None:
    first = memory.remember("food", plate(0), "plum", by="Ana")
    second = memory.remember("food", plate(1), "pear", by="Ana")
    third = memory.remember("skill", plate(1), "scoop", by="Ana")
    assert memory.forget(first.id, by="Ana") == (first.id,)
    assert memory.forget(first.id) == ()
    assert memory[first.id].status is MemoryStatus.FORGOTTEN
    assert memory.forget(module="food") == (second.id,)
    assert memory.kept() == (third,)
    assert memory.forget() == ()
    assert kinds(journal).count("forgotten") == 2


def test_a_full_memory_lets_the_least_trusted_go(journal: Journal) -> None:
    memory = Memory(journal, MemorySettings(most=2))
    first = memory.remember("food", plate(0), "plum", by="Ana")
    second = memory.remember("food", plate(1), "pear", by="Ana")
    memory.confirm(first.id)
    third = memory.remember("food", plate(2), "fig", by="Ana")
    assert [each.id for each in memory.kept("food")] == [first.id, third.id]
    assert memory[second.id].status is MemoryStatus.DROPPED
    memory.remember("food", plate(2), "plum", by="Ana")
    assert memory[first.id].kept, "an overruled one made the room"


def test_after_a_restart_it_is_the_same_bit_for_bit(store: str) -> None:
    queries = [plate(number, 0.93, aside=number + 3) for number in range(3)]
    with Journal.open(store, clock=ManualClock(1.0)) as journal:
        memory = Memory(journal)
        for number, food in enumerate(MENU):
            memory.remember("food", plate(number, 0.999, aside=number + 2), food, by="Ana")
        memory.confirm(2)
        memory.contradict(3, certainty=0.25)
        before = [memory.recall("food", each, MENU) for each in queries]
        kept = memory.kept()
    assert all(before)
    with Journal.open(store, clock=ManualClock(2.0)) as journal:
        memory = Memory(journal)
        assert [memory.recall("food", each, MENU) for each in queries] == before
        assert memory.kept() == kept


def test_two_programs_share_one(store: str) -> None:
    with Journal.open(store) as one, Journal.open(store) as two:
        mine, theirs = Memory(one), Memory(two)
        known = mine.remember("food", plate(), "plum", by="Ana")
        assert told(theirs) == "plum"
        theirs.remember("food", plate(), "fig", by="Ben")
        assert told(mine) == "fig"
        assert mine[known.id] == theirs[known.id]


@pytest.mark.parametrize(
    "wrong",
    [
        {"module": ""},
        {"label": " "},
        {"label": "x" * 501},
        {"by": ""},
        {"whose": "Ana"},
        {"whose": ["An\na"]},
    ],
)
def test_what_cannot_be_kept_is_refused(tmp_path: Path, wrong: dict[str, str]) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        given = {"module": "food", "seen": plate(), "label": "plum", "by": "Ana"}
        with pytest.raises(BadSetting):
            Memory(journal).remember(**{**given, **wrong})  # type: ignore[arg-type]
        assert journal.head().seq == 0


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        memory = Memory(journal)
        for ask in (memory.confirm, memory.contradict, memory.forget, memory.__getitem__):
            with pytest.raises(BadSetting, match="got 7"):
                ask(7)
        with pytest.raises(BadSetting, match="candidates"):
            memory.recall("food", plate(), [])
        with pytest.raises(BadSetting, match="certainty"):
            memory.confirm(7, certainty=2.0)


def test_names_are_the_same_however_they_were_typed(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        made = Memory(journal).remember("food", plate(), "plum", by="Zoë")
        assert made.by == "Zoë"


def test_every_personal_field_of_an_event_can_be_erased() -> None:
    declared = event_type("memory.remembered")
    assert declared.people == ("by", "whose")
    assert set(declared.personal or {}) == {"label", "embedding", "picture"}
