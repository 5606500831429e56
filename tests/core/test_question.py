"""What a person is asked: what each kind needs, JSON both ways, and its schema."""

import json
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadRecord, BadSetting, HandupError, Question, QuestionKind, question_schema
from handup.core.checks import MAX_MARKS, MAX_OPTION, MAX_OPTIONS, MAX_PROMPT
from handup.core.kinds import RULES
from handup.core.question import SURENESS
from tests.core.asked import FULL, questions

GOLDEN = Path(__file__).parent / "golden"
UNSAYABLE = ("guess is wrong", " choices", "low is", "got half of one", "an entry of", "must be finite")
"""In the causes of what is refused although the schema has nothing against it; see `core.schema`."""

prompts = st.text(min_size=1).filter(lambda text: bool(text.strip()))
options = st.lists(st.text(), min_size=2, max_size=5).map(tuple)
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@cache
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(question_schema())
    return jsonschema.Draft202012Validator(question_schema())


def refused(record: dict[str, Any]) -> str:
    """Why a record is no question; empty where it is one."""
    try:
        Question.from_json(record)
    except (BadSetting, BadRecord) as error:
        return error.cause
    return ""


@given(prompts, st.sampled_from(QuestionKind), options)
def test_a_bare_wording_survives_json(prompt: str, kind: QuestionKind, choices: tuple[str, ...]) -> None:
    question = Question(prompt, kind, choices)
    assert list(question.to_json()) == ["prompt", "kind", "options"]
    assert Question.from_json(json.loads(json.dumps(question.to_json()))) == question


@given(questions())
def test_a_question_survives_json_and_its_schema_takes_it(question: Question) -> None:
    record = json.loads(json.dumps(question.to_json()))
    assert Question.from_json(record) == question
    assert Question.from_json(record).to_json() == question.to_json()
    assert hash(Question.from_json(record)) == hash(question)
    validator().validate(record)


@given(questions(), st.sampled_from([each.name for each in fields(Question)] + ["schema", "more"]), anything)
def test_what_is_changed_in_a_record_is_refused_by_both_or_by_none(question: Question, field: str, value: Any) -> None:
    record = {**question.to_json(), field: value}
    why, fits = refused(record), validator().is_valid(record)
    assert fits or why, "the schema refuses a question that is read"
    assert not fits or not why or any(words in why for words in UNSAYABLE), why


@given(questions(), st.sampled_from(["prompt", "kind", "options"]))
def test_what_is_left_out_is_refused_by_both_or_by_none(question: Question, field: str) -> None:
    record = {key: value for key, value in question.to_json().items() if key not in (field, "guess", "effects")}
    record.pop("pictures", None)
    assert bool(refused(record)) == (not validator().is_valid(record))


@given(anything)
def test_junk_is_refused_in_words(junk: Any) -> None:
    with pytest.raises(HandupError):
        Question.from_json(junk)


@pytest.mark.parametrize("kind", QuestionKind)
def test_the_question_of_each_golden_file_is_read_and_written_as_it_is(kind: QuestionKind) -> None:
    record = json.loads((GOLDEN / f"{kind}-v2.json").read_text(encoding="utf-8"))["question"]
    assert Question.from_json(record) == FULL[kind]
    assert json.dumps(FULL[kind].to_json()) == json.dumps(record)
    validator().validate(record)


def test_the_bare_wordings_of_the_golden_file_are_read_and_written_as_they_are() -> None:
    records = json.loads((GOLDEN / "wording-v1.json").read_text(encoding="utf-8"))
    assert [Question.from_json(each).to_json() for each in records] == records
    for each in records:
        validator().validate(each)


@pytest.mark.parametrize("prompt", ["", "  \n"])
def test_a_question_without_words_is_refused(prompt: str) -> None:
    with pytest.raises(BadSetting, match="no words"):
        Question(prompt)


@pytest.mark.parametrize("few", [(), ("apple",)])
@pytest.mark.parametrize("kind", [QuestionKind.CHOICE, QuestionKind.ACTION])
def test_a_choice_of_fewer_than_two_is_refused(kind: QuestionKind, few: tuple[str, ...]) -> None:
    with pytest.raises(BadSetting, match="fewer than two options"):
        Question("Which food?", kind, few)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"kind": "riddle"}, "no kind of question"),
        ({"kind": 3}, "no kind of question"),
        ({"prompt": None}, "prompt of a question must be a text, got None"),
        ({"prompt": "x" * (MAX_PROMPT + 1)}, f"got {MAX_PROMPT + 1}"),
        ({"prompt": "\ud800"}, "got half of one"),
        ({"doing": 3}, "doing of a question must be a text, got 3"),
        ({"options": "apple"}, "options of a question must be a list, got 'apple'"),
        ({"options": 3}, "options of a question must be a list, got 3"),
        ({"options": ["a", 3]}, "an entry of options of a question must be a text, got 3"),
        ({"options": ["a"] * (MAX_OPTIONS + 1)}, f"got {MAX_OPTIONS + 1}"),
        ({"options": ["a" * (MAX_OPTION + 1)]}, f"got {MAX_OPTION + 1}"),
        ({"sure": 1.2}, "sure of a question must lie between 0 and 1, got 1.2"),
        ({"sure": float("nan")}, "must be finite"),
        ({"sure": "high"}, "sure of a question must be a number, got 'high'"),
        ({"deadline_s": 10**400}, "must be finite"),
        ({"low": 1}, "low does not belong to a text question"),
        ({"unit": "cm"}, "unit does not belong"),
        ({"marks": ["start"]}, "marks does not belong"),
        ({"joined": "line"}, "joined does not belong"),
        ({"kind": "points", "joined": "loop"}, "must be one of line, arrow, around, none, got 'loop'"),
        ({"kind": "points", "marks": ["a", "a"]}, "twice"),
        ({"kind": "points", "marks": [""]}, "must not be empty"),
        ({"kind": "points", "marks": ["a\nb"]}, "an entry of marks"),
        ({"kind": "points", "marks": [str(each) for each in range(MAX_MARKS + 1)]}, "got 21"),
        ({"kind": "number", "low": 2, "high": 1}, r"low must be at most high \(1\), got 2"),
        ({"kind": "number", "low": 0, "high": 1, "guess": 2}, "its? own guess is wrong|guess is wrong: 2 is out"),
        ({"kind": "choice", "options": ["a", "b"], "guess": "c"}, "guess is wrong: 'c' is none of the options"),
        ({"kind": "yes-no", "guess": "perhaps"}, "guess is wrong"),
        ({"kind": "yes-no", "effects": ["one"]}, "1 effects for 2 choices"),
        ({"kind": "number", "options": ["1", "2"], "effects": ["a", "b"]}, "2 effects for 0 choices"),
        ({"options": ["a", "b"], "pictures": ["a.png"]}, "1 pictures for 2 choices"),
        ({"to": ["Ada", "Ada"]}, "twice"),
        ({"to": [" Ada"]}, "an entry of to"),
        ({"image": ""}, "image of a question must not be empty"),
    ],
)
def test_what_is_no_question_is_refused_in_words(given: dict[str, Any], match: str) -> None:
    with pytest.raises(BadSetting, match=match):
        Question(**{"prompt": "Which?", **given})


def test_a_question_of_a_newer_schema_is_left_alone() -> None:
    with pytest.raises(BadRecord, match="schema 3"):
        Question.from_json({"schema": 3, "prompt": "Which?", "kind": "text"})


def test_a_guess_may_be_given_in_any_form_of_its_kind() -> None:
    assert Question("Ready?", QuestionKind.PHYSICAL, guess="done").guess is True
    assert Question("How many?", QuestionKind.NUMBER, guess=3).to_json()["guess"] == 3.0


@pytest.mark.parametrize(
    ("sure", "words"),
    [*SURENESS, (1.0, "almost sure"), (0.79, "not quite sure"), (0.0, "only guessing"), (None, "")],
)
def test_how_sure_it_is_stands_in_plain_words(sure: float | None, words: str) -> None:
    assert Question("Which?", guess="pear", sure=sure).sureness == words


def test_how_sure_it_is_of_nothing_is_not_said() -> None:
    assert Question("Which?", sure=0.9).sureness == ""


@pytest.mark.parametrize("kind", QuestionKind)
def test_a_full_question_is_ready(kind: QuestionKind) -> None:
    FULL[kind].check_ready()


@pytest.mark.parametrize(
    ("question", "match"),
    [
        (Question("Where?", QuestionKind.BOX), "has no image"),
        (Question("Where?", QuestionKind.POINTS, image="plate.png"), "names none"),
        (Question("Which?", QuestionKind.CHOICE, ("a", "a ")), "look the same"),
        (Question("Which?", QuestionKind.CHOICE, ("a", " ")), "empty"),
    ],
)
def test_what_cannot_be_put_to_a_person_yet_says_so(question: Question, match: str) -> None:
    with pytest.raises(BadSetting, match=match):
        question.check_ready()


def test_only_kinds_that_use_their_options_offer_them() -> None:
    for kind, rule in RULES.items():
        choices = Question("Which?", kind, ("a", "b")).choices
        assert choices == (rule.two or (("a", "b") if rule.chosen else ()))


def test_a_wording_can_be_filled_in() -> None:
    wording = Question("Is it empty?", QuestionKind.YES_NO, ("left", "over"))
    assert replace(wording, why="I cannot see", guess=True, sure=0.9).sureness == "fairly sure"
