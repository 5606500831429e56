"""What the robot believed when a bite was lost: which module it blamed, in the words in which causes are told.

The simulation names one cause for each lost bite: the first wrong module of the chain at the first attempt, or
something beside the modules. So the robot is asked the same of the same attempt. Right after it saw how that attempt
went, and before it looked again or asked anybody, its belief gives each module's probability of being *the first wrong
one*, and the probability that all four were right and the fork slipped. These are exclusive and sum to 1. The likeliest
is what it blamed. Where it took the attempt for a success, it blamed nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from handup.core import Outcome
from handup.domains.feeding.judging import MODULES, Cause
from handup.policy import Belief, ModuleGraph
from handup.recover import Settings
from handup.recover.events import Event, Executed
from handup.recover.state import State

NO_MODULE = "no module"
"""All four were right, and it failed all the same."""
SUCCESS = "success"
"""It did not know that anything was lost."""
BLAMED = (*MODULES, NO_MODULE, SUCCESS)
"""What a robot may have believed of a lost bite."""
TRUE_BLAME: Mapping[str, str | None] = {
    **{module: module for module in MODULES},
    Cause.DETECTOR: NO_MODULE,
    Cause.PHYSICS: NO_MODULE,
    Cause.UNTRIED: None,
}
"""What a robot would blame that knew the cause. One that did not try has nothing to blame."""


@dataclass(frozen=True, kw_only=True)
class Blame:
    """What the robot believed of an attempt.

    Args:
        success: Whether it took it for a success.
        chances: For each module the probability that it was the first wrong one, and that none was.
    """

    success: bool
    chances: Mapping[str, float]

    @property
    def blamed(self) -> str:
        """What it held responsible; the earlier of equals."""
        return SUCCESS if self.success else max(self.chances, key=lambda name: self.chances[name])


def first_wrong(belief: Belief) -> dict[str, float]:
    """For each module of a chain the probability that it is the first one that is wrong now, and that none is.

    Versions of modules are independent before anything is seen, so to know that one is right is to begin with a
    probability of 1 for it.
    """
    found: dict[str, float] = {}
    so_far, given = 1.0, belief
    for number, name in enumerate(belief.graph.names):
        wrong = float(given.wrong[number])
        found[name] = so_far * wrong
        so_far *= 1.0 - wrong
        if so_far <= 0.0:
            break
        right = (*given.chances[number][:-1], 1.0)
        given = replace(given, chances=(*given.chances[:number], right, *given.chances[number + 1 :]))
    return {**dict.fromkeys(belief.graph.names, 0.0), **found, NO_MODULE: so_far}


def blame(graph: ModuleGraph, settings: Settings, told: Iterable[Event], attempt: int | None) -> Blame:
    """What the robot believed right after an attempt.

    Args:
        graph: The bite's policy.
        settings: Its terms.
        told: Everything that the bite's session was told, oldest first.
        attempt: Which attempt, from 0; None: at the end.
    """
    state, executions = State.of(graph, settings), 0
    for event in told:
        state = state.after(event, settings)
        if isinstance(event, Executed):
            if executions == attempt:
                break
            executions += 1
    return Blame(success=state.outcome is Outcome.RECOVERED, chances=first_wrong(state.belief))
