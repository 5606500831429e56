"""What the robot blamed: exact against every possible state, and of the attempt that is asked about."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action, Decision, Outcome
from handup.domains.feeding.truth import MODULES, LossCause
from handup.lab.studies.meals.blame import NO_MODULE, SUCCESS, TRUE_BLAME, blame, first_wrong
from handup.policy import Belief, Module, ModuleGraph
from handup.recover import Settings
from handup.recover.events import Decided, Event, Executed, Forwarded

CHAIN = ModuleGraph.chain(Module(name, 0.5, 0.3) for name in MODULES)
SURE = {"food": 0.5, "box": 0.9, "skill": 0.95, "params": 0.9}


def enumerated(belief: Belief) -> dict[str, float]:
    """The first wrong module of the latest versions, over every state of every version."""
    places = [(module, version) for module, row in enumerate(belief.chances) for version in range(len(row))]
    found = dict.fromkeys([*belief.graph.names, NO_MODULE], 0.0)
    for states in product((False, True), repeat=len(places)):
        right = dict(zip(places, states, strict=True))
        weight = math.prod(
            belief.chances[module][version] if right[module, version] else 1.0 - belief.chances[module][version]
            for module, version in places
        )
        for seen in belief.executions:
            works = all(right[module, version] for module, version in enumerate(seen.versions))
            weight *= math.exp(seen.log_if_right if works else seen.log_if_wrong)
        now = [right[module, version] for module, version in enumerate(belief.versions)]
        first = next((name for name, fine in zip(belief.graph.names, now, strict=True) if not fine), NO_MODULE)
        found[first] += weight
    total = sum(found.values())
    return {name: chance / total for name, chance in found.items()}


@given(st.lists(st.floats(0.05, 0.95), min_size=4, max_size=4), st.integers(0, 3), st.floats(0.6, 0.99))
def test_the_first_wrong_module_is_what_every_state_gives(sure: list[float], module: int, certainty: float) -> None:
    belief = Belief.of(CHAIN).after_forward(dict(enumerate(sure)))
    belief = belief.after_execution(False, certainty=certainty)
    assert first_wrong(belief) == pytest.approx(enumerated(belief), abs=1e-9)
    belief = belief.after_answer(module, changed=None, expert=0.9).after_forward({3: 0.7})
    belief = belief.after_execution(False, certainty=certainty)
    found = first_wrong(belief)
    assert found == pytest.approx(enumerated(belief), abs=1e-9)
    assert sum(found.values()) == pytest.approx(1.0)


def told(*looks: tuple[bool, dict[str, float]]) -> list[Event]:
    """A bite of these attempts: each on confidences of its own."""
    events: list[Event] = []
    for number, (ok, sure) in enumerate(looks):
        decided = Decided(decision=Decision(action=Action.ACT, reason="why not"), now_s=float(number))
        events += [Forwarded(confidences=sure), decided, Executed(ok=ok, certainty=0.93, ended=ok)]
    return events


def test_the_attempt_that_is_asked_about_decides_not_a_later_one() -> None:
    other = {**SURE, "food": 0.95, "params": 0.3}
    events = told((False, SURE), (False, other))
    assert blame(CHAIN, Settings(), events, 0)[0] == "food"
    assert blame(CHAIN, Settings(), events, 1)[0] == "params"
    assert blame(CHAIN, Settings(), events, None)[0] == "params"
    succeeded = told((False, SURE), (True, SURE))
    assert [blame(CHAIN, Settings(), succeeded, attempt)[0] for attempt in (0, 1)] == ["food", SUCCESS]


def test_where_all_are_sure_the_fork_is_to_blame_and_who_never_tried_is_asked_at_the_end() -> None:
    assert blame(CHAIN, Settings(), told((False, dict.fromkeys(MODULES, 0.999))), 0)[0] == NO_MODULE
    assert set(TRUE_BLAME) == set(LossCause), "every cause has its blame"
    gave_up = Decided(decision=Decision(action=Action.YIELD, reason="no use"), now_s=0.0, outcome=Outcome.YIELDED)
    events: list[Event] = [Forwarded(confidences=SURE), gave_up]
    blamed, chances = blame(CHAIN, Settings(), events, None)
    assert np.isclose(sum(chances.values()), 1.0)
    assert blamed == "food"
