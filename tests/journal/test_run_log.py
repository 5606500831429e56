"""Runs that were ordered on a store: their names, their orders, and which of them goes on."""

from __future__ import annotations

from dataclasses import dataclass

from handup.core import event
from handup.journal import Journal
from handup.journal.run_log import Orders
from tests.journal.kinds import Noted


@event("test.ordered")
@dataclass(frozen=True, kw_only=True)
class Ordered:
    name: str
    seed: int = 0


@event("test.started")
@dataclass(frozen=True, kw_only=True)
class Started:
    seed: int = 0


@event("test.finished")
@dataclass(frozen=True, kw_only=True)
class Finished:
    reason: str = ""


RUNS: Orders[Ordered, Started, Finished] = Orders("tasks", Ordered, (Started,), (Finished,))


def order(journal: Journal, prefix: str = "task", seed: int = 0) -> str:
    with journal.writing() as writer:
        name = RUNS.next_name(writer, prefix)
        writer.append(Ordered(name=name, seed=seed), run=RUNS.run)
    return name


def test_an_empty_store_has_no_runs(journal: Journal) -> None:
    assert RUNS.read(journal) == []
    assert RUNS.latest(journal) is None
    assert RUNS.find(journal, "task-1") is None


def test_runs_are_numbered_apart_for_each_beginning_of_their_names(journal: Journal) -> None:
    names = [order(journal, prefix) for prefix in ("task", "meal", "task")]
    assert names == [ordered.name for ordered in RUNS.read(journal)] == ["task-1", "meal-1", "task-2"]


def test_a_name_under_which_something_is_written_is_not_given_again(journal: Journal) -> None:
    journal.append(Noted(text="of a run that has no order"), run="task-1")
    assert [order(journal), order(journal)] == ["task-2", "task-3"]


def test_the_latest_run_is_the_last_one_that_began(journal: Journal) -> None:
    first = order(journal, seed=7)
    journal.append(Started(seed=7), Noted(text="a step"), run=first)
    order(journal)  # its program was killed before it began
    latest = RUNS.latest(journal)
    assert latest is not None
    assert latest.order == Ordered(name=first, seed=7)
    assert (latest.begun, latest.over) == (Started(seed=7), None)


def test_the_latest_run_of_some_is_found(journal: Journal) -> None:
    for seed in (1, 2):
        journal.append(Started(), run=order(journal, seed=seed))
    latest = RUNS.latest(journal, lambda ordered: ordered.seed == 1)
    assert latest is not None
    assert latest.order.name == "task-1"


def test_a_run_is_over_by_an_event_of_its_own(journal: Journal) -> None:
    name = order(journal)
    journal.append(Started(), Finished(), run=name)
    journal.append(Started(seed=1), run="another")
    latest = RUNS.latest(journal)
    assert latest is not None
    assert (latest.begun, latest.over) == (Started(), Finished())


def test_a_run_is_marked_by_the_hash_of_its_order(journal: Journal) -> None:
    found = RUNS.find(journal, order(journal))
    assert found is not None
    assert [found.mark] == [entry.hash for entry in journal.read(run=RUNS.run)]


def test_the_first_beginning_and_the_last_end_count(journal: Journal) -> None:
    name = order(journal)
    journal.append(Started(seed=1), Started(seed=2), Finished(reason="a"), Finished(reason="b"), run=name)
    found = RUNS.find(journal, name)
    assert found is not None
    assert (found.begun, found.over) == (Started(seed=1), Finished(reason="b"))
