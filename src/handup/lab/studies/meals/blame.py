"""The robot's belief about a lost bite: which module it blamed, in the words in which causes are named.

The simulation names one cause for each lost bite: the first wrong module of the chain at the first attempt, or
something beside the modules. The robot's belief is read at the same attempt, right after it saw how that went and
before it looked again or asked anybody: the probability of each module to be *the first wrong one*, and that all four
were right and the fork slipped. These are exclusive and sum to 1. The likeliest is what the robot blamed. Where it took
the attempt for a success, it blamed nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from handup.core import Outcome
from handup.domains.feeding.truth import MODULES, LossCause
from handup.policy import Belief, ModuleGraph
from handup.recover import Settings
from handup.recover.events import Event, Executed
from handup.recover.state import SessionState

NO_MODULE = "no module"
"""All four were right, and it failed all the same."""
SUCCESS = "success"
"""The robot did not notice that the bite was lost."""
CHANCES = (*MODULES, NO_MODULE)
BLAMED = (*CHANCES, SUCCESS)
"""Everything that a robot may believe of a lost bite."""
TRUE_BLAME: Mapping[str, str | None] = {
    **{module: module for module in MODULES},
    LossCause.DETECTOR: NO_MODULE,
    LossCause.PHYSICS: NO_MODULE,
    LossCause.UNTRIED: None,
}
"""The right blame for each cause. A robot that did not try has nothing to blame."""


def first_wrong(belief: Belief) -> dict[str, float]:
    """Return for each module of a chain the probability that it is the first wrong one now, and that none is.

    Versions of modules are independent before anything is seen, so to know that one is right is to begin with a
    probability of 1 for it.
    """
    chances: dict[str, float] = {}
    so_far, known = 1.0, belief
    for number, name in enumerate(belief.graph.names):
        wrong = float(known.wrong[number])
        chances[name] = so_far * wrong
        so_far *= 1.0 - wrong
        if so_far <= 0.0:
            break
        right = (*known.chances[number][:-1], 1.0)
        known = replace(known, chances=(*known.chances[:number], right, *known.chances[number + 1 :]))
    return {**dict.fromkeys(belief.graph.names, 0.0), **chances, NO_MODULE: so_far}


def blame(
    graph: ModuleGraph, settings: Settings, events: Iterable[Event], attempt: int | None
) -> tuple[str, dict[str, float]]:
    """Return what the robot blamed right after an attempt, the earlier of equals, and the chances of `first_wrong`.

    Args:
        graph: The bite's policy.
        settings: Its terms.
        events: Everything that the bite's session was told, oldest first.
        attempt: Which attempt, from 0; None: at the end.
    """
    state, executions = SessionState.of(graph, settings), 0
    for event in events:
        state = state.after(event, settings)
        if isinstance(event, Executed):
            if executions == attempt:
                break
            executions += 1
    chances = first_wrong(state.belief)
    return SUCCESS if state.outcome is Outcome.RECOVERED else max(chances, key=lambda name: chances[name]), chances
