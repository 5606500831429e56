"""`never`, `topo` and `confidence`."""

from hypothesis import given

from handup.lab.bench.decisions import first_open, lowest
from handup.what import Confidence, Never, Situation, Topo
from tests.make import chain_of, situation_of
from tests.strategies import situations


@given(situations())
def test_never_asks_nothing(situation: Situation) -> None:
    assert Never().select(situation).module is None


@given(situations())
def test_topo_asks_about_the_first_open_module(situation: Situation) -> None:
    assert Topo().select(situation).module == first_open(situation)


@given(situations())
def test_confidence_asks_about_the_least_confident_open_module(situation: Situation) -> None:
    found, expected = Confidence().select(situation).module, lowest(situation)
    if found is None or expected is None:
        assert found is expected is None
    else:
        assert situation.belief.confidences[found] <= situation.belief.confidences[expected] + 1e-12
        assert found <= expected


def test_confidence_does_not_look_at_costs() -> None:
    assert Confidence().select(situation_of(chain_of((0.5, 0.4), (0.0, 100.0)))).module == 1


def test_confidence_of_a_tie_takes_the_upstream_module() -> None:
    assert Confidence().select(situation_of(chain_of((0.9, 0.4 + 1e-13, 0.4)))).module == 1
