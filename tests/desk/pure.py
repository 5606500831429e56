"""A desk without a journal: the rules, a list of entries and a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from handup.core import Person, Question, Reply, ReplyKind
from handup.desk import DeskState, Receipt, ReceiptStatus, Record, Ruling, Terms, apply, decide
from handup.desk.deadlines import Fact
from handup.desk.rules import AskPeople, ClaimQuestion, Command, Tick

ANA, BEN, CEM = (Person(name=name) for name in ("ana", "ben", "cem"))


class PureDesk:
    """Everything that `Desk` does but storing, threads and channels."""

    def __init__(
        self, people: Sequence[Person] = (ANA, BEN), terms: Terms | None = None, now_s: float = 1000.0
    ) -> None:
        self.people = {person.name: person for person in people}
        self.start = DeskState(people=self.people)
        self.terms = terms or Terms()
        self.now_s = now_s
        self.state = self.start
        self.entries: list[Fact] = []

    def do(self, command: Command) -> Receipt:
        ruling: Ruling = decide(self.state, command, self.now_s, self.terms)
        for made in ruling.events:
            seq, at_s = self.state.seq + 1, max(self.now_s, self.state.at_s)
            self.entries.append(Fact(seq=seq, at_s=at_s, run=made.run, key=made.key, event=made.event))
            self.state = apply(self.state, self.entries[-1])
        assert self.state == ruling.state
        return ruling.receipt

    def ask(
        self,
        question: Question | None = None,
        *,
        step: str = "s",
        attempt: int = 1,
        audience: tuple[str, ...] = (),
        load: float = 0.0,
    ) -> Record:
        asked = AskPeople(
            run="r",
            step=step,
            attempt=attempt,
            question=question or Question("Which one?"),
            audience=audience or tuple(self.people),
            load=load,
        )
        record = self.do(asked).record
        assert record is not None
        return record

    def reply(self, record: Record | str, by: str, kind: str = "answer", token: str = "t", **more: Any) -> Receipt:
        id_ = record if isinstance(record, str) else record.id
        if kind == "answer":
            more.setdefault("value", "this one")
        return self.do(Reply(question=id_, kind=ReplyKind(kind), by=by, token=token, **more))

    def tick(self, seconds: float = 0.0) -> None:
        self.now_s += seconds
        self.do(Tick())

    def __getitem__(self, record: Record) -> Record:
        return self.state.records[record.id]

    def kinds(self, start: int = 0) -> list[str]:
        return [type(each.event).__name__ for each in self.entries[start:]]


def claim(desk: PureDesk, record: Record, by: str, lease_s: float | None = None) -> ReceiptStatus:
    return desk.do(ClaimQuestion(question=record.id, by=by, lease_s=lease_s)).status
