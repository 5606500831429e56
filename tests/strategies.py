"""What the property tests draw: gate graphs with shared inputs, histories, and situations to decide in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from handup.core import Costs
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.what import Situation
from tests.oracles.enumeration import MAX_BITS, Answered, Event, Executed, Forwarded, tell

MOST_MODULES = 12

# Not below 1e-12 but for 0: the oracles multiply plain numbers, and products near 1e-308 have few digits left.
chances = st.floats(1e-12, 1.0) | st.sampled_from((0.0, 0.1, 0.5, 0.9, 1.0))
uncertain = st.floats(0.01, 0.99)
query_costs = st.floats(0.0, 2.0) | st.sampled_from((0.0, 0.1, 0.32))
certainties = st.sampled_from((1.0, 1.0, 0.5, 0.9)) | st.floats(0.5, 1.0)
experts = st.sampled_from((1.0, 1.0, 0.9)) | chances
gates = st.sampled_from(Gate)


def share_of_examples(share: float) -> settings:
    """For slower tests: this share of the profile's examples, so that soaking still multiplies them."""
    return settings(max_examples=max(1, round(share * settings().max_examples)))


@st.composite
def module_lists(
    draw: st.DrawFn,
    *,
    most: int = MOST_MODULES,
    gate: st.SearchStrategy[Gate] = gates,
    confidence: st.SearchStrategy[float] = chances,
) -> list[Module]:
    """Modules in any order, each fed by earlier ones, the final one by whatever is left over."""
    count = draw(st.integers(1, most))
    names = [f"m{position}" for position in range(count)]
    taken: set[str] = set()
    modules = []
    for position, name in enumerate(names):
        if position == count - 1:
            extra = draw(st.lists(st.sampled_from(names[:-1]), max_size=2)) if count > 1 else []
            inputs = [each for each in names[:-1] if each not in taken or each in extra]
        else:
            inputs = draw(st.lists(st.sampled_from(names[:position]), max_size=3, unique=True)) if position else []
        taken.update(inputs)
        modules.append(Module(name, draw(confidence), draw(query_costs), tuple(inputs), draw(gate)))
    return draw(st.permutations(modules))


@st.composite
def histories(draw: st.DrawFn, modules: Sequence[Module], *, most: int = 6) -> list[Event]:
    """Answers, executions and forward passes, with no more coins than enumeration can list."""
    names = st.sampled_from([module.name for module in modules])
    coins_left = MAX_BITS - len(modules)
    events: list[Event] = []
    for _ in range(draw(st.integers(0, most))):
        kind = draw(st.sampled_from((Executed, Executed, Answered, Forwarded)))
        if kind is Executed:
            events.append(Executed(draw(st.sampled_from((False, False, True))), draw(certainties)))
        elif kind is Answered and coins_left >= 1:
            events.append(Answered(draw(names), draw(st.sampled_from((True, False, None))), draw(experts)))
            coins_left -= 1
        elif kind is Forwarded and coins_left >= 1:
            brought = draw(st.dictionaries(names, chances, min_size=1, max_size=min(3, coins_left)))
            events.append(Forwarded(tuple(brought.items())))
            coins_left -= len(brought)
    return events


@st.composite
def situations(
    draw: st.DrawFn,
    *,
    most: int = MOST_MODULES,
    gate: st.SearchStrategy[Gate] = gates,
    confidence: st.SearchStrategy[float] = chances,
) -> Situation:
    """Any moment of an episode: some modules answered, some not free, per-module costs and experts."""
    graph = ModuleGraph(draw(module_lists(most=most, gate=gate, confidence=confidence)))
    answers = draw(st.dictionaries(st.sampled_from(graph.names), experts, max_size=2))
    belief = tell(Belief.of(graph), [Answered(name, None, expert) for name, expert in answers.items()])
    expert = draw(st.just(1.0) | experts | st.lists(experts, min_size=len(graph), max_size=len(graph)))
    weight = draw(st.just(0.5) | st.floats(0.0, 1.0))
    free = draw(st.lists(st.sampled_from((True, True, True, False)), min_size=len(graph), max_size=len(graph)))
    return Situation(belief, Costs.of(graph.query_costs, expert=expert, w=weight), ~belief.answered & np.array(free))
