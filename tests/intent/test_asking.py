"""Questions about goals: what they say, what their answers mean, and that they are planned as what they are."""

from __future__ import annotations

import numpy as np
import pytest

from handup.core import BadSetting, QuestionKind
from handup.intent import GoalBelief
from handup.intent.goal_questions import (
    DIFFERENTLY,
    FEATURES,
    NONE_OF_THESE,
    About,
    about_choice,
    about_exactly,
    about_goal,
    about_grasp,
    about_object,
    ask,
    ask_from_json,
)
from handup.intent.helper import Catalogue
from handup.people import Workload
from tests.intent.places import TABLE

EVERY = (
    about_goal(TABLE, 0),
    about_exactly(TABLE, 1),
    about_object(TABLE, "cup"),
    about_grasp(TABLE, "side"),
    about_choice(TABLE, [0, 1, 3]),
)
CHANCES = np.array([0.5, 0.2, 0.1, 0.1, 0.1])


@pytest.mark.parametrize(
    ("about", "prompt", "kind", "true"),
    [
        (EVERY[0], "Do you want the cup, with a top grasp?", QuestionKind.YES_NO, (True, False, False, False, False)),
        (EVERY[1], "The cup, with a side grasp?", QuestionKind.CHOICE, (DIFFERENTLY, "yes", "no", "no", "no")),
        (EVERY[2], "Do you want the cup?", QuestionKind.YES_NO, (True, True, False, False, False)),
        (EVERY[3], "With a side grasp?", QuestionKind.YES_NO, (False, True, False, True, False)),
        (
            EVERY[4],
            "Which one do you want?",
            QuestionKind.CHOICE,
            ("cup, top grasp", "cup, side grasp", NONE_OF_THESE, "can, side grasp", NONE_OF_THESE),
        ),
    ],
)
def test_what_is_asked_and_what_is_true(
    about: About, prompt: str, kind: QuestionKind, true: tuple[object, ...]
) -> None:
    said = ask(about, CHANCES, why="the answer saves time")
    said.question.check_ready()
    assert (said.question.prompt, said.question.kind) == (prompt, kind)
    assert tuple(about.true_answer(name) for name in (*TABLE.names, None)) == true
    assert ask_from_json(TABLE, said.to_json()) == said


@pytest.mark.parametrize("about", EVERY, ids=lambda each: str(each.kind))
@pytest.mark.parametrize("true", range(5))
def test_a_truthful_answer_raises_what_is_true(about: About, true: int) -> None:
    belief = GoalBelief.uniform(TABLE, floor=1e-6, unknown=0.1)
    table = about.likelihood(0.95)
    assert table.sum(axis=0) == pytest.approx(1.0)
    after = belief.answered(table[about.truth[true]])
    chances = np.append(after.by_goal, after.of_unknown)
    assert chances[true] >= np.append(belief.by_goal, belief.of_unknown)[true]


def test_the_robots_own_guess_is_the_likeliest_answer() -> None:
    said = ask(EVERY[2], CHANCES, why="")
    assert said.question.guess is True
    assert said.question.sure == pytest.approx(0.7)
    assert said.question.sureness == "not quite sure"


def test_it_says_what_it_did_in_plain_words_and_does_not_push_towards_a_no() -> None:
    for about, chances in ((EVERY[0], [0.1, 0.2, 0.3, 0.3, 0.1]), (EVERY[1], [0.1, 0.1, 0.4, 0.3, 0.1])):
        said = ask(about, np.array(chances), why="I am not sure what you want").question
        assert (said.guess, said.sure, said.sureness) == (None, None, "")
    none = ask(EVERY[4], np.array([0.1, 0.1, 0.6, 0.1, 0.1]), why="").question
    assert none.guess is None
    assert said.doing == "helping you to reach for something", "it follows 'I was'"


def test_a_question_with_more_than_two_answers_is_a_hard_one() -> None:
    assert [each.module for each in EVERY] == [0, 1, 0, 0, 1]
    easy, hard = Workload.of(FEATURES).query_costs(0.0)
    assert hard > easy


def test_a_catalogue_offers_differently_only_where_there_is_another_grasp() -> None:
    catalogue = Catalogue(TABLE)
    assert [len(each.answers) for each in catalogue.exactly] == [3, 3, 2, 2]
    assert set(catalogue.object) == {"cup", "bowl", "can"}
    assert set(catalogue.grasp) == {"top", "side"}


def test_a_choice_among_one_or_twice_the_same_is_refused() -> None:
    for chosen in ([0], [1, 1]):
        with pytest.raises(BadSetting):
            about_choice(TABLE, chosen)
