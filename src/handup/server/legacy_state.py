"""Translation for robots and pages of handup 0.1.0, which had no panels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from handup.core.checks import MAX_PROMPT

OLD_PAGE = "This page is old: reload it."
Json = dict[str, Any]


class _Task(BaseModel):
    steps: list[Any] = []
    beliefs: list[Any] = []
    news: list[Any] = []
    counts: Json = {}
    result: str = ""


class _Keys(BaseModel):
    """Keys of 0.1.0 beside name, phase, time, title, doing and why. Their parts are checked as parts of panels."""

    picture: str | None = None
    picture_seq: Any = 0
    overlay: Json | None = None
    chain: list[Any] = []
    decision: Json | None = None
    items: list[Any] = []
    summary: Json | None = None
    reach: Json | None = None
    task: _Task | None = None


def with_panels(state: Mapping[str, Any]) -> Json:
    """Return a state of 0.1.0 with panels in place of its keys.

    Raises:
        ValidationError: One of its keys is of another type.
    """
    keys = _Keys.model_validate({key: state[key] for key in _Keys.model_fields if key in state})
    panels: list[Json] = []
    if keys.picture:
        drawn = {"name": keys.picture, "seq": keys.picture_seq, "shape": _shape_of(state.get("doing"))}
        panels.append({"panel": "picture", **drawn, **(keys.overlay or {})})
    if keys.chain:
        panels.append({"panel": "chain", "links": keys.chain})
    if keys.decision is not None:
        panels.append({"panel": "decision", **keys.decision})
    if keys.items or keys.summary is not None:
        bites = {"unit": "bite", "units": "bites", "items": keys.items, "summary": keys.summary}
        panels.append({"panel": "items", **bites})
    if keys.reach is not None:
        scene = dict(keys.reach)
        took = {"time": scene.pop("seconds", 0.0), "changes of mode": scene.pop("mode_changes", 0)}
        numbers = _numbers({**took, "questions": scene.pop("questions", 0)}, units={"time": "s"})
        panels += [{"panel": "scene", **scene}, {"panel": "numbers", "numbers": numbers}]
    if (task := keys.task) is not None:
        counts = {"actions" if label == "starts" else label: count for label, count in task.counts.items()}
        panels.append({"panel": "steps", "steps": task.steps})
        panels.append({"panel": "timeline", "entries": task.news})
        panels += [{"panel": "beliefs", "beliefs": task.beliefs}] if task.beliefs else []
        panels.append({"panel": "numbers", "summary": task.result, "numbers": _numbers(counts)})
    return {**{key: value for key, value in state.items() if key not in _Keys.model_fields}, "panels": panels}


def for_old_page(state: Mapping[str, Any]) -> Json:
    """Return a state for a page of 0.1.0: such a page shows only title, doing and why."""
    return {**state, "why": f"{OLD_PAGE} {state['why']}".strip()[:MAX_PROMPT]}


def _shape_of(doing: Any) -> str:
    """Return the mark between two points: pages of 0.1.0 chose it by the words about them."""
    words = doing if isinstance(doing, str) else ""
    return "around" if "twirl" in words else "arrow" if "scoop" in words else "line"


def _numbers(counts: Mapping[str, Any], units: Mapping[str, str] | None = None) -> list[Json]:
    named = units or {}
    return [{"label": label, "value": count, "unit": named.get(label, "")} for label, count in counts.items()]
