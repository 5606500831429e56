"""What troubleshoot is worth, how far it is from the optimum where it is not exact, and how long a decision takes.

Everything here is computed on synthetic policies whose confidences are taken as true; averages are exact (every
state, answer and outcome followed), not simulated. Run it with `python -m benchmarks.troubleshoot`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from handup.core import Costs
from handup.lab.bench.decisions import decide_afresh, gates
from handup.lab.bench.harness import median_us
from handup.lab.evaluation import Evaluation
from handup.policy import Belief, Module, ModuleGraph
from handup.when import Troubleshoot, methods, strategy
from handup.when.troubleshoot import Planner
from tests.oracles.pomdp import Pomdp

SETTINGS = ((0.9, 0.2, 0.32), (0.8, 0.3, 0.32), (0.7, 0.4, 0.32), (0.9, 0.2, 0.08), (1.0, 0.1, 0.32))
LOW = (1, 4, 7)
err = Console(stderr=True)


def chain_of_nine(high: float, low: float, query_cost: float) -> ModuleGraph:
    """Nine modules in a row, three of them of low confidence."""
    return ModuleGraph.chain(Module(f"m{index}", low if index in LOW else high, query_cost) for index in range(9))


def mixed_chain(modules: int, random: np.random.Generator) -> ModuleGraph:
    """A chain in which every confidence and cost differs."""
    return ModuleGraph.chain(
        Module(f"m{index}", float(random.uniform(0.1, 0.99)), float(random.uniform(0.1, 0.5)))
        for index in range(modules)
    )


def mixed_gates(modules: int, random: np.random.Generator) -> ModuleGraph:
    """A random mix of and-gates and or-gates."""
    return gates(modules, int(random.integers(1 << 31)))


def worth() -> Table:
    """Mean J on chains of nine, beside the paper's algorithms."""
    table = Table(title="Mean J on a chain of 9, 3 low, w = 0.5, true expert (exact averages)")
    for column in ("high, low, q", "graph+workload-aware", "best of the paper's", "which", "troubleshoot", "recovers"):
        table.add_column(column)
    for high, low, query_cost in track(SETTINGS, "chains of nine", console=err, transient=True):
        graph = chain_of_nine(high, low, query_cost)
        pairs = [name for name in methods() if "+" in name and not name.startswith(("mip", "hybrid", "never"))]
        found = {name: Evaluation(strategy=strategy(name), graph=graph).run() for name in pairs}
        best = min(found, key=lambda name: found[name].objective)
        ours = Evaluation(strategy=Troubleshoot(), graph=graph).run()
        table.add_row(
            f"{high:g}, {low:g}, {query_cost:g}",
            f"{found['graph+workload-aware'].objective:.3f}",
            f"{found[best].objective:.3f}",
            best,
            f"{ours.objective:.3f}",
            f"{ours.recovered:.1%}",
        )
    return table


def gaps(seed: int, instances: int) -> Table:
    """The planners that are not exact, against those that are and, where the expert errs, against brute force."""
    table = Table(title=f"Expected J over the optimum, {instances} policies each, seed {seed}")
    for column in ("policies", "expert", "planner", "mean", "worst"):
        table.add_column(column)
    for name, expert, planner, make in (
        ("chains of 9, all different", 1.0, Planner.ORDERED, partial(mixed_chain, 9)),
        ("chains of 9, all different", 1.0, Planner.LOOK_AHEAD, partial(mixed_chain, 9)),
        ("gates of 8", 1.0, Planner.LOOK_AHEAD, partial(mixed_gates, 8)),
        ("chains of 4, all different", 0.8, Planner.BEST, partial(mixed_chain, 4)),
        ("chains of 4, all different", 0.6, Planner.BEST, partial(mixed_chain, 4)),
        ("gates of 4", 0.8, Planner.BEST, partial(mixed_gates, 4)),
        ("gates of 4", 0.6, Planner.BEST, partial(mixed_gates, 4)),
    ):
        random = np.random.default_rng(seed)
        ratios = []
        for _ in track(range(instances), f"{planner} on {name}", console=err, transient=True):
            graph = make(random)
            found = Evaluation(strategy=Troubleshoot(planner), graph=graph, expert=expert).run().objective
            ratios.append(found / max(optimum(graph, expert), 1e-9))
        used = {Planner.BEST: "erring" if "chain" in name else "look-ahead"}.get(planner, str(planner))
        table.add_row(name, f"{expert:g}", used, f"{np.mean(ratios):.4f}", f"{np.max(ratios):.4f}")
    return table


def optimum(graph: ModuleGraph, expert: float) -> float:
    """The least expected J: from the exact planner, or by brute force where the expert errs."""
    if expert >= 1.0:
        return Evaluation(strategy=Troubleshoot(), graph=graph).run().objective

    def succeeds(state: tuple[bool, ...]) -> bool:
        return bool(graph.circuit.evaluate(np.array(state, dtype=np.uint8)))

    chances, query = tuple(graph.confidences.tolist()), tuple(graph.query_costs.tolist())
    return Pomdp(chances, succeeds, query, expert=expert).optimum()


def speed(seed: int) -> Table:
    """Time per decision after one failure."""
    table = Table(title="One decision after a failure, milliseconds (median)")
    for column in ("policy", "expert 1", "expert 0.8"):
        table.add_column(column)
    for name, graph in _policies(seed):
        belief = Belief.of(graph).after_execution(False)
        times = []
        for expert in (1.0, 0.8):
            costs = Costs.of(graph.query_costs, expert=expert)
            times.append(median_us(partial(decide_afresh, Troubleshoot(), belief, costs)) / 1000)
        table.add_row(name, *(f"{each:.1f}" for each in times))
    return table


def _policies(seed: int) -> Iterator[tuple[str, ModuleGraph]]:
    random = np.random.default_rng(seed)
    yield "chain of 9, two kinds", chain_of_nine(0.9, 0.2, 0.32)
    yield "chain of 12, all different", mixed_chain(12, random)
    yield (
        "chain of 100, two kinds",
        ModuleGraph.chain(Module(f"m{index}", 0.2 if index % 33 == 5 else 0.9, 0.32) for index in range(100)),
    )
    yield "chain of 100, all different", mixed_chain(100, random)
    yield "gates of 8", gates(8, seed)
    yield "gates of 30", gates(30, seed)
    yield "gates of 100", gates(100, seed)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--instances", type=int, default=20)
    options = parser.parse_args()
    console = Console(width=120)
    console.print(worth())
    console.print(gaps(options.seed, options.instances))
    console.print(speed(options.seed))


if __name__ == "__main__":
    main()
