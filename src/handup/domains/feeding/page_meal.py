"""Somebody watches the meal: every phase is told, the plate is shown while the arm moves, and a stop is heeded."""

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
"""The robot's name."""
SIZE = (480, 360)
"""Of live pictures, in px."""
EVERY_S = 0.16
"""Real time between two of them."""
QUALITY = 82
"""Of a JPEG."""
TRY_AGAIN_S = 0.3
AWAY = (ServerUnreachable, ServerBusy, StoreUnavailable)
"""What passes by itself: a picture is then put again."""
BETWEEN_BITES = (Phase.RESTING, Phase.DONE)
"""Then what the modules said of the last bite is no longer shown."""
_log = logging.getLogger("handup.meal")


@dataclass
class AtPage(Company):
    """Somebody at a page: company for a `Meal`.

    Args:
        place: Where the robot works, with its link and its speed.
        intent_s: Seconds, at a speed of 1, for which the robot says what it is about to do before it does it.
        size: Of live pictures.
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
        self.channels = (self,)  # it hears itself what is asked
        self._told = {"phase": Phase.LOOKING, "title": "The meal", "doing": "looking at the plate"}

    # -- as company --------------------------------------------------------------------------------------------------

    def sits_down(self, meal: Meal, desk: Desk) -> None:
        """The meal begins, or goes on."""
        self._meal, self._desk = meal, desk
        self.place.sit_down(desk=desk)
        self._snap()

    def guard(self, seconds: float) -> None:
        """Real time, holds, stops, and pictures."""
        self.place.guard(seconds)
        now = self.place.clock()
        if now >= self._shot + EVERY_S:
            self._shot = now
            self._snap()
            self._put()

    def shown(self, name: str, picture: Picture) -> None:
        """The picture of a question is there before the question is; where the server refuses it, there is none."""
        made, waited = jpeg(picture), False
        while not self._desk.stopped:
            try:
                self.place.keep(name, made)
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
        """Know the policy of a bite."""
        self._policy, self._run, self._number = policy, name, number

    def over(self, bites: Sequence[Bite]) -> None:
        """One more bite is over; after the last one, the meal."""
        self._bites = tuple(bites)
        self._snap()
        if len(bites) == self._meal.most_bites:
            got = sum(each.got for each in bites)
            self._tell(Phase.DONE, f"finished: {got} of {len(bites)} bites")

    def rest(self, until_s: float) -> None:
        """Somebody chews; after the last bite nobody waits for them."""
        if len(self._bites) == self._meal.most_bites:
            return
        left_s = until_s - self._desk.now_s()
        if left_s > 0.0:
            got = bool(self._bites) and self._bites[-1].got
            doing, what = ("waiting while you eat", "bite") if got else ("getting ready for the next try", "try")
            self._tell(Phase.RESTING, doing, f"The next {what} comes in about {left_s:.0f} s.")
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
        """Something is asked."""
        self._tell(Phase.ASKING, record.question.doing or "asking you", record.question.why)

    def taken(self, record: Record) -> None:
        """It was settled, or put off."""
        if record.status == "deferred":
            self._tell(Phase.DECIDING, "leaving you alone for a while", "You said: not now.")

    def close(self) -> None:
        """Nothing to give back."""

    # -- as watcher: what the policy is at ---------------------------------------------------------------------------

    def looks(self, policy: BitePolicy) -> None:
        """It looks at the plate."""
        self._tell(Phase.LOOKING, "looking at the plate")

    def thinks(self, policy: BitePolicy) -> None:
        """Every module has said what it thinks."""
        self._send(policy.picture())
        self._tell(Phase.DECIDING, "thinking about the next bite")

    def moves(self, policy: BitePolicy, outputs: Mapping[str, Value]) -> None:
        """It is about to act: it says so first, and waits a moment for a stop."""
        self._tell(Phase.DECIDING, f"about to {plan_of(outputs)}", None)
        self.place.guard.begin()
        self.place.guard.pause(self.intent_s / (self.place.speed or 1.0))
        self._tell(Phase.MOVING, f"trying to {plan_of(outputs)}", None)
        self.place.guard.begin()

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """It has acted."""
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
        """One picture of the plate as it is."""
        self._send(self._meal.world.glance("overhead", self.size))

    def _send(self, picture: Picture) -> None:
        self._pictures += 1
        if self.place.link is not None:
            self.place.link.picture(PICTURE, jpeg(picture))

    def _tell(self, phase: Phase, doing: str, why: str | None = "") -> None:
        """Tell; where `why` is None, how likely the robot thinks that it works."""
        number = None if phase is Phase.DONE else self._number
        most, session = self._meal.most_bites, None if phase in BETWEEN_BITES else self._session()
        recalled = self._policy.recalled if self._policy is not None else ()
        told = told_of(session, recalled)
        self._told = {
            "phase": phase,
            "title": "The meal" if number is None else f"Bite {number} of {most}",
            "doing": doing,
            "why": hope_of(told) if why is None else why,
        }
        self._panels = [*told, items_of(self._bites, number, most)]
        self._put()

    def _put(self, **instead: Any) -> None:
        self.place.show({**self.view(), **instead})

    def _session(self) -> DurableSession | None:
        """The session, as the journal has it; None before the run has begun."""
        journal = self._desk.journal
        if self._policy is None or not any(True for _ in journal.read(run=self._run, limit=1)):
            return None
        return session_of(journal, self._run, self._policy.graph, self._meal.strategy)


def jpeg(picture: Picture) -> bytes:
    """A picture as a file."""
    image_of, _ = pillow()
    made = io.BytesIO()
    image_of.fromarray(picture).save(made, "JPEG", quality=QUALITY)
    return made.getvalue()
