"""What asking, acting and time cost, and what people bear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from handup.core.errors import BadSetting

Vector = NDArray[np.float64]
Amount = TypeVar("Amount", float, Vector)


def objective_of(w: float, load: Amount | float, time: Amount) -> Amount:
    """Return J, the paper's Eq. 1, not divided by T: a person's load and the robot's time, weighed against each other.

    Every such sum is made here, in one order, so that it comes out the same to the last bit.
    """
    return w * load + (1.0 - w) * time


def default_horizon(modules: int) -> int:
    """Return how many steps an episode lasts where nobody says: two for each module, and at least eight.

    With few modules two steps each are used up by attempts that fail and questions, with no time left to act on the
    last answer: giving up would never cost more than asking. Eight is enough where up to three modules are all wrong.
    """
    return max(2 * modules, 8)


class CostModel(Protocol):
    """Anything that knows what a question costs a person at a time: q_i(t)."""

    def query_costs(self, now_s: float) -> Sequence[float] | Vector:
        """One cost of at least 0 per module, in the policy's order."""


class Availability(Protocol):
    """Anything that knows when questions may be asked: a person's limits, a rota, whether anybody is there."""

    def free_from_s(self, now_s: float) -> Sequence[float] | Vector:
        """For each module, in the policy's order, the time from which it may be asked about.

        A time that has passed means now; infinity means not in this episode. Who cannot tell when somebody will be
        there names the time to look again.
        """


@dataclass(frozen=True)
class FixedCosts:
    """Costs that do not change."""

    costs: tuple[float, ...]

    def query_costs(self, now_s: float) -> Sequence[float]:
        """The same at any time."""
        return self.costs


@dataclass(frozen=True, kw_only=True, eq=False)
class Costs:
    """Everything a strategy weighs, at one moment.

    To the objective, `objective_of`, each question adds its cost as load and its time, each failed execution its time,
    and giving up all the time that was left.

    Args:
        query: Cost of asking about each module now.
        expert: Probability that an answer about each module is right.
        w: How much the person's load counts against the robot's time, 0 to 1.
        act_time: How long an execution takes: 1 where time is counted in steps.
        ask_time: How long a question about each module takes.
        time_left: Until the horizon.
        tries: How often the robot may still act; None: as often as there is time.
        unseen: For each module, how likely it is that acting on its mistake looks like a success. That cannot be taken
            back: a bite of another food is eaten.
        unseen_cost: What such a mistake costs.
        ask_again: Whether a module may be asked about again while its answer still holds. Only a plan of a few tries
            looks so far ahead; what may be asked now is the belief's.
        outdated_by_acting: For each module, whether its answer holds only until the robot acts.
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
        """Costs from plain numbers, checked; one number stands for all modules.

        What acting outdates is given by the positions of modules.

        Raises:
            BadSetting: A number outside its range, or a list of the wrong length.
        """
        modules = len(query)
        if not 0.0 <= w <= 1.0:
            raise BadSetting(f"w is {w:g}", hint="Give a weight from 0 (only time counts) to 1 (only load counts).")
        if not 0.0 < act_time < float("inf"):
            raise BadSetting(f"act_time is {act_time:g}", hint="Give a duration above 0; 1 for steps.")
        if time_left is not None and not abs(time_left) < float("inf"):
            raise BadSetting(f"time_left is {time_left:g}", hint="Give the time until the horizon.")
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
        """What one question about each module adds to the objective."""
        return objective_of(self.w, self.query, self.ask_time)

    @property
    def act_price(self) -> float:
        """What one failed execution adds to the objective."""
        return objective_of(self.w, 0.0, self.act_time)

    @property
    def time_price(self) -> float:
        """What a unit of time adds to the objective."""
        return objective_of(self.w, 0.0, 1.0)


def check_probability(what: str, value: float) -> None:
    """Refuse what is no probability.

    Raises:
        BadSetting: Naming what is wrong.
    """
    if not 0.0 <= value <= 1.0:
        raise BadSetting(f"{what} is {value:g}", hint="Give a probability from 0 to 1.")


def _vector(what: str, values: float | Sequence[float] | Vector, modules: int, most: float) -> Vector:
    try:
        array = np.broadcast_to(np.asarray(values, dtype=np.float64), (modules,))
    except ValueError:
        raise BadSetting(
            f"{what} has {np.size(values)} numbers for {modules} modules", hint="Give one number, or one per module."
        ) from None
    bad = ~((array >= 0.0) & (array <= most) & np.isfinite(array))
    if bad.any():
        limit = "of at least 0" if most == float("inf") else f"from 0 to {most:g}"
        raise BadSetting(f"{what} is {array[bad][0]:g}", hint=f"Give numbers {limit}.")
    return array


# -- what happens to the people around a robot, told to whoever keeps count of their load ------------------------------


class BurdenKind(StrEnum):
    """What a person bore."""

    ANSWERED = "answered"
    """Answered a question."""
    FAILED = "failed"
    """Saw an attempt fail."""
    WAITED = "waited"
    """Waited for the robot: while it acted, or while it had decided to wait."""


@dataclass(frozen=True, kw_only=True)
class Burden:
    """One thing that a person bore.

    Args:
        kind: What it was.
        now_s: When it ended.
        module: For an answer, the position of the module that was asked about.
        by: Who answered, where that is known.
        waited_s: For a wait, how long it was.
    """

    kind: BurdenKind
    now_s: float
    module: int | None = None
    by: str | None = None
    waited_s: float = 0.0


@runtime_checkable
class LivingCosts(CostModel, Protocol):
    """A cost model that hears what happens. Immutable: it gives another one back.

    `Session` calls `after` for every burden, when it is told and again when it is rebuilt from a record, so equal
    histories lead to equal costs.
    """

    def after(self, burden: Burden) -> LivingCosts:
        """The model after something happened."""
