"""Where the executive's time goes: what each kind of step costs, how checking grows, which parts take it.

Run it with `python -m benchmarks.executive`; the comparison with py_trees, sqlite3 and ruamel.yaml, and the promises,
are `handup bench executive`. Times are of the processor, medians of rounds in which all take turns.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from rich.console import Console
from rich.table import Table

from handup.core import ManualClock
from handup.executive import Aborted, Around, Ending, Executive, Outcome, Run, Working
from handup.executive.reader import parse_recipes, parse_recoveries
from handup.executive.validator import require
from handup.journal import Journal
from handup.lab.bench.executive import SETTINGS, AtOnce, Final, recipe_text
from handup.lab.bench.harness import Row, in_turn

ROUNDS = 5
STEPS = 2_000
SIZES = (1_000, 3_000, 10_000)
PARTS = {
    "/handup/executive/": "the executive",
    "/handup/journal/": "the journal",
    "/handup/": "handup, other rooms",
    "/sqlalchemy/": "SQLAlchemy",
    "/pydantic": "pydantic",
}
"""Which part a file belongs to; the first that fits."""
KINDS = {
    "action": "{action: move, params: {to: shelf}}",
    "action with a reference": "{action: move, params: {to: params.place}}",
    "op": "{op: check_value, params: {value: params.place, equals: shelf}}",
    "choice of an op": '{choice: {condition: "len(params.place) > 3", if_true: {op: noop}}}',
    "loop of one op": '{loop: {condition: "1 < 2", most: 1, body: {op: noop}}}',
    "task of one op": "{task: little, params: {place: params.place}}",
    "action that aborts, and a recovery": "{action: slip}",
}
RULES = """
format: 1
recoveries:
- {name: go_on, when: {path: "**/slip", code: slip}, do: [{op: noop}], resume: next, limit: 1000}
"""
LITTLE = 'little:\n  params: [place]\n  steps:\n  - {op: check_value, params: {value: params.place, equals: "shelf"}}\n'
FIRST = "  - {action: move, params: {to: shelf}}\n"
"""Before it nothing happens, so that the steps behind it are run while it is measured."""


class Slips(AtOnce):
    """An action that aborts each time."""

    name: ClassVar[str] = "slip"
    takes: ClassVar[tuple[str, ...]] = ()
    gives: ClassVar[tuple[str, ...]] = ()
    codes: ClassVar[tuple[str, ...]] = ("slip",)

    def start(self, call: object) -> None:
        """Begin."""

    def step(self) -> Generator[Working, None, Outcome]:
        """Slip."""
        yield from ()
        return Aborted(code="slip", why="It slipped.")


AROUND = Around(actions={"move": AtOnce, "slip": Slips}, clock=ManualClock())


def medians(prepares: Mapping[str, Callable[[], Callable[[], Any]]]) -> dict[str, float]:
    """Return median seconds of the processor by name, in rounds in which all take turns."""
    found = in_turn(*prepares.values(), rounds=ROUNDS)
    return {name: timed.processor for name, timed in zip(prepares, found, strict=True)}


def running(step: str, steps: int) -> Callable[[], None]:
    """Prepare the run of a task of one kind of step."""
    text = "format: 1\nall:\n  params: [place]\n  steps:\n" + FIRST + f"  - {step}\n" * steps + LITTLE
    run = Run(
        parse_recipes({"bench.yaml": text}),
        parse_recoveries({"rules.yaml": RULES}) if "slip" in step else (),
        settings=SETTINGS,
        params={"place": "shelf"},
    )
    executive = Executive(run, AROUND)

    def finish() -> None:
        assert executive.to_the_end().ending is Ending.DONE

    return finish


def by_kind() -> list[Row]:
    """What a step of each kind costs."""
    found = medians({name: partial(running, step, STEPS) for name, step in KINDS.items()})
    return [{"step": name, "us": 1e6 * taken / STEPS} for name, taken in found.items()]


def by_size() -> list[Row]:
    """How long a recipe takes to be read and checked."""
    texts = {str(steps): recipe_text(steps // 100, 100) for steps in SIZES}
    parsed = {name: parse_recipes({"b": text}) for name, text in texts.items()}
    reading = medians({name: partial(partial, parse_recipes, {"b": text}) for name, text in texts.items()})
    checking = medians({name: partial(partial, require, recipes) for name, recipes in parsed.items()})
    return [{"steps": int(name), "read_s": reading[name], "checked_s": checking[name]} for name in texts]


def part_of(file: str, function: str) -> str | None:
    """Which part a function belongs to; None for what is built into Python, which is its callers'."""
    if "sqlite3" in function:
        return "SQLite"
    if "pydantic" in function:
        return "pydantic"
    if file == "~":
        return None
    return next((part for piece, part in PARTS.items() if piece in file.replace("\\", "/")), "Python's library")


def shares(profile: cProfile.Profile) -> dict[str, float]:
    """The share of each part in the time of a profile."""
    profile.create_stats()
    taken: dict[str, float] = {}
    for (file, _, function), (_, _, own_s, _, callers) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        part = part_of(file, function)
        if part is not None:
            taken[part] = taken.get(part, 0.0) + own_s
            continue
        for (caller_file, _, caller), (_, _, for_caller_s, _) in callers.items():
            name = part_of(caller_file, caller) or "Python's library"
            taken[name] = taken.get(name, 0.0) + for_caller_s
    return {name: each / sum(taken.values()) for name, each in sorted(taken.items(), key=lambda each: -each[1])}


def by_part() -> list[Row]:
    """Which parts take the time of a run, in a profile, which makes small functions look larger than they are."""
    recipes = parse_recipes({"bench.yaml": recipe_text(20, 20)})
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        for name, action, kept in (
            ("no journal", AtOnce, False),
            ("journaled, repeatable", AtOnce, True),
            ("journaled, each durable", Final, True),
        ):
            with Journal.open(Path(folder) / f"{len(rows)}.db") as journal:
                run = Run(recipes, settings=SETTINGS, book=journal if kept else None)
                executive = Executive(run, Around(actions={"move": action}, clock=ManualClock()))
                profile = cProfile.Profile(time.process_time)
                profile.runcall(executive.to_the_end)
            rows += [{"run": name, "part": part, "share": share} for part, share in shares(profile).items()]
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.executive", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    options = parser.parse_args(arguments)
    found = {"kinds": by_kind(), "sizes": by_size(), "parts": by_part()}
    if options.json:
        print(json.dumps(found))
        return
    console = Console(width=100, highlight=False)
    for title, rows in zip(
        ("Microseconds a step", "Read and checked, s", "Shares of the time"), found.values(), strict=True
    ):
        table = Table(*rows[0], title=title, title_justify="left", box=None)
        for row in rows:
            table.add_row(*(f"{each:.3g}" if isinstance(each, float) else str(each) for each in row.values()))
        console.print(table)


if __name__ == "__main__":
    main()
