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
from handup.core.checks import MAX_ID, MAX_MARKS, MAX_NAME, MAX_OPTION, MAX_OPTIONS, MAX_PEOPLE, MAX_PROMPT
from handup.core.kinds import RULES, KindRule, rule_of, written_values

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"

NOTHING: Schema = {"type": "null"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}


def question_schema() -> Schema:
    """What `Question.from_json` reads: one branch for each kind."""
    branches = [_question(rule) for rule in RULES.values()]
    return {"$schema": DIALECT, "title": "Question", "oneOf": branches}


def answer_schema(kind: str | None = None) -> Schema:
    """What `Answer.from_json` reads; with a kind, only what answers such a question. An erased value is null."""
    values = written_values() if kind is None else [rule_of(kind).shape.schema(rule_of(kind))]
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
        "value": {"oneOf": written_values()} if says else NOTHING,
        "device": {"type": "string", "maxLength": MAX_NAME},
        "until_s": {"type": ["number", "null"]} if kind is ReplyKind.NOT_NOW else NOTHING,
        "certainty": SHARE,
    }
    return _object(properties, ["question", "kind", "by", "token", *(["value"] if says else [])])


def _question(rule: KindRule) -> Schema:
    number = {"type": ["number", "null"]} if "low" in rule.own else NOTHING
    marks = MAX_MARKS if "marks" in rule.own else 0
    properties = {
        "schema": _schemas(question.SCHEMA),
        "prompt": {"type": "string", "maxLength": MAX_PROMPT, "pattern": r"\S"},
        "kind": {"const": str(rule.kind)},
        "options": {**_texts(MAX_OPTIONS), "minItems": rule.least_options},
        **{key: {"type": "string", "maxLength": MAX_PROMPT} for key in ("doing", "why", "support")},
        "guess": {"anyOf": [NOTHING, rule.shape.schema(rule)]},
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
    return {"title": str(rule.kind), **_object(properties, needed)}


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
