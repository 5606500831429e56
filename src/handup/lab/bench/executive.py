"""The executive's own time: per step, with a journal, and to read and check recipes.

Beside each number stands a fair alternative, measured in the same run and in turn: py_trees ticking the same tree, a
plain `sqlite3` script that writes as many rows in as many transactions, ruamel.yaml reading the same text. Each time is
given twice: of the processor, which other programs change little, and by the clock on the wall, which a robot waits
for. `bar` is what is promised: at most so many, or at least so many for `steps/s`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from ruamel.yaml import YAML

from handup.core import BadRecipe, ManualClock, MissingExtra
from handup.executive import Around, Call, Done, Ending, Executive, Outcome, Run, RunSettings, Working
from handup.executive.reader import parse_recipes
from handup.executive.validator import Abilities, Declared, require
from handup.journal import Journal
from handup.lab.bench.harness import Columns, Row, TimedCalls, in_turn

TASKS, ACTIONS = 100, 100
"""10,000 steps: so many tasks, each of so many actions."""
DURABLE = 200
"""Number of steps that are written one by one: each waits for the disk."""
REPEATS = 5
SETTINGS = RunSettings(starts=1_000_000)
TREES, SQLITE, RUAMEL = "py_trees", "sqlite3, plain script", "ruamel.yaml, reading only"
HOSTILE = {
    "100,000 lists in each other": "format: 1\na: " + "[" * 100_000,
    "1,500 blocks in each other": "".join(" " * depth + "a:\n" for depth in range(1500)),
    "200,000 values": "[" + "1," * 200_000 + "]",
    "a file of 2 MiB": "format: 1\n" + "# nothing\n" * (2 * 1024 * 1024 // 10),
    "aliases of aliases": "format: 1\na: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(1000)),
}
"""Files that are to be refused, quickly."""
CLOSING = "Medians of repeats that took turns. py_trees keeps no variables, attempts, beliefs or journal."


class AtOnce:
    """An action that is over at once."""

    name: ClassVar[str] = "move"
    takes: ClassVar[tuple[str, ...]] = ("to",)
    gives: ClassVar[tuple[str, ...]] = ("at",)
    codes: ClassVar[tuple[str, ...]] = ()
    repeatable: ClassVar[bool] = True
    turns: ClassVar[int] = 0

    def start(self, call: Call) -> None:
        """Keep where to."""
        self.to = call.goal["to"]

    def step(self) -> Generator[Working, None, Outcome]:
        """Be there after so many turns."""
        for _ in range(self.turns):
            yield Working(0.1)
        return Done(results={"at": self.to})

    def stop(self) -> None:
        """Nothing to stop."""


class OneTurn(AtOnce):
    """The same, after one turn."""

    turns = 1


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
    """Return everything that `handup bench executive` measures."""
    return (
        partial(_overhead, "actions that end at once", AtOnce),
        partial(_overhead, "actions of one turn", OneTurn),
        partial(_journaled, "journaled, repeatable actions", AtOnce, TASKS * ACTIONS // 4, SETTINGS.batch, 2_000.0),
        partial(_journaled, "journaled, each durable at once", Final, DURABLE, 2, None),
        _validated,
        *(partial(_refused, name) for name in HOSTILE),
    )


def row_of(name: str, unit: str, ours: TimedCalls, bar: float | None, *, steps: int = 1, baseline: str | None = None,
           theirs: TimedCalls | None = None) -> Row:  # fmt: skip
    """Return a row: medians of seconds as `µs/step`, `steps/s` or `s`.

    A promise of steps a second is kept or broken by the clock on the wall, where waiting for the disk counts; every
    other one by the processor's time.
    """

    def in_unit(seconds: float) -> float:
        return {"µs/step": 1e6 * seconds / steps, "steps/s": steps / seconds, "s": seconds}[unit]

    own, other = (
        (None, None) if timed is None else (in_unit(timed.processor), in_unit(timed.wall)) for timed in (ours, theirs)
    )
    names = ("name", "unit", "processor", "wall", "bar", "baseline", "baseline_processor", "baseline_wall")
    row = dict(zip(names, (name, unit, *own, bar, baseline, *other), strict=True))
    kept = None if bar is None else row["wall"] >= bar if unit == "steps/s" else row["processor"] <= bar
    return {**row, "kept": kept}


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


COLUMNS: Columns = (
    ("what", "name", "{}"),
    ("unit", "unit", "{}"),
    ("processor", "processor", _number),
    ("wall", "wall", _number),
    ("bar", "bar", _number),
    ("beside it", "baseline", "{}"),
    ("processor", "baseline_processor", _number),
    ("wall", "baseline_wall", _number),
)


def _overhead(name: str, action: type[AtOnce]) -> Row:
    """Time steps without a journal, the action's own few lines included."""
    recipes = parse_recipes({"bench.yaml": recipe_text(TASKS, ACTIONS)})
    prepares = (lambda: _steps(action, Run(recipes, settings=SETTINGS)), lambda: _ticks(action.turns))
    ours, theirs = in_turn(*prepares, rounds=REPEATS)
    return row_of(name, "µs/step", ours, 50.0, steps=TASKS * ACTIONS, baseline=TREES, theirs=theirs)


def _steps(action: type[AtOnce], run: Run) -> Callable[[], None]:
    executive = Executive(run, Around(actions={"move": action}, clock=ManualClock()))

    def finish() -> None:
        finished = executive.to_the_end()
        assert finished.ending is Ending.DONE, finished.reason

    return finish


def _ticks(turns: int) -> Callable[[], None]:
    """Build the same tree in py_trees; the call ticks it until it has succeeded."""
    try:
        from py_trees.behaviour import Behaviour  # noqa: PLC0415 - an extra
        from py_trees.common import Status  # noqa: PLC0415
        from py_trees.composites import Sequence as InOrder  # noqa: PLC0415
    except ImportError:
        raise MissingExtra.of("trees", "The comparison with py_trees") from None

    class BenchMove(Behaviour):
        def initialise(self) -> None:
            self.left = turns

        def update(self) -> Status:
            self.left -= 1
            return Status.RUNNING if self.left >= 0 else Status.SUCCESS

    root = InOrder("all", memory=True)
    for task in range(TASKS):
        branch = InOrder(f"t{task}", memory=True)
        branch.add_children([BenchMove("move") for _ in range(ACTIONS)])
        root.add_child(branch)

    def tick() -> None:
        root.tick_once()
        while root.status is Status.RUNNING:
            root.tick_once()
        assert root.status is Status.SUCCESS

    return tick


def _journaled(name: str, action: type[AtOnce], steps: int, batch: int, bar: float | None) -> Row:
    """Time steps with a journal on SQLite; each step makes two entries."""
    recipes = parse_recipes({"bench.yaml": recipe_text(steps // 20, 20)})
    with TemporaryDirectory() as folder, ExitStack() as open_:
        paths = (Path(folder) / f"{number}.db" for number in count())

        def ours() -> Callable[[], None]:
            journal = open_.enter_context(Journal.open(next(paths)))
            return _steps(action, Run(recipes, settings=SETTINGS, book=journal))

        def theirs() -> Callable[[], None]:
            connection = open_.enter_context(closing(sqlite3.connect(next(paths), isolation_level=None)))
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("CREATE TABLE entries (seq INTEGER PRIMARY KEY, body TEXT)")
            return partial(_insert, connection, 2 * steps, batch)

        own, other = in_turn(ours, theirs, rounds=REPEATS)
    return row_of(name, "steps/s", own, bar, steps=steps, baseline=SQLITE, theirs=other)


def _insert(connection: sqlite3.Connection, rows: int, batch: int) -> None:
    body = '{"number": 1, "action": "move", "path": "all/t0/move", "attempt": 1, "again": false, "at_s": 0.0}'
    for first in range(0, rows, batch):
        connection.execute("BEGIN IMMEDIATE")
        for _ in range(min(batch, rows - first)):
            connection.execute("INSERT INTO entries (body) VALUES (?)", (body,))
        connection.execute("COMMIT")


def _validated() -> Row:
    """Time a recipe of 10,000 steps from text to "nothing is wrong"."""
    text = recipe_text(TASKS, ACTIONS)
    abilities = Abilities(actions={"move": Declared(takes=AtOnce.takes, gives=AtOnce.gives)})

    def read_and_check() -> None:
        require(parse_recipes({"bench.yaml": text}), abilities=abilities)

    ours, theirs = in_turn(lambda: read_and_check, lambda: partial(YAML(typ="safe").load, text), rounds=REPEATS)
    return row_of(f"{TASKS * ACTIONS:,} steps read and checked", "s", ours, 1.0, baseline=RUAMEL, theirs=theirs)


def _refused(name: str) -> Row:
    """Time how long it takes to refuse a file that means harm."""

    def refuse() -> None:
        try:
            parse_recipes({"bench.yaml": HOSTILE[name]})
        except BadRecipe:
            return
        raise AssertionError(f"{name} was read")

    (ours,) = in_turn(lambda: refuse, rounds=REPEATS)
    return row_of(f"refused: {name}", "s", ours, 1.0)
