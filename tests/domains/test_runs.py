"""Which run goes on, on a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.core import ManualClock, body_of, event_of
from handup.domains.runs import RUN, Ordered, TaskOver, TaskStarted, begin_run, find_run, latest_run, next_name, orders
from handup.executive import Around, Executive, Run, Sources
from handup.executive.events import Over, Started
from handup.journal import Journal
from tests.executive.robot import acting

SOURCES = Sources(recipes={"r.yaml": "format: 1\nmain_task:\n  steps:\n  - action: go\n"})


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "j.db") as made:
        yield made


def ordered(journal: Journal, prefix: str = "run", people: str = "nobody") -> Ordered:
    with journal.writing() as writer:
        return begin_run(writer, Ordered(name=next_name(writer, prefix), people=people))


def test_every_run_has_a_name_of_its_own(journal: Journal) -> None:
    assert [ordered(journal).name for _ in range(3)] == ["run-1", "run-2", "run-3"]


def test_runs_are_numbered_apart_for_each_beginning_of_their_names(journal: Journal) -> None:
    names = [ordered(journal, prefix).name for prefix in ("task", "meal", "task")]
    assert names == [order.name for order in orders(journal)] == ["task-1", "meal-1", "task-2"]


def test_a_name_under_which_something_is_written_is_not_given_again(journal: Journal) -> None:
    journal.append(TaskStarted(), run="run-1")
    assert [ordered(journal).name, ordered(journal).name] == ["run-2", "run-3"]


def test_a_run_that_was_killed_before_it_began_is_none(journal: Journal) -> None:
    assert latest_run(journal) is None
    ordered(journal)
    assert latest_run(journal) is None


def test_the_last_one_that_began_and_how_it_ended(journal: Journal) -> None:
    first = ordered(journal)
    run = Run.of(SOURCES, book=journal, run=first.name)
    turns = Executive(run, Around(actions={"go": acting("go", lasts_s=5.0)}, clock=ManualClock())).turns()
    next(turns)
    last = latest_run(journal)
    assert last is not None
    assert isinstance(last.begun, Started)
    assert (last.order, last.begun.main, last.over) == (first, "main_task", None)
    with pytest.raises(StopIteration):
        next(turns)
    ordered(journal)
    ended = latest_run(journal)
    assert ended is not None
    assert isinstance(ended.over, Over)
    assert (ended.order, str(ended.over.ending)) == (first, "done")


def test_the_latest_run_of_some_is_found(journal: Journal) -> None:
    for people in ("page", "nobody"):
        journal.append(TaskStarted(), run=ordered(journal, people=people).name)
    latest = latest_run(journal, lambda order: order.people == "page")
    assert latest is not None
    assert latest.order.name == "run-1"


def test_a_run_is_over_by_an_event_of_its_own(journal: Journal) -> None:
    journal.append(TaskStarted(), run=ordered(journal).name)
    journal.append(TaskOver(), run="another")
    latest = latest_run(journal)
    assert latest is not None
    assert latest.over is None


def test_the_first_beginning_and_the_last_end_count(journal: Journal) -> None:
    name = ordered(journal).name
    begins = [TaskStarted(options={"seed": seed}) for seed in (1, 2)]
    ends = [TaskOver(result={"got": got}) for got in (1, 2)]
    journal.append(*begins, *ends, run=name)
    found = find_run(journal, name)
    assert found is not None
    assert (found.begun, found.over) == (begins[0], ends[1])


def test_a_run_is_marked_by_the_hash_of_its_order(journal: Journal) -> None:
    found = find_run(journal, ordered(journal).name)
    assert found is not None
    assert find_run(journal, "run-2") is None
    assert [found.mark] == [entry.hash for entry in journal.read(run=RUN)]


def test_an_order_of_the_first_version_can_be_read() -> None:
    record = {"name": "run-1", "world": "kitting", "seed": 7, "drills": True, "people": "page"}
    ordered_then = Ordered(name="run-1", world="kitting", seed=7, drills=True, people="page")
    assert event_of("runs.ordered", 1, record) == ordered_then
    assert body_of(ordered_then) == record
