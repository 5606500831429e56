"""A domain in a package of its own: a robot fetches cups from a shelf, asks, shows what it does, and resumes.

Announced under `handup.domains` in its package's `pyproject.toml`, it is a world of `handup run --world shelf`, with a
page. Robot, confidences and chance are made up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from handup import Look, Module, ModuleGraph, Outcome, Pass, Question, run
from handup.core import Person, QuestionKind, Value
from handup.core.panels import ChainLink, ChainPanel, ItemPart, ItemsPanel, Phase
from handup.domains import PAGE, SIMULATED, TERMINAL, Domain, Workplace

COLOURS, SIDES = ("red", "blue", "white"), ("from the side", "from above")
REACH_S = 4.0
"""Seconds that a try takes."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """The work: so many cups, on a shelf that chance arranges by a seed."""

    cups: int = 3
    seed: int = 0


class Grasp:
    """The policy of one cup: which one is meant, and how to hold it."""

    graph = ModuleGraph.chain(
        [
            Module("cup", 0.6, 0.2, question=Question("Which cup comes next?", QuestionKind.CHOICE, COLOURS)),
            Module("grip", 0.8, 0.4, ("cup",), question=Question("How shall I hold it?", QuestionKind.CHOICE, SIDES)),
        ]
    )

    def __init__(self, number: int, order: Order, place: Workplace) -> None:
        chance = np.random.default_rng((order.seed, number))
        self.right = {"cup": COLOURS[chance.integers(3)], "grip": SIDES[chance.integers(2)]}
        self.sure = {"cup": float(chance.uniform(0.3, 0.95)), "grip": float(chance.uniform(0.5, 0.95))}
        self.guess: dict[str, Value] = {}
        for (module, right), options in zip(self.right.items(), (COLOURS, SIDES), strict=True):
            wrong = [option for option in options if option != right]
            self.guess[module] = right if chance.uniform() < self.sure[module] else wrong[0]
        self._place = place

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        """Return what each module says and how sure it is; an answer replaces a module."""
        return Pass(outputs={**self.guess, **answers}, confidences=self.sure)

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """Reach. The wait holds without a link, and ends at a stop."""
        self._place.wait(REACH_S)
        return Look(dict(outputs) == self.right and not self._place.stopped)

    def sense(self, action_id: str) -> Look:
        """Tell after a crash: a simulated robot that was cut off holds nothing."""
        return Look(False)


class Fetching:
    """The task: cup after cup, each in a run of its own, which goes on where a killed program left it."""

    interruptible = True

    def __init__(self, order: Order, place: Workplace) -> None:
        self.order, self.place = order, place
        self.fetched: list[bool] = []
        self.policy = Grasp(1, order, place)
        self.phase, self.tries = Phase.LOOKING, 1
        truthful = place.simulated(self._truth, np.random.default_rng(order.seed))
        place.sit_down(Person(name=place.person), channels=truthful)

    def step(self) -> float | None:
        """Fetch the next cup; after a stop, begin it again once somebody lets the robot go on."""
        if len(self.fetched) == self.order.cups:
            self.phase = Phase.DONE
            return None
        number = len(self.fetched) + 1
        self.policy, self.phase = Grasp(number, self.order, self.place), Phase.MOVING
        self.place.show(self.view())
        episode = run(self.policy, "troubleshoot", self.place.desk, run=f"{self.place.run}/cup-{number}-{self.tries}")
        if episode.outcome is Outcome.STOPPED:
            self.phase, self.tries = Phase.STOPPED, self.tries + 1
            self.place.show(self.view())
            self.place.await_enabled()
            return 0.0
        self.fetched.append(episode.outcome is Outcome.RECOVERED)
        self.tries, self.phase = 1, Phase.RESTING
        return 1.0

    def hold(self, held: bool) -> None:
        """Show that the robot holds still, or goes on."""
        self.phase = Phase.HOLDING if held else Phase.MOVING
        self.place.show(self.view())

    def view(self) -> Mapping[str, Any]:
        """Return what people see: how sure each module is, and the cups."""
        now = len(self.fetched) + 1
        cups = [
            ItemPart(number=number, outcome="now" if number == now else "later")
            if number >= now
            else ItemPart(number=number, outcome="got" if self.fetched[number - 1] else "lost")
            for number in range(1, self.order.cups + 1)
        ]
        links = [
            ChainLink(module=module, says=str(self.policy.guess[module]), confidence=sure)
            for module, sure in self.policy.sure.items()
        ]
        panels = [ChainPanel(links=links), ItemsPanel(unit="cup", units="cups", items=cups)]
        return {
            "phase": self.phase,
            "title": "Fetching cups",
            "doing": f"cup {min(now, self.order.cups)}",
            "panels": panels,
        }

    def result(self) -> Mapping[str, Any]:
        """Return what came of it."""
        return {"fetched": sum(self.fetched), "in_words": f"{sum(self.fetched)} of {self.order.cups} cups."}

    def close(self) -> None:
        """Nothing to give back: an open question waits for the next program."""

    def _truth(self, question: Question) -> Value:
        return self.policy.right["cup" if question.options == COLOURS else "grip"]


DOMAIN = Domain(
    name="shelf",
    about="A robot fetches cups from a shelf.",
    robot="shelf",
    order=Order,
    task=Fetching,
    people=(PAGE, TERMINAL, SIMULATED),
)
