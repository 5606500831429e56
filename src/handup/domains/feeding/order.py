"""Order of a meal, and the terms on which it is eaten; and both as a store keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from handup.core import BadRecord, OutOfRange, UnknownName, event
from handup.domains.feeding import calibration
from handup.domains.feeding.looks import looks_of
from handup.journal import Journal
from handup.journal.writer import Writer
from handup.people import BITE
from handup.recover import Settings
from handup.when import strategy

PERSON = "person"
"""Kind of people who answer and are not simulated."""
UNSEEN = {"food": 0.36, "box": 0.08}
"""Share of attempts on a module's mistake that look like a bite: the detector sees one, not of which food. Of 326
attempts alone on 40 hard plates (seeds 270,000 on) 39 of 107 that were first wrong in the food, and 3 of 36 in the box;
none of 46 that were wrong in skill or parameters only."""
RUN = "meals"
"""Run under which a journal keeps the orders of meals and their terms."""
WORLD = "feeding"
"""Name of the domain."""
CALLED: Mapping[str, str] = {
    "faulty": "faulty detector",
    "expert": "trust in answers",
    "rest_s": "rest",
    "doubt_below": "doubt about the fork below",
    "memory_store": "a memory in",
}
"""Names of the parts of an order in a message, where they differ from the field's name."""
UNSAID: Mapping[str, str] = {"memory_store": "the meal's own store"}
"""Words in a message for an empty part."""
LATER: Mapping[str, Any] = {"kitchen": None, "memory": False, "memory_store": ""}
"""Values of parts that older orders lack; an order with just these values is written without them."""
ANOTHER = "Use another --store file, or --new."


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


# -- orders on a store -------------------------------------------------------------------------------------------------
# Order and terms are written down before the first bite. Whoever goes on with a meal must want the same.


@event("feeding.ordered")
@dataclass(frozen=True, kw_only=True)
class MealOrdered:
    """A meal begins.

    Args:
        name: Name of the meal: its bites are runs of this name.
        order: The order, as `Order` has it.
        terms: The terms, as `MealTerms` has them.
    """

    name: str
    order: dict[str, Any]
    terms: dict[str, Any] = field(default_factory=dict)


@event("feeding.finished")
@dataclass(frozen=True, kw_only=True)
class MealFinished:
    """A meal of 0.1.0 is over: all bites were tried, or nothing was left. Now `tasks.over` says so."""

    name: str


def ordered_as(log: Journal | Writer, name: str) -> MealOrdered | None:
    """Return how a meal was ordered; None where there is none of this name."""
    return next((meal for meal in orders_on(log) if meal.name == name), None)


def orders_on(log: Journal | Writer) -> list[MealOrdered]:
    """Return the orders of all meals, oldest first."""
    return [entry.event for entry in log.read(run=RUN) if isinstance(entry.event, MealOrdered)]


def meal_id(journal: Journal, name: str) -> str:
    """Return an id that no other meal has, on whatever store. It names nobody.

    Raises:
        UnknownName: The meal was not begun.
    """
    for entry in journal.read(run=RUN):
        if isinstance(entry.event, MealOrdered) and entry.event.name == name:
            return entry.hash[:16]
    raise UnknownName(f"there is no meal '{name}' on this store", hint="Begin it first: Meal.eat does.")


def begin(journal: Journal, order: Order, terms: MealTerms) -> None:
    """Write down what is eaten, once, before the first bite.

    Raises:
        BadRecord: The journal holds another meal of this name.
    """
    with journal.writing() as writer:
        known = ordered_as(writer, order.name)
        if known is None:
            writer.append(ordered_of(order, terms), run=RUN)
        else:
            refuse_another(known, order, terms)


def refuse_another(known: MealOrdered, order: Order, terms: MealTerms | None = None) -> None:
    """Refuse to go on with a meal that was ordered otherwise.

    Args:
        known: The order in the journal.
        order: The order that is wanted now.
        terms: The terms that are wanted now; None for any.

    Raises:
        BadRecord: Something differs; the message names it.
    """
    before = {**LATER, **known.order, **known.terms}
    now = {**asdict(order), **({} if terms is None else asdict(terms))}
    others = [name for name, value in now.items() if name not in before or before[name] != value]
    if others:
        differences = "; ".join(
            f"{CALLED.get(name, name)} {_in_words(name, before.get(name))}, not {_in_words(name, now[name])}"
            for name in others
        )
        raise BadRecord(f"the meal on this store has {differences}", hint=ANOTHER)


def ordered_of(order: Order, terms: MealTerms) -> MealOrdered:
    """Return the entry that orders a meal."""
    return MealOrdered(name=order.name, order=_parts(order), terms=_parts(terms))


def _parts(of: Order | MealTerms) -> dict[str, Any]:
    return {name: value for name, value in asdict(of).items() if (name, value) not in LATER.items()}


def _in_words(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) if value not in {None, ""} else UNSAID.get(name, "not set")


def read_order(ordered: MealOrdered) -> tuple[Order, MealTerms]:
    """Return what was ordered for a meal, and its terms.

    Raises:
        BadRecord: They are of another version.
    """
    try:
        return Order(**ordered.order), MealTerms(**ordered.terms)
    except TypeError as error:
        cause = f"the order of '{ordered.name}' is of another version: {error}"
        raise BadRecord(cause, hint="Begin a new meal with --new.") from None
