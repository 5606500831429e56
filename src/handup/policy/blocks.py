"""Maximal blocks of modules that are all needed (and) or stand in for each other (or)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from handup.policy.graph import ModuleGraph
from handup.policy.module import Gate


@dataclass(frozen=True)
class Block:
    """Modules of one kind that hang together, upstream first."""

    gate: Gate
    members: tuple[int, ...]


@lru_cache(maxsize=64)
def blocks_of(graph: ModuleGraph) -> tuple[Block, ...]:
    """Every module in exactly one block, the block of the upstream-most module first.

    A module stands in an or-block when everything that takes its output is an or-gate over several inputs, together
    with the other inputs of that gate; all others stand in and-blocks, together with their and-neighbours.
    """
    or_groups, and_groups = list(_or_groups(graph)), list(_and_groups(graph))
    needed = {module for group in and_groups for module in group.inputs}
    redundant = {module for group in or_groups for module in group.inputs} - needed
    parent = list(range(len(graph)))
    for group in or_groups:
        _join(parent, [module for module in group.inputs if module in redundant])
    for group in and_groups:
        _join(parent, [module for module in (*group.inputs, *group.taker) if module not in redundant])
    found: dict[int, list[int]] = {}
    for module in range(len(graph)):
        found.setdefault(_root(parent, module), []).append(module)
    return tuple(Block(Gate.OR if members[0] in redundant else Gate.AND, tuple(members)) for members in found.values())


@dataclass(frozen=True)
class _Group:
    """The modules that one gate takes, and the module whose gate it is, where it has one."""

    inputs: tuple[int, ...]
    taker: tuple[int, ...] = ()


def _or_groups(graph: ModuleGraph) -> Iterable[_Group]:
    """The modules that directly feed one or-gate of several inputs."""
    if graph.success is not None:
        for gate, children in graph.circuit.gates:
            if gate is Gate.OR:
                yield _Group(tuple(child for child in children if child < len(graph)))
    else:
        for module in graph.modules:
            if module.gate is Gate.OR and len(module.inputs) > 1:
                yield _Group(tuple(graph.index(name) for name in module.inputs))


def _and_groups(graph: ModuleGraph) -> Iterable[_Group]:
    """The modules that one and-gate joins, directly or through and-gates below it."""
    if graph.success is not None:
        leaves: list[tuple[int, ...]] = [(leaf,) for leaf in range(len(graph))]
        for gate, children in graph.circuit.gates:
            joined = tuple(leaf for child in children for leaf in leaves[child])
            leaves.append(joined if gate is Gate.AND else ())
            if gate is Gate.AND:
                yield _Group(joined)
    else:
        for position, module in enumerate(graph.modules):
            if module.gate is Gate.AND or len(module.inputs) < 2:
                yield _Group(tuple(graph.index(name) for name in module.inputs), (position,))


def _root(parent: list[int], node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


def _join(parent: list[int], nodes: list[int]) -> None:
    for node in nodes[1:]:
        first, second = sorted((_root(parent, nodes[0]), _root(parent, node)))
        parent[second] = first
