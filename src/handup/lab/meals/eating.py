"""Eats the meals of a sitting: the real robot of `handup meal`, a simulated participant, one journal for each meal.

Where the robot remembers, the sitting is a household: one memory, kept in a journal of its own, goes through its meals.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from handup.core import Calibrator
from handup.desk import SkippingClock
from handup.domains.feeding import calibration
from handup.domains.feeding.acts import Acted, Acts
from handup.domains.feeding.gl import mujoco
from handup.domains.feeding.judging import MODULES, Cause
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.modules import Modules
from handup.domains.feeding.order import Order
from handup.domains.feeding.policy import graph_of
from handup.domains.feeding.remembering import memory_in
from handup.domains.feeding.served import Bite
from handup.journal import Journal
from handup.lab.meals.blame import Blame, blame
from handup.lab.meals.definition import Sitting
from handup.lab.meals.rows import CHANCES, BiteRow, MealRow
from handup.policy import ModuleGraph
from handup.recover.events import Event
from handup.recover.trail import RunTold

LIBRARIES = ("numpy", "mujoco", "onnxruntime")
"""What decides rows beside our own code."""


@dataclass(frozen=True, eq=False)
class Robot:
    """The networks, loaded once in each process.

    Args:
        modules: The four.
    """

    modules: Modules
    _calibrators: dict[str, dict[str, Calibrator]] = field(default_factory=dict, repr=False)

    def calibrators(self, kind: str) -> dict[str, Calibrator]:
        """Of one kind, read once."""
        if kind not in self._calibrators:
            self._calibrators[kind] = calibration.load(kind)
        return self._calibrators[kind]

    def graph(self, kind: str) -> ModuleGraph:
        """The chain of a bite."""
        return graph_of(self.calibrators(kind), self.modules.foods)


@cache
def robot() -> Robot:
    """The shipped one.

    Raises:
        MissingExtra, NoPictures: The simulation or OpenGL is missing.
    """
    mujoco()
    return Robot(Modules.load())


def made_with() -> Mapping[str, str]:
    """The networks and the libraries that rows depend on."""
    return {"networks": robot().modules.networks, **{name: str(import_module(name).__version__) for name in LIBRARIES}}


def eat(sitting: Sitting, own: Robot) -> tuple[MealRow, ...]:
    """All meals of a sitting, one after the other. The same sitting gives the same rows in every process."""
    with TemporaryDirectory() as place, ExitStack() as stack:
        folder, clock, book = Path(place), SkippingClock(), None
        if sitting.arm.memory:
            book = stack.enter_context(Journal.open(folder / "home.db", clock=clock))
        meals = []
        for number, order in enumerate(sitting.orders, start=1):
            with Journal.open(folder / f"meal-{number}.db", clock=clock) as journal:
                meals.append(_meal(sitting, own, number, order, journal, book))
        return tuple(meals)


def _meal(sitting: Sitting, own: Robot, number: int, order: Order, journal: Journal, book: Journal | None) -> MealRow:
    memory = None if book is None else memory_in(book)
    calibrators = own.calibrators(order.calibrated)
    with Meal(order, journal, modules=own.modules, calibrators=calibrators, memory=memory) as table:
        served = table.eat([table.simulated(sitting.participant.person)])
    bites = tuple(_bite(each, order, journal, own) for each in served.bites)
    return MealRow(
        meal=number,
        plate=order.plate,
        looks=order.looks,
        method=order.method,
        seed=order.seed,
        kitchen=order.kitchen,
        faulty=order.faulty,
        calibrators=order.calibrated,
        expert=order.expert,
        outcome=served.outcome,
        on_fork=served.on_fork,
        seconds=round(served.seconds, 3),
        bites_taken=bites,
    )


def _bite(bite: Bite, order: Order, journal: Journal, own: Robot) -> BiteRow:
    found = _blame(bite, order, journal, own)
    used = [(acted, module) for acted in _acts(bite, order, journal) for module in MODULES if module in acted.recalled]
    return BiteRow(
        bite=bite.number,
        got=bite.got,
        wrong=bite.is_wrong,
        attempts=bite.attempts,
        asked=bite.asked,
        workload=round(bite.workload, 6),
        J=round(bite.objective, 6),
        J_true=round(bite.true_objective, 6),
        cause="" if bite.cause is None else str(bite.cause),
        blamed="" if found is None else found.blamed,
        chances=() if found is None else tuple(round(found.chances[name], 6) for name in CHANCES),
        recalled=tuple(module for _, module in used),
        recalled_wrong=tuple(module for acted, module in used if not getattr(acted.judged, module)),
    )


def _blame(bite: Bite, order: Order, journal: Journal, own: Robot) -> Blame | None:
    """What the robot believed of the attempt that the bite's cause is about; nobody stops a simulated meal."""
    if bite.cause is None:
        return None
    run, acts = order.run_of(bite.number), _acts(bite, order, journal)
    told: list[Event] = [entry.event.read() for entry in journal.read(run=run) if isinstance(entry.event, RunTold)]
    attempt = None if not acts else 0
    if bite.cause is Cause.DETECTOR:
        attempt = next(number for number, acted in enumerate(acts) if acted.got)
    return blame(own.graph(order.calibrated), order.settings, told, attempt)


def _acts(bite: Bite, order: Order, journal: Journal) -> list[Acted]:
    return Acts(journal, order.run_of(bite.number)).done
