"""People in a session's decisions: who is asked, what that costs, and when to ask somebody else."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from handup.core import Action, Costs, Decision, Option, Question
from handup.policy import ModuleGraph

Ranked = Callable[[str, float], tuple[Option, ...]]
"""Function that returns the questions about a module that are allowed at a time, best first."""


def with_person(decision: Decision, costs: Costs, now_s: float) -> Decision:
    """Add the best person and support to a decision to ask, if the strategy knows nothing of people."""
    if decision.action is not Action.ASK or decision.person is not None or decision.module is None:
        return decision
    best = next(iter(costs.ranked(decision.module, now_s)), None)
    return decision if best is None else replace(decision, person=best.person, support=best.support)


def load_of(decision: Decision, costs: Costs, graph: ModuleGraph) -> float:
    """Return the load of the question that was decided; 0 where none was."""
    if decision.action is not Action.ASK or decision.module is None:
        return 0.0
    key = (Action.ASK, decision.module, decision.person, decision.support, None)
    chosen = next((option.cost for option in costs.options if option.key == key), None)
    return float(costs.query[graph.index(decision.module)]) if chosen is None else chosen


def addressed(question: Question, decision: Decision, ranked: Ranked | None, now_s: float) -> Question:
    """Return a question to the people who may be asked: the chosen one first, the others by value.

    Where nobody was chosen, or the question is for others, it stays as it is.

    Args:
        question: The question, in the policy's words.
        decision: The decision to ask it.
        ranked: Order of the people, for a decision of a strategy that knows nothing of people.
        now_s: The time.
    """
    if decision.person is None:
        return question
    weighed = [entry.person for entry in decision.alternatives if entry.module == decision.module]
    if not any(weighed) and ranked is not None:
        weighed = [option.person for option in ranked(decision.module or "", now_s)]
    names = tuple(dict.fromkeys(name for name in (decision.person, *weighed) if name is not None))
    if question.to:
        names = tuple(name for name in names if name in question.to) or question.to
    return replace(question, to=names)


def is_due(costs: Costs, decision: Decision, person: str, since_s: float, now_s: float) -> bool:
    """Return whether to decide again whom to ask: a person took longer than expected, or became very busy.

    The same holds if a limit that never ends forbids asking them by now: then they have no option any more. If nobody
    knows how long an answer takes, nobody is late.
    """
    options = [option for option in _questions(costs, decision) if option.person == person]
    shown = next((option for option in options if option.support == decision.support), next(iter(options), None))
    if shown is None or (shown.seconds > 0.0 and now_s >= since_s + shown.seconds):
        return True
    return shown.very_busy and not shown.allowed(now_s)


def without(costs: Costs, decision: Decision, people: Collection[str]) -> Costs:
    """Return costs without the questions to people who have the open question already."""
    theirs = {option.key for option in _questions(costs, decision) if option.person in people}
    return replace(costs, options=tuple(option for option in costs.options if option.key not in theirs))


def _questions(costs: Costs, decision: Decision) -> list[Option]:
    return [option for option in costs.options if option.action is Action.ASK and option.module == decision.module]
