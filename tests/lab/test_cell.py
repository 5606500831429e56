"""Settings: what is taken, what is refused and with which advice, and how a result is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from handup.core import BadSetting, Costs, HandupError, UnknownMethod
from handup.lab.cell import KEYS, MAX_MODULES, REPLICA_SELECTORS, Cell, Structure, WorldKind
from handup.what import SELECTORS
from handup.when import WHENS, Pair, Troubleshoot, UntilConfident, WorkloadAware

CONTRACT = [
    *("modules", "structure", "confidences", "low", "query_cost", "beta", "expert", "method", "world", "w"),
    *("epsilon", "tau", "lambda", "episodes", "seed"),
]
"""The keys of `handup study cell --set`."""


def test_the_defaults_are_the_papers() -> None:
    cell = Cell()
    assert (cell.modules, cell.low, cell.confidences, cell.query_cost) == (10, 3, (1.0, 0.1), 0.32)
    assert (cell.structure, cell.expert, cell.beta, cell.w) == (Structure.AND, 1.0, 0.0, 0.5)
    assert (cell.method, cell.world) == ("graph+workload-aware", WorldKind.DEFAULT)


def test_the_keys_are_those_of_the_contract() -> None:
    assert list(KEYS) == CONTRACT


def test_every_key_can_be_set_by_text() -> None:
    texts = {
        "modules": "7",
        "structure": "or-then-and",
        "confidences": "0.8, 0.3",
        "low": "2",
        "query_cost": "0.16",
        "beta": "0.4",
        "expert": "0.9",
        "method": "graph+workload-aware",
        "world": "replica",
        "w": "0.25",
        "epsilon": "2",
        "lambda": "0.5",
        "episodes": "17",
        "seed": "5",
    }
    made = Cell.from_text(texts)
    assert made == Cell(
        modules=7,
        structure=Structure.OR_THEN_AND,
        confidences=(0.8, 0.3),
        low=2,
        query_cost=0.16,
        beta=0.4,
        expert=0.9,
        world=WorldKind.REPLICA,
        w=0.25,
        epsilon=2.0,
        lambda_=0.5,
        episodes=17,
        seed=5,
    )
    assert Cell.from_text({"method": "topo+until-confident", "tau": "0.7"}).tau == 0.7


def test_no_text_gives_the_defaults() -> None:
    assert Cell.from_text({}) == Cell()


def test_words_for_structure_and_world_become_their_kinds() -> None:
    cell = Cell.from_text({"structure": "chain", "world": "replica"})
    assert cell.structure is Structure.CHAIN
    assert cell.world is WorldKind.REPLICA


@pytest.mark.parametrize("structure", ["and", "or", "and-then-or", "or-then-and", "chain"])
def test_the_structures_of_the_contract_exist(structure: str) -> None:
    assert Cell.from_text({"structure": structure}).to_json()["structure"] == structure


@pytest.mark.parametrize(
    ("given", "says", "advises"),
    [
        ({"moduls": "3"}, "no setting 'moduls'", ", ".join(CONTRACT)),
        ({"structure": "xor"}, "structure is 'xor'", "and, or, and-then-or, or-then-and, chain"),
        ({"world": "real"}, "world is 'real'", "default, replica"),
        ({"method": "graf+workload-aware"}, "no selector is called 'graf'", ", ".join(SELECTORS.names())),
        ({"method": "graph+never"}, "no querying algorithm is called 'never'", ", ".join(WHENS.names())),
        ({"method": "graph"}, "half a method", "SELECTOR+WHEN"),
        ({"method": "guess"}, "no strategy is called 'guess'", "troubleshoot"),
        ({"method": "troubleshoot", "world": "replica"}, "the replica knows no method", ", ".join(REPLICA_SELECTORS)),
        ({"method": "hybrid+workload-aware", "world": "replica"}, "the replica knows no method", "execute-first"),
        ({"method": "mip+workload-aware", "world": "replica"}, "the replica knows no method", "binary-tree"),
        ({"modules": "ten"}, "modules is 'ten'", "a whole number"),
        ({"modules": "2.5"}, "modules is '2.5'", "a whole number"),
        ({"modules": "0"}, "modules is 0", f"from 1 to {MAX_MODULES}"),
        ({"modules": "1", "low": "0", "world": "replica"}, "modules is 1", f"from 2 to {MAX_MODULES}"),
        ({"modules": "1001"}, "modules is 1001", f"from 1 to {MAX_MODULES}"),
        ({"low": "11"}, "low is 11", "from 0 to 10"),
        ({"low": "-1"}, "low is -1", "from 0 to 10"),
        ({"episodes": "0"}, "episodes is 0", "from 1"),
        ({"seed": "-1"}, "seed is -1", "from 0"),
        ({"confidences": "0.9"}, "confidences is '0.9'", "two numbers such as 0.9,0.2"),
        ({"confidences": "0.9,0.2,0.1"}, "confidences is", "two numbers such as 0.9,0.2"),
        ({"confidences": "1.2,0.2"}, "a confidence is 1.2", "from 0 to 1"),
        ({"confidences": "1,-0.1"}, "a confidence is -0.1", "from 0 to 1"),
        ({"query_cost": "cheap"}, "query_cost is 'cheap'", "a number"),
        ({"query_cost": "nan"}, "query_cost is 'nan'", "a number"),
        ({"query_cost": "inf"}, "query_cost is 'inf'", "a number"),
        ({"query_cost": "-0.1"}, "query_cost is -0.1", "from 0 to"),
        ({"beta": "1.1"}, "beta is 1.1", "from 0 to 1"),
        ({"expert": "1.1"}, "expert is 1.1", "from 0 to 1"),
        ({"w": "-0.5"}, "w is -0.5", "from 0 to 1"),
        ({"epsilon": "-1"}, "epsilon is -1", "from 0 to"),
        ({"lambda": "-1"}, "lambda is -1", "from 0 to"),
        ({"method": "graph+until-confident", "tau": "1.5"}, "tau is 1.5", "from 0 to 1"),
        ({"tau": "0.5"}, "has no setting 'tau'", "epsilon, lambda"),
        ({"method": "topo+workload-aware", "epsilon": "1"}, "has no setting 'epsilon'", "lambda"),
        ({"method": "troubleshoot", "lambda": "1"}, "has no setting 'lambda'", "It has:"),
    ],
)
def test_bad_settings_are_refused_with_the_good_ones(given: dict[str, str], says: str, advises: str) -> None:
    with pytest.raises(HandupError) as refused:
        Cell.from_text(given)
    assert says in refused.value.cause
    assert advises in refused.value.hint


@pytest.mark.parametrize(
    ("key", "value"),
    [("query_cost", float("nan")), ("w", float("nan")), ("modules", True), ("episodes", 10.0), ("structure", "xor")],
)
def test_values_that_are_none_are_refused_when_built_in_python_too(key: str, value: Any) -> None:
    with pytest.raises(BadSetting, match=key):
        Cell(**{key: value})


def test_the_replica_refuses_a_half_and_an_unknown_when() -> None:
    for method in ("graph", "graph+", "graph+sometimes"):
        with pytest.raises(UnknownMethod, match=r"SELECTOR\+WHEN"):
            Cell(world=WorldKind.REPLICA, method=method)


@pytest.mark.parametrize("method", [f"{what}+{when}" for what in REPLICA_SELECTORS for when in WHENS.names()])
def test_the_replica_takes_every_pair_of_the_reference_code(method: str) -> None:
    assert Cell(world=WorldKind.REPLICA, method=method).method == method


def test_the_method_is_made_with_its_settings() -> None:
    pair = Cell(epsilon=2.0, lambda_=0.5).strategy
    assert isinstance(pair, Pair)
    assert pair.what.name == "graph"
    assert pair.when == WorkloadAware(0.5)
    assert pair.parameters(Costs.of([0.1])) == {"epsilon": 2.0, "lambda": 0.5}
    until = Cell(method="topo+until-confident", tau=0.7).strategy
    assert isinstance(until, Pair)
    assert until.when == UntilConfident(0.7)
    assert isinstance(Cell(method="troubleshoot").strategy, Troubleshoot)


def test_the_horizon_is_two_steps_per_module() -> None:
    assert Cell(modules=7).horizon == 14
    assert Cell(modules=7, world=WorldKind.REPLICA).horizon == 14


def test_the_replica_counts_the_state_among_its_modules() -> None:
    assert Cell(modules=7).askable == 7
    assert Cell(modules=7, world=WorldKind.REPLICA).askable == 6


def test_there_are_no_more_low_modules_than_can_be_asked_about() -> None:
    assert Cell(modules=3, low=3, world=WorldKind.REPLICA).lows == 2
    assert Cell(modules=3, low=3).lows == 3
    assert Cell(low=3).lows == 3


OTHERS: dict[str, Any] = {
    "modules": 11,
    "structure": Structure.OR,
    "confidences": (0.9, 0.1),
    "low": 2,
    "query_cost": 0.33,
    "beta": 0.1,
    "expert": 0.9,
    "method": "graph+execute-first",
    "world": WorldKind.REPLICA,
    "w": 0.4,
    "epsilon": 1.0,
    "lambda_": 1.0,
    "episodes": 999,
    "seed": 1,
}


def test_every_setting_is_part_of_the_name() -> None:
    made = [Cell(), *(Cell(**{key: value}) for key, value in OTHERS.items())]
    until = "graph+until-confident"
    made += [Cell(method=until), Cell(method=until, tau=0.5), Cell(confidences=(1.0, 0.2))]
    assert len({cell.config for cell in made}) == len(made)


def test_the_same_settings_have_the_same_name() -> None:
    assert Cell(seed=3).config == Cell.from_text({"seed": "3", "confidences": "1,0.1"}).config


def test_the_name_depends_on_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Cell().config
    monkeypatch.setattr("handup.lab.cell.SCHEMA", 999)
    assert Cell().config != before


def test_with_method_changes_nothing_else() -> None:
    cell = Cell(modules=5, seed=4, beta=0.2)
    other = cell.with_method("troubleshoot")
    assert other.method == "troubleshoot"
    assert isinstance(other.strategy, Troubleshoot)
    assert other.with_method(cell.method) == cell


def test_the_record_reads_back() -> None:
    cell = Cell(modules=5, structure=Structure.OR, confidences=(0.9, 0.2), lambda_=2.0, world=WorldKind.REPLICA)
    texts = {key: str(value) for key, value in cell.to_json().items() if value is not None}
    texts["confidences"] = ",".join(map(str, cell.to_json()["confidences"]))
    assert list(cell.to_json()) == CONTRACT
    assert Cell.from_text(texts) == cell


def test_equal_cells_have_one_name_however_their_numbers_are_written() -> None:
    given = Cell(confidences=[1, 0.1], query_cost=np.float64(0.32), beta=0, w=0.5, expert=1)  # type: ignore[arg-type]
    assert given == Cell()
    assert hash(given) == hash(Cell())
    assert given.config == Cell().config


@pytest.mark.parametrize(
    "wrong",
    [{"confidences": (0.9,)}, {"confidences": 0.9}, {"query_cost": "x"}, {"method": 3}, {"epsilon": "x"}, {"w": True}],
)
def test_wrong_types_are_refused_like_wrong_numbers(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadSetting):
        Cell(**wrong)


def test_hybrid_checks_its_weight_too() -> None:
    with pytest.raises(BadSetting):
        Cell(method="hybrid+workload-aware", epsilon=-1.0)


def test_a_policy_of_two_modules_has_two_low_ones() -> None:
    assert Cell(modules=2).lows == 2
    assert Cell(modules=3, world=WorldKind.REPLICA).lows == 2
