"""JSON Schema (2020-12) of questions, answers and replies, for pages and robots that are not written in Python.

A schema refuses nothing that `from_json` takes. The other way round there are things that it cannot say, and that only
`from_json` and `check_value` refuse: that a guess is one of the options or within low and high, that there are as many
effects, pictures and points as there are choices and marks, low ≤ high, a box without area, options that are the same
text, unprintable characters in names, and half characters.
"""

from __future__ import annotations

from handup.core import answer, question
from handup.core.answer import ASKED, Answer, Reply, ReplyKind
from handup.core.fields import NOTHING, Schema, needed_of, object_of, properties_of
from handup.core.kinds import RULES, KindRule, rule_of, written_values
from handup.core.question import Question

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def question_schema() -> Schema:
    """Return the schema of what `Question.from_json` reads: one branch for each kind."""
    branches = [_question(rule) for rule in RULES.values()]
    return {"$schema": DIALECT, "title": "Question", "oneOf": branches}


def answer_schema(kind: str | None = None) -> Schema:
    """Return the schema of what `Answer.from_json` reads, for one kind or for all. An erased value is null."""
    values = written_values() if kind is None else [rule_of(kind).shape.schema(rule_of(kind))]
    own = {"schema": _schemas(answer.SCHEMA), "value": {"oneOf": [NOTHING, *values]}}
    return {"$schema": DIALECT, "title": "Answer", **object_of({**own, **properties_of(Answer)}, needed_of(Answer))}


def reply_schema() -> Schema:
    """Return the schema of what `Reply.from_json` reads: one branch for each kind of reply."""
    return {"$schema": DIALECT, "title": "Reply", "oneOf": [_reply(kind) for kind in ReplyKind]}


def _reply(kind: ReplyKind) -> Schema:
    says, plain = kind is ReplyKind.ANSWER, properties_of(Reply)
    own = {
        "schema": _schemas(answer.SCHEMA),
        "kind": {"const": str(kind)},
        "question": plain["question"] if kind is ReplyKind.STOP else ASKED.schema,
        "value": {"oneOf": written_values()} if says else NOTHING,
        "until_s": plain["until_s"] if kind is ReplyKind.NOT_NOW else NOTHING,
    }
    return object_of({**plain, **own}, [*needed_of(Reply), *(["value"] if says else [])])


def _question(rule: KindRule) -> Schema:
    plain = properties_of(Question)
    own = {
        "schema": _schemas(question.SCHEMA),
        "kind": {"const": str(rule.kind)},
        "options": {**plain["options"], "minItems": rule.least_options},
        "guess": {"anyOf": [NOTHING, rule.shape.schema(rule)]},
        **dict.fromkeys(("effects", "pictures"), _one_for_each(rule, plain["effects"])),
    }
    owned = {name for known in RULES.values() for name in known.own}
    others = {name: _empty(plain[name]) for name in owned.difference(rule.own)}
    needed = [*needed_of(Question), "kind", *(["options"] if rule.least_options else [])]
    return {"title": str(rule.kind), **object_of({**plain, **own, **others}, needed)}


def _one_for_each(rule: KindRule, texts: Schema) -> Schema:
    none = {**texts, "maxItems": 0}
    if rule.two:
        return {"anyOf": [none, {**texts, "minItems": len(rule.two), "maxItems": len(rule.two)}]}
    return texts if rule.chosen else none


def _empty(schema: Schema) -> Schema:
    """Return the schema of a field of other kinds: nothing, no text, an empty list."""
    none = {"array": {"maxItems": 0}, "string": {"maxLength": 0}}.get(schema.get("type", ""))
    return NOTHING if none is None else {**schema, **none}


def _schemas(newest: int) -> Schema:
    return {"enum": list(range(1, newest + 1))}
