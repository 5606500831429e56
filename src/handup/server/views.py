"""Views of questions as JSON, which residents get without the names of others. A view is made once for each change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic_core import to_json

from handup.desk import DeskState, Receipt, Record
from handup.server.models import HIDDEN, Me
from handup.server.permissions import STAFF
from handup.server.tokens import Grant

View = dict[str, Any]


def encoded(made: Mapping[str, Any]) -> str:
    """Return plain data as JSON text."""
    return to_json(made).decode()


def record_view(record: Record) -> View:
    """Return a question as robots, caregivers, operators and developers see it; without the time."""
    plain = record.to_json()
    for name in HIDDEN:
        plain.pop(name, None)
    question = record.question
    return {
        **plain,
        "told": record.told,
        "sureness": question.sureness,
        "choices": list(question.choices),
        "value_schema": dict(question.rule.shape.schema_of(question)),
    }


def for_resident(view: View, name: str) -> View:
    """Return a view for a resident. Its fields name nobody else; the sentence in `told` may do so."""
    answer = view["answer"]
    return {
        **view,
        "audience": [person for person in view["audience"] if person == name],
        "passed": [person for person in view["passed"] if person == name],
        "turn": _own(view["turn"], name),
        "by": _own(view["by"], name),
        "device": view["device"] if view["by"] == name else None,
        "answer": answer and {**answer, "by": _own(answer["by"], name)},
    }


def _own(who: str | None, name: str) -> str | None:
    return who if who == name else None


class Views:
    """Cache of views: each is made once until its question changes. Use it from one thread.

    Args:
        most: The most views that are remembered.
    """

    def __init__(self, most: int = 2000) -> None:
        self._most = most
        self._made: dict[str, tuple[Record, View]] = {}

    def of(self, record: Record, now_s: float, viewer: Grant | None = None) -> View:
        """Return a question as a viewer sees it at a time; as a robot sees it without a viewer."""
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
        """Return a receipt as the person who replied sees it."""
        return {
            "status": str(receipt.status),
            "message": receipt.message,
            "again": receipt.again,
            "record": None if receipt.record is None else self.of(receipt.record, now_s, viewer),
        }


def me_view(grant: Grant) -> View:
    """Return the owner of a token as JSON, without the name of the store."""
    return {name: getattr(grant, name) for name in Me.model_fields if name != "store"}


def busy_view(state: DeskState, name: str, now_s: float) -> View | None:
    """Return since and until when a person is busy; None where they are not."""
    return asdict(state.busy[name]) if state.is_busy(name, now_s) else None


def sees_names(viewer: Grant) -> bool:
    """Tell whether a viewer sees everybody's names."""
    return viewer.is_robot or viewer.role in STAFF


def may_see(viewer: Grant, record: Record) -> bool:
    """Tell whether a viewer may see a question."""
    return sees_names(viewer) or viewer.name in record.audience
