"""What things cost, checked when given."""

import math

import pytest

from handup.core import BadSetting, Costs, FixedCosts, default_horizon


def test_one_number_stands_for_all_modules() -> None:
    costs = Costs.of([0.1, 0.2], expert=0.9)
    assert costs.expert.tolist() == [0.9, 0.9]
    assert costs.ask_time.tolist() == [1.0, 1.0]


def test_the_horizon_is_two_steps_per_module_and_at_least_eight() -> None:
    assert [default_horizon(modules) for modules in (1, 3, 4, 5, 10)] == [8, 8, 8, 10, 20]
    assert Costs.of([0.1] * 5).time_left == 10.0
    assert Costs.of([0.1] * 5, act_time=3.0).time_left == 30.0


def test_a_question_costs_load_and_time_and_a_failure_costs_time() -> None:
    costs = Costs.of([0.4], w=0.25, act_time=2.0, ask_time=3.0)
    assert costs.ask_price == pytest.approx([0.25 * 0.4 + 0.75 * 3.0])
    assert costs.act_price == pytest.approx(1.5)
    assert costs.time_price == 0.75


@pytest.mark.parametrize("w", [-0.1, 1.1, math.nan])
def test_a_weight_outside_its_range_is_refused(w: float) -> None:
    with pytest.raises(BadSetting, match="w must lie between 0 and 1"):
        Costs.of([0.1], w=w)


@pytest.mark.parametrize("act_time", [0.0, -1.0, math.inf, math.nan])
def test_an_execution_takes_some_time(act_time: float) -> None:
    with pytest.raises(BadSetting, match="act_time"):
        Costs.of([0.1], act_time=act_time)


@pytest.mark.parametrize("query", [-0.1, math.inf, math.nan])
def test_a_negative_or_endless_query_cost_is_refused(query: float) -> None:
    with pytest.raises(BadSetting, match=r"query cost must be finite and at least 0, got "):
        Costs.of([0.1, query])


@pytest.mark.parametrize("expert", [-0.1, 1.1, math.nan])
def test_an_expert_confidence_outside_its_range_is_refused(expert: float) -> None:
    with pytest.raises(BadSetting, match=r"expert confidence must lie between 0 and 1, got "):
        Costs.of([0.1], expert=expert)


def test_a_list_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(BadSetting, match="expert confidence must have 1 or 2 numbers, got 3"):
        Costs.of([0.1, 0.2], expert=[0.9, 0.9, 0.9])


def test_fixed_costs_do_not_change() -> None:
    assert FixedCosts((0.1, 0.2)).query_costs(0.0) == FixedCosts((0.1, 0.2)).query_costs(1e6)
