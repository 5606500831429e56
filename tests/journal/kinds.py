"""Events for the tests."""

from __future__ import annotations

from dataclasses import dataclass

from handup.core import Body, event


@event("test.noted")
@dataclass(frozen=True, kw_only=True)
class Noted:
    text: str = ""
    number: float = 0.0


@event("test.said", people=("by",), personal={"words": "by"})
@dataclass(frozen=True, kw_only=True)
class Said:
    by: str | None
    words: str | None = None
    loud: bool = False


@event("test.met", people=("who",), personal={"where": "who", "notes": "who"})
@dataclass(frozen=True, kw_only=True)
class Met:
    who: tuple[str, ...]
    where: str | None = None
    notes: dict[str, str] | None = None


def _with_unit(body: Body) -> Body:
    return {"weight_g": body["weight"], "what": body["what"]}


def _with_whom(body: Body) -> Body:
    return {**body, "by": None}


@event("test.weighed", version=3, people=("by",), upcasts={1: _with_unit, 2: _with_whom})
@dataclass(frozen=True, kw_only=True)
class Weighed:
    """Version 1 had `weight` and no unit; version 2 did not know who."""

    what: str
    weight_g: float
    by: str | None
