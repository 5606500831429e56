"""Company at a page: every phase is told, the plate is shown while the arm moves, and a stop is heeded."""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from handup.core import HandupError, ServerBusy, ServerUnreachable, StoreUnavailable, Value
from handup.core.panels import Panel, Phase
from handup.desk import Desk, Record
from handup.domains.domain import STOPPED, Workplace
from handup.domains.feeding.meal_result import Bite
from handup.domains.feeding.module_outputs import Picture
from handup.domains.feeding.page_state import PICTURE, hope_of, items_of, session_of, told_of
from handup.domains.feeding.policy import DOUBT_BELOW, BitePolicy
from handup.domains.feeding.questions import plan_of
from handup.domains.feeding.watcher import Company
from handup.models.pictures import pillow
from handup.recover import DurableSession, Look

if TYPE_CHECKING:
    from handup.domains.feeding.meal import Meal

ROBOT = "plate"
"""Name of the robot."""
SIZE = (480, 360)
"""Size of live pictures, in px."""
EVERY_S = 0.16
"""Real time between two live pictures, in seconds."""
QUALITY = 82
"""Quality of a JPEG, from 0 to 100."""
TRY_AGAIN_S = 0.3
AWAY = (ServerUnreachable, ServerBusy, StoreUnavailable)
"""Errors that pass by themselves: a picture is then put again."""
BETWEEN_BITES = (Phase.RESTING, Phase.DONE)
"""Phases in which the modules' outputs for the last bite are no longer shown."""
_log = logging.getLogger("handup.meal")


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
        """Take the meal that begins, or goes on."""
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
        file, waited = jpeg(picture), False
        while not self._desk.stopped:
            try:
                self.place.keep(name, file)
            except AWAY as error:
                if not waited:
                    _log.warning("the picture of a question cannot be put on the server yet: %s", error)
                    self._put(phase=Phase.HOLDING, doing="waiting for the server", why=f"{error.cause}.")
                waited = True
                self.place.sleep(TRY_AGAIN_S)
            except HandupError as error:
                _log.warning("a question is asked without its picture: %s", error)
                break
            else:
                break
        if waited:
            self._put()

    def begins(self, policy: BitePolicy, name: str, number: int) -> None:
        """Take the policy of the bite that begins."""
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
        """Tell a phase; where `why` is None, with how likely the robot thinks that the action works."""
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


def jpeg(picture: Picture) -> bytes:
    """Return a picture as a JPEG file."""
    image_of, _ = pillow()
    file = io.BytesIO()
    image_of.fromarray(picture).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()
