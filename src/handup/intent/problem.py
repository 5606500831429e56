"""Moving or asking, as a problem with numbers: what each move is worth for each goal, and what each answer would say.

Moves end it, questions leave the world as it is, so what there is to plan is the order of questions. In weights w that
need not sum to one (w_g is the chance of goal g together with the answers so far) the best value is

    F(w) = max( max_m Σ_g w_g R[m, g],  max over q not asked yet of  c_q |w| + γ Σ_answers F(w · L_q[answer]) )

Two things may be added. Something will be *seen* before the move in any case, asked or not; then the move is chosen for
each sight by itself. And some moves may be allowed only once somebody has answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting, NotSolvable

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
MOST_CODES = 1 << 62
"""So many states of information can be numbered."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Whether to move, or which question to ask.

    Args:
        belief: The chance of each goal.
        rewards: One row per move, one column per goal.
        questions: For each question the chance of each answer (row) given each goal (column).
        costs: What asking each question adds to the reward: zero or below.
        discount: γ, by which what comes after a question counts less. 1 where costs are in seconds.
        seen: For each sight that comes for nothing before the move, its chance (row) given each goal (column).
        at_once: Which moves may be made before any answer; all of them where it is None.

    Raises:
        BadSetting: Shapes do not fit, a number is not finite, a chance is none, or a question costs less than nothing.
    """

    belief: Array
    rewards: Array
    questions: tuple[Array, ...] = ()
    costs: Sequence[float] | Array = ()
    discount: float = 0.95
    seen: Array | None = None
    at_once: Sequence[bool] | None = None

    def __post_init__(self) -> None:
        belief, rewards = np.asarray(self.belief, dtype=np.float64), np.asarray(self.rewards, dtype=np.float64)
        asked = tuple(np.asarray(each, dtype=np.float64) for each in self.questions)
        costs = np.asarray(self.costs, dtype=np.float64)
        fits = belief.ndim == 1 and rewards.ndim == 2 and rewards.shape[1:] == belief.shape and 0 not in rewards.shape
        if not fits or costs.shape != (len(asked),) or any(each.shape[1:] != belief.shape for each in asked):
            raise BadSetting("shapes do not fit", hint="Give a column for each goal and a cost for each question.")
        finite = all(bool(np.isfinite(each).all()) for each in (belief, rewards, costs, *asked))
        if not finite or belief.min() < 0.0 or abs(belief.sum() - 1.0) > 1e-6:
            raise BadSetting("a belief or reward is none", hint="Give finite numbers, and chances that sum to one.")
        if any(each.min() < 0.0 or abs(each.sum(axis=0) - 1.0).max() > 1e-6 for each in asked):
            raise BadSetting("answers have chances that do not sum to one", hint="Give one column per goal that does.")
        if len(costs) and costs.max() > 0.0:
            raise BadSetting("a question costs less than nothing", hint="Give costs of zero or below.")
        if not 0.0 < self.discount <= 1.0:
            raise BadSetting(f"discount is {self.discount:g}", hint="Give a number above 0, at most 1.")
        if self.at_once is not None and (len(self.at_once) != len(rewards) or not any(self.at_once)):
            raise BadSetting("no move may be made at once", hint="Say of each move whether it may, of one at least.")
        if self.seen is not None:
            seen = np.asarray(self.seen, dtype=np.float64)
            if seen.shape[1:] != belief.shape or not (seen.min() >= 0.0 and abs(seen.sum(axis=0) - 1.0).max() <= 1e-6):
                raise BadSetting("sights have chances that do not sum to one", hint="Give one column per goal.")
            object.__setattr__(self, "seen", seen)
        for name, value in (("belief", belief), ("rewards", rewards), ("questions", asked), ("costs", costs)):
            object.__setattr__(self, name, value)

    @cached_property
    def merged(self) -> Merged:
        """The same with goals that no question tells apart made one: their shares among each other never change."""
        sights = () if self.seen is None else (self.seen,)
        columns = np.ascontiguousarray(np.vstack([self.belief * 0.0, *self.questions, *sights]).T)
        rows = columns.view(np.dtype((np.void, columns.dtype.itemsize * columns.shape[1]))).ravel()
        _, first, member = np.unique(rows, return_index=True, return_inverse=True)
        count = len(first)
        together = np.zeros((len(self.belief), count))
        together[np.arange(len(self.belief)), member.ravel()] = 1.0
        weights = self.belief @ together
        gained = (self.rewards * self.belief) @ together
        alone = (self.rewards @ together) / together.sum(axis=0)
        rewards = np.where(weights > 0.0, gained / np.where(weights > 0.0, weights, 1.0), alone)
        most = max((len(each) for each in self.questions), default=1)
        likelihood = np.zeros((len(self.questions), most, count))
        for index, each in enumerate(self.questions):
            likelihood[index, : len(each)] = each[:, first]
        return Merged(
            weights=weights,
            rewards=rewards,
            likelihood=likelihood,
            costs=np.asarray(self.costs),
            discount=self.discount,
            seen=np.ones((1, count)) if self.seen is None else self.seen[:, first],
            at_once=np.ones(len(rewards), dtype=np.bool_) if self.at_once is None else np.asarray(self.at_once),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Merged:
    """A problem over classes of goals, ready to be solved.

    Args:
        weights: The chance of each class.
        rewards: One row per move, one column per class.
        likelihood: By question, answer and class; questions of fewer answers have rows of zeros.
        costs: Of the questions.
        discount: γ.
        seen: By sight and class; one sight that says nothing, where nothing is seen.
        at_once: Which moves may be made before any answer.
    """

    weights: Array
    rewards: Array
    likelihood: Array
    costs: Array
    discount: float
    seen: Array
    at_once: NDArray[np.bool_]

    @cached_property
    def offset(self) -> float:
        """What to add to a bound on `raised` rewards, per unit of weight, to get that on the rewards themselves."""
        cheapest = float(self.costs.max()) if len(self.costs) else 0.0
        return cheapest if self.discount == 1.0 else cheapest / (1.0 - self.discount)

    @cached_property
    def raised(self) -> Array:
        """Rewards on which the cheapest question is free: −5 = −100(1 − γ) makes them R + 100."""
        return self.rewards if self.discount == 1.0 else self.rewards - self.offset

    @cached_property
    def own(self) -> NDArray[np.intp] | None:
        """The one class that each question tells from all others, where each question has such a class of its own.

        Once such a question is asked, nothing tells its class from the rest any more, which makes a tighter bound.
        """
        if self.likelihood.shape[2] < 2 or not len(self.costs) or len(self.seen) > 1:
            return None
        from_first = (self.likelihood != self.likelihood[:, :, :1]).any(axis=1)
        from_second = (self.likelihood != self.likelihood[:, :, 1:2]).any(axis=1)
        alone = from_first.sum(axis=1) == 1
        first_alone = (from_second.sum(axis=1) == 1) & from_second[:, 0] & ~alone
        found = np.where(first_alone, 0, from_first.argmax(axis=1))
        return found if (alone | first_alone).all() and len(np.unique(found)) == len(found) else None

    @cached_property
    def strides(self) -> Whole:
        """What to add to a state's number for the first answer to each question; twice that for the second answer.

        Raises:
            NotSolvable: There are too many questions.
        """
        radix, total, strides = self.likelihood.shape[1] + 1, 1, []
        for _ in self.costs:
            strides.append(total)
            total *= radix
        if total > MOST_CODES or len(strides) > 62:
            raise NotSolvable(f"{len(strides)} questions are too many", hint="Offer only the likeliest ones.")
        return np.array(strides, dtype=np.int64)
