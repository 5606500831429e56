"""Days of the study `whom`: paired, counted as stated, and within the hard limits."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist

import pytest

from handup.core import Action, Decision, Need, Role, Stake
from handup.lab.studies.whom.home import AskingRule, DayRun, FaultMoment, HomeDay, settings, world
from handup.lab.studies.whom.rules import ABLATIONS, RULES, JointRule, rule_of
from handup.people import Level


@dataclass
class Recorded:
    """A rule whose situations and decisions are kept."""

    rule: AskingRule
    made: list[tuple[FaultMoment, Decision]] = field(default_factory=list)

    def decide(self, situation: FaultMoment) -> Decision:
        decision = self.rule.decide(situation)
        self.made.append((situation, decision))
        return decision


class AskOperatorOnce:
    """Ask the operator about a fault once, then give up."""

    def decide(self, situation: FaultMoment) -> Decision:
        if situation.open != (*(role for role in situation.levels), Role.OPERATOR):
            return Decision(action=Action.YIELD, reason="asked")
        return Decision(action=Action.ASK, person="operator", support="own", reason="ask")


def test_every_rule_meets_the_same_day() -> None:
    first, again = HomeDay(7), HomeDay(7)
    assert first.faults == again.faults
    assert first.faults != HomeDay(8).faults
    fault = first.faults[3]
    assert first.luck(fault, Role.RESIDENT, 1).tolist() == again.luck(fault, Role.RESIDENT, 1).tolist()
    for role in first.levels:
        assert first.levels[role].tolist() == again.levels[role].tolist()


def test_nobody_asked_costs_the_time_of_the_own_recovery_and_wins_what_it_solves() -> None:
    day = HomeDay(11)
    numbers, tally = day.numbers, DayRun(day, rule_of("never", "", 11)).run()
    solved = [fault for fault in day.faults if fault.own]
    stakes = sum(numbers["stakes"][fault.stake] for fault in solved)
    time = 0.5 * len(day.faults) * numbers["own_recovery_s"] / numbers["step_s"]
    assert tally.solved == len(solved)
    assert tally.value == pytest.approx(stakes - time)
    assert (tally.load, tally.asked) == (0.0, 0)


def test_questions_to_operators_are_counted_as_stated() -> None:
    day, seen = HomeDay(12), Recorded(AskOperatorOnce())
    numbers, tally = day.numbers, DayRun(day, seen).run()
    value = 0.0
    for fault in day.faults:
        answers, sight, time = day.luck(fault, Role.OPERATOR, 0)
        value -= 0.5 * 0.5 * numbers["effort"][fault.need]
        if answers >= numbers["operator_answers"]:
            value -= 0.5 * 300 / 600
            continue
        took_s = 30 + 250 * math.exp(0.65 * NormalDist().inv_cdf(time)) + 10
        right = day.able(fault, Role.OPERATOR) and sight < (0.917 if fault.need is Need.DIAGNOSE else 0.9)
        in_time = took_s <= numbers["deadline_s"]
        value -= 0.5 * min(took_s, 600) / 600
        value += in_time * (numbers["stakes"][fault.stake] if right else -numbers["harm"])
    assert tally.value == pytest.approx(value)
    assert tally.asked == len(day.faults)


def test_an_answer_after_the_deadline_counts_for_nothing() -> None:
    slow = HomeDay(13, "operators at 900 s")
    run = DayRun(slow, AskOperatorOnce())
    run.run()
    late = [
        fault for fault in slow.faults
        if slow.luck(fault, Role.OPERATOR, 0)[0] < 0.9 and slow.luck(fault, Role.OPERATOR, 0)[2] > 0.9
    ]  # fmt: skip
    assert late, "some answers take longer than 20 minutes"
    assert run.tally.solved + run.tally.wrong + run.tally.ignored <= len(slow.faults) - len(late)


@pytest.mark.parametrize("arm", ["joint", *(f"joint without {part}" for part in ABLATIONS), *RULES])
def test_no_rule_asks_against_what_is_possible(arm: str) -> None:
    for seed in (21, 22):
        seen = Recorded(rule_of(arm, "", seed))
        DayRun(HomeDay(seed), seen).run()
        for situation, decision in seen.made:
            if decision.action is not Action.ASK:
                continue
            role, level = Role(decision.person or ""), situation.levels.get(Role(decision.person or ""))
            assert role in situation.open
            if isinstance(seen.rule, JointRule):
                assert (role, situation.fault.need) != (Role.OPERATOR, Need.HANDS)
                if level is not None and situation.fault.stake is not Stake.CRITICAL and "levels" not in arm:
                    assert level.probabilities[Level.VERY_BUSY] < max(level.probabilities)
            elif "gate" in arm and level is not None:
                assert level.free >= 0.5


def test_the_joint_decision_beats_never_asking_and_burdens_less_than_escalation() -> None:
    runs = {arm: [DayRun(HomeDay(seed), rule_of(arm, "", seed)).run() for seed in range(30, 36)]
            for arm in ("joint", "never", "fixed escalation")}  # fmt: skip
    value = {arm: sum(tally.value for tally in tallies) for arm, tallies in runs.items()}
    load = {arm: sum(tally.load for tally in tallies) for arm, tallies in runs.items()}
    assert value["joint"] > value["never"]
    assert load["joint"] < 0.5 * load["fixed escalation"]


def test_settings_change_what_they_name() -> None:
    base = world()[0]
    assert len(settings()) >= 40
    for setting in settings():
        here, robot = world(setting)
        assert (here, robot) != (base, base)
        assert set(here) == set(robot) == set(base)
        assert (here == base) == setting.startswith("robot"), "what only the robot believes leaves the world as it is"
