"""What a study is: settings to vary, methods to compare, and how the paper draws it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from typing import Any

from handup.core import BadSetting
from handup.lab.cell import REPLICA_SELECTORS, REPLICA_WHENS, Cell, WorldKind

EPISODES, QUICK_EPISODES = 1000, 100
"""Per cell, and per cell with `--quick`."""
MOST_MODULES: Mapping[str, int] = {"mip": 15}
"""Selectors that larger policies are too much for."""
NOT_QUICK = ("mip",)
"""Selectors that `--quick` leaves out."""

BASE = Cell()
"""The paper's fixed values."""


class Layout(StrEnum):
    """How a study is drawn."""

    ROWS = "rows"
    """Selectors above, querying algorithms below; one column per metric."""
    BETA = "beta"
    """Lines over β, one column per pair of confidences, and the difference of two methods."""
    SUMMARY = "summary"
    """One column per variable, with the metric that the paper highlights."""


@dataclass(frozen=True)
class Axis:
    """One setting that a study varies.

    Args:
        key: A field of `Cell`.
        label: What it is, for people.
        values: What it takes, in the figure's order.
        quick: What it takes with `--quick`; the same where not given.
    """

    key: str
    label: str
    values: tuple[Any, ...]
    quick: tuple[Any, ...] | None = None

    def taken(self, quick: bool) -> tuple[Any, ...]:
        """The values of an ordinary or a quick run."""
        return self.values if self.quick is None or not quick else self.quick


@dataclass(frozen=True)
class Grid:
    """Every method at every value of one or two axes.

    Args:
        axes: What is varied; the others keep the study's base.
        methods: What is compared. Each world leaves out those that it does not know.
        highlight: The metric that the paper's summary shows of it.
    """

    axes: tuple[Axis, ...]
    methods: tuple[str, ...]
    highlight: str = "J"

    def places(self, quick: bool = False) -> Iterator[dict[str, Any]]:
        """The settings at each place, the first axis outermost."""
        for values in product(*(axis.taken(quick) for axis in self.axes)):
            yield dict(zip((axis.key for axis in self.axes), values, strict=True))

    def methods_at(self, base: Cell) -> tuple[str, ...]:
        """Those of the methods that the world of a cell knows and that are not too slow for its size."""
        return tuple(each for each in self.methods if _fits(each, base))

    def cells(self, base: Cell, *, quick: bool = False) -> Iterator[Cell]:
        """All cells of one world, place by place."""
        for place in self.places(quick):
            here = replace(base, **place)
            for method in self.methods_at(here):
                if not quick or method.partition("+")[0] not in NOT_QUICK:
                    yield here.with_method(method)


@dataclass(frozen=True, kw_only=True)
class Study:
    """A question that cells answer.

    Add one by adding an entry to `handup.lab.study.studies`, or run your own with `handup.lab.study.run`.

    Args:
        name: As in `handup study run NAME`.
        title: One line.
        figure: Where the paper shows it.
        question: One sentence.
        grids: What is run and drawn.
        extra: What is run for the claims only.
        layout: How it is drawn.
        base: The settings that are not varied; episodes and seed are given with each run.
        worlds: Whose rules it is run under.
    """

    name: str
    title: str
    figure: str
    question: str
    grids: tuple[Grid, ...]
    extra: tuple[Grid, ...] = ()
    layout: Layout = Layout.ROWS
    base: Cell = BASE
    worlds: tuple[WorldKind, ...] = (WorldKind.DEFAULT, WorldKind.REPLICA)

    def __post_init__(self) -> None:
        if not self.name.replace("-", "").isalnum():
            raise BadSetting(f"a study is called '{self.name}'", hint="Use letters, digits and hyphens.")
        if not self.grids:
            raise BadSetting(f"the study '{self.name}' has nothing to run", hint="Give it a grid.")

    def cells(self, *, episodes: int = EPISODES, seed: int = 0, quick: bool = False) -> tuple[Cell, ...]:
        """Everything to run, each once, always in the same order."""
        bases = [replace(self.base, world=world, episodes=episodes, seed=seed) for world in self.worlds]
        return unique(
            cell for grid in (*self.grids, *self.extra) for base in bases for cell in grid.cells(base, quick=quick)
        )


def unique(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Each cell once, where it came first."""
    return tuple(dict.fromkeys(cells))


def value_label(value: Any) -> str:
    """A value of an axis for people."""
    return " / ".join(f"{each:g}" for each in value) if isinstance(value, tuple) else f"{value}"


def place_label(place: Mapping[str, Any]) -> str:
    """The settings of a place for people."""
    return ", ".join(f"{key.replace('_', ' ').strip()} {value_label(value)}" for key, value in place.items())


def _fits(method: str, base: Cell) -> bool:
    what, plus, when = method.partition("+")
    if base.modules > MOST_MODULES.get(what, base.modules):
        return False
    return base.world is WorldKind.DEFAULT or bool(plus and what in REPLICA_SELECTORS and when in REPLICA_WHENS)
