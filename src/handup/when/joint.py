"""`joint`: one decision over everything that a robot may do next, with whom and with which support.

Each option is a step with a fixed price and a chance to solve the problem; where it does not, the best other option
follows, one step ahead:

    J(option) = w · load + (1 − w) · time + P(answer) P(wrong) · harm + (1 − P(solved)) · J(best other option)

Acting costs its time only where it fails, and giving up costs the stake. Waiting costs its time, and then the mean of
the best option over what may be *seen* of people, with the mistakes of whoever looks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

from handup.core import (
    Action,
    Alternative,
    Costs,
    Decision,
    Option,
    UnknownName,
    check_probability,
)
from handup.policy import Belief

NEGLIGIBLE = 1e-6
"""Success probability up to which acting is pointless."""
RAISED = 8.0
"""Factor on the cost of giving up where success would fall below the floor; found on simulated homes, see `whom`."""
MOST_MODULES = 50
"""Most modules about which questions are weighed, since each takes an inference of its own; the most suspect ones."""
DIGITS = 9
"""Decimals to which values are compared; equal ones keep the order of the options."""
Group = tuple[Action, str | None, str | None]
"""Options that would fail together: of questions about one module, those to one person."""


@dataclass(frozen=True)
class Joint:
    """Strategy that weighs acting, recoveries, questions to each person with each support, waiting and giving up.

    It looks one step ahead. On a policy in which several modules are likely to be wrong at once, plan with
    `troubleshoot` on `Costs.envelope` instead. Without options it weighs a question about each module to whoever
    answers. Where a policy has more than 50 modules, it weighs questions about the 50 that are most suspect.

    It buys less load on people and fewer wrong answers, not more success: where help is slow it gives up earlier than a
    rule that always asks. `floor` sets a limit to that.

    Args:
        floor: Least probability that the problem is solved, best other option included. Where the best option falls
            below it, the options are weighed again with giving up at `RAISED` times its cost, and without waits for a
            better moment, since that is time in which somebody could be asked. It still waits where a limit keeps
            people from being asked. 0 for no floor.

    Raises:
        OutOfRange: The floor is no probability.
    """

    name: ClassVar[str] = "joint"
    floor: float = 0.0

    def __post_init__(self) -> None:
        check_probability("floor", self.floor)

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        """Return the option of least expected cost among those that no hard limit forbids now."""
        weighing = Weighing(belief.possible, costs, now_s)
        if self.floor and weighing.solved(weighing.ranked[0]) < self.floor:
            weighing = Weighing(belief.possible, _insistent(costs), now_s)
        steps = weighing.ranked
        chosen = steps[0]
        asked = next((step.option.module for step in steps if step.option.action is Action.ASK), None)
        option = chosen.option
        decision = Decision(
            action=option.action,
            module=option.module or asked,
            reason=weighing.reason(chosen),
            alternatives=tuple(weighing.alternative(step) for step in steps),
            until_s=now_s + option.seconds if option.action is Action.WAIT else None,
            person=option.person,
            support=option.support,
            recovery=option.recovery,
        )
        return decision if decision.action is not Action.YIELD else weighing.held_back(decision)

    def parameters(self, costs: Costs) -> dict[str, float]:
        """Return the floor."""
        return {"floor": self.floor}

    def with_parameter(self, name: str, value: float) -> Joint:
        """Return the strategy with another floor."""
        if name != "floor":
            raise UnknownName(f"'joint' has no setting '{name}'", hint="It has: floor.")
        return replace(self, floor=value)


@dataclass(frozen=True)
class Step:
    """One option as a step of the plan.

    Args:
        option: The option; acting and giving up are options here, too.
        fixed: Cost that it adds whatever follows.
        solves: Probability that it solves the problem.
        order: Place among equals.
    """

    option: Option
    fixed: float
    solves: float
    order: int

    @property
    def group(self) -> Group:
        """Options that would fail together with this one."""
        option = self.option
        return (option.action, option.module or option.recovery, option.person)

    def then(self, other: float) -> float:
        """Return its cost if an option of this cost follows where it does not solve the problem."""
        return self.fixed + (1.0 - self.solves) * other


class Weighing:
    """Values of all options at one moment.

    Args:
        belief: The belief about the policy.
        costs: Costs, with options.
        now_s: Present time in seconds.
    """

    def __init__(self, belief: Belief, costs: Costs, now_s: float) -> None:
        self.belief, self.costs, self.now_s = belief, costs, now_s
        self.give_up = costs.yield_price
        self._right: dict[str, tuple[float, float]] = {}
        names = belief.graph.names
        suspects: Sequence[int] = range(len(names))
        if len(names) > MOST_MODULES:
            wrong = belief.wrong.tolist()
            suspects = sorted(suspects, key=lambda position: -wrong[position])[:MOST_MODULES]
        self.weighed = frozenset(names[position] for position in suspects)
        self.questions = [option for option in self._questions() if option.module in self.weighed]
        free = dict(zip(names, (belief.free(now_s) & ~belief.answered).tolist(), strict=True))
        allowed = [option for option in self.questions if option.allowed(now_s) and free[option.module or ""]]
        self.open = [self._asking(option, order) for order, option in enumerate(allowed, start=1000)]
        self.fixed_steps = list(self._without_people())
        self._best = self._two_best([*self.fixed_steps, *self.open])

    # -- steps -------------------------------------------------------------------------------------------------------

    def _questions(self) -> list[Option]:
        """Return the questions of the costs; one about each module, to whoever answers, where there are no options."""
        if self.costs.weighs_options:
            return [option for option in self.costs.options if option.action is Action.ASK]
        numbers = zip(
            self.belief.graph.names,
            self.costs.expert.tolist(),
            self.costs.query.tolist(),
            self.costs.ask_time.tolist(),
            strict=True,
        )
        return [
            Option(action=Action.ASK, module=name, right=right, cost=cost, seconds=seconds * (self.costs.step_s or 1.0))
            for name, right, cost, seconds in numbers
        ]

    def _without_people(self) -> Iterable[Step]:
        """Yield acting, where it may work, the recoveries and giving up."""
        success = self.belief.reliability
        if success > NEGLIGIBLE and not self.belief.acting_is_futile:
            yield Step(Option(action=Action.ACT, right=success), (1.0 - success) * self.costs.act_price, success, 0)
        for order, option in enumerate(self.costs.options, start=1):
            if option.action is Action.RECOVER and option.allowed(self.now_s):
                yield Step(option, self.costs.price_of(option), option.right, order)
        yield Step(Option(action=Action.YIELD), self.give_up, 1.0, 999)

    def _asking(self, option: Option, order: int) -> Step:
        """Return a question as a step: a right answer makes its module right, and then the robot acts."""
        costs, module = self.costs, option.module or ""
        price = (
            costs.price_of(option) if costs.weighs_options else float(costs.ask_price[self.belief.graph.index(module)])
        )
        right, wrong = self._success_after(module)
        solves = option.answers * (option.right * right + (1.0 - option.right) * wrong)
        return Step(option, price + option.answers * (1.0 - option.right) * costs.harm, solves, order)

    def _success_after(self, module: str) -> tuple[float, float]:
        """Return the probability that acting succeeds once a module is right for certain, and once it is wrong."""
        if module not in self._right:
            belief, position = self.belief, self.belief.graph.index(module)
            if belief.graph.is_series and not belief.executions:
                others = [float(chance) for index, chance in enumerate(belief.confidences) if index != position]
                self._right[module] = (math.prod(others), 0.0)
            else:
                right, wrong = (belief.after_answer(position, changed=None, expert=expert) for expert in (1.0, 0.0))
                self._right[module] = (right.reliability, 0.0 if belief.graph.is_series else wrong.reliability)
        return self._right[module]

    # -- values ------------------------------------------------------------------------------------------------------

    def _two_best(self, steps: Sequence[Step]) -> tuple[tuple[float, Step | None], tuple[float, Step | None]]:
        """Return the best two steps of different groups, if giving up follows where they fail, with their values."""
        first: tuple[float, Step | None] = (self.give_up, None)
        second = first
        for step in steps:
            value = step.then(self.give_up)
            if value < first[0]:
                if first[1] is None or first[1].group != step.group:
                    second = first
                first = (value, step)
            elif value < second[0] and first[1] is not None and first[1].group != step.group:
                second = (value, step)
        return first, second

    def other(self, group: Group) -> tuple[float, Step | None]:
        """Return the best other option for when those of a group have failed, and its value; None for giving up."""
        first, second = self._best
        return second if first[1] is not None and first[1].group == group else first

    def value(self, step: Step) -> float:
        """Return the expected cost of a step with what follows it."""
        match step.option.action:
            case Action.YIELD:
                return self.give_up
            case Action.WAIT:
                return step.fixed
            case _:
                return step.then(self.other(step.group)[0])

    def solved(self, step: Step) -> float:
        """Return the probability that a step, or the best other option after it, solves the problem.

        A wait counts with that of the best question now.
        """
        match step.option.action:
            case Action.YIELD:
                return 0.0
            case Action.WAIT:
                asked = min(self.open, key=self.value, default=None)
                return 0.0 if asked is None else self.solved(asked)
            case _:
                other = self.other(step.group)[1]
                return step.solves + (1.0 - step.solves) * (0.0 if other is None else other.solves)

    @cached_property
    def ranked(self) -> tuple[Step, ...]:
        """All steps that are possible now, best first; of equals the first."""
        steps = [*self.fixed_steps, *self.open, *self._waits()]
        return tuple(sorted(steps, key=lambda step: (round(self.value(step), DIGITS), step.order)))

    def alternative(self, step: Step) -> Alternative:
        """Return a step as an alternative of the decision."""
        option = step.option
        return Alternative(
            option.action,
            option.module,
            self.value(step),
            person=option.person,
            support=option.support,
            recovery=option.recovery,
            until_s=self.now_s + option.seconds if option.action is Action.WAIT else None,
        )

    # -- waiting -----------------------------------------------------------------------------------------------------

    def _waits(self) -> Iterable[Step]:
        """Yield the waits that are weighed: those of the options, and one until the next question is allowed.

        Where time is counted in steps waiting costs nothing, so it is not weighed: see `held_back`.
        """
        if self.costs.step_s is None:
            return
        order = 10**6
        for option in self.costs.options:
            if option.action is Action.WAIT and option.seconds > 0.0:
                order += 1
                yield Step(option, self.costs.price_of(option) + self._mean_least(option), 1.0, order)
        later = [(from_s, step) for from_s, step in self._held() if from_s < math.inf]
        if later:
            until_s = min(from_s for from_s, _ in later)
            then = [*self.fixed_steps, *self.open, *(step for from_s, step in later if from_s <= until_s)]
            best = min(self.value(step) for step in then)
            wait = Option(action=Action.WAIT, seconds=until_s - self.now_s)
            yield Step(wait, self.costs.price_of(wait) + best, 1.0, order + 1)

    def _held(self) -> list[tuple[float, Step]]:
        """Return the questions that are held back, each with the time from which it is allowed."""
        belief = self.belief
        blocked = dict(zip(belief.graph.names, belief.blocked_until_s.tolist(), strict=True))
        answered = dict(zip(belief.graph.names, belief.answered.tolist(), strict=True))
        held = []
        for option in self.questions:
            module = option.module or ""
            from_s = max(option.from_s, blocked[module])
            if from_s > self.now_s and not answered[module]:
                held.append((from_s, self._asking(option, 0)))
        return held

    def _mean_least(self, wait: Option) -> float:
        """Return the mean cost of the best option after a wait, over what may be seen of each person then."""
        alone = min(self.value(step) for step in self.fixed_steps)
        people = [
            [
                (
                    outlook.probability,
                    min((self._later(option) for option in outlook.options), default=math.inf),
                )
                for outlook in outlooks
            ]
            for outlooks in wait.outlooks
        ]
        return mean_least(alone, people)

    def _later(self, option: Option) -> float:
        """Return the cost of a question that is put after a wait."""
        module = option.module or ""
        if module not in self.weighed or self.belief.answered[self.belief.graph.index(module)]:
            return math.inf
        step = self._asking(option, 0)
        return step.then(self.other(step.group)[0])

    def held_back(self, decision: Decision) -> Decision:
        """Return what to do instead of giving up: wait, if a question that is held back would be better."""
        held = [(from_s, step) for from_s, step in self._held() if self.value(step) < self.give_up - 1e-9]
        if not held:
            return decision
        from_s, step = min(held, key=lambda entry: (entry[0] == math.inf, self.value(entry[1])))
        name = step.option.module
        limit = f" ({step.option.why})" if step.option.why else ""
        if from_s == math.inf:
            reason = f"Giving up: only a question about '{name}' would help, and it may not be asked any more{limit}."
            return replace(decision, module=name, reason=reason)
        if self.costs.step_s is not None:  # the wait was weighed, and giving up is better
            return decision
        reason = f"Only a question about '{name}' is worth asking, and it may not be asked yet{limit}."
        return replace(decision, action=Action.WAIT, module=name, reason=reason, until_s=from_s)

    # -- words -------------------------------------------------------------------------------------------------------

    def reason(self, chosen: Step) -> str:
        """Return one sentence: why this, why now, and what next. It names no person, since it is kept for ever."""
        value = self.value(chosen)
        option = chosen.option
        others = (step for step in self.ranked if step.option.action is not option.action)
        rival = next(others, None)
        beside = "" if rival is None else f", {_in_words(rival.option)} {self.value(rival):.3g}"
        match option.action:
            case Action.ACT:
                return f"Acting succeeds with probability {option.right:.3g}; it costs {value:.3g} in all{beside}."
            case Action.RECOVER:
                return (
                    f"'{option.recovery}' works with probability {option.right:.3g}; "
                    f"it costs {value:.3g} in all{beside}; {self._next(chosen)}."
                )
            case Action.ASK:
                return f"{_helper(option)}; asking now costs {value:.3g} in all{beside}; {self._next(chosen)}."
            case Action.WAIT:
                return f"A better moment may come: waiting {option.seconds:.3g} s costs {value:.3g} in all{beside}."
            case _:
                return f"Giving up: nothing that may be done now is worth its cost{beside}."

    def _next(self, chosen: Step) -> str:
        """Describe what follows where a step does not solve the problem."""
        other = self.other(chosen.group)[1]
        follows = "I give up" if other is None else _in_words(other.option)
        late = f" within {chosen.option.seconds:.3g} s" if chosen.option.seconds > 0.0 else ""
        start = f"if no answer comes{late}" if chosen.option.action is Action.ASK else "if it fails"
        return f"{start}, {follows}{'' if other is None else ' is next'}"


def _insistent(costs: Costs) -> Costs:
    """Return costs with which a problem is given up late, and no better moment is waited for."""
    options = tuple(option for option in costs.options if option.action is not Action.WAIT)
    return replace(costs, options=options, stake=RAISED * costs.yield_price)


def mean_least(constant: float, people: Sequence[Sequence[tuple[float, float]]]) -> float:
    """Return the mean of the least of a number and of independent random ones.

    Args:
        constant: The number.
        people: For each random number, its values with their probabilities, as pairs of probability and value.
    """
    points = sorted({min(value, constant) for pairs in people for _, value in pairs} | {constant})
    total = points[0]
    for low, high in pairwise(points):
        beyond = math.prod(math.fsum(chance for chance, value in pairs if value > low) for pairs in people)
        total += (high - low) * beyond
    return total


def _helper(option: Option) -> str:
    """Describe why this person: how likely they answer, how likely that is right, and what it is for them."""
    who = "whoever is there" if option.role is None else f"the {option.role}"
    shown = f" with support '{option.support}'" if option.support not in (None, "none") else ""
    free = "" if option.free is None else f", is free with probability {option.free:.2g}"
    chances = f"answers with probability {option.answers:.2g}, is right with {option.right:.2g}"
    return f"About '{option.module}' {who}{shown} {chances}{free}, for a load of {option.cost:.2g}"


def _in_words(option: Option) -> str:
    match option.action:
        case Action.ACT:
            return "acting"
        case Action.RECOVER:
            return f"'{option.recovery}'"
        case Action.ASK:
            who = "" if option.role is None else f" the {option.role}"
            return f"asking{who} about '{option.module}'"
        case Action.WAIT:
            return "waiting"
        case _:
            return "giving up"
