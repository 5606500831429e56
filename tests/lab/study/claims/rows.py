"""Results made by hand, for judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from handup.lab.cell import Cell, WorldKind
from handup.lab.episodes import Episodes
from handup.lab.study.claims.places import Place
from handup.lab.study.results import Results

COUNT = 400


def rows(
    *,
    failed: float | Sequence[float] = 0.0,
    questions: float | Sequence[float] = 3.0,
    lost: float = 0.0,
    price: float = 0.32,
) -> Episodes:
    """Episodes with so many failed attempts and questions, of which a share is lost, evenly strewn."""
    failures, asked = (np.rint(spread(each)).astype(np.int64) for each in (failed, questions))
    recovered = np.arange(COUNT) % 100 >= round(100 * lost)
    return Episodes(recovered, asked * price, asked, failures + recovered, np.zeros(COUNT))


def spread(value: float | Sequence[float]) -> Any:
    """A whole number in every episode, or a list of them in turn."""
    return np.resize(np.atleast_1d(np.asarray(value, dtype=np.float64)), COUNT)


def first(episodes: Episodes, count: int) -> Episodes:
    """The first few of them."""
    return Episodes(*(getattr(episodes, each.name)[:count] for each in fields(episodes)))


def results(found: Mapping[Place, Episodes], world: WorldKind = WorldKind.DEFAULT) -> Results:
    """Results that hold these places of one world."""
    base = Cell(episodes=COUNT, world=world)
    return Results(base, {place.cell(base): each for place, each in found.items()})


def timed(seconds: Mapping[Place, float], steps: int = 4) -> Results:
    """Results with so many seconds per decision, all with as many steps."""
    base = Cell(episodes=COUNT)
    found = {place.cell(base): rows(questions=steps - 1) for place in seconds}
    return Results(base, found, {place.cell(base): each for place, each in seconds.items()})
