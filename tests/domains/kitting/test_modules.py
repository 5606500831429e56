"""Modules: their confidences are as honest as the robot can be, and their questions can be put."""

from __future__ import annotations

import pytest

from handup.domains.kitting import CAUSES, KittingWorld, rates
from handup.domains.kitting.actions import KINDS
from handup.domains.kitting.causes import ASKED, BEHIND, GRAPHS, REMEDIED, DrawnChance, chance, confidence
from handup.domains.kitting.hall_state import HallState
from handup.domains.kitting.rates import Rates
from handup.executive.failure import Failure, FailureLevel


def scored(seed: int, numbers: Rates) -> tuple[float, bool]:
    """What is thought of a module whose cause came up as often as the rates say, and whether it is right."""
    wrong = chance(seed, "wrong") < numbers.causes["misaligned_gear"].rate
    turn = DrawnChance(HallState(seed=seed), numbers, "realign", {})
    turn.score("alignment", not wrong)
    return confidence("alignment", turn.ended, numbers), not wrong


def test_a_confidence_of_x_is_right_x_of_the_time() -> None:
    pairs = [scored(seed, rates()) for seed in range(6000)]
    for low, high in ((0.0, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 0.97), (0.97, 1.0)):
        inside = [(said, right) for said, right in pairs if low <= said < high]
        assert len(inside) > 50
        said = sum(each for each, _ in inside) / len(inside)
        assert sum(right for _, right in inside) / len(inside) == pytest.approx(said, abs=0.06)


def test_a_module_that_has_said_nothing_is_taken_at_its_rate() -> None:
    expected = (1.0 - rates().causes["occlusion"].rate) * (1.0 - rates().causes["out_of_view"].rate)
    assert confidence("view", HallState(seed=0), rates()) == pytest.approx(expected)


def test_every_module_has_causes_words_and_a_remedy() -> None:
    assert set(BEHIND) == set(ASKED) == {name for names in GRAPHS.values() for name in names}
    assert {cause for causes in BEHIND.values() for cause in causes} <= set(CAUSES)
    assert {module for modules in REMEDIED.values() for module in modules} == set(BEHIND)
    assert set(REMEDIED) <= set(KINDS)


def test_no_module_is_called_like_an_input() -> None:
    """An answer about such a module would be taken for that input."""
    inputs = {name.removesuffix("?") for kind in KINDS.values() for name in kind.takes}
    assert not inputs & set(BEHIND)


def test_an_action_names_its_modules() -> None:
    world = KittingWorld(0)
    failure = Failure(
        levels=(FailureLevel(task="t", step=(0,), name="pick"),), leaf="pick", kind="action", code="no_plan"
    )
    graph = world.actions()["pick"]().modules(failure)
    assert graph is not None
    assert graph.names == ("base", "reach", "map", "grasp")
    assert all(each.question is not None and each.question.prompt.endswith("?") for each in graph.modules)
    assert world.actions()["navigate"]().modules(failure) is None
