"""Costs of asking, acting and time, and the load that people bear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from handup.core.decision import Action
from handup.core.errors import OutOfRange, UnknownModule, WrongSize
from handup.core.option import Option

Vector = NDArray[np.float64]
Amount = TypeVar("Amount", float, Vector)


def objective_of(w: float, load: Amount | float, time: Amount) -> Amount:
    """Return J, the paper's Eq. 1, not divided by T: a person's load and the robot's time, weighed against each other.

    Every such sum is made here, in one order, so that it comes out the same to the last bit.
    """
    return w * load + (1.0 - w) * time


def default_horizon(modules: int) -> int:
    """Return the default horizon in steps: two for each module, and at least eight.

    With few modules two steps each are used up by attempts that fail and questions, with no time left to act on the
    last answer: giving up would never cost more than asking. Eight is enough where up to three modules are all wrong.
    """
    return max(2 * modules, 8)


class CostModel(Protocol):
    """Anything that knows the cost of a question to a person at a given time: q_i(t)."""

    def query_costs(self, now_s: float) -> Sequence[float] | Vector:
        """Return one cost of at least 0 per module, in the policy's order."""


class Availability(Protocol):
    """Anything that knows when questions may be asked: a person's limits, a rota, whether anybody is there."""

    def free_from_s(self, now_s: float) -> Sequence[float] | Vector:
        """Return, for each module in the policy's order, the time from which it may be asked about.

        A time that has passed means now; infinity means not in this episode. Where nobody can tell when a person will
        be there, it is the time to look again.
        """


@dataclass(frozen=True)
class FixedCosts:
    """Costs that do not change."""

    costs: tuple[float, ...]

    def query_costs(self, now_s: float) -> Sequence[float]:
        """Return the same costs at any time."""
        return self.costs


@dataclass(frozen=True, kw_only=True, eq=False)
class Costs:
    """Everything a strategy weighs, at one moment.

    To the objective, `objective_of`, each question adds its cost as load and its time, each failed execution its time,
    and giving up all the time that was left.

    Args:
        query: Cost of asking about each module now.
        expert: Probability that an answer about each module is right.
        w: Weight of the person's load against the robot's time, 0 (only time counts) to 1 (only load counts).
        act_time: Time that an execution takes, above 0: 1 where time is counted in steps.
        ask_time: Time that a question about each module takes, at least 0.
        time_left: Time until the horizon.
        tries: How often the robot may still act; None: as often as there is time.
        unseen: For each module, the probability that acting on its mistake looks like a success. That cannot be taken
            back: a bite of another food is eaten.
        unseen_cost: Cost of such a mistake.
        ask_again: Whether a module may be asked about again while its answer still holds. Only a plan of a few tries
            looks so far ahead; the belief decides what may be asked now.
        outdated_by_acting: For each module, whether its answer holds only until the robot acts.
        options: Everything that may be weighed beside acting and giving up: questions to each person with each
            support, recoveries, waits.
        modules: Names of the modules in the policy's order, by which options name them. Empty where no options are
            weighed, and a question goes to whoever answers.
        step_s: Seconds of one unit of time, above 0. None where time is counted in steps: then a question takes its
            `ask_time` whoever answers, a recovery takes an execution's, and waiting takes none.
        stake: Cost of giving up; all the time that is left where it is None.
        harm: Cost of a wrong answer, beside that of going on with it.
    """

    query: Vector
    expert: Vector
    w: float
    act_time: float
    ask_time: Vector
    time_left: float
    tries: int | None
    unseen: Vector
    unseen_cost: float
    ask_again: bool
    outdated_by_acting: NDArray[np.bool_]
    options: tuple[Option, ...] = ()
    modules: tuple[str, ...] = ()
    step_s: float | None = None
    stake: float | None = None
    harm: float = 0.0

    @classmethod
    def of(
        cls,
        query: Sequence[float] | Vector,
        *,
        expert: float | Sequence[float] | Vector = 1.0,
        w: float = 0.5,
        act_time: float = 1.0,
        ask_time: float | Sequence[float] | Vector = 1.0,
        time_left: float | None = None,
        tries: int | None = None,
        unseen: float | Sequence[float] | Vector = 0.0,
        unseen_cost: float = 0.0,
        ask_again: bool = True,
        outdated_by_acting: Sequence[int] = (),
    ) -> Costs:
        """Return costs from plain numbers, checked; one number stands for all modules.

        `outdated_by_acting` lists positions of modules.

        Raises:
            OutOfRange: A number lies outside its range.
            WrongSize: A list has not one number for each module.
        """
        modules = len(query)
        if not 0.0 <= w <= 1.0:
            hint = "Give 0 where only time counts, 1 where only load counts."
            raise OutOfRange.of("w", f"{w:g}", "lie between 0 and 1", hint=hint)
        if not 0.0 < act_time < float("inf"):
            hint = "Give a duration; 1 where time is counted in steps."
            raise OutOfRange.of("act_time", f"{act_time:g}", "be above 0 and finite", hint=hint)
        if time_left is not None and not abs(time_left) < float("inf"):
            raise OutOfRange.of("time_left", f"{time_left:g}", "be finite", hint="Give the time until the horizon.")
        return cls(
            query=_vector("query cost", query, modules, float("inf")),
            expert=_vector("expert confidence", expert, modules, 1.0),
            w=w,
            act_time=act_time,
            ask_time=_vector("ask_time", ask_time, modules, float("inf")),
            time_left=default_horizon(modules) * act_time if time_left is None else time_left,
            tries=tries,
            unseen=_vector("probability of an unseen mistake", unseen, modules, 1.0),
            unseen_cost=unseen_cost,
            ask_again=ask_again,
            outdated_by_acting=np.isin(np.arange(modules), outdated_by_acting),
        )

    @property
    def ask_price(self) -> Vector:
        """Amount that one question about each module adds to the objective."""
        return objective_of(self.w, self.query, self.ask_time)

    @property
    def act_price(self) -> float:
        """Amount that one failed execution adds to the objective."""
        return objective_of(self.w, 0.0, self.act_time)

    @property
    def time_price(self) -> float:
        """Amount that one unit of time adds to the objective."""
        return objective_of(self.w, 0.0, 1.0)

    @property
    def yield_price(self) -> float:
        """Amount that giving up now adds to the objective: the stake, or all the time that was left."""
        return self.time_price * max(self.time_left, 0.0) if self.stake is None else self.stake

    @property
    def weighs_options(self) -> bool:
        """True if only the options may be weighed beside acting and giving up, be there any or none."""
        return bool(self.modules)

    # -- options -----------------------------------------------------------------------------------------------------

    def offering(
        self,
        options: Sequence[Option],
        modules: Sequence[str],
        *,
        step_s: float | None = None,
        stake: float | None = None,
        harm: float = 0.0,
    ) -> Costs:
        """Return the same costs with options to weigh.

        Args:
            options: The options, in the order in which equals are taken.
            modules: Names of the modules in the policy's order.
            step_s: Seconds of one unit of time; the present one where it is None.
            stake: Cost of giving up.
            harm: Cost of a wrong answer.

        Raises:
            UnknownModule: An option names another module.
            WrongSize: There is not one name for each module.
            OutOfRange: A number is negative or not finite.
        """
        if len(modules) != len(self.query):
            hint = "Give the names of the policy's modules."
            raise WrongSize.of("modules", len(modules), f"have {len(self.query)} names", hint=hint)
        for option in options:
            if option.module is not None and option.module not in modules:
                hint = f"It has: {', '.join(modules)}."
                raise UnknownModule(f"an option names the module '{option.module}', which the policy lacks", hint=hint)
        for name, number in (("step_s", step_s), ("stake", stake), ("harm", harm)):
            if number is not None and not (0.0 <= number < float("inf") and (number > 0.0 or name != "step_s")):
                least = "above 0" if name == "step_s" else "at least 0"
                raise OutOfRange.of(name, f"{number:g}", f"be finite and {least}", hint="Correct this number.")
        step_s = self.step_s if step_s is None else step_s
        return replace(self, options=tuple(options), modules=tuple(modules), step_s=step_s, stake=stake, harm=harm)

    def time_of(self, option: Option) -> float:
        """Return the time that an option takes, in the unit of these costs."""
        if self.step_s is not None:
            return option.seconds / self.step_s
        if option.module is not None:
            return float(self.ask_time[self.modules.index(option.module)])
        return self.act_time if option.action is Action.RECOVER else 0.0

    def price_of(self, option: Option) -> float:
        """Return the amount that an option adds to the objective in any case: its load and its time."""
        return objective_of(self.w, option.cost, self.time_of(option))

    @cached_property
    def free_from_s(self) -> Vector:
        """For each module, the time from which somebody may be asked about it; infinity where nobody ever may."""
        free_s = np.full(len(self.query), np.inf)
        for option in self.options:
            if option.action is Action.ASK and option.module is not None:
                position = self.modules.index(option.module)
                free_s[position] = min(free_s[position], option.from_s)
        return free_s

    def ranked(self, module: str, now_s: float) -> tuple[Option, ...]:
        """Return the questions about a module that are allowed now, the best first; of equals the first in the list.

        Each is valued as if the answer alone decided between success and giving up.
        """
        give_up = self.yield_price

        def value(option: Option) -> float:
            wrong, solved = option.answers * (1.0 - option.right), option.answers * option.right
            return round(self.price_of(option) + wrong * self.harm + (1.0 - solved) * give_up, 9)

        asks = (option for option in self.options if option.action is Action.ASK and option.module == module)
        return tuple(sorted((option for option in asks if option.allowed(now_s) and option.answers > 0.0), key=value))

    def envelope(self, now_s: float = float("inf")) -> Costs:
        """Return costs whose vectors `query`, `expert` and `ask_time` are those of the best option for each module.

        So a strategy that knows nothing of people decides with the best person and support for each question. Load and
        time are those until an answer comes, if the person is asked until they answer. A module about which nobody may
        be asked keeps its numbers: hold it back until `free_from_s`.

        Args:
            now_s: The time; options that are not allowed yet do not count.
        """
        if not self.weighs_options:
            return self
        query, expert, ask_time = self.query.copy(), self.expert.copy(), self.ask_time.copy()
        for position, module in enumerate(self.modules):
            best = next(iter(self.ranked(module, now_s)), None)
            if best is not None:
                query[position], expert[position] = best.cost / best.answers, best.right
                ask_time[position] = self.time_of(best) / best.answers
        return replace(self, query=query, expert=expert, ask_time=ask_time)


def check_probability(what: str, value: float) -> None:
    """Check that a value lies between 0 and 1.

    Raises:
        OutOfRange: It does not.
    """
    if not 0.0 <= value <= 1.0:
        raise OutOfRange.of(what, f"{value:g}", "lie between 0 and 1", hint="Give a probability.")


def _vector(what: str, values: float | Sequence[float] | Vector, modules: int, most: float) -> Vector:
    try:
        array = np.broadcast_to(np.asarray(values, dtype=np.float64), (modules,))
    except ValueError:
        hint = "Give one number, or one for each module."
        raise WrongSize.of(what, np.size(values), f"have 1 or {modules} numbers", hint=hint) from None
    bad = ~((array >= 0.0) & (array <= most) & np.isfinite(array))
    if bad.any():
        limit = "be finite and at least 0" if most == float("inf") else f"lie between 0 and {most:g}"
        raise OutOfRange.of(what, f"{array[bad][0]:g}", limit, hint="Correct this number.")
    return array


# -- load on the people around a robot ---------------------------------------------------------------------------------


class BurdenKind(StrEnum):
    """Kinds of load on a person."""

    ANSWERED = "answered"
    """Answered a question."""
    FAILED = "failed"
    """Saw an attempt fail."""
    WAITED = "waited"
    """Waited for the robot: while it acted, or while it had decided to wait."""


@dataclass(frozen=True, kw_only=True)
class Burden:
    """One event that was a load on a person.

    Args:
        kind: Kind of the load.
        now_s: Time in seconds at which it ended.
        module: For an answer, the position of the module that was asked about.
        by: Name of the person who answered, where it is known.
        waited_s: For a wait, its length in seconds.
    """

    kind: BurdenKind
    now_s: float
    module: int | None = None
    by: str | None = None
    waited_s: float = 0.0


@runtime_checkable
class LivingCosts(CostModel, Protocol):
    """Cost model that depends on what happened. Immutable: `after` returns another one.

    `Session` calls `after` for every burden, when it happens and again when it is rebuilt from a record, so equal
    histories lead to equal costs.
    """

    def after(self, burden: Burden) -> LivingCosts:
        """Return the model as it is after a burden."""
