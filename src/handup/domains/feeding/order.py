"""What is ordered for a meal, and on which terms it is eaten."""

from __future__ import annotations

from dataclasses import dataclass

from handup.core import BadSetting
from handup.domains.feeding import calibration
from handup.domains.feeding.looks import looks_of
from handup.people import BITE
from handup.recover import Settings
from handup.when import strategy

PERSON = "person"
"""Whoever answers and is not simulated."""
UNSEEN = {"food": 0.36, "box": 0.08}
"""How often an attempt on a module's mistake looks like a bite: the detector sees that there is one, not whose. Of 326
attempts alone on 40 hard plates (seeds 270,000 on) 39 of 107 that were first wrong in the food, and 3 of 36 in the box;
none of 46 that were wrong in skill or parameters only."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is served, and how the robot eats it.

    Args:
        plate: The name of a plate.
        looks: `easy` or `hard`.
        method: How the robot decides; `never+query-then-execute` never asks, `topo+query-for-all` asks everything.
        bites: How many.
        attempts: At each, at most.
        seed: Everything that chance decides.
        faulty: Whether the food detector is faulty, as in the core paper's appendix D.
        calibrators: `best`, or the paper's `interval` or `scaled`; with a faulty detector always `scaled`.
        expert: How far the robot trusts an answer.
        rest_s: From a bite to the next: chewing.
        doubt_below: A look at the fork that is less certain than this is a question; 0 never asks.
        name: Of the meal in the journal.
        kitchen: The home it is eaten in, which looks the same at every meal; None: no one's.

    Raises:
        BadSetting: No bites, no attempts, or unknown looks.
        UnknownMethod: No such method.
    """

    plate: str = "savory salad"
    looks: str = "easy"
    method: str = "troubleshoot"
    bites: int = 5
    attempts: int = 3
    seed: int = 0
    faulty: bool = False
    calibrators: str = calibration.BEST
    expert: float = 0.97
    rest_s: float = 20.0
    doubt_below: float = 0.0
    name: str = "meal"
    kitchen: int | None = None

    def __post_init__(self) -> None:
        looks_of(self.looks)
        for what, number, most in (("bites", self.bites, 20), ("attempts", self.attempts, 10)):
            if not 1 <= number <= most:
                raise BadSetting(f"{number} {what}", hint=f"Give 1 to {most}.")
        strategy(self.method)

    @property
    def settings(self) -> Settings:
        """The terms of one bite: time for every attempt and for every question before it.

        A bite of another food is as bad as one that was given up. Nobody is asked twice about what still holds.
        """
        return Settings(
            expert=self.expert,
            horizon=float(self.attempts * (len(BITE) + 1)),
            max_executions=self.attempts,
            ask_again=False,
            unseen=UNSEEN,
        )

    def run_of(self, bite: int, stops: int = 0) -> str:
        """The run of a bite; a new one after each stop."""
        return f"{self.name}/bite-{bite}" + (f"-after-stop-{stops}" if stops else "")

    @property
    def calibrated(self) -> str:
        """Which calibrators are used."""
        return calibration.SCALED if self.faulty else self.calibrators


@dataclass(frozen=True, kw_only=True)
class MealTerms:
    """What else decides how a meal goes.

    Args:
        people: Who answers: `simulated`, or a `person`.
        accuracy: How often simulated people are right; None: as their model says.
        networks: Which networks the robot sees with, as `Modules.networks` says; empty where it has others.
        memory: Whether it remembers what it is told.
        memory_store: Where that is kept, seen from the meal's own store; empty where it is that one, or none.
    """

    people: str = PERSON
    accuracy: float | None = None
    networks: str = ""
    memory: bool = False
    memory_store: str = ""
