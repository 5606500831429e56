"""Sessions in every phase, for tests that start there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from handup.core import Action, Decision
from handup.policy import ModuleGraph
from handup.recover import Session, SessionPhase, Settings
from tests.make import chain_of

BITE = chain_of((0.9, 0.2, 0.9), 0.3)
"""The middle module is worth a question at once."""
SURE = chain_of((1.0, 0.2, 1.0), 0.3)
"""Only the middle module can be wrong: without an answer about it, acting again is futile after a failure."""


def asking(graph: ModuleGraph = BITE, settings: Settings | None = None) -> Session:
    """A question about m1 is open."""
    session = Session(graph, settings=settings)
    decision = session.next(0.0)
    assert (decision.action, decision.module) == (Action.ASK, "m1")
    return session


def acting(graph: ModuleGraph = BITE, settings: Settings | None = None) -> Session:
    """m1 was answered and an execution is under way."""
    session = asking(graph, settings)
    session.answered("m1", changed=True)
    assert session.next(1.0).action is Action.ACT
    return session


def waiting(settings: Settings | None = None) -> Session:
    """m1 may not be asked about before 120 s, and acting has failed."""
    session = asking(SURE, settings)
    session.unanswered("m1", "not-now", now_s=0.0)
    assert session.next(1.0).action is Action.ACT
    session.executed(False)
    assert session.next(2.0).action is Action.WAIT
    return session


def ended() -> Session:
    """The robot has recovered."""
    session = acting()
    session.executed(True)
    return session


IN_PHASE: Mapping[SessionPhase, Callable[[], Session]] = {
    SessionPhase.DECIDING: lambda: Session(BITE),
    SessionPhase.ASKING: asking,
    SessionPhase.ACTING: acting,
    SessionPhase.WAITING: waiting,
    SessionPhase.ENDED: ended,
}


def step(session: Session, now_s: float = 0.0, *, ok: bool = False, changed: bool = True) -> Decision:
    """Decide once, and tell at once how it went."""
    decision = session.next(now_s)
    if decision.action is Action.ACT:
        session.executed(ok)
    elif decision.action is Action.ASK and decision.module is not None:
        session.answered(decision.module, changed=changed)
    return decision
