"""The tables of the model cards: `python -m train.feeding.report` writes them into docs/feeding/models.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs" / "feeding"
BEGIN, END = "<!-- tables: written by train.feeding.report -->", "<!-- end of tables -->"
TITLES = {"name": "M1 name", "find": "M2 find", "choose": "M3 choose", "aim": "M4 aim"}
SPLITS = ("easy", "hard")


def main() -> None:
    """Write the tables."""
    write()


def write() -> None:
    """Put the tables of `models.json` between the marks in `models.md`."""
    found = json.loads((DOCS / "models.json").read_text(encoding="utf-8"))
    page = DOCS / "models.md"
    text = page.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(before + BEGIN + "\n\n" + "\n".join(lines(found)) + "\n\n" + END + after, encoding="utf-8")


def lines(found: dict[str, Any]) -> Iterator[str]:
    """All tables, line by line."""
    seeds, shipped = found["seeds"], str(found["shipped"])
    yield "### Accuracy"
    yield ""
    yield "| module | split | " + " | ".join(f"seed {seed}" for seed in seeds) + " | rows | plates |"
    yield "|---|---|" + "---|" * (len(seeds) + 2)
    for module, title in TITLES.items():
        for split in ("validation", *SPLITS):
            each = [seeds[seed][split][module] for seed in seeds]
            cells = " | ".join(_estimate(one["accuracy"]) for one in each)
            yield f"| {title} | {split} | {cells} | {each[0]['rows']} | {each[0]['plates']} |"
    yield ""
    yield f"Seed {shipped} is shipped: it has the highest mean accuracy on the validation plates."
    yield ""
    yield "### What raw scores are worth"
    yield ""
    yield "| module | split | AURC, " + " | AURC, ".join(f"seed {seed}" for seed in seeds) + " | less than random |"
    yield "|---|---|" + "---|" * (len(seeds) + 1)
    for module, title in TITLES.items():
        for split in SPLITS:
            cells = " | ".join(f"{seeds[seed][split][module]['aurc']['value']:.3f}" for seed in seeds)
            less = _estimate(seeds[shipped][split][module]["aurc_less_random"], sign=True)
            yield f"| {title} | {split} | {cells} | {less} |"
    yield ""
    yield "| module | split | mean raw score | accuracy | calibration error (ECE) |"
    yield "|---|---|---|---|---|"
    for module in ("name", "find", "choose"):
        for split in SPLITS:
            one = seeds[shipped][split][module]
            yield (
                f"| {TITLES[module]} | {split} | {one['score_mean']:.3f} | {one['accuracy']['value']:.3f} "
                f"| {_estimate(one['ece'])} |"
            )
    yield ""
    yield "| M4 aim | seed | place, median (90 %) | angle, median (90 %) | variance against error of place, ρ |"
    yield "|---|---|---|---|---|"
    for split in SPLITS:
        for seed in seeds:
            one = seeds[seed][split]["aim"]
            place, angle = one["place_mm"], one["angle_deg"]
            yield (
                f"| {split} | {seed} | {place['median']:.1f} mm ({place['q90']:.1f}) "
                f"| {angle['median']:.0f}° ({angle['q90']:.0f}°) | {_estimate(one['rank_correlation'], sign=True)} |"
            )
    yield ""
    yield "### What is mistaken"
    yield ""
    yield "| module | split | mistakes of the shipped seed, most frequent first |"
    yield "|---|---|---|"
    for module, title in TITLES.items():
        for split in SPLITS:
            wrong = seeds[shipped][split][module]["wrong"]
            yield f"| {title} | {split} | {'; '.join(f'{what} {count}' for what, count in wrong.items()) or 'none'} |"


def _estimate(one: dict[str, Any], *, sign: bool = False) -> str:
    form = "+.3f" if sign else ".3f"
    low, high = one["ci"]
    return f"{one['value']:{form}} [{low:{form}}, {high:{form}}]"


if __name__ == "__main__":
    main()
