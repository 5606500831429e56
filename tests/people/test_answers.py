"""How good an answer will be: real people's shares given back, assumptions labelled, each person's record counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadRecord, BadSetting, QuestionKind, Role
from handup.people import (
    PROFILES,
    AnswerModel,
    Care,
    Evidence,
    Latency,
    MotorProfile,
    SimulatedPerson,
    Suggestions,
    Support,
    answer_model,
)
from handup.people.answer_fits import CERTAINTIES, SUPPORTS
from handup.people.answers import answers_record

MARGINALS: dict[str, Any] = json.loads((Path(__file__).parent / "marginals.json").read_text(encoding="utf-8"))
DIAGNOSIS, ACTION = QuestionKind.DIAGNOSIS, QuestionKind.ACTION
OLD = "support-certainty"
"""Fit of the studies of 0.1.0."""
GOOD, BAD = Support(Suggestions.OWN, 1.0), Support(Suggestions.OWN, 0.8)


def chance(model: AnswerModel, kind: QuestionKind, *args: Any, **more: Any) -> float:
    return model.chance(Role.OPERATOR, kind, *args, **more).probability


def test_the_shipped_model_gives_the_marginals_back() -> None:
    model = answer_model(fit=OLD)
    said = MARGINALS["diagnosis"]
    assert model.fits[DIAGNOSIS].marginal() == pytest.approx(said["right"], abs=0.0005)
    assert model.fits[ACTION].marginal() == pytest.approx(MARGINALS["action"]["right"], abs=0.0005)
    for certainty, share in zip(CERTAINTIES, said["by_certainty"], strict=True):
        assert model.fits[DIAGNOSIS].marginal(certainty) == pytest.approx(share, abs=0.005)


def test_good_suggestions_help_and_bad_ones_do_nothing() -> None:
    model, said = answer_model(fit=OLD), MARGINALS["diagnosis"]
    assert chance(model, DIAGNOSIS) == pytest.approx(said["none"], abs=0.005)
    assert chance(model, DIAGNOSIS, GOOD) == pytest.approx(said["good"], abs=0.005)
    assert chance(model, DIAGNOSIS, BAD) == pytest.approx(said["bad"], abs=0.02)


def test_the_shipped_latency_gives_the_quantiles_back() -> None:
    latency = answer_model(fit=OLD).time(Role.OPERATOR, DIAGNOSIS)
    for share, name in ((0.05, "q05"), (0.5, "median"), (0.95, "q95")):
        assert latency.quantile(share) == pytest.approx(MARGINALS["decision_s"][name], rel=0.005)


def test_the_shipped_file_says_where_it_comes_from_and_how_it_does_on_people_it_has_not_seen() -> None:
    record = answers_record(OLD)
    assert record["evidence"] == "human data"
    assert record["provenance"]["people"] == 200
    assert record["provenance"]["rows"] == 2126
    for kind in ("diagnosis", "action"):
        held = record["held_out"][kind]["with_record"]
        assert held["log_loss_less_marginal"] < held["ci"][1] < 0.0
        assert record["held_out"][kind]["pulled"]["ci"][1] < 0.0
        assert record["held_out"][kind]["model"]["log_loss_less_marginal"] < 0.0


def test_human_data_is_for_operators_and_the_rest_is_labelled_assumed() -> None:
    model = answer_model()
    assert model.chance(Role.OPERATOR, ACTION).evidence is Evidence.HUMAN_DATA
    for role, kind in ((Role.RESIDENT, DIAGNOSIS), (Role.OPERATOR, QuestionKind.BOX), (Role.CAREGIVER, ACTION)):
        assert model.chance(role, kind).evidence is Evidence.ASSUMED
    shares = {care: answer_model(care).chance(Role.RESIDENT, QuestionKind.CHOICE).probability for care in Care}
    assert shares == {Care.HURRIED: 0.80, Care.USUAL: 0.90, Care.CAREFUL: 0.97}


def test_certainty_tells() -> None:
    chances = [chance(answer_model(), DIAGNOSIS, GOOD, certainty) for certainty in CERTAINTIES]
    assert chances == sorted(chances)


@given(st.lists(st.booleans(), max_size=30))
def test_with_one_prior_mean_a_record_counts_as_beta_bernoulli(right: list[bool]) -> None:
    model = answer_model()
    prior, strength = chance(model, DIAGNOSIS), model.fits[DIAGNOSIS].strength
    for each in right:
        model = model.judged("Ada", Role.OPERATOR, DIAGNOSIS, each)
    expected = (strength * prior + sum(right)) / (strength + len(right))
    assert chance(model, DIAGNOSIS, person="Ada") == pytest.approx(min(max(expected, 0.01), 0.99))
    assert chance(model, DIAGNOSIS, person="Tom") == prior, "records are one's own"
    assert chance(model, ACTION, person="Ada") == chance(model, ACTION), "and of one kind"
    assert model.forget("Ada") == answer_model()


@given(st.lists(st.tuples(st.sampled_from(("Ada", "Tom")), st.sampled_from(QuestionKind), st.booleans()), max_size=8))
def test_json_and_back(told: list[tuple[str, QuestionKind, bool]]) -> None:
    model = answer_model(Care.HURRIED)
    for who, kind, right in told:
        model = model.judged(who, Role.OPERATOR, kind, right)
    assert AnswerModel.from_json(json.loads(json.dumps(model.to_json()))) == model


@pytest.mark.parametrize("change", [{"schema": 2}, {"kind": "x"}, {"fits": {"diagnosis": {}}}, {"care": "sloppy"}])
def test_damaged_records_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadRecord):
        AnswerModel.from_json(answer_model().to_json() | change)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(BadSetting, match="certainty must be a whole number from 1 to 5, got 6"):
        answer_model().chance(Role.OPERATOR, DIAGNOSIS, certainty=6)
    with pytest.raises(BadSetting, match="accuracy"):
        Support(Suggestions.OWN, 1.5)
    with pytest.raises(BadSetting, match="suggestions"):
        Support("lots")  # type: ignore[arg-type]
    with pytest.raises(BadSetting):
        Latency(median_s=1.0, sigma=-1.0)
    with pytest.raises(BadSetting):
        MotorProfile(tap_error_px=-1.0)
    with pytest.raises(BadSetting, match="target"):
        SimulatedPerson(name="Ada").answer(QuestionKind.CHOICE, np.random.default_rng(0), options=2, target=2)


def test_support_goes_to_the_nearest_that_was_studied() -> None:
    assert len({each.key for each in SUPPORTS}) == 10
    assert Support(Suggestions.OWN, 0.97).key == "own-100"
    assert Support(Suggestions.BOTH, 0.1).key == "both-80"


@given(st.floats(0.1, 10.0), st.floats(1.05, 5.0), st.floats(1.05, 5.0))
def test_a_latency_goes_through_its_quantiles(low: float, first: float, second: float) -> None:
    median, high = low * first, low * first * first * second
    latency = Latency.through(low, median, high)
    assert latency.quantile(0.5) == pytest.approx(median)
    assert latency.quantile(0.05) == pytest.approx(low)
    assert latency.quantile(0.95) == pytest.approx(high)


# -- simulated people -------------------------------------------------------------------------------------------------


def test_simulated_people_answer_as_real_ones_did() -> None:
    random = np.random.default_rng(1)
    ada = SimulatedPerson(name="Ada", role=Role.OPERATOR, answers=answer_model())
    replies = [ada.answer(DIAGNOSIS, random, support=GOOD) for _ in range(4000)]
    assert np.mean([each.right for each in replies]) == pytest.approx(0.78, abs=0.025)
    assert np.median([each.seconds for each in replies]) == pytest.approx(23.5, rel=0.05)
    sure = [each.right for each in replies if each.certainty == 5]
    unsure = [each.right for each in replies if each.certainty == 2]
    assert np.mean(sure) > np.mean(unsure)


def test_the_same_generator_gives_the_same_person() -> None:
    maya = SimulatedPerson(name="Maya", motor=PROFILES["tremor"])
    one, two = (
        [maya.answer(QuestionKind.BOX, np.random.default_rng(5), points=((10.0, 10.0), (60.0, 50.0)))] for _ in range(2)
    )
    assert one == two


def test_options_are_chosen_as_they_are_right() -> None:
    random = np.random.default_rng(2)
    maya = SimulatedPerson(name="Maya", answers=AnswerModel(care=Care.HURRIED))
    replies = [maya.answer(QuestionKind.CHOICE, random, options=3, target=1) for _ in range(2000)]
    assert all((each.choice == 1) == each.right for each in replies)
    assert {each.choice for each in replies} == {0, 1, 2}
    assert np.mean([each.right for each in replies]) == pytest.approx(0.80, abs=0.03)


@pytest.mark.parametrize("profile", PROFILES)
def test_people_with_limited_mobility_miss_or_take_long(profile: str) -> None:
    random = np.random.default_rng(3)
    taps = [PROFILES[profile].tap(200.0, 160.0, random) for _ in range(400)]
    misses = np.array([np.hypot(each.x - 200.0, each.y - 160.0) for each in taps])
    steady = [PROFILES["steady"].tap(200.0, 160.0, random).seconds for _ in range(400)]
    if profile == "steady":
        assert np.median(misses) < 10.0
    else:
        assert np.mean([each.seconds for each in taps]) > np.mean(steady)
        assert np.median(misses) > 10.0


def test_one_switch_scans_to_the_middle_of_a_cell() -> None:
    tap = PROFILES["one-switch"].tap(85.0, 45.0, np.random.default_rng(0))
    assert (tap.x, tap.y, tap.seconds) == (100.0, 60.0, 1.0 + 2 + 3)


def test_a_slow_person_is_slow() -> None:
    quick = SimulatedPerson(name="a").answer(QuestionKind.CHOICE, np.random.default_rng(4))
    slow = SimulatedPerson(name="a", slowness=3.0).answer(QuestionKind.CHOICE, np.random.default_rng(4))
    assert slow.seconds == pytest.approx(3 * quick.seconds)
