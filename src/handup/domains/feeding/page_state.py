"""The panels that a page shows of a meal: the plate, how sure each module is, the last decision, the bites.

Everything is taken from the session as the journal knows it, so a robot that was killed tells the same as before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from handup.core import Box, Joining, Point, Value
from handup.core.checks import MAX_OPTION
from handup.core.panels import (
    BoxPart,
    ChainLink,
    ChainPanel,
    DecisionPanel,
    ItemPart,
    ItemsPanel,
    ItemsSummary,
    Panel,
    PicturePanel,
    PlacePart,
)
from handup.domains.feeding.meal_result import Bite
from handup.domains.feeding.questions import JOINED
from handup.domains.feeding.truth import MODULES
from handup.journal import Journal
from handup.policy import ModuleGraph
from handup.recover import DurableSession
from handup.recover.events import Decided
from handup.when import Strategy

LABELS: Mapping[str, str] = {"food": "Food", "box": "Place", "skill": "Way", "params": "Aim"}
"""Names of the modules on a page."""
AS_BEFORE = ", as I was told before"
PICTURE = "live/plate"
"""Name of the picture that changes while the robot moves."""


@dataclass(frozen=True)
class _Whenever:
    """Limits of somebody who is always free, for a session that decides nothing."""

    modules: int

    def free_from_s(self, now_s: float) -> Sequence[float]:
        return [now_s] * self.modules


def session_of(journal: Journal, run: str, graph: ModuleGraph, method: Strategy) -> DurableSession:
    """Return the session of a run that has begun, as the journal knows it: to be looked at, not to be driven."""
    return DurableSession.of_run(journal, run, graph, method, availability=_Whenever(len(graph)))


def told_of(session: DurableSession | None, recalled: Collection[str] = ()) -> list[Panel]:
    """Return the plate with what the robot has in mind, how sure each module is by now, and the last decision.

    Args:
        session: Session of the bite; None if nothing is known.
        recalled: Modules whose outputs a person gave before.
    """
    outputs = {} if session is None else session.outputs or {}
    panels: list[Panel] = [plate_of(outputs)]
    if session is not None and outputs:
        panels.append(_chain(session, outputs, recalled))
    if session is not None and (decision := _decision(session)) is not None:
        panels.append(decision)
    return panels


def plate_of(outputs: Mapping[str, Value]) -> PicturePanel:
    """Return the plate from above, with the box and the two points that the modules gave."""
    box, aim = outputs.get("box"), outputs.get("params")
    points = [point for point in aim if isinstance(point, Point)] if isinstance(aim, tuple) else []
    drawn = ["a box around the food"] * isinstance(box, Box) + ["where the fork goes in"] * bool(points)
    return PicturePanel(
        name=PICTURE,
        caption="The plate from above" + (f", with {' and '.join(drawn)}" if drawn else ""),
        box=BoxPart(left=box.left, top=box.top, right=box.right, bottom=box.bottom) if isinstance(box, Box) else None,
        points=[PlacePart(x=point.x, y=point.y) for point in points],
        shape=JOINED.get(outputs.get("skill", ""), Joining.LINE),
    )


def hope_of(panels: Sequence[Panel]) -> str:
    """Return in words how likely the present attempt is to work, from the panels of `told_of`."""
    shares = (panel.reliability for panel in panels if isinstance(panel, DecisionPanel))
    return next((f"I expect it to work: {share:.0%}." for share in shares if share is not None), "")


def items_of(bites: Sequence[Bite], now: int | None, most: int) -> ItemsPanel:
    """Return the bites of a meal: those that were taken, the one that is under way, and those to come.

    Args:
        bites: Bites that are over.
        now: Number of the bite that is under way; None if the meal is over and is summed up.
        most: Number of bites in the meal.
    """
    taken = {bite.number: _taken(bite) for bite in bites}
    return ItemsPanel(
        unit="bite",
        units="bites",
        items=[
            taken.get(number) or ItemPart(number=number, outcome="now" if number == now else "later")
            for number in range(1, most + 1)
        ],
        summary=_summary(bites) if now is None else None,
    )


def _summary(bites: Sequence[Bite]) -> ItemsSummary:
    return ItemsSummary(
        got=sum(bite.got for bite in bites),
        of=len(bites),
        queries=sum(len(bite.asked) for bite in bites),
        attempts=sum(bite.attempts for bite in bites),
    )


def _taken(bite: Bite) -> ItemPart:
    return ItemPart(
        number=bite.number,
        label=(bite.picked if bite.is_wrong else bite.food) or "",
        outcome="got" if bite.got else "wrong" if bite.is_wrong else "lost",
        attempts=bite.attempts,
        queries=len(bite.asked),
    )


def _chain(session: DurableSession, outputs: Mapping[str, Value], recalled: Collection[str]) -> ChainPanel:
    wrong, answered, pending = session.posterior, session.trail.answers, session.pending
    asked = None if pending is None or pending.action != "ask" else pending.module
    return ChainPanel(
        links=[
            ChainLink(
                module=module,
                label=LABELS[module],
                says=(_in_words(module, outputs[module]) + (AS_BEFORE if module in recalled else ""))[:MAX_OPTION],
                confidence=None if module in answered else round(1.0 - wrong[module], 4),
                by="person" if module in answered else "robot",
                asking=module == asked,
            )
            for module in MODULES
            if module in outputs
        ]
    )


def _in_words(module: str, value: Value) -> str:
    if isinstance(value, str):
        return value
    return "a box on the picture" if module == "box" else "two points on the picture"


def _decision(session: DurableSession) -> DecisionPanel | None:
    decision = next((event.decision for event in reversed(session.history) if isinstance(event, Decided)), None)
    if decision is None:
        return None
    return DecisionPanel(
        action=decision.action.value,
        module=decision.module,
        reason=decision.reason,
        reliability=round(session.reliability, 4),
    )
