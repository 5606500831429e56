"""Simulated home: faults of a robot, people whose levels change, and one episode for each fault.

Everything random belongs to the seed of the home, the number of the fault and, for an answer, to the person and to how
often they were asked. So every rule meets the same day, and the same question at the same time gets the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from handup.core import Action, Decision, Need, Role, Stake
from handup.core.files import shipped_data
from handup.people import Latency, LevelEstimate, Support

TICK_S = 10
PEOPLE = (Role.RESIDENT, Role.CAREGIVER, Role.OPERATOR)
BUSY = 2
"""Highest level at which an interruption counts as inappropriate."""
Levels = NDArray[np.int64]
Numbers = Mapping[str, Any]


@cache
def world(setting: str = "") -> tuple[Numbers, Numbers]:
    """Return the numbers of a setting, the base's where it is empty: those of the world, and those of the robot."""
    record = shipped_data(__file__, "world.yaml")
    changes = dict(record["settings"][setting]) if setting else {}
    robot = changes.pop("robot", {})
    numbers = {**record["base"], **changes}
    return numbers, {**numbers, **robot}


def settings() -> tuple[str, ...]:
    """Return the names of all settings but the base."""
    return tuple(shipped_data(__file__, "world.yaml")["settings"])


@dataclass(frozen=True)
class HomeFault:
    """One time at which the robot is stuck.

    Args:
        number: Its number in the day.
        start_s: Time at which it begins.
        need: Help that it needs.
        stake: Class of what is at stake.
        own: True if the robot's own recovery works.
    """

    number: int
    start_s: float
    need: Need
    stake: Stake
    own: bool


@dataclass(frozen=True)
class HomeDay:
    """A day in a home.

    Args:
        seed: Seed of the home.
        setting: Name of the setting; empty for the base.
    """

    seed: int
    setting: str = ""

    @cached_property
    def numbers(self) -> Numbers:
        """Numbers of the world."""
        return world(self.setting)[0]

    @cached_property
    def faults(self) -> tuple[HomeFault, ...]:
        """Faults of the day; none begins before the deadline of the one before it."""
        numbers, random = self.numbers, np.random.default_rng((self.seed, 0))
        found: list[HomeFault] = []
        arrival_s = 0.0
        while arrival_s < 3600.0 * numbers["hours"]:
            arrival_s += float(random.exponential(3600.0 / numbers["faults_per_hour"]))
            start_s = max(arrival_s, found[-1].start_s + numbers["deadline_s"] if found else 0.0)
            need = Need(_drawn(random, numbers["kinds"]))
            stake = Stake(_drawn(random, numbers["stake_shares"]))
            own = bool(random.random() < numbers["own_recovery"])
            found.append(HomeFault(len(found), start_s, need, stake, own))
        return tuple(found)

    @cached_property
    def ticks(self) -> int:
        """Number of moments that the day and the last deadline need."""
        return int((self.faults[-1].start_s + self.numbers["deadline_s"]) / TICK_S) + 2

    @cached_property
    def here(self) -> Mapping[Role, NDArray[np.bool_]]:
        """Presence of each person at home at each moment."""
        times = self.numbers["caregiver"]
        random = np.random.default_rng((self.seed, 1))
        first = int(random.random() * (times["here_s"] + times["away_s"]) < times["here_s"])
        stays = {0: times["away_s"], 1: times["here_s"]}
        present = _bouts(random, self.ticks, lambda now: (1 - now, stays[1 - now]), first, stays[first])
        everyone = np.ones(self.ticks, dtype=np.bool_)
        return {Role.RESIDENT: everyone, Role.CAREGIVER: present.astype(np.bool_), Role.OPERATOR: ~everyone}

    @cached_property
    def levels(self) -> Mapping[Role, Levels]:
        """Level of each person at home, from 1 to 4, at each moment."""
        return {role: self._levels(np.random.default_rng((self.seed, 2, index))) for index, role in enumerate(PEOPLE)}

    @cached_property
    def seen(self) -> Mapping[Role, Levels]:
        """Level that the detector says of each person at each moment; it looks anew now and then, and may err."""
        every = int(self.numbers["seen_s"] / TICK_S)
        rows = np.cumsum(np.array(self.numbers["seen"], dtype=np.float64), axis=1)
        found = {}
        for index, role in enumerate(PEOPLE):
            luck = np.random.default_rng((self.seed, 3, index)).random(self.ticks)
            looked = np.arange(self.ticks) // every * every
            said = 1 + (luck[looked, None] > rows[self.levels[role][looked] - 1]).sum(axis=1)
            found[role] = np.minimum(said, 4)
        return found

    @cached_property
    def estimates(self) -> Mapping[Role, tuple[LevelEstimate, ...]]:
        """The robot's estimate of each person's level after each look: a forward filter over what the detector says.

        Without it, a robot that waits until the detector says *free* would ask at the detector's mistakes.
        """
        numbers = world(self.setting)[1]
        usual, rows = np.array(numbers["levels"]), np.array(numbers["seen"], dtype=np.float64)
        stays = math.exp(-numbers["seen_s"] / numbers["bout_s"])
        found: dict[Role, tuple[LevelEstimate, ...]] = {}
        for role in PEOPLE:
            now, estimates = usual, []
            for said in self.seen[role][:: int(numbers["seen_s"] / TICK_S)]:
                drifted = stays * now + (1.0 - stays) * usual
                joint = drifted * rows[:, said - 1]
                now = joint / joint.sum() if joint.sum() > 0.0 else drifted
                estimates.append(LevelEstimate((0.0, *now.tolist())))
            found[role] = tuple(estimates)
        return found

    def estimate(self, role: Role, now_s: float) -> LevelEstimate:
        """Return the estimate of a person's level at a moment, as old as the last look."""
        estimates = self.estimates[role]
        return estimates[min(int(now_s / self.numbers["seen_s"]), len(estimates) - 1)]

    def _levels(self, random: np.random.Generator) -> Levels:
        shares, bout_s = self.numbers["levels"], self.numbers["bout_s"]

        def follows(_: int) -> tuple[int, float]:
            return int(random.choice(4, p=shares)) + 1, bout_s

        return _bouts(random, self.ticks, follows, follows(0)[0], bout_s)

    def at(self, values: NDArray[Any], now_s: float) -> Any:
        """Return the value of a moment."""
        return values[min(int(now_s / TICK_S), self.ticks - 1)]

    def luck(self, fault: HomeFault, role: Role, ask: int) -> NDArray[np.float64]:
        """Return the random numbers of a person's reply to a fault: whether they answer and are right, and the time."""
        return np.random.default_rng((self.seed, 4, fault.number, PEOPLE.index(role), ask)).random(3)

    def able(self, fault: HomeFault, role: Role) -> bool:
        """Return whether a person can give the help that a fault needs."""
        chance = self.numbers["abilities"][role][fault.need]
        return bool(np.random.default_rng((self.seed, 5, fault.number, PEOPLE.index(role))).random() < chance)


@dataclass(frozen=True, kw_only=True)
class FaultMoment:
    """Everything that a rule may know of a moment.

    Args:
        fault: The fault.
        now_s: The time.
        left_s: Seconds until the deadline.
        levels: For everybody at home, the estimate of their level.
        open: People who may be asked now.
        later: People who may be asked again, but not yet, with the time from which they may.
        tried: True if the robot's own recovery was tried.
        load: Load that each person has borne today.
        recovered: Number of times that the own recovery was tried today, and that it worked.
    """

    fault: HomeFault
    now_s: float
    left_s: float
    levels: Mapping[Role, LevelEstimate]
    open: tuple[Role, ...]
    later: Mapping[Role, float]
    tried: bool
    load: Mapping[Role, float]
    recovered: tuple[int, int]


class AskingRule(Protocol):
    """Rule of what to do next. Its decision names people by their role."""

    def decide(self, situation: FaultMoment) -> Decision:
        """Recover, ask a person with a support, wait until a time, or give up."""
        ...


@dataclass
class DayTally:
    """Counts of one day with one rule."""

    solved: int = 0
    value: float = 0.0
    load: float = 0.0
    resident_load: float = 0.0
    inappropriate: int = 0
    ignored: int = 0
    wrong: int = 0
    asked: int = 0
    seconds: float = 0.0


@dataclass
class DayRun:
    """One day with one rule.

    Args:
        day: The day.
        rule: The rule.
    """

    day: HomeDay
    rule: AskingRule
    tally: DayTally = field(default_factory=DayTally)
    borne: dict[Role, float] = field(default_factory=lambda: dict.fromkeys(PEOPLE, 0.0))
    recovered: tuple[int, int] = (0, 0)

    def run(self) -> DayTally:
        """Go through all faults of the day."""
        for fault in self.day.faults:
            self._episode(fault)
        return self.tally

    def _episode(self, fault: HomeFault) -> None:
        numbers, tally = self.day.numbers, self.tally
        end_s = fault.start_s + numbers["deadline_s"]
        attempt = _Attempt(fault, fault.start_s)
        while attempt.now_s < end_s and not attempt.over:
            decision = self.rule.decide(self._situation(attempt, end_s))
            match decision.action:
                case Action.RECOVER:
                    uses, successes = self.recovered
                    self.recovered = (uses + 1, successes + fault.own)
                    attempt = replace(attempt, now_s=attempt.now_s + numbers["own_recovery_s"], tried=True)
                    attempt = replace(attempt, solved=fault.own)
                case Action.ASK:
                    attempt = self._asked(attempt, Role(decision.person or ""), decision.support or "none", end_s)
                case Action.WAIT:
                    attempt = replace(attempt, now_s=max(decision.until_s or 0.0, attempt.now_s + TICK_S))
                case _:
                    attempt = replace(attempt, over=True)
            attempt = replace(attempt, over=attempt.over or attempt.solved)
        seconds = min(attempt.now_s, end_s) - fault.start_s
        tally.solved += attempt.solved
        tally.seconds += seconds
        tally.value += attempt.solved * numbers["stakes"][fault.stake]
        tally.value -= (1.0 - numbers["w"]) * seconds / numbers["step_s"]

    def _asked(self, attempt: _Attempt, role: Role, support: str, end_s: float) -> _Attempt:
        """Return what is left to do after a question to a person; a late answer counts for nothing."""
        day, numbers, tally, fault = self.day, self.day.numbers, self.tally, attempt.fault
        far, asks = role is Role.OPERATOR, attempt.asks.get(role, 0)
        level = 0 if far else int(day.at(day.levels[role], attempt.now_s))
        load = numbers["effort"][fault.need] * numbers["role_weights"][role]
        load *= 1.0 if far else numbers["disturbance"][level - 1]
        self.borne[role] += load
        tally.asked += 1
        tally.load += load
        tally.resident_load += load if role is Role.RESIDENT else 0.0
        tally.value -= numbers["w"] * load
        tally.inappropriate += not far and level <= BUSY
        answers, sight, time = day.luck(fault, role, asks)
        asked = {**attempt.asks, role: asks + 1}
        if answers >= (numbers["operator_answers"] if far else numbers["helps"][level - 1]):
            tally.ignored += 1
            now_s = attempt.now_s + numbers["patience_s"]["far" if far else "here"]
            return replace(
                attempt, now_s=now_s, asks=asked, again_s={**attempt.again_s, role: now_s + numbers["again_s"]}
            )
        latency = latency_of(numbers, role, fault.need)
        done_s = attempt.now_s + numbers["comes_s"][role] + latency.quantile(min(max(float(time), 1e-9), 1.0 - 1e-9))
        if done_s + numbers["act_s"] > end_s:
            return replace(attempt, now_s=end_s, asks=asked)
        right = day.able(fault, role) and sight < rightness(numbers, role, fault.need, support)
        tally.wrong += not right
        tally.value -= numbers["harm"] * (not right)
        later = replace(attempt, now_s=done_s + numbers["act_s"], asks=asked, solved=bool(right))
        return later if right else replace(later, unable=attempt.unable | {role})

    def _situation(self, attempt: _Attempt, end_s: float) -> FaultMoment:
        day, now_s = self.day, attempt.now_s
        here = [role for role in PEOPLE if role is Role.OPERATOR or day.at(day.here[role], now_s)]
        most = day.numbers["most_asks"]
        able = [role for role in here if role not in attempt.unable and attempt.asks.get(role, 0) < most]
        near: list[Role] = [role for role in here if role is not Role.OPERATOR]
        levels = {role: day.estimate(role, now_s) for role in near}
        free = tuple(role for role in able if attempt.again_s.get(role, 0.0) <= now_s)
        later = {role: attempt.again_s[role] for role in able if role not in free}
        return FaultMoment(
            fault=attempt.fault,
            now_s=now_s,
            left_s=end_s - now_s,
            levels=levels,
            open=free,
            later=later,
            tried=attempt.tried,
            load=self.borne,
            recovered=self.recovered,
        )


@dataclass(frozen=True)
class _Attempt:
    """State of an episode."""

    fault: HomeFault
    now_s: float
    asks: Mapping[Role, int] = field(default_factory=dict)
    again_s: Mapping[Role, float] = field(default_factory=dict)
    unable: frozenset[Role] = frozenset()
    tried: bool = False
    solved: bool = False
    over: bool = False


def rightness(numbers: Numbers, role: Role, need: Need, support: str) -> float:
    """Return the probability that the answer of somebody who can help is right."""
    if role is Role.OPERATOR and need is Need.DIAGNOSE:
        return float(numbers["resolved"][support.split("-", maxsplit=1)[0]])
    return float(numbers["from_sight"])


def latency_of(numbers: Numbers, role: Role, need: Need) -> Latency:
    """Return the distribution of answer times."""
    if role is Role.OPERATOR:
        return Latency(median_s=numbers["operator_s"], sigma=numbers["operator_sigma"])
    return Latency(median_s=numbers["sight_s"][need], sigma=numbers["sight_sigma"])


def _drawn(random: np.random.Generator, shares: Mapping[str, float]) -> str:
    return str(random.choice(list(shares), p=list(shares.values())))


def _bouts(random: np.random.Generator, ticks: int, follows: Any, first: int, mean_s: float) -> Levels:
    """Return values that stay for bouts of exponential length."""
    values, at, now = np.zeros(ticks, dtype=np.int64), 0.0, first
    while at < ticks:
        end = at + max(float(random.exponential(mean_s)) / TICK_S, 1.0)
        values[int(at) : int(end) + 1] = now
        at = end
        now, mean_s = follows(now)
    return values


SHOWN = Support(suggestions="own")  # type: ignore[arg-type]
"""Support that rules without a choice show to operators: suggested actions, after which most problems were resolved."""
