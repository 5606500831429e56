"""The time given to an episode where nobody says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from handup.core import Action, BadRecord, Outcome
from handup.journal import Journal
from handup.policy import ModuleGraph
from handup.recover import DurableSession, Session, Settings
from handup.recover.durable import _started_of
from handup.when import Troubleshoot
from tests.make import chain_of
from tests.recover.drive import step


def lived(graph: ModuleGraph, works: list[bool]) -> Outcome:
    """How an episode ends whose modules work or not, with an expert who is always right."""
    session = Session(graph)
    while session.outcome is None:
        decision = session.next(0.0)
        if decision.action is Action.ASK:
            module = graph.index(decision.module or "")
            session.answered(decision.module or "", changed=not works[module])
            works[module] = True
        elif decision.action is Action.ACT:
            session.executed(all(works))
    return session.outcome


@pytest.mark.parametrize("confidence", [0.1, 0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("modules", [1, 2, 3])
def test_small_policies_recover_with_a_true_expert(modules: int, confidence: float) -> None:
    for query, works in product((0.0, 0.25, 0.5, 0.75, 1.0), product((True, False), repeat=modules)):
        graph = chain_of((confidence,) * modules, query)
        assert lived(graph, list(works)) is Outcome.RECOVERED, (query, works)


def test_a_record_without_a_horizon_has_two_executions_for_each_module() -> None:
    session = Session(chain_of((0.3,), 99.0), settings=Settings(act_time=3.0))
    assert step(session).action is Action.ACT
    assert session.next(1.0).action is Action.YIELD
    record = session.to_json()
    assert record["settings"]["horizon"] == 24.0
    record["settings"]["horizon"] = None
    assert Session.from_json(record).tally.time_lost == 6.0


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


@pytest.mark.parametrize(("written", "meant"), [(None, 2.0), (8.0, 8.0), (5.0, 5.0)])
def test_a_run_goes_on_with_the_default_that_it_began_with(
    journal: Journal, written: float | None, meant: float
) -> None:
    graph = chain_of((0.3,), 0.2)
    started = _started_of(Session(graph))
    assert started.record["settings"]["horizon"] == 8.0
    started.record["settings"]["horizon"] = written
    journal.append(started, run="grasp")
    resumed = DurableSession.of_run(journal, "grasp", graph, Troubleshoot(), settings=Settings())
    assert resumed.settings.horizon == meant
    assert (
        DurableSession.of_run(journal, "grasp", graph, Troubleshoot(), settings=Settings(horizon=meant)).run == "grasp"
    )
    with pytest.raises(BadRecord, match="other settings"):
        DurableSession.of_run(journal, "grasp", graph, Troubleshoot(), settings=Settings(horizon=9.0))
