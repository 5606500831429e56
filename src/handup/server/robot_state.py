"""Reader of robot states of any version of handup, as far as this server can show them."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from handup.core.checks import MAX_NAME, storable
from handup.core.panels import MOST_PANELS, PANELS, RobotState, Unshown
from handup.server.legacy_state import with_panels

MOST_FIELDS = 20
"""The most unknown fields that are named."""


def read_state(sent: Any) -> tuple[RobotState, Unshown]:
    """Read the state that a robot has sent, and leave out what only newer servers know.

    Raises:
        ValidationError: A field that this server knows breaks its rule.
    """
    if not isinstance(sent, dict):
        return RobotState.model_validate(sent), Unshown()
    state = sent if "panels" in sent else with_panels(sent)
    newer: list[str] = []
    if isinstance(state["panels"], list) and len(state["panels"]) <= MOST_PANELS:
        names = [_newer(panel) for panel in state["panels"]]
        newer = [name for name in names if name]
        state = {**state, "panels": [panel for panel, name in zip(state["panels"], names, strict=True) if not name]}
    try:
        return RobotState.model_validate(state), Unshown(panels=_distinct(newer))
    except ValidationError as error:
        problems = error.errors(include_url=False)
        unknown = [problem["loc"] for problem in problems if problem["type"] == "extra_forbidden"]
        if len(unknown) < error.error_count():
            raise
    fields = [_taken_out(state, place) for place in unknown]
    return RobotState.model_validate(state), Unshown(panels=_distinct(newer), fields=_distinct(fields)[:MOST_FIELDS])


def _newer(panel: Any) -> str:
    """Return the name of a panel that is newer than this server; empty for any other."""
    name = panel.get("panel") if isinstance(panel, dict) else None
    if not isinstance(name, str):
        return ""
    if name not in PANELS:
        return name
    version = panel.get("version", 1)
    known = PANELS[name].model_fields["version"].default
    return f"{name} version {version}" if type(version) is int and version > known else ""


def _taken_out(state: dict[str, Any], place: tuple[int | str, ...]) -> str:
    """Take a field out of a state and return its name."""
    inside_panel = place[0] == "panels"
    *way, name = place[:2] + place[3:] if inside_panel else place  # behind a panel's number its type is named
    part: Any = state
    for key in way:
        part = part[key]
    del part[name]
    return ".".join(str(key) for key in place[1 if inside_panel else 0 :] if isinstance(key, str))


def _distinct(names: list[str]) -> tuple[str, ...]:
    return tuple(sorted({storable(name[:MAX_NAME]) for name in names}))
