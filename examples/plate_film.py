"""Draws films of plates for the docs: food that is pushed together, and then picked up. Run by `make pictures`.

Needs the extra `sim`. Everything is drawn from seeds, so a film changes only when the world does.
"""

from __future__ import annotations

from pathlib import Path

from handup.domains.feeding.film import save_film
from handup.domains.plate.engines import plate_of
from handup.domains.plate.low_level import aim_at
from handup.domains.plate.plate_film import COLOURS, EVERY_S, PlateRecorder
from handup.domains.plate.plate_log import words_of
from handup.domains.plate.policies import LETTERS
from handup.domains.plate.primitives import PlateFood

OUT = Path(__file__).parent.parent / "docs" / "img" / "plate"
FILMS = {PlateFood.BEANS: (3, "gaga"), PlateFood.NOODLES: (0, "gaa")}
"""Seed and first actions of each plate."""


def main() -> None:
    """Write the films."""
    OUT.mkdir(parents=True, exist_ok=True)
    for food, (seed, letters) in FILMS.items():
        world, frames = plate_of(food, seed), []
        recorder = PlateRecorder("", food.actions)
        for number, letter in enumerate(letters, start=1):
            aim = aim_at(world.mask())
            assert aim is not None
            look = recorder.begin(world.engine, number, aim, LETTERS[letter])
            done = world.act(LETTERS[letter], aim, look)
            recorder.end(world.engine, words_of(food, done.primitive, done.moved))
            frames += recorder.frames
        path = OUT / f"{food}.gif"
        save_film(frames, path, colours=COLOURS, every_s=EVERY_S)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} KB, {len(frames)} pictures")


if __name__ == "__main__":
    main()
