"""Random moments to decide in: people with limits, levels, loads and consents, and a small policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from handup.core import Costs, FixedCosts, Limits, Need, Person, Question, QuestionKind, QuietHours, Role, Stake
from handup.people import LevelEstimate, LevelForecast, Put, Suggestions, Support, answer_model
from handup.people.levels import Five
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.when import DecisionMoment
from handup.whom import KindAbilities, LimitSettings, Options, PersonNow, RecoveryRecord
from tests.oracles.enumeration import Answered, Event, Executed, tell

NOON_S = 1_795_089_600.0
"""Midday of 19 November 2026, in UTC."""
KINDS = (QuestionKind.TEXT, QuestionKind.DIAGNOSIS, QuestionKind.PHYSICAL, QuestionKind.PERMISSION)
SUPPORTS = (Support(), Support(Suggestions.OWN, 0.9), Support(Suggestions.BOTH, 0.8))
NEEDS = (None, (Need.WHICH,), (Need.DIAGNOSE, Need.HANDS), ())
QUIET = tuple(
    QuietHours(start=start, end=end) for start, end in (("11:00", "13:00"), ("22:00", "12:30"), ("01:00", "02:00"))
)
CONFUSED: tuple[Five, Five, Five, Five, Five] = (
    (0.8, 0.05, 0.05, 0.05, 0.05),
    (0.1, 0.6, 0.2, 0.05, 0.05),
    (0.1, 0.2, 0.4, 0.2, 0.1),
    (0.05, 0.05, 0.2, 0.5, 0.2),
    (0.05, 0.05, 0.1, 0.3, 0.5),
)
"""A detector that is often wrong."""


@dataclass(frozen=True, eq=False)
class Scene:
    """One moment, with what led to it."""

    options: Options
    moment: DecisionMoment
    modules: tuple[Module, ...]
    events: tuple[Event, ...]


def willing(person: str, level: int | None) -> float:
    return 0.6 if level is None else (0.25, 0.1, 0.3, 0.55, 0.8)[level]


@cache
def graph_of(chances: tuple[float, ...], kinds: tuple[str, ...], gated: bool) -> ModuleGraph:
    modules = [
        Module(f"m{index}", chance, 0.1 * (index + 1), question=Question("What now?", kind))
        for index, (chance, kind) in enumerate(zip(chances, kinds, strict=True))
    ]
    if not gated or len(modules) < 3:
        return ModuleGraph.chain(modules)
    last = modules[-1]
    inputs = tuple(module.name for module in modules[:-1])
    return ModuleGraph(
        [*modules[:-1], Module(last.name, last.confidence, last.query_cost, inputs, Gate.OR, question=last.question)]
    )


def scene_of(random: np.random.Generator, *, people: int = 4, modules: int = 3, waits: bool = True) -> Scene:
    """A moment that nobody planned."""

    def among(choices: Sequence[object]) -> object:
        return choices[int(random.integers(len(choices)))]

    count = int(random.integers(1, modules + 1))
    chances = tuple(float(among((0.0, 0.3, 0.6, 0.9))) for _ in range(count))  # type: ignore[arg-type]
    kinds = tuple(str(among(KINDS)) for _ in range(count))
    graph = graph_of(chances, kinds, bool(random.random() < 0.4))
    events: tuple[Event, ...] = ()
    if random.random() < 0.4 and Belief.of(graph).reliability < 1.0:
        events = (Executed(False),)
    if random.random() < 0.2:
        events = (*events, Answered(graph.names[0], None, 0.8))
    belief = tell(Belief.of(graph), events)
    if random.random() < 0.2:
        belief = belief.blocked(count - 1, NOON_S + float(among((-60.0, 60.0, 600.0))))  # type: ignore[arg-type]
    stakes = {Stake.LOW: 0.5, Stake.USUAL: 1.0, Stake.CRITICAL: 3.0}
    helpers = tuple(person_of(random, f"p{index}") for index in range(int(random.integers(1, people + 1))))
    options = Options(
        people=helpers,
        answers=answer_model() if random.random() < 0.7 else None,
        abilities=KindAbilities() if random.random() < 0.7 else None,
        willing=willing if random.random() < 0.8 else None,
        disturbance=(1.0, 4.0, 1.5, 0.6, 0.3) if random.random() < 0.8 else None,
        role_weights={Role.OPERATOR: 0.5},
        forecasts={helper.name: LevelForecast(bout_s=90.0, seen=CONFUSED) for helper in helpers} if waits else {},
        waits_s=(45.0,) if waits and random.random() < 0.5 else (),
        recoveries=(RecoveryRecord(name="again", uses=5, successes=1, left=1, seconds=20.0),)
        if random.random() < 0.4
        else (),
        limits=LimitSettings(
            stake=list(Stake)[int(random.integers(3))],
            gate=None if random.random() < 0.7 else 0.4,
        ),
        stakes=stakes if random.random() < 0.7 else None,
        harm=float(among((0.0, 0.3))),  # type: ignore[arg-type]
        step_s=None if random.random() < 0.3 else 300.0,
    )
    costs = Costs.of(graph.query_costs, w=float(among((0.2, 0.5, 0.8))), time_left=float(random.integers(1, 9)))  # type: ignore[arg-type]
    model = FixedCosts(tuple(graph.query_costs.tolist()))
    moment = DecisionMoment(belief=belief, costs=costs, model=model, now_s=NOON_S)
    return Scene(options, moment, graph.modules, events)


def person_of(random: np.random.Generator, name: str) -> PersonNow:
    """Somebody with any limits."""
    role = list(Role)[int(random.integers(len(Role)))]
    limits = Limits(
        at_once=int(random.integers(1, 3)),
        per_hour=None if random.random() < 0.6 else int(random.integers(1, 3)),
        load_per_hour=None if random.random() < 0.6 else float(random.uniform(0.2, 1.0)),
        quiet=() if random.random() < 0.7 else (QUIET[int(random.integers(len(QUIET)))],),
    )
    level = None
    if random.random() < 0.8:
        drawn = random.dirichlet(np.full(5, 0.7))
        level = LevelEstimate(tuple((drawn / drawn.sum()).tolist()), float(random.uniform(0.0, 4.0)))
    ages = sorted(random.uniform(0.0, 5000.0, int(random.integers(3))), reverse=True)
    return PersonNow(
        person=Person(name=name, role=role, limits=limits),
        here=bool(random.random() < 0.8),
        level=level,
        comes_s=float(random.uniform(0.0, 90.0)),
        supports=SUPPORTS[: int(random.integers(1, 4))],
        consent=NEEDS[int(random.integers(len(NEEDS)))] if random.random() < 0.4 else None,
        put=tuple(Put(NOON_S - float(age), 0.2) for age in ages),
        before=int(random.random() < 0.1),
        load_day=0.0 if random.random() < 0.3 else float(random.exponential(1.0)),
    )
