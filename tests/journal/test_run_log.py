"""Runs that were ordered on a store: their names, their orders, and which of them goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from handup.core import event
from handup.journal import Journal
from handup.journal.run_log import Orders, RunState
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
    name: str = ""


BEGUN_BY_THEMSELVES = Orders("tasks", "task", Ordered, Started, Finished)
BEGUN_BY_THEIR_ORDER = Orders("meals", "meal", Ordered, Ordered, Finished)


def order(journal: Journal, orders: Orders[Ordered, Any, Finished], seed: int = 0) -> str:
    with journal.writing() as writer:
        name = orders.next_name(writer)
        writer.append(Ordered(name=name, seed=seed), run=orders.run)
    return name


def test_an_empty_store_has_no_runs(journal: Journal) -> None:
    assert BEGUN_BY_THEMSELVES.read(journal) == []
    assert BEGUN_BY_THEMSELVES.latest(journal) is None
    assert BEGUN_BY_THEMSELVES.find(journal, "task-1") is None


def test_runs_are_numbered_apart_for_each_kind(journal: Journal) -> None:
    names = [order(journal, orders) for orders in (BEGUN_BY_THEMSELVES, BEGUN_BY_THEIR_ORDER, BEGUN_BY_THEMSELVES)]
    assert names == ["task-1", "meal-1", "task-2"]
    assert [ordered.name for ordered in BEGUN_BY_THEMSELVES.read(journal)] == ["task-1", "task-2"]


def test_the_latest_run_is_the_last_one_that_began(journal: Journal) -> None:
    first = order(journal, BEGUN_BY_THEMSELVES, seed=7)
    journal.append(Started(seed=7), Noted(text="a step"), run=first)
    order(journal, BEGUN_BY_THEMSELVES)  # its program was killed before it began
    latest = BEGUN_BY_THEMSELVES.latest(journal)
    assert latest is not None
    assert latest.order == Ordered(name=first, seed=7)
    assert latest.state == RunState(begun=Started(seed=7), over=None)


def test_a_run_is_over_by_an_event_of_its_own(journal: Journal) -> None:
    name = order(journal, BEGUN_BY_THEMSELVES)
    journal.append(Started(), Finished(), run=name)
    journal.append(Started(seed=1), run="another")
    latest = BEGUN_BY_THEMSELVES.latest(journal)
    assert latest is not None
    assert latest.state == RunState(begun=Started(), over=Finished())


def test_a_run_is_over_by_an_event_beside_its_order(journal: Journal) -> None:
    first, second = order(journal, BEGUN_BY_THEIR_ORDER), order(journal, BEGUN_BY_THEIR_ORDER)
    journal.append(Finished(name=first), run=BEGUN_BY_THEIR_ORDER.run)
    known, latest = BEGUN_BY_THEIR_ORDER.find(journal, first), BEGUN_BY_THEIR_ORDER.latest(journal)
    assert known is not None
    assert latest is not None
    assert known.state == RunState(begun=Ordered(name=first), over=Finished(name=first))
    assert latest.state == RunState(begun=Ordered(name=second), over=None)


def test_a_run_is_marked_by_the_hash_of_its_order(journal: Journal) -> None:
    name = order(journal, BEGUN_BY_THEIR_ORDER)
    found = BEGUN_BY_THEIR_ORDER.find(journal, name)
    assert found is not None
    assert [found.mark] == [entry.hash for entry in journal.read(run=BEGUN_BY_THEIR_ORDER.run)]


def test_the_first_beginning_and_the_last_end_count(journal: Journal) -> None:
    journal.append(Started(seed=1), Started(seed=2), Finished(name="a"), Finished(name="b"), run="r")
    assert RunState.of(journal.read(run="r"), Started, Finished) == RunState(
        begun=Started(seed=1), over=Finished(name="b")
    )
