"""Robots that show what a page can show: a meal, a run of a recipe, a hand, and every panel at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]

PICTURE: Json = {
    "panel": "picture",
    "name": "live/plate",
    "seq": 1,
    "caption": "The plate from above, with a box around the food and where the fork goes in",
    "box": {"left": 0.3, "top": 0.3, "right": 0.45, "bottom": 0.5},
    "points": [{"x": 0.33, "y": 0.42}, {"x": 0.43, "y": 0.38}],
}
CHAIN: Json = {
    "panel": "chain",
    "links": [
        {"module": "food", "label": "Food", "says": "chicken", "confidence": 0.83},
        {"module": "box", "label": "Place", "says": "in the middle", "by": "person"},
        {"module": "skill", "label": "Skill", "says": "skewer", "confidence": 0.97},
        {"module": "params", "label": "Fork", "says": "along it", "confidence": 0.32, "asking": True},
    ],
}
DECISION: Json = {
    "panel": "decision",
    "action": "ask",
    "module": "params",
    "reason": "it is in doubt",
    "reliability": 0.7,
}
ITEMS: Json = {
    "panel": "items",
    "unit": "bite",
    "units": "bites",
    "items": [
        {"number": 1, "label": "chicken", "outcome": "got", "attempts": 1},
        {"number": 2, "label": "cherry tomato", "outcome": "lost", "attempts": 3, "queries": 2},
        {"number": 3, "label": "lettuce", "outcome": "wrong", "attempts": 1},
        {"number": 4, "label": "chicken", "outcome": "now", "attempts": 1, "queries": 1},
        {"number": 5, "outcome": "later"},
    ],
}
SUMMED_UP: Json = {**ITEMS, "summary": {"got": 4, "of": 5, "queries": 3, "attempts": 6}}
STEPS: Json = {
    "panel": "steps",
    "steps": [
        {"depth": 0, "kind": "task", "name": "build_kits", "status": "now"},
        {"depth": 1, "kind": "action", "name": "choose_next", "status": "done"},
        {"depth": 1, "kind": "task", "name": "pick_part", "status": "now", "details": "object: small_gear"},
        {"depth": 2, "kind": "action", "name": "pick", "status": "failed", "aborts": 2, "tried": ["fresh map ×1"]},
        {"depth": 3, "kind": "recovery", "name": "jog_the_arm", "status": "now", "details": "It is wedged."},
        {"depth": 4, "kind": "action", "name": "jog_arm", "status": "now"},
        {"depth": 1, "kind": "action", "name": "deliver_kit", "status": "next"},
        {"depth": 1, "kind": "more", "name": "7 more", "status": "next"},
    ],
}
TIMELINE: Json = {
    "panel": "timeline",
    "entries": [
        {"at_s": 61.0, "kind": "failed", "words": "pick failed (no_plan). The planner finds no way."},
        {"at_s": 62.0, "kind": "recovering", "words": "jog the arm: It is wedged."},
    ],
}
BELIEFS: Json = {
    "panel": "beliefs",
    "beliefs": [
        {"key": "at", "said": [{"source": "script", "value": "gears", "probability": 1.0, "at_s": 3.0}]},
        {
            "key": "on_place",
            "contradicted": True,
            "said": [
                {"source": "monitor", "value": "false", "probability": 0.85, "at_s": 9.0},
                {"source": "script", "value": "true", "probability": 1.0, "at_s": 8.0},
            ],
        },
    ],
}
NUMBERS: Json = {
    "panel": "numbers",
    "summary": "1 kit, 7 points",
    "numbers": [
        {"label": "actions", "value": 30},
        {"label": "failures", "value": 2},
        {"label": "time", "value": 61.23456, "unit": "s"},
    ],
}
SCENE: Json = {
    "panel": "scene",
    "scene": "S1",
    "low": [0.0, -0.5, 0.0],
    "high": [0.9, 0.5, 0.6],
    "things": [
        {"name": "cup", "rings": [[0.5, 0.2, 0.05, 0.04, 0.1]]},
        {"name": "box", "boxes": [[0.6, -0.15, 0.04, 0.12, 0.08, 0.08, 0.5]]},
    ],
    "hand": [0.3, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0],
    "ghost": [0.4, 0.1, 0.2, 1.0, 0.0, 0.0, 0.0],
    "goals": [
        {"object": "cup", "grasp": "top", "chance": 0.6},
        {"object": "cup", "grasp": "side", "chance": 0.1},
        {"object": "box", "grasp": "top", "chance": 0.25},
    ],
    "other": 0.05,
    "steered": True,
}
MEAL = (PICTURE, CHAIN, DECISION, ITEMS)
RUN = (STEPS, TIMELINE, BELIEFS, NUMBERS)
EVERYTHING = (PICTURE, SCENE, STEPS, CHAIN, DECISION, BELIEFS, TIMELINE, NUMBERS, ITEMS)
"""Every panel that there is, once."""


def state(*panels: Json, **more: Any) -> Json:
    """The state of a robot that shows these panels, as it sends it."""
    said: Json = {
        "robot": "plate",
        "phase": "moving",
        "title": "Bite 4 of 5",
        "doing": "about to skewer the chicken",
        "why": "surest of all that is on the plate",
        "at_s": 0.0,
    }
    return {**said, "panels": list(panels), **more}


def view(*panels: Json, alive: bool = True, **more: Any) -> Json:
    """A robot as a server shows it to a page."""
    return {"robot": "plate", "alive": alive, "last_s": 0.0, "state": state(*panels, **more)}


def without(panels: Sequence[Json], *names: str) -> list[Json]:
    """These panels but those of some types."""
    return [panel for panel in panels if panel["panel"] not in names]


def instead(panels: Sequence[Json], changed: Json) -> list[Json]:
    """These panels, with another one in place of that of its type."""
    return [changed if panel["panel"] == changed["panel"] else panel for panel in panels]
