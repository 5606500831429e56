"""Fits of answers by situation: what is not known is averaged out, and the older fit stays as it was."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadSetting, QuestionKind, Role
from handup.people import AnswerModel, KindFit, RobotProblem, Suggestions, Support, answer_model
from handup.people.answer_fits import CERTAINTIES, SUPPORTS
from handup.people.answers import answers_record

KINDS = st.sampled_from((QuestionKind.DIAGNOSIS, QuestionKind.ACTION))
PROBLEMS = st.one_of(st.none(), st.sampled_from(RobotProblem))
STEPS = st.one_of(st.none(), st.integers(1, 12))
RATINGS = st.one_of(st.none(), st.sampled_from(CERTAINTIES))
OLD = "support-certainty"


def fit_of(kind: QuestionKind, name: str = "situation") -> KindFit:
    return answer_model(fit=name).fits[kind]


def by_enumeration(fit: KindFit, support: Support, rating: int | None, problem: str | None, steps: int | None) -> float:
    """The mean over every situation and certainty of the study that fits what is known, the plain way."""
    top = total = 0.0
    steps = None if steps is None else min(steps, len(fit.steps))
    for place, certainty in enumerate(CERTAINTIES):
        everywhere = sum(asked.certainties[place] for asked in fit.situations)
        for asked in fit.situations:
            meant = problem in (None, asked.problem) and steps in (None, asked.steps) and rating in (None, certainty)
            # P(certainty | support) P(situation | certainty), but for a trace that keeps unseen pairs possible.
            given = 1.0 if rating is not None else fit.certainties[support.key][place]
            weight = meant * given * (asked.certainties[place] + 1e-6 * sum(asked.certainties)) / everywhere
            odds = (
                fit.level[support.key] + fit.certainty[place] + fit.problem[asked.problem] + fit.steps[asked.steps - 1]
            )
            top += weight / (1.0 + math.exp(-odds))
            total += weight
    return top / total


@given(KINDS, st.sampled_from(SUPPORTS), RATINGS, PROBLEMS, STEPS)
def test_what_is_not_known_is_averaged_out(
    kind: QuestionKind, support: Support, rating: int | None, problem: RobotProblem | None, steps: int | None
) -> None:
    fit = fit_of(kind)
    chance = fit.chance(support, rating, problem, steps)
    assert 0.0 < chance < 1.0
    at = None if steps is None else min(steps, len(fit.steps))
    if any(problem in (None, asked.problem) and at in (None, asked.steps) for asked in fit.situations):
        assert chance == pytest.approx(by_enumeration(fit, support, rating, problem, steps))


def test_a_situation_that_nobody_was_in_takes_its_numbers_from_others() -> None:
    fit = fit_of(QuestionKind.ACTION)
    seen = {(asked.problem, asked.steps) for asked in fit.situations}
    problem, steps = next(
        (name, number) for name in RobotProblem for number in range(1, 9) if (name, number) not in seen
    )
    odds = fit.level["none"] + fit.certainty[4] + fit.problem[problem] + fit.steps[steps - 1]
    assert fit.chance(Support(), 5, problem, steps) == pytest.approx(1.0 / (1.0 + math.exp(-odds)))


def test_the_problem_tells_most_about_actions() -> None:
    model = answer_model()
    lost, none = (
        model.chance(Role.OPERATOR, QuestionKind.ACTION, problem=problem).probability
        for problem in (RobotProblem.LOST, RobotProblem.NONE)
    )
    assert lost < 0.25
    assert none > 0.6


@given(KINDS, st.sampled_from(SUPPORTS), RATINGS, PROBLEMS, STEPS)
def test_the_older_fit_leaves_the_situation_out(
    kind: QuestionKind, support: Support, rating: int | None, problem: RobotProblem | None, steps: int | None
) -> None:
    fit = fit_of(kind, OLD)
    assert fit.chance(support, rating, problem, steps) == fit.chance(support, rating)


def test_a_record_of_0_1_0_reads_and_writes_as_it_was() -> None:
    record = answers_record(OLD)["fits"]["action"]
    assert set(record) == {"level", "certainty", "certainties", "strength"}
    assert KindFit.from_json(record).to_json() == record
    model = answer_model(fit=OLD).judged("Ada", Role.OPERATOR, QuestionKind.ACTION, True, Support(), 4)
    assert AnswerModel.from_json(json.loads(json.dumps(model.to_json()))) == model


@given(KINDS, st.booleans(), PROBLEMS, STEPS)
def test_a_judged_answer_is_compared_with_its_situation(
    kind: QuestionKind, right: bool, problem: RobotProblem | None, steps: int | None
) -> None:
    model = answer_model()
    prior = model.chance(Role.OPERATOR, kind, problem=problem, steps=steps).probability
    judged = model.judged("Ada", Role.OPERATOR, kind, right, problem=problem, steps=steps)
    moved = judged.chance(Role.OPERATOR, kind, problem=problem, steps=steps, person="Ada").probability
    strength = model.fits[kind].strength
    assert moved == pytest.approx((strength * prior + right) / (strength + 1.0), abs=1e-9)
    assert AnswerModel.from_json(json.loads(json.dumps(judged.to_json()))) == judged
    assert judged.forget("Ada") == model


def test_the_mean_over_the_study_is_the_share_of_the_study() -> None:
    assert fit_of(QuestionKind.ACTION).marginal() == pytest.approx(0.388, abs=0.01)
    assert fit_of(QuestionKind.DIAGNOSIS).marginal() == pytest.approx(0.626, abs=0.01)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"problem": "asleep"},
            "problem must be one of lost, elsewhere, not visible, not graspable, none, got 'asleep'",
        ),
        ({"steps": 0}, "steps must be a whole number from 1, got 0"),
        ({"steps": 1.5}, "steps must be a whole number from 1, got 1.5"),
    ],
)
def test_what_cannot_be_is_refused(more: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        answer_model().chance(Role.OPERATOR, QuestionKind.ACTION, Support(Suggestions.OWN), **more)


def test_unknown_fits_and_halves_of_fits_are_refused() -> None:
    with pytest.raises(BadSetting, match="fit must be one of situation, support-certainty, got 'best'"):
        answer_model(fit="best")
    with pytest.raises(BadSetting, match="a fit with situations must cover"):
        replace(fit_of(QuestionKind.ACTION), problem={})
    with pytest.raises(BadSetting, match="a fit must cover"):
        replace(fit_of(QuestionKind.ACTION), certainty=(0.0,))
