"""Each calibrator against an oracle, and the contract of all."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from handup.confidence import (
    CALIBRATORS,
    Beta,
    Dropout,
    Identity,
    Interval,
    Isotonic,
    OneSidedInterval,
    Platt,
    Sample,
    Scaled,
    ScoreKind,
    Temperature,
    VennAbers,
    calibrator,
    calibrator_from_json,
    check_calibrator,
    softmax,
)
from handup.confidence.base import Fitted, Summary
from handup.confidence.sample import Floats
from handup.core import BadData, BadRecord, BadSetting, ContractViolation, MissingExtra
from tests.confidence.streams import overconfident, synthetic_stream

OWN = (
    "beta",
    "dropout",
    "identity",
    "interval",
    "interval-one-sided",
    "isotonic",
    "platt",
    "scaled",
    "temperature",
    "venn-abers",
)
scored_rows = st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: 0 < sum(right for _, right in rows) < len(rows)
)


def sample_of(rows: list[tuple[float, bool]]) -> Sample:
    return Sample.of_scores([score for score, _ in rows], [right for _, right in rows])


def test_every_calibrator_is_known_by_name() -> None:
    assert set(OWN) <= set(CALIBRATORS.names())


@pytest.mark.parametrize("name", OWN)
def test_handups_own_keep_the_contract(name: str) -> None:
    check_calibrator(calibrator(name))


@pytest.mark.parametrize("name", [each for each in OWN if each not in ("temperature", "dropout")])
@given(rows=scored_rows, ask=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=10))
def test_any_rows_give_probabilities_that_survive_a_reload(
    name: str, rows: list[tuple[float, bool]], ask: list[float]
) -> None:
    sample = sample_of(rows)
    if name == "scaled" and not sample.score.max():
        return
    fitted = calibrator(name).fit(sample)
    chances = fitted.probabilities(ask)
    assert ((chances >= 0.0) & (chances <= 1.0)).all()
    again = calibrator_from_json(json.loads(json.dumps(fitted.to_json(), allow_nan=False)))
    assert [again.probability(each) for each in ask] == chances.tolist()
    assert again == fitted
    if calibrator(name).monotone:
        assert (np.diff(fitted.probabilities(np.sort(ask))) >= -1e-12).all()


@given(rows=scored_rows, seed=st.integers(0, 1000))
def test_the_order_of_the_rows_does_not_matter(rows: list[tuple[float, bool]], seed: int) -> None:
    sample = sample_of(rows)
    mixed = sample.take(np.random.default_rng(seed).permutation(len(sample)))
    for name in ("platt", "isotonic", "beta", "venn-abers", "interval"):
        first, second = (calibrator(name).fit(each).probabilities(sample.raw) for each in (sample, mixed))
        assert np.allclose(first, second, atol=2e-3 if name == "beta" else 1e-5), name


def test_platt_is_scikit_learns_logistic_regression_on_the_logit() -> None:
    from sklearn.linear_model import LogisticRegression

    sample = overconfident(80, 1)
    feature = np.log(sample.score / (1.0 - sample.score))[:, None]
    model = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(feature, sample.right)
    assert Platt.fit(sample).probabilities(sample.raw) == pytest.approx(model.predict_proba(feature)[:, 1], abs=1e-5)


def test_platt_finds_the_curve_that_made_the_rows() -> None:
    fitted = Platt.fit(overconfident(20_000, 3))
    assert fitted.slope == pytest.approx(0.6, abs=0.05)
    assert fitted.intercept == pytest.approx(-0.5, abs=0.08)


def test_platt_takes_a_score_that_points_the_wrong_way_for_one_that_says_nothing() -> None:
    score = np.linspace(0.05, 0.95, 40)
    fitted = Platt.fit(Sample.of_scores(score, score < 0.4))
    assert fitted.slope == 0.0
    assert fitted.probability(0.9) == pytest.approx(float((score < 0.4).mean()))


def test_isotonic_is_scikit_learns() -> None:
    from sklearn.isotonic import IsotonicRegression

    sample, ask = overconfident(150, 2), np.linspace(0.0, 1.0, 301)
    model = IsotonicRegression(out_of_bounds="clip", y_min=0.0, y_max=1.0).fit(sample.score, sample.right)
    assert Isotonic.fit(sample).probabilities(ask) == pytest.approx(model.predict(ask), abs=1e-12)


def test_beta_is_the_constrained_maximum_of_the_likelihood() -> None:
    sample = overconfident(120, 4)
    fitted = Beta.fit(sample)

    def loss(a: float, b: float, c: float) -> float:
        value = a * np.log(sample.score) - b * np.log1p(-sample.score) + c
        return float(np.logaddexp(0.0, value).sum() - value[sample.right].sum() + 0.05 * (a * a + b * b))

    best = loss(fitted.a, fitted.b, fitted.c)
    generator = np.random.default_rng(0)
    for step in generator.normal(0.0, 0.05, (500, 3)):
        assert loss(max(0.0, fitted.a + step[0]), max(0.0, fitted.b + step[1]), fitted.c + step[2]) >= best - 1e-6


def test_beta_with_equal_coefficients_is_platt() -> None:
    data = Summary.of(overconfident(50, 0))
    ask = np.linspace(0.01, 0.99, 99)
    curve = Beta(a=0.7, b=0.7, c=-0.3, data=data).probabilities(ask)
    assert curve == pytest.approx(Platt(slope=0.7, intercept=-0.3, data=data).probabilities(ask), abs=1e-12)


@given(rows=scored_rows, extra=st.lists(st.floats(0.0, 1.0), max_size=5))
def test_venn_abers_is_two_isotonic_regressions(rows: list[tuple[float, bool]], extra: list[float]) -> None:
    sample = sample_of(rows)
    fitted = VennAbers.fit(sample)
    for score in [*sample.score.tolist(), *extra]:
        ends = []
        for label in (0.0, 1.0):
            distinct, place = np.unique(np.append(sample.score, score), return_inverse=True)
            sizes = np.bincount(place)
            means = np.bincount(place, weights=np.append(sample.right, label)) / sizes
            ends.append(float(isotonic_regression(means, weights=sizes).x[np.searchsorted(distinct, score)]))
        low, high = (float(each[0]) for each in fitted.interval([score]))
        assert (low, high) == pytest.approx(tuple(ends), abs=1e-9)
        assert fitted.probability(score) == pytest.approx(high / (1.0 - low + high))


def test_venn_abers_intervals_are_narrow_where_rows_are_many() -> None:
    few, many = VennAbers.fit(overconfident(30, 1)), VennAbers.fit(overconfident(3000, 1))
    ask = np.linspace(0.5, 0.95, 50)
    widths = [float(np.subtract(*each.interval(ask)[::-1]).mean()) for each in (few, many)]
    assert widths[1] < 0.03 < 0.1 < widths[0]


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 2.5])
def test_temperature_undoes_a_change_of_sharpness(sharpness: float) -> None:
    sample = synthetic_stream(6000, 5, sharpness=sharpness)
    fitted = Temperature.fit(sample)
    assert fitted.temperature == pytest.approx(sharpness, rel=0.06)
    assert fitted.options(sample.raw).sum(axis=1) == pytest.approx(np.ones(len(sample)))


def test_temperature_has_the_least_log_loss_on_a_grid() -> None:
    sample = synthetic_stream(80, 6, sharpness=1.7)
    assert sample.target is not None
    rows = np.arange(80)

    def loss(temperature: float) -> float:
        shares = softmax(np.log(np.maximum(sample.raw, 1e-12)) / temperature)
        return float(-np.log(shares[rows, sample.target]).mean())

    found = Temperature.fit(sample).temperature
    assert loss(found) <= min(loss(each) for each in np.geomspace(0.1, 20.0, 400)) + 1e-9


def test_temperature_is_not_offered_on_single_scores() -> None:
    with pytest.raises(BadData, match="must be of options, got rows of score"):
        Temperature.fit(overconfident(50, 0))
    with pytest.raises(BadSetting, match="two or more per output"):
        Temperature.fit(synthetic_stream(50, 0)).probability(0.7)


def test_softmax_of_logits_has_the_temperature_of_the_logits() -> None:
    generator = np.random.default_rng(1)
    logits = generator.normal(size=(300, 3))
    target = np.array([generator.choice(3, p=row) for row in softmax(2.0 * logits)])
    assert Temperature.fit(Sample.of_options(softmax(logits), target)).temperature == pytest.approx(0.5, rel=0.2)


def test_scaled_divides_by_the_highest_score() -> None:
    fitted = Scaled.fit(Sample.of_scores([20.0, 50.0, 80.0], [0, 1, 1]))
    assert [fitted.probability(each) for each in (40.0, 80.0, 95.0)] == [0.5, 1.0, 1.0]


def test_identity_takes_the_top_option_at_its_word() -> None:
    fitted = Identity.fit(synthetic_stream(20, 0))
    assert fitted.probability([0.1, 0.7, 0.2]) == 0.7


def test_dropout_does_not_care_about_the_unit_of_the_variance() -> None:
    generator = np.random.default_rng(2)
    variance = generator.lognormal(0.0, 1.0, 100)
    right = generator.random(100) < 1.0 / (1.0 + variance)
    metres = Dropout.fit(Sample.of_variances(variance, right))
    millimetres = Dropout.fit(Sample.of_variances(1e6 * variance, right))
    assert metres.probability(0.5) == pytest.approx(millimetres.probability(0.5e6), abs=1e-6)
    assert metres.probability(0.1) > metres.probability(3.0)
    assert 0.0 <= metres.probability(0.0) <= 1.0


# -- the paper's rule -------------------------------------------------------------------------------------------------


def worked_example() -> Interval:
    """Top choices .9 .8 .7 .6 (μ* .75, σ* √.0125 = .1118), second ones .1 .2 .2 .3 (μ⁺ .2, σ⁺ √.005 = .0707)."""
    options = [[0.9, 0.1], [0.8, 0.2], [0.7, 0.2], [0.6, 0.3]]
    return Interval.fit(Sample.of_options(options, [1, 0, 0, 0]))


def test_interval_is_the_papers_definition_worked_by_hand() -> None:
    rule = worked_example()
    assert (rule.top_mean, rule.top_sd) == pytest.approx((0.75, 0.0125**0.5))
    assert (rule.second_mean, rule.second_sd) == pytest.approx((0.2, 0.005**0.5))
    said = {0.75: 0.99, 0.64: 0.99, 0.86: 0.99, 0.63: 0.01, 0.87: 0.01, 1.0: 0.01, 0.2: 0.01, 0.45: 0.01}
    assert {score: rule.probability(score) for score in said} == pytest.approx(said)


def test_a_score_in_both_intervals_is_not_confident() -> None:
    rule = Interval.fit(Sample.of_scores([0.5, 0.9, 0.7, 0.7], [1, 1, 1, 1], second=[0.4, 0.6, 0.5, 0.7]))
    assert rule.probability(0.6) == pytest.approx(0.01), "in both"
    assert rule.probability(0.75) == pytest.approx(0.99), "of top choices only"


def test_without_runner_ups_wrong_rows_stand_for_second_choices_as_in_m2() -> None:
    rule = Interval.fit(Sample.of_scores([0.6, 0.8, 0.2, 0.4], [1, 1, 0, 0]))
    assert (rule.top_mean, rule.top_sd, rule.second_mean, rule.second_sd) == pytest.approx((0.7, 0.1, 0.3, 0.1))


def test_interval_rejects_the_highest_scores_and_says_so_where_that_hurts() -> None:
    score = np.linspace(0.3, 0.99, 60)
    rule = Interval.fit(Sample.of_scores(score, score > 0.85, second=np.full(60, 0.05)))
    assert rule.probability(0.99) == pytest.approx(0.01)
    assert rule.anti_informative
    assert "anti-informative" in rule.warnings[0]
    one_sided = OneSidedInterval.fit(Sample.of_scores(score, score > 0.85, second=np.full(60, 0.05)))
    assert one_sided.probability(0.99) == pytest.approx(0.99)
    assert not one_sided.warnings


def test_interval_needs_second_choices() -> None:
    with pytest.raises(BadData, match="must be right and wrong, got only one kind"):
        Interval.fit(Sample.of_scores([0.5, 0.6], [1, 1]))


# -- records, errors, the contract ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        lambda record: {**record, "schema": 2},
        lambda record: {**record, "what": "something"},
        lambda record: {**record, "method": "magic"},
        lambda record: {**record, "parameters": {"slope": "1"}},
        lambda record: {**record, "parameters": {"slope": -1.0, "intercept": 0.0}},
        lambda record: {**record, "parameters": {"slope": 1.0, "intercept": float("nan")}},
        lambda record: {key: value for key, value in record.items() if key != "data"},
        lambda record: {**record, "data": {**record["data"], "n": 0}},
        lambda record: [record],
        lambda record: None,
    ],
)
def test_a_damaged_record_is_refused(damage: Callable[[dict[str, Any]], object]) -> None:
    record = Platt.fit(overconfident(50, 0)).to_json()
    with pytest.raises(BadRecord):
        calibrator_from_json(damage(record))


def test_a_record_says_what_the_calibrator_was_fitted_on() -> None:
    sample = overconfident(50, 0)
    data = Platt.fit(sample).to_json()["data"]
    assert (data["kind"], data["n"], data["base_rate"]) == ("score", 50, sample.base_rate)
    assert (data["score_min"], data["score_max"]) == (sample.score.min(), sample.score.max())


@pytest.mark.parametrize("raw", [float("nan"), -0.1, 1.2, [[0.1]], []])
def test_a_raw_score_outside_the_range_is_refused(raw: Any) -> None:
    with pytest.raises(BadSetting):
        Platt.fit(overconfident(50, 0)).probability(raw)


def test_scores_above_one_are_refused_with_their_row() -> None:
    with pytest.raises(BadData, match="row 2: score must lie between 0 and 1 for 'platt', got 7"):
        Platt.fit(Sample.of_scores([0.5, 7.0], [0, 1]))


def test_without_scikit_learn_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn.linear_model", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[lab\]'"):
        Platt.fit(overconfident(50, 0))
    assert Beta.fit(overconfident(50, 0)).probability(0.5) >= 0.0


@dataclass(frozen=True, kw_only=True)
class _Broken(Fitted):
    name: ClassVar[str] = "broken"
    kinds: ClassVar[frozenset[ScoreKind]] = frozenset({ScoreKind.SCORE})
    breaks: ClassVar[str] = ""

    @classmethod
    def fit(cls, sample: Sample) -> _Broken:
        if cls.breaks == "input":
            sample.raw[0] = 0.123
        return cls(data=cls._check(sample))

    def _predict(self, rows: Floats) -> Floats:
        return 2.0 * rows if self.breaks == "range" else 1.0 - rows if self.breaks == "order" else rows[:1]


@pytest.mark.parametrize(
    ("breaks", "said"), [("input", "changes what"), ("range", "leaves 0 to 1"), ("order", "monotone"), ("", "shape")]
)
def test_the_contract_check_names_what_is_broken(breaks: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Broken, "breaks", breaks)
    with pytest.raises(ContractViolation, match=said):
        check_calibrator(_Broken)
