"""Draws the feeding world for the docs: a contact sheet of plates, and a film of each skill. Run by `make pictures`.

Needs the extra `sim`. Everything is drawn from seeds, so a picture changes only when the world does.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from handup.domains.feeding import EASY, HARD, Film, Looks, PlateWorld, Skill

OUT = Path(__file__).parent.parent / "docs" / "img" / "feeding"
CELL = (320, 240)
SHEET = (
    ("savory salad", 21),
    ("thanksgiving", 22),
    ("mixed salad", 24),
    ("noodles", 23),
    ("random", 33),
    ("random", 40),
)
FILMS = {Skill.SKEWER: ("savory salad", "chicken", 21), Skill.SCOOP: ("thanksgiving", "mashed potatoes", 22),
         Skill.TWIRL: ("noodles", "noodles", 23)}  # fmt: skip


def contact_sheet() -> Image.Image:
    """Each plate twice: easy above, hard below."""
    sheet = Image.new("RGB", (CELL[0] * len(SHEET) // 2, CELL[1] * 4))
    for row, looks in enumerate((EASY, HARD)):
        for index, (plate, seed) in enumerate(SHEET):
            column, line = index % (len(SHEET) // 2), 2 * row + index // (len(SHEET) // 2)
            sheet.paste(picture(plate, seed, looks), (column * CELL[0], line * CELL[1]))
    return sheet


def picture(plate: str, seed: int, looks: Looks) -> Image.Image:
    """One plate with its name."""
    with PlateWorld(plate, seed=seed, looks=looks) as world:
        drawn = Image.fromarray(world.view().rgb).resize(CELL, Image.Resampling.LANCZOS)
        foods = ", ".join(world.plate.pieces)
    pen = ImageDraw.Draw(drawn)
    words = f"{plate}, {looks.name}: {foods}" if plate == "random" else f"{plate}, {looks.name}"
    pen.rectangle((0, CELL[1] - 15, 8 + pen.textlength(words), CELL[1]), fill=(0, 0, 0))
    pen.text((4, CELL[1] - 13), words, fill=(255, 255, 255))
    return drawn


def film(skill: Skill) -> Film:
    """One bite by a skill, from the side, in slow motion."""
    plate, food, seed = FILMS[skill]
    made = Film(every_s=0.05, size=(320, 240))
    with PlateWorld(plate, seed=seed) as world:
        item = max((each for each in world.truth() if each.food == food), key=lambda each: each.box[3])
        params = item.best[skill]
        if skill is Skill.SCOOP:  # across the picture, so that the arm does not hide it
            first, second = world.on_plate(skill, params)
            middle, half = (first + second) / 2, np.array([0.027, 0.0])
            params = world.params(skill, middle - half, middle + half)
        done = world.execute(skill, params, film=made)
        print(f"{skill}: {done.reason}, {len(made.frames)} pictures")
    return made


def main() -> None:
    """Write the sheet and the films."""
    OUT.mkdir(parents=True, exist_ok=True)
    contact_sheet().save(OUT / "plates.jpg", quality=88, optimize=True)
    for skill in Skill:
        film(skill).save_gif(OUT / f"{skill}.gif", colours=160)
    for path in sorted(OUT.glob("*")):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
