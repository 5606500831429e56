"""`troubleshoot`: ask-or-act as sequential troubleshooting.

Failed executions are evidence. The belief over own states is exact, and the next step minimises the expected cost of
the whole episode: exactly with an expert who is never wrong on series policies (up to a dozen different modules, or
any number of few kinds) and on small gate graphs, by look-ahead on the exact posterior otherwise.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from handup.core import Action, Alternative, Costs, Decision, UnknownName
from handup.policy import Belief
from handup.when.plan import fallible_expert, gates, lookahead, series, tries
from handup.when.plan.problem import PlanProblem, Values

TIE = 1e-9
"""Largest difference of expected costs that count as equal: then acting goes before asking, yielding before asking,
and upstream modules before downstream ones. Acting goes before yielding unless its success is negligible."""
NEGLIGIBLE = 1e-6
"""Success probability up to which acting is pointless."""
COARSE = 10
"""Most steps of time that the longest question or execution takes in a plan for an expert who errs."""


class Planner(StrEnum):
    """Choice of the planner, for measuring one against another."""

    BEST = "best"
    """The best planner for the problem."""
    ORDERED = "ordered"
    """The plan along a fixed order where that applies, look-ahead elsewhere."""
    LOOK_AHEAD = "look-ahead"
    """Look-ahead always."""


@dataclass(frozen=True)
class Troubleshoot:
    """handup's own strategy, and its default.

    Args:
        planner: Leave it at "best" but for measurements.
    """

    name: ClassVar[str] = "troubleshoot"
    planner: Planner = Planner.BEST

    def __post_init__(self) -> None:
        if self.planner not in tuple(Planner):
            must = f"be one of {', '.join(Planner)}"
            raise UnknownName.of("planner", repr(self.planner), must, hint="Choose one, or leave it out.")

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        """Return the step of least expected cost; wait where only a question that may not be asked yet would help."""
        trusted = np.minimum(costs.expert, belief.confidences)  # an expert who was unsure will be unsure again
        askable = ~belief.answered | (belief.confidences < 1.0)
        free = belief.free(now_s)
        costs = replace(costs, expert=np.where(belief.answered, trusted, costs.expert))
        believed, belief = belief, belief.possible
        values = plan(PlanProblem(belief, costs, askable & free), self.planner)
        decision = _decision(belief, values)
        if decision.action is not Action.YIELD:
            return decision
        # Plan again as if held-back questions were free: first those that time frees, then those it never will.
        for reachable in (askable & (belief.blocked_until_s < np.inf), askable):
            if (reachable & ~free).any():
                later = _decision(belief, plan(PlanProblem(belief, costs, reachable), self.planner))
                if later.action is Action.ASK and later.module is not None:
                    return _held_back(belief, decision, later, reachable & ~free)
        if belief is not believed:
            name = belief.graph.names[int(belief.wrong.argmax())]
            doubt = f"What was seen contradicts what was certain; '{name}' is the likeliest to be wrong all the same."
            return replace(decision, reason=f"{decision.reason} {doubt}")
        return decision

    def parameters(self, costs: Costs) -> dict[str, float]:
        """Return no numbers: costs alone steer this strategy."""
        return {}

    def with_parameter(self, name: str, value: float) -> Troubleshoot:
        """Refuse: the strategy has no numbers of its own."""
        raise UnknownName(f"'troubleshoot' has no setting '{name}'", hint="Change w or the costs instead.")


def _held_back(belief: Belief, decision: Decision, later: Decision, held: NDArray[np.bool_]) -> Decision:
    """Wait for the question that would be asked if it were free, or say that it is missing to go on."""
    module = belief.graph.index(later.module or "")
    if not held[module]:
        module = int(np.flatnonzero(held)[belief.blocked_until_s[held].argmin()])
    name, until_s = belief.graph.names[module], float(belief.blocked_until_s[module])
    if math.isinf(until_s):
        reason = f"Giving up: only a question about '{name}' would help, and it may not be asked any more."
        return replace(decision, module=name, reason=reason)
    reason = f"Only a question about '{name}' is worth asking, and it may not be asked yet."
    return replace(later, action=Action.WAIT, module=name, reason=reason, until_s=until_s)


def plan(problem: PlanProblem, planner: Planner = Planner.BEST) -> Values:
    """Return the values of every first step, by the planner that fits the problem."""
    belief = problem.belief
    if planner == Planner.BEST and tries.takes_on(problem):
        return tries.plan_tries(problem, np.random.default_rng(belief.seed))
    if planner != Planner.LOOK_AHEAD and _is_plain(belief):
        true_expert = bool(
            (problem.costs.expert[problem.askable] >= 1.0).all() and (belief.confidences[belief.answered] >= 1.0).all()
        )
        if belief.graph.is_series:
            return _plan_series(problem, exact=planner == Planner.BEST) if true_expert else _plan_erring(problem)
        unknown = np.flatnonzero(belief.confidences < 1.0)
        if true_expert and len(unknown) <= gates.MAX_MODULES and planner == Planner.BEST:
            return _plan_gates(problem, unknown)
    return lookahead.plan_ahead(problem, np.random.default_rng(belief.seed))


def _is_plain(belief: Belief) -> bool:
    """Return True if every execution was a certain failure of outputs that are known or would be executed again."""
    for execution in belief.executions:
        if execution.log_if_right > -math.inf:
            return False
        for module, version in enumerate(execution.versions):
            known = belief.chances[module][version] in (0.0, 1.0)
            if version != belief.versions[module] and not known:
                return False
    return True


def _suspects(belief: Belief) -> NDArray[np.bool_] | None:
    """Return a mask of the modules that may be to blame for the most telling failure of a series policy.

    None when every failure is explained by a module that is known to have been wrong.
    """
    suspects: NDArray[np.bool_] | None = None
    for execution in belief.executions:
        chances = [row[version] for row, version in zip(belief.chances, execution.versions, strict=True)]
        if 0.0 in chances:
            continue
        pairs = zip(execution.versions, belief.versions, strict=True)
        blamed = np.array([version == current for version, current in pairs])
        blamed &= np.array(chances) < 1.0
        if suspects is None or blamed.sum() < suspects.sum():  # the fewer modules are left, the more a failure says
            suspects = blamed
    return suspects


def _plan_series(problem: PlanProblem, *, exact: bool) -> Values:
    belief, costs = problem.belief, problem.costs
    ask = np.full(len(belief.graph), np.nan)
    open_modules = np.flatnonzero(problem.askable)
    prices = costs.ask_price
    labels = [
        (float(belief.confidences[module]), float(prices[module]), float(costs.ask_time[module]))
        for module in open_modules
    ]
    kinds = tuple(series.ModuleKind(*label, count) for label, count in Counter(labels).items())
    rest = ~problem.askable
    with np.errstate(divide="ignore"):
        log_rest = float(np.log(belief.confidences[rest]).sum())
    small = series.SeriesProblem(
        kinds=kinds,
        log_rest=log_rest,
        failed=_suspects(belief) is not None,
        act_price=costs.act_price,
        act_time=costs.act_time,
        rate=costs.time_price,
        time_left=costs.time_left,
    )
    if exact and small.cells <= series.MAX_CELLS:
        solved = series.plan_series(small)
        by_label = {(kind.chance, kind.price, kind.time): value for kind, value in zip(kinds, solved.ask, strict=True)}
        ask[open_modules] = [by_label[label] for label in labels]
        return problem.values(solved.act, ask, "series", exact=small.is_exact)
    along = series.plan_ordered(replace(small, kinds=tuple(series.ModuleKind(*label, 1) for label in labels)))
    ask[open_modules] = along.ask
    return problem.values(along.act, ask, "ordered", exact=False)


def _plan_erring(problem: PlanProblem) -> Values:
    belief, costs = problem.belief, problem.costs
    suspects = _suspects(belief)
    blamed = np.zeros(len(belief.graph), dtype=np.bool_) if suspects is None else suspects
    durations = np.append(costs.ask_time, costs.act_time)
    unit = max(float(durations[durations > 0.0].min()), float(durations.max()) / COARSE)
    new, asked = (np.flatnonzero(problem.askable & which) for which in (~belief.answered, belief.answered))
    with np.errstate(divide="ignore"):
        logs = np.where(problem.askable, 0.0, np.log(belief.confidences))

    def askable(modules: NDArray[np.intp]) -> fallible_expert.Askable:
        steps = np.maximum(np.rint(costs.ask_time[modules] / unit), 1).astype(np.intp)
        return fallible_expert.Askable(
            belief.confidences[modules], costs.expert[modules], costs.ask_price[modules], steps
        )

    steps_left = max(0, math.floor(costs.time_left / unit + 1e-9))
    solved = fallible_expert.plan_erring(
        fallible_expert.ErringProblem(
            new=askable(new),
            asked=askable(asked),
            suspect=blamed[asked],
            log_fixed=float(logs.sum()),
            log_fixed_suspects=float(logs[blamed].sum()),
            failed=suspects is not None,
            act_price=costs.act_price,
            act_steps=max(1, round(costs.act_time / unit)),
            rate=costs.time_price * unit,
            steps_left=steps_left,
            rest=costs.time_price * max(costs.time_left - steps_left * unit, 0.0),
        )
    )
    ask = np.full(len(belief.graph), np.nan)
    ask[new], ask[asked] = solved.ask_new, solved.ask_again
    return problem.values(solved.act, ask, "erring", exact=False)


def _plan_gates(problem: PlanProblem, unknown: NDArray[np.intp]) -> Values:
    belief, costs = problem.belief, problem.costs
    bits = np.arange(1 << len(unknown)) >> np.arange(len(unknown))[:, None] & 1

    def fails(versions: tuple[int, ...]) -> NDArray[np.uint8]:
        shown = np.array([row[version] >= 1.0 for row, version in zip(belief.chances, versions, strict=True)])
        states = np.repeat(shown[:, None], bits.shape[1], axis=1).astype(np.uint8)
        current = [versions[module] == belief.versions[module] for module in unknown]
        states[unknown[current]] = bits[current]
        return np.asarray(1 - belief.graph.circuit.evaluate(states), dtype=np.uint8)

    seen = np.ones(bits.shape[1], dtype=np.uint8)
    for execution in belief.executions:
        seen &= fails(execution.versions)
    price = np.where(problem.askable, costs.ask_price, np.inf)[unknown]
    solved = gates.plan_gates(
        gates.GateProblem(
            chances=tuple(belief.confidences[unknown].tolist()),
            prices=tuple(price.tolist()),
            times=tuple(costs.ask_time[unknown].tolist()),
            fails=fails(belief.versions).tobytes(),
            seen=seen.tobytes(),
            act_price=costs.act_price,
            act_time=costs.act_time,
            rate=costs.time_price,
            time_left=costs.time_left,
        )
    )
    ask = np.full(len(belief.graph), np.nan)
    ask[unknown] = solved.ask
    return problem.values(solved.act, ask, "gates", exact=True)


def _decision(belief: Belief, values: Values) -> Decision:
    names = belief.graph.names
    weighed = np.flatnonzero(~np.isnan(values.ask))
    alternatives = [Alternative(Action.ASK, names[module], float(values.ask[module])) for module in weighed]
    alternatives.append(Alternative(Action.YIELD, None, values.give_up))
    if math.isfinite(values.act):
        alternatives.append(Alternative(Action.ACT, None, values.act))
    # Rounding keeps ties in their order: a stable sort then leaves upstream modules first on every machine.
    ranked = tuple(sorted(alternatives, key=lambda alternative: round(alternative.value, 9)))
    nearest = next((alternative.module for alternative in ranked if alternative.action is Action.ASK), None)
    best_ask = float(np.nanmin(values.ask)) if len(weighed) else math.inf
    may_work = values.success > NEGLIGIBLE or values.act < values.give_up - TIE
    if values.act <= min(best_ask, values.give_up) + TIE and may_work:
        reason = f"Acting succeeds with probability {values.success:.3g}; " + _compared(values.act, ranked, Action.ACT)
        return Decision(action=Action.ACT, module=nearest, reason=reason, alternatives=ranked)
    if best_ask < values.give_up - TIE:
        module = int(weighed[values.ask[weighed] <= best_ask + TIE][0])
        failures = belief.progress.failures
        seen = f" after {failures} failed {'try' if failures == 1 else 'tries'}" if failures else ""
        again = " again" if belief.answered[module] else ""
        reason = f"'{names[module]}' is wrong with probability {values.wrong[module]:.3g}{seen}; " + _compared(
            float(values.ask[module]), ranked, Action.ASK, f"asking about it{again}"
        )
        return Decision(action=Action.ASK, module=names[module], reason=reason, alternatives=ranked)
    why = "no question is worth its cost any more"
    if not len(weighed):
        why = "every module has been asked about" if belief.answered.all() else "no question can be asked that helps"
    if belief.is_stuck:
        why += " and acting again cannot succeed"
    return Decision(action=Action.YIELD, module=nearest, reason=f"Giving up: {why}.", alternatives=ranked)


def _compared(value: float, ranked: tuple[Alternative, ...], action: Action, what: str = "acting") -> str:
    """Return the chosen step's expected cost beside that of the best step of another kind, in words."""
    rival = next((alternative for alternative in ranked if alternative.action is not action), None)
    if rival is None:
        return f"{what} costs {value:.3g} in all."
    words = {Action.ACT: "acting", Action.YIELD: "giving up"}.get(rival.action, f"asking about '{rival.module}'")
    return f"{what} now costs {value:.3g} in all, {words} {rival.value:.3g}."
