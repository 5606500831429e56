"""Calibration of the four modules: sets as in the core paper's appendix C.1, and calibrators fitted on them.

`python -m train.feeding.calibrate` draws the sets from plates kept for it and writes `models/calibrators.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from handup.confidence import Sample
from handup.confidence.building import Entry, Ranked, food_entries, of_boxes, of_entries, skill_entries
from handup.core import BadRecord, BadSetting, Calibrator, calibrator_from_json
from handup.domains.feeding.camera import Item
from handup.domains.feeding.judging import MODULES, SAME_BOX, aims_well, box_of, item_at, overlap
from handup.domains.feeding.policy import Sees
from handup.domains.feeding.seeing import Named
from handup.domains.feeding.world import World

SCHEMA = 1
SIZES: Mapping[str, int] = {"food": 96, "box": 76, "skill": 66, "params": 66}
"""How many rows the paper had for each module."""
BEST, INTERVAL, SCALED = "best", "interval", "scaled"
KINDS = (BEST, INTERVAL, SCALED)
"""The best by nested cross-validation; the paper's appendix C.2; the paper's appendix D. For M4's variances there is
one method, so it is the same in all three."""


@dataclass
class Rows:
    """What the modules said of the calibration plates, and what was right. Add plates until it is full.

    Args:
        foods: M1's entries.
        boxes: M2's scores, and whether the box was right.
        skills: M3's entries, on valid boxes.
        aims: M4's variances, and whether the parameters were right; valid boxes, true skills.
    """

    foods: list[Entry] = field(default_factory=list)
    boxes: list[tuple[float, bool]] = field(default_factory=list)
    skills: list[Entry] = field(default_factory=list)
    aims: list[tuple[float, bool]] = field(default_factory=list)

    def add(self, world: World, modules: Sees) -> None:
        """One plate: M1 on all of it; for each food on it the best box, and skill and aim where that is right."""
        rgb, items = world.view().rgb, world.truth()
        foods = sorted({each.food for each in items})
        if not foods:
            return
        self.foods += food_entries(_predictions(modules.name(rgb), len(foods)), foods)
        for name in foods:
            found = modules.find(rgb, name)
            if not found.boxes:
                continue
            box = found.boxes[0]
            item = item_at([each for each in items if each.food == name], box)
            right = item is not None and overlap(box_of(item), box) >= SAME_BOX
            self.boxes.append((found.score, right))
            if item is not None and right:
                chosen = modules.choose(rgb, name, box)
                self.skills += skill_entries([(_ranked(chosen.scores), _fitting(item, chosen.skill), True)])
                aimed = modules.aim(rgb, box, item.skill, seed=world.seed)
                self.aims.append((aimed.variance, aims_well(world, item, item.skill, aimed.params)))

    def samples(self, sizes: Mapping[str, int] = SIZES, first: int = 0) -> dict[str, Sample]:
        """The first rows of each, as many as the paper had; or those from another place on, for testing.

        Raises:
            BadSetting: There are not enough.
        """
        held: dict[str, list[Any]] = dict(zip(MODULES, (self.foods, self.boxes, self.skills, self.aims), strict=True))
        for module, size in sizes.items():
            if len(held[module]) < first + size:
                raise BadSetting(f"{len(held[module])} rows for '{module}'", hint=f"Add plates: {first + size} needed.")
        taken = {module: held[module][first : first + sizes[module]] for module in sizes}
        right, wrong = ([score for score, good in taken["box"] if good is each] for each in (True, False))
        aims = taken["params"]
        return {
            "food": of_entries(taken["food"]),
            "box": of_boxes(right, wrong),
            "skill": of_entries(taken["skill"]),
            "params": Sample.of_variances([each for each, _ in aims], [good for _, good in aims]),
        }

    def full(self, sizes: Mapping[str, int] = SIZES) -> bool:
        """Whether there are enough rows for every module."""
        held: Iterable[list[Any]] = (self.foods, self.boxes, self.skills, self.aims)
        return all(len(rows) >= sizes[module] for module, rows in zip(MODULES, held, strict=True))


def _predictions(named: Named, foods: int) -> list[Ranked]:
    """M1's predictions for a plate: its likeliest labels, one for each food there is, each with those it left out."""
    ranked = list(named.scores.items())
    rest = ranked[foods:]
    return [Ranked(*(tuple(part) for part in zip(each, *rest, strict=True))) for each in ranked[:foods]]


def _ranked(scores: Mapping[Any, float]) -> Ranked:
    return Ranked(tuple(map(str, scores)), tuple(scores.values()))


def _fitting(item: Item, skill: Any) -> str:
    """The true skill; where several fit, the chosen one if it is among them."""
    return str(skill if skill in item.best else item.skill)


def load(kind: str = BEST) -> dict[str, Calibrator]:
    """The shipped calibrators of the four modules.

    Args:
        kind: `best`, `interval` (the paper's C.2) or `scaled` (the paper's D).

    Raises:
        BadSetting: There is no such kind.
        BadRecord: The file is missing or damaged: run `python -m train.feeding.calibrate`.
    """
    if kind not in KINDS:
        raise BadSetting(f"there are no calibrators '{kind}'", hint=f"Choose among: {', '.join(KINDS)}.")
    try:
        text = (files("handup.domains.feeding") / "models" / "calibrators.json").read_text(encoding="utf-8")
        record = json.loads(text)
        return {module: calibrator_from_json(record["calibrators"][kind][module]) for module in MODULES}
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "Make them: python -m train.feeding.calibrate."
        raise BadRecord(f"the feeding robot's calibrators cannot be read ({error})", hint=hint) from error


def highest_score(calibrators: Mapping[str, Calibrator], module: str = "food") -> float:
    """The highest raw score of a module in the calibration set, which appendix D divides by."""
    return float(calibrators[module].to_json()["data"]["score_max"])
