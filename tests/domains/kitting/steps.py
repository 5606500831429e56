"""Starting actions of the kitting world by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from handup.domains.kitting import KittingWorld, rates
from handup.domains.kitting.rates import Rates
from handup.executive.action import Call, Done, Outcome


class Hands:
    """Starts one action after another, and lets their time pass."""

    def __init__(self, world: KittingWorld) -> None:
        self.world = world
        self.actions = world.actions()
        self.number = 0

    def do(self, name: str, **goal: Any) -> Outcome:
        self.number += 1
        action = self.actions[name]()
        action.start(Call(goal=goal, number=self.number))
        work = action.step()
        while True:
            try:
                self.world.clock.advance(next(work).for_s)
            except StopIteration as end:
                outcome: Outcome = end.value
                return outcome

    def done(self, name: str, **goal: Any) -> dict[str, Any]:
        """The results; fails where the action gave up."""
        outcome = self.do(name, **goal)
        assert isinstance(outcome, Done), outcome
        return dict(outcome.results)

    def grasps(self, part: str) -> Any:
        """Look for a part on the table before the robot."""
        self.done("look", pose="table")
        clusters = self.done("segment")["clusters"]
        candidates = self.done("recognise", object=part, clusters=clusters)["candidates"]
        return self.done("calculate_grasps", object=part, candidates=candidates)["grasps"]

    def kit(self) -> None:
        """An empty kit onto the robot."""
        self.done("navigate", to="kits")
        self.done("pick_kit", kit=self.done("detect_kit")["kit"])
        self.done("place_kit_on_robot")

    def fetch(self, part: str, station: str) -> None:
        """A part from its table into the hand."""
        self.done("navigate", to=station)
        self.done("pick", object=part, grasps=self.grasps(part))

    def into_kit(self, part: str) -> None:
        """What is in the hand into the kit."""
        self.done("move_arm", pose="above")
        self.done("place_in_kit", object=part)
        self.done("check_kit")


def only(cause: str, rate: float) -> Rates:
    """A world in which nothing but one cause comes up, at this rate."""
    quiet = rates().without_faults()
    return replace(quiet, causes={**quiet.causes, cause: replace(quiet.causes[cause], rate=rate)})
