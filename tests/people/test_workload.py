"""Workload: load rises with questions, leaks away, is bounded, and is everybody's own."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadRecord, BadSetting, Burden, BurdenKind, LivingCosts, Question, QuestionKind
from handup.people import BITE, Difficulty, Distraction, Features, PersonLoad, Response, Workload, WorkloadModel
from handup.people.workload import LEAST_COST, MOST_COST

seconds = st.floats(0.0, 1e5)
models = st.builds(
    WorkloadModel,
    b=st.floats(0.0, 1.0),
    a_d=st.floats(-1.0, 1.0),
    a_r=st.floats(-1.0, 1.0),
    a_s=st.floats(-1.0, 1.0),
    rho=st.floats(0.0, 5.0),
    tau_s=st.floats(1.0, 1000.0),
    g=st.floats(0.0, 2.0),
    rho_failed=st.floats(0.0, 1.0),
    rho_wait=st.floats(0.0, 0.1),
    practice=st.floats(0.0, 1.0),
    people=st.dictionaries(st.sampled_from(("Maya", "Ada")), st.floats(0.0, 3.0)),
)
features = st.builds(
    Features, st.sampled_from(Difficulty), st.sampled_from(Response), st.sampled_from(Distraction)
)  # fmt: skip
people = st.sampled_from(("Maya", "Ada", "Tom"))
answers = st.lists(st.tuples(people, st.integers(0, 3), seconds), max_size=12)


def lived(workload: Workload, told: list[tuple[str, int, float]]) -> Workload:
    for by, module, now_s in sorted(told, key=lambda each: each[2]):
        workload = workload.answered(module, now_s=now_s, by=by)
    return workload


def test_the_defaults_meet_every_published_number_exactly() -> None:
    model = WorkloadModel()
    assert {name: model.base(each) for name, each in BITE.items()} == {"M1": 0.24, "M2": 0.34, "M3": 0.24, "M4": 0.46}
    assert sum(model.base(each) for each in BITE.values()) / len(BITE) == 0.32
    assert model.evidence == "illustrative"
    assert (model.rho_failed, model.rho_wait, model.practice) == (0.0, 0.0, 0.0)


def test_the_formula_of_the_spec_worked_by_hand() -> None:
    workload = Workload.of(BITE.values()).answered(3, now_s=10.0).answered(0, now_s=70.0)
    load = 0.46 * math.exp(-60.0 / 120.0) + 0.24
    assert workload.load(70.0) == pytest.approx(load)
    later = load * math.exp(-30.0 / 120.0)
    assert workload.query_costs(100.0) == pytest.approx([each + 0.15 * later for each in (0.24, 0.34, 0.24, 0.46)])


@given(features, models)
def test_a_base_cost_stays_within_its_limits(asked: Features, model: WorkloadModel) -> None:
    assert LEAST_COST <= model.base(asked) <= MOST_COST


@given(answers, people, st.integers(0, 3), seconds)
def test_load_and_costs_rise_with_a_question(
    told: list[tuple[str, int, float]], who: str, module: int, now_s: float
) -> None:
    before = lived(Workload.of(BITE.values(), person=who), told)
    now_s += max((each[2] for each in told), default=0.0)
    after = before.answered(module, now_s=now_s)
    assert after.load(now_s) > before.load(now_s) or after.load(now_s) == before.model.most_load
    assert all(a >= b for a, b in zip(after.query_costs(now_s), before.query_costs(now_s), strict=True))


@given(answers, people, seconds, st.floats(0.0, 1e6))
def test_load_leaks_away(told: list[tuple[str, int, float]], who: str, now_s: float, waited_s: float) -> None:
    workload = lived(Workload.of(BITE.values(), person=who), told)
    now_s += max((each[2] for each in told), default=0.0)
    assert workload.load(now_s + waited_s) <= workload.load(now_s)
    assert workload.load(now_s + 1e5) == pytest.approx(0.0, abs=1e-12)


@given(models, answers, seconds)
def test_load_is_bounded_whatever_happens(
    model: WorkloadModel, told: list[tuple[str, int, float]], now_s: float
) -> None:
    workload = lived(Workload.of(BITE.values(), model), told * 3)
    for who in ("Maya", "Ada", "Tom"):
        assert 0.0 <= workload.load(now_s, who) <= model.most_load
        costs = workload.asking(who).query_costs(now_s)
        assert max(costs) <= model.s(who) * MOST_COST + model.g * model.most_load + 1e-9


@given(answers, people)
def test_one_persons_load_is_no_matter_of_others(told: list[tuple[str, int, float]], who: str) -> None:
    start = Workload.of(BITE.values(), person=who)
    alone = lived(start, [each for each in told if each[0] == who])
    assert lived(start, told).query_costs(1e5) == alone.query_costs(1e5)
    assert lived(start, told).loads.get(who) == alone.loads.get(who)


@given(answers, seconds)
def test_without_g_costs_are_constant_bit_for_bit(told: list[tuple[str, int, float]], now_s: float) -> None:
    costs = (0.1, 0.2, 0.30000000000000004, 7.0)
    assert lived(Workload(costs=costs, model=WorkloadModel(g=0.0)), told).query_costs(now_s) == costs


@given(models, answers, people)
def test_json_and_back(model: WorkloadModel, told: list[tuple[str, int, float]], who: str) -> None:
    workload = lived(Workload.of(BITE.values(), model, person=who), told)
    again = Workload.from_json(json.loads(json.dumps(workload.to_json())))
    assert again == workload
    assert again.query_costs(1e5) == workload.query_costs(1e5)


def test_failures_and_waiting_count_where_that_is_asked_for() -> None:
    costs = (0.3,)
    failed = Burden(kind=BurdenKind.FAILED, now_s=0.0)
    waited = Burden(kind=BurdenKind.WAITED, now_s=0.0, waited_s=60.0)
    assert Workload(costs=costs).after(failed).after(waited).load(0.0) == 0.0
    heavy = Workload(costs=costs, model=WorkloadModel(rho_failed=0.2, rho_wait=0.01, tau_s=1e9))
    assert heavy.after(failed).load(0.0) == pytest.approx(0.2)
    assert heavy.after(waited).load(0.0) == pytest.approx(0.6)


def test_waiting_in_two_parts_is_waiting_in_one() -> None:
    start = Workload(costs=(0.3,), model=WorkloadModel(rho_wait=0.02))
    halves = start.after(Burden(kind=BurdenKind.WAITED, now_s=50.0, waited_s=50.0))
    halves = halves.after(Burden(kind=BurdenKind.WAITED, now_s=100.0, waited_s=50.0))
    whole = start.after(Burden(kind=BurdenKind.WAITED, now_s=100.0, waited_s=100.0))
    assert halves.load(100.0) == pytest.approx(whole.load(100.0))


def test_practice_makes_questions_cheaper_where_it_is_switched_on() -> None:
    start = Workload(costs=(0.4,), model=WorkloadModel(practice=0.5, practice_answers=1.0, g=0.0))
    assert start.query_costs(0.0) == (0.4,)
    once = start.answered(0, now_s=0.0)
    assert once.query_costs(0.0) == pytest.approx([0.3])
    assert once.asking("Tom").query_costs(0.0) == (0.4,), "practice is one's own"


def test_time_does_not_run_backwards() -> None:
    workload = Workload(costs=(0.4,)).answered(0, now_s=100.0)
    assert workload.load(50.0) == workload.load(100.0)
    assert workload.answered(0, now_s=50.0).loads["somebody"].at_s == 100.0


def test_it_hears_as_a_session_tells() -> None:
    assert isinstance(Workload(costs=(0.4,)), LivingCosts)
    told = Burden(kind=BurdenKind.ANSWERED, now_s=1.0, module=0, by="Maya")
    assert Workload(costs=(0.4,)).after(told).load(1.0, "Maya") == 0.4
    with pytest.raises(BadSetting, match="must name its module"):
        Workload(costs=(0.4,)).after(Burden(kind=BurdenKind.ANSWERED, now_s=1.0))


def test_features_of_a_question() -> None:
    box = Question("Tap it.", QuestionKind.BOX)
    assert Features.of(box).response is Response.BOX
    assert Features.of(Question("Points?", QuestionKind.POINTS)).response is Response.BOX
    assert Features.of(Question("Which?"), difficulty=Difficulty.HARD).flags == (True, False, False)
    assert Features(**Features.of(box).to_json()) == Features.of(box)
    with pytest.raises(BadSetting, match="difficulty"):
        Features("tricky")  # type: ignore[arg-type]


def test_b_is_solved_from_the_mean() -> None:
    model = replace(WorkloadModel(), a_d=0.2, a_r=0.2).with_mean(0.32, BITE)
    assert model.b == pytest.approx(0.17)
    assert sum(model.base(each) for each in BITE.values()) / 4 == pytest.approx(0.32)
    with pytest.raises(BadSetting, match=r"mean cost|b must"):
        replace(WorkloadModel(), a_d=1.0, a_r=1.0).with_mean(0.32, BITE)


@pytest.mark.parametrize(
    "wrong", [{"b": -1.0}, {"tau_s": 0.0}, {"g": math.nan}, {"a_d": "x"}, {"people": {"Maya": -1.0}}, {"rho": True}]
)
def test_coefficients_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadSetting):
        WorkloadModel(**wrong)


def test_costs_and_loads_that_are_none_are_refused() -> None:
    for costs in ((), (-1.0,), (math.inf,)):
        with pytest.raises(BadSetting):
            Workload(costs=costs)
    with pytest.raises(BadSetting):
        PersonLoad(load=-1.0)
    with pytest.raises(BadSetting):
        PersonLoad(answers=-1)


@pytest.mark.parametrize(
    "change",
    [
        *({"schema": 9}, {"kind": "fish"}, {"model": {}}, {"loads": {"a": {"x": 1}}}),
        *({"loads": {"a": {"at_s": at_s}}} for at_s in (None, "1", math.nan, math.inf)),
    ],
)
def test_damaged_records_are_refused(change: dict[str, Any]) -> None:
    record = Workload.of(BITE.values()).to_json() | change
    with pytest.raises(BadRecord):
        Workload.from_json(record)
    with pytest.raises(BadRecord):
        WorkloadModel.from_json({**WorkloadModel().to_json(), "colour": 3})
