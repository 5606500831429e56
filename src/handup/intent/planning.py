"""Which question to ask, if any: exact, with a certificate, and better the longer one lets it.

The tree has only questions in it, and what matters is which answers are known, not in which order they came. So states
of information are solved level by level: those with one answer, two answers … A state is not opened where asking
further cannot be worth it, by the bound

    any value of asking ≤ c|w| + γ U(w),    U(w) = what knowing the goal would be worth

(where each question is about a goal of its own, U tells apart only the goals not asked about yet; where rewards lie so
low that waiting alone would raise them, γ counts for as many questions as are left). A question is
dropped where its bound, taken over its answers, is below what another is sure to give. What is left open at the depth
where one stops makes the gap between the two bounds of the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting
from handup.intent.problem import Array, Merged, Problem, Whole

Index = NDArray[np.intp]
MOST_STATES = 200_000
TIE = 1e-12
"""Bounds nearer to each other than this are one number."""


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
