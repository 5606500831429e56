"""Moving or asking, as a problem with numbers: what each move is worth for each goal, and what each answer would say.

Moves end it, questions leave the world as it is, so what there is to plan is the order of questions. In weights w that
need not sum to one (w_g is the chance of goal g together with the answers so far) the best value is

    F(w) = max( max_m Σ_g w_g R[m, g],  max over q not asked yet of  c_q |w| + γ Σ_answers F(w · L_q[answer]) )

Two things may be added. Something will be *seen* before the move in any case, asked or not; then the move is chosen for
each sight by itself. And some moves may be allowed only once somebody has answered.

`solve` is exact, with a certificate; `deepening` gets better the longer one lets it. The tree has only questions in it,
and what matters is which answers are known, not in which order they came. So states of information are solved level by
level: those with one answer, two answers … A state is not opened where asking further cannot be worth it, by the bound

    any value of asking ≤ c|w| + γ U(w),    U(w) = what knowing the goal would be worth

(where each question is about a goal of its own, U tells apart only the goals not asked about yet; where rewards lie so
low that waiting alone would raise them, γ counts for as many questions as are left). A question is
dropped where its bound, taken over its answers, is below what another is sure to give. What is left open at the depth
where one stops makes the gap between the two bounds of the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting, NotSolvable

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
MOST_CODES = 1 << 62
"""So many states of information can be numbered."""
Index = NDArray[np.intp]
MOST_STATES = 200_000
TIE = 1e-12
"""Bounds nearer to each other than this are one number."""


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


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to do first, and what that is worth.

    Args:
        move: The move to make where nothing is asked.
        question: The question to ask first; None: move.
        lower: The plan is worth at least this.
        upper: No plan is worth more than this.
        stop_value: What the best move is worth now.
        depth: So many questions in a row were looked at.
        states: So many states of information were opened.
    """

    move: int
    question: int | None
    lower: float
    upper: float
    stop_value: float
    depth: int
    states: int

    @property
    def exact(self) -> bool:
        """Whether the two bounds are one number, so that no plan is better."""
        return self.upper - self.lower <= 1e-9


def solve(problem: Problem, *, depth: int | None = None, most_states: int = MOST_STATES) -> Plan:
    """The best plan, or the best with so many questions in a row and a bound on all others.

    Args:
        problem: What to plan.
        depth: Look at no more questions in a row than this; None: at all of them, which is exact.
        most_states: Stop opening states after so many. The bounds say what that may have cost.

    Raises:
        BadSetting: The depth is negative.
        NotSolvable: There are too many questions to number the states.

    Example:
        >>> import numpy as np
        >>> from handup.intent import Problem, solve
        >>> about_first = np.array([[0.999, 0.001], [0.001, 0.999]])
        >>> rewards = np.array([[-10.0, -60.0], [-60.0, -10.0]])
        >>> plan = solve(Problem(belief=np.array([0.5, 0.5]), rewards=rewards, questions=(about_first,), costs=[-5.0]))
        >>> plan.question, plan.exact, round(plan.lower, 2)
        (0, True, -14.55)
    """
    *_, plan = deepening(problem, depth=depth, most_states=most_states)
    return plan


def may_pay(weights: Array, rewards: Array, cost: float, discount: float, questions: int) -> bool:
    """Whether a question could be worth asking at all: a bound that needs no plan, for moments in which none is.

    Args:
        weights: The chance of each goal.
        rewards: One row per move, one column per goal.
        cost: Of the cheapest question, zero or below.
        discount: γ.
        questions: At most so many can be asked.
    """
    offset = cost if discount == 1.0 else cost / (1.0 - discount)
    best = rewards.max(axis=0) if discount == 1.0 else rewards.max(axis=0) - offset
    known = _all_known(weights, best, discount, discount**questions)
    return bool(known + offset * weights.sum() > (rewards @ weights).max() + TIE)


def deepening(problem: Problem, *, depth: int | None = None, most_states: int = MOST_STATES) -> Iterator[Plan]:
    """Better and better plans, one for each depth, until one is exact or the limits are reached. Stop at any time.

    Raises:
        BadSetting: The depth is negative.
        NotSolvable: There are too many questions to number the states.
    """
    if depth is not None and depth < 0:
        raise BadSetting(f"depth is {depth}", hint="Give 0 or more.")
    merged = problem.merged
    first = _first(merged)
    move = int(np.argmax(np.where(merged.at_once, merged.rewards @ merged.weights, -np.inf)))
    levels: list[_Level] = [first]
    deepest = len(merged.costs) if depth is None else min(depth, len(merged.costs))
    states = 0
    while True:
        question, lower, upper = _back(levels)
        yield Plan(
            move=move,
            question=question,
            lower=lower,
            upper=upper,
            stop_value=float(first.stop[0]),
            depth=len(levels) - 1,
            states=states,
        )
        last = levels[-1]
        if len(levels) > deepest or not len(last.stop) or states + len(last.stop) > most_states or upper - lower <= TIE:
            return
        states += len(last.stop)
        levels.append(_open(merged, last))


@dataclass(eq=False)
class _Level:
    """States in which so many answers are known and asking on may be worth it, and what leads on from each.

    The edges of one state lie together and in the order of the states; `known` is what the answers that need no
    opening contribute, `child` the rows of those that do, −1 where there is none.
    """

    weights: Array
    asked: NDArray[np.bool_]
    code: Whole
    stop: Array
    bound: Array
    parent: Index | None = None
    question: Index | None = None
    known: Array | None = None
    child: Index | None = None
    discount: float = 1.0


def _first(merged: Merged) -> _Level:
    weights, asked = merged.weights[None], np.zeros((1, len(merged.costs)), dtype=np.bool_)
    stop, bound = _stopping(merged, weights, merged.rewards[merged.at_once]), _values(merged, weights, asked)[1]
    code = np.zeros(1, dtype=np.int64)
    if len(merged.costs) and bound[0] > stop[0] + TIE:
        return _Level(weights, asked, code, stop, bound, discount=merged.discount)
    return _Level(weights, asked, code, stop, stop, discount=merged.discount)


def _stopping(merged: Merged, weights: Array, rewards: Array) -> Array:
    """What moving is worth in each state: the best move for each of the sights that come before it."""
    value = np.zeros(len(weights))
    for sight in merged.seen:
        value += ((weights * sight) @ rewards.T).max(axis=1)
    return value


def _all_known(weights: Array, best: Array, discount: float, least: Array | float) -> Array:
    """No more is won by asking: as if the first answer told everything, and what is below zero shrank with each."""
    return np.asarray(discount * (weights @ np.maximum(best, 0.0)) + least * (weights @ np.minimum(best, 0.0)))


def _values(merged: Merged, weights: Array, asked: NDArray[np.bool_]) -> tuple[Array, Array]:
    """What stopping is worth in each state, and what nothing in it can be worth more than."""
    stop = _stopping(merged, weights, merged.rewards)
    left = merged.likelihood.shape[0] - asked.sum(axis=1)
    # On rewards raised so that the cheapest question is free; what is still below zero shrinks with every question.
    raised, best = merged.raised, merged.raised.max(axis=0)
    least = merged.discount**left
    if merged.own is None:
        known = _all_known(weights, best, merged.discount, least)
    else:
        lumped = np.ones(weights.shape, dtype=np.bool_)
        lumped[:, merged.own] = asked
        rest = np.where(lumped, weights, 0.0)
        apart = weights - rest
        together = (rest @ raised.T).max(axis=1)
        known = _all_known(apart, best, merged.discount, least)
        known += np.where(together >= 0.0, merged.discount, least) * together
    bound = np.maximum(stop, known + merged.offset * weights.sum(axis=1))
    return stop, np.where(left > 0, bound, stop)


def _open(merged: Merged, level: _Level) -> _Level:
    """Fill in the edges of a level, and give the next one: the states that are still open behind those edges."""
    parent, question = np.nonzero(~level.asked)
    answers = merged.likelihood.shape[1]
    code = level.code[parent, None] + merged.strides[question, None] * np.arange(1, answers + 1)
    codes, one, row = np.unique(code, return_index=True, return_inverse=True)
    row = row.reshape(code.shape)
    from_edge, answer = np.divmod(one, answers)
    by, asking = parent[from_edge], question[from_edge]
    weights = level.weights[by] * merged.likelihood[asking, answer]
    asked = level.asked[by]
    asked[np.arange(len(asked)), asking] = True
    stop, bound = _values(merged, weights, asked)
    here = merged.costs[question] * level.weights.sum(axis=1)[parent]
    lower = here + merged.discount * stop[row].sum(axis=1)
    upper = here + merged.discount * bound[row].sum(axis=1)
    sure = level.stop.copy()
    np.maximum.at(sure, parent, lower)
    kept = np.nonzero(upper >= sure[parent] - TIE)[0]
    open_ = bound > stop + TIE
    used = np.zeros(len(codes), dtype=np.bool_)
    used[row[kept]] = True
    used &= open_
    number = np.where(used, np.cumsum(used) - 1, -1)
    level.parent, level.question = parent[kept], question[kept]
    level.child = number[row[kept]]
    level.known = here[kept] + merged.discount * np.where(level.child < 0, stop[row[kept]], 0.0).sum(axis=1)
    return _Level(weights[used], asked[used], codes[used], stop[used], bound[used], discount=merged.discount)


def _back(levels: list[_Level]) -> tuple[int | None, float, float]:
    """The bounds of the first state, from those of the last level; and the question whose lower bound is best."""
    lower, upper = levels[-1].stop, levels[-1].bound
    question = None
    for level in reversed(levels[:-1]):
        assert level.parent is not None
        assert level.child is not None
        assert level.known is not None
        assert level.question is not None
        there = level.child >= 0
        low = level.known + level.discount * np.where(there, _at(lower, level.child), 0.0).sum(axis=1)
        high = level.known + level.discount * np.where(there, _at(upper, level.child), 0.0).sum(axis=1)
        lower, upper = level.stop.copy(), level.stop.copy()
        np.maximum.at(lower, level.parent, low)
        np.maximum.at(upper, level.parent, high)
        if level is levels[0] and len(low) and low.max() > level.stop[0] + TIE:
            question = int(level.question[int(np.argmax(low))])
    return question, float(lower[0]), float(upper[0])


def _at(values: Array, index: Index) -> Array:
    return values[index] if len(values) else np.zeros(index.shape)
