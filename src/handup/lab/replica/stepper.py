"""Replica of the reference code, one episode at a time in plain Python; the batch simulator must agree with it.

Read this file to know what the reference code does; `batch.py` does the same for thousands of episodes at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from handup.core import objective_of
from handup.lab.cell import Cell, Structure
from handup.lab.episodes import Episodes
from handup.lab.replica import ReplicaRules
from handup.lab.world import STATE, EpisodeBlock, blocks
from handup.policy import Gate
from handup.what.base import TIE
from handup.what.sets import LEAST


class ReplicaEpisode:
    """One episode of the replica.

    Args:
        cell: The settings.
        block: Episodes of the cell.
        number: Number of the episode in the block.

    Attributes:
        order: All nodes except the state, in topological order.
        told: Answers that stand in for outputs.
    """

    def __init__(self, cell: Cell, block: EpisodeBlock, number: int) -> None:
        assert block.wiring is not None
        place = block.wiring.pick(np.array([number])).positions()[:, 0]
        self.cell, self.rules, self.gates = cell, ReplicaRules.of(cell), block.wiring.gates
        self.inputs = [np.flatnonzero(row).tolist() for row in block.wiring.unpacked_inputs(number)]
        self.order = [int(node) for node in np.argsort(place) if node != STATE]
        self.confidences: list[float] = block.confidences[:, number].tolist()
        self.query_costs: list[float] = block.query_costs[:, number].tolist()
        self.works: list[bool] = block.works[:, number].tolist()
        self.luck: list[float] = block.luck[:, number].tolist()
        self.told: dict[int, bool] = {}
        self.acts = self.questions = self.asks_since_act = 0
        self.load, self.recovered = 0.0, False

    def run(self) -> None:
        """Run the episode to its end."""
        for step in range(self.cell.horizon):
            module = self.next_question()
            if module is None:
                self.acts += 1
                self.asks_since_act = 0
                if self.outputs()[-1]:
                    self.recovered = True
                    return
            else:
                self.ask(module, is_true=self.luck[step] < self.cell.expert)

    def outputs(self) -> list[bool]:
        """Return the present output of each node: an answer that stands in for it, or its gate if it works."""
        found: list[bool] = []
        for node in range(len(self.inputs)):
            says = self.works[node] and self.gate(node, found)
            found.append(self.told.get(node, says))
        return found

    def gate(self, node: int, outputs: list[bool]) -> bool:
        """Return the gate of a node, applied to the outputs of its inputs."""
        taken = [outputs[source] for source in self.inputs[node]]
        if not taken:
            return True
        return all(taken) if self.gates[node] is Gate.AND else any(taken)

    def ask(self, module: int, *, is_true: bool) -> None:
        """Note an answer: the module's gate on its current inputs, or the opposite. A second one removes the first."""
        self.load += self.query_costs[module]
        self.questions += 1
        self.asks_since_act += 1
        was_told = module in self.told
        answer = self.gate(module, self.outputs()) == is_true
        for node in [*self.downstream(module), module]:
            self.told.pop(node, None)
        if not was_told:
            self.told[module] = answer

    def downstream(self, module: int) -> list[int]:
        """Return the nodes that a module feeds, directly or through others."""
        reached = {module}
        for node in range(module + 1, len(self.inputs)):
            if reached & set(self.inputs[node]):
                reached.add(node)
        return sorted(reached - {module})

    def confidence(self, node: int) -> float:
        """Return the confidence now: the expert's where an answer stands in."""
        return self.cell.expert if node in self.told else self.confidences[node]

    def next_question(self) -> int | None:
        """Return the module to ask about, or None to act."""
        rules = self.rules
        when = rules.when
        if when == "execute-first" and (self.acts == 0 or self.asks_since_act):
            return None
        if when == "query-then-execute" and self.asks_since_act:
            return None
        if when == "until-confident" and self.asks_since_act and self.summed_cost() < 1.0 - rules.tau:
            return None
        module = self.select()
        if when == "workload-aware" and module is not None:
            gain = self.cell.expert - self.confidence(module)
            if gain < rules.lambda_ * self.query_costs[module] - TIE:
                return None
        return module

    def summed_cost(self) -> float:
        """Return the sum that until-confident compares; only pure structures fill it."""
        confidences = [self.confidence(node) for node in self.order]
        if self.cell.structure in (Structure.AND, Structure.CHAIN):
            return 1.0 - math.prod(confidences)
        if self.cell.structure is Structure.OR:
            return sum(1.0 - confidence for confidence in confidences)
        return 0.0

    def select(self) -> int | None:
        """Return the module that the selector chooses, or None."""
        unasked = [node for node in self.order if node not in self.told]
        match self.rules.what:
            case "topo":
                return unasked[0] if unasked else None
            case "confidence":
                return first_least({node: self.confidence(node) for node in self.order})
            case "brute-force":
                return first_least({node: self.value(node, self.cell.expert) for node in self.order})
            case "binary-tree":
                return first_least({node: self.value(node, 1.0) for node in unasked}) if unasked else None
            case "graph":
                return self.select_by_graph(unasked)
            case _:
                return None

    def value(self, module: int, if_asked: float) -> float:
        """Return the cost of a question plus the product objective if this question alone is asked."""
        logs = [math.log(max(self.confidence(node), LEAST)) for node in self.order if node != module]
        return self.query_costs[module] + 1.0 - max(if_asked, LEAST) * math.exp(math.fsum(logs))

    def select_by_graph(self, unasked: list[int]) -> int | None:
        """Return the first of the modules worth a question, answered or not, and of the least bad un-asked one."""
        if not unasked:
            return None
        penalty = {
            node: self.rules.epsilon * self.query_costs[node] - (1.0 - self.confidence(node)) for node in self.order
        }
        candidates = {node for node in self.order if penalty[node] < -TIE}
        candidates.add(first_least({node: penalty[node] for node in unasked}))
        return next(node for node in self.order if node in candidates)


def first_least(values: dict[int, float]) -> int:
    """Return the key of the smallest value, of equals the first."""
    least = min(values.values())
    return next(node for node, value in values.items() if value <= least + TIE)


def episodes_of(cell: Cell) -> Iterator[ReplicaEpisode]:
    """Yield the episodes of a cell, not run yet."""
    return (ReplicaEpisode(cell, block, number) for block in blocks(cell) for number in range(len(block)))


def step_through(cell: Cell) -> Episodes:
    """Run the episodes of a cell one by one, and return them together."""
    lived = list(episodes_of(cell))
    for episode in lived:
        episode.run()
    recovered, load, questions, acts = (
        np.array([getattr(episode, name) for episode in lived]) for name in ("recovered", "load", "questions", "acts")
    )
    return Episodes(recovered, load, questions, acts, objective_of(cell.w, load, questions + acts - recovered))
