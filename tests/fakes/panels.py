"""Panels out of what a robot sends or a server shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from handup.core.panels import Panel, RobotState

P = TypeVar("P")


def checked(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state as pages get it, once it is sure that a server takes it as it is."""
    made = RobotState.model_validate({"robot": "robot", "at_s": 0.0, **state})
    return made.model_dump(mode="json")


def panel(state: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The one panel of a type in a state as pages get it."""
    [found] = [panel for panel in state["panels"] if panel["panel"] == name]
    return dict(found)


def numbers(state: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a state by their labels."""
    return {number["label"]: number["value"] for number in panel(state, "numbers")["numbers"]}


def of_type(panels: Iterable[Panel], kind: type[P]) -> P:
    """The one panel of a type."""
    [found] = [panel for panel in panels if isinstance(panel, kind)]
    return found
