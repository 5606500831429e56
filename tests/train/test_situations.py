"""The script that fits answers by situation: its task is the study's, and its bars hold on people left out."""

from __future__ import annotations

import json

import pytest

from handup.core import QuestionKind
from handup.people import RobotProblem
from handup.people.answers import answers_record
from tests.data import data_folder
from train.interventions import read
from train.situations import ACTIONS, after, fit_kind, held_out, is_goal, problem_in, steps_from

DEFAULT = ("kc", "dt", "default", "default", "default", "empty", "dt")
MOST_BRIER = {QuestionKind.ACTION: 0.180, QuestionKind.DIAGNOSIS: 0.190}


def test_the_rule_makes_every_transition_of_the_data() -> None:
    data = read(data_folder("remote-interventions"))
    made = [
        after(state, action) == following
        for state, action, following in zip(data.state, data.chosen, data.after, strict=True)
    ]
    assert (sum(made), len(made)) == (2126, 2126)
    assert set(data.chosen) == set(ACTIONS)


def test_all_states_lead_to_the_goal_as_far_as_the_study_says() -> None:
    data = read(data_folder("remote-interventions"))
    starts = [state for state, step in zip(data.state, data.step.tolist(), strict=True) if step == 0]
    steps = steps_from(frozenset(starts))
    assert len(steps) == 210
    assert sorted(steps[state] for state in set(starts)) == [3, 4, 4, 7]
    for state, left in steps.items():
        following = {after(state, action) for action in ACTIONS}
        assert (left == 0) == is_goal(state)
        assert left == 0 or left == 1 + min(steps[other] for other in following)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, RobotProblem.ELSEWHERE),
        ({0: "dt"}, RobotProblem.NONE),
        ({0: "dt", 3: "above_mug"}, RobotProblem.NOT_GRASPABLE),
        ({0: "dt", 2: "occluding", 3: "above_mug"}, RobotProblem.NOT_VISIBLE),
        ({4: "gripper", 5: "mug"}, RobotProblem.NONE),
        ({4: "gripper", 5: "mug", 6: "c"}, RobotProblem.LOST),
    ],
)
def test_the_first_problem_that_holds_is_named(change: dict[int, str], problem: RobotProblem) -> None:
    state = tuple(change.get(place, value) for place, value in enumerate(DEFAULT))
    assert problem_in(state) is problem


@pytest.mark.parametrize("kind", MOST_BRIER)
def test_people_who_were_held_out_are_predicted_as_well_as_promised(kind: QuestionKind) -> None:
    data = read(data_folder("remote-interventions"))
    scores = held_out(data, kind, among=("base", "model"), repeats=1, seed=7)
    assert scores["model"]["brier"] <= MOST_BRIER[kind] < scores["base"]["brier"]
    published = answers_record()["held_out"][str(kind)]
    assert published["model"]["brier"] == pytest.approx(scores["model"]["brier"], abs=0.002)
    assert published["base"]["brier"] == pytest.approx(scores["base"]["brier"], abs=0.002)


@pytest.mark.parametrize("kind", MOST_BRIER)
def test_what_is_shipped_is_what_the_script_finds(kind: QuestionKind) -> None:
    data = read(data_folder("remote-interventions"))
    found = json.loads(json.dumps(fit_kind(data, kind).to_json()))
    shipped = answers_record()["fits"][str(kind)]
    assert found["situations"] == shipped["situations"]
    assert found["level"] == pytest.approx(shipped["level"], abs=1e-4)
    assert found["problem"] == pytest.approx(shipped["problem"], abs=1e-4)
    assert found["strength"] == shipped["strength"]
