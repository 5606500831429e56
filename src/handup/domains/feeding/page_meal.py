"""Company of a meal at a page: shows people every phase, and the plate while the arm moves, and heeds their stop."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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
    Phase,
    PicturePanel,
    PlacePart,
)
from handup.desk import Desk, Record
from handup.domains.domain import STOPPED, Workplace
from handup.domains.feeding.meal_result import Bite
from handup.domains.feeding.module_outputs import Picture
from handup.domains.feeding.policy import DOUBT_BELOW, BitePolicy, Company
from handup.domains.feeding.questions import JOINED, plan_of
from handup.domains.feeding.truth import MODULES
from handup.journal import Journal
from handup.models.pictures import jpeg
from handup.policy import ModuleGraph
from handup.recover import DurableSession, Look
from handup.recover.events import Decided
from handup.when import Strategy

if TYPE_CHECKING:
    from handup.domains.feeding.meal import Meal


ROBOT = "plate"
"""Name of the robot."""
SIZE = (480, 360)
"""Size of live pictures, in px."""
EVERY_S = 0.16
"""Real time between two live pictures, in seconds."""
BETWEEN_BITES = (Phase.RESTING, Phase.DONE)
"""Phases in which the modules' outputs for the last bite are no longer shown."""
LABELS: Mapping[str, str] = {"food": "Food", "box": "Place", "skill": "Way", "params": "Aim"}
"""Names of the modules on a page."""
AS_BEFORE = ", as I was told before"
PICTURE = "live/plate"
"""Name of the picture that changes while the robot moves."""


@dataclass
class AtPage(Company):
    """Company of a `Meal` at a page.

    Args:
        place: Workplace of the robot, with its link and its speed.
        intent_s: Seconds, at a speed of 1, for which the robot announces an action before it begins.
        size: Size of live pictures, in px.
    """

    place: Workplace
    intent_s: float = 1.5
    size: tuple[int, int] = SIZE
    name: str = field(default="page", init=False)
    _meal: Meal = field(init=False)
    _desk: Desk = field(init=False)
    _policy: BitePolicy | None = field(default=None, init=False)
    _run: str = field(default="", init=False)
    _number: int = field(default=1, init=False)
    _bites: tuple[Bite, ...] = field(default=(), init=False)
    _pictures: int = field(default=0, init=False)
    _shot: float = field(default=float("-inf"), init=False)
    _told: dict[str, Any] = field(init=False)
    _panels: Sequence[Panel] = field(default=(), init=False)

    def __post_init__(self) -> None:
        self.channels = (self,)  # as a channel it hears of questions, to tell them as a phase
        self._told = {"phase": Phase.LOOKING, "title": "The meal", "doing": "looking at the plate"}

    # -- as company --------------------------------------------------------------------------------------------------

    def sits_down(self, meal: Meal, desk: Desk) -> None:
        """Note the meal that begins, or goes on."""
        self._meal, self._desk = meal, desk
        self.place.sit_down(desk=desk)
        self._snap()

    def guard(self, seconds: float) -> None:
        """Keep real time, hold, heed stops, and send pictures."""
        self.place.guard(seconds)
        now = self.place.clock()
        if now >= self._shot + EVERY_S:
            self._shot = now
            self._snap()
            self._put()

    def shown(self, name: str, picture: Picture) -> None:
        """Put the picture of a question on the server before the question; where it is refused, ask without it."""

        def waits(why: str) -> None:
            self._put(phase=Phase.HOLDING, doing="waiting for the server", why=why)

        if self.place.put_picture(name, jpeg(picture), waits=waits):
            self._put()

    def begins(self, policy: BitePolicy, name: str, number: int) -> None:
        """Note the policy of the bite that begins."""
        self._policy, self._run, self._number = policy, name, number

    def over(self, bites: Sequence[Bite]) -> None:
        """Show that one more bite is over; after the last one, the meal."""
        self._bites = tuple(bites)
        self._snap()
        if len(bites) == self._meal.most_bites:
            got = sum(bite.got for bite in bites)
            self._tell(Phase.DONE, f"finished: {got} of {len(bites)} bites")

    def rest(self, until_s: float) -> None:
        """Wait while the person chews; after the last bite nobody waits."""
        if len(self._bites) == self._meal.most_bites:
            return
        left_s = until_s - self._desk.now_s()
        if left_s > 0.0:
            got = bool(self._bites) and self._bites[-1].got
            doing, next_thing = ("waiting while you eat", "bite") if got else ("getting ready for the next try", "try")
            self._tell(Phase.RESTING, doing, f"The next {next_thing} comes in about {left_s:.0f} s.")
        while (left_s := until_s - self._desk.now_s()) > 0.0 and not self._desk.stopped:
            self._desk.watch(min(left_s, 0.5))
        if self._desk.stopped:
            self.goes_on()

    def goes_on(self) -> bool:
        """Wait until somebody lets the robot go on."""
        if self._desk.stopped:
            self._tell(Phase.STOPPED, STOPPED)
        self.place.await_enabled()
        return True

    # -- as channel: what is asked -----------------------------------------------------------------------------------

    def show(self, record: Record, desk: Desk) -> None:
        """Show that a question is open."""
        self._tell(Phase.ASKING, record.question.doing or "asking you", record.question.why)

    def taken(self, record: Record) -> None:
        """Show that a question was put off."""
        if record.status == "deferred":
            self._tell(Phase.DECIDING, "leaving you alone for a while", "You said: not now.")

    def close(self) -> None:
        """Do nothing: no channel is open."""

    # -- as watcher: what the policy is at ---------------------------------------------------------------------------

    def looks(self, policy: BitePolicy) -> None:
        """Show that the robot looks at the plate."""
        self._tell(Phase.LOOKING, "looking at the plate")

    def thinks(self, policy: BitePolicy) -> None:
        """Show the outputs of all modules."""
        self._send(policy.picture())
        self._tell(Phase.DECIDING, "thinking about the next bite")

    def moves(self, policy: BitePolicy, outputs: Mapping[str, Value]) -> None:
        """Announce the action, wait a moment for a stop, and show that it begins."""
        self._tell(Phase.DECIDING, f"about to {plan_of(outputs)}", None)
        self.place.guard.begin()
        self.place.guard.pause(self.intent_s / (self.place.speed or 1.0))
        self._tell(Phase.MOVING, f"trying to {plan_of(outputs)}", None)
        self.place.guard.begin()

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """Show the robot's own look at the fork."""
        self._snap()
        sure = "I think I have it" if look.ok else "I missed it"
        verdict = "I cannot tell" if look.certainty < DOUBT_BELOW else sure
        self._tell(Phase.LOOKING, f"looking at the fork: {verdict}")

    # -- as a robot's work -------------------------------------------------------------------------------------------

    def holds(self, held: bool) -> None:
        """Take note that the arm holds, or goes on."""
        if held:
            self._put(phase=Phase.HOLDING, doing="holding still until the link is back")
        else:
            self._put()

    def view(self) -> dict[str, Any]:
        """Return what people see."""
        plate, others = self._panels[:1], self._panels[1:]
        panels = [*(panel.model_copy(update={"seq": self._pictures}) for panel in plate), *others]
        return {**self._told, "at_s": self.place.journal.clock.now_s(), "panels": panels}

    # -- inside ------------------------------------------------------------------------------------------------------

    def _snap(self) -> None:
        """Send one picture of the plate as it is."""
        self._send(self._meal.world.glance("overhead", self.size))

    def _send(self, picture: Picture) -> None:
        self._pictures += 1
        if self.place.link is not None:
            self.place.link.picture(PICTURE, jpeg(picture))

    def _tell(self, phase: Phase, doing: str, why: str | None = "") -> None:
        """Show people a phase. If `why` is None, it is the probability with which the robot expects success."""
        number = None if phase is Phase.DONE else self._number
        most, session = self._meal.most_bites, None if phase in BETWEEN_BITES else self._session()
        recalled = self._policy.recalled if self._policy is not None else ()
        panels = told_of(session, recalled)
        self._told = {
            "phase": phase,
            "title": "The meal" if number is None else f"Bite {number} of {most}",
            "doing": doing,
            "why": hope_of(panels) if why is None else why,
        }
        self._panels = [*panels, items_of(self._bites, number, most)]
        self._put()

    def _put(self, **instead: Any) -> None:
        self.place.show({**self.view(), **instead})

    def _session(self) -> DurableSession | None:
        """Return the session, as the journal has it; None before the run has begun."""
        journal = self._desk.journal
        if self._policy is None or not any(True for _ in journal.read(run=self._run, limit=1)):
            return None
        return session_of(journal, self._run, self._policy.graph, self._meal.strategy)


# -- panels ------------------------------------------------------------------------------------------------------------
# Panels are made from the session as the journal has it, so a robot that was killed shows the same as before.


@dataclass(frozen=True)
class _Whenever:
    """Person who may always be asked. A session needs one, but this one is only looked at and never asks."""

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
        summary=ItemsSummary(
            got=sum(bite.got for bite in bites),
            of=len(bites),
            queries=sum(len(bite.asked) for bite in bites),
            attempts=sum(bite.attempts for bite in bites),
        )
        if now is None
        else None,
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
