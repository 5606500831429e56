"""Sweep over errors of place and angle and over wrong skills: how often the capture model succeeds, food by food.

Constants were chosen on `TUNING_SEEDS`; the docs publish `PUBLISHED_SEEDS`, which nothing was chosen on. Every seed is
another random plate with the food on it. Each try is a row of its own with all that names it, so that rows can be added
in parts, and none twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from handup.domains.feeding.capture import CAPTURE, RULES
from handup.domains.feeding.foods import foods, random_plate
from handup.domains.feeding.looks import EASY, Looks
from handup.domains.feeding.skills import Params, Skill
from handup.domains.feeding.world import PlateWorld

TUNING_SEEDS = range(0, 10_000)
PUBLISHED_SEEDS = range(200_000, 210_000)
"""Seeds from 50,000 on served a first run, from 70,000 on a second, whose rules were wrong: neither is used again."""
ERRORS_MM = (4.0, 8.0, 12.0, 18.0, 30.0, 45.0)
ERRORS_DEG = (30.0, 60.0, 90.0)
PERFECT = 3
"""Tries of each plate without any error."""


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
                    tried = world.nudged(skill, params, by_m=shift, turn_rad=float(side * np.radians(error_deg)))
                    done = world.execute(skill, tried)
                    yield SweepRow(
                        food=food, skill=skill, kind="fitting" if fits else "wrong", error_mm=error_mm, seed=seed,
                        attempt=number, config=config(), error_deg=error_deg, ok=done.is_bite_of(food),
                        other=done.is_wrong_bite(food), unstable=done.unstable, seen=world.looks_successful().ok,
                        something=done.picked is not None,
                    )  # fmt: skip


def _as_if(world: PlateWorld, skill: Skill, params: Params, fitting: Skill) -> Params:
    """Return sensible parameters for a skill that does not fit: the same middle, a way or a line of a usual length."""
    first, second = world.on_plate(fitting, params)
    middle, line = (first + second) / 2, second - first
    unit = line / max(float(np.hypot(*line)), 1e-9)
    half = 0.027 if skill is Skill.SCOOP else 0.018
    return world.params(skill, middle - half * unit, middle + half * unit)
