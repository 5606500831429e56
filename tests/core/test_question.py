"""What a person is asked."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadSetting, Question, QuestionKind

prompts = st.text(min_size=1).filter(lambda text: bool(text.strip()))
options = st.lists(st.text(), min_size=2, max_size=5).map(tuple)


@given(prompts, st.sampled_from(QuestionKind), options)
def test_a_question_survives_json(prompt: str, kind: QuestionKind, choices: tuple[str, ...]) -> None:
    question = Question(prompt, kind, choices)
    assert Question.from_json(json.loads(json.dumps(question.to_json()))) == question


@pytest.mark.parametrize("prompt", ["", "  \n"])
def test_a_question_without_words_is_refused(prompt: str) -> None:
    with pytest.raises(BadSetting, match="no words"):
        Question(prompt)


@pytest.mark.parametrize("few", [(), ("apple",)])
def test_a_choice_of_fewer_than_two_is_refused(few: tuple[str, ...]) -> None:
    with pytest.raises(BadSetting, match="fewer than two options"):
        Question("Which food?", QuestionKind.CHOICE, few)
