"""What the robot tells whoever watches: where it is in the meal, what it is about to do and why, what each module says.

Everything is taken from the session as the journal knows it, so a robot that was killed tells the same as before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from handup.core import Box, Point, Value
from handup.domains.feeding.judging import MODULES
from handup.domains.feeding.served import Bite
from handup.journal import Journal
from handup.policy import ModuleGraph
from handup.recover import DurableSession
from handup.recover.events import Decided
from handup.when import Strategy

LABELS: Mapping[str, str] = {"food": "Food", "box": "Place", "skill": "Way", "params": "Aim"}
"""What each module is called on a page."""
AS_BEFORE = ", as I was told before"
PICTURE = "live/plate"
"""The name of the picture that changes while the robot moves."""


class Doing(StrEnum):
    """What the robot is at."""

    LOOKING = "looking"
    DECIDING = "deciding"
    ASKING = "asking"
    MOVING = "moving"
    HOLDING = "holding"
    """It is in the middle of a motion and waits for its link."""
    RESTING = "resting"
    """Somebody chews."""
    DONE = "done"
    STOPPED = "stopped"


@dataclass(frozen=True)
class _Whenever:
    """Somebody's limits, for a session that decides nothing."""

    modules: int

    def free_from_s(self, now_s: float) -> Sequence[float]:
        return [now_s] * self.modules


def session_of(journal: Journal, run: str, graph: ModuleGraph, method: Strategy) -> DurableSession:
    """The session of a run that has begun, as the journal knows it: to be looked at, not to be driven."""
    return DurableSession.of_run(journal, run, graph, method, availability=_Whenever(len(graph)))


def told_of(session: DurableSession, recalled: Collection[str] = ()) -> dict[str, Any]:
    """What a session knows, for people: the chain with how sure each part is by now, the decision, what to draw.

    Args:
        session: It.
        recalled: The modules whose outputs a person gave before.
    """
    outputs = session.outputs or {}
    return {
        "chain": _chain(session, outputs, recalled),
        "decision": _decision(session),
        "overlay": {"box": _drawn(outputs.get("box")), "points": _drawn(outputs.get("params")) or []},
    }


def hope_of(told: Mapping[str, Any]) -> str:
    """How likely the robot thinks that what it is about to do works, of what `told_of` gave."""
    decision = told.get("decision")
    return f"I expect it to work: {decision['reliability']:.0%}." if decision else ""


def items_of(bites: Sequence[Bite], now: int | None, most: int) -> list[dict[str, Any]]:
    """The bites of a meal: those that were taken, the one that is under way, and those to come.

    Args:
        bites: Those that are over.
        now: The number of the one that is under way; None: the meal is over.
        most: How many the meal has.
    """
    over = {each.number: each for each in bites}
    return [
        _over(over[number])
        if number in over
        else {
            "number": number,
            "label": "",
            "outcome": "now" if number == now else "later",
            "attempts": 0,
            "queries": 0,
        }
        for number in range(1, most + 1)
    ]


def summary_of(bites: Sequence[Bite]) -> dict[str, int]:
    """How the meal went."""
    return {
        "got": sum(each.got for each in bites),
        "of": len(bites),
        "queries": sum(len(each.asked) for each in bites),
        "attempts": sum(each.attempts for each in bites),
    }


def _over(bite: Bite) -> dict[str, Any]:
    outcome = "got" if bite.got else "wrong" if bite.is_wrong else "lost"
    label = (bite.picked if bite.is_wrong else bite.food) or ""
    return {
        "number": bite.number,
        "label": label,
        "outcome": outcome,
        "attempts": bite.attempts,
        "queries": len(bite.asked),
    }


def _chain(session: DurableSession, outputs: Mapping[str, Value], recalled: Collection[str]) -> list[dict[str, Any]]:
    if not outputs:
        return []
    wrong, answered, pending = session.posterior, session.trail.answers, session.pending
    asked = None if pending is None or pending.action != "ask" else pending.module
    return [
        {
            "module": module,
            "label": LABELS[module],
            "says": _said(module, outputs[module]) + (AS_BEFORE if module in recalled else ""),
            "confidence": None if module in answered else round(1.0 - wrong[module], 4),
            "by": "person" if module in answered else "robot",
            "asking": module == asked,
        }
        for module in MODULES
        if module in outputs
    ]


def _said(module: str, value: Value) -> str:
    if isinstance(value, str):
        return value
    return "a box on the picture" if module == "box" else "two points on the picture"


def _decision(session: DurableSession) -> dict[str, Any] | None:
    last = next((event for event in reversed(session.history) if isinstance(event, Decided)), None)
    if last is None:
        return None
    decision = last.decision
    return {
        "action": str(decision.action),
        "module": decision.module,
        "reason": decision.reason,
        "reliability": round(session.reliability, 4),
    }


def _drawn(value: Value | None) -> Any:
    if isinstance(value, Box):
        return {"left": value.left, "top": value.top, "right": value.right, "bottom": value.bottom}
    if isinstance(value, tuple) and all(isinstance(each, Point) for each in value):
        return [{"x": each.x, "y": each.y} for each in value]
    return None
