"""Modules that know the truth, and err only where a test says so."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from handup.confidence import Dropout, Identity, ScoreKind, Summary
from handup.core import Box, Calibrator
from handup.domains.feeding import Params, PlateWorld, Skill, foods
from handup.domains.feeding.module_outputs import Aimed, Chosen, Found, NamedFood, Picture
from handup.domains.feeding.truth import box_of, item_at

SCORES = Summary(kind=ScoreKind.SCORE, n=96, base_rate=0.8, score_min=0.1, score_max=0.9)
VARIANCES = Summary(kind=ScoreKind.VARIANCE, n=66, base_rate=0.8, score_min=1e-6, score_max=1e-2)


def calibrators() -> dict[str, Calibrator]:
    """Scores as they are; a variance of e⁻⁸ is a confidence of a half."""
    plain = {module: Identity(data=SCORES) for module in ("food", "box", "skill")}
    return {**plain, "params": Dropout(slope=1.0, intercept=-8.0, data=VARIANCES)}


@dataclass
class Oracle:
    """Modules that look into the simulation; each counts its calls.

    Args:
        world: The plate.
        label: What M1 says instead of a food on the plate.
        blind: Whether M2 finds nothing.
        skill: What M3 says instead of a fitting skill.
        off: How far M4 aims beside, in shares of the picture.
        score: What the first three say of themselves.
        others: What M1 says of other foods than its label.
        hidden: Foods of which M2 finds nothing.
        variance: What M4 says of itself.
    """

    world: PlateWorld
    label: str | None = None
    blind: bool = False
    skill: Skill | None = None
    off: float = 0.0
    score: float = 0.9
    variance: float = 1e-5
    others: dict[str, float] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    foods: tuple[str, ...] = field(default_factory=lambda: tuple(foods()))
    calls: Counter[str] = field(default_factory=Counter)

    def name(self, rgb: Picture) -> NamedFood:
        self.calls["food"] += 1
        left = self.world.left()
        label = self.label or max(left, key=lambda name: left[name])
        others = {name: self.others.get(name, 0.05) for name in self.foods if name != label}
        return NamedFood(label, {label: self.score, **others})

    def find(self, rgb: Picture, label: str) -> Found:
        self.calls["box"] += 1
        items = [each for each in self.world.truth() if each.food == label] or list(self.world.truth())
        if self.blind or label in self.hidden or not items:
            return Found((), ())
        best = max(items, key=lambda each: each.pixels)
        return Found((box_of(best),), (self.score,))

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        self.calls["skill"] += 1
        item = item_at(self.world.truth(), box)
        skill = self.skill or (Skill.SKEWER if item is None else item.skill)
        rest = {each: (1 - self.score) / 2 for each in Skill if each is not skill}
        return Chosen(skill, {skill: self.score, **rest})

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        self.calls["params"] += 1
        item = item_at(self.world.truth(), box)
        middle = ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        params = Params.within([middle[0] - 0.03, middle[1], middle[0] + 0.03, middle[1]])
        if item is not None:
            params = item.best.get(skill, item.best[item.skill])
        moved = Params.within([each + self.off for each in params.numbers])
        return Aimed(moved, self.variance, (moved,) * 16)
