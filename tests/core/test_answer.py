"""What a person answers: which values a question allows, and JSON both ways."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import (
    Answer,
    BadAnswer,
    BadRecord,
    Box,
    HandupError,
    Point,
    Question,
    QuestionKind,
    Reply,
    ReplyKind,
    Resolution,
    ResumeHint,
    Value,
    answer_schema,
    check_value,
    reply_schema,
    value_from_json,
    value_to_json,
)
from handup.core.checks import MAX_WORDS
from tests.core.asked import FULL, VALUES, finite, names, questions, shares, values_for
from tests.core.test_question import GOLDEN, anything

UNSAYABLE = ("no area", "got half of one", "must be finite", ", got '")
"""In the causes of what is refused although the schema has nothing against it; the last: unprintable names."""


@cache
def validator(of: str, kind: QuestionKind | None = None) -> Any:
    schema = reply_schema() if of == "reply" else answer_schema(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def same(first: object, second: object) -> bool:
    """Whether two values are equal, and of one type: True is not 1."""
    return first == second and type(first) is type(second)


@given(st.data())
def test_a_value_that_a_question_allows_survives_json(data: st.DataObject) -> None:
    question = data.draw(questions())
    value = data.draw(values_for(question))
    assert same(check_value(question, value), value)
    raw = json.loads(json.dumps(value_to_json(value)))
    assert same(value_from_json(raw), value)
    assert same(check_value(question, raw), value)
    validator("answer", question.kind).validate(Answer(value=value).to_json())


@given(questions(), anything)
def test_any_other_value_is_refused_in_words(question: Question, junk: Any) -> None:
    try:
        value = check_value(question, junk)
    except BadAnswer:
        return
    assert same(check_value(question, value), value)
    assert same(value_from_json(json.loads(json.dumps(value_to_json(value)))), value)


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        ("number", 7, 7.0),
        ("text", "  a mug\n", "a mug"),
        ("diagnosis", "it slipped", "it slipped"),
        ("diagnosis", "the fork is bent", "the fork is bent"),
        ("yes-no", "no", False),
        ("physical", "done", True),
        ("action", "leave it", Resolution(action="leave it")),
        ("action", {"action": "leave it", "resume": "next"}, Resolution(action="leave it", resume=ResumeHint.NEXT)),
        ("box", [0.5, 0.75, 0.1, 0.2], Box(left=0.1, top=0.2, right=0.5, bottom=0.75)),
        ("box", [[0.5, 0.2], [0.1, 0.75]], Box(left=0.1, top=0.2, right=0.5, bottom=0.75)),
        ("box", {"left": 1, "top": 1, "right": 0, "bottom": 0}, Box(left=0, top=0, right=1, bottom=1)),
        ("points", [[0, 1], {"x": 0.5, "y": 0.5}], (Point(0.0, 1.0), Point(0.5, 0.5))),
    ],
)
def test_what_means_the_same_is_taken(kind: str, given: Any, value: Value) -> None:
    assert same(check_value(FULL[QuestionKind(kind)], given), value)


@pytest.mark.parametrize(
    ("kind", "given", "match"),
    [
        ("choice", "Grape", r"none of the options\. Give one of: cherry tomato, grape\."),
        ("choice", ["grape"], "none of the options"),
        ("number", True, "an answer must be a number, got True"),
        ("number", "7", "an answer must be a number, got '7'"),
        ("number", 41, r"41 is out of range\. Give a number from 0 up to 40\."),
        ("number", float("nan"), "must be finite"),
        ("number", 10**400, "must be finite"),
        ("text", " ", "must not be empty"),
        ("text", "a\x1b[2J", "control characters"),
        ("text", "a" * (MAX_WORDS + 1), "characters"),
        ("text", 3, "Give a text"),
        ("yes-no", 1, "1 is not yes or no"),
        ("action", "dance", "none of the options"),
        ("action", {"action": "leave it", "resume": "dance"}, "got 'dance'"),
        ("action", {"resume": "next"}, "is no action"),
        ("box", [0.1, 0.2, 0.1, 0.5], "no area"),
        ("box", [0, 0, 1.5, 1], "right of a box must lie between 0 and 1, got 1.5"),
        ("box", {"left": 0}, "is no box"),
        ("box", "all", "is no box"),
        ("points", [[0.1, 0.2]], "1 points. Give 2: start, end"),
        ("points", [[0.1], [0.2]], "is no point"),
        ("points", [[0.1, "a"], [0.2, 0.1]], "y of a point must be a number, got 'a'"),
        ("points", [[0.5, 0.5]] * 21, "is no list of points"),
    ],
)
def test_what_a_question_does_not_allow_is_refused_with_what_it_allows(kind: str, given: Any, match: str) -> None:
    with pytest.raises(BadAnswer, match=match):
        check_value(FULL[QuestionKind(kind)], given)


def test_points_without_names_are_at_least_one() -> None:
    with pytest.raises(BadAnswer, match="at least one"):
        check_value(Question("Where?", QuestionKind.POINTS), [])


def test_an_erased_value_is_none() -> None:
    assert value_from_json(value_to_json(None)) is None
    assert Answer.from_json(Answer(value=None).to_json()) == Answer(value=None)


@st.composite
def replies(draw: st.DrawFn) -> Reply:
    kind = draw(st.sampled_from(ReplyKind))
    value = draw(st.sampled_from(list(VALUES.values()))) if kind is ReplyKind.ANSWER else None
    until_s = draw(st.none() | finite) if kind is ReplyKind.NOT_NOW else None
    given: dict[str, Any] = {
        "by": draw(names),
        "token": draw(names),
        "device": draw(st.just("") | names),
        "certainty": draw(shares),
    }
    return Reply(question=f"{draw(names)}/1", kind=kind, value=value, until_s=until_s, **given)


@given(replies())
def test_a_reply_survives_json_and_its_schema_takes_it(reply: Reply) -> None:
    record = json.loads(json.dumps(reply.to_json()))
    assert Reply.from_json(record) == reply
    validator("reply").validate(record)


REPLY_FIELDS = ["schema", "question", "kind", "by", "token", "value", "device", "until_s", "certainty", "more"]


@given(replies(), st.sampled_from(REPLY_FIELDS), anything | st.sampled_from(["stop", "answer", 0.5, True]))
def test_what_is_changed_in_a_reply_is_refused_by_both_or_by_none(reply: Reply, field: str, value: Any) -> None:
    record, why = {**reply.to_json(), field: value}, ""
    try:
        Reply.from_json(record)
    except (BadAnswer, BadRecord) as error:
        why = error.cause
    fits = validator("reply").is_valid(record)
    assert fits or why, "the schema refuses a reply that is read"
    assert not fits or not why or any(words in why for words in UNSAYABLE), why


@given(st.sampled_from(["schema", "value", "by", "latency_s", "certainty"]), anything)
def test_what_is_changed_in_an_answer_is_refused_by_both_or_by_none(field: str, value: Any) -> None:
    record, why = {**Answer(value="grape", by="Ada", latency_s=2.0).to_json(), field: value}, ""
    try:
        Answer.from_json(record)
    except (BadAnswer, BadRecord) as error:
        why = error.cause
    fits = validator("answer").is_valid(record)
    assert fits or why, "the schema refuses an answer that is read"
    assert not fits or not why or any(words in why for words in UNSAYABLE), why


@given(anything)
def test_junk_is_refused_in_words(junk: Any) -> None:
    for made in (Answer, Reply):
        with pytest.raises(HandupError):
            made.from_json(junk)


@pytest.mark.parametrize("kind", QuestionKind)
def test_answer_and_reply_of_each_golden_file_are_read_and_written_as_they_are(kind: QuestionKind) -> None:
    record = json.loads((GOLDEN / f"{kind}-v2.json").read_text(encoding="utf-8"))
    answer, reply = Answer.from_json(record["answer"]), Reply.from_json(record["reply"])
    assert same(answer.value, VALUES[kind])
    assert same(reply.value, VALUES[kind])
    assert (answer.to_json(), reply.to_json()) == (record["answer"], record["reply"])
    assert same(check_value(FULL[kind], record["answer"]["value"]), VALUES[kind])
    validator("answer", kind).validate(record["answer"])
    validator("reply").validate(record["reply"])


@pytest.mark.parametrize("path", sorted(Path(GOLDEN).glob("reply-*.json")), ids=lambda path: path.name)
def test_the_other_replies_of_the_golden_files_are_read_and_written_as_they_are(path: Path) -> None:
    record = json.loads(path.read_text(encoding="utf-8"))
    assert Reply.from_json(record).to_json() == record
    validator("reply").validate(record)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"kind": "shrug"}, "no kind of reply"),
        ({"kind": "answer"}, "says nothing"),
        ({"kind": "stop", "value": "grape"}, "says something"),
        ({"kind": "stop", "until_s": 3.0}, "has a time"),
        ({"question": ""}, "question of a reply must not be empty"),
        ({"by": None}, "by of a reply must be a text, got None"),
        ({"token": "a\nb"}, "token of a reply"),
        ({"certainty": 2}, "certainty must lie between 0 and 1, got 2"),
    ],
)
def test_what_is_no_reply_is_refused_in_words(given: dict[str, Any], match: str) -> None:
    record = {"question": "meal/food/1", "kind": "not-now", "by": "Ada", "token": "t", **given}
    with pytest.raises(BadAnswer, match=match):
        Reply(**record)


def test_a_stop_needs_no_question() -> None:
    assert Reply(question="", kind=ReplyKind.STOP, by="Ada", token="t").question == ""


def test_an_answer_takes_no_time_back() -> None:
    with pytest.raises(BadAnswer, match="latency_s"):
        Answer(value="grape", latency_s=-1.0)
