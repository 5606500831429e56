"""The paper's selectors, and the joint decision, written down literally.

`handup bench decisions` prints their times beside ours, and the tests hold ours to their answers. They are slow on
purpose: networkx Dijkstra on the drawn graphs, one reliability at a time, all 2^N states, a loop over every pair of
options. Use the selectors in `handup.what` and the strategies in `handup.when` for deciding.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import Costs, MissingExtra, Option
from handup.policy import Belief, ModuleGraph
from handup.what.base import TIE, Situation, first_best

START, END = "start", "end"


def first_open(situation: Situation) -> int | None:
    """TopoQuery: walk along the modules until one is open."""
    return next((module for module, is_open in enumerate(situation.open.tolist()) if is_open), None)


def lowest(situation: Situation) -> int | None:
    """ConfidenceQuery: walk along the modules and keep the least confident open one."""
    best: int | None = None
    confidences = situation.belief.confidences.tolist()
    for module, is_open in enumerate(situation.open.tolist()):
        if is_open and (best is None or confidences[module] < confidences[best]):
            best = module
    return best


def layered_graph_dijkstra(situation: Situation, epsilon: float) -> int | None:
    """The paper's GraphQuery (section 4.3) on its layered graph; ε weighs questions against uncertainty.

    Each module has a success vertex, which a question leads to at a cost of ε·q + (1 - c_e), and a failure vertex,
    which acting without one risks at a cost of 1 - c. Modules that are not open have no question. Where the shortest
    path asks nothing, the open module of least penalty ε·q - (c_e - c) is meant. A question must be shorter by more
    than `TIE`.

    Raises:
        MissingExtra: networkx is not installed.
    """
    networkx = _networkx()
    query, expert, confidences = situation.costs.query, situation.costs.expert, situation.belief.confidences
    layered = networkx.DiGraph()
    reached: list[object] = [START]
    for module in range(len(confidences)):
        success, failure = (module, "success"), (module, "failure")
        for vertex in reached:
            layered.add_edge(vertex, failure, weight=1.0 - confidences[module])
            if situation.open[module]:
                # TIE is no part of the paper: it keeps rounding from deciding between equally long paths.
                layered.add_edge(vertex, success, weight=epsilon * query[module] + (1.0 - expert[module]) + TIE)
        reached = [success, failure] if situation.open[module] else [failure]
    for vertex in reached:
        layered.add_edge(vertex, END, weight=0.0)
    path = networkx.dijkstra_path(layered, START, END)
    for module, state in path[1:-1]:
        if state == "success":
            return int(module)
    return first_best(epsilon * query - (expert - confidences), situation.open)


def full_tree_dijkstra(situation: Situation) -> int | None:
    """The paper's BinaryTreeQuery (section 4.2) on its full tree.

    A vertex is what was decided about the modules so far. With x the chance that each decision leaves a module with
    (c_e asked, c not), its edge costs (1-w)(1-x) times the product of the earlier ones, plus w·q for a question. The
    costs of a path from the root to a leaf then add up to Eq. 2, for any c_e; with c_e = 1 they are the paper's. Which
    of equally short paths is taken is networkx's choice.

    Raises:
        MissingExtra: networkx is not installed.
    """
    networkx = _networkx()
    costs, confidences = situation.costs, situation.belief.confidences
    tree = networkx.DiGraph()
    level: dict[tuple[bool, ...], float] = {(): 1.0}
    for module in range(len(confidences)):
        below: dict[tuple[bool, ...], float] = {}
        for vertex, right_so_far in level.items():
            for asked in (False, True) if situation.open[module] else (False,):
                chance = float(costs.expert[module] if asked else confidences[module])
                risk = (1.0 - costs.w) * (1.0 - chance) * right_so_far
                load = costs.w * float(costs.query[module]) if asked else 0.0
                tree.add_edge(vertex, (*vertex, asked), weight=load + risk)
                below[*vertex, asked] = right_so_far * chance
        level = below
    for leaf in level:
        tree.add_edge(leaf, END, weight=0.0)
    path = networkx.dijkstra_path(tree, (), END)
    leaf = path[-2]
    return leaf.index(True) if True in leaf else None


def one_by_one(situation: Situation) -> int | None:
    """The paper's Brute-Force (section 4.1): Eq. 4 for each question by a reliability evaluation of its own.

    Upstream first among equals; None where asking nothing is strictly better or no module is open.
    """
    successes = _successes(situation.belief.graph)
    values = np.full(len(situation.open), np.inf)
    for module in np.flatnonzero(situation.open):
        values[module] = _objective(situation, [int(module)], successes)
    best = first_best(values, situation.open)
    nothing = _objective(situation, [], successes)
    return None if best is None or nothing < values[best] - TIE else best


def best_question(belief: Belief, costs: Costs) -> tuple[float, Option]:
    """Return the question of least expected cost by the rule of `joint`, and that cost, in a loop over all pairs."""
    steps = []
    for option in costs.options:
        position = belief.graph.index(option.module or "")
        right, wrong = (belief.after_answer(position, changed=None, expert=known).reliability for known in (1.0, 0.0))
        solves = option.answers * (option.right * right + (1.0 - option.right) * wrong)
        steps.append((option, costs.price_of(option) + option.answers * (1.0 - option.right) * costs.harm, solves))
    success = belief.reliability
    act = (1.0 - success) * (costs.act_price + costs.yield_price)
    best = (math.inf, costs.options[0])
    for option, fixed, solves in steps:
        other = min(act, costs.yield_price)
        for rest, price, chance in steps:
            if (rest.module, rest.person) != (option.module, option.person):
                other = min(other, price + (1.0 - chance) * costs.yield_price)
        if fixed + (1.0 - solves) * other < best[0] - TIE:
            best = (fixed + (1.0 - solves) * other, option)
    return best


def _objective(situation: Situation, asked: list[int], successes: NDArray[np.bool_] | None) -> float:
    """Return Eq. 4 for a set of questions."""
    costs, chances = situation.costs, situation.belief.confidences.copy()
    chances[asked] = costs.expert[asked]
    if successes is None:
        reliability = float(math.prod(chances.tolist()))
    else:
        weights = np.ones(1)
        for chance in chances:
            weights = np.multiply.outer(weights, (1.0 - chance, chance)).ravel()
        reliability = float(weights[successes].sum())
    return costs.w * float(costs.query[asked].sum()) + (1.0 - costs.w) * (1.0 - reliability)


def _successes(graph: ModuleGraph) -> NDArray[np.bool_] | None:
    """Success in each of the 2^N states, the first module's state changing slowest; None: all must work."""
    if graph.is_series:
        return None
    numbers = np.arange(1 << len(graph))
    states = np.array([(numbers >> (len(graph) - 1 - module)) & 1 for module in range(len(graph))], dtype=np.uint8)
    return graph.circuit.evaluate(states).astype(np.bool_)


def _networkx() -> Any:
    try:
        import networkx  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        raise MissingExtra.of("lab", "A textbook formulation") from None
    return networkx
