"""A meal as a task: one step is one bite, and the rest before the next; and the company of a person at the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from handup.core import Person
from handup.core.panels import Phase
from handup.desk import Record
from handup.desk.terminal import ForegroundTerminal
from handup.domains.domain import PAGE, SIMULATED, TERMINAL, Domain, Workplace
from handup.domains.feeding.film import gridded
from handup.domains.feeding.meal import NAME, Meal
from handup.domains.feeding.memory_modules import memory_in
from handup.domains.feeding.module_outputs import Picture
from handup.domains.feeding.modules import Modules
from handup.domains.feeding.order import WORLD, MealTerms, Order, ordered_as, read_order
from handup.domains.feeding.page_meal import ROBOT, AtPage, items_of
from handup.domains.feeding.policy import DOUBT_BELOW, BitePolicy, Company
from handup.domains.feeding.questions import plan_of
from handup.memory import Memory
from handup.models.pictures import marked, pillow
from handup.recover import Look

PICTURES = Path("meal-pictures")
"""Folder for pictures of the plate as the robot sees it."""


class AtTerminal(ForegroundTerminal, Company):
    """Company at a terminal, and the way in which questions reach them."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.channels = (self,)
        self._seen: tuple[str, Picture] | None = None
        self._number = 1

    # -- as company --------------------------------------------------------------------------------------------------

    def shown(self, name: str, picture: Picture) -> None:
        """Keep the picture of the question that comes next."""
        self._seen = (name, picture)

    def begins(self, policy: BitePolicy, name: str, number: int) -> None:
        """Take the number of the bite."""
        self._number = number

    # -- as channel --------------------------------------------------------------------------------------------------

    def prepared(self, record: Record) -> Record:
        """Return the question with its picture as a file."""
        return replace(record, question=replace(record.question, image=self._kept(record)))

    # -- as watcher --------------------------------------------------------------------------------------------------

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """Print one line about an attempt, as somebody sees it who sits at the plate."""
        acted = policy.acts.last
        assert acted is not None
        verdict = "I think I have it" if look.ok else "I think I missed it"
        on_fork = acted.execution.picked or "nothing"
        tries = len(policy.acts.done)
        self.say(
            f"Bite {self._number}, attempt {tries}: I tried to {plan_of(acted.outputs)}. {verdict}. "
            f"On the fork: {on_fork} ({acted.execution.reason})."
        )

    def _kept(self, record: Record) -> str | None:
        """Write a question's picture to a file, with the robot's guess and a grid in per cent; return its path."""
        name = record.question.image
        if self._seen is None or name != self._seen[0]:
            return name
        place = PICTURES / f"{name.replace('/', '-')}.png"
        image_of, _ = pillow()
        image = image_of.fromarray(marked(gridded(self._seen[1]), [record.question.guess]))
        try:
            PICTURES.mkdir(exist_ok=True)
            image.save(place)
        except OSError as error:
            return f"none; it could not be written to {place} ({error.strerror or error})"
        return str(place)


class MealTask:
    """A meal. See `handup.domains.Task`.

    Args:
        order: Order of the meal; its name is that of the place's run.
        place: Workplace of the robot.
        modules: The four modules; None for the shipped ones.
        accuracy: Probability that simulated people are right; None for that of their model.
        film: List that takes the frames of a film.
        memory: Memory of the household.
    """

    interruptible = True

    def __init__(
        self,
        order: Order,
        place: Workplace,
        *,
        modules: Modules | None = None,
        accuracy: float | None = None,
        film: list[Picture] | None = None,
        memory: Memory | None = None,
    ) -> None:
        self._page = AtPage(place) if place.link is not None else None
        company: Company | None = self._page
        if place.people == TERMINAL:  # the company of a terminal is its own channel
            place.channels, company = (), AtTerminal()
        modules = modules or Modules.load()
        self.meal = Meal(order, place.journal, modules=modules, film=film, company=company, memory=memory)
        channels = [self.meal.simulated(accuracy=accuracy)] if place.people == SIMULATED else []
        desk = place.sit_down(Person(name=NAME), channels=[*(company.channels if company else ()), *channels])
        self._bites = self.meal.bites(channels, desk)
        self.eaten = 0
        """Number of bites until now."""
        self._over = False

    def step(self) -> float | None:
        """Eat the next bite."""
        self._over = next(self._bites, None) is None
        self.eaten += not self._over
        return None if self._over else 0.0

    def hold(self, held: bool) -> None:
        """Take note that the arm holds, or goes on."""
        if self._page is not None:
            self._page.holds(held)

    def view(self) -> Mapping[str, Any]:
        """Return the meal as people see it."""
        if self._page is not None:
            return self._page.view()
        bites = self.meal.served.bites if self.eaten else ()
        number = None if self._over else self.eaten + 1
        phase = Phase.DONE if self._over else Phase.MOVING
        return {"phase": phase, "title": "The meal", "panels": [items_of(bites, number, self.meal.most_bites)]}

    def result(self) -> Mapping[str, Any]:
        """Return how the meal went, without the foods that were meant: people may have named them."""
        served = self.meal.served
        words = f"{served.got} of {len(served.bites)} bites of the food that was meant."
        bites = [{name: value for name, value in bite.to_json().items() if name != "food"} for bite in served.bites]
        return {**served.to_json(), "bites": bites, "in_words": words}

    def close(self) -> None:
        """Close the world; the meal can go on later."""
        self._bites.close()
        self.meal.close()


def _begin(order: Order, place: Workplace) -> MealTask:
    known = ordered_as(place.journal, place.run)
    if known is None:
        doubt_below = order.doubt_below if place.people == SIMULATED else DOUBT_BELOW
        order = replace(order, name=place.run, doubt_below=doubt_below)
        terms = MealTerms(memory=place.people != SIMULATED)
    else:
        order, terms = read_order(known)
    memory = memory_in(place.journal) if terms.memory else None
    return MealTask(order, place, accuracy=terms.accuracy, memory=memory)


DOMAIN = Domain(
    name=WORLD,
    about="A robot arm feeds bites from a plate, and asks where they are and how to take them.",
    robot=ROBOT,
    order=Order,
    task=_begin,
    people=(PAGE, TERMINAL, SIMULATED),
    studies=("meal-methods", "meal-heterogeneity", "meal-home", "meal-memory"),
)
