"""Reaching as a domain: a person drives at the page, or a simulated one reaches without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from handup.core.panels import Phase
from handup.domains.domain import PAGE, SIMULATED, Domain, Task, Workplace
from handup.domains.reaching.drawn_person import User
from handup.domains.reaching.driven_hand import Drive
from handup.domains.reaching.episode import episode, method
from handup.domains.reaching.page_drive import PERSON, ROBOT, RUN, Seat, go_on
from handup.domains.reaching.scenes import scene
from handup.domains.reaching.steering_habits import SteeringHabit
from handup.domains.reaching.trial import Rules, Trial
from handup.domains.runs import Ordered, TaskStarted, begin_run, find_run, latest_run, next_name
from handup.journal import Journal


@dataclass(frozen=True, kw_only=True)
class Reach:
    """Order of an attempt: the goal, the helper, and a simulated person.

    Args:
        scene: S1, S2, U6 or U22.
        task: Name of a goal; empty for any, and for a simulated person the scene's first.
        method: Name of the helper.
        limit_s: Time for a person at the page, in seconds.
        user: Steering habit of a simulated person.
        seed: Seed of a simulated person. Those of the study, 0 to 999, are looked at only in its own run.

    Raises:
        BadGoals: The task is no goal of the scene.
        UnknownMethod: There is no such method.
    """

    scene: str = "S1"
    task: str = ""
    method: str = "assist"
    limit_s: float = 600.0
    user: SteeringHabit = SteeringHabit.STOP_BESIDE
    seed: int = 5000

    def __post_init__(self) -> None:
        self.drive()

    def drive(self) -> Drive:
        """Return a new attempt of a person at the page."""
        return Drive(scene(self.scene), self.task, self.method, Rules(limit_s=self.limit_s))

    def trial(self) -> Trial:
        """Return a whole trial of a simulated person."""
        where = scene(self.scene)
        person = User(strategy=self.user)
        return episode(where, self.task or where.tasks[0], person, method(self.method), self.seed)


class SimulatedReach:
    """A trial of a simulated person, as a task of one step."""

    interruptible = True

    def __init__(self, order: Reach) -> None:
        self._order = order
        self._trial: Trial | None = None

    def step(self) -> None:
        """Do the whole trial."""
        self._trial = self._order.trial()

    def hold(self, held: bool) -> None:
        """Do nothing: no time passes."""

    def view(self) -> Mapping[str, Any]:
        """Return the few things that can be shown."""
        return {"phase": Phase.MOVING if self._trial is None else Phase.DONE, "title": f"Scene {self._order.scene}"}

    def result(self) -> Mapping[str, Any]:
        """Return the trial."""
        trial = self._trial
        return {} if trial is None else {**trial.to_json(), "in_words": f"{trial.attempts[-1].ending}."}

    def close(self) -> None:
        """Do nothing: no file is open."""


def run_of(journal: Journal, order: Reach) -> str:
    """Return the name of the attempt at the page that goes on, if it was ordered like this; else that of a new one.

    An attempt of 0.1.0 has no order; one that was cut off is ordered now under the name that it has.
    """
    options, snapshot = DOMAIN.options_of(order), journal.snapshot(RUN)
    kept = "" if snapshot is None or "drive" not in snapshot.state else str(snapshot.state["run"])
    with journal.writing() as writer:
        last = latest_run(writer, lambda ordered: (ordered.world, ordered.people) == (DOMAIN.name, PAGE))
        if last is not None and last.over is None and last.begun == TaskStarted(options=options):
            return last.order.name
        name = kept if kept and find_run(writer, kept) is None else next_name(writer, RUN)
        return begin_run(writer, Ordered(name=name, world=DOMAIN.name, people=PAGE), options).name


def _begin(order: Reach, place: Workplace) -> Task:
    if place.people == SIMULATED:
        return SimulatedReach(order)
    return Seat(go_on(order.drive(), place.sit_down(PERSON), place.run), place)


DOMAIN = Domain(
    name="reaching",
    about="A person steers a hand to an object, and the robot guesses which, helps, holds back or asks.",
    robot=ROBOT,
    order=Reach,
    task=_begin,
    people=(PAGE, SIMULATED),
    studies=("reaching",),
)
