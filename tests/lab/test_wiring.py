"""Random policies: drawn by the rules, ordered as networkx orders them, computed as plain Python computes them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product, starmap

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

from handup.lab.cell import Structure
from handup.lab.world import EDGE, Wiring, random_wiring
from handup.policy import Gate

SIZES = (1, 2, 3, 4, 5, 10, 16, 17, 32, 33, 64, 65, 100, 130)
"""Around the widths of words, and beyond one word."""
HALVES = (Structure.AND_THEN_OR, Structure.OR_THEN_AND)
EPISODES = 2


def wired(nodes: int, structure: Structure, episodes: int = EPISODES, seed: int = 0) -> Wiring:
    return random_wiring(nodes, structure, episodes, np.random.default_rng([seed, nodes]))


def taken_by(wiring: Wiring, episode: int) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in wiring.unpacked_inputs(episode)]


def network(inputs: list[list[int]]) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(inputs)))
    graph.add_edges_from((taken, node) for node, row in enumerate(inputs) for taken in row)
    return graph


def everything() -> Iterator[tuple[Wiring, int, list[list[int]]]]:
    for nodes, structure in product(SIZES, Structure):
        wiring = wired(nodes, structure)
        for episode in range(EPISODES):
            yield wiring, episode, taken_by(wiring, episode)


def test_every_input_is_an_earlier_node_and_none_but_the_first_goes_without() -> None:
    for _, _, inputs in everything():
        assert inputs[0] == []
        assert all(row and max(row) < node for node, row in enumerate(inputs) if node)


def test_the_last_node_alone_feeds_nobody() -> None:
    for _, _, inputs in everything():
        graph = network(inputs)
        assert [node for node in graph if graph.out_degree(node) == 0] == [len(inputs) - 1]


def test_the_order_is_networkx_topological_sort() -> None:
    """Of large policies too, where the keys that are compared outgrow 16 bits."""
    for wiring in starmap(wired, (*product(SIZES, Structure), *product((180, 181, 300), (Structure.OR,)))):
        positions = wiring.positions()
        for episode in range(EPISODES):
            wanted = list(nx.topological_sort(network(taken_by(wiring, episode))))
            assert np.argsort(positions[:, episode]).tolist() == wanted


def test_the_order_is_not_just_the_nodes_own() -> None:
    """Otherwise the test above would say little."""
    positions = wired(10, Structure.OR, 200).positions()
    assert (positions != np.arange(10)[:, None]).any(axis=0).mean() > 0.2


def test_the_order_is_the_module_graphs_and_numbers_go_with_it() -> None:
    for wiring, episode, inputs in everything():
        nodes = len(inputs)
        confidences, costs = np.linspace(0.1, 0.9, nodes), np.linspace(1.0, 2.0, nodes)
        graph = wiring.graph(episode, confidences, costs)
        assert list(graph.names) == [f"m{node}" for node in np.argsort(wiring.positions()[:, episode])]
        assert graph.confidences.tolist() == confidences.tolist()
        assert graph.query_costs.tolist() == costs.tolist()
        for module in graph.modules:
            node = int(module.name[1:])
            assert module.inputs == tuple(f"m{each}" for each in inputs[node])
            assert module.gate is wiring.gates[node]


@pytest.mark.parametrize("structure", [Structure.AND, Structure.OR])
def test_an_earlier_node_is_an_input_with_probability_0_3_or_when_drawn_alone(structure: str) -> None:
    """P(input) of k earlier nodes is 0.3 + 0.7^k / k, for all but the last node, which takes what is left."""
    episodes, nodes = 20_000, 8
    wiring = wired(nodes, Structure(structure), episodes)
    for node in range(1, nodes - 1):
        share = wiring.unpacked(wiring.inputs[node])[:node].mean(axis=1)
        wanted = EDGE + (1 - EDGE) ** node / node
        error = (wanted * (1 - wanted) / episodes) ** 0.5
        assert np.abs(share - wanted).max() <= 4.5 * error, node
    assert EDGE == 0.3


def test_inputs_are_drawn_independently_of_each_other_and_of_other_episodes() -> None:
    episodes = 20_000
    wiring = wired(40, Structure.AND, episodes)
    taken = wiring.unpacked(wiring.inputs[38])[:38].astype(np.float64)
    assert taken.mean() == pytest.approx(0.3, abs=4.5 * (0.3 * 0.7 / taken.size) ** 0.5)
    correlation = np.asarray(np.corrcoef(taken))[np.triu_indices(38, 1)]
    assert np.abs(correlation).max() < 5 / episodes**0.5
    assert abs(np.asarray(np.corrcoef(taken[0, :-1], taken[0, 1:]))[0, 1]) < 5 / episodes**0.5


def test_a_lonely_node_draws_its_input_uniformly() -> None:
    """With one input of five, all five are alike."""
    inputs = wired(9, Structure.OR, 40_000)
    rows = inputs.unpacked(inputs.inputs[5])
    single = rows[:5, rows.sum(axis=0) == 1].sum(axis=1)
    assert np.abs(single - single.mean()).max() < 4.5 * single.mean() ** 0.5


@pytest.mark.parametrize("structure", HALVES)
@pytest.mark.parametrize("nodes", [4, 5, 6, 9, 10, 17, 40, 100])
def test_half_and_half_has_one_link_which_collects_the_open_top(nodes: int, structure: Structure) -> None:
    link = nodes // 2 - 1
    wiring = wired(nodes, structure, 20)
    for episode in range(20):
        inputs = taken_by(wiring, episode)
        above = {each for row in inputs[:link] for each in row}
        assert inputs[link] == [node for node in range(link) if node not in above]
        assert all(min(row) >= link for row in inputs[link + 1 :]), "nothing passes the link by"
        graph = network(inputs)
        assert all(nx.has_path(graph, node, link) for node in range(link))
        assert all(nx.has_path(graph, link, node) for node in range(link + 1, nodes))


@pytest.mark.parametrize(
    ("structure", "top", "bottom"),
    [
        (Structure.AND_THEN_OR, Gate.AND, Gate.OR),
        (Structure.OR_THEN_AND, Gate.OR, Gate.AND),
        (Structure.AND, Gate.AND, Gate.AND),
        (Structure.OR, Gate.OR, Gate.OR),
        (Structure.CHAIN, Gate.AND, Gate.AND),
    ],
)
def test_the_gates_of_the_halves(structure: Structure, top: Gate, bottom: Gate) -> None:
    """Nodes 1 to N/2 - 1 are the top; the first takes the state and needs no gate."""
    assert wired(10, structure).gates[1:] == (top,) * 4 + (bottom,) * 5
    assert wired(11, structure).gates[1:] == (top,) * 4 + (bottom,) * 6


def test_a_chain_is_a_chain() -> None:
    for nodes in SIZES:
        assert taken_by(wired(nodes, Structure.CHAIN, 1), 0) == [[], *([node] for node in range(nodes - 1))]


def random_truths(wiring: Wiring, chance: float, seed: int = 1) -> NDArray[np.bool_]:
    return np.random.default_rng([seed, wiring.nodes]).random((wiring.nodes, wiring.inputs.shape[2])) < chance


def test_sets_are_packed_and_unpacked() -> None:
    for nodes in SIZES:
        wiring = wired(nodes, Structure.OR)
        members = random_truths(wiring, 0.5)
        np.testing.assert_array_equal(wiring.unpacked(wiring.packed(members)), members)


@pytest.mark.parametrize("told_share", [0.0, 0.3])
@pytest.mark.parametrize("chance", [0.6, 0.95])
def test_outputs_are_those_of_plain_python(chance: float, told_share: float) -> None:
    """A told node says what was told, whatever its inputs say and whether it works; later nodes build on it."""
    for nodes, structure in product(SIZES, Structure):
        wiring = wired(nodes, structure, 10)
        works, told = random_truths(wiring, chance), random_truths(wiring, told_share, seed=2)
        said = told & random_truths(wiring, 0.5, seed=3)
        given = (works, told, said) if told_share else (works,)
        found = wiring.unpacked(wiring.outputs(*(wiring.packed(each) for each in given)))
        for episode in range(10):
            right: list[bool] = []
            for node, row in enumerate(taken_by(wiring, episode)):
                inputs = [right[each] for each in row]
                gate = all(inputs) if wiring.gates[node] is Gate.AND or not inputs else any(inputs)
                own = bool(works[node, episode]) and gate
                right.append(bool(said[node, episode]) if told[node, episode] else own)
            assert found[:, episode].tolist() == right


def test_downstream_is_everything_that_can_be_reached_but_the_start() -> None:
    for nodes, structure in product(SIZES, Structure):
        wiring = wired(nodes, structure)
        start = random_truths(wiring, 1.5 / nodes)
        found = wiring.unpacked(wiring.downstream(wiring.packed(start)))
        for episode in range(EPISODES):
            graph = network(taken_by(wiring, episode))
            begun = set(np.flatnonzero(start[:, episode]).tolist())
            reached = {each for node in begun for each in nx.descendants(graph, node)} - begun
            assert set(np.flatnonzero(found[:, episode]).tolist()) == reached


def test_picked_episodes_keep_their_inputs() -> None:
    wiring = wired(20, Structure.OR, 6)
    picked = wiring.pick(np.array([4, 1]))
    assert [taken_by(picked, 0), taken_by(picked, 1)] == [taken_by(wiring, 4), taken_by(wiring, 1)]
    assert picked.gates == wiring.gates
