"""What others see of a question: made once for each change, and for a resident without the names of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from handup.desk import Receipt, Record
from handup.server.models import HIDDEN, Me
from handup.server.permissions import STAFF
from handup.server.tokens import Grant

View = dict[str, Any]


def encoded(made: Mapping[str, Any]) -> str:
    """Plain data as JSON text."""
    return to_json(made).decode()


def record_view(record: Record) -> View:
    """A question as robots, caregivers, operators and developers see it; without the time."""
    plain = record.to_json()
    for each in HIDDEN:
        del plain[each]
    question = record.question
    return {
        **plain,
        "told": record.told,
        "sureness": question.sureness,
        "choices": list(question.choices),
        "value_schema": dict(question.rule.shape.schema_of(question)),
    }


def for_resident(view: View, name: str) -> View:
    """The same for a resident: of names in fields only their own; others' stand in the desk's own words."""
    answer = view["answer"]
    return {
        **view,
        "audience": [each for each in view["audience"] if each == name],
        "passed": [each for each in view["passed"] if each == name],
        "turn": _own(view["turn"], name),
        "by": _own(view["by"], name),
        "device": view["device"] if view["by"] == name else None,
        "answer": answer and {**answer, "by": _own(answer["by"], name)},
    }


def _own(who: str | None, name: str) -> str | None:
    return who if who == name else None


class Views:
    """Makes views, each once for as long as its question stays as it is. Use it from one thread.

    Args:
        most: So many are remembered.
    """

    def __init__(self, most: int = 2000) -> None:
        self._most = most
        self._made: dict[str, tuple[Record, View]] = {}

    def of(self, record: Record, now_s: float, viewer: Grant | None = None) -> View:
        """A question as somebody sees it at a time; as a robot does where nobody is named."""
        known = self._made.get(record.id)
        if known is None or known[0] is not record:
            if len(self._made) >= self._most:
                self._made.clear()
            known = self._made[record.id] = (record, record_view(record))
        view = known[1]
        if viewer is not None and not sees_names(viewer):
            view = for_resident(view, viewer.name)
        return {**view, "now_s": now_s}

    def receipt(self, receipt: Receipt, now_s: float, viewer: Grant | None = None) -> View:
        """What became of a reply, as whoever gave it sees it."""
        return {
            "status": str(receipt.status),
            "message": receipt.message,
            "again": receipt.again,
            "record": None if receipt.record is None else self.of(receipt.record, now_s, viewer),
        }


def me_view(grant: Grant) -> View:
    """Whose a token is."""
    return {name: getattr(grant, name) for name in Me.model_fields if name != "store"}


def sees_names(viewer: Grant) -> bool:
    """Whether somebody sees everybody's names."""
    return viewer.is_robot or viewer.role in STAFF


def may_see(viewer: Grant, record: Record) -> bool:
    """Whether a question is for somebody's eyes."""
    return sees_names(viewer) or viewer.name in record.audience
