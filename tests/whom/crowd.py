"""A crowd around a robot of many questions: the largest moment for which a time is promised."""

from __future__ import annotations

from typing import Any

from handup.core import Costs, FixedCosts, Person, Question, QuestionKind, Role, Stake
from handup.people import LevelEstimate, LevelForecast, Suggestions, Support, answer_model
from handup.policy import Belief, Module, ModuleGraph
from handup.when import DecisionMoment
from handup.whom import KindAbilities, Options, PersonNow
from tests.whom.moments import NOON_S, Scene, willing

ROLES = (Role.RESIDENT, Role.CAREGIVER, Role.OPERATOR, Role.OPERATOR, Role.CAREGIVER)
KINDS = (QuestionKind.TEXT, QuestionKind.DIAGNOSIS)
SUPPORTS = (Support(), Support(Suggestions.OWN, 0.9), Support(Suggestions.OTHER, 0.9), Support(Suggestions.BOTH, 0.9))


def crowd(people: int, supports: int, questions: int, chance: float = 0.7, seen: Any = None) -> Scene:
    """A chain with a question to everybody about everything, and a wait."""
    asked = [Question("What is it?", KINDS[index % 2]) for index in range(questions)]
    modules = tuple(Module(f"m{index}", chance, 0.3, question=question) for index, question in enumerate(asked))
    graph = ModuleGraph.chain(modules)
    level = LevelEstimate((0.05, 0.15, 0.30, 0.30, 0.20))
    helpers = tuple(
        PersonNow(person=Person(name=f"p{index}", role=ROLES[index]), level=level, supports=SUPPORTS[:supports])
        for index in range(people)
    )
    options = Options(
        people=helpers,
        answers=answer_model(),
        abilities=KindAbilities(),
        willing=willing,
        disturbance=(1.0, 4.0, 1.5, 0.6, 0.3),
        forecasts={helper.name: LevelForecast(seen=seen) for helper in helpers},
        waits_s=(60.0,),
        stakes={Stake.LOW: 0.5, Stake.USUAL: 1.0, Stake.CRITICAL: 3.0},
        harm=0.3,
        step_s=900.0,
    )
    costs = Costs.of(graph.query_costs)
    model = FixedCosts(tuple(graph.query_costs.tolist()))
    moment = DecisionMoment(belief=Belief.of(graph), costs=costs, model=model, now_s=NOON_S)
    return Scene(options, moment, modules, ())
