"""Settings: what is taken, what is refused and with which advice, and how a result is named."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from handup.core import BadSetting, Costs, HandupError
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
    assert list(KEYS) == CONTRACT


OTHERS: dict[str, Any] = {
    "modules": 7,
    "structure": Structure.OR_THEN_AND,
    "confidences": (0.8, 0.3),
    "low": 2,
    "query_cost": 0.16,
    "beta": 0.4,
    "expert": 0.9,
    "method": "graph+execute-first",
    "world": WorldKind.REPLICA,
    "w": 0.25,
    "epsilon": 2.0,
    "lambda_": 0.5,
    "episodes": 17,
    "seed": 5,
}
"""Another value of every setting but τ, which this method does not have."""


def test_the_record_reads_back_whatever_is_set() -> None:
    assert Cell.from_text({}) == Cell()
    for cell in (Cell(**OTHERS | {"method": Cell().method}), Cell(method="topo+until-confident", tau=0.7)):
        texts = {key: str(value) for key, value in cell.to_json().items() if value is not None}
        texts["confidences"] = ", ".join(map(str, cell.to_json()["confidences"]))
        assert list(cell.to_json()) == CONTRACT
        read = Cell.from_text(texts)
        assert read == cell
        assert (type(read.structure), type(read.world)) == (Structure, WorldKind)


@pytest.mark.parametrize(
    ("given", "says", "advises"),
    [
        ({"moduls": "3"}, "no setting 'moduls'", ", ".join(CONTRACT)),
        ({"structure": "xor"}, "structure must .* got 'xor'", "and, or, and-then-or, or-then-and, chain"),
        ({"world": "real"}, "world must .* got 'real'", "default, replica"),
        ({"method": "graf+workload-aware"}, "no selector is called 'graf'", ", ".join(sorted(SELECTORS.names()))),
        ({"method": "graph+never"}, "no querying algorithm is called 'never'", ", ".join(WHENS.names())),
        ({"method": "graph"}, "half a method", "SELECTOR+WHEN"),
        ({"method": "guess"}, "no strategy is called 'guess'", "troubleshoot"),
        ({"method": "troubleshoot", "world": "replica"}, "the replica knows no method", ", ".join(REPLICA_SELECTORS)),
        ({"method": "hybrid+workload-aware", "world": "replica"}, "the replica knows no method", "execute-first"),
        ({"method": "mip+workload-aware", "world": "replica"}, "the replica knows no method", "binary-tree"),
        ({"modules": "ten"}, "modules must .* got 'ten'", "a whole number"),
        ({"modules": "2.5"}, "modules must .* got '2.5'", "a whole number"),
        ({"modules": "0"}, "modules must .* got 0", f"from 1 to {MAX_MODULES}"),
        ({"modules": "1", "low": "0", "world": "replica"}, "modules must .* got 1", f"from 2 to {MAX_MODULES}"),
        ({"modules": "1001"}, "modules must .* got 1001", f"from 1 to {MAX_MODULES}"),
        ({"low": "11"}, "low must .* got 11", "from 0 to 10"),
        ({"low": "-1"}, "low must .* got -1", "from 0 to 10"),
        ({"episodes": "0"}, "episodes must .* got 0", "from 1"),
        ({"seed": "-1"}, "seed must .* got -1", "from 0"),
        ({"confidences": "0.9"}, "confidences must .* got '0.9'", "two numbers such as 0.9,0.2"),
        ({"confidences": "0.9,0.2,0.1"}, "confidences must .* got", "two numbers such as 0.9,0.2"),
        ({"confidences": "1.2,0.2"}, "a confidence must .* got 1.2", "from 0 to 1"),
        ({"confidences": "1,-0.1"}, "a confidence must .* got -0.1", "from 0 to 1"),
        ({"query_cost": "cheap"}, "query_cost must .* got 'cheap'", "a number"),
        ({"query_cost": "nan"}, "query_cost must .* got nan", "a number"),
        ({"query_cost": "inf"}, "query_cost must .* got inf", "a number"),
        ({"query_cost": "-0.1"}, "query_cost must .* got -0.1", "from 0 to"),
        ({"beta": "1.1"}, "beta must .* got 1.1", "from 0 to 1"),
        ({"expert": "1.1"}, "expert must .* got 1.1", "from 0 to 1"),
        ({"w": "-0.5"}, "w must .* got -0.5", "from 0 to 1"),
        ({"epsilon": "-1"}, "epsilon must .* got -1", "from 0 to"),
        ({"lambda": "-1"}, "lambda must .* got -1", "from 0 to"),
        ({"method": "graph+until-confident", "tau": "1.5"}, "tau must .* got 1.5", "Give a probability"),
        ({"tau": "0.5"}, "has no setting 'tau'", "epsilon, lambda"),
        ({"method": "topo+workload-aware", "epsilon": "1"}, "has no setting 'epsilon'", "lambda"),
        ({"method": "troubleshoot", "lambda": "1"}, "has no setting 'lambda'", "It has:"),
        ({"method": "hybrid+workload-aware", "epsilon": "-1"}, "epsilon must .* got -1", "from 0 to"),
        ({"method": "graph+", "world": "replica"}, "the replica knows no method", "SELECTOR+WHEN"),
    ],
)
def test_bad_settings_are_refused_with_the_good_ones(given: dict[str, str], says: str, advises: str) -> None:
    with pytest.raises(HandupError) as refused:
        Cell.from_text(given)
    assert re.search(says, refused.value.cause)
    assert advises in refused.value.hint


NAN = float("nan")


@pytest.mark.parametrize(
    "wrong",
    [
        *({"query_cost": NAN}, {"w": NAN}, {"modules": True}, {"episodes": 10.0}, {"structure": "xor"}, {"w": True}),
        *({"confidences": (0.9,)}, {"confidences": 0.9}, {"query_cost": "x"}, {"method": 3}, {"epsilon": "x"}),
    ],
)
def test_wrong_values_and_types_are_refused_when_built_in_python_too(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match=next(iter(wrong)).rstrip("s")):
        Cell(**wrong)


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


def test_the_replica_counts_the_state_among_its_modules() -> None:
    """There are no more low modules than can be asked about."""
    own, replica = (Cell(modules=3, world=world) for world in WorldKind)
    assert (own.horizon, own.askable, own.lows) == (6, 3, 3)
    assert (replica.horizon, replica.askable, replica.lows) == (6, 2, 2)
    assert Cell(modules=10).lows == 3


def test_every_setting_is_part_of_the_name() -> None:
    made = [Cell(), *(Cell(**{key: value}) for key, value in OTHERS.items())]
    until = "graph+until-confident"
    made += [Cell(method=until), Cell(method=until, tau=0.5), Cell(confidences=(1.0, 0.2))]
    assert len({cell.config for cell in made}) == len(made)


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


def test_equal_cells_have_one_name_however_their_numbers_are_written() -> None:
    given = Cell(confidences=[1, 0.1], query_cost=np.float64(0.32), beta=0, w=0.5, expert=1)  # type: ignore[arg-type]
    assert given == Cell()
    assert hash(given) == hash(Cell())
    assert given.config == Cell().config
