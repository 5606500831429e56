"""Order of a meal, and the terms on which it is eaten."""

from __future__ import annotations

from dataclasses import dataclass

from handup.core import OutOfRange
from handup.domains.feeding import calibration
from handup.domains.feeding.looks import looks_of
from handup.people import BITE
from handup.recover import Settings
from handup.when import strategy

PERSON = "person"
"""Kind of people who answer and are not simulated."""
UNSEEN = {"food": 0.36, "box": 0.08}
"""Share of attempts on a module's mistake that look like a bite: the detector sees one, not of which food. Of 326
attempts alone on 40 hard plates (seeds 270,000 on) 39 of 107 that were first wrong in the food, and 3 of 36 in the box;
none of 46 that were wrong in skill or parameters only."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """Order of a meal: the plate, and how the robot serves it.

    Args:
        plate: The name of a plate.
        looks: `easy` or `hard`.
        method: How the robot decides; `never+query-then-execute` never asks, `topo+query-for-all` asks everything.
        bites: Most bites.
        attempts: Most attempts at each bite.
        seed: Seed of all chance.
        faulty: Whether the food detector is faulty, as in the core paper's appendix D.
        calibrators: `best`, or the paper's `interval` or `scaled`; with a faulty detector always `scaled`.
        expert: Probability that an answer is right, as the robot counts.
        rest_s: Seconds from a bite to the next: chewing.
        doubt_below: Certainty of a look at the fork below which a person is asked; 0 never asks.
        name: Name of the meal in the journal.
        kitchen: Number of the home, which looks the same at every meal; None for no home.

    Raises:
        OutOfRange: Fewer or more bites or attempts than may be.
        BadSetting: Unknown looks.
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
                raise OutOfRange.of(what, number, f"lie between 1 and {most}", hint="Give another number.")
        strategy(self.method)

    @property
    def settings(self) -> Settings:
        """Terms of one bite: time for every attempt and for every question before it.

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
        """Return the name of the run of a bite; each stop gives a new one."""
        return f"{self.name}/bite-{bite}" + (f"-after-stop-{stops}" if stops else "")

    @property
    def calibrated(self) -> str:
        """Name of the calibrators that are used."""
        return calibration.SCALED if self.faulty else self.calibrators


@dataclass(frozen=True, kw_only=True)
class MealTerms:
    """Terms of a meal beside its order.

    Args:
        people: Kind of people who answer: `simulated`, or a `person`.
        accuracy: Probability that simulated people are right; None for that of their model.
        networks: Networks that the robot sees with, as in `Modules.networks`; empty for others.
        memory: Whether the robot remembers answers.
        memory_store: Store of the memory, seen from the meal's own store; empty for that one, or none.
    """

    people: str = PERSON
    accuracy: float | None = None
    networks: str = ""
    memory: bool = False
    memory_store: str = ""
