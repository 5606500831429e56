"""Methods by name, their settings, and those that outside packages bring."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action, BadSetting, Registry, UnknownMethod
from handup.policy import Belief
from handup.recover import Session
from handup.what import SELECTORS
from handup.when import DEFAULT, STRATEGIES, WHENS, Pair, Troubleshoot, methods, settings_in_force, strategy
from tests.make import chain_of
from tests.when.test_pairs import PAIRS

OUTSIDE = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from handup.core import Action, Decision
from handup.what import Selection
from handup.when import Choice

@dataclass(frozen=True)
class Last:
    name: ClassVar[str] = "last"
    skip: int = 0
    def select(self, situation):
        found = np.flatnonzero(situation.open)
        module = int(found[-1 - self.skip]) if len(found) > self.skip else None
        return Selection(module, "The last one.", np.full(len(situation.open), np.nan))

@dataclass(frozen=True)
class Always:
    name: ClassVar[str] = "always"
    def choose(self, situation, selector):
        selection = selector.select(situation)
        return Choice(selection.module is not None, "Always ask.", selection)

@dataclass(frozen=True)
class Optimist:
    name: ClassVar[str] = "optimist"
    def decide(self, belief, costs, now_s):
        return Decision(action=Action.ACT, reason="It will work.")
    def parameters(self, costs):
        return {}
    def with_parameter(self, name, value):
        return self
"""
ENTRY_POINTS = """
[handup.selectors]
last = handup_outside:Last
topo = handup_outside:Last

[handup.when]
always = handup_outside:Always

[handup.strategies]
optimist = handup_outside:Optimist
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that announces one selector, one querying algorithm and one strategy."""
    (tmp_path / "handup_outside.py").write_text(OUTSIDE)
    info = tmp_path / "handup_outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: handup-outside\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    registries: list[Registry[Any]] = [SELECTORS, WHENS, STRATEGIES]
    for registry in registries:
        monkeypatch.setattr(registry, "_makers", dict(registry._makers))
        monkeypatch.setattr(registry, "_outside_loaded", False)
    yield
    sys.modules.pop("handup_outside", None)


def test_troubleshoot_is_the_default() -> None:
    assert strategy() == strategy("troubleshoot") == Troubleshoot()
    assert DEFAULT == "troubleshoot"


@pytest.mark.parametrize("method", ["troubleshoot", *PAIRS])
def test_a_strategy_is_called_as_it_was_named(method: str) -> None:
    assert strategy(method).name == method
    assert method in methods()


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("troubleshot", r"no strategy is called 'troubleshot'\. Did you mean 'troubleshoot'\?"),
        ("grap+workload-aware", r"no selector is called 'grap'\. Did you mean 'graph'\?"),
        ("graph+workload", r"no querying algorithm is called 'workload'\. .*workload-aware"),
        ("graph+", "no querying algorithm is called ''"),
        ("+workload-aware", "no selector is called ''"),
        ("", "no strategy is called ''"),
        ("graph+topo+workload-aware", "no querying algorithm is called 'topo\\+workload-aware'"),
        ("GRAPH+workload-aware", "no selector is called 'GRAPH'"),
    ],
)
def test_an_unknown_method_is_refused_with_the_nearest_name(method: str, message: str) -> None:
    with pytest.raises(UnknownMethod, match=message):
        strategy(method)


@pytest.mark.parametrize("half", ["graph", "workload-aware", "never", "query-for-all"])
def test_half_a_method_is_refused_with_an_example_of_a_whole_one(half: str) -> None:
    with pytest.raises(UnknownMethod, match=rf"'{half}' is half a method\. Write SELECTOR\+WHEN"):
        strategy(half)


@pytest.mark.parametrize(
    ("method", "settings", "message"),
    [
        ("graph+workload-aware", {"tau": 0.5}, r"has no setting 'tau'\. It has: epsilon, lambda"),
        ("topo+execute-first", {"lambda_": 1.0}, r"has no setting 'lambda'\. It has: none"),
        ("troubleshoot", {"epsilon": 1.0}, r"'troubleshoot' has no setting 'epsilon'"),
        ("graph+workload-aware", {"lambda_": -1.0}, "lambda must be finite and at least 0, got -1"),
        ("graph+workload-aware", {"epsilon": float("nan")}, "epsilon must be finite and at least 0, got nan"),
        ("topo+until-confident", {"tau": 1.5}, "tau must lie between 0 and 1, got 1.5"),
    ],
)
def test_a_setting_that_is_not_there_or_out_of_range_is_refused(
    method: str, settings: dict[str, float], message: str
) -> None:
    with pytest.raises(BadSetting, match=message):
        strategy(method, **settings)


def test_settings_reach_the_part_that_has_them() -> None:
    made = strategy("graph+workload-aware", epsilon=2.0, lambda_=3.0)
    assert isinstance(made, Pair)
    assert settings_in_force(made) == {"epsilon": 2.0, "lambda_": 3.0}


@pytest.mark.parametrize("method", ["troubleshoot", *PAIRS])
def test_the_settings_in_force_make_the_same_strategy_again(method: str) -> None:
    made = strategy(method)
    assert strategy(made.name, **settings_in_force(made)) == made


@given(epsilon=st.floats(0.0, 1e6), lambda_=st.floats(0.0, 1e6))
def test_numbers_survive_the_round_trip(epsilon: float, lambda_: float) -> None:
    made = strategy("graph+workload-aware", epsilon=epsilon, lambda_=lambda_)
    assert strategy(made.name, **settings_in_force(made)) == made


@pytest.mark.usefixtures("outside")
def test_an_outside_selector_and_querying_algorithm_are_found_by_name() -> None:
    assert "last+always" in methods()
    session = Session(chain_of((0.5, 0.5)), strategy("last+always", skip=1))
    assert session.next(0.0).module == "m0"
    assert Session.from_json(session.to_json()).to_json() == session.to_json()


@pytest.mark.usefixtures("outside")
def test_an_outside_strategy_is_found_by_name() -> None:
    assert "optimist" in methods()
    session = Session(chain_of((0.5, 0.5)), "optimist")
    assert session.next(0.0).action is Action.ACT
    assert Session.from_json(session.to_json()).to_json() == session.to_json()


@pytest.mark.usefixtures("outside")
def test_an_outside_package_does_not_replace_handups_own() -> None:
    assert type(SELECTORS.make("topo", {})).__module__ == "handup.what.single"


def test_without_the_package_its_names_are_unknown() -> None:
    with pytest.raises(UnknownMethod, match="no strategy is called 'optimist'"):
        strategy("optimist")


def test_a_strategy_is_unchanged_by_deciding() -> None:
    made = strategy("graph+workload-aware")
    session = Session(chain_of((0.5, 0.5)), made)
    session.next(0.0)
    assert made == strategy("graph+workload-aware")
    assert Belief.of(session.graph).progress.asks == 0
