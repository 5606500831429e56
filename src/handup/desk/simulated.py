"""A channel with simulated people, whose delays and mistakes follow models."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from handup.core import (
    OutOfRange,
    Point,
    Question,
    RandomSource,
    Reply,
    ReplyKind,
    StoreUnavailable,
    Value,
    check_value,
)
from handup.desk.record import Receipt, Record
from handup.people import Care, SimulatedPerson
from handup.people import SimulatedReply as Drawn

if TYPE_CHECKING:
    from handup.desk.desk import Desk

Truth = Callable[[Question], Value]
RandomOf = Callable[[str], RandomSource]
"""Function that returns the source of chance for the id of a question."""
DEVICE = "simulated"
"""Prefix of the device of every simulated reply, so that no study takes it for a person's reply."""


@dataclass(frozen=True, kw_only=True)
class _Due:
    """A reply on its way to a desk, and its time by the desk's clock."""

    at_s: float
    reply: Reply
    desk: Desk


class Simulated:
    """Simulated people who answer every question after a while. For studies and demonstrations, never as human data.

    Time is the desk's: `Desk.wait` and `Desk.watch` deliver what is due. With a clock that is moved by hand, move it to
    `next_s` and call `deliver`. All chance comes from the generator, in the order of the questions. A question that is
    settled meanwhile is not answered.

    Args:
        truth: Function that returns the right answer to a question.
        random: Source of chance, such as `numpy.random.default_rng(7)`; or a function that returns one for a question's
            id, so that a question that is shown again, even by another program, gets the same answer.
        person: Model of how well and how fast people answer; it holds for everybody, under their own names.
        accuracy: Probability of a right answer, in place of the person's.
        size_px: Width and height at which pictures are shown, for people who miss the point they aim at.
        name: Name of the channel in `Person.channels`.

    Attributes:
        accuracy: The argument of this name.

    Raises:
        BadSetting: The accuracy is no probability, or a size is not above 0.
    """

    def __init__(
        self,
        truth: Truth,
        *,
        random: RandomSource | RandomOf,
        person: SimulatedPerson | None = None,
        accuracy: float | None = None,
        size_px: tuple[float, float] = (800.0, 600.0),
        name: str = DEVICE,
    ) -> None:
        if not all(length > 0.0 for length in size_px):
            raise OutOfRange.of("size_px", size_px, "be above 0", hint="Give a width and a height in pixels.")
        self.name = name
        self._truth = truth
        self.accuracy = accuracy
        self._random_of: RandomOf = random if callable(random) else lambda question: random
        self._person = person or SimulatedPerson(name=name)
        if accuracy is not None:
            answers = replace(self._person.answers, fits={}, from_sight=dict.fromkeys(Care, accuracy))
            self._person = replace(self._person, answers=answers)
        self._size_px = size_px
        self._due: dict[str, _Due] = {}
        self._lock = threading.RLock()

    @property
    def next_s(self) -> float | None:
        """Time of the next reply; None where none is on its way."""
        with self._lock:
            return min((due.at_s for due in self._due.values()), default=None)

    def show(self, record: Record, desk: Desk) -> None:
        """Draw the person's reply and its time. A question that is shown again is drawn again."""
        with self._lock:
            random = self._random_of(record.id)
            drawn, value = self._answer(record, random)
            reply = Reply(
                question=record.id,
                kind=ReplyKind.ANSWER,
                by=record.turn or record.audience[0],
                token="-".join((DEVICE, "".join(f"{int(part * 65536):04x}" for part in random.random((8,))))),
                value=value,
                device=f"{DEVICE}:{self._person.name}",
                certainty=1.0 if drawn.certainty is None else drawn.certainty / 5.0,
            )
            self._due[record.id] = _Due(at_s=desk.now_s() + drawn.seconds, reply=reply, desk=desk)

    def deliver(self, now_s: float | None = None) -> list[Receipt]:
        """Give the desk the replies that are due, oldest first; by the desk's own time where none is given.

        Raises:
            StoreUnavailable: A reply could not be written, and is still due.
        """
        with self._lock:
            ready = [due for due in self._due.values() if due.at_s <= (due.desk.now_s() if now_s is None else now_s)]
            for due in ready:
                del self._due[due.reply.question]
        ready.sort(key=lambda due: due.at_s)
        receipts: list[Receipt] = []
        try:
            while ready:
                receipts.append(ready[0].desk.reply(ready[0].reply))
                del ready[0]
        except StoreUnavailable:
            with self._lock:  # nothing is lost: the rest is delivered later
                self._due = {**{due.reply.question: due for due in ready}, **self._due}
            raise
        return receipts

    def taken(self, record: Record) -> None:
        """Forget the reply to a question that is settled or gone elsewhere."""
        with self._lock:
            self._due.pop(record.id, None)

    def close(self) -> None:
        """Forget all replies. Safe to call twice."""
        with self._lock:
            self._due.clear()

    def _answer(self, record: Record, random: RandomSource) -> tuple[Drawn, Value]:
        question = record.question
        right = check_value(question, self._truth(question))
        person = replace(self._person, name=record.turn or self._person.name)
        choices, shape = question.choices, question.rule.shape
        word = shape.option(question, right)
        target = choices.index(word) if word in choices else None
        wide, high = self._size_px
        drawn = person.answer(
            question.kind,
            random,
            options=0 if target is None else len(choices),
            target=target or 0,
            points=tuple((place.x * wide, place.y * high) for place in shape.places(right)),
        )
        if drawn.taps:
            places = [Point(min(max(tap.x / wide, 0.0), 1.0), min(max(tap.y / high, 0.0), 1.0)) for tap in drawn.taps]
            return drawn, shape.pointed(places, right)
        if drawn.right:
            return drawn, right
        if drawn.choice is not None:
            return drawn, check_value(question, choices[drawn.choice])
        return drawn, shape.wrong(question, right, random)
