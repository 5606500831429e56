"""Cells to draw, and episodes lived through one by one with a session: what the batch simulator must agree with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from handup.core import Action, Outcome
from handup.lab.batch import EpisodeTerms, by_load
from handup.lab.cell import Cell, Structure, WorldKind
from handup.lab.episodes import Episodes
from handup.lab.world import MOST_ASKED, EpisodeBlock
from handup.people import Workload, WorkloadModel
from handup.policy import ModuleGraph
from handup.recover import Session, Settings
from handup.when import OptionSource, Strategy

structures = st.sampled_from(Structure)
chances = st.sampled_from((0.0, 0.1, 0.2, 0.5, 0.9, 1.0)) | st.floats(0.0, 1.0)
experts = st.sampled_from((1.0, 1.0, 0.8, 0.4)) | st.floats(0.0, 1.0)


@st.composite
def cells(
    draw: st.DrawFn, *, method: str, world: WorldKind = WorldKind.DEFAULT, most: int = 12, episodes: int = 6
) -> Cell:
    """Any settings under which a method can be simulated."""
    modules = draw(st.integers(2 if world is WorldKind.REPLICA else 1, most))
    what, _, when = method.partition("+")
    own: dict[str, Any] = {}
    if what in ("graph", "hybrid"):
        own["epsilon"] = draw(st.none() | st.floats(0.0, 3.0))
    if when == "until-confident":
        own["tau"] = draw(st.none() | st.floats(0.0, 1.0))
    if when == "workload-aware":
        own["lambda_"] = draw(st.none() | st.floats(0.0, 3.0))
    return Cell(
        modules=modules,
        structure=draw(structures),
        confidences=(draw(chances), draw(chances)),
        low=draw(st.integers(0, min(modules, 4))),
        query_cost=draw(st.sampled_from((0.0, 0.05, 0.32, 0.6))),
        beta=draw(st.sampled_from((0.0, 0.6, 1.0))),
        expert=draw(experts),
        method=method,
        world=world,
        w=draw(st.sampled_from((0.5, 0.2, 0.8)) | st.floats(0.0, 1.0)),
        episodes=episodes,
        seed=draw(st.integers(0, 99)),
        **own,
    )


def terms_of(cell: Cell, model: WorkloadModel | None = None) -> EpisodeTerms:
    costs = None if model is None else by_load(model)
    return EpisodeTerms(expert=cell.expert, w=cell.w, horizon=cell.horizon, costs=costs)


def by_session(
    blocks: Iterable[EpisodeBlock], strategy: Strategy, terms: EpisodeTerms, model: WorkloadModel | None = None
) -> Episodes:
    """The same episodes, each with a session of its own, and with a person whose load counts where a model is given."""
    lived = [live_through(block, episode, strategy, terms, model) for block in blocks for episode in range(len(block))]
    tallies = [session.tally for session in lived]
    return Episodes(
        np.array([session.outcome is Outcome.RECOVERED for session in lived]),
        np.array([tally.load for tally in tallies]),
        np.array([tally.questions for tally in tallies], dtype=np.int64),
        np.array([tally.executions for tally in tallies], dtype=np.int64),
        np.array([tally.objective for tally in tallies]),
    )


def live_through(
    block: EpisodeBlock,
    episode: int,
    strategy: Strategy,
    terms: EpisodeTerms,
    model: WorkloadModel | None = None,
    options: OptionSource | None = None,
) -> Session:
    """One episode of a block in a session, with people to weigh where options are given."""
    graph, q0 = block.graph(episode), tuple(block.query_costs[:, episode].tolist())
    settings = Settings(w=terms.w, expert=terms.expert, horizon=terms.horizon)
    costs = None if model is None else Workload(costs=q0, model=model)
    session = Session(graph, strategy, settings, costs, options=options)
    works, asked, now_s = block.works[:, episode].copy(), [0] * len(graph), 0.0
    while session.outcome is None:
        decision = session.next(now_s=now_s)
        now_s += terms.step_s
        if decision.action is Action.ASK and decision.module is not None:
            module = graph.index(decision.module)
            changed = not works[module]
            works[module] = block.luck[asked[module], module, episode] < terms.expert
            asked[module] += 1
            session.answered(decision.module, changed=changed, now_s=now_s)
        elif decision.action is Action.ACT:
            ok = bool(graph.circuit.evaluate(works.astype(np.uint8)[:, None])[0])
            session.executed(ok, now_s=now_s)
    return session


def assert_same(found: Episodes, wanted: Episodes) -> None:
    for name in ("recovered", "questions", "executions"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
    for name in ("load", "objective"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=0, atol=1e-9, err_msg=name)


def block_of(graph: ModuleGraph, works: NDArray[np.bool_], luck: NDArray[np.float64] | None = None) -> EpisodeBlock:
    """Episodes of one policy with given own states, indexed by module and episode; answers right by default."""
    shape = works.shape
    return EpisodeBlock(
        confidences=np.repeat(graph.confidences[:, None], shape[1], axis=1),
        query_costs=np.repeat(graph.query_costs[:, None], shape[1], axis=1),
        works=works,
        luck=np.zeros((MOST_ASKED, *shape)) if luck is None else luck,
        given=graph,
    )
