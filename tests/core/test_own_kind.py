"""A kind of question of one's own, with a shape of answers of its own: one class and one rule are all that it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import jsonschema
import pytest

from handup.core import (
    Answer,
    BadAnswer,
    KindRule,
    Person,
    Question,
    QuestionKind,
    Reply,
    ReplyKind,
    Shape,
    add_kind,
    answer_schema,
    in_words,
    kinds,
    question_schema,
)
from handup.core.checks import MAX_OPTION, MAX_OPTIONS, shown
from handup.core.fields import Many, Text, check_rules, schema_of
from handup.core.shapes.base import Schema, Talk
from handup.desk import Desk, ReceiptStatus
from handup.journal import Journal

ROOT = Path(__file__).parents[2]
SHAPES = (
    ("choice", "OptionShape", "Choice"),
    ("text", "WordsShape", "Words"),
    ("yes-no", "TruthShape", "TwoWays"),
    ("number", "NumberShape", "Amount"),
    ("box", "BoxShape", "BoxOnPicture"),
    ("points", "PointsShape", "PointsOnPicture"),
    ("action", "ResolutionShape", "Action"),
)
"""Each shape of answers with a kind that has it and its component of the page."""


@dataclass(frozen=True)
class Order:
    """The options of a question, the first one first."""

    first_to_last: Annotated[tuple[str, ...], Many(Text(MAX_OPTION), MAX_OPTIONS, unique=True)]

    def __post_init__(self) -> None:
        check_rules(self, "an order", BadAnswer)


class OrderShape(Shape[Order]):
    """All options, in an order."""

    made = Order
    written: ClassVar[Schema] = schema_of(Order)
    noun = "an order"

    def check(self, question: Question, value: object) -> Order:
        order = self.from_json(value)
        if sorted(order.first_to_last) != sorted(question.options):
            raise BadAnswer(f"{shown(value)} is no order of the options", hint="Name each option once.")
        return order

    def reads(self, raw: object) -> bool:
        return isinstance(raw, Order) or (isinstance(raw, Mapping) and "first_to_last" in raw)

    def from_json(self, raw: Any) -> Order:
        if isinstance(raw, Order):
            return raw
        if not isinstance(raw, Mapping) or set(raw) != {"first_to_last"}:
            raise BadAnswer(f"{shown(raw)} is no order", hint="Give first_to_last.")
        return Order(raw["first_to_last"])

    def to_json(self, value: Order) -> Any:
        return {"first_to_last": list(value.first_to_last)}

    def in_words(self, question: Question, value: Order) -> str:
        return ", then ".join(value.first_to_last)

    def how_to_type(self, question: Question) -> str:
        return "Type the numbers of the options in your order, as in 2 1 3."

    def typed(self, question: Question, line: str, talk: Talk) -> object:
        try:
            return Order(tuple(question.options[int(word) - 1] for word in line.split()))
        except (ValueError, IndexError):
            raise BadAnswer("that is no order", hint=self.how_to_type(question)) from None


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for table in ("RULES", "_SHAPES", "_MADE"):
        monkeypatch.setattr(kinds, table, getattr(kinds, table).copy())
    monkeypatch.setattr("handup.core.question.RULES", kinds.RULES)
    monkeypatch.setattr("handup.core.schema.RULES", kinds.RULES)
    add_kind(KindRule(kind="order", shape=OrderShape(), least_options=2, chosen=True))
    yield


GUESS: Any = Order(("cake", "soup", "salad"))


def asked() -> Question:
    return Question("What first?", "order", ("soup", "salad", "cake"), guess=GUESS, sure=0.8)


def test_it_goes_through_json_and_its_schema() -> None:
    written = asked().to_json()
    jsonschema.validate(written, question_schema())
    assert Question.from_json(written) == asked()
    answer = Answer(value=Order(("soup", "cake", "salad")), by="Ada")  # type: ignore[arg-type]
    jsonschema.validate(answer.to_json(), answer_schema("order"))
    assert Answer.from_json(answer.to_json()) == answer
    assert in_words(asked(), answer.value or "") == "soup, then cake, then salad"


def test_the_desk_takes_answers_of_it_and_refuses_others(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "house.db") as journal, Desk(journal, [Person(name="Ada")]) as desk:
        record = desk.ask(asked(), run="supper", step="first")

        def reply(token: str, *order: str) -> ReceiptStatus:
            value: Any = {"first_to_last": list(order)}
            said = Reply(question=record.id, kind=ReplyKind.ANSWER, by="Ada", token=token, value=value)
            return desk.reply(said).status

        assert reply("1", "soup", "soup2", "cake") is ReceiptStatus.INVALID
        assert reply("2", "salad", "soup", "cake") is ReceiptStatus.ACCEPTED
        answered = desk.record(record.id)
        assert answered is not None and answered.answer is not None
        order: Any = answered.answer.value
        assert order == Order(("salad", "soup", "cake"))


def test_each_shape_of_answers_touches_at_most_six_files() -> None:
    """Its class, a rule, a component with a line in the page's table, the page's types, and a question of the demo."""
    for kind, shape, component in SHAPES:
        named = _naming("src/handup", "py", re.compile(rf"\b{shape}\b"))
        named |= _naming("web/src", "ts*", re.compile(rf"(\b(function|const)|import {{.*(?<!type)) {component}\b"))
        named |= _naming("web/src", "ts", re.compile(rf'^  kind: .*"{kind}"', re.M))
        named |= _naming("src/handup", "yaml", re.compile(rf"^  kind: {kind}$", re.M))
        assert len(named) == 6, named
    assert {type(kinds.RULES[kind].shape).__name__ for kind in QuestionKind} == {shape for _, shape, _ in SHAPES}


def test_pages_name_kinds_only_for_their_words() -> None:
    own = {"resident/TwoWays.tsx", "resident/Words.tsx", "resident/words.ts"}
    assert _naming("web/src", "ts*", re.compile(r"question\.kind [!=]== ")) == {f"web/src/{name}" for name in own}


def _naming(folder: str, ending: str, names: re.Pattern[str]) -> set[str]:
    files = (ROOT / folder).rglob(f"*.{ending}")
    return {file.relative_to(ROOT).as_posix() for file in files if names.search(file.read_text(encoding="utf-8"))}
