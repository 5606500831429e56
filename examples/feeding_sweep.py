"""Measures the capture model on the published seeds and draws it: the tables and the figure of docs/feeding/world.md.

    python -m examples.feeding_sweep run --plates 10 --first 0     # measure the first ten plates of each food
    python -m examples.feeding_sweep draw                          # figure and tables from all that was measured
    python -m examples.feeding_sweep meals --plates 98             # hard meals with perfect answers

Measuring takes about half a minute per plate number (all foods). It can be done in parts: each try is kept as a row
with its seed, a plate that was measured already is passed over, and rows of other rules, constants or foods do not
count.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from rich.console import Console
from rich.progress import track

from handup.confidence.metrics import wilson
from handup.domains.feeding import HARD, PLATES, PlateWorld, Skill, foods
from handup.domains.feeding.capture import CAPTURE, RULES
from handup.domains.feeding.foods import random_plate
from handup.domains.feeding.looks import EASY, Looks
from handup.domains.feeding.skills import Params

TUNING_SEEDS = range(0, 10_000)
PUBLISHED_SEEDS = range(200_000, 210_000)
"""Seeds from 50,000 on served a first run, from 70,000 on a second, whose rules were wrong: neither is used again."""
ERRORS_MM = (4.0, 8.0, 12.0, 18.0, 30.0, 45.0)
ERRORS_DEG = (30.0, 60.0, 90.0)
PERFECT = 3
"""Tries of each plate without any error."""
DOCS = Path(__file__).parent.parent / "docs"
ROWS = DOCS / "feeding" / "sweep_rows.csv"
"""One line per try."""
COUNTS = DOCS / "feeding" / "sweep.csv"
"""One line per condition, made from the rows."""
PAGE = DOCS / "feeding" / "world.md"
FIGURE = DOCS / "img" / "feeding" / "sweep.svg"
BEGIN, END = "<!-- made by: python -m examples.feeding_sweep draw -->\n", "<!-- end of what is made -->\n"
COUNTED = ("tries", "ok", "other", "unstable", "missed", "imagined")
FIELDS = ("food", "skill", "kind", "error_mm", "error_deg", *COUNTED)
MEALS_FROM = 210_000
"""The first seed of the meals."""
INK = {"skewer": "#2f7d5b", "scoop": "#8a5a00", "twirl": "#3d5fc4"}
BAR = 0.85
"""What every food should reach with perfect parameters, with its best skill."""
Key = tuple[str, str, str, float, float]
Counts = dict[Key, Counter[str]]
err = Console(stderr=True)


# -- one food on one plate ---------------------------------------------------------------------------------------------


def seeds_for(food: str, count: int, *, published: bool) -> Sequence[int]:
    """Return some seeds of a food: no two foods share one, so no two share their luck."""
    start = (PUBLISHED_SEEDS if published else TUNING_SEEDS)[500 * list(foods()).index(food)]
    return range(start, start + count)


def config() -> str:
    """Return a name for what is measured: it changes with rules, constants, food table and conditions."""
    table = [asdict(kind) for kind in foods().values()]
    measured = {"rules": RULES, "constants": asdict(CAPTURE), "foods": table, "mm": ERRORS_MM, "deg": ERRORS_DEG}
    return hashlib.sha256(json.dumps({**measured, "perfect": PERFECT}, sort_keys=True).encode()).hexdigest()[:12]


@dataclass(frozen=True, kw_only=True)
class SweepRow:
    """One try of a skill on a food.

    Args:
        food: Food that was meant.
        skill: Skill that was tried.
        kind: `fitting` if the skill fits the food, otherwise `wrong`.
        error_mm: Distance from the best place, in a random direction.
        error_deg: Turn from the best angle, to a random side.
        seed: Seed of the plate.
        attempt: Number of the try on this plate, from 1.
        config: Name of what was measured: see `config`.
        ok: True if the food came onto the fork.
        other: True if another food did.
        unstable: True if the physics went wrong.
        seen: True if the detector saw food on the fork.
        something: True if there was any.
    """

    food: str
    skill: Skill
    kind: str
    error_mm: float
    error_deg: float
    seed: int
    attempt: int
    config: str
    ok: bool
    other: bool
    unstable: bool
    seen: bool
    something: bool


def sweep(
    food: str, seeds: Sequence[int], *, errors_mm: Sequence[float] = ERRORS_MM,
    errors_deg: Sequence[float] = ERRORS_DEG, wrong: bool = True, looks: Looks = EASY,
) -> Iterator[SweepRow]:  # fmt: skip
    """Try one food on one plate for each seed, from the same state under every condition.

    Args:
        food: Name of the food.
        seeds: Seeds of plates; one without the food in sight is passed over.
        errors_mm: Errors of place, tried with every fitting skill after `PERFECT` tries without any.
        errors_deg: Errors of angle, tried with every fitting skill at the best place.
        wrong: True to try also the skills that do not fit, at the best place.
        looks: Looks of the plates.
    """
    for seed in seeds:
        random = np.random.default_rng((seed, 7))
        with PlateWorld(random_plate(seed, must=food), seed=seed, looks=looks, size=(320, 240)) as world:
            items = [item for item in world.truth() if item.food == food]
            if not items:
                continue
            item, start = items[int(random.integers(len(items)))], world.save()
            number = 0
            for skill in Skill:
                fits = skill in item.best
                params = item.best[skill] if fits else _as_if(world, skill, item.best[item.skill], item.skill)
                conditions = [(0.0, 0.0)] * PERFECT
                conditions += [(error, 0.0) for error in errors_mm] + [(0.0, error) for error in errors_deg]
                for error_mm, error_deg in conditions if fits else [(0.0, 0.0)] if wrong else []:
                    number += 1
                    # The number of the try decides its luck, so that tries on the same plate differ.
                    world.load({**start, "executions": number})
                    angle, side = random.uniform(0.0, 2.0 * np.pi), random.choice([-1.0, 1.0])
                    shift = (error_mm / 1000.0 * np.cos(angle), error_mm / 1000.0 * np.sin(angle))
                    tried = nudged(world, skill, params, by_m=shift, turn_rad=float(side * np.radians(error_deg)))
                    done = world.execute(skill, tried)
                    yield SweepRow(
                        food=food, skill=skill, kind="fitting" if fits else "wrong", error_mm=error_mm, seed=seed,
                        attempt=number, config=config(), error_deg=error_deg, ok=done.is_bite_of(food),
                        other=done.is_wrong_bite(food), unstable=done.unstable, seen=world.looks_successful().ok,
                        something=done.picked is not None,
                    )  # fmt: skip


def nudged(
    world: PlateWorld,
    skill: Skill,
    params: Params,
    *,
    by_m: tuple[float, float] = (0.0, 0.0),
    turn_rad: float = 0.0,
) -> Params:
    """Return parameters moved and turned on the plate, to measure what errors cost."""
    first, second = world.on_plate(skill, params)
    middle, half = (first + second) / 2 + np.array(by_m), (second - first) / 2
    cos, sin = np.cos(turn_rad), np.sin(turn_rad)
    turned = np.array([[cos, -sin], [sin, cos]]) @ half
    return world.params(skill, middle - turned, middle + turned)


def _as_if(world: PlateWorld, skill: Skill, params: Params, fitting: Skill) -> Params:
    """Return sensible parameters for a skill that does not fit: the same middle, a way or a line of a usual length."""
    first, second = world.on_plate(fitting, params)
    middle, line = (first + second) / 2, second - first
    unit = line / max(float(np.hypot(*line)), 1e-9)
    half = 0.027 if skill is Skill.SCOOP else 0.018
    return world.params(skill, middle - half * unit, middle + half * unit)


# -- all foods, kept as rows ------------------------------------------------------------------------------------------


def measure(first: int, plates: int) -> None:
    """Measure some plates of every food; each is kept when it is done, so that nothing measured is lost."""
    known = {(row.food, row.seed) for row in read()}
    for number in track(range(first, first + plates), "plates", console=err):
        for name in foods():
            seed = seeds_for(name, number + 1, published=True)[number]
            if (name, seed) not in known:
                append(list(sweep(name, [seed])))


def append(rows: list[SweepRow]) -> None:
    """Keep the rows of a plate."""
    names = [each.name for each in fields(SweepRow)]
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    fresh = not ROWS.exists()
    with ROWS.open("a", encoding="utf-8", newline="") as stream:
        out = csv.DictWriter(stream, names, lineterminator="\n")
        if fresh:
            out.writeheader()
        out.writerows({key: int(it) if isinstance(it, bool) else it for key, it in asdict(row).items()} for row in rows)


def read() -> list[SweepRow]:
    """Every try that was measured under the present rules, constants and foods, each once, in order."""
    found: dict[tuple[int, int], SweepRow] = {}
    present = config()
    if ROWS.exists():
        with ROWS.open(encoding="utf-8", newline="") as stream:
            for line in csv.DictReader(stream):
                if line["config"] == present:
                    row = _row(line)
                    found.setdefault((row.seed, row.attempt), row)
    return [found[key] for key in sorted(found)]


def _row(line: dict[str, str]) -> SweepRow:
    flags = {name: line[name] == "1" for name in ("ok", "other", "unstable", "seen", "something")}
    return SweepRow(
        food=line["food"], skill=Skill(line["skill"]), kind=line["kind"], error_mm=float(line["error_mm"]),
        error_deg=float(line["error_deg"]), seed=int(line["seed"]), attempt=int(line["attempt"]),
        config=line["config"], **flags,
    )  # fmt: skip


def count(rows: Iterable[SweepRow]) -> Counts:
    """Rows by condition."""
    counts: Counts = defaultdict(Counter)
    for row in rows:
        counts[(row.food, row.skill.value, row.kind, row.error_mm, row.error_deg)].update(
            tries=1, ok=int(row.ok), other=int(row.other), unstable=int(row.unstable),
            missed=int(row.something and not row.seen), imagined=int(row.seen and not row.something),
        )  # fmt: skip
    return counts


def write(counts: Counts) -> None:
    """All counts, one line per condition."""
    with COUNTS.open("w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream, lineterminator="\n")
        out.writerow(FIELDS)
        for key, found in counts.items():
            out.writerow([*key, *(found[name] for name in COUNTED)])


def share(
    counts: Counts, food: str, skill: str, *, kind: str = "fitting", mm: float = 0.0, deg: float = 0.0
) -> tuple[float, float, float]:
    """Share of tries that succeeded under a condition, with its 95 % interval."""
    found = counts.get((food, skill, kind, mm, deg), Counter())
    if not found["tries"]:
        return (float("nan"), 0.0, 1.0)
    return (found["ok"] / found["tries"], *wilson(found["ok"], found["tries"]))


def draw(counts: Counts) -> None:
    """Success against the error of place and of angle, a small panel for each food."""
    mpl.rcParams.update(
        {"font.size": 8, "svg.hashsalt": "handup", "axes.spines.top": False, "axes.spines.right": False}
    )
    figure, axes = plt.subplots(5, 8, figsize=(13, 8), sharey=True, layout="constrained")
    for axis in axes.flat[2 * len(foods()) :]:
        axis.set_visible(False)
    for index, (name, food) in enumerate(foods().items()):
        place, angle = axes.flat[2 * index], axes.flat[2 * index + 1]
        for skill in food.skills:
            beside = [share(counts, name, skill, mm=each) for each in (0.0, *ERRORS_MM)]
            turned = [share(counts, name, skill, deg=each) for each in (0.0, *ERRORS_DEG)]
            for axis, errors, found in ((place, ERRORS_MM, beside), (angle, ERRORS_DEG, turned)):
                shares, at = np.array(found), (0.0, *errors)
                axis.plot(at, shares[:, 0], color=INK[skill.value], marker=".")
                axis.fill_between(at, shares[:, 1], shares[:, 2], color=INK[skill.value], alpha=0.13, linewidth=0)
        place.set_title(name, loc="left", weight="bold")
        place.set_xlabel("mm beside")
        angle.set_xlabel("° turned")
        place.set_ylim(-0.03, 1.03)
    handles = [Line2D([], [], color=colour, marker=".", label=skill) for skill, colour in INK.items()]
    figure.legend(handles=handles, loc="lower right", frameon=False)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURE, metadata={"Date": None})
    plt.close(figure)


def percent(found: tuple[float, float, float]) -> str:
    """A share and its interval, in per cent."""
    value, low, high = (100.0 * each for each in found)
    return "–" if np.isnan(value) else f"{value:.0f} ({low:.0f}–{high:.0f})"


def tables(counts: Counts) -> str:
    """The tables of the docs page, as Markdown."""
    exact = ["| food | skill | tries | success | wrong skills |", "|---|---|---|---|---|"]
    head = ["food", "skill", *(f"{each:g} mm" for each in ERRORS_MM), *(f"{each:g}°" for each in ERRORS_DEG)]
    beside = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, food in foods().items():
        others = [each for each in Skill if each not in food.skills]
        wrong = ", ".join(f"{each} {percent(share(counts, name, each, kind='wrong'))}" for each in others)
        for skill in food.skills:
            tries = counts.get((name, skill.value, "fitting", 0.0, 0.0), Counter())["tries"]
            exact.append(f"| {name} | {skill} | {tries} | {percent(share(counts, name, skill))} | {wrong} |")
            cells = [percent(share(counts, name, skill, mm=each)) for each in ERRORS_MM]
            cells += [percent(share(counts, name, skill, deg=each)) for each in ERRORS_DEG]
            beside.append("| " + " | ".join([name, skill, *cells]) + " |")
    total: Counter[str] = Counter()
    for found in counts.values():
        total.update(found)
    bites, best = total["ok"] + total["other"], {name: share(counts, name, food.skills[0]) for name, food in
                                                  foods().items()}  # fmt: skip
    under = [f"{name} {percent(found)}" for name, found in best.items() if found[0] < BAR]
    unsure = [f"{name} {percent(found)}" for name, found in best.items() if found[0] >= BAR > found[1]]
    return "\n".join(
        [
            "Success with perfect parameters, and with the skills that do not fit, in per cent with 95 % intervals:",
            *("", *exact, ""),
            f"Foods that succeed in less than {100 * BAR:.0f} % with their best skill: {', '.join(under) or 'none'}. "
            f"Foods above that, whose interval reaches below it: {', '.join(unsure) or 'none'}.",
            *("", "Success with errors of place (mm) and of angle (°), in per cent with 95 % intervals:"),
            *("", *beside, ""),
            f"{total['tries']:,} executions: {total['unstable']} unstable; another food came onto the fork in "
            f"{total['other']:,}. The detector missed {total['missed']} of {bites:,} bites and took "
            f"{total['imagined']} of {total['tries'] - bites:,} empty forks for a bite.",
        ]
    )


def publish(text: str) -> None:
    """Put the tables onto the page, between the two marks."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n\n{END}{after}", encoding="utf-8")


def perfect_meal(seed: int) -> Counter[str]:
    """A hard meal of five bites with up to three attempts each, everything taken from the truth."""
    found: Counter[str] = Counter(meals=1)
    random = np.random.default_rng(seed)
    with PlateWorld(list(PLATES)[seed % len(PLATES)], seed=seed, looks=HARD, size=(320, 240)) as world:
        for _ in range(5):
            left = {name for name, bites in world.left().items() if bites >= 1.0}
            names = sorted({item.food for item in world.truth()} & left)
            wanted = names[int(random.integers(len(names)))] if names else ""
            for _ in range(3):
                items = [item for item in world.truth() if item.food == wanted]
                if not items:
                    break
                item = max(items, key=lambda each: each.pixels)
                done = world.execute(item.skill, item.best[item.skill])
                seen, something = world.looks_successful().ok, done.picked is not None
                found.update(executions=1, unstable=int(done.unstable), something=int(something),
                             missed=int(something and not seen), imagined=int(seen and not something))  # fmt: skip
                world.clear_tool()
                if done.is_bite_of(wanted):
                    found["bites"] += 1
                    break
    return found


def main() -> None:
    """Measure, draw or eat."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "draw", "meals"])
    parser.add_argument("--plates", type=int, default=4)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.what == "meals":
        total: Counter[str] = Counter()
        for seed in track(range(MEALS_FROM, MEALS_FROM + arguments.plates), "meals", console=err):
            total.update(perfect_meal(seed))
        print(dict(total), f"{total['bites'] / total['meals']:.2f} bites of 5")
        return
    if arguments.what == "run":
        measure(arguments.first, arguments.plates)
    counts = count(read())
    write(counts)
    draw(counts)
    publish(tables(counts))
    print(tables(counts))


if __name__ == "__main__":
    main()
