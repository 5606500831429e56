"""Which method `auto` takes, and what `calibrate` says of it: on synthetic streams always, on the real ones if here."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from benchmarks.calibration import compare, longest
from handup.confidence import CALIBRATORS, Sample, calibrate, calibrator, select
from handup.confidence.calibrate import BY_SIMPLICITY, candidates, choose, fitting, out_of_fold, stratified_folds
from handup.core import BadData, BadSetting, UnknownMethod
from tests.confidence.streams import overconfident, real_streams, synthetic_stream, synthetic_streams


def check_claims(streams: Mapping[str, Sample], rows: int, draws: int) -> None:
    """`auto` is near the best single method, not worse than the base rate, and rarely isotonic."""
    found = compare(streams, rows, draws)
    assert found.mean("auto") <= found.mean(found.best) + 0.005
    assert found.mean("auto") <= found.mean("base rate")
    assert found.share("isotonic") < 0.05


def test_auto_is_near_the_best_method_on_synthetic_streams() -> None:
    check_claims(synthetic_streams(), 60, 6)


def test_auto_is_near_the_best_method_on_the_real_streams_at_60() -> None:
    check_claims(real_streams(), 60, 6)


def test_auto_is_near_the_best_method_on_the_three_longest_real_streams_at_100() -> None:
    check_claims(longest(real_streams()), 100, 8)


def test_the_papers_rule_is_anti_informative_on_real_streams() -> None:
    streams = list(real_streams().values())
    everything = Sample.of_options(
        np.concatenate([each.raw for each in streams]),
        np.concatenate([each.target for each in streams if each.target is not None]),
    )
    rule = calibrator("interval").fit(everything)
    assert "anti-informative" in rule.warnings[0]


def test_a_calibrated_module_is_left_alone() -> None:
    generator = np.random.default_rng(1)
    score = generator.random(400)
    assert select(Sample.of_scores(score, generator.random(400) < score)).method == "identity"


def test_a_module_that_is_too_sure_of_itself_gets_a_curve() -> None:
    assert select(overconfident(300, 2)).method == "platt"


def test_sharpened_options_get_a_temperature() -> None:
    assert select(synthetic_stream(400, 3, sharpness=3.0)).method == "temperature"


def test_steps_get_isotonic_or_venn_abers_where_rows_are_many() -> None:
    generator = np.random.default_rng(4)
    score = generator.random(3000)
    steps = np.where(score < 0.3, 0.1, np.where(score < 0.32, 0.8, 0.85))
    assert select(Sample.of_scores(score, generator.random(3000) < steps)).method in ("isotonic", "venn-abers")


def test_the_choice_does_not_depend_on_the_order_of_the_rows() -> None:
    sample = overconfident(80, 5)
    mixed = sample.take(np.random.default_rng(0).permutation(80))
    first, second = calibrate(sample), calibrate(mixed)
    assert first.to_json() == second.to_json()
    assert first.calibrator == second.calibrator


def test_the_simplest_within_noise_is_chosen() -> None:
    noise = np.random.default_rng(0).normal(0.0, 0.01, 100)
    equal = {"brier": 0.2 + noise, "log_loss": 0.6 + noise}
    better = {"brier": 0.1 + noise, "log_loss": 0.4 + noise}
    assert choose({"identity": equal, "platt": equal}).method == "identity"
    assert choose({"identity": equal, "platt": better}).method == "platt"
    reckless = {"brier": 0.05 + noise, "log_loss": 2.0 + 100 * noise}
    assert choose({"identity": equal, "platt": better, "isotonic": reckless}).method == "platt"


def test_candidates_are_those_that_take_the_rows() -> None:
    assert set(candidates(overconfident(20, 0))) == set(CALIBRATORS.names()) - {"temperature", "dropout"}
    assert set(candidates(synthetic_stream(20, 0))) == set(CALIBRATORS.names()) - {"dropout"}
    assert candidates(Sample.of_variances([1.0, 2.0], [1, 0])) == ("dropout",)
    assert set(BY_SIMPLICITY) <= set(CALIBRATORS.names())


def test_folds_are_stratified_and_even() -> None:
    right = np.arange(63) % 3 == 0
    for line in stratified_folds(right, folds=5, repeats=3, seed=1):
        assert set(np.bincount(line)) <= {12, 13}
        assert set(np.bincount(line[right])) <= {4, 5}


def test_no_row_is_judged_by_a_calibrator_that_has_seen_it() -> None:
    sample = overconfident(40, 0)
    seen: list[set[float]] = []

    def fit(known: Sample):  # type: ignore[no-untyped-def]
        seen.append(set(known.raw.tolist()))

        def predict(raw: np.ndarray) -> np.ndarray:
            assert not seen[-1] & set(raw.tolist())
            return np.zeros(len(raw))

        return predict

    out_of_fold(fit, sample, stratified_folds(sample.right, repeats=2))
    assert len(seen) == 10


def test_auto_chooses_anew_in_every_fold() -> None:
    found = calibrate(overconfident(100, 1))
    assert found.requested == "auto"
    nested = out_of_fold(
        fitting("auto", seed=1), overconfident(100, 1).in_order(), stratified_folds(found.right, repeats=4)[:2]
    )
    assert np.array_equal(found.chances, nested)


def test_a_calibration_tells_everything_the_command_prints() -> None:
    record = calibrate(synthetic_stream(80, 1), "platt", target_coverage=0.8).to_json()
    assert (record["method"], record["n"]) == ("platt", 80)
    for name in ("accuracy", "brier", "log_loss", "ece", "aurc"):
        low, high = record[name]["ci"]
        assert low <= record[name]["value"] <= high
    assert record["ece"]["bins"] == 10
    assert {each["method"] for each in record["candidates"]} == set(candidates(synthetic_stream(80, 1)))
    assert [each["method"] for each in record["candidates"] if each["chosen"]] == ["platt"]
    keys = {"threshold", "coverage", "coverage_interval", "help_rate", "mean_set_size"}
    assert keys <= set(record["conformal"])
    sure = record["conformal"]["with_confidence"]
    assert keys <= set(sure)
    assert sure["threshold"] <= record["conformal"]["threshold"]


def test_scores_that_say_nothing_are_warned_of() -> None:
    generator = np.random.default_rng(0)
    found = calibrate(Sample.of_scores(generator.uniform(0.8, 1.0, 80), generator.random(80) < 0.3), "identity")
    assert any("base rate" in each for each in found.warnings)


@pytest.mark.parametrize(
    ("sample", "method", "error", "said"),
    [
        (overconfident(9, 1), "auto", BadData, "at least 10 rows"),
        (Sample.of_scores(np.full(20, 0.5), np.ones(20)), "auto", BadData, "got 20 that are right"),
        (Sample.of_scores(np.full(20, 0.5), np.arange(20) == 6), "auto", BadData, "must be right, got only row 7"),
        (Sample.of_scores(np.arange(20.0), np.arange(20) % 2), "auto", BadData, "row 20: score must .*, got 19"),
        (Sample.of_scores(np.arange(20.0), np.arange(20) % 2), "platt", BadData, "row 20: score must .*, got 19"),
        (overconfident(50, 1), "temperature", BadSetting, "be one for rows of score"),
        (overconfident(50, 1), "plat", UnknownMethod, "Did you mean 'platt'"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(sample: Sample, method: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        calibrate(sample, method)


def test_scores_above_one_can_be_scaled() -> None:
    sample = Sample.of_scores(np.arange(20.0), np.arange(20) % 3 > 0)
    assert calibrate(sample, "scaled").calibrator.probability(9.5) == 0.5
