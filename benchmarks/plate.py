"""The plates of `handup.domains.plate`: how fast and how stable they are, and if looking before pushing is worth it.

Five commands, each with `--food noodles|beans`:

* `python -m benchmarks.plate physics` clears plates by sequences and by chance: speed, losses, stretch, replay.
* `python -m benchmarks.plate sweep` changes constants one by one, and clears plates by plain sequences.
* `python -m benchmarks.plate tune` plays every sequence, rule and threshold on tuning plates.
* `python -m benchmarks.plate gate` compares the tuned ones with the fair oracle on other plates, paired by plate.
* `python -m benchmarks.plate pack` keeps the values that the oracle found there for the studies.

Only processor time counts. `tune` and `gate` keep a line of JSON for each plate, with `--json`; one that was stopped
goes on from there. A line of `gate` also holds the value of every opening at every moment of the oracle's plate.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from benchmarks import table_of
from handup.domains.plate.clearing_world import ClearingWorld, PlateEngine
from handup.domains.plate.engines import engine_of
from handup.domains.plate.oracles import PlateTree, clear_knowing, ranked_letters
from handup.domains.plate.policies import (
    ACQUIRE,
    LETTERS,
    TUNED,
    FixedSequence,
    HullThreshold,
    PeakThreshold,
    PlatePolicy,
    PushRule,
    RandomChoice,
)
from handup.domains.plate.primitives import PlateFood
from handup.lab.bench.harness import TimedCalls
from handup.lab.engine.stats import difference, mean
from handup.lab.studies.plate.oracle_values import SCORED, constants_digest, pack

TUNING = {PlateFood.NOODLES: 920_000, PlateFood.BEANS: 910_000}
"""First seeds of the plates on which constants and rules are set: 1,000 noodles, 32 beans."""
RANDOM = 940_000
"""First seed of plates for speed and stability."""
PHYSICS = ("acquire only", "group once, first", "alternate", "random")
ROOM = 10
"""Letters of a sequence: as many as there are actions on any plate."""
SEQUENCES = {
    "acquire only": "", "group once, first": "g", "group twice, first": "gg", "acquire, group": "ag",
    "acquire twice, group": "aag", "acquire 3 times, group": "aaag", "acquire 4 times, group": "aaaag",
    "acquire 5 times, group": "aaaaag", "group now and after 2": "gaag", "group now and after 3": "gaaag",
    "group after 2 and 4": "aagaag", "group three times, in turn": "gagaga", "alternate": "ga" * ROOM,
    "alternate, acquire first": "ag" * ROOM, "every third": "gaa" * ROOM, "every third, acquire first": "aag" * ROOM,
}  # fmt: skip
SWEEP: Mapping[PlateFood, Mapping[str, tuple[Any, ...]]] = {
    PlateFood.NOODLES: {
        "tine_gap_m": (0.0045, 0.0055, 0.006), "tilt_rad": (math.radians(85.0), math.radians(105.0)),
        "fork_friction": (0.3, 0.7), "plate_friction": (0.2, 0.4), "friction": (0.3, 0.7), "pusher_m": (0.05, 0.09),
        "spread_m": ((0.015, 0.015), (0.022, 0.022), (0.05, 0.05)), "strands": (16, 20),
    },
    PlateFood.BEANS: {
        "pusher_m": ((0.022, 0.034), (0.022, 0.044)), "reach_m": (0.015, 0.025), "friction": (0.25, 0.45),
        "spread_m": (0.06, 0.08), "beans": (12, 18), "spoon_tilt": (math.radians(15.0), math.radians(25.0)),
    },
}  # fmt: skip
"""Values of constants beside the usual one."""
SWEPT = ("acquire only", "group once, first", "alternate")


# Physics


@dataclass(frozen=True, kw_only=True)
class PlateRun:
    """Outcome of a plate.

    Args:
        steps: Physics steps.
        actions: Acquisitions and pushes.
        cleared: Share that was taken.
        lost: Items lost by acquisitions and by pushes.
        unstable: Motions that were rolled back.
        stretch: Largest stretch of a link, for noodles.
        plate: All that the engine holds at the end.
    """

    steps: int
    actions: tuple[int, int]
    cleared: float
    lost: tuple[float, float]
    unstable: int
    stretch: float
    plate: bytes


def items_of(engine: PlateEngine) -> int:
    """Return the number of items on a full plate."""
    return int(getattr(engine.physics, "strands", 0) or engine.physics.beans)


def run(food: PlateFood, seed: int, name: str, *, reload: bool = False) -> PlateRun:
    """Clear a plate by a sequence or by chance; with `reload` as a record, loaded after each action."""
    engine: Any = engine_of(food)
    world = ClearingWorld(engine, seed=seed)
    chance, letters = RandomChoice(seed), SEQUENCES.get(name, "")
    counts, lost, cleared, unstable, before = [0, 0], [0.0, 0.0], 0.0, 0, b""
    while not world.over:
        if name == "random":
            pushes = chance.primitive(world.actions) is not ACQUIRE
        else:
            pushes = world.actions < len(letters) and letters[world.actions] == "g"
        moved = world.act(LETTERS["ag"[pushes]]).moved
        counts[pushes] += 1
        lost[pushes] += moved.lost * items_of(engine)
        cleared, unstable = cleared + moved.taken, unstable + moved.unstable
        if reload:
            record = json.loads(json.dumps(world.save()))
            world.load(record)
    before = b"".join(array.tobytes() for array in engine.arrays().values())
    return PlateRun(
        steps=engine.steps, actions=(counts[0], counts[1]), cleared=cleared, lost=(lost[0], lost[1]),
        unstable=unstable, stretch=getattr(engine, "stretch", 0.0), plate=before,
    )  # fmt: skip


def physics(food: PlateFood, plates: int, names: Sequence[str], again: int, console: Console) -> None:
    """Print speed and losses of plates that are cleared by sequences; the first ones once more, to compare."""
    rows = []
    run(food, RANDOM - 1, "acquire only")  # compiles, or reads what was compiled
    for name in names:
        timed, equal, seeds = TimedCalls(), 0, range(RANDOM, RANDOM + plates)
        for seed in track(seeds, f"{food}: {name}", console=Console(stderr=True)):
            timed.call(partial(run, food, seed, name))
            equal += seed < RANDOM + again and run(food, seed, name, reload=True).plate == timed.results[-1].plate
        runs: list[PlateRun] = timed.results
        seconds, actions, lost = (
            sum(timed.processor_s),
            *(np.sum([getattr(done, field) for done in runs], axis=0) for field in ("actions", "lost")),
        )
        rows.append({
            "name": name, "plates": plates, "steps": sum(done.steps for done in runs) / seconds,
            "episodes": plates / seconds, "cleared": float(np.mean([done.cleared for done in runs])),
            "acquire": lost[0] / max(actions[0], 1), "push": lost[1] / max(actions[1], 1),
            "unstable": sum(done.unstable for done in runs), "stretch": max(done.stretch for done in runs),
            "equal": f"{equal} of {min(again, plates)}",
        })  # fmt: skip
    columns = (
        ("by", "{name}"), ("plates", "{plates:,}"), ("steps/s", "{steps:,.0f}"), ("episodes/s", "{episodes:.2f}"),
        ("cleared", "{cleared:.3f}"), ("lost an acquisition", "{acquire:.4f}"), ("lost a push", "{push:.4f}"),
        ("unstable", "{unstable}"), ("most stretch", "{stretch:.3f}"), ("replay equal", "{equal}"),
    )  # fmt: skip
    must = "15,000 steps/s, 2.5 episodes/s" if food is PlateFood.BEANS else "8,000 steps/s, 1.5 episodes/s, stretch .02"
    console.print(table_of(rows, columns, title=f"{food}, processor time of one core (must: {must})"))


# Sequences, rules, oracles on plates


def sweep(food: PlateFood, plates: int, console: Console) -> None:
    """Print what plain sequences clear when a constant is another one."""
    usual: Any = engine_of(food)
    variants = [("as it is", usual.physics)]
    for name, values in SWEEP[food].items():
        variants += [(f"{name} {_shown(value)}", replace(usual.physics, **{name: value})) for value in values]
    rows = []
    seeds = range(TUNING[food], TUNING[food] + plates)
    for title, constants in track(variants, f"{food}: sweep", console=Console(stderr=True)):
        shares = np.array([_swept(type(usual)(constants), seed) for seed in seeds])
        gaps = {f"gap{number}": shares[:, number] - shares[:, 0] for number in (1, 2)}
        cells = {name: f"{gap.mean():+.3f} ± {gap.std(ddof=1) / math.sqrt(plates):.3f}" for name, gap in gaps.items()}
        rows.append({"title": title, "alone": float(shares[:, 0].mean()), **cells})
    columns = (("constant", "{title}"), (SWEPT[0], "{alone:.3f}"), (SWEPT[1], "{gap1}"), (SWEPT[2], "{gap2}"))
    console.print(table_of(rows, columns, title=f"{food}, {plates} plates from seed {seeds[0]}; gains ± s.e."))


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _swept(engine: PlateEngine, seed: int) -> list[float]:
    tree = PlateTree(ClearingWorld(engine, seed=seed))
    return [tree.taken(tree.letters(FixedSequence(SEQUENCES[name]))) for name in SWEPT]


def candidates(food: PlateFood) -> dict[str, dict[str, PlatePolicy]]:
    """Return all that is tried on tuning plates, by family."""
    most = (1, 2, 3, 10)
    return {
        "fixed sequence": {name: FixedSequence(letters) for name, letters in SEQUENCES.items()},
        "hull threshold": {f"> {area} cm²": HullThreshold(float(area)) for area in range(20, 400, 20)},
        "peak threshold": {
            f"< {peak:.2f}, {count} times": PeakThreshold(peak, count)
            for peak in np.arange(0.1, 1.0, 0.05).round(2).tolist() for count in most
        },
        "push rule": {
            f"> {gain:.2f} cm², {1000 * bite:.0f} mm, {count} times": PushRule(gain, bite, count)
            for bite in (0.012, 0.016, 0.022) for gain in np.arange(-3.0, 6.0, 0.75).tolist() for count in (2, 10)
        },
    }  # fmt: skip


def tuned(food: PlateFood, seed: int) -> dict[str, PlatePolicy]:
    """Return the policies of the gate; `random` is another one on each plate."""
    plain = ("acquire only", "group once, first", "alternate")
    return {**{name: FixedSequence(SEQUENCES[name]) for name in plain}, "random": RandomChoice(seed), **TUNED[food]}


def lines(path: Path | None, kind: str, food: PlateFood, seeds: range, make: Callable[[int], dict[str, Any]]
          ) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Yield a line for each plate: those that a file has, and the others made now and appended to it.

    Raises:
        SystemExit: The file is of other constants.
    """
    of = {"kind": kind, "food": str(food), "constants": constants_digest(food)}
    had: dict[int, dict[str, Any]] = {}
    if path is not None and path.exists():
        text = path.read_text()
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            path.write_text(whole)  # it was killed while it wrote
        for line in map(json.loads, whole.splitlines()):
            if any(line[name] != value for name, value in of.items()):
                has = {name: line[name] for name in of}
                raise SystemExit(f"{path} must hold lines of {of}, got one of {has}. Name another file.")
            had[line["seed"]] = line
    for seed in track(seeds, f"{food}: {kind}", console=Console(stderr=True)):
        if seed not in had:
            had[seed] = {**of, "seed": seed, **make(seed)}
            if path is not None:
                with path.open("a") as file:
                    file.write(json.dumps(had[seed]) + "\n")
        yield had[seed]


def tune(food: PlateFood, seeds: range, path: Path | None, console: Console) -> None:
    """Print the best of each family on tuning plates."""
    families = candidates(food)

    def played(seed: int) -> dict[str, Any]:
        tree = PlateTree(ClearingWorld(engine_of(food), seed=seed))
        return {"shares": {
            family: {name: round(tree.taken(tree.letters(policy)), 6) for name, policy in policies.items()}
            for family, policies in families.items()
        }}  # fmt: skip

    got = list(lines(path, "tune", food, seeds, played))
    rows = []
    for family, policies in families.items():
        shares = {name: np.array([line["shares"][family][name] for line in got]) for name in policies}
        alone = np.array([line["shares"]["fixed sequence"]["acquire only"] for line in got])
        for name in sorted(policies, key=lambda name: -shares[name].mean())[: 99 if family == "fixed sequence" else 4]:
            gap = shares[name] - alone
            error = gap.std(ddof=1) / math.sqrt(len(gap))
            rows.append({"family": family, "name": name, "share": shares[name].mean(), "gap": gap.mean(), "se": error})
    columns = (
        ("family", "{family}"), ("with", "{name}"), ("cleared", "{share:.3f}"),
        ("over acquire only", "{gap:+.3f}"), ("± s.e.", "{se:.3f}"),
    )  # fmt: skip
    console.print(table_of(rows, columns, title=f"{food}, tuning plates {seeds[0]:,} to {seeds[-1]:,}"))


def judged(food: PlateFood, draws: int, knowing: range, seed: int) -> dict[str, Any]:
    """Return what the tuned policies and the fair oracle clear on a plate, and the values that the oracle found."""
    tree = PlateTree(ClearingWorld(engine_of(food), seed=seed))
    played = {name: tree.letters(policy) for name, policy in tuned(food, seed).items()}
    letters, values = "", {}
    while not (world := tree.node(letters).world).over:
        ranked = ranked_letters(world, draws=draws)
        if ranked[0].draws:
            values[letters] = {
                value.opening: [round(value.mean, 4), round(value.error, 4), value.draws] for value in ranked
            }
        letters += ranked[0].opening
    played["fair oracle"] = letters
    shares = {name: round(tree.taken(done), 6) for name, done in played.items()}
    if seed in knowing:
        shares["clairvoyant"] = round(clear_knowing(tree.node("").world), 6)
    lost = {name: round(tree.node(done).lost, 6) for name, done in played.items()}
    unstable = sum(tree.node(done).unstable for done in played.values())
    return {"draws": draws, "shares": shares, "played": played, "lost": lost, "unstable": unstable, "values": values}


def gate(food: PlateFood, seeds: range, draws: int, knowing: int, path: Path | None, console: Console) -> None:
    """Print the fair oracle beside all others, paired by plate."""
    got = list(lines(path, "gate", food, seeds, partial(judged, food, draws, range(seeds[0], seeds[0] + knowing))))
    fair = np.array([line["shares"]["fair oracle"] for line in got])
    rows: list[dict[str, Any]] = []
    for name in [*got[0]["played"], "clairvoyant"]:
        here = [number for number, line in enumerate(got) if name in line["shares"]]
        if not here:
            continue
        shares = np.array([got[number]["shares"][name] for number in here])
        level, gap = mean(shares), difference(fair[here], shares)
        pushes = np.mean([got[number]["played"].get(name, "").count("g") for number in here])
        rows.append({
            "name": name, "plates": len(here), "share": level.value, "level": _interval(level.ci),
            "gap": None if name == "fair oracle" else gap.mean, "ci": _interval(gap.ci),
            "pushes": None if name == "clairvoyant" else pushes,
        })  # fmt: skip
    columns = (
        ("", "{name}"), ("plates", "{plates}"), ("cleared", "{share:.3f}"), ("95 %", "{level}"),
        ("fair oracle over it", "{gap:+.3f}"), ("95 %, paired", "{ci}"), ("pushes a plate", "{pushes:.2f}"),
    )  # fmt: skip
    title = f"{food}, plates {seeds[0]:,} to {seeds[-1]:,}, {draws} draws, {sum(line['unstable'] for line in got)}"
    console.print(table_of(rows, columns, title=f"{title} unstable"))


def _interval(ends: tuple[float, float]) -> str:
    return f"{ends[0]:+.3f} to {ends[1]:+.3f}"


def main() -> None:
    """Print the tables of a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("physics", "sweep", "tune", "gate", "pack"), help="Kind of table.")
    parser.add_argument("--food", required=True, choices=[str(food) for food in PlateFood], help="Food on the plates.")
    parser.add_argument("--plates", type=int, help="Number of plates. Default: 20, 12, 32 and 100.")
    parser.add_argument("--first", type=int, help="Seed of the first plate of `tune` and `gate`.")
    parser.add_argument("--draws", type=int, default=12, help="Roll-outs of each opening of the oracle. Default: 12.")
    parser.add_argument("--knowing", type=int, default=5, help="Plates that the clairvoyant clears, too. Default: 5.")
    parser.add_argument("--json", type=Path, help="File of lines of `tune` or `gate`; it is gone on from.")
    parser.add_argument("--only", choices=PHYSICS, action="append", help="Ways of `physics`. Default: all.")
    parser.add_argument("--again", type=int, default=20, help="Plates of `physics` that are replayed. Default: 20.")
    given = parser.parse_args()
    food, console = PlateFood(given.food), Console()
    if given.command == "pack":
        if given.json is None:
            parser.error("pack must be given --json, the lines of `gate`")
        console.print(f"written: {pack(food, given.json)}")
        return
    plates = given.plates or {"physics": 20, "sweep": 12, "tune": 32, "gate": 100}[given.command]
    first = given.first or (SCORED if given.command == "gate" else TUNING)[food]
    seeds = range(first, first + plates)
    if given.command == "physics":
        physics(food, plates, given.only or PHYSICS, given.again, console)
    elif given.command == "sweep":
        sweep(food, plates, console)
    elif given.command == "tune":
        tune(food, seeds, given.json, console)
    else:
        gate(food, seeds, given.draws, given.knowing, given.json, console)


if __name__ == "__main__":
    main()
