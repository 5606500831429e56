"""How much time the executive itself takes: per step, with a journal, and to read and check recipes.

Beside each number stands a fair alternative, measured in the same run and in turn: py_trees ticking the same tree, a
plain `sqlite3` script that writes as many rows in as many transactions, ruamel.yaml reading the same text. Each time is
told twice: of the processor, which other programs change little, and by the clock on the wall, which a robot waits for.
"""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from ruamel.yaml import YAML

from handup.core import BadRecipe, ManualClock, MissingExtra
from handup.executive import Around, Call, Done, Ending, Executive, Outcome, Run, Settings, Working
from handup.executive.checking import Abilities, Declared, require
from handup.executive.reading import parse_recipes
from handup.journal import Journal

TASKS, ACTIONS = 100, 100
"""10,000 steps: so many tasks, each of so many actions."""
DURABLE = 200
"""So many steps are written one by one: each waits for the disk."""
REPEATS = 5
SETTINGS = Settings(starts=1_000_000)
TREES, SQLITE, RUAMEL = "py_trees", "sqlite3, plain script", "ruamel.yaml, reading only"
HOSTILE = {
    "100,000 lists in each other": "format: 1\na: " + "[" * 100_000,
    "1,500 blocks in each other": "".join(" " * depth + "a:\n" for depth in range(1500)),
    "200,000 values": "[" + "1," * 200_000 + "]",
    "a file of 2 MiB": "format: 1\n" + "# nothing\n" * (2 * 1024 * 1024 // 10),
    "aliases of aliases": "format: 1\na: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(1000)),
}
"""Files that are to be refused, quickly."""
Spent = tuple[float, float]
"""Seconds of the processor, and of the wall."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measurement, the median of some repeats.

    Args:
        name: What was measured.
        unit: `µs/step`, `steps/s` or `s`.
        processor: By the processor's time.
        wall: By the clock on the wall.
        bar: What is promised: at most so many, or at least for `steps/s`. None where nothing is.
        baseline: What it is compared with; None where there is nothing fair.
        baseline_processor: Its number by the processor's time.
        baseline_wall: By the clock on the wall.
    """

    name: str
    unit: str
    processor: float
    wall: float
    bar: float | None = None
    baseline: str | None = None
    baseline_processor: float | None = None
    baseline_wall: float | None = None

    @property
    def kept(self) -> bool | None:
        """Whether the promise is kept; None where there is none.

        By the clock on the wall for steps a second, where waiting for the disk counts; else by the processor's time.
        """
        if self.bar is None:
            return None
        return self.wall >= self.bar if self.unit == "steps/s" else self.processor <= self.bar

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {**asdict(self), "kept": self.kept}


class AtOnce:
    """An action that is over at once."""

    name: ClassVar[str] = "move"
    takes: ClassVar[tuple[str, ...]] = ("to",)
    gives: ClassVar[tuple[str, ...]] = ("at",)
    codes: ClassVar[tuple[str, ...]] = ()
    repeatable: ClassVar[bool] = True

    def start(self, call: Call) -> None:
        """Keep where to."""
        self.to = call.goal["to"]

    def step(self) -> Generator[Working, None, Outcome]:
        """Be there."""
        yield from ()
        return Done(results={"at": self.to})

    def stop(self) -> None:
        """Nothing to stop."""


class OneTurn(AtOnce):
    """The same, after one turn."""

    def step(self) -> Generator[Working, None, Outcome]:
        """Go on once."""
        yield Working(0.1)
        return Done(results={"at": self.to})


class Final(AtOnce):
    """The same, of a kind that must not be repeated: each start and end is durable before anything else happens."""

    repeatable = False


def recipe_text(tasks: int, actions: int) -> str:
    """A recipe in which each task hands a variable from step to step."""
    lines = ["format: 1", "all:", "  steps:", *(f"  - task: t{task}" for task in range(tasks))]
    for task in range(tasks):
        lines += [f"t{task}:", "  steps:"]
        for step in range(actions):
            given, var = "var.at" if step else f"place {task}", ", var: [at]" if step < actions - 1 else ""
            lines.append(f"  - {{action: move, params: {{to: {given}}}{var}}}")
    return "\n".join(lines) + "\n"


def measures() -> Sequence[Callable[[], Row]]:
    """Everything that `handup bench executive` measures."""
    return (
        lambda: overhead("actions that end at once", AtOnce, turns=0),
        lambda: overhead("actions of one turn", OneTurn, turns=1),
        lambda: journaled("journaled, repeatable actions", AtOnce, TASKS * ACTIONS // 4, SETTINGS.batch, 2_000.0),
        lambda: journaled("journaled, each durable at once", Final, DURABLE, 2, None),
        validated,
        *(lambda name=name: refused(name) for name in HOSTILE),
    )


# -- steps -----------------------------------------------------------------------------------------------------------


def overhead(name: str, action: type[AtOnce], *, turns: int) -> Row:
    """What a step costs without a journal, the action's own few lines included."""
    recipes = parse_recipes({"bench.yaml": recipe_text(TASKS, ACTIONS)})

    def ours() -> Spent:
        around = Around(actions={"move": action}, clock=ManualClock())
        return _finishes(Executive(Run(recipes, settings=SETTINGS), around))

    us = 1e6 / (TASKS * ACTIONS)
    own, theirs = _in_turn(ours, lambda: _ticked(turns))
    return Row(
        name=name,
        unit="µs/step",
        processor=own[0] * us,
        wall=own[1] * us,
        bar=50.0,
        baseline=TREES,
        baseline_processor=theirs[0] * us,
        baseline_wall=theirs[1] * us,
    )


def _finishes(executive: Executive) -> Spent:
    since = _now()
    finished = executive.to_the_end()
    spent = _since(since)
    assert finished.ending is Ending.DONE, finished.reason
    return spent


def _ticked(turns: int) -> Spent:
    """The same tree in py_trees, ticked until it has succeeded."""
    try:
        from py_trees.behaviour import Behaviour  # noqa: PLC0415 - an extra
        from py_trees.common import Status  # noqa: PLC0415
        from py_trees.composites import Sequence as InOrder  # noqa: PLC0415
    except ImportError:
        raise MissingExtra.of("trees", "The comparison with py_trees") from None

    class Move(Behaviour):
        def initialise(self) -> None:
            self.left = turns

        def update(self) -> Status:
            self.left -= 1
            return Status.RUNNING if self.left >= 0 else Status.SUCCESS

    root = InOrder("all", memory=True)
    for task in range(TASKS):
        branch = InOrder(f"t{task}", memory=True)
        branch.add_children([Move("move") for _ in range(ACTIONS)])
        root.add_child(branch)
    since = _now()
    root.tick_once()
    while root.status is Status.RUNNING:
        root.tick_once()
    spent = _since(since)
    assert root.status is Status.SUCCESS
    return spent


# -- the journal -----------------------------------------------------------------------------------------------------


def journaled(name: str, action: type[AtOnce], steps: int, batch: int, bar: float | None) -> Row:
    """Steps a second with a journal on SQLite; each step makes two entries."""
    recipes = parse_recipes({"bench.yaml": recipe_text(steps // 20, 20)})
    with TemporaryDirectory() as folder:
        names = (Path(folder) / f"{number}.db" for number in count())

        def ours() -> Spent:
            with Journal.open(next(names)) as journal:
                around = Around(actions={"move": action}, clock=ManualClock())
                return _finishes(Executive(Run(recipes, settings=SETTINGS, book=journal), around))

        own, theirs = _in_turn(ours, lambda: _plain_script(next(names), 2 * steps, batch))
    return Row(
        name=name,
        unit="steps/s",
        processor=steps / own[0],
        wall=steps / own[1],
        bar=bar,
        baseline=SQLITE,
        baseline_processor=steps / theirs[0],
        baseline_wall=steps / theirs[1],
    )


def _plain_script(path: Path, rows: int, batch: int) -> Spent:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE entries (seq INTEGER PRIMARY KEY, body TEXT)")
        body = '{"number": 1, "action": "move", "path": "all/t0/move", "attempt": 1, "again": false, "at_s": 0.0}'
        since = _now()
        for first in range(0, rows, batch):
            connection.execute("BEGIN IMMEDIATE")
            for _ in range(min(batch, rows - first)):
                connection.execute("INSERT INTO entries (body) VALUES (?)", (body,))
            connection.execute("COMMIT")
        return _since(since)


# -- reading ---------------------------------------------------------------------------------------------------------


def validated() -> Row:
    """A recipe of 10,000 steps from text to "nothing is wrong"."""
    text = recipe_text(TASKS, ACTIONS)
    abilities = Abilities(actions={"move": Declared(takes=AtOnce.takes, gives=AtOnce.gives, repeatable=True)})

    def ours() -> Spent:
        since = _now()
        require(parse_recipes({"bench.yaml": text}), abilities=abilities)
        return _since(since)

    def theirs() -> Spent:
        since = _now()
        YAML(typ="safe").load(text)
        return _since(since)

    own, other = _in_turn(ours, theirs)
    return Row(
        name=f"{TASKS * ACTIONS:,} steps read and checked",
        unit="s",
        processor=own[0],
        wall=own[1],
        bar=1.0,
        baseline=RUAMEL,
        baseline_processor=other[0],
        baseline_wall=other[1],
    )


def refused(name: str) -> Row:
    """How long it takes to refuse a file that means harm."""
    text = HOSTILE[name]

    def ours() -> Spent:
        since = _now()
        try:
            parse_recipes({"bench.yaml": text})
        except BadRecipe:
            return _since(since)
        raise AssertionError(f"{name} was read")

    (own,) = _in_turn(ours)
    return Row(name=f"refused: {name}", unit="s", processor=own[0], wall=own[1], bar=1.0)


# -- time ------------------------------------------------------------------------------------------------------------


def _now() -> Spent:
    return time.process_time(), time.perf_counter()


def _since(then: Spent) -> Spent:
    return time.process_time() - then[0], time.perf_counter() - then[1]


def _in_turn(*contenders: Callable[[], Spent]) -> list[Spent]:
    """The medians of each, measured in turn, so that whatever else the machine does meets all of them alike."""
    rounds = [[each() for each in contenders] for _ in range(REPEATS)]
    spent = [[each[index] for each in rounds] for index in range(len(contenders))]
    return [(statistics.median(each[0] for each in own), statistics.median(each[1] for each in own)) for own in spent]
