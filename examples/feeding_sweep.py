"""Measures the capture model on the published seeds and draws it: the table and the figure of docs/feeding/world.md.

    python -m examples.feeding_sweep run --plates 10 --first 0     # measure ten plates of each food, add the counts
    python -m examples.feeding_sweep draw                          # figure and tables from all counts
    python -m examples.feeding_sweep meals --plates 98             # hard meals with perfect answers

Measuring takes about half a minute per plate number (all foods); it can be done in parts, and in several processes with
other `--first`, one after the other.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter, defaultdict
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from rich.console import Console
from rich.progress import track

from handup.domains.feeding import HARD, PLATES, Skill, World, foods
from handup.domains.feeding.sweep import ERRORS_DEG, ERRORS_MM, Row, seeds_for, sweep

DOCS = Path(__file__).parent.parent / "docs"
COUNTS = DOCS / "feeding" / "sweep.csv"
FIGURE = DOCS / "img" / "feeding" / "sweep.svg"
FIELDS = ("food", "skill", "kind", "error_mm", "error_deg", "tries", "ok", "other", "unstable", "missed", "imagined")
MEALS_FROM = 80_000
"""The first seed of the meals."""
INK = {"skewer": "#2f7d5b", "scoop": "#8a5a00", "twirl": "#3d5fc4"}
Key = tuple[str, str, str, float, float]
Counts = dict[Key, Counter[str]]
err = Console(stderr=True)


def measure(counts: Counts, first: int, plates: int) -> None:
    """Add some plates of every food to the counts; they are written after each, so that nothing measured is lost."""
    for number in track(range(first, first + plates), "plates", console=err):
        for name in foods():
            for row in sweep(name, [seeds_for(name, number + 1, published=True)[number]]):
                _count(counts, row)
            write(counts)


def _count(counts: Counts, row: Row) -> None:
    at = counts[(row.food, row.skill.value, row.kind, row.error_mm, row.error_deg)]
    at.update(
        tries=1, ok=int(row.ok), other=int(row.other), unstable=int(row.unstable),
        missed=int(row.something and not row.seen), imagined=int(row.seen and not row.something),
    )  # fmt: skip


def read() -> Counts:
    """All counts so far."""
    counts: Counts = defaultdict(Counter)
    if COUNTS.exists():
        with COUNTS.open(encoding="utf-8", newline="") as stream:
            for line in csv.DictReader(stream):
                key = (line["food"], line["skill"], line["kind"], float(line["error_mm"]), float(line["error_deg"]))
                counts[key].update({name: int(line[name]) for name in FIELDS[5:]})
    return counts


def write(counts: Counts) -> None:
    """All counts, one line per condition."""
    COUNTS.parent.mkdir(parents=True, exist_ok=True)
    with COUNTS.open("w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream, lineterminator="\n")
        out.writerow(FIELDS)
        for key, found in counts.items():
            out.writerow([*key, *(found[name] for name in FIELDS[5:])])


def share(counts: Counts, food: str, skill: str, *, kind: str = "fitting", mm: float = 0.0, deg: float = 0.0) -> float:
    """Share of tries that succeeded under a condition."""
    found = counts[(food, skill, kind, mm, deg)]
    return found["ok"] / max(found["tries"], 1)


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
            style = {"color": INK[skill.value], "marker": ".", "label": skill.value}
            beside = (0.0, *ERRORS_MM)
            place.plot(beside, [share(counts, name, skill, mm=each) for each in beside], **style)
            turned = (0.0, *ERRORS_DEG)
            angle.plot(turned, [share(counts, name, skill, deg=each) for each in turned], **style)
        place.set_title(name, loc="left", weight="bold")
        place.set_xlabel("mm beside")
        angle.set_xlabel("° turned")
        place.set_ylim(-0.03, 1.03)
    handles = [Line2D([], [], color=colour, marker=".", label=skill) for skill, colour in INK.items()]
    figure.legend(handles=handles, loc="lower right", frameon=False)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURE, metadata={"Date": None})
    plt.close(figure)


def tables(counts: Counts) -> str:
    """The tables of the docs page, as Markdown."""
    shown_mm, shown_deg = (0.0, *ERRORS_MM), ERRORS_DEG
    head = [
        "food",
        "skill",
        "tries at 0",
        *(f"{each:g} mm" for each in shown_mm),
        *(f"{each:g}°" for each in shown_deg),
    ]
    lines = ["| " + " | ".join([*head, "wrong skills"]) + " |", "|---" * (len(head) + 1) + "|"]
    for name, food in foods().items():
        for skill in food.skills:
            tries = counts[(name, skill.value, "fitting", 0.0, 0.0)]["tries"]
            by_mm = [f"{share(counts, name, skill, mm=each):.2f}" for each in shown_mm]
            by_deg = [f"{share(counts, name, skill, deg=each):.2f}" for each in shown_deg]
            others = [each for each in Skill if each not in food.skills]
            wrong = ", ".join(f"{each} {share(counts, name, each, kind='wrong'):.2f}" for each in others)
            lines.append("| " + " | ".join([name, skill, str(tries), *by_mm, *by_deg, wrong]) + " |")
    total: Counter[str] = Counter()
    for found in counts.values():
        total.update(found)
    empty = total["tries"] - total["ok"] - total["other"]
    lines.append("")
    lines.append(
        f"{total['tries']} executions, {total['unstable']} unstable, {total['other']} with another food on the fork."
    )
    lines.append(f"Detector: {total['missed']} of {total['ok'] + total['other']} bites missed, "
                 f"{total['imagined']} of {empty} empty forks taken for a bite.")  # fmt: skip
    return "\n".join(lines)


def perfect_meal(seed: int) -> Counter[str]:
    """A hard meal of five bites with up to three attempts each, everything taken from the truth."""
    found: Counter[str] = Counter(meals=1)
    random = np.random.default_rng(seed)
    with World(list(PLATES)[seed % len(PLATES)], seed=seed, looks=HARD, size=(320, 240)) as world:
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
    counts = read()
    if arguments.what == "run":
        measure(counts, arguments.first, arguments.plates)
    draw(counts)
    print(tables(counts))


if __name__ == "__main__":
    main()
