"""Conformal sets, joint promises and risk control: against MAPIE, brute force and simulation."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from benchmarks.calibration import coverage, mapie_sets, same_as_mapie, split
from handup.confidence import ActAlone, ConformalSets, Sample, calibrate_jointly, split_evenly
from handup.confidence.conformal import coverage_interval, rank_for
from handup.core import BadData, BadRecord, BadSetting
from tests.confidence.streams import real_streams, synthetic_stream, synthetic_streams

DRAWS = 200


def check_coverage(stream: Sample, target: float) -> None:
    """Over 200 draws: the mean is what it should be, and single draws lie where the Beta distribution says."""
    found = coverage(stream, 60, target, DRAWS)
    assert found.expected >= target
    assert abs(found.mean - found.expected) <= 3.3 * found.sd / np.sqrt(DRAWS) + 0.005
    assert found.inside >= 0.84


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("target", [0.8, 0.9])
def test_coverage_meets_its_target_within_the_beta_interval(number: int, target: float) -> None:
    check_coverage(synthetic_streams()[f"synthetic {number}"], target)


@pytest.mark.parametrize("target", [0.8, 0.9])
def test_coverage_meets_its_target_on_the_real_streams(target: float) -> None:
    for stream in real_streams().values():
        check_coverage(stream, target)


@pytest.mark.parametrize("target", [0.7, 0.8, 0.9, 0.95])
def test_sets_are_mapies(target: float) -> None:
    known, unseen = split(synthetic_stream(200, 2, sharpness=1.5), 60, 0)
    assert known.target is not None
    sets = ConformalSets.calibrate(known.raw, known.target, target_coverage=target).sets(unseen.raw)
    assert np.array_equal(sets, mapie_sets(known, unseen, target))


def test_sets_are_mapies_on_the_real_streams() -> None:
    same, total = same_as_mapie(real_streams(), 60, 0.8, 1)
    assert same == total > 1000


@given(st.integers(1, 60), st.floats(0.05, 0.95), st.integers(0, 99))
def test_the_threshold_is_the_least_that_brute_force_finds(rows: int, target: float, seed: int) -> None:
    stream = synthetic_stream(rows, seed)
    assert stream.target is not None
    sets = ConformalSets.calibrate(stream.raw, stream.target, target_coverage=target)
    of_right = stream.raw[np.arange(rows), stream.target]
    holding = [each for each in of_right if (of_right >= each).sum() >= (rows + 1) * target - 1e-9]
    assert sets.threshold == (max(holding) if holding else 0.0)


def test_sixty_rows_and_a_target_of_four_fifths_vary_by_five_hundredths() -> None:
    stream = synthetic_stream(60, 1)
    assert stream.target is not None
    sets = ConformalSets.calibrate(stream.raw, stream.target, target_coverage=0.8)
    assert sets.ranks == (49,)
    assert sets.coverage_sd == pytest.approx(0.05, abs=0.002)
    assert sets.coverage_interval == pytest.approx(tuple(beta(49, 12).ppf([0.05, 0.95])))
    assert f"{sets.coverage_interval[0]:.2f}" in sets.guarantee


def test_a_promise_with_confidence_holds_in_so_many_calibrations() -> None:
    rank = rank_for(60, 0.8, 0.9)
    assert beta(rank, 61 - rank).sf(0.8) >= 0.9 > beta(rank - 1, 62 - rank).sf(0.8)
    generator = np.random.default_rng(0)
    # The coverage of a threshold on uniform scores is one less the threshold itself.
    kept = [1.0 - np.sort(generator.random(60))[::-1][rank - 1] >= 0.8 for _ in range(2000)]
    assert np.mean(kept) == pytest.approx(beta(rank, 61 - rank).sf(0.8), abs=0.025)


def test_too_few_rows_rule_nothing_out() -> None:
    sets = ConformalSets.calibrate([[0.9, 0.1], [0.8, 0.2]], [0, 0], target_coverage=0.9)
    assert sets.sets([[1.0, 0.0]]).tolist() == [[True, True]]
    assert sets.coverage_interval == (1.0, 1.0)
    assert coverage_interval(3, 2) == (1.0, 1.0)


def test_class_conditional_sets_keep_the_promise_for_each_option() -> None:
    generator = np.random.default_rng(3)
    found = np.zeros(3)
    for _ in range(60):
        chances = generator.dirichlet([4.0, 1.0, 1.0], 600)
        target = np.array([generator.choice(3, p=row) for row in chances])
        sets = ConformalSets.calibrate(chances[:300], target[:300], target_coverage=0.8, per_option=True)
        inside = sets.sets(chances[300:])[np.arange(300), target[300:]]
        found += [inside[target[300:] == option].mean() for option in range(3)]
    assert (found / 60 >= 0.785).all()
    assert len(sets.thresholds) == 3
    assert "for each option" in sets.guarantee


def test_the_choices_of_a_question_stand_in_order() -> None:
    sets = ConformalSets.calibrate([[0.3, 0.7]] * 20, [0] * 20, target_coverage=0.8)
    assert sets.choices([0.1, 0.3, 0.6]) == (2, 1)


def test_sets_go_to_json_and_back() -> None:
    stream = synthetic_stream(60, 1)
    assert stream.target is not None
    for options in ({}, {"per_option": True}, {"confidence": 0.9}):
        sets = ConformalSets.calibrate(stream.raw, stream.target, **options)
        assert ConformalSets.from_json(json.loads(json.dumps(sets.to_json()))) == sets
    with pytest.raises(BadRecord):
        ConformalSets.from_json({**sets.to_json(), "schema": 9})
    with pytest.raises(BadRecord):
        ConformalSets.from_json({**sets.to_json(), "thresholds": []})


@pytest.mark.parametrize("target", [0.0, 1.0, 1.5])
def test_a_target_that_is_no_share_is_refused(target: float) -> None:
    with pytest.raises(BadSetting, match="target_coverage"):
        ConformalSets.calibrate([[0.9, 0.1]], [0], target_coverage=target)


def test_joint_promises_hold_for_all_modules_at_once() -> None:
    generator = np.random.default_rng(6)
    together: list[float] = []
    bonferroni: list[float] = []
    for _ in range(120):
        # Errors come together: one difficulty per episode makes all three modules unsure.
        difficulty = generator.random(160)
        modules = {}
        for name in ("food", "box", "skill"):
            right = np.clip(1.0 - difficulty + generator.normal(0.0, 0.1, 160), 0.01, 0.99)
            modules[name] = np.column_stack([right, 1.0 - right])
        target = [0] * 160
        joint = calibrate_jointly(
            {name: (rows[:80], target[:80]) for name, rows in modules.items()}, target_coverage=0.8
        )
        together.append(np.all([joint.sets(rows[80:])[:, 0] for rows in modules.values()], axis=0).mean())
        each = split_evenly(0.8, 3)
        own = [ConformalSets.calibrate(rows[:80], target[:80], target_coverage=each) for rows in modules.values()]
        sets = [one.sets(rows[80:])[:, 0] for one, rows in zip(own, modules.values(), strict=True)]
        bonferroni.append(np.all(sets, axis=0).mean())
    assert np.mean(together) == pytest.approx(0.802, abs=0.02)
    assert np.mean(bonferroni) > np.mean(together), "an even split asks for more than is needed"
    assert split_evenly(0.9, 4) == pytest.approx(0.975)


def test_modules_of_different_episodes_have_no_joint_threshold() -> None:
    with pytest.raises(BadData, match="one number of episodes"):
        calibrate_jointly({"a": ([[0.5, 0.5]], [0]), "b": ([[0.5, 0.5]] * 2, [0, 1])})


def test_acting_alone_fails_no_more_often_than_promised() -> None:
    generator = np.random.default_rng(1)
    for risk in (0.05, 0.2):
        failed = []
        for _ in range(400):
            confidence = generator.random(260)
            right = generator.random(260) < confidence**2  # too sure of itself
            rule = ActAlone.calibrate(confidence[:60], right[:60], risk=risk)
            failed.append((~right[60:] & (confidence[60:] > rule.threshold)).mean())
        assert risk - 2.5 / 61 <= np.mean(failed) <= risk + 0.006


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), min_size=1, max_size=30), st.floats(0.02, 0.5))
def test_the_risk_threshold_is_the_least_that_brute_force_finds(rows: list[tuple[float, bool]], risk: float) -> None:
    confidence, right = (np.array(each) for each in zip(*rows, strict=True))
    rule = ActAlone.calibrate(confidence, right, risk=risk)

    def keeps(threshold: float) -> bool:
        return bool(((confidence > threshold) & ~right).sum() + 1 <= risk * (len(rows) + 1) + 1e-9)

    tried = [-1.0, *sorted(confidence[~right].tolist()), 1.0]
    assert rule.threshold == next((each for each in tried if keeps(each)), 1.0)
    assert rule.acts(0.5) == (rule.threshold < 0.5)
    assert ActAlone.from_json(json.loads(json.dumps(rule.to_json()))) == rule


def test_a_risk_below_what_the_rows_can_show_means_never() -> None:
    assert not ActAlone.calibrate([0.9, 0.99], [1, 1], risk=0.1).acts(0.999)
    with pytest.raises(BadSetting, match="risk"):
        ActAlone.calibrate([0.9], [1], risk=0.0)
    with pytest.raises(BadData):
        ActAlone.calibrate([1.9], [1])
    with pytest.raises(BadRecord):
        ActAlone.from_json({"what": "something", "schema": 1})
