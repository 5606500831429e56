"""Distance of a decision from flipping: the nearest numbers at which it would be another one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np

from handup.core import Action, Costs, Decision, HandupError
from handup.policy import Belief
from handup.when.base import Strategy

GRID = 12
BISECTIONS = 40
COARSE_BISECTIONS = 20
MANY = 30
"""Most modules for which a change is pinned down to the last digit; beyond, to some six digits."""
FAR = 1e6


@dataclass(frozen=True)
class Flips:
    """The nearest values at which another decision would be made, all else equal; None: at no value.

    Args:
        module: The module whose cost and confidence are varied: the one asked about, or the nearest to it.
        query_cost: Of that module.
        confidence: Of that module, before the answers and failures so far.
        w: The weight of load against time.
        parameters: The strategy's own numbers: `epsilon`, `lambda`, `tau`. Where a pair would ask the same at any ε
            because `graph` falls back on the least bad module, ε is where the module stops being worth its question
            (the paper's critical value).
    """

    module: str | None
    query_cost: float | None
    confidence: float | None
    w: float | None
    parameters: dict[str, float | None]

    def to_json(self) -> dict[str, float | str | None]:
        """Return a flat record."""
        record = asdict(self)
        parameters = record.pop("parameters")
        return {**record, **parameters}


def flips_at(strategy: Strategy, belief: Belief, costs: Costs, now_s: float, decision: Decision) -> Flips:
    """Vary one number at a time and return where the decision changes.

    Each number is tried on a grid outwards from where it is and the change pinned down by bisection, on policies of
    up to `MANY` modules to the last digit, so that closed forms (appendix B's critical values) come out exactly. A
    change back within one grid step can be missed. It takes some two hundred decisions.
    """
    bisections = BISECTIONS if len(belief.graph) <= MANY else COARSE_BISECTIONS

    def differs(belief: Belief, costs: Costs, strategy: Strategy = strategy) -> bool:
        try:
            return not strategy.decide(belief, costs, now_s).same_choice(decision)
        except HandupError:
            return False

    if differs(belief, costs):  # the strategy did not make this decision: a person did, or the end of the time
        return Flips(decision.module, None, None, None, dict.fromkeys(strategy.parameters(costs)))
    query_cost = confidence = None
    if decision.module is not None:
        module = belief.graph.index(decision.module)

        def with_cost(value: float) -> bool:
            query = costs.query.copy()
            query[module] = value
            return differs(belief, replace(costs, query=query))

        query_cost = _nearest(with_cost, float(costs.query[module]), 0.0, FAR, bisections)
        if not belief.answered[module]:
            confidence = _nearest(
                lambda value: differs(belief.with_own(module, value), costs),
                float(belief.confidences[module]),
                0.0,
                1.0,
                bisections,
            )
    parameters = {
        name: _nearest(
            lambda value, name=name: differs(belief, costs, strategy.with_parameter(name, value)),  # type: ignore[misc]
            start,
            0.0,
            1.0 if name in ("tau", "floor") else FAR,
            bisections,
        )
        for name, start in strategy.parameters(costs).items()
    }
    # 'graph' asks about its least bad module at any ε, so its decision has no flip: report the critical value instead.
    if decision.action is Action.ASK and decision.module and parameters.get("epsilon", 0.0) is None:
        module = belief.graph.index(decision.module)
        gain, query = float(costs.expert[module] - belief.confidences[module]), float(costs.query[module])
        parameters["epsilon"] = max(gain, 0.0) / query if query > 0.0 else None
    w = _nearest(lambda value: differs(belief, replace(costs, w=value)), costs.w, 0.0, 1.0, bisections)
    return Flips(decision.module, query_cost, confidence, w, parameters)


def _nearest(differs: Callable[[float], bool], start: float, low: float, high: float, bisections: int) -> float | None:
    """Return the value nearest to `start` at which the decision becomes another one."""
    flips = [flip for end in (low, high) if (flip := _towards(differs, start, end, bisections)) is not None]
    return min(flips, key=lambda flip: abs(flip - start), default=None)


def _towards(differs: Callable[[float], bool], start: float, end: float, bisections: int) -> float | None:
    if start == end:
        return None
    span = end - start
    reach = np.linspace(0.0, 1.0, GRID + 1)[1:] if abs(span) <= 1.0 else np.geomspace(1e-3 / abs(span), 1.0, GRID)
    same = start
    for value in start + span * reach:
        if not differs(float(value)):
            same = float(value)
            continue
        changed = float(value)
        for _ in range(bisections):
            middle = 0.5 * (same + changed)
            if middle in (same, changed):  # neighbouring floats: nothing lies between them
                break
            same, changed = (same, middle) if differs(middle) else (middle, changed)
        return float(f"{changed:.12g}")
    return None
