"""Exact plans of when to move and which question to ask, from the rewards of moves and the probabilities of answers.

A move ends the problem and a question leaves the world as it is, so a plan is an order of questions. In weights w that
need not sum to one (w_g is the probability of goal g together with the answers so far) the best value is

    F(w) = max( max_m Σ_g w_g R[m, g],  max over q not asked yet of  c_q |w| + γ Σ_answers F(w · L_q[answer]) )

Two things may be added. Something may be *seen* before the move in any case, asked or not; then the move is chosen for
each sight by itself. And some moves may be allowed only after an answer.

`solve` is exact, with a certificate; `deepening` yields better and better plans. The tree has only questions in it, and
it matters which answers are known, not in which order they came. So states of information are solved level by level:
those with one answer, two answers … A state is not opened where asking further cannot be worth it, by the bound

    any value of asking ≤ c|w| + γ U(w),    U(w) = the value of knowing the goal

(where each question is about a goal of its own, U tells apart only the goals not asked about yet; where rewards lie so
low that waiting alone would raise them, γ counts for as many questions as are left). A question is
dropped where its bound, taken over its answers, is below the value that another is sure to give. The states left open
at the last depth make the gap between the two bounds of the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handup.core import ConflictingSettings, NotSolvable, OutOfRange, WrongSize

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
MOST_CODES = 1 << 62
"""Largest number of states of information that can be numbered in 64 bits."""
Index = NDArray[np.intp]
MOST_STATES = 200_000
TIE = 1e-12
"""Difference below which two bounds count as one number."""


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionProblem:
    """Choice between moving now and asking one of several questions first.

    Args:
        belief: Probability of each goal.
        rewards: Reward of each move (row) for each goal (column).
        questions: For each question, the probability of each answer (row) given each goal (column).
        costs: Reward of asking each question, zero or below.
        discount: γ, the factor on rewards after a question, above 0 and at most 1. Give 1 where costs are in seconds.
        seen: Probability of each sight (row) given each goal (column). A sight comes at no cost before the move.
        at_once: For each move, True if it may be made before any answer; None allows all of them.

    Raises:
        WrongSize: The shapes do not fit each other.
        OutOfRange: A number is not finite, probabilities do not sum to one, or a cost is above zero.
        ConflictingSettings: No move may be made at once, or not every move is named.
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
        questions = tuple(np.asarray(table, dtype=np.float64) for table in self.questions)
        costs = np.asarray(self.costs, dtype=np.float64)
        fits = belief.ndim == 1 and rewards.ndim == 2 and rewards.shape[1:] == belief.shape and 0 not in rewards.shape
        if not fits or costs.shape != (len(questions),) or any(table.shape[1:] != belief.shape for table in questions):
            got = f"{belief.shape}, {rewards.shape}, {costs.shape} and {len(questions)} tables"
            hint = "Give a column for each goal and a cost for each question."
            raise WrongSize.of("belief, rewards, costs and questions", got, "have shapes that fit", hint=hint)
        if not all(bool(np.isfinite(table).all()) for table in (belief, rewards, costs, *questions)):
            raise OutOfRange.of(
                "belief, rewards, costs and questions", "nan or infinity", "be finite", hint="Check them."
            )
        if belief.min() < 0.0 or abs(belief.sum() - 1.0) > 1e-6:
            total = f"{belief.min():g} to {belief.max():g} with sum {belief.sum():g}"
            raise OutOfRange.of("belief", total, "be probabilities that sum to one", hint="Divide it by its sum.")
        if any(table.min() < 0.0 or abs(table.sum(axis=0) - 1.0).max() > 1e-6 for table in questions):
            must = "have columns of probabilities that sum to one"
            raise OutOfRange.of("questions", "others", must, hint="Divide each column by its sum.")
        if len(costs) and costs.max() > 0.0:
            raise OutOfRange.of("costs", f"{costs.max():g}", "be at most 0", hint="Give rewards of asking.")
        if not 0.0 < self.discount <= 1.0:
            raise OutOfRange.of("discount", f"{self.discount:g}", "be above 0 and at most 1", hint="Give a factor.")
        if self.at_once is not None and (len(self.at_once) != len(rewards) or not any(self.at_once)):
            must = f"hold a truth value for each of {len(rewards)} moves and allow one"
            raise ConflictingSettings.of("at_once", list(self.at_once), must, hint="Allow at least one move.")
        if self.seen is not None:
            seen = np.asarray(self.seen, dtype=np.float64)
            if seen.shape[1:] != belief.shape or not (seen.min() >= 0.0 and abs(seen.sum(axis=0) - 1.0).max() <= 1e-6):
                must = f"have {len(belief)} columns of probabilities that sum to one"
                raise OutOfRange.of("seen", f"the shape {seen.shape}", must, hint="Divide each column by its sum.")
            object.__setattr__(self, "seen", seen)
        for name, value in (("belief", belief), ("rewards", rewards), ("questions", questions), ("costs", costs)):
            object.__setattr__(self, name, value)

    @cached_property
    def merged(self) -> Merged:
        """The same problem with goals merged that no question or sight tells apart: their ratio never changes."""
        sights = () if self.seen is None else (self.seen,)
        # Each goal's column of likelihoods as one value to sort. The row of zeros is for problems without questions.
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
        most = max((len(table) for table in self.questions), default=1)
        likelihood = np.zeros((len(self.questions), most, count))
        for index, table in enumerate(self.questions):
            likelihood[index, : len(table)] = table[:, first]
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
    """Problem over classes of goals, ready to be solved.

    Args:
        weights: Probability of each class.
        rewards: Reward of each move (row) for each class (column).
        likelihood: Probability by question, answer and class; questions with fewer answers have rows of zeros.
        costs: Reward of asking each question, zero or below.
        discount: γ.
        seen: Probability by sight and class; a single row of ones where nothing is seen.
        at_once: For each move, True if it may be made before any answer.
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
        """Number per unit of weight that turns a bound on `raised` rewards into one on the rewards themselves."""
        cheapest = float(self.costs.max()) if len(self.costs) else 0.0
        return cheapest if self.discount == 1.0 else cheapest / (1.0 - self.discount)

    @cached_property
    def raised(self) -> Array:
        """Rewards on which the cheapest question is free: −5 = −100(1 − γ) makes them R + 100."""
        return self.rewards if self.discount == 1.0 else self.rewards - self.offset

    @cached_property
    def own(self) -> NDArray[np.intp] | None:
        """For each question, the one class that it tells from all others, or None if a question has no such class.

        Once such a question is asked, nothing tells its class from the rest any more, which makes a tighter bound.
        """
        if self.likelihood.shape[2] < 2 or not len(self.costs) or len(self.seen) > 1:
            return None
        # A question's own class is the only one that differs from the first class, or the first, if only it differs.
        from_first = (self.likelihood != self.likelihood[:, :, :1]).any(axis=1)
        from_second = (self.likelihood != self.likelihood[:, :, 1:2]).any(axis=1)
        alone = from_first.sum(axis=1) == 1
        first_alone = (from_second.sum(axis=1) == 1) & from_second[:, 0] & ~alone
        own = np.where(first_alone, 0, from_first.argmax(axis=1))
        return own if (alone | first_alone).all() and len(np.unique(own)) == len(own) else None

    @cached_property
    def strides(self) -> Whole:
        """Step of a state's number for each question: once for its first answer, twice for its second.

        Raises:
            NotSolvable: There are too many questions.
        """
        radix, total, strides = self.likelihood.shape[1] + 1, 1, []
        for _ in self.costs:
            strides.append(total)
            total *= radix
        if total > MOST_CODES or len(strides) > 62:
            cause = f"there must be fewer than 2^62 states of information, got {len(strides)} questions"
            raise NotSolvable(cause, hint="Offer only the likeliest questions.")
        return np.array(strides, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """First step of the best plan found, and bounds of its value.

    Args:
        move: Index of the move to make where nothing is asked.
        question: Index of the question to ask first; None for a move.
        lower: Value that the plan reaches at least.
        upper: Value that no plan exceeds.
        stop_value: Value of the best move now.
        depth: Number of questions in a row that were looked at.
        states: Number of states of information that were opened.
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
        """True if the two bounds are one number, so that no plan is better."""
        return self.upper - self.lower <= 1e-9


def solve(problem: QuestionProblem, *, depth: int | None = None, most_states: int = MOST_STATES) -> Plan:
    """Return the best plan, or the best within limits and a bound on all others.

    Args:
        problem: The problem to plan.
        depth: Largest number of questions in a row, 0 or more; None looks at all of them, which is exact.
        most_states: Largest number of states to open. The bounds show what this limit may have cost.

    Raises:
        OutOfRange: The depth is negative.
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
    """Return whether a question could be worth asking at all, by a bound that is computed without a plan.

    Args:
        weights: Probability of each goal.
        rewards: Reward of each move (row) for each goal (column).
        cost: Reward of asking the cheapest question, zero or below.
        discount: γ.
        questions: Largest number of questions that can be asked.
    """
    offset = cost if discount == 1.0 else cost / (1.0 - discount)
    best = rewards.max(axis=0) if discount == 1.0 else rewards.max(axis=0) - offset
    known = _all_known(weights, best, discount, discount**questions)
    return bool(known + offset * weights.sum() > (rewards @ weights).max() + TIE)


def deepening(problem: QuestionProblem, *, depth: int | None = None, most_states: int = MOST_STATES) -> Iterator[Plan]:
    """Yield better and better plans, one for each depth, until one is exact or a limit of `solve` is reached.

    Raises:
        OutOfRange: The depth is negative.
        NotSolvable: There are too many questions to number the states.
    """
    if depth is not None and depth < 0:
        raise OutOfRange.of("depth", depth, "be at least 0", hint="Give the number of questions in a row.")
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
    """States with the same number of known answers in which further questions may pay, and the edges that leave them.

    An edge is a question asked in a state. The edges of one state lie together, in the order of the states. `known` is
    the value of an edge's answers that need no opening, `child` the rows of those that do, −1 where there is none.
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
    """Return the value of moving in each state, by the best move for each of the sights that come before it."""
    value = np.zeros(len(weights))
    for sight in merged.seen:
        value += ((weights * sight) @ rewards.T).max(axis=1)
    return value


def _all_known(weights: Array, best: Array, discount: float, least: Array | float) -> Array:
    """Return a bound on asking, as if the first answer told the goal and negative values shrank with each question."""
    return np.asarray(discount * (weights @ np.maximum(best, 0.0)) + least * (weights @ np.minimum(best, 0.0)))


def _values(merged: Merged, weights: Array, asked: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return for each state the value of moving, and an upper bound on the value of any plan."""
    stop = _stopping(merged, weights, merged.rewards)
    left = merged.likelihood.shape[0] - asked.sum(axis=1)
    # On rewards raised so that the cheapest question is free; values still below zero shrink with every question.
    raised, best = merged.raised, merged.raised.max(axis=0)
    least = merged.discount**left
    if merged.own is None:
        known = _all_known(weights, best, merged.discount, least)
    else:
        # Classes without an own question left to ask cannot be told apart any more: one move has to do for all.
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
    """Fill in the edges of a level, and return the next one: the states that are still open behind those edges."""
    parent, question = np.nonzero(~level.asked)
    answers = merged.likelihood.shape[1]
    # The same answers in another order give the same number, so each state is made once, from the first edge to it.
    code = level.code[parent, None] + merged.strides[question, None] * np.arange(1, answers + 1)
    codes, first, row = np.unique(code, return_index=True, return_inverse=True)
    row = row.reshape(code.shape)
    from_edge, answer = np.divmod(first, answers)
    by, asking = parent[from_edge], question[from_edge]
    weights = level.weights[by] * merged.likelihood[asking, answer]
    asked = level.asked[by]
    asked[np.arange(len(asked)), asking] = True
    stop, bound = _values(merged, weights, asked)
    cost = merged.costs[question] * level.weights.sum(axis=1)[parent]
    lower = cost + merged.discount * stop[row].sum(axis=1)
    upper = cost + merged.discount * bound[row].sum(axis=1)
    # Drop questions whose upper bound is below the best lower bound in their state.
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
    level.known = cost[kept] + merged.discount * np.where(level.child < 0, stop[row[kept]], 0.0).sum(axis=1)
    return _Level(weights[used], asked[used], codes[used], stop[used], bound[used], discount=merged.discount)


def _back(levels: list[_Level]) -> tuple[int | None, float, float]:
    """Return the first question by the best lower bound, and both bounds of the first state, from those of the last."""
    lower, upper = levels[-1].stop, levels[-1].bound
    question = None
    for level in reversed(levels[:-1]):
        assert level.parent is not None
        assert level.child is not None
        assert level.known is not None
        assert level.question is not None
        opened = level.child >= 0
        low = level.known + level.discount * np.where(opened, _at(lower, level.child), 0.0).sum(axis=1)
        high = level.known + level.discount * np.where(opened, _at(upper, level.child), 0.0).sum(axis=1)
        lower, upper = level.stop.copy(), level.stop.copy()
        np.maximum.at(lower, level.parent, low)
        np.maximum.at(upper, level.parent, high)
        if level is levels[0] and len(low) and low.max() > level.stop[0] + TIE:
            question = int(level.question[int(np.argmax(low))])
    return question, float(lower[0]), float(upper[0])


def _at(values: Array, index: Index) -> Array:
    return values[index] if len(values) else np.zeros(index.shape)
