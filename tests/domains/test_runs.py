"""Which run goes on, on a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.core import ManualClock, body_of, event_of
from handup.domains.runs import RUNS, Ordered, begin_run
from handup.executive import Around, Executive, Run, Sources
from handup.executive.events import Over, Started
from handup.journal import Journal
from tests.executive.robot import acting

SOURCES = Sources(recipes={"r.yaml": "format: 1\nmain_task:\n  steps:\n  - action: go\n"})


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "j.db") as made:
        yield made


def ordered(journal: Journal) -> Ordered:
    with journal.writing() as writer:
        return begin_run(writer, Ordered(name=RUNS.next_name(writer, "run"), people="nobody"))


def test_every_run_has_a_name_of_its_own(journal: Journal) -> None:
    assert [ordered(journal).name for _ in range(3)] == ["run-1", "run-2", "run-3"]


def test_a_run_that_was_killed_before_it_began_is_none(journal: Journal) -> None:
    assert RUNS.latest(journal) is None
    ordered(journal)
    assert RUNS.latest(journal) is None


def test_the_last_one_that_began_and_how_it_ended(journal: Journal) -> None:
    first = ordered(journal)
    run = Run.of(SOURCES, book=journal, run=first.name)
    turns = Executive(run, Around(actions={"go": acting("go", lasts_s=5.0)}, clock=ManualClock())).turns()
    next(turns)
    last = RUNS.latest(journal)
    assert last is not None
    assert isinstance(last.begun, Started)
    assert (last.order, last.begun.main, last.over) == (first, "main_task", None)
    with pytest.raises(StopIteration):
        next(turns)
    ordered(journal)
    ended = RUNS.latest(journal)
    assert ended is not None
    assert isinstance(ended.over, Over)
    assert (ended.order, str(ended.over.ending)) == (first, "done")


def test_an_order_of_the_first_version_can_be_read() -> None:
    record = {"name": "run-1", "world": "kitting", "seed": 7, "drills": True, "people": "page"}
    ordered_then = Ordered(name="run-1", world="kitting", seed=7, drills=True, people="page")
    assert event_of("runs.ordered", 1, record) == ordered_then
    assert body_of(ordered_then) == record
