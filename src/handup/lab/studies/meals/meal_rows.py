"""Makes rows of meals: the robot of `handup meal` eats with a simulated participant, one journal for each meal.

Where the robot remembers, one memory, in a journal of its own, goes through all meals of a participant.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from handup.core import Calibrator
from handup.desk import SkippingClock
from handup.domains.feeding import calibration
from handup.domains.feeding.attempt_record import AttemptLog, BiteAttempt
from handup.domains.feeding.gl import mujoco
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.meal_result import Bite
from handup.domains.feeding.memory_modules import memory_in
from handup.domains.feeding.modules import Modules
from handup.domains.feeding.order import Order
from handup.domains.feeding.policy import graph_of
from handup.domains.feeding.truth import MODULES, LossCause
from handup.journal import Journal
from handup.lab.engine import Batch, Columns, columns_of
from handup.lab.studies.meals.blame import CHANCES, blame
from handup.people import PROFILES, AnswerModel, Care, SimulatedPerson
from handup.recover.run_record import RunTold

LIBRARIES = ("numpy", "mujoco", "onnxruntime")
"""Libraries that decide rows."""


@cache
def networks() -> Modules:
    """Load the four shipped networks, once in each process.

    Raises:
        MissingExtra, NoPictures: The simulation or OpenGL is missing.
    """
    mujoco()
    return Modules.load()


@cache
def _calibrators(kind: str) -> dict[str, Calibrator]:
    return calibration.load(kind)


def made_with() -> Mapping[str, str]:
    """Return the versions of the networks and libraries that rows depend on."""
    return {"networks": networks().networks, **{name: str(import_module(name).__version__) for name in LIBRARIES}}


def participant(number: int) -> tuple[Care, str]:
    """Return a participant's care in answering and motor profile, both *assumed*; every twelve have each pair once."""
    cares, motors = tuple(Care), tuple(PROFILES)
    return cares[number % len(cares)], motors[number % len(motors)]


def person(number: int) -> SimulatedPerson:
    """Return a participant for the desk's simulated channel."""
    care, motor = participant(number)
    return SimulatedPerson(name=f"participant-{number}", answers=AnswerModel(care=care), motor=PROFILES[motor])


def eat(batch: Batch) -> Columns:
    """Eat all meals of one participant under one arm, in their order; the same rows in every process."""
    decides = json.loads(batch.decides)
    care, motor = participant(batch.first)
    named = {"memory": decides["memory"], "participant": batch.first, "care": str(care), "motor": motor}
    with TemporaryDirectory() as place, ExitStack() as stack:
        folder, clock, book = Path(place), SkippingClock(), None
        if decides["memory"]:
            book = stack.enter_context(Journal.open(folder / "home.db", clock=clock))
        rows = []
        for number, order in enumerate((Order(**record) for record in decides["orders"]), start=1):
            with Journal.open(folder / f"meal-{number}.db", clock=clock) as journal:
                rows.append({**named, "meal": number, **_meal(order, person(batch.first), journal, book)})
        return columns_of(rows)


def _meal(order: Order, who: SimulatedPerson, journal: Journal, book: Journal | None) -> dict[str, Any]:
    memory, calibrators = None if book is None else memory_in(book), _calibrators(order.calibrated)
    with Meal(order, journal, modules=networks(), calibrators=calibrators, memory=memory) as table:
        served = table.eat([table.simulated(who)])
    return {
        **{name: getattr(order, name) for name in ("plate", "looks", "method", "seed", "kitchen", "faulty")},
        "calibrators": order.calibrated,
        "expert": order.expert,
        "outcome": str(served.outcome),
        "on_fork": served.on_fork,
        "seconds": round(served.seconds, 3),
        "bites_taken": [_bite(bite, order, journal) for bite in served.bites],
    }


def _bite(bite: Bite, order: Order, journal: Journal) -> dict[str, Any]:
    acts = AttemptLog(journal, order.run_of(bite.number)).done
    blamed, chances = _blame(bite, acts, order, journal)
    used = [(acted, module) for acted in acts for module in MODULES if module in acted.recalled]
    return {
        "bite": bite.number,
        "got": bite.got,
        "wrong": bite.is_wrong,
        "attempts": bite.attempts,
        "asked": list(bite.asked),
        "workload": round(bite.workload, 6),
        "J": round(bite.objective, 6),
        "J_true": round(bite.true_objective, 6),
        "cause": "" if bite.cause is None else str(bite.cause),
        "blamed": blamed,
        "chances": [round(chances[name], 6) for name in CHANCES if name in chances],
        "recalled": [module for _, module in used],
        "recalled_wrong": [module for acted, module in used if not getattr(acted.judged, module)],
    }


def _blame(bite: Bite, acts: list[BiteAttempt], order: Order, journal: Journal) -> tuple[str, dict[str, float]]:
    """Return what the robot blamed at the attempt that the bite's cause is about; nothing where none was lost."""
    if bite.cause is None:
        return "", {}
    entries = journal.read(run=order.run_of(bite.number))
    events = [entry.event.read() for entry in entries if isinstance(entry.event, RunTold)]
    attempt = None if not acts else 0
    if bite.cause is LossCause.DETECTOR:
        attempt = next(number for number, acted in enumerate(acts) if acted.got)
    graph = graph_of(_calibrators(order.calibrated), networks().foods)
    return blame(graph, order.settings, events, attempt)
