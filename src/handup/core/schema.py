"""JSON Schema (2020-12) of questions, answers and replies, for pages and robots that are not written in Python.

A schema refuses nothing that `from_json` takes. The other way round there are things that it cannot say, and that only
`from_json` and `check_value` refuse: that a guess is one of the options or within low and high, that there are as many
effects, pictures and points as there are choices and marks, low ≤ high, a box without area, options that are the same
text, unprintable characters in names, and half characters.
"""

from __future__ import annotations

from typing import Any

from handup.core import answer, question
from handup.core.answer import ReplyKind
from handup.core.kinds import (
    MAX_ID,
    MAX_MARKS,
    MAX_NAME,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_PEOPLE,
    MAX_PROMPT,
    MAX_WORDS,
    RULES,
    KindRule,
    QuestionKind,
    Shape,
)
from handup.core.value import CORNERS, ResumeHint

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"

NOTHING: Schema = {"type": "null"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
PAIR: Schema = {"type": "array", "items": SHARE, "minItems": 2, "maxItems": 2}
POINT: Schema = {
    "type": "object",
    "properties": {"x": SHARE, "y": SHARE},
    "required": ["x", "y"],
    "additionalProperties": False,
}
POINTS: Schema = {"type": "array", "items": {"anyOf": [POINT, PAIR]}, "maxItems": MAX_MARKS}
BOX: Schema = {
    "type": "object",
    "properties": dict.fromkeys(CORNERS, SHARE),
    "required": list(CORNERS),
    "additionalProperties": False,
}
RESOLUTION: Schema = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "maxLength": MAX_OPTION},
        "resume": {"enum": [str(each) for each in ResumeHint]},
    },
    "required": ["action"],
    "additionalProperties": False,
}
WORDS: Schema = {"type": "string", "maxLength": MAX_WORDS}
WRITTEN: tuple[Schema, ...] = (WORDS, {"type": "boolean"}, {"type": "number"}, BOX, RESOLUTION, POINTS)
"""Values as they are written; no two of these fit the same JSON."""


def question_schema() -> Schema:
    """What `Question.from_json` reads: one branch for each kind."""
    branches = [_question(kind, rule) for kind, rule in RULES.items()]
    return {"$schema": DIALECT, "title": "Question", "oneOf": branches}


def answer_schema(kind: QuestionKind | None = None) -> Schema:
    """What `Answer.from_json` reads; with a kind, only what answers such a question. An erased value is null."""
    values = WRITTEN if kind is None else (_value(RULES[QuestionKind(kind)]),)
    properties = {
        "schema": _schemas(answer.SCHEMA),
        "value": {"oneOf": [NOTHING, *values]},
        "by": {"anyOf": [NOTHING, _name()]},
        "latency_s": {"type": ["number", "null"], "minimum": 0},
        "certainty": SHARE,
    }
    return {"$schema": DIALECT, "title": "Answer", **_object(properties, ["value"])}


def reply_schema() -> Schema:
    """What `Reply.from_json` reads: one branch for each kind of reply."""
    return {"$schema": DIALECT, "title": "Reply", "oneOf": [_reply(kind) for kind in ReplyKind]}


def _reply(kind: ReplyKind) -> Schema:
    says = kind is ReplyKind.ANSWER
    properties = {
        "schema": _schemas(answer.SCHEMA),
        "question": {"type": "string", "maxLength": MAX_ID} if kind is ReplyKind.STOP else _name(MAX_ID),
        "kind": {"const": str(kind)},
        "by": _name(),
        "token": _name(),
        "value": {"oneOf": list(WRITTEN)} if says else NOTHING,
        "device": {"type": "string", "maxLength": MAX_NAME},
        "until_s": {"type": ["number", "null"]} if kind is ReplyKind.NOT_NOW else NOTHING,
        "certainty": SHARE,
    }
    return _object(properties, ["question", "kind", "by", "token", *(["value"] if says else [])])


def _question(kind: QuestionKind, rule: KindRule) -> Schema:
    number = {"type": ["number", "null"]} if "low" in rule.own else NOTHING
    marks = MAX_MARKS if "marks" in rule.own else 0
    properties = {
        "schema": _schemas(question.SCHEMA),
        "prompt": {"type": "string", "maxLength": MAX_PROMPT, "pattern": r"\S"},
        "kind": {"const": str(kind)},
        "options": {**_texts(MAX_OPTIONS), "minItems": rule.least_options},
        **{key: {"type": "string", "maxLength": MAX_PROMPT} for key in ("doing", "why", "support")},
        "guess": {"anyOf": [NOTHING, _value(rule)]},
        "sure": {"anyOf": [NOTHING, SHARE]},
        **dict.fromkeys(("effects", "pictures"), _one_for_each(rule)),
        "image": {"type": ["string", "null"], "maxLength": MAX_OPTION, "pattern": r"\S"},
        "low": number,
        "high": number,
        "unit": {"type": "string", "maxLength": MAX_OPTION if "unit" in rule.own else 0},
        "marks": {"type": "array", "items": _name(), "maxItems": marks, "uniqueItems": True},
        "to": {"type": "array", "items": _name(), "maxItems": MAX_PEOPLE, "uniqueItems": True},
        "deadline_s": {"type": ["number", "null"]},
    }
    needed = ["prompt", "kind", *(["options"] if rule.least_options else [])]
    return {"title": str(kind), **_object(properties, needed)}


def _value(rule: KindRule) -> Schema:
    """What `check_value` takes, as far as a schema can say."""
    return {
        Shape.OPTION: {"type": "string", "maxLength": MAX_OPTION},
        Shape.WORDS: {**WORDS, "pattern": r"\S"},
        Shape.TRUTH: {"enum": [True, False, *rule.two]},
        Shape.NUMBER: {"type": "number"},
        Shape.BOX: {
            "anyOf": [
                BOX,
                {"type": "array", "items": SHARE, "minItems": 4, "maxItems": 4},
                {**POINTS, "minItems": 2, "maxItems": 2},
            ]
        },
        Shape.POINTS: {**POINTS, "minItems": 1},
        Shape.RESOLUTION: {"anyOf": [RESOLUTION, {"type": "string", "maxLength": MAX_OPTION}]},
    }[rule.shape]


def _one_for_each(rule: KindRule) -> Schema:
    if rule.two:
        return {"anyOf": [_texts(0), {**_texts(len(rule.two)), "minItems": len(rule.two)}]}
    return _texts(MAX_OPTIONS if rule.chosen else 0)


def _texts(most: int) -> Schema:
    return {"type": "array", "items": {"type": "string", "maxLength": MAX_OPTION}, "maxItems": most}


def _name(most: int = MAX_NAME) -> Schema:
    plain = {"pattern": r"[\u0000-\u001f\u007f-\u009f]|^\s|\s$"}
    return {"type": "string", "minLength": 1, "maxLength": most, "not": plain}


def _schemas(newest: int) -> Schema:
    return {"enum": list(range(1, newest + 1))}


def _object(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
