"""Rules of whom to ask: the joint decision with its ablations, and the rules that robots use without it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from handup.core import Action, Costs, Decision, FixedCosts, Need, Person, Question, QuestionKind, Role, Stake
from handup.lab.studies.whom.home import (
    PEOPLE,
    SHOWN,
    AskingRule,
    FaultMoment,
    HomeFault,
    Numbers,
    latency_of,
    rightness,
    world,
)
from handup.people import AnswerModel, Care, Level, LevelForecast, Support
from handup.people.answer_fits import SUPPORTS, KindFit
from handup.people.limits import Busy
from handup.policy import Belief, Module, ModuleGraph
from handup.when import DecisionMoment, Joint
from handup.whom import KindAbilities, LimitSettings, Options, PersonNow, RecoveryRecord

KINDS = {Need.WHICH: QuestionKind.TEXT, Need.DIAGNOSE: QuestionKind.DIAGNOSIS, Need.HANDS: QuestionKind.PHYSICAL}
OFFERED = tuple(support for support in SUPPORTS if support.accuracy == 1.0)
"""None, suggested actions, suggested diagnoses, both."""
OWN = "own recovery"
LOOK_AGAIN_S = 60.0
"""Time after which a rule with a gate looks again."""
FLOOR = 0.8
ABLATIONS = ("kinds", "support", "levels", "wait", "own recovery")


@dataclass(frozen=True)
class JointRule:
    """The product's decision: `whom.Options` weighed by `Joint`.

    Args:
        setting: Name of the setting.
        without: Name of what is left out: one of `ABLATIONS`, or nothing.
        floor: Least probability of success, where any option reaches it.
    """

    setting: str = ""
    without: str = ""
    floor: float = 0.0

    def decide(self, situation: FaultMoment) -> Decision:
        """Return the option of least expected cost."""
        numbers = world(self.setting)[1]
        fault = situation.fault
        graph = _policy(fault.need, numbers["effort"][fault.need])
        blind = self.without == "levels"
        uses, successes = situation.recovered
        recoveries = (
            RecoveryRecord(
                name=OWN, uses=uses, successes=successes, left=not situation.tried, seconds=numbers["own_recovery_s"]
            ),
        )
        options = Options(
            people=tuple(self._person(role, situation, numbers) for role in (*situation.open, *situation.later)),
            answers=_answers(self.setting, fault.need),
            abilities=_abilities(self.setting, self.without == "kinds"),
            willing=lambda name, level: _willing(numbers, Role(name), level),
            disturbance=None if blind else (1.0, *numbers["disturbance"]),
            role_weights={Role(role): weight for role, weight in numbers["role_weights"].items()},
            forecasts={} if blind else {role: _forecast(self.setting) for role in situation.levels},
            waits_s=() if self.without == "wait" else tuple(numbers["waits_s"]),
            recoveries=() if self.without == "own recovery" else recoveries,
            limits=LimitSettings(stake=fault.stake),
            stakes={Stake(name): stake for name, stake in numbers["stakes"].items()},
            harm=numbers["harm"],
            step_s=numbers["step_s"],
            until_s=situation.now_s + situation.left_s - numbers["act_s"],
        )
        belief = Belief.of(graph)
        costs = Costs.of(graph.query_costs, w=numbers["w"], time_left=1.0)
        model = FixedCosts(tuple(graph.query_costs.tolist()))
        moment = DecisionMoment(belief=belief, costs=costs, model=model, now_s=situation.now_s)
        return Joint(floor=self.floor).decide(belief, options.costs_at(moment), situation.now_s)

    def _person(self, role: Role, situation: FaultMoment, numbers: Numbers) -> PersonNow:
        supports = OFFERED if role is Role.OPERATOR and self.without != "support" else (Support(),)
        return PersonNow(
            person=Person(name=str(role), role=role),
            level=None if self.without == "levels" else situation.levels.get(role),
            comes_s=numbers["comes_s"][role],
            supports=supports,
            load_day=situation.load[role],
            busy=Busy(situation.now_s, situation.later[role]) if role in situation.later else None,
        )


@dataclass(frozen=True)
class AskInOrder:
    """Rule that tries its own recovery once, then asks people in a fixed order, one after the other.

    Args:
        order: For each kind of help, people in the order in which they are asked.
        gate: Least probability of being free at which somebody at home is asked; None for no gate.
    """

    order: Mapping[Need, tuple[Role, ...]]
    gate: float | None = None

    def decide(self, situation: FaultMoment) -> Decision:
        """Return the next step of the order."""
        if not situation.tried:
            return Decision(action=Action.RECOVER, recovery=OWN, reason="The own recovery comes first.")
        listed = self._listed(situation.fault)
        asked = [role for role in listed if role in situation.open]
        free = [role for role in asked if self._free(role, situation)]
        if free:
            support = SHOWN.key if free[0] is Role.OPERATOR else "none"
            return Decision(action=Action.ASK, person=str(free[0]), support=support, reason="It is their turn.")
        if asked or situation.later:
            until_s = situation.now_s + LOOK_AGAIN_S
            return Decision(action=Action.WAIT, until_s=until_s, reason="Nobody may be asked now.")
        return Decision(action=Action.YIELD, reason="Nobody is left to ask.")

    def _listed(self, fault: HomeFault) -> tuple[Role, ...]:
        return self.order[fault.need]

    def _free(self, role: Role, situation: FaultMoment) -> bool:
        level = situation.levels.get(role)
        return self.gate is None or level is None or level.free >= self.gate


@dataclass(frozen=True)
class FirstConnected(AskInOrder):
    """Rule that asks whoever happens to be connected first: a random order for each fault."""

    seed: int = 0

    def _listed(self, fault: HomeFault) -> tuple[Role, ...]:
        random = np.random.default_rng((self.seed, 6, fault.number))
        return tuple(PEOPLE[index] for index in random.permutation(len(PEOPLE)))


class AskNobody:
    """Rule that tries its own recovery and asks nobody."""

    def decide(self, situation: FaultMoment) -> Decision:
        """Recover once, then give up."""
        if situation.tried:
            return Decision(action=Action.YIELD, reason="Nobody is asked.")
        return Decision(action=Action.RECOVER, recovery=OWN, reason="The own recovery comes first.")


BEST_ORDER = {
    Need.WHICH: (Role.RESIDENT, Role.CAREGIVER, Role.OPERATOR),
    Need.DIAGNOSE: (Role.OPERATOR, Role.CAREGIVER, Role.RESIDENT),
    Need.HANDS: (Role.CAREGIVER, Role.RESIDENT),
}
"""The static table: for each kind of help, people by their ability."""
RULES = (
    "fixed escalation", "escalation with gate", "table with gate", "nearest", "first connected", "always remote",
    "always resident", "never",
)  # fmt: skip


def rule_of(arm: str, setting: str, seed: int) -> AskingRule:
    """Return the rule of an arm."""
    gate = world(setting)[1]["gate"]
    rules: Mapping[str, AskingRule] = {
        "fixed escalation": AskInOrder(_always(PEOPLE)),
        "escalation with gate": AskInOrder(_always(PEOPLE), gate),
        "table with gate": AskInOrder(BEST_ORDER, gate),
        "nearest": AskInOrder(_always((Role.RESIDENT, Role.CAREGIVER))),
        "first connected": FirstConnected(_always(PEOPLE), seed=seed),
        "always remote": AskInOrder(_always((Role.OPERATOR,))),
        "always resident": AskInOrder(_always((Role.RESIDENT,))),
        "never": AskNobody(),
        "joint": JointRule(setting),
        "joint with a floor": JointRule(setting, floor=FLOOR),
    }
    return rules.get(arm) or JointRule(setting, without=arm.removeprefix("joint without "))


def _always(people: Iterable[Role]) -> dict[Need, tuple[Role, ...]]:
    return dict.fromkeys(Need, tuple(people))


# -- the robot's models ------------------------------------------------------------------------------------------------


@cache
def _policy(need: Need, effort: float) -> ModuleGraph:
    """Return a policy of one module that is certainly wrong."""
    return ModuleGraph.chain([Module("fault", 0.0, effort, question=Question("What now?", kind=KINDS[need]))])


@cache
def _answers(setting: str, need: Need) -> AnswerModel:
    numbers = world(setting)[1]
    level = {support.key: _log_odds(rightness(numbers, Role.OPERATOR, need, support.key)) for support in SUPPORTS}
    flat = {support.key: (1, 1, 1, 1, 1) for support in SUPPORTS}
    fit = KindFit(level=level, certainty=(0.0,) * 5, certainties=flat, strength=10.0)
    return AnswerModel(
        fits={KINDS[need]: fit},
        latency=latency_of(numbers, Role.OPERATOR, need),
        from_sight=dict.fromkeys(Care, float(numbers["from_sight"])),
        from_sight_latency=latency_of(numbers, Role.RESIDENT, need),
    )


@cache
def _abilities(setting: str, blind: bool) -> KindAbilities:
    """Return who can give which help; blind to kinds, each person has one ability for all."""
    numbers = world(setting)[1]
    kinds, table = numbers["kinds"], numbers["abilities"]
    found = {}
    for role, own in table.items():
        mean = math.fsum(kinds[need] * own[need] for need in kinds)
        found[Role(role)] = {need: mean if blind else own[need] for need in Need}
    return KindAbilities(table=found)


@cache
def _forecast(setting: str) -> LevelForecast:
    numbers = world(setting)[1]
    rows = [(0.0, *row) for row in numbers["seen"]]
    seen = ((1.0, 0.0, 0.0, 0.0, 0.0), *rows)
    return LevelForecast(bout_s=numbers["bout_s"], usual=(0.0, *numbers["levels"]), seen=seen)  # type: ignore[arg-type]


def _willing(numbers: Numbers, role: Role, level: Level | None) -> float:
    """Return the probability that somebody answers at a level; without one, the mean over levels."""
    if role is Role.OPERATOR:
        return float(numbers["operator_answers"])
    if level is None:
        return math.fsum(share * helps for share, helps in zip(numbers["levels"], numbers["helps"], strict=True))
    return float(numbers["helps"][level - 1]) if level else 0.0


def _log_odds(chance: float) -> float:
    return math.log(chance / (1.0 - chance))
